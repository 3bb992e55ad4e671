"""What a class looks like: distributions that are learnt by counting, and the form in which they score.

A new one is a file beside these: a frozen dataclass that satisfies `Distribution`, added to `CATALOGUE`,
where every law of the tests finds it.
"""

from __future__ import annotations

from typing import Any

from ..data.refusal import StatisticError
from .bernoulli import Bernoulli
from .categorical import Categorical
from .counts import Counts, Statistics
from .distribution import Distribution, Family, Straight, fit_score
from .gaussian import Gaussian
from .mixed import Mixed
from .multinomial import Complement, Multinomial
from .poisson import Poisson

CATALOGUE: tuple[type[Family], ...] = (Bernoulli, Categorical, Multinomial, Complement, Poisson, Gaussian)


def by_name(name: object) -> type[Any]:
    """Return the distribution of a name.

    Parameters
    ----------
    name : {"bernoulli", "categorical", "multinomial", "complement", "poisson", "gaussian"}
        Name in `CATALOGUE`.

    Returns
    -------
    type
        The class of the distribution.

    Raises
    ------
    ValueError
        If there is none of this name; the message lists their names.

    Examples
    --------
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
    "fit_score",
]
