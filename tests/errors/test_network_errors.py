"""What networks say of input that is wrong, word for word, and that they stay as they were."""

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from deciban import MLPClassifier, MLPRegressor
from deciban.errors import DataError
from deciban.networks.layers import by_name, pair_output

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
MANY = np.array([[0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]])
NUMBERS = X[:, 0]
ENDLESS, NOTHING = float("inf"), float("nan")
SHAPES = "hidden_layer_sizes must be the sizes of the hidden layers, as in (128,) or (64, 32), got "
SHARED = [
    ({"hidden_layer_sizes": 0}, "hidden layers need one unit at least: hidden_layer_sizes[0] is 0, in 0"),
    ({"hidden_layer_sizes": (8, 0)}, "hidden layers need one unit at least: hidden_layer_sizes[1] is 0, in (8, 0)"),
    (
        {"hidden_layer_sizes": (8, -1, 4)},
        "hidden layers need one unit at least: hidden_layer_sizes[1] is -1, in (8, -1, 4)",
    ),
    ({"hidden_layer_sizes": (2.5,)}, "hidden layers need one unit at least: hidden_layer_sizes[0] is 2.5, in (2.5,)"),
    ({"hidden_layer_sizes": [True]}, "hidden layers need one unit at least: hidden_layer_sizes[0] is True, in [True]"),
    ({"hidden_layer_sizes": "128"}, f"{SHAPES}'128'"),
    ({"hidden_layer_sizes": None}, f"{SHAPES}None"),
    ({"hidden_layer_sizes": 2.5}, f"{SHAPES}2.5"),
    ({"activation": "swish"}, "activation must be one of 'logistic', 'tanh', 'relu', 'identity', got 'swish'"),
    ({"activation": None}, "activation must be one of 'logistic', 'tanh', 'relu', 'identity', got None"),
    ({"solver": "sgd"}, "solver must be one of 'descent', 'adam', 'lbfgs', got 'sgd'"),
    ({"solver": 1}, "solver must be one of 'descent', 'adam', 'lbfgs', got 1"),
    ({"momentum": 1.0}, "momentum must be from 0 to below 1, got 1.0"),
    ({"momentum": -0.1}, "momentum must be from 0 to below 1, got -0.1"),
    ({"momentum": NOTHING}, "momentum must be from 0 to below 1, got nan"),
    ({"momentum": "much"}, "momentum must be from 0 to below 1, got 'much'"),
    ({"learning_rate": 0}, "learning_rate must be a number > 0, got 0"),
    ({"learning_rate": -1.0}, "learning_rate must be a number > 0, got -1.0"),
    ({"learning_rate": ENDLESS}, "learning_rate must be a finite number > 0, got inf"),
    ({"learning_rate": NOTHING}, "learning_rate must be a number > 0, got nan"),
    ({"learning_rate": "auto"}, "learning_rate must be a number > 0, got 'auto'"),
    (
        {"schedule": "steps"},
        "schedule must be one of 'constant', 'inverse', 'cosine', 'plateau', or a function of the epoch, got 'steps'",
    ),
    (
        {"schedule": 0.5},
        "schedule must be one of 'constant', 'inverse', 'cosine', 'plateau', or a function of the epoch, got 0.5",
    ),
    ({"batch_size": 0}, "batch_size must be a whole number from 1, got 0"),
    ({"batch_size": 1.5}, "batch_size must be a whole number from 1, got 1.5"),
    ({"batch_size": True}, "batch_size must be a whole number from 1, got True"),
    ({"max_iter": 0}, "max_iter must be a whole number from 1, got 0"),
    ({"max_iter": 1.5}, "max_iter must be a whole number from 1, got 1.5"),
    ({"tol": 0}, "tol must be a number > 0, got 0"),
    ({"tol": NOTHING}, "tol must be a number > 0, got nan"),
    ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number from 1, got 0"),
    ({"n_iter_no_change": "many"}, "n_iter_no_change must be a whole number from 1, got 'many'"),
    ({"weight_decay": -0.1}, "weight_decay must be a finite number from 0, got -0.1"),
    ({"weight_decay": ENDLESS}, "weight_decay must be a finite number from 0, got inf"),
    ({"weight_decay": NOTHING}, "weight_decay must be a finite number from 0, got nan"),
    ({"dropout": 1.0}, "dropout must be from 0 to below 1, got 1.0"),
    ({"dropout": -0.5}, "dropout must be from 0 to below 1, got -0.5"),
    ({"clip_norm": 0.0}, "clip_norm must be a number > 0, got 0.0"),
    ({"clip_norm": ENDLESS}, "clip_norm must be a finite number > 0, got inf"),
    ({"weight_averaging": 1.0}, "weight_averaging must be from 0 to below 1, got 1.0"),
    ({"weight_averaging": "yes"}, "weight_averaging must be from 0 to below 1, got 'yes'"),
    ({"time_limit": -1.0}, "time_limit must be a number > 0, got -1.0"),
    ({"random_state": -1}, "random_state must be from 0 to 2^64 − 1, got -1"),
    ({"dtype": "float16"}, "dtype must be 'float32' or 'float64', got 'float16'"),
    ({"dtype": int}, "dtype must be 'float32' or 'float64', got <class 'int'>"),
    (
        {"early_stopping": True, "validation_fraction": 0.0},
        "validation_fraction must be above 0, got 0: early_stopping=False holds nothing out",
    ),
    (
        {"early_stopping": True, "validation_fraction": 1.0},
        "validation_fraction must be from 0 to below 1, got 1.0",
    ),
    (
        {"early_stopping": True, "validation_fraction": 0.01},
        "validation_fraction=0.01 of 6 examples holds none out: raise it, or give validation=(X, y)",
    ),
]
CLASSIFIED = [
    ({"output": "linear"}, "output must be one of 'softmax', 'logistic', got 'linear'"),
    ({"output": None}, "output must be one of 'softmax', 'logistic', got None"),
    ({"error": "hinge"}, "error must be one of 'squared', 'cross_entropy', got 'hinge'"),
    ({"class_weight": {"egg": 2.0}}, "class_weight names ['egg'], which no label is; labels are ['ham', 'spam']"),
    ({"class_weight": {"ham": -1.0}}, "class_weight must be finite numbers ≥ 0, got {'ham': -1.0}"),
    ({"class_weight": {"ham": 0.0}}, "class_weight of 0 leaves a class without examples: leave the rows out instead"),
    (
        {"class_weight": "even"},
        "class_weight must be None, 'balanced' or a mapping from labels to weights, got 'even'",
    ),
]
CASES = [
    *((MLPClassifier, Y, *case) for case in SHARED + CLASSIFIED),
    *((MLPRegressor, NUMBERS, *case) for case in SHARED),
]
small = {"hidden_layer_sizes": (4,), "max_iter": 2}


