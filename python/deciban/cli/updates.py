"""What learn and forget share: the items, the update under the lock, and what is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from .. import store
from ..errors import DataError
from ..mail.filter import Filter, Outcome, refuse_minimised, updating
from ..report.quantities import counted
from ..text.served import ServedText
from ..text.settings import TextSettings
from ..verdict import Verdict
from .failures import replacing
from .items import batches
from .output import print_json

Step = Callable[[Filter, list[bytes]], tuple[Filter, list[Outcome]]]
"""The filter after some items, and what became of each."""


@dataclass
class Updated:
    """What an update did. The verdicts are there where there was one item."""

    classes: Sequence[Any]
    outcomes: Counter[Outcome]
    before: Verdict | None = None
    after: Verdict | None = None

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "n": self.outcomes.total(),
            "outcomes": dict(self.outcomes),
            "before": self.before and self.before.to_json(),
            "after": self.after and self.after.to_json(),
        }


def update(filter_file: str, paths: Sequence[str], step: Step) -> Updated:
    """Take `step` with the items of `paths`: all of them, or nothing if anything is wrong with one."""
    header = store.read(filter_file).header
    refuse_minimised(header["model"])
    settings = TextSettings.from_json(header["text"])
    read = batches(paths, settings)
    _, items = next(read)  # standard input is waited for before the file is locked
    with replacing(filter_file), updating(filter_file) as held:
        before, count, outcomes = held.filter, 0, Counter[Outcome]()
        only = items[0] if len(items) == 1 else None
        while True:
            held.filter, became = step(held.filter, items)
            outcomes.update(became)
            count += len(items)
            _, items = next(read, ([], []))
            if not items:
                break
        if not sum(held.filter.model.book.items):
            raise DataError(
                "Expected that something is left in the filter; this is all it knows. Delete its file instead."
            )
        result = Updated(before.model.classes, outcomes)
        if count == 1 and only is not None:
            result.before, result.after = _verdict(before, only), _verdict(held.filter, only)
    return result


def _verdict(known: Filter, item: bytes) -> Verdict:
    served: ServedText = known.model.compile()
    return served.judge([item])[0]


def tell(
    result: Updated, sentences: dict[Outcome, str], as_json: bool, quiet: bool, what: str = "item", **more: Any
) -> None:
    """The counts by outcome and, of one item, the verdict before and after."""
    if as_json:
        print_json({**more, **result.to_json()})
        return
    if quiet:
        return
    for outcome, n in result.outcomes.items():
        click.echo(sentences[outcome].format(n=counted(n, what)))
    if result.before is not None and result.after is not None:
        from ..report.explanation import contrast
        from ..report.terminal import console, screen, write

        on = console()
        write([contrast(result.before, result.after, screen(on), result.classes)], on)
