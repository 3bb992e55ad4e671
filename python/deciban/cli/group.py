"""The verbs. Their help stands here, so that listing them loads none of them."""

from __future__ import annotations

from importlib import import_module

import click

from .. import __version__

VERBS = {
    "train": "Learn from labelled mail, texts or a table; write a filter.",
    "classify": "Judge messages: label, probability, decibans.",
    "explain": "Why a message is judged so, word by word.",
    "evaluate": "How often the filter errs on labelled messages, with intervals.",
    "threshold": "Above which evidence to act: by false positives, or by costs.",
    "compare": "The families side by side: errors, speed, which differences are real.",
    "suspects": "Which labels of the examples are probably wrong.",
    "review": "Which messages are worth a look, and what they are.",
    "inspect": "What a filter knows: counts, settings, strongest evidence.",
    "learn": "Learn messages under a label, exactly.",
    "forget": "Take back what was learnt, exactly.",
    "refresh": "Solve a filter with all that it was taught since.",
    "bound": "What theory promises: error, sample size or confidence.",
    "demo": "Train, judge, explain and correct on mail that comes along.",
}


class Verbs(click.Group):
    """A group that loads the module of a verb when the verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f".{cmd_name}", __package__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The verbs are {', '.join(VERBS)}."
            ctx.fail(f"Expected a verb; came {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
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
    """Labelled mail, texts or tables in; a filter out that weighs evidence and shows its weighing.

    \b
      deciban demo                                              see it work
      deciban train spam=Junk/ ham=Inbox.mbox                   learn from your own mail
      deciban classify filter.deciban mail.eml                  judge a message
      deciban explain filter.deciban mail.eml                   and see why
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
