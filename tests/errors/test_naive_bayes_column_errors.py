"""Refusals of naive Bayes over columns, word for word: other tables than learnt, likelihoods that do not fit."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused

from deciban.distributions import Categorical, Gaussian
from deciban.errors import DataError
from deciban.models.naive_bayes import NaiveBayes

JOBS = {"age": [30.0, 40.0, 50.0], "job": ["clerk", "nurse", "clerk"], "member": [True, False, True]}
FRAME, Y = pd.DataFrame(JOBS), ["a", "a", "b"]
MATCH = "The feature names should match those that were passed during fit."
LEARNT = "The columns were learnt from age, job, member."


def calls(model):
    """Everything that takes rows."""
    yield from (model.predict, model.predict_proba, model.explain, model.credible_interval)
    yield from (lambda X: model.partial_fit(X, Y), lambda X: model.forget(X, Y))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["age", "job"], f"{MATCH}\nFeature names seen at fit time, yet now missing:\n- member\n{LEARNT}"),
        (["age", "job", "member", "new"], f"{MATCH}\nFeature names unseen at fit time:\n- new\n{LEARNT}"),
        (["job", "age", "member"], f"{MATCH}\nFeature names must be in the same order as they were in fit.\n{LEARNT}"),
        (
            ["age", "Job", "member"],
            f"{MATCH}\nFeature names unseen at fit time:\n- Job\n"
            f"Feature names seen at fit time, yet now missing:\n- job\n{LEARNT}",
        ),
    ],
)
def test_columns_that_are_missing_new_or_in_another_order(frame, names, text):
    model = NaiveBayes("auto").fit(frame(JOBS), Y)
    later = frame({name: JOBS.get(name, JOBS["job"]) for name in names})
    for call in calls(model):
        with refused(text, DataError, model):
            call(later)


def test_numbers_by_name_are_matched_in_the_words_of_scikit_learn():
    model = NaiveBayes("gaussian").fit(pd.DataFrame({"a": [1, 2, 4], "b": [1, 2, 5]}), Y)
    later = pd.DataFrame({"b": [1, 2, 4], "a": [1, 2, 5]})
    for call in calls(model):
        with refused(f"{MATCH}\nFeature names must be in the same order as they were in fit.\n", ValueError, model):
            call(later)
    text = "X has 3 features, but NaiveBayes is expecting 2 features as input."
    for call in calls(NaiveBayes("gaussian").fit([[1, 1], [2, 2], [4, 5]], Y)):
        with refused(text, ValueError):
            call(np.ones((3, 3)))


def test_a_table_without_names_must_be_as_wide():
    model = NaiveBayes("auto").fit(FRAME, Y)
    text = (
        "X has 2 features, but deciban is expecting 3 features as input: age, job, member. "
        "Bring these columns, in this order."
    )
    for call in calls(model):
        with refused(text, DataError, model):
            call([[30.0, "clerk"]] * 3)


CORRECT = "Correct it, or leave it empty (None or NaN)."


@pytest.mark.parametrize(
    ("column", "values", "text"),
    [
        (
            "job",
            [1, 2, 3],
            "column 'job', row 0: expected text, as learnt; came 1. "
            "Bring the column in the type in which it was learnt.",
        ),
        ("age", ["young", "old", "old"], f"column 'age', row 0: expected a number; came 'young'. {CORRECT}"),
        (
            "member",
            ["yes", "no", "no"],
            "column 'member', row 0: expected true or false, as learnt; came 'yes'. "
            "Bring the column in the type in which it was learnt.",
        ),
        ("member", [1, 0, 3], f"column 'member', row 2: expected true or false, as learnt; came 3. {CORRECT}"),
        ("age", [1.0, np.inf, 3.0], f"column 'age', row 1: expected a finite number; came inf. {CORRECT}"),
    ],
)
def test_columns_whose_type_has_changed(column, values, text):
    model = NaiveBayes("auto").fit(FRAME, Y)
    for call in calls(model):
        with refused(text, DataError, model):
            call(FRAME.assign(**{column: values}))


KINDS = {"age": "gaussian", "job": "categorical", "member": "bernoulli"}
NAMES = "'bernoulli', 'categorical', 'multinomial', 'complement', 'poisson', 'gaussian'"
TEXT = (
    "column 'job' holds text, which is 'categorical' and cannot be {}: "
    "say 'categorical' or 'auto', or give it as numbers"
)


@pytest.mark.parametrize(
    ("likelihood", "text"),
    [
        (
            KINDS | {"jop": "gaussian"},
            "likelihood names column 'jop', which is not there; the columns are column 'age', column 'job', "
            "column 'member'",
        ),
        (
            KINDS | {"jop": "categorical", 3: None},
            "likelihood names column 'jop', column 3, which is not there; the columns are column 'age', column 'job', "
            "column 'member'",
        ),
        (
            {"age": "gaussian"},
            "likelihood names a distribution for every column, but none for column 'job', column 'member': "
            "add them, with None to leave a column out",
        ),
        (dict.fromkeys(KINDS), "likelihood leaves every column out: name a distribution for one at least"),
        (KINDS | {"age": "normal"}, f"likelihood must be one of {NAMES}, got 'normal'"),
        (KINDS | {"age": 3}, f"likelihood must be one of {NAMES}, got 3"),
        (KINDS | {"age": Gaussian}, f"likelihood must be one of {NAMES}, got {Gaussian!r}"),
        ("normal", f"likelihood must be one of {NAMES}, got 'normal'"),
        (KINDS | {"job": "gaussian"}, TEXT.format("'gaussian'")),
        (KINDS | {"job": "multinomial"}, TEXT.format("'multinomial'")),
        (KINDS | {"job": Gaussian(shared=True)}, TEXT.format("'gaussian'")),
    ],
)
def test_likelihoods_that_do_not_fit_the_columns(likelihood, text):
    model = NaiveBayes(likelihood)
    for frame in (FRAME, pl.DataFrame(JOBS)):
        with refused(text, ValueError, model):
            model.fit(frame, Y)
    assert not hasattr(model, "counts_")


@pytest.mark.parametrize("likelihood", ["gaussian", "multinomial", "poisson", "bernoulli", Gaussian(shared=True)])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_text_is_no_number(likelihood, frame):
    name = getattr(likelihood, "name", likelihood)
    with refused(TEXT.format(repr(name)), DataError):
        NaiveBayes(likelihood).fit(frame(JOBS), Y)
    by_place = TEXT.format(repr(name)).replace("column 'job'", "column 1")
    with refused(by_place, DataError):
        NaiveBayes(likelihood).fit(np.array([[30, "clerk"], [40, "nurse"], [50, "clerk"]], dtype=object), Y)
    with refused(by_place, DataError):
        NaiveBayes(likelihood).fit([[30, "clerk"], [40, "nurse"], [50, "clerk"]], Y)


def test_values_of_a_column_outside_its_support_go_by_its_name():
    visits = FRAME.assign(age=[1, -2, 3])
    text = "Negative values in data for a Poisson model: row 1, feature 'age' is -2; a Poisson feature is a count ≥ 0"
    model = NaiveBayes(KINDS | {"age": "poisson"}).fit(FRAME, Y)
    for call in calls(model):
        with refused(text, DataError, model):
            call(visits)
    text = (
        "estimate='ml' is undefined for feature 'age' in class 'b': it does not vary in the 1 examples of that class "
    )
    with refused(text + "(kappa=1, nu=1): use estimate='bayes' with alpha > 0", DataError):
        NaiveBayes("auto", estimate="ml").fit(FRAME, Y)


def test_a_label_never_seen_is_impossible_without_a_prior():
    model = NaiveBayes({"job": "categorical"}, estimate="ml").fit(FRAME[["job"]], Y)
    text = "row 1 is impossible in every class: feature 'job' = (unseen) has probability 0 in class 'a', as it never "
    for judge in (model.predict, model.explain, model.credible_interval):
        with refused(text + "occurred there: use estimate='bayes' with alpha > 0", DataError, model):
            judge(pd.DataFrame({"job": ["clerk", "judge"]}))


def test_a_column_of_which_nothing_is_known_cannot_be_typed():
    text = "column 'job': expected values; all are missing, and so is what they would be. "
    with refused(text + "Say 'category' or 'number' for the column, or leave it out.", DataError):
        NaiveBayes("auto").fit(FRAME.assign(job=None), Y)
    model = NaiveBayes("auto").fit(FRAME, Y)
    assert model.partial_fit(FRAME.assign(job=None), Y).predict(FRAME.assign(job=None)).shape == (3,)


def test_sizes_are_those_of_the_columns():
    with refused("sizes must be one number for each of 1 features, got (2, 3)"):
        NaiveBayes(Categorical(sizes=(2, 3))).fit([[1], [0], [1]], Y)
