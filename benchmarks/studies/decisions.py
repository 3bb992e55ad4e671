"""Measures costs, thresholds and conformal sets on real data, and whether what they promise holds: docs/decisions.md.

python benchmarks/studies/decisions.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from typing import Any

from decisions_cases import DRAWN, DRAWS, SETS, SPLITS, UNSURE, heard, held, judge, many_classes, priced
from recording import record, report


def measure() -> dict[str, Any]:
    """Return what every model says of what it has not learnt, and what is decided by that."""
    settings = {}
    for name, (load, models) in SETS.items():
        split = load()
        for model, make in models.items():
            settings[f"{name}, {model}"] = judge(make, split)
            report(name, model)
    news = {"20 Newsgroups, naive-bayes": many_classes()}
    return {
        "drawn": DRAWN,
        "draws": DRAWS,
        "splits": SPLITS,
        "unsure": UNSURE,
        "settings": {name: each.to_json() for name, each in {**settings, **news}.items()},
        "rates": {name: held(each.said) for name, each in settings.items()},
        "costs": {name: priced(each.said) for name, each in settings.items()},
        "sets": {name: heard(each.said) for name, each in {**settings, **news}.items()},
    }


if __name__ == "__main__":
    record(__file__, measure)
