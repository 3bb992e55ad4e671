"""deciban completion: the script by which a shell completes the command."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", short_help="Print a script that completes the command in a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script by which a shell completes commands, options, model files and other files at a press of Tab.

    \b
      eval "$(deciban completion bash)"                                        in ~/.bashrc
      eval "$(deciban completion zsh)"                                         in ~/.zshrc
      deciban completion fish > ~/.config/fish/completions/deciban.fish        once
    """
    from click.shell_completion import ShellComplete, get_completion_class

    from .group import COMPLETE, deciban

    found = get_completion_class(shell)
    assert found is not None
    made = found(deciban, {}, "deciban", COMPLETE)
    click.echo(ShellComplete.source(made))  # without looking for the shell, whose version may be another one there
