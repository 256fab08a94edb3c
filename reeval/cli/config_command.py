"""`reeval config`: each setting with where it comes from, an eval's options, the schema."""

from __future__ import annotations

import os

import click

from reeval.cli import completing
from reeval.cli.output import no_color, print_json, stdout
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
@click.option("--json", "as_json", is_flag=True, help="As JSON; with --eval, a list.")
@no_color
@click.pass_context
def command(ctx: click.Context, selector: str | None, profile: str | None, as_json: bool) -> int:
    """Show the settings and where each comes from."""
    if ctx.invoked_subcommand is not None:
        return 0
    if selector is None:
        return _settings(profile, as_json=as_json)
    return _options(selector, profile, as_json=as_json)


@command.command("schema", epilog=SCHEMA_EPILOG)
def schema() -> int:
    """Print the JSON Schema of reeval.toml, which editors complete and check it by."""
    from reeval.cli.init_command import schema_text

    stdout().raw(schema_text())
    return 0


def _settings(name: str | None, *, as_json: bool) -> int:
    from reeval.config.explain import explain_settings
    from reeval.config.profiles import choose_profile

    settings = settings_here()
    profile, reason = choose_profile(settings, os.environ, name) or (None, "")
    explained = explain_settings(settings, profile, reason)
    if as_json:
        print_json(explained.json())
    else:
        stdout().lines(explained.text().splitlines())
    return 0


def _options(selector: str, profile: str | None, *, as_json: bool) -> int:
    """Each selected eval's options; 1 when a file that may hold one didn't load."""
    from reeval.cli.failures import say
    from reeval.cli.planning import Selection, plan_here
    from reeval.config.explain import explain_eval

    selection = Selection(selectors=(selector,), profile=profile)
    plan = plan_here(settings_here(), selection, to_run=False)
    explained = [explain_eval(e.id, e.options, plan.settings) for e in plan.evals]
    if as_json:
        print_json([one.json() for one in explained])
    else:
        stdout().lines(line for one in explained for line in [*one.text().splitlines(), ""])
    for failure in plan.failures:
        say(f"error: {failure.file} did not load: {failure.message}")
    return 1 if plan.failures else 0
