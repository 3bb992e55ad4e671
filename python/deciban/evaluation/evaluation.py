"""How good a classifier is on items it did not learn from, each figure with its interval.

Error           e/n, with the exact interval of Clopper & Pearson (Biometrika 26, 1934).
ROC area        the chance that a positive item scores above a negative one, ties counting half (roc.py).
(1 − ROCA) %    the TREC spam track's measure, 100 · (1 − ROC area), with an interval by the bootstrap.
Log loss        the mean of −log p(true class), in nats, and the calibration error, both in reliability.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..certificates.rates import Interval, Rate, clopper_pearson
from ..conventions import DECIBANS_PER_NAT
from ..errors import DataError, UsageError
from ..verdict import probability_of
from .class_report import ClassReport, by_class
from .judgements import Judgements
from .reliability import Reliability, reliability
from .roc import Roc, one_against_rest, roc

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_OF_RELIABILITY = ("log_loss", "log_loss_interval", "calibration_error", "calibration_error_interval")


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found. `confusion` (C, C), in the order of `classes`: rows true, columns verdicts.

    None stands for a figure that the data cannot give, or that only two classes have; `notes` says why.
    """

    n: int
    errors: int
    classes: tuple[Hashable, ...]
    confusion: Indices
    reliability: Reliability
    roc: Roc
    positive: Hashable | None
    threshold: float | None
    per_class: tuple[ClassReport, ...]
    unseen: dict[Hashable, int]
    seed: int
    notes: tuple[str, ...]
    decibans: float | None = None

    @property
    def error(self) -> float:
        return self.errors / self.n

    @property
    def interval(self) -> Interval:
        """Of the error: 95 %, Clopper–Pearson."""
        return clopper_pearson(self.errors, self.n)

    @property
    def false_positives(self) -> Rate | None:
        """Of the items that are not `positive`, those taken for it."""
        return None if self.positive is None else _missed(self.confusion, 1 - self.classes.index(self.positive))

    @property
    def false_negatives(self) -> Rate | None:
        """Of the items that are `positive`, those not taken for it."""
        return None if self.positive is None else _missed(self.confusion, self.classes.index(self.positive))

    @property
    def log_loss(self) -> float:
        return self.reliability.log_loss

    @property
    def log_loss_interval(self) -> Interval | None:
        return self.reliability.log_loss_interval

    @property
    def calibration_error(self) -> float:
        return self.reliability.error

    @property
    def calibration_error_interval(self) -> Interval:
        return self.reliability.error_interval

    @property
    def roc_area(self) -> float | None:
        return None if self.roc.inverted is None else 1 - self.roc.inverted

    @property
    def one_minus_roca_percent(self) -> float | None:
        return None if self.roc.inverted is None else 100 * self.roc.inverted

    @property
    def one_minus_roca_percent_interval(self) -> Interval | None:
        """95 %, by the bootstrap."""
        return None if self.roc.interval is None else (100 * self.roc.interval[0], 100 * self.roc.interval[1])

    def to_json(self) -> dict[str, Any]:
        """Plain values for json.dumps; None where a figure is not to be had. Pairs and rows are lists."""
        area = self.one_minus_roca_percent_interval
        return {
            "n": self.n,
            "errors": self.errors,
            "error": self.error,
            "interval": list(self.interval),
            "roc_area": self.roc_area,
            "one_minus_roca_percent": self.one_minus_roca_percent,
            "one_minus_roca_percent_interval": area and list(area),
            **{key: self.reliability.to_json()[key] for key in _OF_RELIABILITY},
            "confusion": self.confusion.tolist(),
            "classes": list(self.classes),
            "positive": self.positive,
            "threshold": self.threshold,
            "threshold_decibans": self.decibans,
            "false_positives": self.false_positives and self.false_positives.to_json(),
            "false_negatives": self.false_negatives and self.false_negatives.to_json(),
            "per_class": [asdict(each) for each in self.per_class],
            "unseen": [{"label": label, "n": n} for label, n in self.unseen.items()],
            "seed": self.seed,
            "notes": list(self.notes),
        }


