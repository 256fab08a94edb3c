"""`reeval show`: a run, and an attempt from every side."""

import json
from pathlib import Path
from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.report.show import AttemptView, attempt_lines, find_attempt, run_lines
from reeval.report.terminal import Terminal

RUN = "20261130T174047Z_442ac2d_jane"
PLAIN = Terminal()
PLACE = "greets-0a/cursor-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / PLACE / "checks").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def run(record: Any, entry: Any, attempt: Any, assertion: Any) -> Any:
    def ref(name: str) -> dict[str, Any]:
        return {"path": f"{PLACE}/{name}", "sha256": "x", "bytes": 1}

    usage = {"input": 944, "output": 367, "cacheRead": 0, "cacheWrite": 0, "reasoning": None}
    one = attempt(
        "fail",
        error={"kind": "timeout", "message": "timed out after 10s"},
        turns=[
            {
                "prompt": "Create greet.js\nplease", "status": "completed", "durationMs": 8000,
                "startedAt": "2026-11-30T17:40:48.000Z", "text": "done", "usage": usage,
                "model": "composer-2.5", "unreported": [], "error": None,
            }
        ],
        assertions=[assertion("exists"), assertion("says hello", "fail", "expected x", soft=True)],
        checks=[
            {"command": "npm test", "exitCode": 1, "durationMs": 103, "log": ref("checks/1.log")}
        ],
        judgements=[
            {"question": "Small?", "verdict": "pass", "score": 1, "threshold": 0.8,
             "model": "fake-judge", "key": "0:x"}
        ],
        changedFiles=[
            {"path": "greet.js", "status": "added"},
            {"path": "node_modules/", "status": "added", "count": 1200},
        ],
        files={"transcript": ref("transcript.jsonl"), "diff": ref("diff.patch")},
    )  # fmt: skip
    return record(entry("greets", one, attempt(n=2)), entry("greets again", attempt()))


def view(run: Any, folder: Path, name: AttemptView = "overview", n: int = 0) -> list[str]:
    one = run["evals"][0]
    return list(attempt_lines(run, one, one["attempts"][n], PLAIN, folder, name))


HEAD = [
    "evals/hello.eval.ts › greets",
    "[greets#1 cursor] fail in 15s · cursor/-/docker#1",
]


def test_a_run_says_where_and_with_what_it_ran(run: Any, folder: Path) -> None:
    assert list(run_lines(run, PLAIN, folder))[:7] == [
        f"run        {RUN} by jane",
        "started    2026-11-30 17:40:47 UTC",
        "commit     442ac2d4e235 on main",
        "reeval     0.1.0 · python 3.12.3 · linux x86_64",
        "agents     cursor",
        "",
        "fail        flaky 1/2 greets",
    ]


def test_an_attempts_overview_has_every_part(run: Any, folder: Path) -> None:
    (folder / PLACE / "output.log").write_text("body says \x1b[31mhi\n")
    assert view(run, folder) == [
        *HEAD,
        "",
        "timeout",
        "  timed out after 10s",
        "",
        "turns",
        "  1  completed 8s    Create greet.js…",
        "     composer-2.5 · 944 in, 367 out",
        "     3 tool calls, 1 file edit in all",
        "",
        "checks",
        "  passed  exists",
        "  failed  says hello (soft)",
        "      expected x",
        "",
        "commands",
        "  $ npm test  exit 1 103ms",
        "",
        "judge",
        "  pass 1.00 (≥ 0.8)  Small?",
        "",
        "changed files",
        "  added     greet.js",
        "  added     node_modules/ (1,200 files)",
        "",
        "printed by the eval",
        "  │ body says hi",
        "",
        f"files      {folder}/{PLACE}/",
        "more       --transcript, --diff, --checks or --timing",
    ]


def test_an_attempt_without_files_says_why(run: Any, folder: Path) -> None:
    assert view(run, folder, n=1)[-1] == "no files were kept (artifacts: all)"


