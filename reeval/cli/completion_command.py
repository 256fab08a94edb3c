"""`reeval completion`: the shell's completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from reeval.cli.output import stdout

EPILOG = """\b
Examples:
  reeval completion fish > ~/.config/fish/completions/reeval.fish
  eval "$(reeval completion bash)"    in ~/.bashrc
  eval "$(reeval completion zsh)"     in ~/.zshrc

It completes the command reeval: put the downloaded file on PATH under that name."""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the shell completion script."""
    from reeval.cli.main import COMPLETE, PROGRAM, cli

    kind = get_completion_class(shell)
    assert kind is not None, "click completes each of the shells offered"
    stdout().raw(kind(cli, {}, PROGRAM, COMPLETE).source() + "\n")
    return 0
