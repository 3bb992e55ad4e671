"""Writes docs/compare.md and its picture: generative beside discriminative models, and every family on every set.

python docs/compare.py            # the learning curves measured anew, about two minutes
python docs/compare.py --told     # written anew from what was measured last

The data are read from where the benchmarks read theirs; without them nothing is written. The second part is told from
the newest record of `python benchmarks/compare.py --record`.
"""

from __future__ import annotations

import json
import sys

from compare_cases import PROBLEMS, curves
from compare_efficiency import DISTANCES, measured
from compare_page import HERE, NUMBERS, PICTURE, figure, numbers, record, seen, written
from data_sets import MissingError

from deciban.report import svg


def measure() -> None:
    """Write compare.json."""
    found = {}
    for name, problem in PROBLEMS.items():
        found[name] = curves(problem)
        print(f"{name}: {found[name].to_json()}", file=sys.stderr, flush=True)
    told = {
        "curves": {name: each.to_json() for name, each in found.items()},
        "efficiencies": [measured(distance).to_json() for distance in DISTANCES],
    }
    NUMBERS.write_text(json.dumps(told, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        if "--told" not in sys.argv[1:]:
            measure()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    everything = seen(numbers())
    (HERE / "compare.md").write_text(written(everything, record()), encoding="utf-8")
    (HERE / PICTURE).write_text(svg(figure(everything)), encoding="utf-8")
