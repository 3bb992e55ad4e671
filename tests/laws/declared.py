"""Linear classifiers as declared, for the laws, and clouds of points for them."""

import numpy as np
import pytest
from hypothesis import Phase
from hypothesis import strategies as st

from deciban import NBSVM, LeastSquaresClassifier, LinearSVM, LogisticRegression, Perceptron
from tiers import examples, measured_examples

seeds = st.integers(0, 2**32 - 1)
few = examples(1, phases=[Phase.generate])
measured = measured_examples(1, phases=[Phase.generate])

LOGISTIC = {
    "logistic-l2": {},
    "logistic-dual": {"solver": "dual-coordinate", "multi_class": "ovr"},
    "logistic-coordinate": {"solver": "coordinate", "multi_class": "ovr"},
    "logistic-l1": {"penalty": "l1"},
    "logistic-elastic-net": {"penalty": "elasticnet", "l1_ratio": 0.3},
    "logistic-none": {"penalty": None},
    "logistic-ovr": {"multi_class": "ovr"},
    "logistic-softmax": {"multi_class": "softmax", "solver": "newton"},
}
SVM = {
    "svm-hinge": {"C": 0.1},
    "svm-squared-hinge": {"loss": "squared_hinge"},
    "svm-squared-hinge-dual": {"loss": "squared_hinge", "solver": "dual-coordinate"},
}
BAYES = {
    "nbsvm-logistic": {},
    "nbsvm-paper": {"loss": "squared_hinge", "pull": 0.0, "interpolation": 0.25, "C": 1.0},
    "nbsvm-counts": {"binary": False},
    "nbsvm-hinge": {"loss": "hinge"},
}
KINDS = {
    **{name: (LogisticRegression, options) for name, options in LOGISTIC.items()},
    **{name: (LinearSVM, options) for name, options in SVM.items()},
    **{name: (NBSVM, options) for name, options in BAYES.items()},
}
OTHERS = {"perceptron": (Perceptron, {}), "least-squares": (LeastSquaresClassifier, {})}
EVERY = {**KINDS, **OTHERS}
# All but NBSVM, whose ratios r are of how often examples came: a class weight is no repetition to them, only a price.
PRICED_BY_REPETITION = {name: declared for name, declared in EVERY.items() if name not in BAYES}
# All but NBSVM, to which a feature of 0 is absent: where a column begins is what naive Bayes counts.
WITHOUT_ORIGIN = {name: declared for name, declared in EVERY.items() if name not in BAYES}


def over(*names, of=EVERY):
    """The law is asked of each of these models, or of all."""
    return pytest.mark.parametrize("name", names or list(of))


def model(name, **more):
    """A new model; minimisers are asked for more digits than by default."""
    family, options = EVERY[name]
    tight = {"tol": 1e-5 if name in BAYES else 1e-7, "max_iter": 5000} if name in KINDS else {}
    return family(**{**tight, **options, **more})


def clouds(seed, N=40, d=4, C=2, apart=2.5):
    """X (N, d) of halves ≥ 0, a third of them 0, and y (N,): classes that overlap."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(N) % C)
    centres = 1.0 + apart * random.random((C, d))
    X = np.round(2.0 * np.abs(centres[y] + random.normal(size=(N, d)))) / 2.0
    return X * (random.random((N, d)) < 2.0 / 3.0), y


def weights(seed, N):
    """(N,) whole numbers from 1 to 3."""
    return np.random.default_rng(seed).integers(1, 4, N).astype(float)


def weights_of(fitted):
    """(K, d) the weights of the score, for x or, in NBSVM, for f."""
    return fitted.weights_ if isinstance(fitted, NBSVM) else fitted.coef_