@pytest.mark.parametrize(("family", "y", "options", "text"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_parameters_that_mean_nothing(family, y, options, text):
    model = family(**small).fit(X, y)
    with refused(text, model=model.set_params(**options)):
        model.fit(X, y)
    if "early_stopping" in options or "class_weight" in options:
        return
    new = family(**{**small, **options})
    with refused(text, model=new):
        new.partial_fit(X, y)
    if "batch_size" not in options:  # which has no say where batches come as they are
        with refused(text, model=new):
            new.fit_batches([(X, y)], *([["ham", "spam"]] * (family is MLPClassifier)))


def test_what_does_not_belong_together():
    text = (
        "error='cross_entropy' is of probabilities, which output='linear' does not give: take error='squared', or "
        "another output"
    )
    with refused(text):
        pair_output("linear", "cross_entropy")
    with refused("activation must be one of 'logistic', 'tanh', 'relu', 'identity', got ['relu']"):
        by_name(["relu"])


# Examples.


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_that_cannot_be_learnt(form):
    model = MLPClassifier(**small).fit(form(X), Y)
    for bad, what in ((np.nan, "NaN"), (np.inf, "infinity or a value too large for dtype('float64')")):
        worse = X.copy()
        worse[3, 1] = bad
        for learn in (model.fit, model.partial_fit):
            with pytest.raises(ValueError, match="Input X contains") as caught:
                learn(form(worse), Y)
            assert str(caught.value).splitlines()[0] == f"Input X contains {what}."
        with pytest.raises(ValueError, match="Input X contains"):
            model.predict(form(worse))
    with refused("X has 1 features, but MLPClassifier is expecting 2 features as input.", model=model):
        model.partial_fit(form(X[:, :1]), Y)


def test_rows_that_leave_the_range():
    model = MLPClassifier(**small).fit(X, Y)
    text = "row 4: the signals left the range of float32: give its features in larger units, or take dtype='float64'"
    far = X.copy()
    far[4] = 1e60
    for judge in (model.predict, model.predict_proba, model.predict_log_proba):
        with refused(text, DataError, model):
            judge(far)
    with refused(text.replace("row 4", "row 0"), DataError, model):
        model.explain(far[4:])
    numbers = MLPRegressor(dtype="float64", **small).fit(X, NUMBERS)
    text = "row 0: the signals left the range of float64: give its features in larger units"
    with refused(text, DataError, numbers):
        numbers.predict(1e308 * np.sign(X[4:]) * np.sign(numbers.coefs_[0][:, 0]))
    text = "row 3, feature 0 is 1.7e+308; sizes up to 1e+100 are expected: give the feature in a larger unit"
    with refused(text, DataError, numbers):
        numbers.fit(np.where(X > 4.9, 1.7e308, X), NUMBERS)


def test_labels_that_cannot_be_learnt():
    model = MLPClassifier(**small).fit(X, Y)
    with refused("at least two classes are expected; all labels are 'ham' (1 class)", model=model):
        model.fit(X, ["ham"] * 6)
    with refused("at least two classes are expected; all labels are 'ham' (1 class)", model=model):
        model.fit(X, Y, sample_weight=[1, 1, 1, 0, 0, 0])
    with refused("requires y to be passed, but the target y is None: give a label for each row", model=model):
        model.fit(X, None)
    with refused(
        "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete classes on a "
        "regression target with continuous values.",
        model=model,
    ):
        model.fit(X, NUMBERS + 0.5)
    with refused("Found input variables with inconsistent numbers of samples: [6, 5]", model=model):
        model.fit(X, Y[:5])


def test_many_labels_that_cannot_be_learnt():
    model = MLPClassifier(**small).fit(X, MANY)
    text = "class_weight is for classes that exclude each other; many labels a row are weighed by row"
    with refused(text, model=model.set_params(class_weight="balanced")):
        model.fit(X, MANY)
    model.set_params(class_weight=None)
    with refused("many labels a row are expected as (N, K) of 0 and 1", model=model):
        model.partial_fit(X, Y)
    with refused("partial_fit has 3 labels a row; 2 are expected", model=model):
        model.partial_fit(X, np.column_stack([MANY, MANY[:, 0]]))
    text = "classes must be a name for each column of y, no two alike, got ['a', 'a']"
    with refused(text, model=model):
        model.fit_batches([(X, MANY)], ["a", "a"])
    with refused("a batch has 2 labels a row; 3 are expected", model=model):
        model.fit_batches([(X, MANY)], ["a", "b", "c"])


def test_targets_that_cannot_be_learnt():
    model = MLPRegressor(**small).fit(X, X)
    with refused("targets up to 1e+18 are expected, got 1e+19: take a larger unit", model=model):
        model.fit(X, np.full(6, 1e19))
    with refused("partial_fit has 1 targets a row; 2 are expected", model=model):
        model.partial_fit(X, NUMBERS)
    with refused("a regression has no classes", model=model):
        model.partial_fit(X, X, classes=[0, 1])
    with refused("a batch has 2 targets a row; 1 are expected", model=model):
        model.fit_batches([(X, NUMBERS), (X, X)])
    with refused("Input y contains NaN.", model=model):
        model.fit(X, np.full(6, NOTHING))


def test_weights_that_are_all_zero():
    """In scikit-learn's words, or in ours where an older one says nothing."""
    nothing = np.zeros(6)
    for model, y in ((MLPClassifier(**small), Y), (MLPClassifier(**small), MANY), (MLPRegressor(**small), NUMBERS)):
        model.fit(X, y)
        for learn, given in (
            (model.fit, {"sample_weight": nothing}),
            (model.partial_fit, {"sample_weight": nothing}),
            (model.fit, {"validation": (X, y, nothing)}),
        ):
            with pytest.raises(ValueError, match=r"at least one non-zero number|weight above 0"):
                learn(X, y, **given)


# Validation data.


def test_validation_data_that_are_none():
    model = MLPClassifier(**small).fit(X, Y)
    for given in (X, "all", (X,), (X, Y, None, None)):
        with refused(f"validation must be (X, y) or (X, y, weight), got {type(given).__name__}", model=model):
            model.fit(X, Y, validation=given)
    text = "validation has the labels ['egg'], which are none of the classes ['ham', 'spam']"
    with refused(text, model=model):
        model.fit(X, Y, validation=(X, ["egg"] * 5 + ["ham"]))
    text = "validation has the labels [0, 1], which are none of the classes ['ham', 'spam']"
    with refused(text, model=model):
        model.fit(X, Y, validation=(X, [0, 1, 0, 1, 0, 1]))
    with refused("Found input variables with inconsistent numbers of samples: [6, 5]", model=model):
        model.fit(X, Y, validation=(X, Y[:5]))
    with refused("X has 1 features, but MLPClassifier is expecting 2 features as input.", model=model):
        model.fit(X, Y, validation=(X[:, :1], Y))
    numbers = MLPRegressor(**small).fit(X, X)
    with refused("validation has 1 targets a row; 2 are expected", model=numbers):
        numbers.fit(X, X, validation=(X, NUMBERS))


def test_classes_that_are_many_are_told_in_part():
    model = MLPClassifier(**small)
    rows = np.arange(24.0).reshape(12, 2)
    text = (
        "validation has the labels [20, 21, 22, 23, 24], which are none of the classes "
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9] and 2 more"
    )
    with refused(text, model=model):
        model.fit(rows, np.arange(12), validation=(rows, np.arange(20, 32)))


# Answers.


def test_labels_to_explain():
    one, many = MLPClassifier(**small).fit(X, Y), MLPClassifier(**small).fit(X, MANY)
    with refused("label is for rows of many labels; here the winner is explained", model=one):
        one.explain(X, label=1)
    text = "explain needs label, a column of y from 0 to 1, where a row has many labels"
    with refused(text, model=many):
        many.explain(X)
    for label in (2, -1):
        with refused(f"label must be a column of y, from 0 to 1, got {label}", model=many):
            many.explain(X, label=label)
    for label in ("ham", 0.5, True):
        with refused(f"label must be a column of y, from 0 to 1, got {label!r}", model=many):
            many.explain(X, label=label)


def test_what_has_not_been_learnt():
    for model, names in (
        (MLPClassifier(), ("predict", "predict_proba", "predict_log_proba", "explain")),
        (MLPRegressor(), ("predict",)),
    ):
        for name in names:
            with pytest.raises(Exception, match=f"^This {type(model).__name__} instance is not fitted yet"):
                getattr(model, name)(X)
        with pytest.raises(Exception, match="is not fitted yet"):
            _ = model.certificate_
