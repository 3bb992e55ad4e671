"""What models of texts are compared and smoothed by unless one says otherwise, known before any model is loaded."""

from __future__ import annotations

from ..data.text_layout import NAIVE_BAYES
from .settings import Kind

SIMPLEST_FIRST = (NAIVE_BAYES, "nbsvm", "logistic", "svm")
"""What is tried, in this order."""
FEWEST = 200
"""Of fewer items, a fifth says too little: naive Bayes learns them, untried, with the pseudo-count of all."""
ALPHA: dict[Kind, float] = {"text": 0.3, "mail": 0.02}
"""The pseudo-count of a word in naive Bayes, before texts tell which suits them."""
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Those that texts choose from."""
