"""What linear text models say of what they cannot do, word for word; and that nothing changed then."""

import numpy as np
import pytest

from deciban import TextClassifier
from deciban.data.text_layout import MINIMISED
from deciban.errors import DataError
from deciban.mail.filter import Filter, train_rows
from deciban.text.recipes import recipe

TEXTS, LABELS = ["free money", "lunch", "free lunch"], ["spam", "ham", "ham"]
over_models = pytest.mark.parametrize("model", MINIMISED)


def said(error, call, *arguments, **options):
    """The words of the error that a call must raise."""
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    assert type(caught.value) is error
    return str(caught.value)


def refused(model, **parameters):
    return said(ValueError, TextClassifier(model, **parameters).fit, TEXTS, LABELS)


@over_models
def test_what_is_learnt_at_once_cannot_learn_on_or_forget(model):
    known = TextClassifier(model).fit(TEXTS, LABELS)
    before = known.predict_proba(TEXTS)
    for call in (known.partial_fit, known.forget):
        assert said(ValueError, call, TEXTS[:1], LABELS[:1]) == (
            f"{call.__name__} needs a model that counts or learns online, and {model!r} is learnt by minimising over "
            "all texts at once: call fit with all of them, or choose model='naive-bayes' or 'online'"
        )
    assert said(ValueError, TextClassifier(model).partial_fit, TEXTS, LABELS).startswith(
        "partial_fit needs a model that"
    )
    assert said(AttributeError, known.credible_interval, TEXTS) == (
        "a credible interval needs a model that counts, and this one was learnt by minimising: "
        "fit with model='naive-bayes'"
    )
    np.testing.assert_array_equal(known.predict_proba(TEXTS), before)


def test_parameters_that_make_no_sense():
    for wrong in (0.0, -1.0, np.nan, "1"):
        assert refused("logistic", C=wrong) == f"C must be a number > 0, got {wrong!r}"
    assert refused("svm", C=np.inf) == "C must be finite for texts, got inf"
    assert refused("nbsvm", alpha=0.0) == "alpha must be a number > 0, got 0.0"
    assert refused("logistic", weighting="tf") == "weighting must be 'unit-idf', 'idf' or 'none', got 'tf'"
    assert refused("naive-bayes", C=2.0) == "'naive-bayes' has no C; got C=2.0"
    assert refused("kernel-svm", C=-2) == "C must be a number > 0, got -2"
    assert refused("kernel-svm", C=np.inf) == "C must be finite for texts, got inf"
    assert refused("kernel-svm", weighting="idf") == "'kernel-svm' has no weighting; got weighting='idf'"
    assert refused("mlp", C=2.0) == "'mlp' has no C; got C=2.0"
    assert refused("svm", hidden_layer_sizes=(4,)) == "'svm' has no hidden_layer_sizes; got hidden_layer_sizes=(4,)"
    assert (
        refused("mlp", hidden_layer_sizes=(4, 0))
        == "hidden layers need one unit at least: hidden_layer_sizes[1] is 0, in (4, 0)"
    )
    assert (
        refused("mlp", hidden_layer_sizes=(4,) * 9)
        == f"hidden_layer_sizes: at most 8 layers are expected, got {(4,) * 9}"
    )
    assert refused("mlp", dropout=1.0) == "dropout must be from 0 to below 1, got 1.0"
    assert refused("mlp", epochs=0) == "epochs must be a whole number from 1 to 10,000, got 0"
    assert refused("mlp", weighting="tf") == "weighting must be 'unit-idf', 'idf' or 'none', got 'tf'"
    assert refused("svm", alpha=0.5) == "'svm' has no alpha; got alpha=0.5"
    assert refused("nbsvm", weighting="idf") == "'nbsvm' has no weighting; got weighting='idf'"


def test_data_that_nothing_can_be_learnt_from():
    fit = TextClassifier("logistic").fit
    assert said(DataError, fit, ["", "!?"], ["a", "b"]) == "No words were found in the items: nothing to learn from."
    one = "at least two classes are expected; all labels are 'ham'"
    assert said(ValueError, fit, ["a", "b"], ["ham", "ham"]) == one
    assert said(ValueError, fit, ["a", "b"], ["ham", "spam"], [1.0, 0.0]) == one


def test_a_network_that_memory_has_no_room_for():
    fit = TextClassifier("mlp", hidden_layer_sizes=(1 << 13, 1 << 13)).fit
    assert said(DataError, fit, TEXTS, LABELS) == (
        "Expected at most 4,194,304 weights above the first layer, for the sake of memory; hidden units [8192, 8192] "
        "for 2 classes have 67,125,248. Take fewer units."
    )


@pytest.fixture
def filters():
    """One that counts, and a linear one of the same texts."""
    linear = recipe("text", "svm", {})
    counted, _ = train_rows([(TEXTS, LABELS)], linear.settings)
    return counted, Filter(TextClassifier("svm").fit(TEXTS, LABELS).model_, counted.ledger)


def test_a_linear_filter_cannot_learn_on_or_forget(filters):
    _, known = filters
    for call in (lambda: known.learn([b"more"], "spam"), lambda: known.forget([b"lunch"])):
        assert said(DataError, call) == (
            "expected a model that learns on and forgets; this one is 'svm', learnt by minimising over all items at "
            "once. Train anew with all of them, or train with --model online or naive-bayes."
        )


def test_a_damaged_certificate_is_told_when_it_is_asked_for(filters):
    _, known = filters
    for part in ("class_counts", "objective"):
        proof = {name: value for name, value in known.model.proof.items() if name != part}
        damaged = Filter(type(known.model)(**{**vars(known.model), "proof": proof}), known.ledger)
        assert said(DataError, damaged.model.certificate).startswith("The model's certificate is damaged: ")
