"""`summary.md`: a whole page, hostile text on it, and GitHub's limit."""

import re
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from reeval.report.summary_md import append_step_summary, step_summary, summary_markdown

RUN = "20261130T174047Z_442ac2d_jane"


def test_a_run_with_everything_that_can_happen(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    failed = assertion("says hello", "fail", "expected a\nreceived b")
    kept = {"diff": {"path": "greets-0a/cursor-2/diff.patch", "sha256": "x", "bytes": 1}}
    tries = [{"exitCode": 1, "durationMs": 1}, {"exitCode": 0, "durationMs": 1}]
    command = {"command": "t", "exitCode": 0, "durationMs": 2, "retries": 2, "tries": tries}
    run = record(
        entry(
            "greets",
            attempt(),
            attempt(
                "fail", 2, assertions=[failed], files=kept,
                error={"kind": "assertion", "message": "says hello: expected a"},
            ),
            group=("greet module",),
        ),
        entry("lands", attempt(assertions=[assertion("flaky passes")], checks=[command])),
        entry("breaks", attempt("infra_error", error={"kind": "infra", "message": "no sandbox"})),
        errors=["evals/bad.eval.py did not load"],
    )  # fmt: skip
    assert (
        summary_markdown(run)
        == f"""\
## ❌ reeval: 1 of 3 evals failed

**Evals:** 1 pass · 1 fail · 1 infra error  
**Attempts:** 2 passed · 1 failed · 1 infra error · 1m 12s  
**Tokens:** not reported by the agent  
**Run:** `{RUN}` · commit `442ac2d4e235` on `main`

### Errors outside attempts

```text
evals/bad.eval.py did not load
```

| | Eval | File | Cell | Passed |
|---|---|---|---|---|
| ❌ | greet module › greets | `evals/hello.eval.ts` | `cursor/-/docker` | 1/2 |
| ⚠️ | breaks | `evals/hello.eval.ts` | `cursor/-/docker` | 1 infra error |
| ✅ | lands | `evals/hello.eval.ts` | `cursor/-/docker` | 1/1 |

### Failed checks

#### evals/hello.eval.ts › greet module › greets

- **says hello** failed in #2

  ```text
  expected a
  received b
  ```

Artifacts: `.reeval/runs/{RUN}/greets-0a/cursor-2/`

### Infra errors

These attempts got no fair try, so they count in no pass rate.

- `breaks#1 cursor`

  ```text
  no sandbox
  ```

### Flaky

- 1/2 greet module › greets (`cursor/-/docker`)

### Passed only when tried again

- lands: **flaky passes** passed on try 2 of 3

### Again, and in detail

```sh
git checkout 442ac2d4e235aaaaaaaaaaaaaaaaaaaaaaaaaaaa
reeval run
reeval show {RUN}
```
"""
    )


def test_headlines_say_how_it_went(record: Any, entry: Any, attempt: Any) -> None:
    def headline(run: Any) -> str:
        return summary_markdown(run).split("\n", 1)[0]

    infra = entry("b", attempt("infra_error", error={"kind": "infra", "message": "m"}))
    assert headline(record(entry("a", attempt()))) == "## ✅ reeval: 1 eval passed"
    assert headline(record(infra)) == "## ⚠️ reeval: 1 infra error, no failure"
    assert headline(record()) == "## ⏭️ reeval: no eval ran"
    assert headline(record(entry("a", attempt()), errors=["x"])) == (
        "## ❌ reeval: 1 error outside attempts"
    )


HOSTILE = "</details><script>x</script> | ``` @jane [a](http://x) ![i](http://y)\n# h\n```\n\x1b[2J"


def test_no_text_of_a_stranger_becomes_markup(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    error = {"kind": "assertion", "message": HOSTILE}
    failed = [assertion(HOSTILE[:60], "fail", HOSTILE)]
    infra = {"kind": "infra", "message": HOSTILE}
    page = summary_markdown(
        record(
            entry(HOSTILE, attempt("fail", error=error, assertions=failed), group=(HOSTILE,)),
            entry("x", attempt("infra_error", error=infra)),
            errors=[HOSTILE],
        )
    )
    assert page.replace("\n", "").isprintable()
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    used = set(re.findall(r"<(\w+)", html))
    assert used <= {
        "h2", "h3", "h4", "p", "strong", "code", "pre", "table", "thead", "tbody", "tr", "th",
        "td", "ul", "li", "br",
    }  # fmt: skip
    outside_code = re.sub(r"<code.*?</code>", "", html, flags=re.DOTALL)
    assert not re.search(r"@\w", outside_code)


def test_the_step_summary_is_cut_below_its_limit_and_says_so() -> None:
    page = "# head\n" + "```text\n" + "é line of output\n" * 100_000 + "```\n"
    cut = step_summary(page)
    assert len(cut.encode()) < 1024 * 1024
    assert cut.endswith("```\n\n_Cut here: the whole page is `summary.md` among the artifacts._\n")
    assert step_summary("# small\n") == "# small\n"


def test_it_is_appended_where_github_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    environ = {"GITHUB_STEP_SUMMARY": str(path)}
    assert append_step_summary("# one\n", environ)
    assert append_step_summary("# two\n", environ)
    assert path.read_text() == "# one\n\n# two\n"
    assert not append_step_summary("# one\n", {})


def test_what_other_steps_wrote_counts_against_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("x" * 1_000_000)
    page = "line\n" * 100_000
    assert append_step_summary(page, {"GITHUB_STEP_SUMMARY": str(path)})
    assert 1_000_000 < path.stat().st_size < 1024 * 1024
    assert not append_step_summary(page, {"GITHUB_STEP_SUMMARY": str(path)})


def test_a_run_that_stopped_early_says_why_and_isnt_a_success(
    record: Any, entry: Any, attempt: Any
) -> None:
    def page(status: str, outcome: str, message: str) -> str:
        left = attempt(outcome, 2, error={"kind": "aborted", "message": message})
        return summary_markdown(record(entry("a", attempt(), left), status=status))

    bail = page("complete", "skipped", "never started: the run stopped after a failure")
    assert bail.startswith("## ⏹️ reeval: the run stopped after a failure, 1 eval passed\n")
    spent = page("budget", "skipped", "never started: the budget for the run was used up")
    assert spent.startswith("## ⏹️ reeval: the budget for the run was used up, 1 eval passed\n")
    assert "1 skipped: the budget for the run was used up" in spent
    stopped = page("interrupted", "infra_error", "stopped while it ran")
    assert stopped.startswith("## ⏹️ reeval: the run was interrupted, 1 eval passed\n")
    assert "**Attempts:** 1 passed · 1 interrupted · 1m 12s" in stopped
    assert "| 1/1 · 1 interrupted |" in stopped
    assert "infra error" not in stopped.partition("| Eval")[0]
    assert "### Infra errors" not in stopped


def test_an_ungated_cells_failures_are_no_cross_and_a_low_lift_is_told(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    failed = {"assertions": [assertion("control's", "fail", "no")]}
    one = entry("compares", attempt("fail", **failed), attempt(cell="cursor/with/docker"))
    control, variant = one["cells"]
    control["gate"], one["outcome"] = "none", "pass"
    page = summary_markdown(record(one))
    assert "| ➖ | compares | `evals/hello.eval.ts` | `cursor/-/docker` | 0/1 · not gated |" in page
    assert "❌" not in page
    assert "Failed checks" not in page
    one["outcome"] = variant["outcome"] = "fail"
    variant["lift"] = {
        "vs": "cursor/-/docker", "control": {"pass": 0, "counted": 1},
        "variant": {"pass": 1, "counted": 1}, "points": 1.0, "withinNoise": True, "minLift": 0.2,
        "interval": {"lo": -0.12, "hi": 1.0, "level": 0.95, "method": "newcombe-wilson"},
    }  # fmt: skip
    page = summary_markdown(record(one))
    why = "+1.00 (95% -0.12 to +1.00), below min_lift 0.2: its interval begins below"
    assert f"- **lift** of `cursor/with/docker`: {why}\n" in page
    assert "control's" not in page


def test_places_and_doubts_are_on_the_page(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    error = {"kind": "assertion", "message": "exists: no (evals/hello.eval.ts:12)"}
    failed = [assertion("exists", "fail", "no")]
    page = summary_markdown(
        record(
            entry("a", attempt("fail", error=error, assertions=failed)),
            entry("b", attempt(assertions=[])),
        )
    )
    assert (
        "- **exists** failed\n\n  ```text\n  no\n  ```\n\n  at `evals/hello.eval.ts:12`\n" in page
    )
    assert "**Unsure:** 1 attempt passed, nothing was checked  \n" in page
    assert "### Passed, but look again\n\n- b: passed, nothing was checked\n" in page
