"""The fake harness's options as a spec's fields carry them."""

from __future__ import annotations

import pytest

from reeval.config.errors import UsageError
from reeval.harness.fake_options import (
    CannedTool,
    ErrorStep,
    ExecStep,
    FakeOptions,
    McpStep,
    ReplyStep,
    WriteStep,
    read_options,
)


def test_without_fields_it_is_the_defaults():
    assert read_options({}) == FakeOptions()


def test_every_option_is_read():
    assert read_options(
        {
            "script": [
                [{"exec": "ls"}, {"write": {"a": "b"}}, {"reply": "hi"}],
                [{"mcp": "docs/a/b"}, {"error": "no"}],
            ],
            "files": {"f": "x"},
            "text": "",
            "with_skill": {"files": {}, "text": "t"},
            "tools": [{"tool": "x", "input": 1, "output": 2, "ok": False}],
            "delay_ms": 5,
            "flake_rate": 0.25,
            "fail_with": "no",
            "start_hangs": True,
            "ignore_abort": True,
            "served_model": "m",
            "layout": "pi",
            "reasoning": "r",
        }
    ) == FakeOptions(
        script=(
            (ExecStep("ls"), WriteStep({"a": "b"}), ReplyStep("hi")),
            (McpStep("docs", "a/b"), ErrorStep("no")),
        ),
        files={"f": "x"},
        text="",
        skill_files={},
        skill_text="t",
        tools=(CannedTool("x", 1, 2, False),),
        delay_ms=5.0,
        flake_rate=0.25,
        fail_with="no",
        start_hangs=float("inf"),
        ignore_abort=True,
        served_model="m",
        layout="pi",
        reasoning="r",
    )


BAD_STEPS = [{"exec": 1}, {"exec": "a", "reply": "b"}, {"mcp": "docs"}, {"mcp": "docs/"}, "ls", {}]


@pytest.mark.parametrize("step", BAD_STEPS)
def test_a_step_that_is_none_is_refused_where_it_stands(step):
    with pytest.raises(UsageError) as error:
        read_options({"script": [[], [{"reply": "a"}, step]]})
    assert error.value.key == "fake_harness script[1][1]"
    assert error.value.message.endswith(f"got {step!r}")


def test_a_canned_tool_without_a_name_is_refused():
    with pytest.raises(UsageError) as error:
        read_options({"tools": [{"input": 1}]})
    assert str(error.value) == (
        'fake_harness tools[0]: takes {"tool": name, "input": …, "output": …}'
    )
