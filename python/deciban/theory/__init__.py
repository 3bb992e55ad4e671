"""Theory: what errors to expect, and when to believe them.

Each name is loaded when first used; none but those that fit models loads scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deciban.lazy import lazy_attributes

if TYPE_CHECKING:
    from .capacity import dichotomies as dichotomies
    from .capacity import dimension as dimension
    from .capacity import growth as growth
    from .capacity import separable as separable
    from .capacity import vc as vc
    from .expected_errors import BiasVariance as BiasVariance
    from .expected_errors import ExpectedErrors as ExpectedErrors
    from .expected_errors import LearningCurve as LearningCurve
    from .expected_errors import bias_variance as bias_variance
    from .expected_errors import learning_curve as learning_curve
    from .expected_errors import linear_regression_expected_error as linear_regression_expected_error
    from .finite_classes import binomial as binomial
    from .finite_classes import hoeffding as hoeffding
    from .statement import Statement as Statement
    from .support_vector_bounds import compression as compression
    from .support_vector_bounds import normalised_margins as normalised_margins
    from .support_vector_bounds import pac_bayes as pac_bayes
    from .support_vector_bounds import support_vectors as support_vectors

_HOME = {
    "BiasVariance": ".expected_errors",
    "ExpectedErrors": ".expected_errors",
    "LearningCurve": ".expected_errors",
    "Statement": ".statement",
    "bias_variance": ".expected_errors",
    "binomial": ".finite_classes",
    "compression": ".support_vector_bounds",
    "dichotomies": ".capacity",
    "dimension": ".capacity",
    "growth": ".capacity",
    "hoeffding": ".finite_classes",
    "learning_curve": ".expected_errors",
    "linear_regression_expected_error": ".expected_errors",
    "normalised_margins": ".support_vector_bounds",
    "pac_bayes": ".support_vector_bounds",
    "separable": ".capacity",
    "support_vectors": ".support_vector_bounds",
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
