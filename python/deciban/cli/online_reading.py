"""Mail that is read, and cut into sets of words, while what learns them is loaded.

A model that learns online needs nothing else of it, whatever it will be: reading begins as soon as the options say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._core import WordSets
from ..data.capacity import COPIES, has_room
from ..data.text_layout import ONLINE
from ..mail.sources import Source
from ..report.progress import Meter
from ..text.settings import ALL_WORDS_OF_MAIL, TextSettings
from .ahead import Aside
from .items import read_numbered, tell_gone, total_size
from .output import Remarks

# Options that make other words of a message, another model of them, or a report that shows messages.
_OTHERS = ("words", "max_features", "hashed", "readable", "binary", "likelihood", "alpha", "C", "seed", "report")


class OnlineReading:
    """Sources that are read on another thread, as sets of words; the paths of those that were moved away are in `gone`
    at the end."""

    def __init__(self, sources: list[Source], settings: TextSettings, jobs: int | None, meter: Meter) -> None:
        self.sources, self.settings, self.jobs, self.meter = sources, settings, jobs, meter
        self.classes = sorted({source.label for source in sources})
        self.gone: list[str] = []
        self.sets = WordSets(settings.reader(), len(self.classes), settings.max_words, jobs)
        self._read_aside = Aside(self._read)

    def finish(self, remarks: Remarks) -> OnlineReading:
        """Wait until everything is read; raises what reading raised, and says what was gone."""
        self._read_aside.result()
        self.meter.close()
        tell_gone(self.gone, self.settings, remarks)
        return self

    def _read(self) -> None:
        place = {label: c for c, label in enumerate(self.classes)}
        members = [place[source.label] for source in self.sources]
        for numbers, _, items in read_numbered(self.sources, self.settings, self.jobs, self.gone):
            self.sets.add(items, [members[i] for i in numbers])
            self.meter(sum(items.sizes()))


@contextmanager
def begin_reading(
    kind: str, sources: list[Source], given: Mapping[str, Any], quiet: bool
) -> Iterator[OnlineReading | None]:
    """Read sources of mail while the block is done, if a model that learns online will learn all of their words."""
    suits = kind == "mail" and given["model"] in ("auto", ONLINE) and all(given[name] is None for name in _OTHERS)
    settings, classes = ALL_WORDS_OF_MAIL, len({source.label for source in sources})
    if not (suits and sources and has_room(classes, COPIES * settings.max_words)):
        yield None
        return
    with Meter("Reading", total_size(sources), quiet) as meter:
        yield OnlineReading(sources, settings, given["jobs"], meter)
