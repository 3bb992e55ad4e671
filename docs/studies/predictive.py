"""Values that docs/studies/predictive.md names, from the numbers of benchmarks/studies/predictive.json."""

from __future__ import annotations

from typing import Any

Alphas = dict[str, dict[str, dict[str, float]]]
"""What is measured, by alpha and estimate."""


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return functions of a set and of what is measured."""
    return {"ratios": ratios, "farthest": farthest, "every": every}


def ratios(alphas: Alphas, key: str) -> list[float]:
    """Return what the exact predictive has of it for one of the posterior mean, by alpha."""
    return [both["predictive"][key] / both["bayes"][key] for both in alphas.values()]


def farthest(alphas: Alphas, key: str) -> float:
    """Return by which share the two estimates differ at most."""
    return max(abs(each - 1.0) for each in ratios(alphas, key))


def every(alphas: Alphas, key: str) -> list[float]:
    """Return what both have at every alpha."""
    return [each[key] for both in alphas.values() for each in both.values()]
