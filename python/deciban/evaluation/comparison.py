"""Classifiers side by side on the same data, and which differences between them are real.

`statement` has the result in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.attached import Attached

from ..certificates.intervals import Interval, clopper_pearson
from .cross_validation import CrossValidation, Outcome, Pass
from .judgements import Judgements
from .significance import CorrectedT, McNemar, corrected_t, holm, mcnemar
from .suspects import Floats, Integers

ENDED = {
    "": "",
    "time": "the time limit was reached",
    "callback": "the callback said stop",
    "interrupt": "Ctrl-C came",
}
"""Why not all was done, by `Comparison.ended`."""


@dataclass(frozen=True)
class Point:
    """A point of a learning curve: the error on all examples, each judged by a model of `n` others."""

    n: int
    error: float
    interval: Interval
    log_loss: float | None
    fit_seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {**vars(self), "interval": list(self.interval)}


@dataclass(frozen=True)
class ModelResult:
    """The result of one classifier in a comparison.

    error            the share of examples judged wrongly, each by a model that did not learn it; the mean over repeats
    interval         of it, 95 %, Clopper & Pearson over the n examples: exact for models like these on new examples;
                     that other examples would have made other models is what `Pair.t` asks
    log_loss         the mean of −log p(y | x) in nats, with its standard error; None without probabilities
    fit_seconds      of one fit, the mean over the folds
    predict_seconds  of one example, of texts without reading and tokenising it
    size             bytes, of the .deciban file if `size_of_file`, else of all arrays, numbers and texts it holds
    errors_by_fold   (folds × repeats,)
    curve            smallest first; the last point are the models themselves
    """

    model: str
    n: int
    error: float
    interval: Interval
    log_loss: float | None
    log_loss_error: float | None
    fit_seconds: float
    predict_seconds: float
    size: int
    size_of_file: bool
    errors_by_fold: tuple[float, ...]
    curve: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            **vars(self),
            "interval": list(self.interval),
            "errors_by_fold": list(self.errors_by_fold),
            "curve": [point.to_json() for point in self.curve],
        }


@dataclass(frozen=True)
class Pair:
    """The difference of two classifiers, with its tests.

    Parameters
    ----------
    a : str
        Name of the first classifier.
    b : str
        Name of the second.
    difference : float
        Error of a minus that of b.
    mcnemar : McNemar
        McNemar's test of the examples that only one of them misclassifies, in the first repeat.
    p : float
        Its exact p-value by Holm's rule over all pairs.
    t : CorrectedT
        The corrected resampled t-test over folds and repeats, for other training sets.
    t_p : float
        Its p-value by Holm's rule.
    real : bool
        Whether `p` is below the level.

    Examples
    --------
    >>> import numpy as np, deciban
    >>> y = np.arange(60) % 2
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + 4.0 * y[:, None]
    >>> deciban.compare(["naive-bayes", "logistic"], X, y, folds=2, sizes=[]).pairs[0].real
    False
    """

    a: str
    b: str
    difference: float
    mcnemar: McNemar
    p: float
    t: CorrectedT
    t_p: float
    real: bool

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain Python objects, with keys that scripts rely on.

        Returns
        -------
        dict
            The fields by their names.
        """
        return {**vars(self), "mcnemar": self.mcnemar.to_json(), "t": self.t.to_json()}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Errors, learning curves and tests of several models on the same folds.

    `str()` shows it as a table; `statement` says in a sentence which models are best.

    Parameters
    ----------
    rows : tuple of ModelResult
        The models, as they were given, simplest first by default.
    pairs : tuple of Pair
        Their differences, with tests.
    classes : tuple
        Labels of the classes.
    y : ndarray of int of shape (n_samples,)
        Labels, as indices of `classes`.
    copies : int
        Number of examples that share the fold of a near-duplicate before them.
    folds : int
        Number of folds.
    repeats : int
        Number of times that the folds were dealt.
    seed : int
        Seed of the folds.
    level : float
        Level of the tests.
    train : int
        Number of training examples, the mean over the folds.
    left_out : mapping of str to str
        Reasons why models are not among the rows.
    ended : {"", "time", "callback", "interrupt"}
        Why the comparison stopped early; empty where all was done.
    _log_p : mapping of str to ndarray or None
        Out-of-fold log probabilities of each model.
    _winners : mapping of str to ndarray
        Out-of-fold predictions of each model.

    Examples
    --------
    >>> import numpy as np, deciban
    >>> y = np.arange(60) % 2
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + 4.0 * y[:, None]
    >>> found = deciban.compare(["naive-bayes", "logistic"], X, y, folds=2, sizes=[])
    >>> found.train, found.wrong("logistic").shape
    (30, (60,))
    """

    rows: tuple[ModelResult, ...]
    pairs: tuple[Pair, ...]
    classes: tuple[Any, ...]
    y: Integers
    copies: int
    folds: int
    repeats: int
    seed: int
    level: float
    train: int
    left_out: Mapping[str, str]
    ended: str
    _log_p: Mapping[str, Floats | None] = field(repr=False)
    _winners: Mapping[str, Integers] = field(repr=False)

    def __getitem__(self, model: str) -> ModelResult:
        for row in self.rows:
            if row.model == model:
                return row
        raise KeyError(f"{model!r}; there are {', '.join(row.model for row in self.rows)}")

    def pair(self, a: str, b: str) -> Pair:
        """Return the difference of two models, in the order of `rows`.

        Parameters
        ----------
        a : str
            Name of one model.
        b : str
            Name of the other.

        Returns
        -------
        Pair
            The difference.

        Raises
        ------
        KeyError
            If there are no such models.
        """
        for each in self.pairs:
            if {each.a, each.b} == {a, b}:
                return each
        raise KeyError(f"{a!r} and {b!r}; there are {', '.join(row.model for row in self.rows)}")

    def wrong(self, model: str) -> NDArray[np.bool_]:
        """Return the examples that a model misclassified out of fold.

        Parameters
        ----------
        model : str
            Name of the model.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Which examples are misclassified by a model that was not trained on them.
        """
        wrong: NDArray[np.bool_] = self._winners[self[model].model] != self.y
        return wrong

    def judgements(self, model: str) -> Judgements:
        """Return the out-of-fold probabilities of a model in the first repeat.

        Parameters
        ----------
        model : str
            Name of the model.

        Returns
        -------
        Judgements
            Labels and log probabilities.

        Raises
        ------
        ValueError
            If the model has no probabilities.
        """
        log_p = self._log_p[self[model].model]
        if log_p is None:
            raise ValueError(f"{model!r} gives no probabilities")
        return Judgements(self.classes, self.y, np.minimum(log_p, 0.0))

    @property
    def best(self) -> str | None:
        """The model of the smallest error; of equal ones the first."""
        return min(self.rows, key=lambda row: row.error).model if self.rows else None

    @property
    def not_distinguishable(self) -> tuple[str, ...]:
        """The others whose difference from the best is not real at the level."""
        best = self.best
        return tuple(row.model for row in self.rows if row.model != best and not self.pair(row.model, str(best)).real)

    @property
    def simplest(self) -> str | None:
        """The first of the rows that the best is not distinguishable from, or the best."""
        return next((row.model for row in self.rows if row.model in (self.best, *self.not_distinguishable)), None)

    @property
    def statement(self) -> str:
        """Which models err least, which cannot be distinguished from them, and which err more, in words."""

        return statement(self)

    report = Attached("page of a comparison")
    __str__ = Attached("text of a comparison")

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain Python objects.

        Returns
        -------
        dict
            The figures by their names.
        """
        return {
            "n": len(self.y),
            "classes": list(self.classes),
            "copies": self.copies,
            "folds": self.folds,
            "repeats": self.repeats,
            "seed": self.seed,
            "level": self.level,
            "train": self.train,
            "models": [row.to_json() for row in self.rows],
            "pairs": [pair.to_json() for pair in self.pairs],
            "best": self.best,
            "not_distinguishable": list(self.not_distinguishable),
            "simplest": self.simplest,
            "statement": self.statement,
            "left_out": dict(self.left_out),
            "ended": self.ended or None,
        }


