"""The protocols that distributions satisfy, and their supports, checked where rows are classified.

Where rows are counted the core checks the supports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, is_sparse
from deciban.scores import Score

from ..data.refusal import StatisticError, first
from .counts import Floats
from .priors import Optimum

# Larger numbers overflow when they are weighed.
LARGEST = 1e300


def _outside(values: Any, support: str) -> NDArray[np.bool_]:
    if support == "binary":
        bad = (values != 0) & (values != 1)
    elif support == "whole":
        bad = (values < 0) | (values != np.floor(values))
    elif support == "nonnegative":
        bad = values < 0
    else:
        bad = np.zeros(values.shape, dtype=bool)
    result: NDArray[np.bool_] = bad | (np.abs(values.astype(np.float64)) > LARGEST)
    return result


def is_in_support(X: Any, support: str) -> bool:
    """Return whether all of X (N, d) is valid, at a glance; False when it must be examined."""
    values = X.data if is_sparse(X) else X
    if values.dtype == bool or values.size == 0:
        return True
    if support == "binary":
        return bool(((values == 0) | (values == 1)).all())
    low, high = float(values.min()), float(values.max())  # NaN if there is one
    whole = support != "whole" or values.dtype.kind in "iu"
    return bool(whole and high <= LARGEST and low >= -LARGEST and (support == "finite" or low >= 0))


def check_support(X: Any, support: str, expected: Callable[[float], str], *, missing: bool = True) -> None:
    """Refuse the first value of X (N, d) outside the support "finite", "nonnegative", "binary" or "whole".

    NaN is a missing value, and refused where the distribution cannot do without.
    """
    if is_in_support(X, support):
        return
    values = X.data if is_sparse(X) else X
    gone = np.isnan(values)
    bad = np.where(gone, not missing, _outside(values, support))
    if not bad.any():
        return
    place = first(bad)
    value = float(values[place])
    if is_sparse(X):
        place = (int(np.searchsorted(X.indptr, place[0], side="right")) - 1, int(X.indices[place[0]]))
    row, column = place
    raise StatisticError(expected(value).format(place=f"row {row}, {{feature}} is {value:g}"), feature=column)


class Distribution(Protocol):
    """A distribution p(x | c) of independent features: statistics that add, parameters from them, and a score.

    Statistics and parameters are the distribution's own; a model only adds, subtracts and hands them back. A new
    distribution is a frozen dataclass that subclasses `Family` and is listed in `CATALOGUE`.

    Attributes
    ----------
    name : str
        Name of the distribution.
    missing : bool
        Whether a feature may be missing, NaN; it is then left out of statistics, score and posterior.

    Examples
    --------
    >>> from deciban.distributions import CATALOGUE
    >>> [family.name for family in CATALOGUE if not family.missing]
    ['multinomial', 'complement']
    """

    name: ClassVar[str]
    # Whether a feature may be missing, NaN, and is then left out of statistics, score and doubt.
    missing: ClassVar[bool]

    def statistic(self, X: Rows) -> Any:
        """Return the sufficient statistic T(X) of each row, which the score takes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_features)
            T(X), dense or sparse like X.

        Raises
        ------
        StatisticError
            If a value is outside the support; the error names its row and column.
        """
        ...

    def count(self, X: Rows, y: NDArray[Any], weight: Floats | None, C: int) -> Any:
        """Return the sufficient statistics of weighted examples, in one pass over the values that are not 0.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : ndarray of int of shape (n_samples,)
            Class indices.
        weight : ndarray of shape (n_samples,) or None
            Weights; None for 1 each.
        C : int
            Number of classes.

        Returns
        -------
        Statistics
            Statistics with one row a class, which add and subtract.

        Raises
        ------
        StatisticError
            If a value is outside the support.
        """
        ...

    def check_counts(self, seen: Any) -> None:
        """Check that some examples have these statistics, as those after forgetting may not.

        Parameters
        ----------
        seen : Statistics
            Statistics of all examples.

        Raises
        ------
        StatisticError
            If no data have these statistics: an example was forgotten that was never learnt.
        """
        ...

    def parameters(self, seen: Any, estimate: str) -> Any:
        """Estimate the parameters of every class.

        Parameters
        ----------
        seen : Statistics
            Statistics of all examples.
        estimate : {"bayes", "map", "ml"}
            Posterior mean or predictive, posterior mode, or maximum likelihood; some distributions have "predictive",
            too, the exact posterior predictive.

        Returns
        -------
        object
            The parameters, as `score` and `log_density` take them.

        Raises
        ------
        StatisticError
            If the estimate does not exist; the error names feature and class.
        """
        ...

    def score(self, parameters: Any, prior: Floats) -> Score:
        """Compile parameters to a score of T(x): log p(x | c) + prior_c, up to what is the same for every class.

        Parameters
        ----------
        parameters : object
            Parameters of every class.
        prior : ndarray of shape (n_classes,)
            Log prior of each class, in nats.

        Returns
        -------
        Score
            The score.
        """
        ...

    def log_density(self, X: Rows, parameters: Any) -> Floats:
        """Return log p(x | c) from the definition: slow and simple, for tests.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, as `statistic` returns them.
        parameters : object
            Parameters of every class.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log densities, in nats.
        """
        ...

    def optimum(self, seen: Any, parameters: Any, estimate: str) -> Optimum:
        """Return the distance of parameters from the minimum of the objective behind an estimate.

        Parameters
        ----------
        seen : Statistics
            Statistics of all examples.
        parameters : object
            Parameters of every class.
        estimate : {"bayes", "map", "ml"}
            The estimate.

        Returns
        -------
        Optimum
            Objective, lower bound and violation of the optimality conditions.
        """
        ...

    def doubt(self, X: Rows, seen: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of log p(x | c) over the posterior of the parameters.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, as `statistic` returns them.
        seen : Statistics
            Statistics of all examples.

        Returns
        -------
        mean : ndarray of shape (n_samples, n_classes)
            Means, in nats.
        variance : ndarray of shape (n_samples, n_classes)
            Variances, in squared nats.
        """
        ...


