"""Every transformer gives what `set_output` asks for: the same numbers, named, by the index of the rows."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

import deciban
from deciban import (
    GaussianDiscriminant,
    MutualInformation,
    NaiveBayes,
    Nystroem,
    RandomFourier,
    TextClassifier,
    TextVectorizer,
    TfidfTransformer,
)
from deciban.errors import DataError

TEXTS = ["free money", "lunch at noon", "free free lunch", "see you at noon"] * 5
LABELS = np.array(["spam", "ham", "spam", "ham"] * 5)
NUMBERS = np.random.default_rng(1).poisson(1.0, (20, 5)).astype(float)
TRANSFORMERS = {
    "text": (TextVectorizer(), TEXTS),
    "hashed text": (TextVectorizer(hashed_bits=4), TEXTS),
    "signed text": (TextVectorizer(n_features=8), TEXTS),
    "tf-idf of text": (TextVectorizer(use_idf=True, norm="l2", min_df=2), TEXTS),
    "characters": (TextVectorizer(analyzer="char_wb", words=(2, 3)), TEXTS),
    "patterns": (TextVectorizer(token_pattern=r"\w+"), TEXTS),
    "tf-idf": (TfidfTransformer(), NUMBERS),
    "tf-idf of sparse rows": (TfidfTransformer(), sparse.csr_array(NUMBERS)),
    "mutual information": (MutualInformation(3), NUMBERS),
    "mutual information of sparse rows": (MutualInformation(3), sparse.csr_array(NUMBERS)),
    "Nyström": (Nystroem(n_components=4, random_state=0), NUMBERS),
    "random Fourier": (RandomFourier(n_components=4, random_state=0), NUMBERS),
}


def values(frame):
    return frame.to_numpy()


@pytest.fixture(params=TRANSFORMERS)
def case(request):
    made, X = TRANSFORMERS[request.param]
    return clone(made), X


def test_every_transformer_is_here():
    public = {name for name in deciban.__all__ if hasattr(getattr(deciban, name), "transform")}
    # what classifies and transforms has laws of its own
    public = {name for name in public if not hasattr(getattr(deciban, name), "predict")}
    assert public == {type(made).__name__ for made, _ in TRANSFORMERS.values()}


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_frames_hold_the_same_numbers_under_the_names(case, wanted):
    made, X = case
    plain = clone(made).fit(X, LABELS).transform(X)
    plain = plain.toarray() if sparse.issparse(plain) else plain
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[wanted]
    made.set_output(transform=wanted)
    for frame in (made.fit_transform(X, LABELS), made.transform(X)):
        assert type(frame) is kind
        assert_array_equal(values(frame), plain)
        assert list(frame.columns) == made.get_feature_names_out().tolist()
    again = clone(made).set_output(transform="default").fit(X, LABELS).transform(X)
    assert not isinstance(again, kind)


def test_a_frame_of_pandas_keeps_the_index(case):
    made, X = case
    index = pd.Index(range(100, 120), name="row")
    if isinstance(X, list):
        X = pd.Series(X, index=index)
    elif sparse.issparse(X):
        X = pd.DataFrame.sparse.from_spmatrix(X, index=index)
        X.columns = X.columns.astype(str)
    else:
        X = pd.DataFrame(X, index=index, columns=list("abcde"))
    frame = made.set_output(transform="pandas").fit_transform(X, LABELS)
    assert_array_equal(frame.index, index)


def test_sparse_rows_stay_sparse_in_pandas():
    for name in ("text", "tf-idf", "mutual information of sparse rows"):
        made, X = TRANSFORMERS[name]
        frame = clone(made).set_output(transform="pandas").fit_transform(X, LABELS)
        assert all(isinstance(dtype, pd.SparseDtype) for dtype in frame.dtypes)


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_frames_go_through_pipelines_and_column_transformers(wanted):
    model = make_pipeline(TextVectorizer(), MutualInformation(4), NaiveBayes()).set_output(transform=wanted)
    assert model.fit(TEXTS, LABELS).score(TEXTS, LABELS) == 1.0
    frame = pd.DataFrame({"text": TEXTS, "n": NUMBERS[:, 0]})
    columns = ColumnTransformer([("words", TextVectorizer(), "text"), ("n", "passthrough", ["n"])])
    columns.set_output(transform="pandas")
    assert list(columns.fit_transform(frame).columns)[:2] == ["words__at", "words__free"]


OF_NUMBERS = {
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcde")),
    "pandas of Arrow": lambda X: pd.DataFrame(X, columns=list("abcde")).astype("double[pyarrow]"),
    "polars": lambda X: pl.DataFrame(X, schema=list("abcde")),
    "pyarrow": lambda X: pa.table({name: X[:, j] for j, name in enumerate("abcde")}),
    "narwhals": lambda X: nw.from_native(pl.DataFrame(X, schema=list("abcde"))),
}
OF_TEXTS = {
    "pandas": pd.Series,
    "pandas of Arrow": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "polars": pl.Series,
    "pyarrow": lambda texts: pa.chunked_array([texts[:5], texts[5:]]),
    "array": lambda texts: np.array(texts, dtype=object),
}


def bytes_of(rows):
    """The numbers of rows of whatever kind, row by row."""
    rows = rows.toarray() if sparse.issparse(rows) else rows.to_numpy() if hasattr(rows, "to_numpy") else rows
    return np.ascontiguousarray(rows, dtype=np.float64).tobytes()


@pytest.mark.parametrize("wanted", ["default", "pandas", "polars"])
@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("name", [name for name, (_, X) in TRANSFORMERS.items() if not sparse.issparse(X)])
def test_any_frame_gives_the_bytes_that_an_array_gives(name, kind, wanted):
    made, X = TRANSFORMERS[name]
    plain = clone(made).fit(X, LABELS)
    frame = list((OF_TEXTS if isinstance(X, list) else OF_NUMBERS).values())[kind](X)
    model = clone(made).set_output(transform=wanted)
    for rows in (model.fit_transform(frame, LABELS), model.transform(frame)):
        assert bytes_of(rows) == bytes_of(plain.transform(X))
        if wanted != "default":
            assert list(rows.columns) == model.get_feature_names_out().tolist()
    if not isinstance(X, list):
        names = model.get_feature_names_out().tolist()
        assert set(names) <= set("abcde") or not set(names) & set("abcde")
        with pytest.raises(DataError, match=r"^Expected a data frame with its rows; came polars.LazyFrame, which is"):
            clone(made).fit(pl.LazyFrame(X, schema=list("abcde")), LABELS)


@pytest.mark.parametrize("kind", OF_TEXTS)
def test_texts_of_any_frame_are_classified_alike(kind):
    plain = TextClassifier("naive-bayes").fit(TEXTS, LABELS)
    model = TextClassifier("naive-bayes").fit(OF_TEXTS[kind](TEXTS), LABELS)
    assert bytes_of(model.predict_proba(OF_TEXTS[kind](TEXTS))) == bytes_of(plain.predict_proba(TEXTS))
    assert model.explain(OF_TEXTS[kind](TEXTS[:1])) == plain.explain(TEXTS[:1])


@pytest.mark.parametrize("kind", OF_NUMBERS)
def test_axes_of_discriminants_come_in_frames(kind):
    model = GaussianDiscriminant().set_output(transform="polars").fit(OF_NUMBERS[kind](NUMBERS), LABELS)
    rows = model.transform(OF_NUMBERS[kind](NUMBERS))
    assert rows.columns == model.get_feature_names_out().tolist()
    assert bytes_of(rows) == bytes_of(GaussianDiscriminant().fit(NUMBERS, LABELS).transform(NUMBERS))
