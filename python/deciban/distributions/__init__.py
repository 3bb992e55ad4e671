"""What a class looks like: distributions that are learnt by counting, and the form in which they score.

A new one is a file beside these: a frozen dataclass that satisfies `Distribution`, added to `CATALOGUE`,
where every law of the tests finds it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from numpy.typing import NDArray

from deciban.scores import Score

from ..data.refusal import StatisticError
from .bernoulli import Bernoulli
from .categorical import Categorical
from .complement import Complement
from .counts import Counts, Floats, Statistics
from .gaussian import Gaussian
from .mixed import Mixed
from .multinomial import Multinomial
from .poisson import Poisson
from .shares import Optimum


class Distribution(Protocol):
    """p(x | c), features independent: statistics that add, parameters from them, a score from those.

    Statistics and parameters are the distribution's own; whoever holds them only adds, subtracts and hands them back.
    """

    name: ClassVar[str]
    # Whether a feature may be missing, NaN, and is then left out of statistics, score and doubt.
    missing: ClassVar[bool]

    def statistic(self, X: Any) -> Any:
        """T(X) (N, d): what the score takes; `StatisticError` for X outside the support."""
        ...

    def count(self, X: Any, y: NDArray[Any], weight: Floats | None, C: int) -> Any:
        """The sufficient statistics of X (N, d) with class indices y (N,) and weights (N,), None for 1 each."""
        ...

    def check_counts(self, seen: Any) -> None:
        """Raise `StatisticError` if no data has these statistics."""
        ...

    def parameters(self, seen: Any, estimate: str) -> Any:
        """φ by estimate "bayes" (posterior mean or predictive), "map" (posterior mode) or "ml" (raw ratio)."""
        ...

    def score(self, parameters: Any, prior: Floats) -> Score:
        """log p(x | c) + prior_c as a score of T(x), up to what is the same for every class."""
        ...

    def log_density(self, X: Any, parameters: Any) -> Floats:
        """(N, C) log p(x | c) from the definition: slow, obvious, for the laws."""
        ...

    def optimum(self, seen: Any, parameters: Any, estimate: str) -> Optimum:
        """How far the parameters are from the minimum of the objective behind `estimate`."""
        ...

    def doubt(self, X: Any, seen: Any) -> tuple[Floats, Floats]:
        """(N, C) mean and variance of log p(x | c) over the posterior of the parameters, X as `statistic` gives it."""
        ...


@runtime_checkable
class Straight(Protocol):
    """A distribution whose score needs no parameters in between, which large tables feel."""

    def straight(self, seen: Any, estimate: str, prior: Floats) -> Score | None:
        """What `score` makes of `parameters`, up to rounding; None where it takes these to say what is wrong."""
        ...


def fitted_score(family: Distribution, seen: Any, estimate: str, prior: Floats) -> Score:
    """The score of the distribution that these statistics stand for, by the shortest way there is."""
    short = family.straight(seen, estimate, prior) if isinstance(family, Straight) else None
    return family.score(family.parameters(seen, estimate), prior) if short is None else short


class Family(Distribution, Protocol):
    """A distribution of one kind of feature, which a name and a number of pseudo-counts describe."""

    @classmethod
    def symmetric(cls, alpha: float) -> Self:
        """The distribution whose prior treats all outcomes alike, alpha pseudo-counts each."""
        ...


CATALOGUE: tuple[type[Family], ...] = (Bernoulli, Categorical, Multinomial, Complement, Poisson, Gaussian)


def by_name(name: Any) -> type[Any]:
    """The member of the catalogue called `name`; a ValueError lists the names there are.

    >>> by_name("bernoulli")()
    Bernoulli(alpha=1.0, beta=1.0, binarize=None)
    """
    for family in CATALOGUE:
        if isinstance(name, str) and family.name == name:
            return family
    known = ", ".join(repr(family.name) for family in CATALOGUE)
    raise ValueError(f"likelihood must be one of {known}, got {name!r}")


__all__ = [
    "CATALOGUE",
    "Bernoulli",
    "Categorical",
    "Complement",
    "Counts",
    "Distribution",
    "Family",
    "Gaussian",
    "Mixed",
    "Multinomial",
    "Poisson",
    "StatisticError",
    "Statistics",
    "Straight",
    "by_name",
    "fitted_score",
]
