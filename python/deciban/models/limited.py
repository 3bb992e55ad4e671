"""How long a model may learn, from which seed, and on how many threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.solvers.problem import Limits


class Limited:
    """The parameters that every model with a solver has, checked when they are used."""

    tol: Any
    max_iter: Any
    time_limit: Any
    callback: Any
    random_state: Any
    n_jobs: Any

    def _limits(self) -> Limits:
        tol = check_positive("tol", self.tol)
        iterations = self.max_iter
        if isinstance(iterations, bool) or not isinstance(iterations, int | np.integer) or iterations < 1:
            raise ValueError(f"max_iter must be a whole number from 1, got {iterations!r}")
        limit = None if self.time_limit is None else check_positive("time_limit", self.time_limit)
        return Limits(tol, int(iterations), limit, self.callback)

    def _seed(self) -> int:
        from sklearn.utils import check_random_state

        if self.random_state is None:
            return 0
        if isinstance(self.random_state, int | np.integer):
            if not 0 <= self.random_state < 2**64:
                raise ValueError(f"random_state must be from 0 to 2^64 − 1, got {self.random_state!r}")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _threads(self) -> int | None:
        """On how many threads at most; None: as many as there are."""
        n = self.n_jobs
        if n is None or (isinstance(n, int | np.integer) and n == -1):
            return None
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n_jobs must be None, -1 or a whole number from 1, got {n!r}")
        return int(n)


def check_positive(name: str, value: Any) -> float:
    """`value` as a float, or a ValueError unless it is a number > 0."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not value > 0.0:
        raise ValueError(f"{name} must be a number > 0, got {value!r}")
    return float(value)
