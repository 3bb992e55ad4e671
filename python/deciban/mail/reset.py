"""Which labels that a filter was taught are taken back together, by when, from where, and of which class."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from itertools import groupby
from typing import NamedTuple

from ..errors import UsageError, escape
from .journal import Journal, Labels, Told
from .taught import KnownLabels

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_moment(text: str, now: datetime) -> float:
    """Return the seconds since 1970 of a date, a date and time, or an age such as 7d or 12h; UsageError for others.

    >>> parse_moment("2d", datetime(2026, 1, 3)) == datetime(2026, 1, 1).timestamp()
    True
    """
    age = _AGE.fullmatch(text.strip())
    try:
        moment = now - timedelta(**{_UNITS[age[2]]: int(age[1])}) if age else datetime.fromisoformat(text.strip())
        return moment.timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"--since {escape(text)!r} is no moment. Expected a date such as 2026-01-31, with a time such as "
            "2026-01-31T12:00, or an age such as 30m, 12h, 7d or 2w."
        ) from error


@dataclass(frozen=True)
class Selection:
    """Labels given since a moment, from sources of a pattern, of items whose class is now a given one: all of these
    that are not None must hold."""

    since: float | None = None
    source: str | None = None
    label: int | None = None

    def has(self, told: Told) -> bool:
        """Return whether a label given then and from there is meant."""
        return (self.since is None or told.when >= self.since) and (
            self.source is None or fnmatchcase(told.source, self.source)
        )


class Reset(NamedTuple):
    """The labels that items have afterwards, by digest, and how many items there are that were taught a label."""

    labels: dict[bytes, Labels]
    taught: int


def take_back(journal: Journal, known: KnownLabels, selection: Selection) -> Reset:
    """Return what a filter knows once the labels of a selection are taken back, as if they had never been given.

    A label goes from where it stands among those of its item, and of equal neighbours one is left.
    """
    found, taught = dict[bytes, Labels](), 0
    for digest, entries in _by_item(journal).items():
        open_labels = journal.labels(digest)
        labels = known[digest] if open_labels is None else open_labels
        places = dict(_given(entries, known[digest]))
        taught += any(labels[: len(each.labels)] == each.labels for each in places.values())
        if selection.label is not None and labels[-1:] != (selection.label,):
            continue
        gone = {place for place, each in places.items() if labels[: place + 1] == each.labels and selection.has(each)}
        if gone:
            left = [label for place, label in enumerate(labels) if place not in gone]
            found[digest] = tuple(label for label, _ in groupby(left))
    return Reset(found, taught)


def _by_item(journal: Journal) -> dict[bytes, list[Told]]:
    found = defaultdict[bytes, list[Told]](list)
    for each in journal.told():
        found[each.digest].append(each)
    return found


def _given(entries: list[Told], known: Labels) -> Iterator[tuple[int, Told]]:
    """Yield the place of each label that was given, the last time that it was; `known` are the labels in the file."""
    before = known if entries[0].is_open else entries[0].labels[:-1]
    for each in entries:
        if each.source and len(each.labels) == len(before) + 1 and each.labels[:-1] == before:
            yield len(before), each
        before = each.labels
