"""Refusals of forgetting what was never learnt and of merging what does not belong together, word for word."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from sklearn.exceptions import NotFittedError

from deciban.distributions import CATALOGUE, Counts, Gaussian, Poisson, StatisticError
from deciban.errors import DataError
from deciban.models.naive_bayes import NaiveBayes

X, Y = [[1, 0], [1, 1], [0, 1]], ["ham", "ham", "spam"]
FRAME = pd.DataFrame(X, columns=["offer", "viagra {x}"])
MORE = "cannot forget more than was learnt"
TAIL = "forget only what was learnt, with the same label and weight"
OTHER = "an example to forget was never learnt like this"
SQUARES = (
    "cannot forget what was not learnt: feature {} in class {}: squares that sum to {} learnt, {} to forget; " + TAIL
)


@pytest.mark.parametrize("likelihood", [family.name for family in CATALOGUE])
def test_labels_and_examples_that_were_not_learnt(likelihood):
    frame = FRAME if likelihood != "categorical" else FRAME.to_numpy()  # frames of which are read as labels
    model = NaiveBayes(likelihood).fit(frame, Y)
    with refused("cannot forget 'eggs': the labels learnt are ['ham', 'spam']", model=model):
        model.forget(frame, ["ham", "ham", "eggs"])
    twice = frame[2:].repeat(2, axis=0) if likelihood == "categorical" else pd.concat([frame[2:]] * 2)
    with refused(f"{MORE}: examples of class 'spam': 1 learnt, 2 to forget; {TAIL}", DataError, model):
        model.forget(twice, ["spam"] * 2)
    with refused(f"{MORE}: examples of class 'spam': 1 learnt, 1.5 to forget; {TAIL}", DataError, model):
        model.forget(frame[2:], ["spam"], [1.5])


ORPHAN = "class 'spam' would have no examples left, but 1 of feature 'viagra {x}': " + OTHER
WRONG = [
    ("multinomial", [[7, 0]], "ham", f"{MORE}: feature 'offer' in class 'ham': 2 learnt, 7 to forget; {TAIL}"),
    ("multinomial", [[0, 0]], "spam", ORPHAN),
    ("complement", [[7, 0]], "ham", f"{MORE}: feature 'offer' in class 'ham': 2 learnt, 7 to forget; {TAIL}"),
    ("complement", [[0, 0]], "spam", ORPHAN),
    ("bernoulli", [[0, 0]], "ham", f"feature 'offer' would be present in 2 of 1 examples of class 'ham': {OTHER}"),
    ("bernoulli", [[1, 1]], "spam", f"{MORE}: feature 'offer' in class 'spam': 0 learnt, 1 to forget; {TAIL}"),
    ("poisson", [[7, 0]], "ham", f"{MORE}: feature 'offer' in class 'ham': 2 learnt, 7 to forget; {TAIL}"),
    ("poisson", [[0, 0]], "spam", ORPHAN),
    ("gaussian", [[7, 0]], "ham", SQUARES.format("'offer'", "'ham'", 2, 49)),
    ("gaussian", [[0, 0.5]], "spam", SQUARES.format("'viagra {x}'", "'spam'", 1, 0.25)),
    (Gaussian(shared=True), [[0, 0.5]], "spam", SQUARES.format("'viagra {x}'", "'spam'", 1, 0.25)),
]


@pytest.mark.parametrize(("likelihood", "row", "label", "text"), WRONG)
def test_only_what_was_learnt_can_be_forgotten(likelihood, row, label, text):
    model = NaiveBayes(likelihood).fit(FRAME, Y)
    with refused(text, DataError, model):
        model.forget(pd.DataFrame(row, columns=FRAME.columns), [label])


@pytest.mark.parametrize("likelihood", ["bernoulli", "poisson", "gaussian", "categorical"])
def test_a_missing_value_is_no_value_and_a_value_not_a_missing_one(likelihood):
    data = np.array([[1.0, 0.0], [np.nan, 1.0], [0.0, 1.0]])
    model = NaiveBayes(likelihood).fit(data, Y)
    text = f"{MORE}: examples without feature 1 in class 'ham': 0 learnt, 1 to forget; {TAIL}"
    with refused(text, DataError, model):
        model.forget([[1.0, np.nan]], ["ham"])
    model.forget([[1.0, 0.0]], ["ham"])  # what is left of class ham has no feature 0
    with refused(
        {
            "bernoulli": f"{MORE}: feature 0 in class 'ham': 0 learnt, 1 to forget; {TAIL}",
            "poisson": f"{MORE}: feature 0 in class 'ham': 0 learnt, 1 to forget; {TAIL}",
            "gaussian": SQUARES.format("0", "'ham'", 0, 1),
            "categorical": f"{MORE}: category 1 of feature 0 in class 'ham': 0 learnt, 1 to forget; {TAIL}",
        }[likelihood],
        DataError,
        model,
    ):
        model.forget([[1.0, 1.0]], ["ham"])


def test_categories_that_were_not_learnt():
    codes = NaiveBayes("categorical").fit(X, Y)
    with refused(f"{MORE}: category 7 of feature 1 in class 'ham': 0 learnt, 1 to forget; {TAIL}", DataError, codes):
        codes.forget([[1, 7]], ["ham"])
    jobs = pd.DataFrame({"job": ["clerk", "nurse", None], "age": [30.0, 40.0, 50.0]})
    model = NaiveBayes("auto").fit(jobs, Y)
    for job in ("judge", "nurse"):  # in the order of the labels of both
        text = f"{MORE}: category 1 of feature 'job' in class 'spam': 0 learnt, 1 to forget; {TAIL}"
        with refused(text, DataError, model):
            model.forget(pd.DataFrame({"job": [job], "age": [50.0]}), ["spam"])


def test_statistics_refuse_by_number_where_no_names_are_known():
    one, two = Counts(np.array([1.0]), np.array([[1.0]])), Counts(np.array([1.0]), np.array([[2.0]]))
    with refused(f"{MORE}: feature 0 in class 0: 1 learnt, 2 to forget; {TAIL}", StatisticError):
        one - two
    error = StatisticError("{feature} of {label}", feature=1, label=2)
    assert str(error) == "feature 1 of class 2"


def test_merging_asks_for_the_same_model():
    fitted = NaiveBayes().fit(FRAME, Y)
    for other, text in (
        (NaiveBayes(alpha=2.0).fit(FRAME, Y), "alpha: 1.0 and 2.0"),
        (NaiveBayes("poisson").fit(FRAME, Y), "likelihood: 'multinomial' and 'poisson'"),
        (NaiveBayes(Poisson()).fit(FRAME, Y), "likelihood: 'multinomial' and Poisson(alpha=1.0, beta=1.0)"),
        (NaiveBayes(estimate="ml").fit(FRAME + 1, Y), "estimate: 'bayes' and 'ml'"),
        (NaiveBayes().fit([[1], [2]], ["ham", "spam"]), "n_features_in_: 2 and 1"),
    ):
        with refused(f"cannot merge models of different {text}", model=fitted):
            fitted + other
    with pytest.raises(ValueError, match=r"^cannot merge models of different feature_names_in_: "):
        fitted + NaiveBayes().fit(X, Y)
    with pytest.raises(TypeError):
        fitted + 1
    with pytest.raises(NotFittedError):
        fitted + NaiveBayes()


def test_merging_asks_for_the_same_columns():
    frame = pd.DataFrame({"job": ["clerk", "nurse", "clerk"], "age": [30, 40, 50]})
    model = NaiveBayes("auto").fit(frame, Y)
    text = "column 'job': expected one kind in both descriptions; came category and whole. "
    with refused(text + "Say which is meant, 'category' or 'number', where they are learnt.", DataError, model):
        model + NaiveBayes("auto").fit(frame.assign(job=[1, 2, 3]), Y)
    labels, codes = (
        NaiveBayes("categorical").fit([["a"], ["b"]], [0, 1]),
        NaiveBayes("categorical").fit([[0], [1]], [0, 1]),
    )
    for one, other in ((labels, codes), (codes, labels)):
        text = "cannot merge models of different columns: one learnt from labels, the other from numbers"
        with refused(text, model=one):
            one + other
