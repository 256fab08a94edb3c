"""`reeval config`: each setting with where it comes from, an eval's options, the schema."""

from __future__ import annotations

import os

import click

from reeval.cli import completing
from reeval.cli.output import no_color, stdout
from reeval.cli.project import settings_here

EPILOG = """\b
Examples:
  reeval config                       every setting, and the file and line it comes from
  reeval config --profile nightly     under that profile's defaults
  reeval config --eval greet          the options of the evals with "greet" in their name
  reeval config schema > schema.json  for an editor's completion"""

SCHEMA_EPILOG = """\b
Examples:
  reeval config schema > evals/reeval.schema.json   and in reeval.toml's first line:
                                                    #:schema ./evals/reeval.schema.json"""


@click.group("config", epilog=EPILOG, invoke_without_command=True)
@click.option("--eval", "selector", metavar="EVAL", help="The options of these evals, resolved.",
              shell_complete=completing.eval_files)  # fmt: skip
@click.option("--profile", help="Under this profile.", shell_complete=completing.profiles)
@no_color
@click.pass_context
def command(ctx: click.Context, selector: str | None, profile: str | None) -> int:
    """Show the settings and where each comes from."""
    if ctx.invoked_subcommand is not None:
        return 0
    return _settings(profile) if selector is None else _options(selector, profile)


@command.command("schema", epilog=SCHEMA_EPILOG)
def schema() -> int:
    """Print the JSON Schema of reeval.toml, which editors complete and check it by."""
    from reeval.cli.init_command import schema_text

    stdout().raw(schema_text())
    return 0


def _settings(name: str | None) -> int:
    from reeval.config.explain import explain_settings
    from reeval.config.profiles import choose_profile

    settings = settings_here()
    profile, reason = choose_profile(settings, os.environ, name) or (None, "")
    stdout().lines(explain_settings(settings, profile, reason).splitlines())
    return 0


def _options(selector: str, profile: str | None) -> int:
    """Each selected eval's options; 1 when a file that may hold one didn't load."""
    from reeval.cli.failures import say
    from reeval.cli.planning import Selection, plan_here
    from reeval.config.explain import explain_eval

    selection = Selection(selectors=(selector,), profile=profile)
    plan = plan_here(settings_here(), selection, to_run=False)
    out = stdout()
    for planned in plan.evals:
        out.lines([*explain_eval(planned.id, planned.options).splitlines(), ""])
    for failure in plan.failures:
        say(f"error: {failure.file} did not load: {failure.message}")
    return 1 if plan.failures else 0
