"""Theory: what errors to expect, and when to believe them.

Each name is loaded when first used; none but those that fit models loads scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deciban.lazy import lazy_attributes

if TYPE_CHECKING:
    from .capacity import growth as growth
    from .capacity import vc as vc
    from .curves import LearningCurve as LearningCurve
    from .curves import learning_curve as learning_curve
    from .decomposition import BiasVariance as BiasVariance
    from .decomposition import bias_variance as bias_variance
    from .expected_errors import ExpectedErrors as ExpectedErrors
    from .expected_errors import linear_regression_expected_error as linear_regression_expected_error
    from .held_out import binomial as binomial
    from .hyperplanes import dichotomies as dichotomies
    from .hyperplanes import separable as separable
    from .margins import normalised_margins as normalised_margins
    from .margins import pac_bayes as pac_bayes
    from .model_dimension import dimension as dimension
    from .sparsity import compression as compression
    from .sparsity import support_vectors as support_vectors
    from .statement import Statement as Statement
    from .uniform import hoeffding as hoeffding

_HOME = {
    "BiasVariance": ".decomposition",
    "ExpectedErrors": ".expected_errors",
    "LearningCurve": ".curves",
    "Statement": ".statement",
    "bias_variance": ".decomposition",
    "binomial": ".held_out",
    "compression": ".sparsity",
    "dichotomies": ".hyperplanes",
    "dimension": ".model_dimension",
    "growth": ".capacity",
    "hoeffding": ".uniform",
    "learning_curve": ".curves",
    "linear_regression_expected_error": ".expected_errors",
    "normalised_margins": ".margins",
    "pac_bayes": ".margins",
    "separable": ".hyperplanes",
    "support_vectors": ".sparsity",
    "vc": ".capacity",
}

__all__ = [
    "BiasVariance",
    "ExpectedErrors",
    "LearningCurve",
    "Statement",
    "bias_variance",
    "binomial",
    "compression",
    "dichotomies",
    "dimension",
    "growth",
    "hoeffding",
    "learning_curve",
    "linear_regression_expected_error",
    "normalised_margins",
    "pac_bayes",
    "separable",
    "support_vectors",
    "vc",
]

__getattr__, __dir__ = lazy_attributes(__name__, _HOME)
