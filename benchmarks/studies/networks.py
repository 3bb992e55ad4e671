"""Computes a network by hand, and trains those that docs/networks.md tells of; draws the pictures of the page.

python benchmarks/studies/networks.py
"""

from __future__ import annotations

from typing import Any

import networks_cases as cases
from networks_runs import everything
from recording import draw, record


def by_hand() -> dict[str, Any]:
    """One network with numbers, and of each weight its slope by hand, by the code, and by finite differences."""
    hand = cases.by_hand()
    return {**hand._asdict(), "weights": cases.compared(hand), "agree": cases.AGREE, "networks": cases.catalogue()}


def measure() -> dict[str, Any]:
    """All numbers; the pictures take the trained networks, and are drawn here."""
    known, pictures = everything()
    for name, figure in pictures.items():
        draw(name, figure)
    return {"hand": by_hand(), **known}


if __name__ == "__main__":
    record(__file__, measure)
