"""What people read: explanations, evaluations and models, for the terminal, as pictures and as pages.

Figures of models, `decision_regions`, `regression_tube` and `learning_curves`, of what models said of examples that
they had not learnt, `confusion_matrix`, `roc_curve`, `precision_recall_curve`, `cost_curve`, `reliability_diagram` and
`error_curve`, and of models side by side, `comparison_curves`, are drawn with Matplotlib (`deciban[report]`); `svg`
writes them. They are loaded when first used: the terminal needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deciban.lazy import lazy_attributes

if TYPE_CHECKING:
    from .by_size import comparison_curves as comparison_curves
    from .by_size import error_curve as error_curve
    from .confusion import confusion_matrix as confusion_matrix
    from .costs import cost_curve as cost_curve
    from .curves import learning_curves as learning_curves
    from .ranking import precision_recall_curve as precision_recall_curve
    from .ranking import roc_curve as roc_curve
    from .regions import decision_regions as decision_regions
    from .reliability import reliability_diagram as reliability_diagram
    from .tube import regression_tube as regression_tube
    from .vector import svg as svg

_HOME = {
    "comparison_curves": ".by_size",
    "confusion_matrix": ".confusion",
    "cost_curve": ".costs",
    "decision_regions": ".regions",
    "error_curve": ".by_size",
    "learning_curves": ".curves",
    "precision_recall_curve": ".ranking",
    "regression_tube": ".tube",
    "reliability_diagram": ".reliability",
    "roc_curve": ".ranking",
    "svg": ".vector",
}

__all__ = [
    "comparison_curves",
    "confusion_matrix",
    "cost_curve",
    "decision_regions",
    "error_curve",
    "learning_curves",
    "precision_recall_curve",
    "regression_tube",
    "reliability_diagram",
    "roc_curve",
    "svg",
]

__getattr__, __dir__ = lazy_attributes(__name__, _HOME)
