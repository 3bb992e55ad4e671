"""Classifiers that weigh evidence and show their weighing.

    data → features → model → score → calibration → decision → verdict with evidence

Names are loaded when first used, so that `import deciban` costs nothing and judging one message never
loads what only training needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attached import HOMES
from .lazy import lazy_attributes

if TYPE_CHECKING:
    from . import calibration as calibration
    from . import distributed as distributed
    from . import distributions as distributions
    from . import errors as errors
    from . import evaluation as evaluation
    from . import export as export
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
    from . import verdict as verdict
    from .artifact.loading import load as load
    from .calibrated.classifier import CalibratedClassifier as CalibratedClassifier
    from .evaluation.compare import compare as compare
    from .evaluation.importance import evidence_importance as evidence_importance
    from .evaluation.label_errors import find_label_errors as find_label_errors
    from .evaluation.stability import explanation_stability as explanation_stability
    from .export.onnx_file import to_onnx as to_onnx
    from .features.mutual_information import MutualInformation as MutualInformation
    from .features.nystroem import Nystroem as Nystroem
    from .features.random_fourier import RandomFourier as RandomFourier
    from .features.tfidf import TfidfTransformer as TfidfTransformer
    from .kernel_machines.libsvm import load_libsvm as load_libsvm
    from .kernel_machines.libsvm import save_libsvm as save_libsvm
    from .kernel_machines.one_class import OneClassSVM as OneClassSVM
    from .kernel_machines.regressor import SVMRegressor as SVMRegressor
    from .kernel_machines.svm import SVM as SVM
    from .mail.filter import Filter as Filter
    from .mlp.classifier import MLPClassifier as MLPClassifier
    from .mlp.regressor import MLPRegressor as MLPRegressor
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
    from .solvers.quadratic_programme import QP as QP
    from .text.classifier import TextClassifier as TextClassifier
    from .text.vectorizer import TextVectorizer as TextVectorizer

__version__ = "0.1.0"

_HOME = {
    "CalibratedClassifier": ".calibrated.classifier",
    "Filter": ".mail.filter",
    "GaussianDiscriminant": ".models.discriminant",
    "HatMatrix": ".models.hat",
    "LeastSquaresClassifier": ".models.least_squares_classifier",
    "LinearRegression": ".models.least_squares",
    "LinearSVM": ".models.linear_svm",
    "LinearSVR": ".models.linear_svr",
    "LogisticRegression": ".models.logistic",
    "MLPClassifier": ".mlp.classifier",
    "MLPRegressor": ".mlp.regressor",
    "MutualInformation": ".features.mutual_information",
    "NBSVM": ".models.nbsvm",
    "NaiveBayes": ".models.naive_bayes",
    "Nystroem": ".features.nystroem",
    "OneClassSVM": ".kernel_machines.one_class",
    "Perceptron": ".models.perceptron",
    "QP": ".solvers.quadratic_programme",
    "RandomFourier": ".features.random_fourier",
    "SVM": ".kernel_machines.svm",
    "SVMRegressor": ".kernel_machines.regressor",
    "TextClassifier": ".text.classifier",
    "TextVectorizer": ".text.vectorizer",
    "TfidfTransformer": ".features.tfidf",
    "compare": ".evaluation.compare",
    "evidence_importance": ".evaluation.importance",
    "load": ".artifact.loading",
    "load_libsvm": ".kernel_machines.libsvm",
    "save_libsvm": ".kernel_machines.libsvm",
    "explanation_stability": ".evaluation.stability",
    "path": ".models.path",
    "find_label_errors": ".evaluation.label_errors",
    "to_onnx": ".export.onnx_file",
}

__all__ = sorted(_HOME)

# `deciban.theory` is there without an import of its own.
_MODULES = (
    "artifact",
    "calibrated",
    "calibration",
    "certificates",
    "data",
    "distributed",
    "distributions",
    "errors",
    "evaluation",
    "export",
    "features",
    "kernel_machines",
    "kernel_solvers",
    "kernels",
    "losses",
    "mail",
    "mlp",
    "models",
    "networks",
    "pages",
    "penalties",
    "report",
    "scores",
    "solvers",
    "store",
    "table_models",
    "tables",
    "text",
    "theory",
    "verdict",
)

HOMES.update(
    {
        "bounds": ("deciban.certificates.guarantees", "bounds"),
        "html of a certificate": ("deciban.pages.page", "of_certificate"),
        "html of an evaluation": ("deciban.pages.page", "of_evaluation"),
        "html of an explanation": ("deciban.pages.page", "of_explanation"),
        "page of a comparison": ("deciban.pages.compared", "report"),
        "report": ("deciban.pages.judged", "report"),
        "save": ("deciban.artifact.saving", "save"),
        "label errors": ("deciban.evaluation.label_errors", "find_label_errors"),
        "text of a comparison": ("deciban.report.comparison", "in_words"),
        "text of columns": ("deciban.report.terminal", "format_columns"),
    }
)
__getattr__, __dir__ = lazy_attributes(__name__, _HOME, _MODULES)
