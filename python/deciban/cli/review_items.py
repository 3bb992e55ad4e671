"""Which messages are worth a look: those whose verdict is unsure, and labelled ones whose label is probably wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.copies import Sketches
from ..data.spool import Spool
from ..errors import DataError, escape
from ..mail.ledger import Ledger
from ..mail.reading import Batch
from ..mail.sources import Source, find
from ..report.progress import Meter
from ..text.served import ServedText
from ..text.settings import TextSettings
from ..verdict import Verdict, probability_of
from .items import read_numbered, sources_of, tell_gone, total_size
from .models import default_recipe
from .output import Remarks
from .text_tables import TextTables

if TYPE_CHECKING:
    from .suspect_folds import SuspectedItems

_REASONS = 5
FOLDS = 5


@dataclass(frozen=True)
class Candidate:
    """A message to be reviewed: its place among all, its digest, its verdict, the label that it was given, if any, the
    one that it probably has, the probability that what is said of it now is wrong, and why it is asked about."""

    place: int
    digest: str
    verdict: Verdict
    given: str | None
    suggested: str
    doubt: float
    why: str


@dataclass
class Reviewed:
    """All messages, the candidates among them in groups of near-duplicates, the most useful group first."""

    served: ServedText
    spool: Spool = field(default_factory=Spool)
    digests: list[str] = field(default_factory=list)
    groups: list[list[Candidate]] = field(default_factory=list)

    def name(self, each: Candidate) -> str:
        """Return the name of a message."""
        return self.spool[each.place][0]

    def to_json(self) -> Iterator[dict[str, Any]]:
        """Yield one object a message, with keys that scripts rely on."""
        for number, group in enumerate(self.groups, 1):
            for each in group:
                path, item = self.spool[each.place]
                terms = self.served.explain(item).terms[:_REASONS]
                yield {
                    "digest": each.digest,
                    "path": path,
                    "verdict": str(each.verdict.label),
                    "probability": each.verdict.probability[each.verdict.label],
                    "score": each.verdict.decibans,
                    "unsure": each.verdict.unsure,
                    "given": each.given,
                    "suggested": each.suggested,
                    "why": each.why,
                    "reasons": [{"term": term.term, "decibans": term.decibans} for term in terms],
                    "group": number,
                }


def find_candidates(
    served: ServedText,
    ledger: Ledger,
    paths: Sequence[str],
    jobs: int | None,
    remarks: Remarks,
    tables: TextTables | None = None,
) -> Reviewed:
    """Read messages, `label=PATH` or without a label, and rows of tables, and return those worth a look."""
    labelled = [path for path in paths if "=" in path and not os.path.lexists(path)]
    rows = [path for path in paths if tables is not None and path not in labelled and tables.holds(path)]
    bare = [path for path in paths if path not in labelled and path not in rows]
    sources = find(labelled) if labelled else []
    known = [str(c) for c in served.classes]
    for source in sources:
        if source.label not in known:
            raise DataError(
                f"Expected labels that the filter knows, {', '.join(map(escape, known))}; came {escape(source.label)}. "
                "Write label=PATH with one of those."
            )
    found, sketches = Reviewed(served), Sketches(served.settings.kind, jobs)
    recipe = default_recipe(served.settings.kind)
    given = {"jobs": jobs, "folds": FOLDS, "seed": 0, "time_limit": None}
    candidates: list[Candidate] = []
    if sources:
        from .suspect_folds import in_files  # here, because it loads scikit-learn

        batches = _of_files(sources, served.settings, jobs, remarks)
        candidates += _mislabelled(found, sketches, batches, in_files(sources, [recipe], given, remarks))
    for path in rows:
        assert tables is not None
        if not tables.has_labels(path):
            candidates += _unsure(found, sketches, ledger, tables.batches([path]))
            continue
        from .suspect_folds import in_rows  # here, because it loads scikit-learn

        suspected = in_rows(path, [recipe], {**given, **tables.options()}, remarks)
        candidates += _mislabelled(found, sketches, tables.batches([path]), suspected)
    if bare or not paths:
        batches = _of_files(sources_of(bare, served.settings), served.settings, jobs, remarks)
        candidates += _unsure(found, sketches, ledger, batches)
    found.groups = _group(candidates, sketches.copies().group if len(found.spool) else np.zeros(0, np.intp))
    return found


def _of_files(sources: Sequence[Source], settings: TextSettings, jobs: int | None, remarks: Remarks) -> Iterator[Batch]:
    """Yield the messages of files."""
    gone: list[str] = []
    with Meter("Reading", total_size(list(sources)), remarks.quiet) as meter:
        for _, names, items in read_numbered(sources, settings, jobs, gone):
            yield Batch(names, items)
            meter(sum(map(len, items)))
    tell_gone(gone, settings, remarks)


def _read(found: Reviewed, sketches: Sketches, batches: Iterable[Batch]) -> Iterator[tuple[int, bytes, str | bytes]]:
    """Yield messages, which are kept: their places, digests and texts."""
    for names, items, _ in batches:
        first = len(found.spool)
        found.spool.add(names, items)
        sketches.add(items)
        digests = [found.served.reader.digest(item) for item in items]
        found.digests += [digest.hex() for digest in digests]
        yield from zip(range(first, first + len(items)), digests, items, strict=True)


def _mislabelled(
    found: Reviewed, sketches: Sketches, batches: Iterable[Batch], suspected: SuspectedItems
) -> Iterator[Candidate]:
    """Yield labelled messages whose label models that did not learn them do not bear out."""
    first = len(found.spool)
    for _ in _read(found, sketches, batches):
        pass
    for each in suspected.suspects:
        place = first + each.place
        verdict = found.served.judge([found.spool[place][1]])[0]
        label, suggested = str(each.label), str(each.suggested)
        why = f"labelled {label}, probably {suggested}: {each.reason}"
        doubt = probability_of(each.decibans)
        yield Candidate(place, found.digests[place], verdict, label, suggested, doubt, why)


def _unsure(found: Reviewed, sketches: Sketches, ledger: Ledger, batches: Iterable[Batch]) -> Iterator[Candidate]:
    """Yield messages without a label that the filter does not know, and is not sure of."""
    for place, digest, item in _read(found, sketches, batches):
        if ledger.row(digest) is None:
            verdict = found.served.judge([item])[0]
            if verdict.unsure:
                label = str(verdict.label)
                doubt = 1.0 - verdict.probability[verdict.label]
                yield Candidate(place, digest.hex(), verdict, None, label, doubt, "its verdict is unsure")


def _group(candidates: list[Candidate], near: NDArray[np.intp]) -> list[list[Candidate]]:
    """Return near-duplicates of one suggestion together: first the group of which an answer is expected to correct
    most, in each the most doubtful message first."""
    groups: dict[tuple[int, str], list[Candidate]] = {}
    seen: set[str] = set()
    for each in candidates:
        if each.digest not in seen:
            seen.add(each.digest)
            groups.setdefault((int(near[each.place]), each.suggested), []).append(each)
    for group in groups.values():
        group.sort(key=lambda each: (-each.doubt, each.place))
    return sorted(groups.values(), key=lambda group: (-sum(each.doubt for each in group), group[0].place))
