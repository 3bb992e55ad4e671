"""Values of docs/studies/kernel.md beside the numbers of benchmarks/studies/kernel.json: the solvers, as they are."""

from __future__ import annotations

from typing import Any

from deciban.kernel_solvers import TABLE


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the solvers in the order in which they are tried, and a check of the zones."""
    zones = numbers["zones"]
    w, margin = numbers["street"]["w"], numbers["street"]["margin"]
    return {
        "solvers": [(name, why) for name, why, *_ in TABLE],
        "counted": zones["outside"] + zones["on"] + zones["inside"] + zones["wrong"],
        "ringed": zones["on"] + zones["inside"] + zones["wrong"],
        "width": margin * sum(each**2 for each in w) ** 0.5,
    }