def test_the_transcript_reads_in_order(run: Any, folder: Path) -> None:
    events: list[dict[str, Any]] = [
        {"type": "prompt", "atMs": 1000, "text": "Create greet.js\nplease"},
        {"type": "reasoning", "atMs": 1100, "text": "hm", "durationMs": 900},
        {"type": "tool", "atMs": 2000, "tool": "shell", "input": {"command": "ls -la"},
         "output": "a\nb", "ok": True, "toolCallId": "1", "durationMs": 130_000, "stalled": True},
        {"type": "tool", "atMs": 2000, "tool": "mcp__docs__find", "input": {"q": "é"},
         "output": None, "ok": False, "toolCallId": "2", "durationMs": None},
        {"type": "file-edit", "atMs": 3000, "path": "greet.js", "kind": "create", "added": 3,
         "removed": 0, "toolCallId": "3", "durationMs": None},
        {"type": "web-search", "atMs": 3000, "query": "greet", "references": 4},
        {"type": "web-fetch", "atMs": 3000, "url": "https://x.example", "ok": False},
        {"type": "error", "atMs": 3500, "message": "rate limited\x1b[2J"},
        {"type": "raw", "atMs": 3600, "event": {"kind": "new"}},
        {"type": "text", "atMs": 4000, "text": "Done.\n::error::x"},
        {"type": "turn-end", "atMs": 4100, "status": "completed"},
    ]  # fmt: skip
    text = "".join(json.dumps(event) + "\n" for event in events) + '{"type": "text"\n'
    (folder / PLACE / "transcript.jsonl").write_text(text)
    assert view(run, folder, "transcript")[2:] == [
        "",
        "  +0:01 prompt      Create greet.js",
        "                    please",
        "  +0:01 reasoning   hm  900ms",
        "  +0:02 tool        shell ls -la  2m 10s stalled",
        "                    │ a",
        "                    │ b",
        '  +0:02 tool        mcp__docs__find {"q": "é"}  failed',
        "  +0:03 file-edit   create greet.js  +3 -0",
        "  +0:03 web-search  greet  4 references",
        "  +0:03 web-fetch   https://x.example  failed",
        "  +0:03 error       rate limited",
        '  +0:03 raw         {"kind": "new"}',
        "  +0:04 text        Done.",
        "                    ::error::x",
        "  +0:04 turn-end    completed",
        "  … line 12 can't be read …",
    ]


def test_the_diff_is_shown_as_it_is_and_coloured_in_a_terminal(run: Any, folder: Path) -> None:
    patch = "--- a/greet.js\n+++ b/greet.js\n@@ -1 +1 @@\n-old\n+new\tx\n"
    (folder / PLACE / "diff.patch").write_text(patch)
    assert view(run, folder, "diff") == patch.splitlines()
    one = run["evals"][0]
    colours = Terminal(color=True)
    lines = list(attempt_lines(run, one, one["attempts"][0], colours, folder, "diff"))
    assert lines[3:] == ["\x1b[31m-old\x1b[0m", "\x1b[32m+new\tx\x1b[0m"]
    assert view(run, folder, "diff", n=1) == ["nothing changed"]


def test_checks_come_with_their_output(run: Any, folder: Path) -> None:
    (folder / PLACE / "checks" / "1.log").write_bytes(b"not ok\n\xff\n")
    assert view(run, folder, "checks")[-6:] == [
        "  exit 1 in 103ms",
        "  not ok",
        "  �",
        "",
        "judge",
        "  pass 1.00 (≥ 0.8)  Small?",
    ]


def test_timing_has_a_bar_a_phase_and_the_phase_lines(run: Any, folder: Path) -> None:
    phase = {"ts": "x", "atMs": 61_000, "phase": "harness", "message": "session ready in 3ms"}
    (folder / PLACE / "debug.jsonl").write_text(json.dumps(phase) + "\nnot json\n")
    assert view(run, folder, "timing") == [
        *HEAD,
        "  setup           2s  ███████",
        "  agent           7s  ███████████████████████████",
        "  diff          80ms",
        "  checks       139ms  █",
        "  judge          0ms",
        "  turn 1          8s  ██████████████████████████████",
        "",
        "phases",
        "    +1:01 harness   session ready in 3ms",
        "  … a line that can't be read …",
    ]


