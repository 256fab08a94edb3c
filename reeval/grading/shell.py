"""The simple commands in a shell command line: what an agent really ran.

A command that is only mentioned, in a quoted argument or a comment, is not one of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from reeval.grading.shell_wrappers import script_of, unwrapped

_BEFORE_A_COMMAND = frozenset(
    {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"}
)
_ENDING = frozenset({"fi", "done", "esac", "}"})

_REDIRECTION = re.compile(r"(\d+|\{\w+\})?(&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)", re.ASCII)
_OPERATOR = re.compile(r";;&|;;|;&|&&|\|\||\|&|[;&|\n()]")
_BLANK = re.compile(r"(?:[ \t\r]|\\\n)+")
_PLAIN = re.compile(r"[^ \t\r\n\\'\"$`;&|<>()]+")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}


def simple_commands(command: str) -> list[list[str]]:
    """Each simple command's words, in the order they are written, substitutions first.

    It looks through lists, pipes, subshells, `$(…)`, backticks, compound commands, `bash -c`,
    `env`, `sudo` and other wrappers, and leaves out assignments, redirections, here-documents
    and comments. Variables stay as written. A line that can't be read, such as one with an open
    quote, is taken as one command of its words between blanks.
    """
    try:
        return _Reader(command).read()
    except (_Unreadable, RecursionError):
        words = command.split()
        return [words] if words else []


class _Unreadable(Exception):
    """Not a shell command line as far as this reader knows."""


@dataclass(slots=True)
class _Word:
    text: str
    quoted: bool


@dataclass(slots=True)
class _Pending:
    """The simple command being read, and what its first words mean for those that follow."""

    words: list[_Word] = field(default_factory=list)
    discarded: bool = False
    until: str | None = None


class _Reader:
    """Reads one command line, or the part of it up to a closing parenthesis."""

    def __init__(self, text: str, at: int = 0, *, nested: bool = False) -> None:
        self.text = text
        self.at = at
        self._nested = nested
        self._found: list[list[str]] = []
        self._pending = _Pending()
        self._depth = 0
        self._cases = 0
        self._in_pattern = False
        self._opening_case = False
        self._heredocs: list[tuple[str, bool]] = []

    def read(self) -> list[list[str]]:
        """The commands up to the end, or to the parenthesis that closes a nested part."""
        text = self.text
        while True:
            blank = _BLANK.match(text, self.at)
            if blank:
                self.at = blank.end()
            if self.at >= len(text):
                if self._nested or self._depth or self._pending.until:
                    raise _Unreadable
                self._flush()
                return self._found
            if text[self.at] == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif self._redirection():
                continue
            elif (operator := _OPERATOR.match(text, self.at)) is not None:
                if self._operator(operator[0]):
                    return self._found
            else:
                start = self.at
                self._take(self._word())
                if self.at == start:
                    raise _Unreadable

    # ── operators ────────────────────────────────────────────────────────────────────────────

    def _operator(self, mark: str) -> bool:
        """Steps over an operator; True when it closes this nested part."""
        if self._pending.until is not None:  # inside [[ … ]], these are operands
            self.at += len(mark)
            return False
        if mark == "(":
            self._open()
            return False
        self.at += len(mark)
        if mark == ")":
            return self._close()
        self._flush()
        if mark.startswith(";;") or mark == ";&":
            self._in_pattern = self._cases > 0
        elif mark == "\n":
            self._skip_heredocs()
        return False

    def _open(self) -> None:
        if self.text.startswith("((", self.at) and not self._pending.words:
            self.at = _closing(self.text, self.at) + 1
            return
        self.at += 1
        if self._in_pattern:
            return
        if self._pending.words:  # a function's name, or an array's value
            self._pending.discarded = True
            self.at = _closing(self.text, self.at - 1) + 1
            self._flush()
            return
        self._depth += 1

    def _close(self) -> bool:
        if self._in_pattern:
            self._pending = _Pending()
            self._in_pattern = False
            return False
        self._flush()
        if self._depth == 0:
            if self._nested:
                return True
            raise _Unreadable
        self._depth -= 1
        return False

    def _flush(self) -> None:
        pending, self._pending = self._pending, _Pending()
        if not pending.discarded:
            self._found += _unwrapped(pending.words)

    # ── words ────────────────────────────────────────────────────────────────────────────────

    def _take(self, word: _Word) -> None:
        pending = self._pending
        if pending.until is not None:
            if word.text == pending.until and not word.quoted:
                pending.until = None
            return
        if self._in_pattern:
            if word.text == "esac" and not word.quoted:
                self._cases -= 1
                self._in_pattern = False
            return
        if pending.discarded:
            if word.text == "in" and self._opening_case:
                self._in_pattern = True
                self._opening_case = False
                self._pending = _Pending()
            elif word.text == "{":  # a function's body
                self._pending = _Pending()
            return
        if not pending.words and not word.quoted and self._keyword(word.text):
            return
        pending.words.append(word)

    def _keyword(self, text: str) -> bool:
        """Handles a reserved word where a command may begin; True when it was one."""
        if text in _BEFORE_A_COMMAND:
            return True
        if text in _ENDING:
            if text == "esac":
                self._cases = max(0, self._cases - 1)
            self._pending.discarded = True
            return True
        if text in ("for", "select", "function", "case"):
            self._pending.discarded = True
            if text == "case":
                self._cases += 1
                self._opening_case = True
            return True
        if text == "[[":
            self._pending.until = "]]"
            self._pending.discarded = True
            return True
        return False

    def _word(self) -> _Word:
        text = self.text
        parts: list[str] = []
        quoted = False
        while self.at < len(text):
            plain = _PLAIN.match(text, self.at)
            if plain:
                parts.append(plain[0])
                self.at = plain.end()
                continue
            char = text[self.at]
            if char == "\\":
                quoted = True
                follows = text[self.at + 1 : self.at + 2]
                parts.append("" if follows == "\n" else follows)
                self.at += 2
            elif char == "'":
                quoted = True
                parts.append(self._single())
            elif char == '"':
                quoted = True
                parts.append(self._double())
            elif char in "$`":
                if text.startswith("$'", self.at):
                    quoted = True
                    parts.append(self._ansi())
                else:
                    parts.append(self._expansion())
            elif text.startswith(("<(", ">("), self.at):
                parts.append(self._substitution(2))
            else:
                break
        return _Word("".join(parts), quoted)

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise _Unreadable
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def _double(self) -> str:
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(parts)
            if char == "\\":
                follows = self.text[self.at + 1 : self.at + 2]
                self.at += 2
                if follows != "\n":
                    parts.append(follows if follows in ('"', "\\", "$", "`") else "\\" + follows)
            elif char in "$`":
                parts.append(self._expansion())
            else:
                parts.append(char)
                self.at += 1
        raise _Unreadable

    def _ansi(self) -> str:
        parts: list[str] = []
        self.at += 2
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == "'":
                return "".join(parts)
            if char == "\\":
                follows = self.text[self.at : self.at + 1]
                self.at += 1
                char = _ESCAPES.get(follows, follows)
            parts.append(char)
        raise _Unreadable

    # ── expansions ───────────────────────────────────────────────────────────────────────────

    def _expansion(self) -> str:
        """`$…` or a backtick, as written; the commands in it are found too."""
        text = self.text
        if text[self.at] == "`":
            return self._backticks()
        if text.startswith("$((", self.at):
            return self._verbatim(_closing(text, self.at + 1) + 1)
        if text.startswith("$(", self.at):
            return self._substitution(2)
        if text.startswith("${", self.at):
            return self._verbatim(_closing(text, self.at + 1, "{}") + 1)
        return self._verbatim(self.at + 1)

    def _substitution(self, opening: int) -> str:
        inner = _Reader(self.text, self.at + opening, nested=True)
        self._found += inner.read()
        return self._verbatim(inner.at)

    def _backticks(self) -> str:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise _Unreadable
        inner = re.sub(r"\\([`\\$])", r"\1", self.text[self.at + 1 : end])
        self._found += _Reader(inner).read()
        return self._verbatim(end + 1)

    def _verbatim(self, end: int) -> str:
        raw = self.text[self.at : end]
        self.at = end
        return raw

    # ── redirections and here-documents ──────────────────────────────────────────────────────

    def _redirection(self) -> bool:
        if self._pending.until is not None:  # inside [[ … ]], they compare
            compares = self.text[self.at] in "<>"
            self.at += compares
            return compares
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            return False
        if match[2] in "<>" and self.text.startswith("(", match.end()) and match[1] is None:
            return False  # a process substitution is a word
        self.at = match.end()
        blank = _BLANK.match(self.text, self.at)
        if blank:
            self.at = blank.end()
        target = self._word()
        if match[2] in ("<<", "<<-"):
            self._heredocs.append((target.text, match[2] == "<<-"))
        return True

    def _skip_heredocs(self) -> None:
        for delimiter, strip_tabs in self._heredocs:
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                line = self.text[self.at :] if end < 0 else self.text[self.at : end]
                self.at = len(self.text) if end < 0 else end + 1
                if (line.lstrip("\t") if strip_tabs else line) == delimiter:
                    break
        self._heredocs.clear()


def _closing(text: str, at: int, pair: str = "()") -> int:
    """Where the bracket that opens at `at` closes; quotes and backslashes are stepped over."""
    depth = 0
    quote = ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == pair[0]:
            depth += 1
        elif char == pair[1]:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise _Unreadable


def _unwrapped(words: list[_Word]) -> list[list[str]]:
    """The commands a simple command runs: itself, or those inside its wrapper."""
    argv = unwrapped([word.text for word in words])
    if not argv:
        return []
    script = script_of(argv)
    return [argv] if script is None else simple_commands(script)