def evaluate(
    labels: Sequence[Hashable] | npt.NDArray[Any],
    probabilities: npt.ArrayLike,
    classes: Sequence[Hashable] | npt.NDArray[Any],
    *,
    scores: npt.ArrayLike | None = None,
    positive: Hashable | None = None,
    threshold: float = 0.5,
    seed: int = 0,
    decibans: float | None = None,
) -> Evaluation:
    """Judges `probabilities` (N, C), whose columns are `classes`, against the true `labels` (N,).

    Two classes: the verdict is `positive` (the second class unless given) where its probability is above `threshold`,
    or its log-odds are above `decibans`; an item exactly at it goes to the class that stands first. More: the most
    probable class, and the ROC area is the mean over the classes of each against the rest.

    Probabilities of 1.0 tie: `scores`, log-odds of `positive` (N,) or a score per class (N, C), order the items for
    the ROC area and for `decibans` instead. The log loss is clipped against log 0 only: a probability counts as at
    least 2.2e-308. A label that is not among `classes` is an error, and stands in `unseen`; all but `n`, `errors` and
    precision is over the others. Cost: a sort a class, and 100 passes for the bootstrap.

    Raises DataError (shapes, what is no probability, no known label) and UsageError (positive, threshold).

    >>> found = evaluate(["ham", "spam", "spam"], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]], ["ham", "spam"])
    >>> found.errors, found.roc_area, found.confusion.tolist()
    (1, 1.0, [[1, 0], [1, 1]])
    """
    names = _names(classes)
    p = _probabilities(probabilities, len(names))
    side = _positive_column(names, positive, threshold)
    truth, unseen = _truth(labels, names, len(p))
    ranks = _ranks(p, scores, side)
    if decibans is None:
        verdict = _verdicts(p, side, threshold)
    else:
        verdict, threshold = _beyond(ranks, side, decibans), probability_of(decibans)
    known = truth >= 0
    from sklearn.metrics import confusion_matrix  # seconds, for which nobody waits who only asks for help

    confusion = confusion_matrix(truth[known], verdict[known], labels=range(len(names)))
    if side is None:
        area = one_against_rest(ranks[known], truth[known], names)
    else:
        area = roc(ranks[known, 0], truth[known] == side, seed)
    with np.errstate(divide="ignore"):
        said = Judgements(names, truth[known].astype(np.intp), np.log(p[known]))
    return Evaluation(
        n=len(p),
        errors=int(np.sum(verdict != truth)),
        classes=names,
        confusion=confusion,
        reliability=reliability(said, positive=None if side is None else names[side], seed=seed),
        roc=area,
        positive=None if side is None else names[side],
        threshold=None if side is None else threshold,
        per_class=by_class(truth, verdict, names),
        unseen=unseen,
        seed=seed,
        notes=(*_unseen_notes(unseen, len(p)), *area.notes),
        decibans=decibans,
    )