@runtime_checkable
class Straight(Protocol):
    """A distribution whose score needs no parameters in between, which saves time on large tables.

    Examples
    --------
    >>> from deciban.distributions import Bernoulli, Poisson
    >>> isinstance(Bernoulli(), Straight), isinstance(Poisson(), Straight)
    (True, False)
    """

    def straight(self, seen: Any, estimate: str, prior: Floats) -> Score | None:
        """Compile statistics to a score without parameters in between.

        Parameters
        ----------
        seen : Statistics
            Statistics of all examples.
        estimate : {"bayes", "map", "ml"}
            The estimate.
        prior : ndarray of shape (n_classes,)
            Log prior of each class, in nats.

        Returns
        -------
        Score or None
            The score, up to rounding; None where it takes parameters to say what is wrong.
        """
        ...


def fit_score(family: Distribution, seen: Any, estimate: str, prior: Floats) -> Score:
    """Compile the statistics of a distribution to its score, by the shortest way.

    Parameters
    ----------
    family : Distribution
        The distribution.
    seen : Statistics
        Statistics of all examples.
    estimate : {"bayes", "map", "ml"}
        The estimate.
    prior : ndarray of shape (n_classes,)
        Log prior of each class, in nats.

    Returns
    -------
    Score
        The score.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.distributions import Bernoulli
    >>> seen = Bernoulli().count(np.array([[1], [0]]), np.array([0, 1]), None, 2)
    >>> fit_score(Bernoulli(), seen, "bayes", np.zeros(2))(np.array([[1.0]])).round(3).tolist()
    [[-0.405, -1.099]]
    """
    short = family.straight(seen, estimate, prior) if isinstance(family, Straight) else None
    return family.score(family.parameters(seen, estimate), prior) if short is None else short


class Family(Distribution, Protocol):
    """A distribution of one type of feature, which a name and a number of pseudo-counts describe.

    Attributes
    ----------
    name : str
        Name of the distribution.
    missing : bool
        Whether a feature may be missing, NaN; it is then left out of statistics, score and posterior.

    Examples
    --------
    >>> from deciban.distributions import Bernoulli
    >>> Bernoulli.symmetric(0.5)
    Bernoulli(alpha=0.5, beta=0.5, binarize=None)
    """

    @classmethod
    def symmetric(cls, alpha: float) -> Self:
        """Return the distribution whose prior treats all outcomes alike.

        Parameters
        ----------
        alpha : float
            Pseudo-count of each outcome.

        Returns
        -------
        Family
            The distribution.
        """
        ...
