"""Classifiers that weigh evidence and show their weighing.

    data → features → model → score → calibration → decision → verdict with evidence

Names are loaded when first used, so that `import deciban` costs nothing and judging one message never
loads what only training needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lazy import lazy_attributes

if TYPE_CHECKING:
    from . import calibration as calibration
    from . import distributions as distributions
    from . import errors as errors
    from . import features as features
    from . import kernel_machines as kernel_machines
    from . import kernel_solvers as kernel_solvers
    from . import kernels as kernels
    from . import losses as losses
    from . import mail as mail
    from . import models as models
    from . import networks as networks
    from . import pages as pages
    from . import penalties as penalties
    from . import report as report
    from . import scores as scores
    from . import solvers as solvers
    from . import store as store
    from . import tables as tables
    from . import text as text
    from . import theory as theory
    from . import trust as trust
    from . import verdict as verdict
    from .calibration.estimator import Calibrated as Calibrated
    from .features.mutual_information import MutualInformation as MutualInformation
    from .features.nystroem import Nystroem as Nystroem
    from .features.random_fourier import RandomFourier as RandomFourier
    from .features.tfidf import TfidfTransformer as TfidfTransformer
    from .kernel_machines.libsvm import load_libsvm as load_libsvm
    from .kernel_machines.libsvm import save_libsvm as save_libsvm
    from .kernel_machines.one_class import OneClassSVM as OneClassSVM
    from .kernel_machines.regression import SupportVectorRegression as SupportVectorRegression
    from .kernel_machines.svm import SVM as SVM
    from .mail.filter import Filter as Filter
    from .models.discriminant import GaussianDiscriminant as GaussianDiscriminant
    from .models.hat import HatMatrix as HatMatrix
    from .models.least_squares import LinearRegression as LinearRegression
    from .models.least_squares_classifier import LeastSquaresClassifier as LeastSquaresClassifier
    from .models.linear_svm import LinearSVM as LinearSVM
    from .models.linear_svr import LinearSVR as LinearSVR
    from .models.logistic import LogisticRegression as LogisticRegression
    from .models.naive_bayes import NaiveBayes as NaiveBayes
    from .models.nbsvm import NBSVM as NBSVM
    from .models.path import path as path
    from .models.perceptron import Perceptron as Perceptron
    from .networks.mlp import MLP as MLP
    from .networks.regression import MLPRegressor as MLPRegressor
    from .solvers.quadratic_programme import QP as QP
    from .store import load as load
    from .text.classifier import TextClassifier as TextClassifier
    from .text.vectorizer import TextVectorizer as TextVectorizer
    from .trust.compare import compare as compare
    from .trust.importance import importance as importance
    from .trust.stability import stability as stability
    from .trust.suspects import suspects as suspects

__version__ = "0.1.0"

_HOME = {
    "Calibrated": ".calibration.estimator",
    "Filter": ".mail.filter",
    "GaussianDiscriminant": ".models.discriminant",
    "HatMatrix": ".models.hat",
    "LeastSquaresClassifier": ".models.least_squares_classifier",
    "LinearRegression": ".models.least_squares",
    "LinearSVM": ".models.linear_svm",
    "LinearSVR": ".models.linear_svr",
    "LogisticRegression": ".models.logistic",
    "MLP": ".networks.mlp",
    "MLPRegressor": ".networks.regression",
    "MutualInformation": ".features.mutual_information",
    "NBSVM": ".models.nbsvm",
    "NaiveBayes": ".models.naive_bayes",
    "Nystroem": ".features.nystroem",
    "OneClassSVM": ".kernel_machines.one_class",
    "Perceptron": ".models.perceptron",
    "QP": ".solvers.quadratic_programme",
    "RandomFourier": ".features.random_fourier",
    "SVM": ".kernel_machines.svm",
    "SupportVectorRegression": ".kernel_machines.regression",
    "TextClassifier": ".text.classifier",
    "TextVectorizer": ".text.vectorizer",
    "TfidfTransformer": ".features.tfidf",
    "compare": ".trust.compare",
    "importance": ".trust.importance",
    "load": ".store",
    "load_libsvm": ".kernel_machines.libsvm",
    "save_libsvm": ".kernel_machines.libsvm",
    "stability": ".trust.stability",
    "path": ".models.path",
    "suspects": ".trust.suspects",
}

__all__ = [
    "MLP",
    "NBSVM",
    "QP",
    "SVM",
    "Calibrated",
    "Filter",
    "GaussianDiscriminant",
    "HatMatrix",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LinearSVM",
    "LinearSVR",
    "LogisticRegression",
    "MLPRegressor",
    "MutualInformation",
    "NaiveBayes",
    "Nystroem",
    "OneClassSVM",
    "Perceptron",
    "RandomFourier",
    "SupportVectorRegression",
    "TextClassifier",
    "TextVectorizer",
    "TfidfTransformer",
    "compare",
    "importance",
    "load",
    "load_libsvm",
    "path",
    "save_libsvm",
    "stability",
    "suspects",
]

# `deciban.theory` is there without an import of its own.
_MODULES = (
    "calibration",
    "distributions",
    "errors",
    "features",
    "kernel_machines",
    "kernel_solvers",
    "kernels",
    "losses",
    "mail",
    "models",
    "networks",
    "pages",
    "penalties",
    "report",
    "scores",
    "solvers",
    "store",
    "tables",
    "text",
    "theory",
    "trust",
    "verdict",
)

__getattr__, __dir__ = lazy_attributes(__name__, _HOME, _MODULES)