def _plain(values: Iterable[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _names(classes: Iterable[Hashable]) -> tuple[Hashable, ...]:
    names = tuple(_plain(classes))
    if len(names) < 2 or len(set(names)) < len(names):
        raise DataError(f"Expected at least two classes, each once; came {list(names)}.")
    return names


def _probabilities(given: npt.ArrayLike, C: int) -> Array:
    p = np.asarray(given, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != C or not len(p):
        raise DataError(f"Expected probabilities (N, {C}), a column a class and N at least 1; came {p.shape}.")
    wrong = ~((p >= 0) & (p <= 1)).all(axis=1) | ~(np.abs(p.sum(axis=1) - 1) <= 1e-4)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"Expected rows of probabilities that sum to 1; row {row}, from 0, is {p[row].tolist()}. "
            "Give what predict_proba returns."
        )
    return p


def _positive_column(names: tuple[Hashable, ...], positive: Hashable | None, threshold: float) -> int | None:
    if len(names) > 2:
        if positive is not None:
            raise UsageError(f"Expected `positive` for two classes only; there are {len(names)}. Leave it out.")
        return None
    if not 0 <= threshold <= 1:
        raise UsageError(f"Expected a threshold from 0 to 1, a probability; came {threshold}.")
    if positive is not None and positive not in names:
        raise UsageError(f"Expected `positive` to be one of {list(names)}; came {positive!r}.")
    return 1 if positive is None else names.index(positive)


def _truth(labels: Iterable[Hashable], names: tuple[Hashable, ...], n: int) -> tuple[Indices, dict[Hashable, int]]:
    """The column of each label, −1 for one that is not among `names`, and how often each of those came."""
    given = _plain(labels)
    if len(given) != n:
        raise DataError(f"Expected a label for each of the {n} rows of probabilities; came {len(given)}.")
    column = {name: i for i, name in enumerate(names)}
    truth = np.array([column.get(label, -1) for label in given], dtype=np.int64)
    unseen = dict(Counter(label for label in given if label not in column).most_common())
    if len(unseen) and not (truth >= 0).any():
        raise DataError(
            f"Expected labels among {list(names)}; none of the {n} is, they are {list(unseen)[:5]}. "
            "Check that both are of one type and one spelling."
        )
    return truth, unseen


def _unseen_notes(unseen: dict[Hashable, int], n: int) -> list[str]:
    if not unseen:
        return []
    listed = ", ".join(f"{label} ({count})" for label, count in list(unseen.items())[:5])
    more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
    return [f"{sum(unseen.values())} of {n} labels were never seen in training: {listed}{more}; each is an error."]


def _verdicts(p: Array, side: int | None, threshold: float) -> Indices:
    if side is None:
        return np.asarray(p.argmax(axis=1), dtype=np.int64)
    chosen = p[:, side] > threshold if side == 1 else p[:, side] >= threshold
    return np.where(chosen, side, 1 - side)


def _beyond(ranks: Array, side: int | None, decibans: float) -> Indices:
    """Verdicts by the log-odds of `side` (N, 1), in nats."""
    if side is None or decibans != decibans:
        raise UsageError(f"Expected decibans as the threshold of two classes; came {decibans}.")
    odds = DECIBANS_PER_NAT * ranks[:, 0]
    return np.where(odds > decibans if side == 1 else odds >= decibans, side, 1 - side)


def _ranks(p: Array, scores: npt.ArrayLike | None, side: int | None) -> Array:
    """What orders the items: (N, 1) for two classes, else (N, C)."""
    if scores is None:
        if side is None:
            return p
        # The smaller of the two probabilities still tells items apart where the larger has rounded to 1.
        rare = p[:, side] < p[:, 1 - side]
        with np.errstate(divide="ignore"):
            return np.where(rare, np.log(p[:, side]), -np.log(p[:, 1 - side]))[:, None]
    given = np.asarray(scores, dtype=np.float64)
    shapes = [p.shape] if side is None else [p.shape[:1], p.shape]
    if given.shape not in shapes:
        raise DataError(f"Expected scores of shape {' or '.join(map(str, shapes))}; came {given.shape}.")
    if side is not None:
        with np.errstate(invalid="ignore"):
            given = (given if given.ndim == 1 else given[:, side] - given[:, 1 - side])[:, None]
    if np.isnan(given).any():
        row = int(np.argmax(np.isnan(given).any(axis=1)))
        raise DataError(f"Expected scores that can be ordered; that of row {row}, from 0, is NaN.")
    return given


def _missed(confusion: Indices, row: int) -> Rate | None:
    """Of the items of one class, those taken for the other; None where there are none of it."""
    n = int(confusion[row].sum())
    return Rate(n - int(confusion[row, row]), n) if n else None
