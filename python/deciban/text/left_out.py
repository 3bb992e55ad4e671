"""Scores of examples of naive Bayes as if it had not learnt them: their counts are subtracted from those of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import Reader
from .._core import scores as scores_of_rows
from ..calibration.scaling import Scaling, fit_scaling
from ..calibration.temperature import loss_of_scores
from ..distributions import Counts
from ..distributions.priors import class_prior, prior_weights
from ..lazy import cached_property

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

Held = dict[bytes, tuple[str | bytes, dict[Any, float]]]
"""Items by digest, each with its weight by label."""

MOST = 2000
"""So many distinct examples calibrate: of more, the slope would be nearer to the best by less than its log loss tells.
With 500, 2,000 and 5,000 of 12,500 film reviews the held-out log loss is the same to three digits."""
FEW = 500
"""So many of them tell which pseudo-count suits: they differ threefold, and in log loss by far more than by chance."""
# Longer items are not kept in memory until the others are counted.
_LONGEST = 1 << 17
# A word that occurs so often without an example does not occur.
_NOTHING = 1e-9


@dataclass
class Sample:
    """The distinct items of lowest digest among those that came, with their weight by class: the same in whatever order
    they come. Where items count `once`, the first label stands; `longest` is the longest that is kept."""

    reader: Reader
    once: bool = False
    longest: int | None = None
    held: dict[bytes, tuple[str | bytes, dict[int, float]]] = field(default_factory=dict)
    highest: bytes = b"\xff" * 17

    @classmethod
    def streamed(cls, reader: Reader) -> Sample:
        """Return a sample of items that count once, and are not kept elsewhere."""
        return cls(reader, once=True, longest=_LONGEST)

    @classmethod
    def of(
        cls, reader: Reader, items: Sequence[str | bytes], members: Sequence[int], weights: Sequence[float] | None
    ) -> Sample:
        """Return a sample of these items."""
        found = cls(reader)
        found.add(items, members, weights)
        return found

    @classmethod
    def of_labels(cls, reader: Reader, held: Held, classes: Sequence[Any]) -> Sample:
        """Return the sample of items with their weight by label."""
        place = {label: k for k, label in enumerate(classes)}
        return cls(
            reader,
            held={
                digest: (item, {place[label]: weight for label, weight in by_label.items()})
                for digest, (item, by_label) in held.items()
            },
        )

    def by_label(self, labels: Sequence[Any]) -> Held:
        """Return the items of lowest digest with their weight by label."""
        self._shrink()
        return {
            digest: (item, {labels[c]: weight for c, weight in by_class.items()})
            for digest, (item, by_class) in self.held.items()
        }

    def add(self, items: Sequence[str | bytes], members: Sequence[int], weights: Sequence[float] | None = None) -> None:
        """Add items of these classes, with their weights if there are any."""
        digests = self.reader.digests(items)
        for i in self._lowest(np.frombuffer(digests, ">u8")[::2], weights):
            digest, item = digests[16 * i : 16 * (i + 1)], items[i]
            if digest >= self.highest or (self.longest is not None and len(item) > self.longest):
                continue
            _, by_class = self.held.setdefault(digest, (item, {}))
            if not (self.once and by_class):
                by_class[members[i]] = by_class.get(members[i], 0.0) + (1.0 if weights is None else weights[i])
            if len(self.held) > 1.25 * MOST:
                self._shrink()

    def _lowest(self, heads: NDArray[np.uint64], weights: Sequence[float] | None) -> list[int]:
        """Return the places of items that may be kept, by the first eight bytes of their digests."""
        may = heads <= int.from_bytes(self.highest[:8], "big")
        if weights is not None:
            may &= np.asarray(weights) != 0.0
        if self.longest is None:  # else some of the lowest are not kept
            distinct = np.unique(heads[may], return_index=True)[0]  # without the index it imports masked arrays
            may &= heads <= distinct[min(MOST, len(distinct) - 1)] if len(distinct) else may
        return np.flatnonzero(may).tolist()

    def _shrink(self) -> None:
        kept = sorted(self.held)[: MOST + 1]
        self.highest = kept.pop() if len(kept) > MOST else self.highest
        self.held = {digest: self.held[digest] for digest in kept}

    def items(self, classes: int) -> tuple[list[str | bytes], Floats]:
        """Return M items by ascending digest, and how often each was learnt under each class (M, C)."""
        self._shrink()
        counts = np.zeros((len(self.held), classes))
        for row, (_, by_class) in zip(counts, self.held.values(), strict=True):
            for c, weight in by_class.items():
                row[c] = weight
        return [item for item, _ in self.held.values()], counts


def merge_held(mine: Held, theirs: Held) -> Held:
    """Return the items of lowest digest among those of two samples, with their weight by label in both."""
    both = {digest: (item, dict(by_label)) for digest, (item, by_label) in mine.items()}
    for digest, (item, by_label) in theirs.items():
        known = both.setdefault(digest, (item, {}))[1]
        for label, weight in by_label.items():
            known[label] = known.get(label, 0.0) + weight
    return {digest: both[digest] for digest in sorted(both)[:MOST]}


class Calibrated(NamedTuple):
    """The scaling to six digits and the mean log loss of scaled scores of examples that were left out; None where
    nothing tells."""

    scaling: Scaling | None
    loss: float | None


@dataclass(frozen=True, eq=False)
class LeftOut:
    """M examples as rows of features, CSR of `ends`, `features` and `values`, that were learnt `counts` (M, C) times
    under each class, by naive Bayes; `absent` where words that are not there count, too.

    What does not depend on the pseudo-count is made once, for all that are tried.
    """

    ends: NDArray[np.int64]
    features: NDArray[np.int32]
    values: Floats
    counts: Floats
    seen: Counts
    absent: bool

    def scores(self, prior: object, added: float) -> Floats:
        """Return (M, C) what the model of all other examples, its prior included, would give them with pseudo-count
        `added`.

        A class of which nothing else was seen has −∞. A word that no other example has is unknown to that model.
        """
        left, known, which = self._others
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self._there_or_not if self.absent else self._drawn)(added)
            log_prior = np.log([class_prior(prior, n) if n.any() else np.zeros_like(n) for n in known])
            found += log_prior[which]
        found[left <= 0.0] = -np.inf
        return found

    @cached_property
    def _others(self) -> tuple[Floats, Floats, Places]:
        """The number of others of each class for each example (M, C), the rows of it that differ, and which each is."""
        left = np.ascontiguousarray(self.seen.n - self.counts)
        key = left.view(np.dtype((np.void, left.shape[1] * left.itemsize))).ravel()  # a row as one thing to be sorted
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        return left, left[first], which

    @cached_property
    def _row(self) -> Places:
        """The example of each occurrence."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        """Whether the word of each occurrence is in other examples, too."""
        again = self.seen.s.sum(axis=0)[self.features] - self.counts.sum(axis=1)[self._row] * self.values
        kept: NDArray[np.bool_] = again > _NOTHING
        return kept

    @cached_property
    def _unknown(self) -> Floats:
        """(M,) how many words of each example no other has."""
        return self._sum(self._row, ~self._kept * 1.0)

    def _sum(self, row: Places, values: Any) -> Floats:
        sums: Floats = np.bincount(row, values, minlength=len(self.ends)).astype(float)
        return sums

    def _entries_of(self, examples: Places) -> Places:
        """Return the places of what some examples hold."""
        starts = np.append(0, self.ends)
        lengths = np.diff(starts)[examples]
        return np.repeat(starts[examples] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())

    @cached_property
    def _words(self) -> tuple[Floats, Places]:
        """The counts (C, K) of the words that occur, ascending, and the place of each occurrence's among them."""
        occurs = np.zeros(self.seen.s.shape[1], dtype=bool)
        occurs[self.features] = True
        known = np.flatnonzero(occurs)
        places = np.empty(len(occurs), dtype=np.intp)
        places[known] = np.arange(len(known))
        return np.array([s_c[known] for s_c in self.seen.s]), places[self.features]

    @cached_property
    def _own(self) -> tuple[Places, Places, Floats, Floats]:
        """Of the occurrences of words that others have, under the classes of their examples: where in (M, C) they
        count, where in (C, K) their words are, how often these occur in others of the class, and how often here."""
        s, place = self._words
        C, K = s.shape
        y, example = np.nonzero(self.counts.T > 0.0)
        mine, c = self._entries_of(example), np.repeat(y, np.diff(self.ends, prepend=0)[example])
        kept = self._kept[mine]
        mine, c = mine[kept], c[kept]
        row, word, values = self._row[mine], c * K + place[mine], self.values[mine]
        left = np.maximum(s.ravel()[word] - self.counts[row, c] * values, 0.0)
        return row * C + c, word, left, values

    @cached_property
    def _lengths(self) -> tuple[Floats, Floats]:
        """(M,) how many words of each example others have, and (M, C) all that occur in others of each class."""
        every = self.seen.s.sum(axis=1) - self.counts * self._sum(self._row, self.values)[:, None]
        return self._sum(self._row, np.where(self._kept, self.values, 0.0)), every

    def _drawn(self, added: float) -> Floats:
        """Return (M, C) Σ_j x_j log φ_cj of words that are drawn."""
        s, place = self._words
        log = np.log(s + added)
        rows = (np.where(self._kept, self.values, 0.0), place, np.append(0, self.ends), s.shape[1])
        said: Floats = scores_of_rows(rows, log, np.zeros(len(log)))
        at, word, left, values = self._own
        corrected = values * (np.log(left + added) - log.ravel()[word])
        said += np.bincount(at, corrected, minlength=said.size).reshape(said.shape)
        length, every = self._lengths
        total = every + added * (self.seen.s.shape[1] - self._unknown[:, None])
        said -= length[:, None] * np.log(np.where(total > 0.0, total, 1.0))
        return said

    def _there_or_not(self, added: float) -> Floats:
        """Return (M, C) Σ_present log φ_cj + Σ_absent log(1 − φ_cj) of words that are there or not."""
        row = self._row
        said = np.empty(self.counts.shape)
        for c, learnt in enumerate(self.counts.T):
            every, left = self.seen.s[c], self.seen.n[c] - learnt
            s = every[self.features]
            known, which = np.unique(left, return_inverse=True)
            absent = np.array([_log_above_0(n - every + added).sum() for n in known])[which.reshape(-1)]
            present = _log_above_0(np.maximum(s - learnt[row] * self.values, 0.0) + added)
            there = np.where(self._kept, present, 0.0) - _log_above_0(left[row] - s + added)
            said[:, c] = self._sum(row, there) + absent
            said[:, c] -= (len(every) - self._unknown) * np.log(left + 2.0 * added)
        return said

    def only(self, kept: NDArray[np.bool_]) -> LeftOut:
        """Return some of the examples, as if the others were not to be left out."""
        lengths = np.diff(self.ends, prepend=0)
        inside = np.repeat(kept, lengths)
        return replace(
            self,
            ends=np.cumsum(lengths[kept]),
            features=self.features[inside],
            values=self.values[inside],
            counts=self.counts[kept],
        )

    def calibrate(self, prior: object, added: float) -> Calibrated:
        """Return the scaling that makes the scores log-odds, and their log loss then.

        Examples count as often as they were learnt, in the proportions of the classes that the prior says.
        """
        scores = self.scores(prior, added)
        example, y = np.nonzero(self.counts)
        weight = self.counts[example, y] * prior_weights(prior, self.seen.n)[y]
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(scores).all(axis=1))
        known = finite[example]
        scores, y, weight = scores[example[known]], y[known], weight[known]
        found = fit_scaling(scores, y, weight)
        if found is None:
            return Calibrated(None, None)
        return Calibrated(found.rounded(), loss_of_scores(found(scores), y, weight))


def choose_pseudo_count(left: LeftOut, prior: object, among: Sequence[float], first: float) -> float:
    """Return the pseudo-count, of those `among` in ascending order, under which examples that are left out are least
    surprising.

    From the `first` to one side or the other, as long as the log loss falls: it has one valley wherever it
    was looked at. Few texts of unequal classes want a smaller one than many of two.
    """
    known: dict[int, float] = {-1: np.inf, len(among): np.inf}

    def loss(i: int) -> float:
        if i not in known:
            told = left.calibrate(prior, among[i]).loss
            known[i] = np.inf if told is None else told
        return known[i]

    at = among.index(first)
    step = -1 if loss(at - 1) < loss(at) else 1
    while loss(at + step) < loss(at):
        at += step
    return among[at]


def _log_above_0(x: Floats) -> Floats:
    """Return log x where x > 0, else 0."""
    above = x > 0.0
    found: Floats = np.where(above, np.log(np.where(above, x, 1.0)), 0.0)
    return found
