"""The commands as data: what manual pages, references and completions are made of."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import click

from .group import VERBS, Verbs, deciban


@dataclass(frozen=True)
class Block:
    """A paragraph of a help text; one that is `verbatim` is set line by line."""

    text: str
    verbatim: bool = False


@dataclass(frozen=True)
class OptionDescription:
    """An option: its names, as `("-o", "--output")`; what stands for its value, or "" for a switch; and its help."""

    names: tuple[str, ...]
    value: str
    help: str


@dataclass(frozen=True)
class CommandDescription:
    """A command: its words, as `("deciban", "train")`; one line on what it does; what follows its words on the command
    line; its help; its options; and the commands that it has."""

    words: tuple[str, ...]
    summary: str
    usage: tuple[str, ...]
    help: tuple[Block, ...]
    options: tuple[OptionDescription, ...]
    commands: tuple[CommandDescription, ...]

    @property
    def name(self) -> str:
        """The words in one."""
        return " ".join(self.words)

    def walk(self) -> Iterator[CommandDescription]:
        """Yield this command and all within it."""
        yield self
        for inner in self.commands:
            yield from inner.walk()


def describe() -> CommandDescription:
    """Return the command `deciban` with all its commands; every module of a verb is loaded for it.

    >>> [each.name for each in describe().walk()][:2]
    ['deciban', 'deciban train']
    """
    return _describe(deciban, click.Context(deciban, info_name="deciban"), deciban.help or "")


def _describe(command: click.Command, context: click.Context, summary: str) -> CommandDescription:
    blocks = tuple(_blocks(command.help or ""))
    options = [each for each in command.get_params(context) if isinstance(each, click.Option) and not each.hidden]
    return CommandDescription(
        words=tuple(context.command_path.split()),
        summary=(summary.strip().partition("\n\n")[0] or blocks[0].text).replace("\n", " ").rstrip("."),
        usage=tuple(command.collect_usage_pieces(context)),
        help=blocks,
        options=tuple(_option(each, context) for each in options),
        commands=tuple(_within(command, context)),
    )


def _within(command: click.Command, context: click.Context) -> Iterator[CommandDescription]:
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None and not inner.hidden:
            summary = VERBS[name] if isinstance(command, Verbs) else inner.get_short_help_str(200)
            yield _describe(inner, click.Context(inner, info_name=name, parent=context), summary)


def _blocks(text: str) -> Iterator[Block]:
    r"""Yield the paragraphs of a help text; one after \b stands as it is."""
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("\b\n"):
            yield Block(inspect.cleandoc("\n" + part[2:]), verbatim=True)
        elif part.strip():
            yield Block(" ".join(part.split()))


def _option(option: click.Option, context: click.Context) -> OptionDescription:
    record = option.get_help_record(context)
    switch = option.is_flag or option.count
    value = "" if switch else option.make_metavar(ctx=context) if _TAKES_CONTEXT else option.make_metavar()  # type: ignore[call-arg]
    return OptionDescription((*option.opts, *option.secondary_opts), value, "" if record is None else record[1])


# From click 8.2 on it does.
_TAKES_CONTEXT = "ctx" in inspect.signature(click.Option.make_metavar).parameters