def statement(found: Comparison) -> str:
    """Return which models err least, which cannot be distinguished from them, and which err more."""
    if not found.rows:
        return "No model was finished."
    best = found[str(found.best)]
    said = [f"{best.model} errs least, {_error(best)}." if len(found.rows) > 1 else f"{best.model}: {_error(best)}."]
    if len(found.rows) == 1:
        return said[0]
    alike = found.not_distinguishable
    if alike:
        said.append(f"Not distinguishable from it {_is(alike)} {join_names(alike)}; the simplest is {found.simplest}.")
    more = [row for row in found.rows if row.model not in (best.model, *alike)]
    said += [f"{each.model} errs more, by {_more(found, each)}." for each in more]
    if not more and len(found.rows) > 1:
        said.append("No difference is real.")
    said.append(f"By McNemar's exact test with Holm's rule over {_tests(found)}, level {100 * found.level:g} %.")
    return " ".join(said)


def _error(row: ModelResult) -> str:
    low, high = row.interval
    return f"{percent(row.error)} of {row.n:,} ({100 * low:.2f} to {percent(high)})"


def _more(found: Comparison, row: ModelResult) -> str:
    pair = found.pair(row.model, str(found.best))
    return f"{100 * abs(pair.difference):.2f} points ({probable(pair.p)})"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _tests(found: Comparison) -> str:
    return "one pair" if len(found.pairs) == 1 else f"{len(found.pairs)} pairs"


