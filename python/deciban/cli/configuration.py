"""Options of a verb from a TOML file: what the command line and the environment do not say."""

from __future__ import annotations

import tomllib
from typing import Any

import click

from ..errors import DataError, UsageError, escape, unreadable


def from_file(verb: Any) -> Any:
    """Add --config, a TOML file with a line for each option: `allow-tell = true`."""
    return click.option(
        "--config",
        metavar="FILE",
        callback=_read,
        is_eager=True,
        expose_value=False,
        help="TOML file with options, as in workers = 4. The command line and DECIBAN_* variables come first.",
    )(verb)


def _read(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    try:
        with open(path, "rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise unreadable(path, error) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{escape(path)}: expected TOML: {error}.") from error
    known = {_name_of(each): each for each in ctx.command.params if isinstance(each, click.Option)}
    del known["config"]
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"{escape(path)}: expected one of the options {', '.join(known)}; got {escape(name)}.")
        option = known[name]
        assert option.name is not None
        found[option.name] = _value(path, name, value, option)
    ctx.default_map = {**(ctx.default_map or {}), **found}


def _name_of(option: click.Option) -> str:
    """Return the long name of an option, without dashes."""
    return max(option.opts, key=len).lstrip("-")


def _value(path: str, name: str, value: Any, option: click.Option) -> Any:
    """Return a value as click takes it; UsageError for one of a type that the option has not."""
    if option.is_flag:
        if isinstance(value, bool):
            return value
        raise UsageError(f"{escape(path)}: expected {name} to be true or false; got {escape(str(value))}.")
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise UsageError(f"{escape(path)}: expected one value of {name}; got a list.")
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in values):
        raise UsageError(f"{escape(path)}: expected {name} to be text or a number; got {escape(str(value))}.")
    texts = [str(each) for each in values]
    return texts if option.multiple else texts[0]
