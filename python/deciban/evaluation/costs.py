"""Costs of wrong answers, and the answers of lowest expected cost.

    expected cost of answering j about x = Σ_i p(i | x) c_ij,      c_ij the cost of answering j where the truth is i

The best answer has the lowest; "unsure" is one more answer, of a cost of its own. Chow, IEEE Transactions on
Information Theory 16, 1970; Elkan, The foundations of cost-sensitive learning, IJCAI 2001. That is as good as the
probabilities are: where they are not calibrated, `thresholds.cheapest` asks examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log10
from typing import Any, Self

import numpy as np

from deciban.conventions import DECIBANS_PER_NAT
from deciban.verdict import probability_of

from .judgements import Floats, Integers, Judgements, log_odds

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Costs:
    """A matrix of costs, and the decisions of lowest expected cost.

        answer = argmin_a Σ_c p(c | x) cost(c, a)

    Parameters
    ----------
    classes : tuple
        Labels of the C classes.
    matrix : ndarray of shape (n_classes, n_classes)
        Finite costs: row the true class, column the answer. No wrong answer costs less than the right one.
    unsure : float, optional
        Cost of leaving a decision open, where that is possible; at least that of the right answer.

    Raises
    ------
    ValueError
        If the matrix has another shape, is not finite, or has a wrong answer that costs less than the right one.

    Examples
    --------
    >>> costs = Costs.of(["ham", "spam"], {("ham", "spam"): 100.0}, unsure=0.5)
    >>> costs.decide(np.log([[0.6, 0.4], [0.03, 0.97], [0.001, 0.999]])).tolist()
    [0, -1, 1]
    >>> round(costs.threshold().decibans, 6)
    20.0
    """

    classes: tuple[Any, ...]
    matrix: Floats
    unsure: float | None = None

    def __post_init__(self) -> None:
        C = len(self.classes)
        if C < 2 or len(set(self.classes)) < C:
            raise ValueError(f"at least two classes are expected, each once; got {list(self.classes)}")
        matrix = np.array(self.matrix, dtype=np.float64)
        object.__setattr__(self, "matrix", matrix)
        if matrix.shape != (C, C) or not np.isfinite(matrix).all():
            raise ValueError(f"costs of {C} classes are finite numbers ({C}, {C}); got {matrix.tolist()}")
        if self.unsure is not None and not isfinite(self.unsure):
            raise ValueError(f"the cost of being unsure must be a finite number, got {self.unsure!r}")
        if (self._regrets() < 0.0).any():
            i, j = np.argwhere(self._regrets() < 0.0)[0]
            what = "to be unsure" if j == C else f"to call it {self.classes[j]!r}"
            raise ValueError(
                f"a right answer must not cost more than another; of {self.classes[i]!r} the right one costs "
                f"{matrix[i, i]:g} and {what} {self._answers()[i, j]:g}"
            )

    @classmethod
    def of(
        cls,
        classes: Sequence[Any],
        costs: Mapping[tuple[Any, Any], float] | None = None,
        unsure: float | None = None,
    ) -> Self:
        """Make the matrix from the costs of single mistakes; others cost 1, and right answers nothing.

        Parameters
        ----------
        classes : sequence
            Labels of the classes.
        costs : mapping of (label, label) to float, optional
            Cost of each (truth, answer) that differs from the default.
        unsure : float, optional
            Cost of leaving a decision open.

        Returns
        -------
        Costs
            The costs.

        Raises
        ------
        ValueError
            If a label is none of the classes, or costs are impossible.
        """
        matrix = 1.0 - np.eye(len(classes))
        place = {label: i for i, label in enumerate(classes)}
        for pair, cost in (costs or {}).items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(label in place for label in pair)):
                raise ValueError(f"costs are of (truth, answer), both among {list(classes)}; got {pair!r}")
            matrix[place[pair[0]], place[pair[1]]] = cost
        return cls(tuple(classes), matrix, unsure)

    @classmethod
    def parse(cls, words: Iterable[str], classes: Sequence[Any], unsure: float | None = None) -> Self:
        """Make the matrix from strings such as "ham:spam=100", where ham classified as spam costs 100, and "unsure=2".

        Labels may contain colons, as long as it is clear where the first one ends.

        Parameters
        ----------
        words : iterable of str
            Costs as TRUTH:ANSWER=COST or unsure=COST.
        classes : sequence
            Labels of the classes.
        unsure : float, optional
            Cost of leaving a decision open.

        Returns
        -------
        Costs
            The costs.

        Raises
        ------
        ValueError
            If a string cannot be read, or a cost is given twice.

        Examples
        --------
        >>> Costs.parse(["a:b=5", "unsure=0.5"], ["a", "b", "c"]).matrix.tolist()
        [[0.0, 5.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
        """
        names = {str(label): label for label in classes}
        found: dict[tuple[Any, Any] | str, float] = {}
        for word in words:
            said, _, number = word.rpartition("=")
            key: tuple[Any, Any] | str = "unsure" if said == "unsure" else _pair(said, names, word)
            if key in found:
                raise ValueError(f"the cost of {said} is given twice: give it once")
            found[key] = _number(number, word)
        unsure = found.pop("unsure", unsure)
        return cls.of(classes, {key: cost for key, cost in found.items() if isinstance(key, tuple)}, unsure)

    def expected(self, log_p: Floats) -> Floats:
        """Return the expected cost of each answer.

        Parameters
        ----------
        log_p : ndarray of shape (n_samples, n_classes)
            Predicted log probabilities log p(c | x).

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples, n_classes + 1)
            Expected costs; the last column is that of unsure, where there is such a cost.
        """
        return self._weigh_terms(log_p, self._answers())

    def decide(self, log_p: Floats) -> Integers:
        """Return the answers of lowest expected cost.

        Of costs that are equal up to 1e-12 relatively, the class that comes first is the answer, and any class before
        unsure. Compared is the excess over the cost of the right answer, a sum of non-negative terms, so that small
        probabilities of expensive mistakes count.

        Parameters
        ----------
        log_p : ndarray of shape (n_samples, n_classes)
            Predicted log probabilities log p(c | x).

        Returns
        -------
        ndarray of int of shape (n_samples,)
            Indices of classes, −1 for unsure.
        """
        more = self._weigh_terms(log_p, self._regrets())
        best: Integers = (more <= (1.0 + _ROUNDING) * more.min(axis=1, keepdims=True)).argmax(axis=1)
        return np.where(best == len(self.classes), -1, best)

    def realised(self, y: Integers, answers: Integers) -> Floats:
        """Return the cost of each answer, given the truth.

        Parameters
        ----------
        y : ndarray of int of shape (n_samples,)
            Indices of the true classes.
        answers : ndarray of int of shape (n_samples,)
            Indices of the answers, −1 for unsure.

        Returns
        -------
        ndarray of shape (n_samples,)
            Costs.

        Raises
        ------
        ValueError
            If an answer is unsure, and there is no cost of that.
        """
        if self.unsure is None and (answers < 0).any():
            raise ValueError("an answer is unsure, and there is no cost of that: give unsure")
        cost: Floats = self._answers()[y, answers]
        return cost

    def paid(self, said: Judgements, answers: Integers | None = None) -> Paid:
        """Return the mean cost of answers to labelled examples.

        Parameters
        ----------
        said : Judgements
            Labels and predicted log probabilities.
        answers : ndarray of int of shape (n_samples,), optional
            Indices of the answers, −1 for unsure. By default those of lowest expected cost.

        Returns
        -------
        Paid
            The mean cost with its standard error.

        Raises
        ------
        ValueError
            If the judgements are of other classes, or an answer is unsure, and there is no cost of that.
        """
        if said.classes != self.classes:
            raise ValueError(f"judgements of the classes {list(self.classes)} are expected, got {list(said.classes)}")
        answers = self.decide(said.log_p) if answers is None else answers
        cost = self.realised(said.y, answers)
        unsure = int((answers < 0).sum())
        spread = float(cost.std(ddof=1)) if len(cost) > 1 else inf
        return Paid(
            len(said), float(cost.mean()), spread / len(cost) ** 0.5, int((answers != said.y).sum()) - unsure, unsure
        )

    def threshold(self, positive: object = None) -> CostThreshold:
        """Return the threshold of two classes above which `positive` is the answer of lowest expected cost.

            p* = r_n / (r_n + r_p)          r_n = c_np − c_nn, r_p = c_pn − c_pp, the excess costs of the two mistakes

        or 10·log10(r_n / r_p) decibans. With a cost u of being unsure, an excess of u_n = u − c_nn and u_p = u − c_pp
        over the right answers, unsure is best between the odds u_n / (r_p − u_p) and (r_n − u_n) / u_p, if there is
        anything between them: for costs 1 between u and 1 − u. Elkan, IJCAI 2001.

        Parameters
        ----------
        positive : label, optional
            The positive class. By default the second.

        Returns
        -------
        CostThreshold
            The threshold.

        Raises
        ------
        ValueError
            If there are not two classes, `positive` is none of them, or no mistake costs anything.
        """
        if len(self.classes) != 2:
            raise ValueError(f"a threshold is of two classes; there are {len(self.classes)}: decide is of any number")
        p = 1 if positive is None else _place(positive, self.classes)
        regret, n = self._regrets(), 1 - p
        r_n, r_p = float(regret[n, p]), float(regret[p, n])
        if r_n == r_p == 0.0:
            raise ValueError("no mistake costs anything, and every threshold is as good: give a mistake a cost")
        unsure = None
        if self.unsure is not None:
            u_n, u_p = float(regret[n, 2]), float(regret[p, 2])
            if u_n < r_n and u_p < r_p:  # else one of the answers is never worse than unsure
                low, high = _decibans(u_n, r_p - u_p), _decibans(r_n - u_n, u_p)
                unsure = (low, high) if low < high else None
        return CostThreshold(self.classes, self.classes[p], _decibans(r_n, r_p), unsure)

    def to_json(self) -> dict[str, Any]:
        """Return the costs as plain Python objects.

        Returns
        -------
        dict
            The keys "classes", "costs" and "unsure".
        """
        return {"classes": list(self.classes), "costs": self.matrix.tolist(), "unsure": self.unsure}

    def _answers(self) -> Floats:
        """Return (C, A) the costs with the answer "unsure"."""
        if self.unsure is None:
            return self.matrix
        return np.column_stack([self.matrix, np.full(len(self.classes), self.unsure)])

    def _regrets(self) -> Floats:
        """Return (C, A) the excess cost of an answer over the right one."""
        regrets: Floats = self._answers() - np.diag(self.matrix)[:, None]
        return regrets

    def _weigh_terms(self, log_p: Floats, cost: Floats) -> Floats:
        """Return (N, A) expected costs, summed class by class, so that a row is the same among many as alone."""
        given = np.asarray(log_p, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(self.classes) or not (given <= 0.0).all():
            raise ValueError(f"log p (N, {len(self.classes)}) is expected, none above 0 or NaN; got {given.shape}")
        total = np.zeros((len(given), cost.shape[1]))
        with np.errstate(under="ignore"):
            for column, row in zip(np.exp(given).T, cost, strict=True):
                total += column[:, None] * row
        return total


@dataclass(frozen=True)
class CostThreshold:
    """A threshold of two classes: `positive` above so many decibans of its log-odds, the other class up to there.

    Parameters
    ----------
    classes : tuple
        The two labels.
    positive : label
        The positive class.
    decibans : float
        Log-odds of `positive` at the threshold, in decibans.
    unsure : tuple of (float, float), optional
        Range in decibans in which the answer is unsure: `positive` from the upper end, the other class up to the lower
        one.

    Examples
    --------
    >>> CostThreshold(("ham", "spam"), "spam", 20.0).answers(np.log([[0.5, 0.5], [0.001, 0.999]])).tolist()
    [0, 1]
    """

    classes: tuple[Any, ...]
    positive: Any
    decibans: float
    unsure: tuple[float, float] | None = None

    @property
    def probability(self) -> float:
        """Probability of `positive` at the threshold."""
        return probability_of(self.decibans)

    def answers(self, log_p: Floats) -> Integers:
        """Return the answers by this threshold; at it the answer is the class that comes first.

        Parameters
        ----------
        log_p : ndarray of shape (n_samples, 2)
            Predicted log probabilities log p(c | x).

        Returns
        -------
        ndarray of int of shape (n_samples,)
            Indices of classes, −1 for unsure.
        """
        p = self.classes.index(self.positive)
        odds = DECIBANS_PER_NAT * log_odds(np.asarray(log_p, dtype=np.float64), p)
        if self.unsure is not None:
            low, high = self.unsure
            return np.select([odds >= high, odds <= low], [p, 1 - p], -1)
        above = odds > self.decibans if p else odds >= self.decibans
        return np.where(above, p, 1 - p)

    def to_json(self) -> dict[str, Any]:
        """Return the threshold as plain Python objects.

        Returns
        -------
        dict
            The keys "positive", "decibans", "probability" and "unsure".
        """
        return {
            "positive": self.positive,
            "decibans": self.decibans,
            "probability": self.probability,
            "unsure": None if self.unsure is None else list(self.unsure),
        }


@dataclass(frozen=True)
class Paid:
    """Mean cost of answers to labelled examples.

    Parameters
    ----------
    n : int
        Number of examples.
    mean : float
        Mean cost.
    standard_error : float
        Standard error of the mean.
    errors : int
        Number of wrong answers.
    undecided : int
        Number of answers that are unsure.

    Examples
    --------
    >>> Paid(10, 0.5, 0.1, 4, 2).to_json()["undecided"]
    2
    """

    n: int
    mean: float
    standard_error: float
    errors: int
    undecided: int

    def to_json(self) -> dict[str, Any]:
        """Return the costs as plain Python objects.

        Returns
        -------
        dict
            The fields by their names.
        """
        return {
            "n": self.n,
            "mean": self.mean,
            "standard_error": self.standard_error,
            "errors": self.errors,
            "undecided": self.undecided,
        }


def _decibans(above: float, below: float) -> float:
    """Return 10·log10(above / below), infinite where one of them is not positive; of both, the upper one decides."""
    if above <= 0.0:
        return -inf
    return inf if below <= 0.0 else 10.0 * (log10(above) - log10(below))


def _place(label: object, classes: Sequence[Any]) -> int:
    if label not in classes:
        raise ValueError(f"positive must be one of {list(classes)}, got {label!r}")
    return list(classes).index(label)


def _pair(said: str, names: Mapping[str, Any], word: str) -> tuple[Any, Any]:
    """Return truth and answer in "ham:spam"."""
    cuts = [i for i, letter in enumerate(said) if letter == ":"]
    pairs = [(said[:i], said[i + 1 :]) for i in cuts if said[:i] in names and said[i + 1 :] in names]
    if len(pairs) != 1:
        why = "which may be read in several ways" if pairs else f"labels are {', '.join(names)}"
        raise ValueError(f"a cost is LABEL:LABEL=COST, truth and answer, or unsure=COST; got {word!r}, {why}")
    return names[pairs[0][0]], names[pairs[0][1]]


def _number(text: str, word: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = inf
    if not isfinite(cost):
        raise ValueError(f"a cost is a finite number, as in ham:spam=100; got {word!r}")
    return cost
