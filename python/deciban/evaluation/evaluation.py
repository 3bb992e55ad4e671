"""Measures of a classifier on held-out examples, each with its interval.

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

from ..attached import Attached
from ..certificates.intervals import Interval, Rate, clopper_pearson
from ..conventions import DECIBANS_PER_NAT
from ..errors import DataError, UsageError
from ..verdict import probability_of
from .judgements import Judgements
from .reliability import Reliability, reliability
from .roc import Roc, one_against_rest, roc

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClassReport:
    """One class: how much of what was given its name bears it, how much of it was found, their harmonic mean.

    None where nothing was given that name, or nothing bears it.
    """

    label: Hashable
    support: int
    precision: float | None
    recall: float | None
    f1: float | None


def report_classes(truth: Indices, verdict: Indices, names: tuple[Hashable, ...]) -> tuple[ClassReport, ...]:
    """Return the report of each class, from indices (N,) of true classes, −1 for none of them, and of predictions."""
    found, named = (np.bincount(of, minlength=len(names)) for of in (truth[truth == verdict], verdict))
    support = np.bincount(truth[truth >= 0], minlength=len(names))

    def share(count: int, among: int) -> float | None:
        return count / among if among else None

    return tuple(
        ClassReport(name, n, share(right, called), share(right, n), share(2 * right, called + n))
        for name, n, right, called in zip(names, *map(np.ndarray.tolist, (support, found, named)), strict=True)
    )


Array = npt.NDArray[np.float64]

_OF_RELIABILITY = ("log_loss", "log_loss_interval", "calibration_error", "calibration_error_interval")


@dataclass(frozen=True)
class Evaluation:
    """Errors, confusion matrix, ROC area and calibration of a classifier on labelled examples.

    None stands for a figure that the data cannot give, or that only two classes have; `notes` has the reason.

    Parameters
    ----------
    n : int
        Number of examples.
    errors : int
        Number of misclassified examples.
    classes : tuple
        Labels of the C classes.
    confusion : ndarray of int of shape (n_classes, n_classes)
        Confusion matrix: rows true, columns predicted.
    reliability : Reliability
        Log loss and calibration error.
    roc : Roc
        The ROC curve.
    positive : label or None
        The positive class of two.
    threshold : float or None
        Probability above which `positive` is predicted.
    per_class : tuple of ClassReport
        Recall and precision of each class.
    unseen : dict of label to int
        Numbers of examples with labels that are none of the classes.
    seed : int
        Seed of the bootstrap.
    notes : tuple of str
        Remarks on figures that are missing.
    decibans : float, optional
        Log-odds in decibans above which `positive` is predicted, in place of `threshold`.

    Examples
    --------
    >>> found = evaluate(["ham", "spam"], [[0.9, 0.1], [0.2, 0.8]], ["ham", "spam"])
    >>> found.n, found.error, found.one_minus_roca_percent
    (2, 0.0, 0.0)
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

    _repr_html_ = Attached("html of an evaluation")

    @property
    def error(self) -> float:
        """Share of misclassified examples."""
        return self.errors / self.n

    @property
    def interval(self) -> Interval:
        """Of the error: 95 %, Clopper–Pearson."""
        return clopper_pearson(self.errors, self.n)

    @property
    def false_positives(self) -> Rate | None:
        """Of the items that are not `positive`, those taken for it."""
        return None if self.positive is None else _rate_missed(self.confusion, 1 - self.classes.index(self.positive))

    @property
    def false_negatives(self) -> Rate | None:
        """Of the items that are `positive`, those not taken for it."""
        return None if self.positive is None else _rate_missed(self.confusion, self.classes.index(self.positive))

    @property
    def log_loss(self) -> float:
        """Mean negative log probability of the true class, in nats."""
        return self.reliability.log_loss

    @property
    def log_loss_interval(self) -> Interval | None:
        """Interval of 95 % of the log loss by the bootstrap; None for a single example."""
        return self.reliability.log_loss_interval

    @property
    def calibration_error(self) -> float:
        """Expected calibration error."""
        return self.reliability.error

    @property
    def calibration_error_interval(self) -> Interval:
        """Interval of 95 % of the calibration error by the bootstrap."""
        return self.reliability.error_interval

    @property
    def roc_area(self) -> float | None:
        """Area under the ROC curve; of more than two classes the mean of each against the rest."""
        return None if self.roc.inverted is None else 1 - self.roc.inverted

    @property
    def one_minus_roca_percent(self) -> float | None:
        """Area above the ROC curve in per cent, (1 − ROCA)%."""
        return None if self.roc.inverted is None else 100 * self.roc.inverted

    @property
    def one_minus_roca_percent_interval(self) -> Interval | None:
        """95 %, by the bootstrap."""
        return None if self.roc.interval is None else (100 * self.roc.interval[0], 100 * self.roc.interval[1])

    def to_json(self) -> dict[str, Any]:
        """Return all figures as plain Python objects; pairs and rows are lists.

        Returns
        -------
        dict
            The figures by their names; None where a figure does not exist.
        """
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
    """Measure the errors of a classifier on labelled examples, with intervals.

    Of two classes `positive` is predicted where its probability is above `threshold`, or its log-odds are above
    `decibans`; an example exactly at it goes to the class that comes first. Of more classes the most probable one is
    predicted, and the ROC area is the mean over the classes of each against the rest. The log loss is clipped against
    log 0 only: a probability counts as at least 2.2e-308. A label that is not among `classes` is an error, and counted
    in `unseen`; all figures but `n`, `errors` and precision are over the others. The cost is a sort a class, and 100
    passes for the bootstrap.

    Parameters
    ----------
    labels : sequence of shape (n_samples,)
        True labels.
    probabilities : array-like of shape (n_samples, n_classes)
        Predicted probabilities.
    classes : sequence of shape (n_classes,)
        Labels of the columns.
    scores : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Log-odds of `positive`, or a score for each class. They order the examples for the ROC area and for `decibans`,
        where probabilities of 1.0 would tie.
    positive : label, optional
        The positive class of two. By default the second.
    threshold : float, default=0.5
        Probability above which `positive` is predicted.
    seed : int, default=0
        Seed of the bootstrap.
    decibans : float, optional
        Log-odds in decibans above which `positive` is predicted, in place of `threshold`.

    Returns
    -------
    Evaluation
        The figures.

    Raises
    ------
    DataError
        If shapes do not fit, something is no probability, or no label is known.
    UsageError
        If `positive` or `threshold` make no sense.

    Examples
    --------
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
    cells = truth[known] * len(names) + verdict[known]
    confusion = np.bincount(cells, minlength=len(names) ** 2).reshape(len(names), len(names))
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
        per_class=report_classes(truth, verdict, names),
        unseen=unseen,
        seed=seed,
        notes=(*_note_unseen(unseen, len(p)), *area.notes),
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
    """Return the column of each label, −1 for one that is not among `names`, and how often each of those came."""
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


def _note_unseen(unseen: dict[Hashable, int], n: int) -> list[str]:
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
    """Return predictions by the log-odds of `side` (N, 1), in nats."""
    if side is None or decibans != decibans:
        raise UsageError(f"Expected decibans as the threshold of two classes; came {decibans}.")
    odds = DECIBANS_PER_NAT * ranks[:, 0]
    return np.where(odds > decibans if side == 1 else odds >= decibans, side, 1 - side)


def _ranks(p: Array, scores: npt.ArrayLike | None, side: int | None) -> Array:
    """Return what orders the examples: (N, 1) for two classes, else (N, C)."""
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


def _rate_missed(confusion: Indices, row: int) -> Rate | None:
    """Return the rate of the items of one class that are taken for the other; None where there are none of it."""
    n = int(confusion[row].sum())
    return Rate(n - int(confusion[row, row]), n) if n else None
