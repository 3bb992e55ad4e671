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
    from .curves import learning_curves as learning_curves
    from .operating_curves import cost_curve as cost_curve
    from .operating_curves import precision_recall_curve as precision_recall_curve
    from .operating_curves import roc_curve as roc_curve
    from .regions import decision_regions as decision_regions
    from .regions import regression_tube as regression_tube
    from .reliability import reliability_diagram as reliability_diagram
    from .vector import svg as svg

_HOME = {
    "comparison_curves": ".by_size",
    "confusion_matrix": ".confusion",
    "cost_curve": ".operating_curves",
    "decision_regions": ".regions",
    "error_curve": ".by_size",
    "learning_curves": ".curves",
    "precision_recall_curve": ".operating_curves",
    "regression_tube": ".regions",
    "reliability_diagram": ".reliability",
    "roc_curve": ".operating_curves",
    "svg": ".vector",
}

__all__ = sorted(_HOME)

__getattr__, __dir__ = lazy_attributes(__name__, _HOME)
