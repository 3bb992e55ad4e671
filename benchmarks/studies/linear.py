"""Measures every linear model on real data, beside scikit-learn's counterpart: docs/linear.md.

python benchmarks/studies/linear.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from typing import Any

import side_by_side
from linear_cases import ITERATIONS, PASSES, SETS
from recording import record


def measure() -> dict[str, Any]:
    """All sets, and how long the solvers of either side may go on."""
    return {**side_by_side.measure(SETS), "passes": PASSES, "iterations": ITERATIONS}


if __name__ == "__main__":
    record(__file__, measure)
