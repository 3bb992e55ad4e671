"""The page of the command line: what `deciban COMMAND --help` says, from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

import click
from page_words import words_of

from deciban.cli.group import VERBS, Verbs, deciban

PLACE = "reference/command-line.md"


def pages(language: str) -> dict[str, str]:
    """Return the page, by its place."""
    context = click.Context(deciban, info_name="deciban")
    commands = "\n".join(part_of(verb, context) for verb in VERBS)
    return {PLACE: words_of("command-line", language).replace("<!-- commands -->\n", commands)}


def part_of(verb: str, context: click.Context) -> str:
    """Return the section of one command, with those of its own commands, if it has any."""
    command = Verbs().get_command(context, verb)
    assert command is not None
    return "\n".join(sections(command, click.Context(command, info_name=verb, parent=context), 2))


def sections(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    """Yield a heading, the help and the list of options."""
    name = context.command_path.removeprefix("deciban ")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"{'#' * level} {name}\n\n```text\n{context.command_path} {usage}\n```\n\n{help_of(command)}\n"
    rows = [row_of(each, context) for each in command.params if isinstance(each, click.Option)]
    if any(rows):
        yield "\n".join(filter(None, rows)) + "\n"
    for inner in getattr(command, "commands", {}).values():
        yield from sections(inner, click.Context(inner, info_name=inner.name, parent=context), level + 1)


def help_of(command: click.Command) -> str:
    r"""Return the help as Markdown: what follows \b is set as it stands."""
    shown = []
    for paragraph in cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):
            shown.append("```text\n" + re.sub(r"^ {1,2}", "", paragraph[1:].lstrip("\n"), flags=re.MULTILINE) + "\n```")
        else:
            shown.append(escape(" ".join(paragraph.split())))
    return "\n\n".join(shown)


def row_of(option: click.Option, context: click.Context) -> str:
    """Return the line of an option, or nothing if it is hidden."""
    record = option.get_help_record(context)
    if record is None:
        return ""
    names, meaning = record
    return f"- `{names}`: {escape(meaning)}".replace("\n", " ")


def escape(text: str) -> str:
    """Return text that Markdown leaves as it is."""
    return re.sub(r"([\[\]*_])", r"\\\1", text).replace("<", "&lt;")
