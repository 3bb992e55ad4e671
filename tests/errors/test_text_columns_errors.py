"""A column of text where numbers are expected is refused by its name, with a way out, by every estimator."""

import inspect
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deciban
from deciban.errors import DataError

TEXTS = {"TextClassifier", "TextVectorizer"}
ESTIMATORS = [
    each
    for name in deciban.__all__
    if inspect.isclass(each := getattr(deciban, name)) and hasattr(each, "get_params") and name not in TEXTS
]
ROWS = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0] * 5, "city": list("abcd") * 5, "size": [2.0, 1.0, 3.0, 2.0] * 5})
CODED = ROWS.assign(city=[1.0, 2.0, 3.0, 4.0] * 5)
FORMS = {"pandas": ROWS, "polars": pl.DataFrame(ROWS.to_dict("list")), "objects": ROWS.to_numpy()}
MODELS = pytest.mark.parametrize("made", ESTIMATORS, ids=lambda made: made.__name__)


def model(made):
    return made("gaussian") if made is deciban.NaiveBayes else made()


def targets(made):
    return np.arange(20.0) if issubclass(made, deciban.LinearRegression) or "Regress" in made.__name__ else [0, 1] * 10


@MODELS
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore")
def test_learning_names_the_column_and_a_way_out(made, form):
    with pytest.raises(DataError) as caught:
        model(made).fit(FORMS[form], [0, 1] * 10)
    named = "column 1" if form == "objects" else "column 'city'"
    assert str(caught.value).startswith(f"{named} holds text, ")
    assert re.search(r"Encoder|say 'categorical'", str(caught.value))


@MODELS
@pytest.mark.filterwarnings("ignore")
def test_judging_names_the_column(made):
    fitted = model(made).fit(CODED, [0, 1] * 10)
    judge = fitted.predict if hasattr(fitted, "predict") else fitted.transform
    if made is deciban.MutualInformation:  # which keeps columns, whatever is in them
        return
    with pytest.raises(DataError, match=r"^column 'city' holds text, "):
        judge(ROWS)


@pytest.mark.parametrize("made", [deciban.SVM, deciban.MLPClassifier, deciban.OneClassSVM, deciban.Nystroem])
def test_the_sentence(made):
    with pytest.raises(DataError) as caught:
        made().fit(ROWS, [0, 1] * 10)
    assert str(caught.value) == (
        f"column 'city' holds text, and {made.__name__} takes numbers: code it first (OneHotEncoder)"
    )


def test_the_discriminant_advises_what_there_is():
    with pytest.raises(DataError) as caught:
        deciban.GaussianDiscriminant().fit(ROWS, [0, 1] * 10)
    assert str(caught.value) == (
        "column 'city' holds text, and GaussianDiscriminant takes numbers: code it first (OneHotEncoder), "
        "or use NaiveBayes('auto')"
    )
    deciban.NaiveBayes("auto").fit(ROWS, [0, 1] * 10)
