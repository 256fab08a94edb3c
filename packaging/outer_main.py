"""reeval.pyz starts here: find the unpacked program for this Python, and hand over to it.

This file is compiled anew at every start, so it is short and imports nothing that isn't loaded
already. It must parse on any Python, to say in one sentence that it needs a newer one.
"""
# ruff: noqa: UP031, UP036, RUF005 — what any Python parses has no f-strings

import os
import sys

PAYLOAD_SHA256 = "@PAYLOAD_SHA256@"


def cache_folder():
    """The folder that holds unpacked programs; None where this user has none."""
    environ = os.environ
    if environ.get("REEVAL_CACHE"):
        return os.path.abspath(environ["REEVAL_CACHE"])
    if sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.expanduser("~/.cache")
    return os.path.join(base, "reeval") if os.path.isabs(base) else None


def entry_name():
    """One entry for these contents, this Python and this platform, since it holds compiled code."""
    python = sys.implementation.cache_tag + getattr(sys, "abiflags", "")
    libc = getattr(sys.implementation, "_multiarch", "")  # gnu or musl, on Linux
    return "-".join([PAYLOAD_SHA256[:16], python, sys.platform, os.uname()[4], libc])


def refuse_if_shared(folder):
    """Code is run from this folder, so nobody but this user and root may write there."""
    try:
        found = os.stat(folder)
    except OSError:
        return
    if found.st_mode & 0o170000 != 0o040000:
        stop("%s is no folder; set REEVAL_CACHE to one that only you can write" % folder)
    if found.st_uid not in (0, os.geteuid()):
        stop(
            "reeval's cache folder %s belongs to another user (uid %d); "
            "set REEVAL_CACHE to a folder of your own" % (folder, found.st_uid)
        )
    if found.st_mode & 0o022:
        stop(
            "reeval's cache folder %s can be written by others (mode %o); run "
            "`chmod go-w %s`, or set REEVAL_CACHE to a folder that only you can write"
            % (folder, found.st_mode & 0o7777, folder)
        )


def stop(message):
    try:  # noqa: SIM105 — what any Python has
        os.write(2, ("error: %s\n" % message).encode("utf-8", "backslashreplace"))
    except OSError:
        pass
    sys.exit(2)


def leave_at_once_when_interrupted():
    """Until the command line takes the signals: what is left behind, the next start clears away."""
    import _signal

    for number, default in (
        (_signal.SIGINT, _signal.default_int_handler),
        (_signal.SIGTERM, _signal.SIG_DFL),
    ):
        if _signal.getsignal(number) == default:
            _signal.signal(number, lambda number, frame: os._exit(130))


def main():
    if sys.version_info < (3, 11):
        stop(
            "reeval needs Python 3.11 or newer; %s is %d.%d"
            % ((sys.executable,) + tuple(sys.version_info[:2]))
        )
    if os.name != "posix":
        stop("reeval runs on Linux and macOS; on Windows, run it inside WSL")
    leave_at_once_when_interrupted()
    archive = app = sys.path[0]
    folder = cache_folder()
    if folder:
        refuse_if_shared(folder)
        app = os.path.join(folder, entry_name(), "app")
    # The entry's own copy is already compiled. Where it is missing or damaged, the archive's is
    # imported, and unpacks the entry anew.
    sys.path[:1] = [app, archive]
    try:
        import reeval_bootstrap
    except Exception:
        sys.path.remove(app)
        import reeval_bootstrap
    reeval_bootstrap.start(archive, PAYLOAD_SHA256, folder, entry_name(), refuse_if_shared)


if __name__ == "__main__":
    main()
