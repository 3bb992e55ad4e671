"""Evaluation: errors with intervals, comparisons, costs, thresholds, conformal sets and label errors.

Each name is loaded when first used. `deciban.find_label_errors` looks for labels that are probably wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deciban.lazy import lazy_attributes

if TYPE_CHECKING:
    from .conformal import Conformal as Conformal
    from .conformal import Coverage as Coverage
    from .conformal import examples_needed as examples_needed
    from .costs import Costs as Costs
    from .costs import CostThreshold as CostThreshold
    from .costs import Paid as Paid
    from .evaluation import Evaluation as Evaluation
    from .evaluation import evaluate as evaluate
    from .judgements import Judgements as Judgements
    from .thresholds import RateThreshold as RateThreshold
    from .thresholds import cheapest as cheapest
    from .thresholds import negatives_needed as negatives_needed
    from .thresholds import rate_threshold as rate_threshold

_HOME = {
    "Conformal": ".conformal",
    "CostThreshold": ".costs",
    "Costs": ".costs",
    "Coverage": ".conformal",
    "Evaluation": ".evaluation",
    "Judgements": ".judgements",
    "Paid": ".costs",
    "RateThreshold": ".thresholds",
    "cheapest": ".thresholds",
    "evaluate": ".evaluation",
    "examples_needed": ".conformal",
    "negatives_needed": ".thresholds",
    "rate_threshold": ".thresholds",
}

__all__ = list(_HOME)

__getattr__, __dir__ = lazy_attributes(__name__, _HOME)
