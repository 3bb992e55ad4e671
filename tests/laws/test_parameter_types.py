"""A parameter is a value, whatever type brings it: Python's numbers, NumPy's of any width, text of either."""

from decimal import Decimal
from fractions import Fraction
from numbers import Integral

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import deciban
from deciban import LogisticRegression, NaiveBayes, TextClassifier
from deciban.data.declared_types import Estimator, convert_to_declared, parameters
from deciban.data.text_layout import NAIVE_BAYES
from deciban.text.recipes import foreign
from laws.estimators import BY_ID, CASES, answers, over, public

# A value for each parameter that takes a number or a truth value, exact in every type that can hold it.
VALUES = {
    "C": 2,
    "alpha": 1,
    "coef0": 1,
    "delta": 1,
    "gamma": 1,
    "learning_rate": 0.0078125,
    "memory_mb": 64,
    "step": 1,
    "l1_ratio": 0.5,
    "pull": 0.5,
    "interpolation": 1,
    "shrinkage": 0.5,
    "binarize": 0,
    "half_life": 512,
    "momentum": 0.5,
    "weight_decay": 0.25,
    "dropout": 0.5,
    "clip_norm": 2,
    "weight_averaging": 0.5,
    "validation_fraction": 0.25,
    "nu": 0.5,
    "var_smoothing": 0.5,
    "min_categories": 9,
    "epsilon": 0.25,
    "tol": 0.0009765625,
    "time_limit": 1024,
    "max_iter": 64,
    "degree": 2,
    "batch_size": 16,
    "n_iter_no_change": 4,
    "n_components": 5,
    "k": 2,
    "n_neighbors": 3,
    "epochs": 2,
    "max_features": 3,
    "hashed_bits": 8,
    "readable": True,
    "random_state": 3,
    "n_jobs": 1,
    "calibration": "temperature",
    "cv": 3,
    "calibration_folds": 3,
    "hidden_layer_sizes": (3,),
    "fit_intercept": True,
    "pocket": True,
    "averaged": False,
    "shuffle": True,
    "warm_start": False,
    "binary": True,
    "nesterov": True,
    "early_stopping": False,
    "words": (1, 2),
    "ngram_range": (1, 2),
    "n_features": 16,
    "lowercase": True,
    "alternate_sign": True,
    "use_idf": True,
    "smooth_idf": True,
    "sublinear_tf": True,
    "positive": True,
}
# Whole numbers that no float may stand for.
WHOLE = {"k", "words", "ngram_range", "n_features", "max_features", "hashed_bits"}
# Text, or what is neither text nor number.
TEXTS = {
    *("activation", "class_prior", "covariance", "dtype", "error", "estimate", "kernel", "kind", "likelihood", "loss"),
    *("analyzer", "decode_error", "encoding", "input", "norm", "stop_words", "strip_accents", "token_pattern"),
    *("method", "model", "multi_class", "output", "penalty", "schedule", "solver", "weighting"),
}
OTHERS = {
    "callback",
    "class_weight",
    "covariance_estimator",
    "discrete_features",
    "landmarks",
    "max_df",
    "min_df",
    "preprocessor",
    "tokenizer",
    "vocabulary",
}
# Parameters of one case that exclude each other, or that this model has not.
APART = {
    "svm": {"nu"},
    "svm-polynomial": {"nu"},
    "svm-of-three": {"nu"},
    "svm-landmarks": {"nu"},
    "svm-nu": {"C"},
    "svr": {"nu"},
    "vectorizer": {"hashed_bits", "n_features"},
    "vectorizer-hashed": {"max_features", "n_features"},
    "vectorizer-signed": {"max_features", "hashed_bits", "sublinear_tf"},
    "discriminant": {"n_components"},
    "discriminant-shrunk": {"n_components"},
    "discriminant-calibrated": {"n_components"},
    "discriminant-bayes": {"shrinkage", "n_components"},
    "random-fourier": {"degree", "coef0"},
    "mlp-lbfgs": {"dropout", "clip_norm", "weight_averaging"},
}
TYPES = {
    "int": int,
    "float": float,
    "int64": np.int64,
    "int8": np.int8,
    "uint64": np.uint64,
    "float32": np.float32,
    "float64": np.float64,
    "float16": np.float16,
    "bool_": np.bool_,
    "str_": np.str_,
    "0-d": np.array,
    "Fraction": Fraction,
    "Decimal": Decimal,
}


def of_type(name, value, make):
    """The value in another type, or itself where that type does not hold it."""
    if isinstance(value, tuple):
        return tuple(of_type(name, each, make) for each in value)
    if name in WHOLE and not isinstance(make(1) if make is not np.bool_ else 1, Integral | np.ndarray):
        return value
    if isinstance(value, str) != (make is np.str_) or (make is np.bool_ and not isinstance(value, bool)):
        return value
    if isinstance(value, bool) and make in (Fraction, Decimal):
        return value
    try:
        made = make(value)
    except (OverflowError, ValueError):
        return value
    return made if made == value else value


def given(case):
    """All parameters of a case that are numbers, truth values or text, as plain values."""
    known = case.estimator.get_params(deep=False)
    text = {name: value for name, value in known.items() if isinstance(value, str)}
    apart = APART.get(case.id, set())
    if case.data == "texts":
        named = NAIVE_BAYES if case.estimator.model == "auto" else case.estimator.model
        apart = {
            "hashed_bits",
            "calibration",
            *foreign(named, {name: VALUES[name] for name in known if name in VALUES}),
        }
    elif "calibration" in known and known["calibration"] in (None, "affine"):
        apart = apart | {"calibration", "calibration_folds"}
    numbers = {name: VALUES[name] for name in known if name in VALUES and name not in apart}
    return {**text, **numbers}


