"""What a .deciban file may be made of: the estimators, and the types of what they have learnt.

A file names types by their names here. Nothing else is ever made of what a file says, so that a stranger's file is only
data.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

ESTIMATORS = {
    "CalibratedClassifier",
    "GaussianDiscriminant",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LinearSVM",
    "LinearSVR",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "MutualInformation",
    "NBSVM",
    "NaiveBayes",
    "Nystroem",
    "OneClassSVM",
    "Perceptron",
    "RandomFourier",
    "SVM",
    "SVMRegressor",
    "TextClassifier",
    "TextVectorizer",
    "TfidfTransformer",
}
"""Every public estimator; `deciban` knows where it is."""

LAYOUTS = {
    "MLPClassifier": "mlp.stored",
    "MLPRegressor": "mlp.stored",
    "NaiveBayes": "models.stored",
    "OneClassSVM": "kernel_machines.stored",
    "SVM": "kernel_machines.stored",
    "SVMRegressor": "kernel_machines.stored",
    "TextClassifier": "text.stored",
}
"""Those with a layout of their own, and the module that writes it (`header_of`, `arrays_of`) and reads it (`restore`).
The files of the others hold their attributes, as `state` writes them."""

_PARTS = {
    "calibration.beta": "Bend",
    "calibration.calibrator": "Beta Isotonic Platt Temperature",
    "calibration.choice": "CandidateLoss",
    "calibration.feedback": "Feedback FeedbackLoss",
    "calibration.isotonic": "Monotone",
    "calibration.platt": "Line",
    "calibration.scaling": "Scaling",
    "certificates.bound": "Bound Probabilities",
    "certificates.certificate": "Certificate",
    "distributions.bernoulli": "Bernoulli",
    "distributions.categorical": "Categorical CategoryCounts",
    "distributions.counts": "Counts",
    "distributions.covariance": "Joint",
    "distributions.diagonal_gaussian": "Diagonal DiagonalGaussian",
    "distributions.gaussian": "Gaussian",
    "distributions.joint_gaussian": "JointGaussian",
    "distributions.moments": "Moments",
    "distributions.multinomial": "Complement Multinomial",
    "distributions.poisson": "Poisson",
    "distributions.scatter": "ClassScatter PooledScatter PowerSums",
    "features.deviation": "Deviation",
    "kernels.custom": "Precomputed",
    "kernels.dot_product": "Linear Polynomial Tanh",
    "kernels.kernel": "Product Sum",
    "kernels.pairwise": "AdditiveChiSquared ChiSquared Cosine Laplacian",
    "kernels.radial": "Gaussian Multiquadric RBF Wave",
    "kernels.spectrum": "Spectrum",
    "losses.margins": "Hinge Logistic Perceptron SquaredHinge ZeroOne",
    "losses.residuals": "Absolute EpsilonInsensitive Huber Squared SquaredEpsilonInsensitive",
    "models.least_squares": "FittedLines",
    "models.zones": "Zones",
    "scores.affine": "AffineScore",
    "scores.quadratic": "QuadraticScore",
    "solvers.closed_form": "Fit",
    "solvers.online": "Online",
    "solvers.perceptron": "Separation State",
    "solvers.problem": "Solution Status Step",
    "text.bucket_words": "BucketWords",
    "text.packed_names": "PackedNames",
    "text.vocabulary": "CoreColumns HashedTokens TokenColumns",
}


def estimator(name: str) -> Any:
    """Return the estimator of this name; KeyError where there is none."""
    if name not in ESTIMATORS:
        raise KeyError(name)
    return getattr(import_module("deciban"), name)


def layout(name: str) -> Any:
    """Return the module that writes and reads files of this estimator; None where `state` does."""
    return import_module(f"deciban.{LAYOUTS[name]}") if name in LAYOUTS else None


def part_name(kind: type) -> str | None:
    """Return the name of a type in files; None for a type that files do not hold."""
    module = kind.__module__.removeprefix("deciban.")
    return _qualify(module, kind.__name__) if kind.__name__ in _PARTS.get(module, "").split() else None


def part(name: str) -> Any:
    """Return the type of this name; KeyError where there is none."""
    module, own = _homes()[name]
    return getattr(import_module(f"deciban.{module}"), own)


@cache
def _homes() -> dict[str, tuple[str, str]]:
    """Return of each name in files the module and the name there."""
    return {_qualify(module, name): (module, name) for module, names in _PARTS.items() for name in names.split()}


def _qualify(module: str, name: str) -> str:
    """Return the name of a type in files: kernels and losses share theirs with distributions and models."""
    kind = {"kernels": "kernel ", "losses": "loss "}.get(module.partition(".")[0], "")
    return kind + name
