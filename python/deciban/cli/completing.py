"""What a shell completes: model files, other files, and what click knows of options by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import escape, iglob
from typing import Any

import click
from click.shell_completion import CompletionItem

# Words by which help texts name what is to be typed.
_MODELS = {"FILTER", "MODEL"}
_FILES = {"FILE", "PATH", "TABLE", "OUT", "BACKUP"}
_FOLDERS = {"FOLDER"}


class ModelFile(click.Path):
    """The name of a .deciban file, to be completed."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the model files whose names begin so, after folders, in which more may be."""
        found = sorted(iglob(escape(os.path.expanduser(incomplete)) + "*.deciban"))
        found += [incomplete] if incomplete.endswith(".deciban") and os.path.exists(incomplete) and not found else []
        return [CompletionItem(incomplete, type="dir"), *map(CompletionItem, found)]


def offer_files(command: click.Command) -> click.Command:
    """Return the command, whose arguments and options of files a shell then completes."""
    for param in command.params:
        if isinstance(param.type, click.types.StringParamType) or param.type is click.STRING:
            param.type = _type_of(param) or param.type
    return command


def _type_of(param: click.Parameter) -> Any:
    """Return what completes a parameter; None where nobody knows what will be typed."""
    words = set(_words(param.metavar or param.human_readable_name))
    if words & _FILES:
        return click.Path()
    if words & _MODELS:
        return ModelFile()
    return click.Path(file_okay=False) if words & _FOLDERS else None


def _words(metavar: str) -> Iterator[str]:
    """Yield the words of what stands for a value, as FILE and TABLE of LABEL=FILE…|TABLE."""
    word = ""
    for letter in metavar + " ":
        if letter.isalpha():
            word += letter
        elif word:
            yield word
            word = ""