def test_every_estimator_is_in_the_catalogue():
    assert {type(case.estimator) for case in CASES} == set(public().values())


@over()
def test_every_parameter_is_tried(case):
    assert set(case.estimator.get_params(deep=False)) <= {*VALUES, *TEXTS, *OTHERS}


@pytest.mark.each_once
@pytest.mark.parametrize("make", TYPES.values(), ids=TYPES.keys())
@over()
def test_a_value_of_any_type_is_the_same_parameter(case, make, tmp_path):
    plain = given(case)
    other = {name: of_type(name, value, make) for name, value in plain.items()}
    X, y = case.learn()
    known, same = case.new(**plain).fit(X, y), case.new(**other).fit(X, y)
    for name, value in answers(known, X).items():
        assert np.array_equal(answers(same, X)[name], value), name
    again = clone(same).get_params(deep=False)
    for name, value in other.items():
        assert same.get_params(deep=False)[name] is value, name
        assert type(again[name]) is type(value), name
    same.save(tmp_path / "other.deciban")
    known.save(tmp_path / "plain.deciban")
    assert (tmp_path / "other.deciban").read_bytes() == (tmp_path / "plain.deciban").read_bytes()
    for name, value in answers(deciban.load(tmp_path / "other.deciban"), X).items():
        assert np.array_equal(answers(same, X)[name], value), name


def test_a_grid_of_whole_numbers_and_others():
    X, y = BY_ID["bayes-multinomial"].learn()
    for alphas in ([0.1, 1, 10], np.array([1, 10]), np.array([0.5, 1.0], dtype=np.float32)):
        found = GridSearchCV(NaiveBayes(), {"alpha": alphas}, cv=2, error_score="raise").fit(X, y)
        assert found.best_params_["alpha"] in alphas


def test_the_parameter_stays_as_it_was_given():
    alpha = np.float32(0.1)
    model = NaiveBayes(alpha=alpha)
    assert model.get_params()["alpha"] is alpha
    assert vars(model)["alpha"] is alpha
    assert repr(model) == f"NaiveBayes(alpha={alpha!r})"
    assert type(model.alpha) is float
    assert clone(model).get_params()["alpha"] == alpha


def test_a_truth_value_is_no_number_in_any_type():
    for wrong in (True, np.bool_(True)):
        with pytest.raises(ValueError, match=r"C must be a number > 0, got True"):
            LogisticRegression(C=wrong).fit([[0.0], [1.0]], [0, 1])


def test_a_fraction_is_no_whole_number():
    for wrong in (2.5, np.float32(2.5)):
        with pytest.raises(ValueError, match=r"max_iter must be a whole number from 1, got 2\.5"):
            LogisticRegression(max_iter=wrong).fit([[0.0], [1.0]], [0, 1])


def test_where_whole_numbers_and_shares_differ_the_type_decides():
    both = frozenset({int, float})
    assert type(convert_to_declared(np.int64(1), both)) is int
    assert type(convert_to_declared(np.float32(1), both)) is float
    assert type(convert_to_declared(1, both)) is int
    assert type(convert_to_declared(1.0, both)) is float


def test_labels_and_weights_of_classes_may_be_numpy(tmp_path):
    plain = TextClassifier("naive-bayes", class_prior=(0.25, 0.75)).fit(["a b", "c d"], ["x", "y"])
    other = TextClassifier(np.str_("naive-bayes"), class_prior=np.array([0.25, 0.75], dtype=np.float32))
    other.fit(["a b", "c d"], np.array(["x", "y"]))
    assert np.array_equal(plain.predict_proba(["a"]), other.predict_proba(["a"]))
    for name, model in (("plain", plain), ("other", other)):
        model.save(tmp_path / name)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "other").read_bytes()
    weights = {np.int64(0): np.float32(2), np.int64(1): np.int8(1)}
    X, y = BY_ID["logistic"].learn()
    one = LogisticRegression(class_weight={0: 2.0, 1: 1.0}).fit(X, y)
    assert np.array_equal(LogisticRegression(class_weight=weights).fit(X, y).coef_, one.coef_)


def test_a_float_is_refused_where_elsewhere_it_would_be_a_share():
    for name in ("hashed_bits", "max_features"):
        with pytest.raises(ValueError, match=rf"{name} must be None or a whole number .* got 2\.0"):
            TextClassifier(**{name: 2.0}).fit(["a", "b"], ["x", "y"])


def test_what_is_refused_is_shown_as_it_was_given():
    for wrong, shown in ((-1, "-1"), (-1.0, "-1.0"), (np.int64(-1), "-1"), (np.float32(-1), "-1.0")):
        with pytest.raises(ValueError, match=rf"^alpha must be a finite number ≥ 0, got {shown}$"):
            NaiveBayes(alpha=wrong).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("attributes", [{"coef_": None}, {"_known": None}, {}])
def test_what_is_fitted_is_no_parameter(attributes):
    annotations = dict.fromkeys(attributes or ["width"], "int | None")
    with pytest.raises(TypeError, match=r"Mine\..*: expected a default, or field\(init=False\) for what is fitted"):
        parameters(type("Mine", (Estimator,), {"__annotations__": annotations, **attributes}))
