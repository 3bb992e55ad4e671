"""Refusals of tables as typed columns, word for word."""

import datetime as dt
import re
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from deciban.data.columns import Columns
from deciban.errors import DataError

FRAME = pd.DataFrame({"age": [39, 50], "직업": ["clerk", "nurse"], "own": [True, False]})
LEARNT = Columns.infer(FRAME)
CORRECT = "Correct it, or leave it empty (None or NaN)."
AS_LEARNT = "Bring the column in the type in which it was learnt."
NO_DATES = "expected numbers, text or truth values; came dates or times"
DATES = "Make a column of what matters in them, such as the weekday or the days since a date, or leave them out."
AS_TEXT = "Write its cells as text or numbers, such as with astype(str), or leave the column out."
RESHAPE = (
    "Reshape your data: rows of equal length, one an example; X.reshape(-1, 1) makes a single column of it, "
    "X.reshape(1, -1) a single row."
)
SHOULD_MATCH = "The feature names should match those that were passed during fit.\n"
FROM = "The columns were learnt from age, 직업, own."


@contextmanager
def refused(text, kind=DataError):
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("X", "text"),
    [
        ([[1], ["a"], [None], [3.5]], "column 0: expected values of one type; came 1 in row 0 (number) and 'a' in row 1"
         " (text). Make all numbers, or all text."),
        (pd.DataFrame({"직업": [None, "a", True]}), "column '직업': expected values of one type; came 'a' in row 1"
         " (text) and True in row 2 (truth). Make all numbers, or all text."),
        (pl.DataFrame({"t": [dt.date(2020, 1, 1)]}),
         f"column 't': {NO_DATES} (Date). {DATES}"),
        (pl.DataFrame({"t": [dt.time(1)]}),
         f"column 't': {NO_DATES} (Time). {DATES}"),
        (pd.DataFrame({"t": pd.to_timedelta([1], unit="ns")}),
         f"column 't': {NO_DATES} (Duration(time_unit='ns')). {DATES}"),
        ([[1], [dt.datetime(2020, 1, 1)]],
         f"column 0: {NO_DATES} (datetime). {DATES}"),
        (np.array([["2020-01-01"]], dtype="datetime64[ns]"),
         f"column 0: {NO_DATES} (datetime64[ns]). {DATES}"),
        ([[1.0], [1j]], "Complex data not supported: column 0, row 1 is 1j."),
        (np.eye(2) * 1j, "Complex data not supported: column 0, row 0 is 1j."),
        (sparse.csr_array(np.eye(2) * 1j),
         "Expected a sparse matrix of real numbers; its dtype is complex128. Use astype(float)."),
        (pl.LazyFrame({"a": [1]}),
         "Expected a data frame with its rows; came polars.LazyFrame, which is lazy: collect() it first."),
        (pd.DataFrame([[1, 2, 3]], columns=["b", "a", "a"]),
         "Expected columns of different names; column 'a' is there twice. Rename one."),
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
         "Expected column names that are text or whole numbers; came ('a', 1) (tuple). "
         "Rename the columns, such as with frame.columns = [...]."),
        (pd.DataFrame([[1]], columns=[1.5]),
         "Expected column names that are text or whole numbers; came 1.5 (float). "
         "Rename the columns, such as with frame.columns = [...]."),
        (FRAME[:0], "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required."),
        (FRAME[[]], "Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required."),
        (pl.DataFrame(), "Found array with 0 feature(s) (shape=(0, 0)) while a minimum of 1 is required."),
        (np.zeros((3, 0)), "Found array with 0 feature(s) (shape=(3, 0)) while a minimum of 1 is required."),
        (sparse.csr_array((0, 3)), "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required."),
        ([1, 2], f"Expected 2D array, got 1D array instead. {RESHAPE}"),
        (pd.Series([1, 2]), f"Expected 2D array, got 1D array instead. {RESHAPE}"),
        ([[1], [1, 2]], f"Expected 2D array, got 1D array instead. {RESHAPE}"),
        (np.zeros((1, 1, 1)), f"Expected 2D array, got 3D array instead. {RESHAPE}"),
        ("text", f"Expected 2D array, got 0D array instead. {RESHAPE}"),
        ([np.zeros((2, 2)), np.zeros((2, 3))],
         "Expected rows of equal length; they differ. Write None where a value is missing."),
        (pd.DataFrame({"x": pd.Categorical(["a"], categories=["a", 1])}), "column 'x': expected values of one type;"
         " came 'a' in row 0 (text) and 1 in row 1 (number). Make all numbers, or all text."),
        (pl.DataFrame({"x": [None]}), "column 'x': expected values; all are missing, and so is what they would be. "
         "Say 'category' or 'number' for the column, or leave it out."),
        (pd.DataFrame({"\x1b[2J": ["a", 1]}), "column '\\x1b[2J': expected values of one type; came 'a' in row 0"
         " (text) and 1 in row 1 (number). Make all numbers, or all text."),
    ],
)  # fmt: skip
def test_what_columns_cannot_be_learnt_from(X, text):
    with refused(text):
        Columns.infer(X)


