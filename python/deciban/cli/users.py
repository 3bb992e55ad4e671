"""deciban users: what users have taught filters of their own."""

from __future__ import annotations

from time import gmtime, strftime
from typing import Any

import click

from .. import store
from ..errors import NoInputError, UsageError, escape
from ..mail.sql_stores import Store, store_at
from ..mail.user_names import check_user
from ..mail.users import Users, UserSummary, users_beside
from ..report.progress import format_count
from . import options
from .output import print_json


@click.command("users", short_help="List, export or delete what users have taught.")
@options.filter_file
@click.option("--export", "exported", metavar="USER", help="Print all that is kept of a user, as JSON.")
@click.option("--delete", "deleted", metavar="USER", help="Delete all that is kept of a user.")
@options.user_store
@options.as_json
@options.quiet
def command(
    filter_file: str, exported: str | None, deleted: str | None, store: str | None, as_json: bool, quiet: bool
) -> None:
    """List the users and domains that have taught filters of their own: deciban serve --users.

    \b
      deciban users filter.deciban
      deciban users filter.deciban --export ann@example.com > ann.json
      deciban users filter.deciban --delete ann@example.com

    Of each message that a user has taught its digest, its label, its words as numbers of 24 bits and where it came from
    are kept, and no text. Whoever is deleted starts as the shared filter again.
    """
    if exported is not None and deleted is not None:
        raise UsageError("Expected --export USER or --delete USER; both came. Leave one out.")
    classes = _classes(filter_file)
    place = store_at(store, users_beside(filter_file), filter_file)
    if exported is not None:
        print_json(_export(place, check_user(exported), classes))
    elif deleted is not None:
        _delete(place, check_user(deleted))
        if as_json:
            print_json({"filter": filter_file, "deleted": check_user(deleted)})
        elif not quiet:
            click.echo(f"Deleted {escape(check_user(deleted))}.")
    else:
        _list(filter_file, _summaries(place), as_json)


def _classes(filter_file: str) -> list[Any]:
    header = store.read_header(filter_file)
    found: list[Any] = header.get("classes", [])
    return found


def _summaries(place: Store) -> list[UserSummary]:
    if not place.exists():
        return []
    users = Users.connect(place)
    try:
        return users.summaries()
    finally:
        users.close()


def _export(place: Store, name: str, classes: list[Any]) -> dict[str, Any]:
    found = None
    if place.exists():
        users = Users.connect(place)
        try:
            found = users.export(name, classes)
        finally:
            users.close()
    if found is None:
        raise _unknown(place, name)
    return found


def _delete(place: Store, name: str) -> None:
    if place.exists():
        users = Users.connect(place)
        try:
            if users.delete(name):
                return
        finally:
            users.close()
    raise _unknown(place, name)


def _unknown(place: Store, name: str) -> NoInputError:
    return NoInputError(f"{place.name}: {escape(name)} has taught nothing. deciban users lists who has.")


def _list(filter_file: str, known: list[UserSummary], as_json: bool) -> None:
    if as_json:
        print_json({"filter": filter_file, "users": [each.to_json() for each in known]})
        return
    for each in known:
        days = " to ".join(strftime("%Y-%m-%d", gmtime(moment)) for moment in (each.first, each.last))
        click.echo(f"{escape(each.name)}  {format_count(each.lessons, 'lesson')}  {days}")
    click.echo(f"{format_count(len(known), 'user')}.")
