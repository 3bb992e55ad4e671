"""The commands. Their help stands here, so that listing them loads none of them."""

from __future__ import annotations

import os
from importlib import import_module

import click

from .. import __version__

COMPLETE = "_DECIBAN_COMPLETE"
"""The environment variable by which a shell asks for completions."""

VERBS = {
    "train": "Train a classifier on labelled mail, texts or a table.",
    "classify": "Classify messages: label, probability, decibans.",
    "explain": "Explain a verdict: the evidence of each word, in decibans.",
    "evaluate": "Measure the error on labelled messages, with intervals.",
    "threshold": "Find the threshold for a false positive rate or for costs.",
    "compare": "Compare types of model: errors, speed, significance.",
    "suspects": "List the examples whose labels are probably wrong.",
    "review": "Review uncertain and probably mislabelled messages.",
    "inspect": "Show counts, settings and strongest evidence of a filter.",
    "learn": "Add messages to a filter, exactly.",
    "forget": "Remove messages from a filter, exactly.",
    "canary": "Hold verdicts that must not change, whatever is learnt.",
    "reset": "Remove messages by time, source or class, exactly.",
    "refresh": "Bring the file of a filter up to date with its journal.",
    "snapshot": "Keep a filter under a name.",
    "rollback": "Return a filter to a snapshot.",
    "backup": "Back up a filter with its journal, users and snapshots.",
    "restore": "Restore a filter from a backup.",
    "doctor": "Check a filter and its files, and report what to do.",
    "users": "List, export or delete what users have taught.",
    "filter": "Mark a message from standard input, for procmail and maildrop.",
    "serve": "Serve a model to mail servers and programs.",
    "watch": "Keep the Inbox of a mail account clean, over IMAP.",
    "bound": "Compute a generalisation bound, a sample size or a confidence.",
    "export": "Write a model as an ONNX file.",
    "completion": "Print a script that completes the command in a shell.",
    "demo": "Train, classify, explain and correct on a sample mailbox.",
}


class Verbs(click.Group):
    """A group that loads the module of a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f".{cmd_name}", __package__).command
        if COMPLETE in os.environ:
            from .completing import offer_files

            return offer_files(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The commands are {', '.join(VERBS)}."
            ctx.fail(f"Expected a command; got {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.command(
    cls=Verbs,
    name="deciban",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=False,
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="deciban", message="%(prog)s %(version)s")
@click.pass_context
def deciban(ctx: click.Context) -> None:
    """Turn labelled mail, texts or tables into a classifier that weighs evidence and shows its weighing.

    \b
      deciban demo                                              see an example
      deciban train spam=Junk/ ham=Inbox.mbox                   train on your own mail
      deciban classify filter.deciban mail.eml                  classify a message
      deciban explain filter.deciban mail.eml                   show the evidence
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