@pytest.mark.parametrize(
    "wanted",
    [
        "evals/hello.eval.ts › greets # cursor/-/docker#2",
        "greets#2 cursor",
        "[greets#2 cursor]",
        "greets#2",
        "cursor/-/docker#2",
        "DOCKER#2",
    ],
)
def test_an_attempt_is_found_by_any_name_that_only_it_has(
    record: Any, entry: Any, attempt: Any, wanted: str
) -> None:
    run = record(entry("greets", attempt(), attempt(n=2)), entry("adds", attempt()))
    found, one = find_attempt(run, wanted)
    assert (found["name"], one["n"]) == ("greets", 2)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("docker#1", "'docker#1' fits 2 attempts, say which: 'greets#1 cursor', 'adds#1 cursor'"),
        (
            "gretes#1 cursor",
            f"no attempt of {RUN} is named 'gretes#1 cursor'; the nearest is 'greets#1 cursor'",
        ),
        ("nothing like it", f"no attempt of {RUN} is named 'nothing like it'"),
    ],
)
def test_a_name_that_fits_none_or_several_is_refused(
    record: Any, entry: Any, attempt: Any, wanted: str, message: str
) -> None:
    run = record(entry("greets", attempt()), entry("adds", attempt()))
    with pytest.raises(UsageError) as refused:
        find_attempt(run, wanted)
    assert str(refused.value) == message


def test_files_that_are_gone_or_outside_are_refused(run: Any, folder: Path) -> None:
    with pytest.raises(UsageError, match="the diff is gone"):
        view(run, folder, "diff")
    with pytest.raises(UsageError, match="no transcript of this attempt was kept"):
        view(run, folder, "transcript", n=1)
    run["evals"][0]["attempts"][0]["files"]["diff"]["path"] = "../../etc/passwd"
    with pytest.raises(UsageError, match="outside its folder"):
        view(run, folder, "diff")


def test_the_check_that_ended_the_body_has_its_place(
    record: Any, entry: Any, attempt: Any, assertion: Any, folder: Path
) -> None:
    error = {"kind": "assertion", "message": "exists: expected x (evals/hello.eval.ts:12)"}
    failed = [
        assertion("is soft", "fail", "no", soft=True),
        assertion("exists", "fail", "expected x"),
    ]
    run = record(entry("greets", attempt("fail", error=error, assertions=failed)))
    lines = view(run, folder)
    assert lines[3:9] == [
        "checks",
        "  failed  is soft (soft)",
        "      no",
        "  failed  exists",
        "      expected x",
        "      at evals/hello.eval.ts:12",
    ]


def test_what_the_body_raised_has_its_place(
    record: Any, entry: Any, attempt: Any, folder: Path
) -> None:
    error = {"kind": "assertion", "message": "ValueError: a (b:1) c (evals/hello.eval.ts:7)"}
    run = record(entry("greets", attempt("fail", error=error)))
    assert view(run, folder)[3:6] == [
        "assertion",
        "  ValueError: a (b:1) c",
        "  at evals/hello.eval.ts:7",
    ]


@pytest.mark.parametrize(
    "wanted",
    ["flaky#1", "flaky-strict#1 cursor", "flaky-strict#1", "flaky-strict-mode#1 cursor -",
     "flaky-strict-mode#1 cursor docker", "FLAKY-strict~2#1", "[flaky-str#1 cursor]"],
)  # fmt: skip
def test_a_label_of_another_run_finds_its_attempt(
    record: Any, entry: Any, attempt: Any, wanted: str
) -> None:
    run = record(entry("flaky: strict mode", attempt(), attempt(n=2)), entry("adds", attempt()))
    found, one = find_attempt(run, wanted)
    assert (found["name"], one["n"]) == ("flaky: strict mode", 1)


def test_the_beginning_of_two_names_is_refused(record: Any, entry: Any, attempt: Any) -> None:
    run = record(entry("flaky strict", attempt()), entry("flaky loose", attempt()))
    with pytest.raises(UsageError, match="'flaky#1' fits 2 attempts, say which: 'flaky-strict#1"):
        find_attempt(run, "flaky#1")
    with pytest.raises(UsageError, match="no attempt"):
        find_attempt(run, "flaky#1 codex")
