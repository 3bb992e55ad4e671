"""Which adapter substitutes which of scikit-learn's names, and which of its test modules are run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from deciban.text.analysis import vectorizer_class

from . import calibration, discriminant, features, kernel, linear, naive_bayes, networks, pairwise, texts

ADAPTERS: dict[str, tuple[ModuleType, str]] = {
    "naive_bayes": (naive_bayes, "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB"),
    "discriminant_analysis": (discriminant, "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis"),
    "linear_model": (linear, "LogisticRegression LinearRegression Ridge RidgeClassifier Lasso ElasticNet Perceptron"),
    "svm": (kernel, "LinearSVC LinearSVR SVC NuSVC SVR NuSVR OneClassSVM"),
    "neural_network": (networks, "MLPClassifier MLPRegressor"),
    "calibration": (calibration, "CalibratedClassifierCV"),
    "kernel_approximation": (kernel, "Nystroem RBFSampler"),
    "metrics.pairwise": (
        pairwise,
        "linear_kernel polynomial_kernel sigmoid_kernel rbf_kernel laplacian_kernel chi2_kernel cosine_similarity",
    ),
    "feature_selection": (features, "mutual_info_classif"),
    "feature_extraction.text": (texts, "CountVectorizer HashingVectorizer TfidfVectorizer TfidfTransformer"),
}
"""Public module of scikit-learn → the adapters, and the names that they substitute there."""

MODULES = (
    "tests/test_naive_bayes",
    "tests/test_discriminant_analysis",
    "tests/test_calibration",
    "tests/test_kernel_approximation",
    "linear_model/tests/test_base",
    "linear_model/tests/test_coordinate_descent",
    "linear_model/tests/test_logistic",
    "linear_model/tests/test_perceptron",
    "linear_model/tests/test_ridge",
    "svm/tests/test_bounds",
    "svm/tests/test_sparse",
    "svm/tests/test_svm",
    "neural_network/tests/test_mlp",
    "feature_extraction/tests/test_text",
    "feature_selection/tests/test_mutual_info",
    "metrics/tests/test_pairwise",
)
"""The test modules, as paths inside scikit-learn."""

# Modules that import an estimator for their own use: they are loaded first, and keep scikit-learn's.
_USERS = "calibration compose ensemble feature_selection frozen inspection model_selection multiclass multioutput"
_USERS += " pipeline preprocessing semi_supervised cluster utils.estimator_checks callback.tests._utils"


def install_adapters(packages: Sequence[str]) -> None:
    """Put the adapters where the test modules of these packages import scikit-learn's names from.

    Kernel functions stay scikit-learn's but for the tests of their own: others compare with them.
    """
    for user in _USERS.split():
        import_module(f"sklearn.{user}")
    vectorizer_class()  # whose callables ours uses
    of_kernels = set(packages) == {"metrics"}
    for public, (adapters, names) in ADAPTERS.items():
        if public == "metrics.pairwise" and not of_kernels:
            continue
        for name in names.split():
            setattr(import_module(f"sklearn.{public}"), name, getattr(adapters, name))
