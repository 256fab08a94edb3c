"""A runner that does what the test's body names say: the real protocol over real pipes."""

import json
import os
import signal
import subprocess
import sys
import time


def say(**message: object) -> None:
    os.write(1, (json.dumps(message) + "\n").encode())


def body(key: str, name: str, messages: object) -> None:
    what, _, arg = name.partition(" ")
    if what == "exit":
        say(t="log", key=key, stream="stdout", text="last words")
        os.write(2, b"to stderr\n")
        os._exit(int(arg))
    if what == "signal":
        os.kill(os.getpid(), signal.Signals[arg])
    if what == "ask":
        for number in range(int(arg)):
            say(id=str(number), key=key, call={"op": "readFile", "path": f"{number}"})
        for _ in range(int(arg)):
            answer = json.loads(next(messages))
            say(t="log", key=key, stream="stdout", text=answer["contents"])
    if what == "print":
        for _ in range(int(arg)):
            say(t="log", key=key, stream="stdout", text="x" * 1000)
    if what == "stderr":
        os.write(2, b"y" * int(arg) + b"\n")
    if what == "long":
        say(t="log", key=key, stream="stdout", text="z" * int(arg))
    if what == "garbage":
        os.write(1, b"hello there\n")
        time.sleep(60)
    if what == "wait":
        while json.loads(line := next(messages)).get("type") != "abort":
            pass
        error = json.loads(line)
        say(type="done", key=key, error={"name": error["reason"], "message": error["message"]})
        return
    if what == "leave":
        child = subprocess.Popen(["sleep", "60"], stdout=1, stderr=2)
        say(t="log", key=key, stream="stdout", text=str(child.pid))
    if what == "pid":
        say(t="log", key=key, stream="stdout", text=str(os.getpid()))
    if what == "late":
        say(type="done", key=key)
        say(id="1", key=key, call={"op": "readFile", "path": "x"})
        say(t="log", key=key, stream="stderr", text="after the end")
        say(t="log", key="stray", stream="stdout", text=json.loads(next(messages))["error"]["name"])
        return
    say(type="done", key=key)


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    if mode == "dies":
        sys.exit("no module named reeval")
    if mode == "silent":
        time.sleep(60)
    if mode == "talks":
        print("Welcome!")
    sys.stderr.write("1" * 1_000_000 + "\n")
    say(t="hello", protocol=4 if mode == "newer" else 3, sdk="peer", version="9", runtime="r")
    messages = iter(sys.stdin.readline, "")
    for line in messages:
        message = json.loads(line)
        if message.get("t") == "collect":
            if mode == "load-dies":
                os._exit(5)
            if mode == "load-fails":
                say(t="load-error", error={"name": "ValueError", "message": "bad", "stack": "T"})
                continue
            say(t="declared", file=message["file"], tree={"children": []})
        if message.get("type") == "start":
            body(message["key"], message["body"], messages)
    if mode == "stays":
        time.sleep(60)


main()
