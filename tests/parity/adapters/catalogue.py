"""Which adapter stands for which of scikit-learn's names, and in which modules of its tests."""

from __future__ import annotations

from importlib import import_module

from . import calibration, discriminant, features, kernel, linear, naive_bayes, networks, texts

HOMES = {
    "naive_bayes": (naive_bayes, "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB"),
    "discriminant_analysis": (discriminant, "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis"),
    "linear_model": (linear, "LogisticRegression LinearRegression Ridge RidgeClassifier Lasso ElasticNet Perceptron"),
    "svm": (kernel, "LinearSVC SVC NuSVC SVR OneClassSVM"),
    "neural_network": (networks, "MLPClassifier MLPRegressor"),
    "calibration": (calibration, "CalibratedClassifierCV"),
    "kernel_approximation": (kernel, "Nystroem RBFSampler"),
    "feature_selection": (features, "mutual_info_classif"),
    "feature_extraction.text": (texts, "CountVectorizer HashingVectorizer TfidfVectorizer TfidfTransformer"),
}


def _of(home: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{home}:{name}" for name in (names or HOMES[home][1].split()))


SUITES = {
    "tests/test_naive_bayes": _of("naive_bayes"),
    "tests/test_discriminant_analysis": _of("discriminant_analysis"),
    "linear_model/tests/test_perceptron": _of("linear_model", "Perceptron"),
    "svm/tests/test_svm": _of("svm"),
}
"""Module of scikit-learn's tests → the names that stand for ours there."""

_USERS = "calibration compose ensemble feature_selection frozen inspection model_selection multiclass multioutput"
_LOADED = f"{_USERS} pipeline preprocessing semi_supervised cluster utils.estimator_checks callback.tests._utils"


def put_in_place(suite: str) -> None:
    """scikit-learn's modules that use an estimator hold their own by now; tests that ask for it get ours."""
    for home in _LOADED.split():
        import_module(f"sklearn.{home}")
    for place in SUITES[suite]:
        home, name = place.split(":")
        ours = getattr(HOMES[home][0], name)
        setattr(import_module(f"sklearn.{home}"), name, ours)
        if name == "LogisticRegression":
            import_module("sklearn.linear_model._logistic").LogisticRegression = ours  # type: ignore[attr-defined]