def join_names(names: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def percent(share: float) -> str:
    """Format a share in per cent with two decimals.

    >>> percent(0.0632)
    '6.32 %'
    """
    return f"{100 * share:.2f} %"


def probable(p: float) -> str:
    """Format a probability.

    >>> probable(0.0312), probable(1e-9)
    ('p = 0.031', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def make_comparison(work: CrossValidation, level: float) -> Comparison:
    """Return the comparison that the work led to."""
    done = {name: each for name, each in work.outcomes.items() if each.passes}
    repeats = min((len(each.passes) for each in done.values()), default=0)
    y, train = work.y, round(float(np.mean(list(work.training_sizes()))))
    left_out = {each.name: _why(work, each.name) for each in work.learners if each.name not in done}
    return Comparison(
        tuple(_row(name, each, y, repeats, train) for name, each in done.items()),
        _pairs(done, y, repeats, train, len(y) / work.plan.folds, level),
        work.labelled.classes,
        y,
        len(y) - len(np.unique(work.labelled.copies.group)),
        work.plan.folds,
        repeats,
        work.plan.seed,
        level,
        train,
        left_out,
        work.ended,
        {name: each.log_p for name, each in done.items()},
        {name: each.passes[0].winners for name, each in done.items()},
    )


def _why(work: CrossValidation, name: str) -> str:
    outcome = work.outcomes.get(name)
    return outcome.refusal if outcome is not None and outcome.refusal else ENDED[work.ended]


def _row(name: str, found: Outcome, y: Integers, repeats: int, train: int) -> ModelResult:
    passes, N = found.passes[:repeats], len(y)
    whole = _point(passes, y, train)
    losses = (
        None
        if passes[0].losses is None
        else np.concatenate([each.losses for each in passes if each.losses is not None])
    )
    assert found.size is not None
    return ModelResult(
        name,
        N,
        whole.error,
        whole.interval,
        whole.log_loss,
        None if losses is None else float(losses.std() / np.sqrt(N)),
        whole.fit_seconds,
        float(np.mean([each.judging for each in passes])) / N,
        found.size.bytes,
        found.size.of_file,
        tuple(share for each in passes for share in _by_fold(each, y)),
        (*(_point([each], y, size) for size, each in found.curve.items()), whole),
    )


def _point(passes: Sequence[Pass], y: Integers, n: int) -> Point:
    wrong = float(np.mean([(each.winners != y).sum() for each in passes]))
    losses = [float(each.losses.mean()) for each in passes if each.losses is not None]
    return Point(
        n,
        wrong / len(y),
        clopper_pearson(round(wrong), len(y)),
        float(np.mean(losses)) if losses else None,
        float(np.mean([each.fits for each in passes])),
    )


def _by_fold(found: Pass, y: Integers) -> list[float]:
    wrong = found.winners != y
    share: list[float] = (np.bincount(found.fold, wrong) / np.bincount(found.fold)).tolist()
    return share


def _pairs(
    done: Mapping[str, Outcome], y: Integers, repeats: int, train: int, test: float, level: float
) -> tuple[Pair, ...]:
    by_fold = {name: np.array([_by_fold(each, y) for each in found.passes[:repeats]]) for name, found in done.items()}
    both = list(combinations(done, 2))
    tests = [mcnemar(done[a].passes[0].winners != y, done[b].passes[0].winners != y) for a, b in both]
    means = [corrected_t((by_fold[a] - by_fold[b]).ravel(), train, test) for a, b in both]
    errors = {name: float(np.mean([(p.winners != y).mean() for p in done[name].passes[:repeats]])) for name in done}
    adjusted, over_sets = holm([each.p for each in tests]), holm([each.p for each in means])
    return tuple(
        Pair(a, b, errors[a] - errors[b], one, p, t, t_p, p <= level)
        for (a, b), one, p, t, t_p in zip(both, tests, adjusted, means, over_sets, strict=True)
    )
