"""What mean squared errors least squares will have, before any data are seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from .statement import Statement, number, whole


@dataclass(frozen=True)
class ExpectedErrors:
    """Expected mean squared errors of least squares on n examples of d features and an intercept; as a number it is
    `out_of_sample`."""

    n: int
    d: int
    noise: float
    in_sample: Statement
    out_of_sample: Statement
    new_normal_inputs: Statement

    def __float__(self) -> float:
        return float(self.out_of_sample)

    @property
    def optimism(self) -> float:
        """E[E_out] − E[E_in] = 2σ²p/N: how much better the fit looks than it is."""
        return float(self.out_of_sample) - float(self.in_sample)

    def __str__(self) -> str:
        parts = ("E_in", self.in_sample), ("E_out", self.out_of_sample), ("E_out, new x", self.new_normal_inputs)
        return "\n".join(f"{name} = {part}" for name, part in parts)


def linear_regression_expected_error(n: int, d: int, noise: float, *, fit_intercept: bool = True) -> ExpectedErrors:
    """The expected errors of least squares where y = f(x) + ε, f linear, ε of mean 0 and variance `noise` = σ².

        E[E_in] = σ² (1 − p/N),     E[E_out] = σ² (1 + p/N),     p = d + 1 (d without intercept)

    E_in is over the N examples learnt, E_out over the same inputs with new noise: both hold for every X of rank p ≤ N.
    For new inputs from one normal distribution, whatever its mean and covariance, E_out is larger, by the
    inverse-Wishart mean: σ² (1 + 1/N)(N − 2)/(N − d − 2) for N > d + 2, or without intercept and about mean 0
    σ² (N − 1)/(N − d − 1) for N > d + 1; it is infinite or unknown below. Breiman & Freedman, JASA 78 (1983).

    >>> errors = linear_regression_expected_error(100, 9, 4.0)
    >>> float(errors.in_sample), float(errors), errors.optimism.__round__(9)
    (3.6, 4.4, 0.8)
    """
    n, d = whole("n", n), whole("d", d, 0)
    if not number(noise) or not 0.0 <= noise < inf:
        raise ValueError(f"noise must be a variance, a finite number ≥ 0, got {noise!r}")
    p = d + 1 if fit_intercept else d
    if n < p:
        raise ValueError(
            f"n={n} examples cannot determine {p} weights, so that neither error has a formula: at least {p} are needed"
        )
    given = f"y = f(x) + ε, f linear in {d} features, Var ε = {noise:g}, errors uncorrelated, X of rank {p}"
    return ExpectedErrors(
        n,
        d,
        float(noise),
        Statement(noise * (1.0 - p / n), f"expected mean squared error on the {n} examples learnt; {given}"),
        Statement(noise * (1.0 + p / n), f"expected mean squared error at the same {n} inputs, new noise; {given}"),
        _new_inputs(n, d, noise, fit_intercept, given),
    )


def _new_inputs(n: int, d: int, noise: float, intercept: bool, given: str) -> Statement:
    free = n - d - 2 if intercept else n - d - 1
    meaning = f"expected mean squared error at new inputs from one normal distribution; {given}"
    if d == 0:
        return Statement(noise * (1.0 + (1.0 / n if intercept else 0.0)), meaning)
    if free <= 0:
        return Statement(inf, f"{meaning}; infinite, as so few examples leave some direction almost unseen")
    value = (1.0 + 1.0 / n) * (n - 2) / free if intercept else (n - 1) / free
    return Statement(noise * value, meaning)
