"""Labelled items as the verbs read them: once, whatever is learnt of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import TokenCorpus
from ..data.spool import Spool
from ..errors import DataError
from ..mail.sources import Source
from ..report.progress import Meter
from ..text.corpus import MEMORY, Corpus, keys_of, widest_reader
from ..text.recipes import Recipe
from .items import read_named_rows, read_numbered, tell_gone, total_size
from .output import Remarks

if TYPE_CHECKING:
    from ..data.copies import Copies
    from ..evaluation.suspects import Labelled


class Distinct(NamedTuple):
    """Items each of which counts once: the first of equal ones stands, whatever the labels of the others.

    `duplicates` were left out under the same label, `conflicts` under another.
    """

    corpus: Corpus
    duplicates: int
    conflicts: int


@dataclass(frozen=True)
class LabelledItems:
    """Items that were read once: the corpus of them all, their names if they are wanted, how many bytes they are; how
    many `vanished` before they were read.

    `copies` are their near-duplicates, where they were asked for, `spool` what they are, where some will be shown.
    """

    names: list[str]
    corpus: Corpus
    size: int
    copies: Copies | None = None
    spool: Spool | None = None
    vanished: int = 0

    @classmethod
    def of_files(cls, sources: list[Source], wanted: Wanted) -> LabelledItems:
        """Read those of mail or texts in files."""
        settings, gone = wanted.recipes[0].settings, list[str]()
        batches = (
            (names, items, [sources[i].label for i in numbers])
            for numbers, names, items in read_numbered(sources, settings, wanted.jobs, gone)
        )
        read = wanted.read(batches, total_size(sources), {source.label for source in sources})
        tell_gone(gone, settings, Remarks(wanted.quiet))
        return replace(read, vanished=len(gone))

    @classmethod
    def of_rows(cls, path: str, given: Mapping[str, Any], wanted: Wanted) -> LabelledItems:
        """Read those of texts in a column of a table."""
        return wanted.read(read_named_rows(path, given))

    @property
    def labelled(self) -> Labelled:
        """The items as the search for wrong labels sees them, with their near-duplicates."""
        from ..evaluation.suspects import Labelled  # which only those load who look for near-duplicates

        assert self.copies is not None
        return Labelled(self.corpus.y, self.corpus.classes, self.copies, np.ones(len(self.corpus)))

    def first_of_each(self) -> NDArray[np.bool_]:
        """Return (N,) whether an example is the first of its content and label: as in training, each is learnt once."""
        corpus = self.corpus
        content = np.unique(corpus.keys, return_inverse=True)[1].reshape(-1)
        once = np.zeros(len(corpus), np.bool_)
        once[np.unique(content * len(corpus.classes) + corpus.y, return_index=True)[1]] = True
        return once

    def distinct(self) -> Distinct:
        """Return the items without those that are equal to one before."""
        y = self.corpus.y
        _, first, content = np.unique(self.corpus.keys, return_index=True, return_inverse=True)
        once = np.zeros(len(y), np.bool_)
        once[first] = True
        same = int((y == y[first][content.reshape(-1)]).sum())
        return Distinct(self.corpus.only(once), same - len(first), len(y) - same)


@dataclass(frozen=True)
class Wanted:
    """What is to be made of labelled items: the recipes that will learn them, on how many threads; whether their
    near-duplicates are looked for; whether they are kept to be shown, and are `named`; how many bytes of their tokens
    are kept in memory, `MEMORY` unless told."""

    recipes: Sequence[Recipe]
    jobs: int | None
    quiet: bool
    near: bool = False
    shown: bool = False
    named: bool = True
    memory: int | None = None

    def read(
        self,
        batches: Iterable[tuple[list[str], Sequence[str | bytes], list[str]]],
        total: int | None = None,
        known: Iterable[str] = (),
    ) -> LabelledItems:
        """Read names, items and labels, once; of `total` bytes, if one knows, and of `known` labels and others."""
        settings = [recipe.settings for recipe in self.recipes]
        reader = widest_reader(settings, 2 if self.near else 1)
        tokens = TokenCorpus(reader, MEMORY if self.memory is None else self.memory, self.jobs)
        sketches, tokens_do = None, False
        if self.near:
            from ..data.copies import KEY, Sketches

            sketches, tokens_do = Sketches(settings[0].kind, self.jobs), settings[0].key == KEY
        spool = Spool() if self.shown else None
        names: list[str] = []
        met: dict[str, int] = {}
        members = array("q")
        digests, times, size = bytearray(), [np.zeros(0, np.int64)], 0
        with Meter("Reading", total, self.quiet) as meter:
            for some, items, theirs in batches:
                if self.named:
                    names += some
                members.extend(met.setdefault(label, len(met)) for label in theirs)
                digests += tokens.add(items)
                times.append(reader.arrivals(items))
                if sketches is not None and not tokens_do:
                    sketches.add(items)
                if spool is not None:
                    spool.add(some, items)
                size += sum(map(len, items))
                meter(sum(map(len, items)))
        classes = sorted({*known, *met})
        if len(classes) < 2:
            only = f"all items are {classes[0]!r}" if met else "there are no items"
            raise DataError(f"Expected items of at least two classes; {only}. Add another class.")
        if sketches is not None and tokens_do:
            sketches.add_tokens(tokens)
        place = {label: c for c, label in enumerate(classes)}
        y = np.array([place[label] for label in met], np.intp)[np.array(members, np.intp)]
        keys, places = keys_of(bytes(digests)), np.arange(len(y))
        came = np.concatenate(times)
        corpus = Corpus(X=tokens, y=y, classes=tuple(classes), keys=keys, places=places, times=came)
        return LabelledItems(names, corpus, size, None if sketches is None else sketches.copies(), spool)
