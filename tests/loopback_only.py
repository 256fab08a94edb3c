"""Brings the loopback interface up in a new network namespace, then becomes the given Python run.

`unshare -n python tests/loopback_only.py -m pytest …`
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP


def main() -> None:
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        sys.exit(f"this is to run under `unshare -n`; here are {', '.join(names)}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack("16xH14x", fcntl.ioctl(control, GET_FLAGS, request))
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sH14x", b"lo", flags | UP))
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])


if __name__ == "__main__":
    main()
