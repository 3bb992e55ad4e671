"""Plants label errors, and counts which of them are found: docs/suspects.md.

python benchmarks/studies/suspects.py

The data are read from where the benchmarks read theirs. Where cleanlab is installed (`pip install cleanlab`), it
searches, too.
"""

from __future__ import annotations

from typing import Any

from data_sets import SEED
from recording import record, report
from suspects_cases import FOLDS, RATES, SETS, cleanlab_version, searched


def measure() -> dict[str, Any]:
    """Every model on every set, for each share of errors."""
    sets = {}
    for name, (load, models) in SETS.items():
        X, y = load()
        found = sets[name] = {"examples": len(y), "models": {model: {} for model in models}}
        for model, make in models.items():
            for rate in RATES:
                each = found["models"][model][f"{100 * rate:g} %"] = searched(make, X, y, rate)
                report(name, model, rate, each)
    return {"folds": FOLDS, "seed": SEED, "cleanlab": cleanlab_version, "sets": sets}


if __name__ == "__main__":
    record(__file__, measure)
