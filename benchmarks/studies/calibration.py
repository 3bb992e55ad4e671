"""Measures what probabilities are worth before and after calibration: docs/calibration.md.

python benchmarks/studies/calibration.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from typing import Any

import sklearn
from calibration_cases import BINS, LEARNT, MOST, PIECE, SETS, compared, followed
from data_sets import HELD_OUT, SEED
from recording import record, report

from deciban.calibration import CATALOGUE

HALF_LIVES = {"half-life 1,000": 1000.0, "all alike": None}


def held_out() -> dict[str, Any]:
    """Every model of every set, by all methods."""
    found = {}
    for name, (load, models) in SETS.items():
        split = load()
        rows = {}
        for model, (make, view) in models.items():
            rows[model] = compared(make, view(split))
            report(name, model, rows[model])
        found[name] = {"learnt": len(split[1]), "held_out": len(split[3]), "models": rows}
    return found


def feedback() -> dict[str, Any]:
    """What a message of the stream costs by each method, by whether the calibrator is told what messages were."""
    methods: dict[str, Any] = {}
    told = 0.0
    for method in CATALOGUE:
        for how, half_life in HALF_LIVES.items():
            suffered = followed(method, half_life).suffered_
            assert suffered is not None
            told = suffered.n
            methods.setdefault(method, {"none": suffered.frozen})[how] = suffered.log_loss
        report(method, methods[method])
    return {"learnt": LEARNT, "told": round(told), "piece": PIECE, "methods": methods}


def measure() -> dict[str, Any]:
    """Examples held out, and a stream."""
    about = {"seed": SEED, "held_out": HELD_OUT, "most": MOST, "bins": BINS, "scikit_learn": sklearn.__version__}
    return {**about, "sets": held_out(), "feedback": feedback()}


if __name__ == "__main__":
    record(__file__, measure)