@pytest.mark.parametrize(
    ("X", "column", "row", "kind"),
    [
        (np.array([[1.0], [{"foo": "bar"}]], dtype=object), "column 0", 1, "dict"),
        ([["a"], [b"b"]], "column 0", 1, "bytes"),
        (pl.DataFrame({"x": [None, [1, 2]]}), "column 'x'", 1, "list"),
        (pl.DataFrame({"x": [{"a": 1}]}), "column 'x'", 0, "dict"),
        (pl.DataFrame({"x": [b"a"]}), "column 'x'", 0, "bytes"),
        (pd.DataFrame({"x": pd.cut([1, 5], 2)}), "column 'x'", 0, "Interval"),
        (pd.DataFrame({"x": ["a"] * 200 + [{}]}), "column 'x'", 200, "dict"),
    ],
)
def test_cells_that_are_neither_text_nor_numbers(X, column, row, kind):
    with refused(f"{column}, row {row}: argument must be a string or a number, not '{kind}'. {AS_TEXT}", TypeError):
        Columns.infer(X)


def test_the_words_that_scikit_learn_looks_for():
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        Columns.infer([[{}]])
    with pytest.raises(ValueError, match=r"X has 1 features, but \w+ is expecting 3 features as input"):
        LEARNT.matrix([[1]])
    for X, text in [
        (np.zeros((3, 0)), "0 feature(s) (shape=(3, 0)) while a minimum of 1 is required."),
        (np.zeros(3), "Reshape your data"),
        (np.eye(2) * 1j, "Complex data not supported"),
    ]:
        with pytest.raises(ValueError, match=re.escape(text)):
            Columns.infer(X)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"aeg": "category"}, "Expected columns to be named that are there; came column 'aeg'. Did you mean 'age'?"),
        ({7: "category"}, "Expected columns to be named that are there; came column 7. There are age, 직업, own."),
        ({"age": "text"}, "column 'age': expected 'category', 'number' or None; came 'text'."),
    ],
)
def test_wishes_for_columns_that_are_not_there(wanted, text):
    with refused(text, ValueError):
        Columns.infer(FRAME, wanted)


def test_wishes_that_the_values_cannot_meet():
    with refused(f"column '직업', row 0: expected a number; came 'clerk'. {CORRECT}"):
        Columns.infer(FRAME, {"직업": "number"})
    long = pl.DataFrame({"x": [None, "1", None, "1", "x" * 50]})
    with refused(f"column 'x', row 4: expected a number; came '{'x' * 39}…'. {CORRECT}"):
        Columns.infer(long, {"x": "number"})
    with refused("column 0: expected labels; came infinity. Mark it as missing."):
        Columns.infer([[1.5], [np.inf]], {0: "category"})
    dense = "Expected a dense array, as some columns are categories; came a sparse matrix: use toarray()."
    with refused(dense):
        Columns.infer(sparse.csr_array(np.eye(2)), {1: "category"})
    for read in (LEARNT.matrix, LEARNT.widen):
        with refused(dense):
            read(sparse.csr_array(np.ones((1, 3))))


@pytest.mark.parametrize(
    ("X", "text"),
    [
        (FRAME[["own", "age", "직업"]],
         f"{SHOULD_MATCH}Feature names must be in the same order as they were in fit.\n{FROM}"),
        (FRAME.drop(columns="age"), f"{SHOULD_MATCH}Feature names seen at fit time, yet now missing:\n- age\n{FROM}"),
        (FRAME.assign(wage=1), f"{SHOULD_MATCH}Feature names unseen at fit time:\n- wage\n{FROM}"),
        (FRAME.rename(columns={"직업": "job"}), f"{SHOULD_MATCH}Feature names unseen at fit time:\n- job\n"
         f"Feature names seen at fit time, yet now missing:\n- 직업\n{FROM}"),
        (FRAME.assign(**{f"x{i}": 1 for i in range(7)}), f"{SHOULD_MATCH}Feature names unseen at fit time:\n"
         f"- x0\n- x1\n- x2\n- x3\n- x4\n- …\n{FROM}"),
        ([[1, "a"]], "X has 2 features, but deciban is expecting 3 features as input: age, 직업, own. "
         "Bring these columns, in this order."),
    ],
)  # fmt: skip
def test_tables_of_other_columns(X, text):
    for read in (LEARNT.matrix, LEARNT.widen):
        with refused(text):
            read(X)


