"""Fits the kernel machines that docs/kernel.md shows, and draws docs/kernel.svg, one of them.

python benchmarks/studies/kernel.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from recording import draw, record

from deciban import SVM
from deciban.report import decision_regions

POINTS, SIDES = [[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]], [1, 1, 1, -1, -1]
"""The textbook's five points."""


def simulated(n: int = 160) -> tuple[Any, Any]:
    """Two bent clouds that overlap a little."""
    r = np.random.default_rng(11)
    y, turn = np.arange(n) % 2, np.pi * r.random(n)
    X = np.column_stack([np.cos(turn), np.sin(turn)]) * np.where(y, 1.0, -1.0)[:, None]
    X += np.where(y, -0.5, 0.5)[:, None] * [1.0, 0.4] + 0.22 * r.normal(size=X.shape)
    return 10.0 + 3.0 * X, np.array(["ash", "birch"])[y]


def measure() -> dict[str, Any]:
    """A soft margin around bent clouds, and the hard margin between five points."""
    X, y = simulated()
    model = SVM(C=3.0, calibration=None).fit(X, y)
    draw("kernel.svg", decision_regions(model, X, y, names=["width", "length"]))
    street = SVM("linear", C=np.inf, calibration=None).fit(np.array(POINTS), SIDES)
    zones = model.zones_[0]
    return {
        "n": len(y),
        "C": model.C,
        "zones": {name: int(getattr(zones, name)) for name in ("outside", "on", "inside", "wrong", "support")},
        "gap": model.certificate_.relative_gap,
        "street": {
            "w": street.coef_[0],
            "b": street.intercept_[0],
            "support": len(street.support_),
            "margin": street.margin_[0],
        },
    }


if __name__ == "__main__":
    record(__file__, measure)
