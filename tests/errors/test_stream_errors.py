"""What linear classifiers say of a stream that cannot be learnt, word for word, and that they stay as they were."""

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from deciban import LinearSVM, LogisticRegression, Perceptron
from deciban.errors import DataError

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
FAMILIES = pytest.mark.parametrize("family", [LogisticRegression, LinearSVM])


@FAMILIES
@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"class_weight": "balanced"},
            "class_weight='balanced' needs all examples at once: fit, or give a mapping from labels",
        ),
        ({"class_weight": {"egg": 2.0}}, "class_weight names ['egg'], which no label is; labels are ['ham', 'spam']"),
        ({"step": 0.0}, "step must be a number > 0, got 0.0"),
        ({"step": np.inf}, "step must be a finite number > 0, got inf"),
        ({"step": "auto"}, "step must be a number > 0, got 'auto'"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0, got 0: -1 is all cores, -2 all but one"),
    ],
    ids=str,
)
def test_a_wrong_parameter_is_refused_and_what_was_learnt_stays(family, options, text):
    for model in (family().partial_fit(X, Y), family().fit(X, Y)):
        model.set_params(**options)
        with refused(text, model=model):
            model.partial_fit(X, Y)


def test_parameters_of_one_model_are_looked_at_too():
    model = LogisticRegression().partial_fit(X, Y).set_params(penalty="l3")
    with refused("penalty must be 'l2', 'l1', 'elasticnet' or None, got 'l3'", model=model):
        model.partial_fit(X, Y)
    model.set_params(penalty="l2", multi_class="all")
    with refused("multi_class must be 'auto', 'softmax' or 'ovr', got 'all'", model=model):
        model.partial_fit(X, Y, classes=["ham", "spam", "egg"])
    model = LinearSVM().partial_fit(X, Y).set_params(loss="cubed")
    with refused("loss must be one of 'hinge', 'squared_hinge', got 'cubed'", model=model):
        model.partial_fit(X, Y)


@FAMILIES
def test_a_batch_that_cannot_be_learnt_is_refused_and_what_was_learnt_stays(family):
    model = family().partial_fit(X, Y)
    name = family.__name__
    with refused(f"X has 1 features, but {name} is expecting 2 features as input.", model=model):
        model.partial_fit(X[:, :1], Y)
    with refused("labels of one kind are expected, numbers or text, got ['ham', 'spam'] and [1, 2, 3]", model=model):
        model.partial_fit(X, [1, 2, 3, 1, 2, 3])
    text = f"Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required by {name}."
    with refused(text, model=model):
        model.partial_fit(X[:0], [])
    with refused("Negative values in data passed to `sample_weight`.", model=model):
        model.partial_fit(X, Y, sample_weight=[1, 1, 1, -1, 1, 1])
    worse = X.copy()
    worse[3, 1] = np.nan
    text = (
        "Input X contains NaN: row 3, feature 1; a linear model weighs finite numbers: fill the value in "
        "(SimpleImputer), or leave the row out"
    )
    for form in (np.asarray, sparse.csr_array):
        with refused(text, DataError, model):
            model.partial_fit(form(worse), Y)
    for form in (np.asarray, sparse.csr_array):
        worse[3, 1] = -1e150
        text = "row 3, feature 1 is -1e+150; sizes up to 1e+100 are expected: give the feature in a larger unit"
        with refused(text, DataError, model):
            model.partial_fit(form(worse), Y)


@FAMILIES
def test_a_batch_that_fails_midway_leaves_nothing_behind(family):
    model = family(class_weight={"ham": 1e150}).partial_fit(X, Y)
    with refused("the numbers left the range of a float64: scale the columns down", OverflowError, model):
        model.partial_fit(np.vstack([X, [[1e99, 1e99], [-1e99, -1e99]]]), [*Y, "ham", "ham"])
    new = family(class_weight={"ham": 1e150})
    with refused("the numbers left the range of a float64: scale the columns down", OverflowError, new):
        new.partial_fit([[1e99, 1e99], [0.0, 0.0]], ["ham", "spam"])
    assert not hasattr(new, "classes_")


@FAMILIES
def test_a_first_batch_of_one_class_asks_for_the_others(family):
    model = family()
    text = "at least two classes are expected; all labels are ['ham'] (1 class): say with classes=[…] which are to come"
    with refused(text, model=model):
        model.partial_fit(X[:3], Y[:3])
    assert model.partial_fit(X[:3], Y[:3], classes=["ham", "spam"]).predict(X).tolist() == ["ham"] * 6


@FAMILIES
def test_more_rounds_than_anyone_waits_for_are_refused(family):
    model = family().partial_fit(X, Y)
    text = (
        "partial_fit takes a round for each repetition, and the weights sum to 6e+12, more than 1e+09: give smaller "
        "weights, or call it several times"
    )
    with refused(text, model=model):
        model.partial_fit(X, Y, sample_weight=np.full(6, 1e12))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (
            LogisticRegression(penalty="l1"),
            "a stream's mean weights are not sparse: penalty='l1' needs fit, or choose 'l2' or None",
        ),
        (
            LogisticRegression(penalty="elasticnet"),
            "a stream's mean weights are not sparse: penalty='elasticnet' needs fit, or choose 'l2' or None",
        ),
        (
            LogisticRegression(multi_class="softmax"),
            "a stream is learnt one class against the rest: multi_class='softmax' needs fit, or choose 'auto'",
        ),
        (
            Perceptron(pocket=True),
            "the pocket counts errors on all examples at once: pocket=True needs fit, or choose averaged=True",
        ),
        (
            LinearSVM(C=np.inf),
            "the hard margin (C=inf) is of all examples at once and needs fit, or a finite C",
        ),
    ],
    ids=str,
)
def test_who_needs_all_examples_at_once_has_no_stream(model, why):
    assert not hasattr(model, "partial_fit")
    with refused(why, AttributeError, model):
        model.partial_fit(X, Y)


def test_probabilities_of_margins_after_a_stream_need_a_fit():
    text = (
        "this LinearSVM has no probabilities: a margin becomes a log-odds by calibration; "
        "fit with calibration='temperature'"
    )
    for model in (LinearSVM().partial_fit(X, Y), LinearSVM().fit(X, Y).partial_fit(X, Y)):
        assert not hasattr(model, "predict_proba")
        with refused(text, AttributeError, model):
            model.explain(X)
    assert hasattr(model.fit(X, Y), "predict_proba")
