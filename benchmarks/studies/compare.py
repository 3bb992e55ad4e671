"""Measures generative beside discriminative models over the number of examples: docs/compare.md.

python benchmarks/studies/compare.py

The data are read from where the benchmarks read theirs. The second part of the page is told from the newest record of
`python benchmarks/compare.py --record`.
"""

from __future__ import annotations

from typing import Any

from compare_cases import PROBLEMS, curves
from compare_efficiency import DISTANCES, EXAMPLES, FEATURES, REPEATS, measured
from recording import record, report


def measure() -> dict[str, Any]:
    """Learning curves of all problems, and what assuming normal classes is worth."""
    found = {}
    for name, problem in PROBLEMS.items():
        found[name] = curves(problem)
        report(name, found[name])
    efficiencies = {f"{distance:g}": measured(distance) for distance in DISTANCES}
    about = {"examples": EXAMPLES, "features": FEATURES, "repeats": REPEATS}
    return {"curves": found, "efficiency": {**about, "distances": efficiencies}}


if __name__ == "__main__":
    record(__file__, measure)
