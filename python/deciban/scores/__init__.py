"""Scores: the one thing that prediction, explanation and serving see of a model. None loads SciPy or scikit-learn."""

from ..verdict import Explanation, Term
from .affine import AffineScore
from .categorical import CategoricalScore
from .columns import ColumnScore, join_scores
from .evidence import VOLUME, Score, Terms, log_posterior, posterior
from .independent import IndependentScore
from .kernel import KernelScore
from .network import NetworkScore
from .pairwise import PairwiseScore
from .predictive import PredictiveScore
from .scaled import ScaledScore, scale_score

__all__ = [
    "VOLUME",
    "AffineScore",
    "CategoricalScore",
    "ColumnScore",
    "Explanation",
    "IndependentScore",
    "KernelScore",
    "NetworkScore",
    "PairwiseScore",
    "PredictiveScore",
    "ScaledScore",
    "Score",
    "Term",
    "Terms",
    "join_scores",
    "log_posterior",
    "posterior",
    "scale_score",
]
