"""Commands that run another command: `env`, `sudo`, `bash -c` and their like."""

from __future__ import annotations

import re

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh"})

# Commands that run the command after their options; the options that take a value.
_WRAPPERS: dict[str, frozenset[str]] = {
    "builtin": frozenset(),
    "command": frozenset(),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "--unset", "-C", "--chdir", "-S", "--split-string"}),
    "exec": frozenset({"-a"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e", "--input", "--output", "--error"}),
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group"}),
    "time": frozenset({"-f", "-o"}),
    "timeout": frozenset({"-s", "--signal", "-k", "--kill-after"}),
}

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=", re.ASCII)


def unwrapped(argv: list[str]) -> list[str]:
    """The command itself, without assignments before it and wrappers around it."""
    while True:
        start = 0
        while start < len(argv) and _ASSIGNMENT.match(argv[start]):
            start += 1
        argv = argv[start:]
        inner = _past_options(argv) if argv and _name(argv) in _WRAPPERS else len(argv)
        if inner >= len(argv):
            return argv
        argv = argv[inner:]


def script_of(argv: list[str]) -> str | None:
    """The script a command runs, such as what `bash -c` is given; None when it is another."""
    name = _name(argv)
    if name == "eval":
        return " ".join(argv[1:]) or None
    if name not in _SHELLS:
        return None
    for place, word in enumerate(argv[1:], 1):
        if not word.startswith(("-", "+")) or word == "--":
            return None
        if not word.startswith("--") and "c" in word:
            return argv[place + 1] if place + 1 < len(argv) else None
    return None


def _name(argv: list[str]) -> str:
    return argv[0].rpartition("/")[2]


def _past_options(argv: list[str]) -> int:
    """Where the wrapped command begins."""
    name = _name(argv)
    valued = _WRAPPERS[name]
    at = 1
    while at < len(argv):
        word = argv[at]
        if word == "--":
            at += 1
            break
        if word in valued:
            at += 2
        elif word.startswith("-") and len(word) > 1:
            at += 1
        else:
            break
    return at + 1 if name == "timeout" else at  # past its duration