def test_a_frame_for_what_was_learnt_by_place():
    with refused(
        f"{SHOULD_MATCH}Feature names unseen at fit time:\n- a\nFeature names seen at fit time, yet now missing:\n"
        "- 0\n- 1\nThe columns were learnt from an array, by place: bring an array."
    ):
        Columns.infer([[1, 2]]).matrix(pd.DataFrame({"a": [1]}))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"age": ["39", "old"]}, f"column 'age', row 1: expected a number; came 'old'. {CORRECT}"),
        ({"age": [1, np.inf]}, f"column 'age', row 1: expected a finite number; came inf. {CORRECT}"),
        (
            {"age": pd.Series([1, 10**400], dtype=object)},
            f"column 'age', row 1: expected a number; came 1{'0' * 38}…. {CORRECT}",
        ),
        ({"직업": [None, 3]}, f"column '직업', row 1: expected text, as learnt; came 3.0. {AS_LEARNT}"),
        ({"직업": [True, None]}, f"column '직업', row 0: expected text, as learnt; came True. {AS_LEARNT}"),
        ({"own": [None, "yes"]}, f"column 'own', row 1: expected true or false, as learnt; came 'yes'. {AS_LEARNT}"),
        ({"own": [1, 2]}, f"column 'own', row 1: expected true or false, as learnt; came 2. {CORRECT}"),
    ],
)
def test_columns_whose_type_has_changed(change, text):
    with refused(text):
        LEARNT.matrix(FRAME.assign(**change))


def test_labels_of_another_type():
    codes = Columns.infer(FRAME, {"age": "category", "own": "category"})
    changed = FRAME.assign(age=["x", "y"])
    for read in (codes.matrix, codes.widen):
        with refused(f"column 'age', row 0: expected labels that are numbers, as learnt; came 'x'. {AS_LEARNT}"):
            read(changed)
    with refused(
        "column 'own': expected labels of one type; came False (truth value) and 1 (number). "
        "Turn the column into one of them, such as with astype(str)."
    ):
        codes.widen(FRAME.assign(own=[1, 2]))


def test_sparse_values_are_checked_where_they_stand():
    truth = Columns.infer(np.eye(3, dtype=bool))
    with refused(f"column 2, row 1: expected true or false, as learnt; came 2. {CORRECT}"):
        truth.matrix(sparse.coo_array(([1.0, 2.0], ([0, 1], [0, 2])), shape=(2, 3)))
    halves = sparse.csr_array(([0.5, 0.5], [1, 1], [0, 2]), shape=(1, 3))
    assert truth.matrix(halves).data.tolist() == [1.0]  # cells that are stored twice are added first
    with refused(f"column 0, row 2: expected a finite number; came -inf. {CORRECT}"):
        Columns.infer(np.eye(2)).matrix(sparse.csc_matrix(([-np.inf], ([2], [0])), shape=(3, 2)))


def test_descriptions_that_do_not_add_up():
    with refused(
        "Expected descriptions of the same columns.\nFeature names seen at fit time, yet now missing:\n- own\n" + FROM
    ):
        LEARNT.union(Columns.infer(FRAME[["age", "직업"]]))
    with refused(
        "column 'age': expected one kind in both descriptions; came whole and category. "
        "Say which is meant, 'category' or 'number', where they are learnt."
    ):
        LEARNT.union(Columns.infer(FRAME, {"age": "category"}))
    with refused("Expected a description with all labels of this one; some are not there. Use the union."):
        LEARNT.recoding(Columns.infer(FRAME[:1]))


class Unreadable:
    """Says it is a frame, and is none that one can read."""

    columns = ("a",)
    __dataframe__ = None


def test_frames_that_nothing_reads():
    with refused(
        "Expected a data frame that narwhals reads; came test_column_errors.Unreadable. "
        "Turn it into one of pandas, polars or pyarrow."
    ):
        Columns.infer(Unreadable())
