"""Laws of typed columns: any container of the same table, the same matrix; descriptions add up like sets."""

import json
import math
import subprocess
import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from rich.cells import cell_len
from scipy import sparse

from deciban.data.columns import Columns
from deciban.data.frame import columns_of, is_frame
from tiers import examples

VALUES = {
    "category": st.sampled_from(["clerk", "nurse", "교사", "간호사", "", "a b", "Zoë", "10", "nan"]),
    "whole": st.integers(-3, 3) | st.sampled_from([2**40, -(2**40)]),
    "number": st.floats(-1e9, 1e9) | st.just(0.5),
    "truth": st.booleans(),
}
POLARS = {"category": pl.String, "whole": pl.Int64, "number": pl.Float64, "truth": pl.Boolean}
NULLABLE = {"category": "string", "whole": "Int64", "number": "Float64", "truth": "boolean"}
NAMES = st.lists(st.sampled_from(["age", "나이", "job title", "직업", "x" * 40]), min_size=1, max_size=4, unique=True)


@st.composite
def tables(draw, count=1, missing=True):
    """Kinds by name, then `count` tables as values by name; no column is all missing."""
    kinds = {name: draw(st.sampled_from(list(VALUES))) for name in draw(NAMES)}
    parts = []
    for _ in range(count):
        n = draw(st.integers(1, 7))
        cells = {kind: st.none() | VALUES[kind] if missing else VALUES[kind] for kind in VALUES}
        part = {name: draw(st.lists(cells[kind], min_size=n, max_size=n)) for name, kind in kinds.items()}
        for name, kind in kinds.items():
            part[name][draw(st.integers(0, n - 1))] = draw(VALUES[kind])
        parts.append(part)
    return kinds, *parts


def polars(kinds, part):
    return pl.DataFrame({name: pl.Series(name, part[name], dtype=POLARS[kind]) for name, kind in kinds.items()})


def pandas(kinds, part, dtype=None):
    return pd.DataFrame(part).astype({name: dtype for name in kinds if dtype and kinds[name] == "category"})


def nullable(kinds, part):
    return pd.DataFrame({name: pd.array(part[name], NULLABLE[kind]) for name, kind in kinds.items()})


def objects(kinds, part, missing=None):
    array = np.array(list(part.values()), dtype=object).T
    array[array == None] = missing  # noqa: E711
    return array


CONTAINERS = {
    "polars": polars,
    "polars Categorical": lambda *drawn: polars(*drawn).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "narwhals": lambda *drawn: nw.from_native(polars(*drawn)),
    "pandas": pandas,
    "pandas object": lambda *drawn: pandas(*drawn, object),
    "pandas category": lambda *drawn: pandas(*drawn, "category"),
    "pandas nullable": nullable,
    "object array": objects,
    "object array with NaN": lambda *drawn: objects(*drawn, float("nan")),
    "rows": lambda *drawn: objects(*drawn).tolist(),
}
everywhere = pytest.mark.parametrize("container", CONTAINERS.values(), ids=list(CONTAINERS))


def by_the_definition(kind, learnt, value):
    """What a cell is in the matrix, and whether it is a label that was not learnt."""
    if value is None or kind != "category":
        return math.nan if value is None else float(value), False
    labels = sorted(set(learnt) - {None})
    return (labels.index(value), False) if value in labels else (len(labels), True)


@everywhere
@examples(5)
@given(drawn=tables(count=2))
def test_any_container_gives_the_matrix_of_the_definition(container, drawn):
    kinds, learnt, other = drawn
    table = columns_of(container(kinds, learnt))
    assert columns_of(table) is table
    columns = Columns.infer(container(kinds, learnt))
    assert columns == Columns.infer(table)
    for part, X in ((learnt, table), (learnt, container(kinds, learnt)), (other, container(kinds, other))):
        cells = [[by_the_definition(kinds[name], learnt[name], value) for value in part[name]] for name in kinds]
        matrix = columns.matrix(X)
        assert matrix.dtype == np.float64
        assert matrix.flags.c_contiguous
        assert_array_equal(matrix.T, [[code for code, _ in column] for column in cells])
        assert_array_equal(columns.unseen(matrix).T, [[unseen for _, unseen in column] for column in cells])


@everywhere
@examples(5)
@given(drawn=tables(missing=False))
def test_any_container_gives_the_same_description(container, drawn):
    kinds, part = drawn
    columns = Columns.infer(container(kinds, part))
    assert columns.kinds == tuple(kinds.values())
    assert columns.categories == tuple(tuple(sorted({*part[n]})) if kinds[n] == "category" else None for n in kinds)
    assert columns.names == (tuple(kinds) if is_frame(container(kinds, part)) else tuple(range(len(kinds))))


@given(drawn=tables(), order=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(drawn, order):
    for X in (polars(*drawn), objects(*drawn)):
        assert Columns.infer(X) == Columns.infer(X[order.sample(range(len(X)), len(X))])


@given(drawn=tables(count=3))
def test_descriptions_add_up_like_sets(drawn):
    kinds, *parts = drawn
    frames = [polars(kinds, part) for part in parts]
    a, b, c = map(Columns.infer, frames)
    assert a.union(a) == a
    assert a.union(b) == b.union(a)
    assert a.union(b).union(c) == a.union(b.union(c))
    assert a.union(b) == a.union(b).union(b) == a.widen(frames[1]) == Columns.infer(pl.concat(frames[:2]))


@given(drawn=tables(count=2))
def test_codes_move_to_the_codes_of_the_wider_description(drawn):
    kinds, *parts = drawn
    frames = [polars(kinds, part) for part in parts]
    narrow = Columns.infer(frames[0])
    wider = narrow.widen(frames[1])
    moved = narrow.matrix(frames[0])
    for j, new in enumerate(narrow.recoding(wider)):
        assert (new is None) == (narrow.categories[j] == wider.categories[j])
        if new is not None:
            assert len(new) == len(narrow.categories[j])
            known = ~np.isnan(moved[:, j])
            moved[known, j] = new[moved[known, j].astype(int)]
    assert_array_equal(moved, wider.matrix(frames[0]))


@given(drawn=tables())
def test_a_description_survives_json(drawn):
    for columns in (Columns.infer(polars(*drawn)), Columns.infer(objects(*drawn))):
        again = Columns.from_json(json.loads(json.dumps(columns.to_json())))
        assert repr(again) == repr(columns)
        assert hash(again) == hash(columns)


@given(drawn=tables())
def test_a_person_reads_what_was_written(drawn):
    kinds, part = drawn
    columns = Columns.infer(polars(*drawn))
    X = columns.matrix(polars(*drawn))
    for j, (name, kind) in enumerate(kinds.items()):
        for code, value in zip(X[:, j], part[name], strict=True):
            label = columns.label(j, code)
            if kind == "number" and value is not None:
                assert math.isclose(float(label), value, rel_tol=1e-5)
            else:
                assert label == ("(missing)" if value is None else str(value))
        if kind == "category":
            assert columns.label(j, float(len(columns.categories[j]))) == "(unseen)"


@given(drawn=tables())
def test_print_is_aligned_and_fits_80_columns(drawn):
    columns = Columns.infer(polars(*drawn))
    head, *lines = str(columns).splitlines()
    assert len(lines) == len(columns.names)
    for line, kind in zip(lines, columns.kinds, strict=True):
        assert cell_len(line) <= 80
        assert cell_len(line[: line.rindex(f" {kind}")]) == head.index(" kind")


def test_print_in_korean():
    frame = pl.DataFrame({"직업": ["교사", "간호사", "교사"], "나이": [39, 50, 28], "own": [True, False, None]})
    assert str(Columns.infer(frame)).splitlines() == [
        "column  kind      categories",
        "직업    category           2  간호사, 교사",
        "나이    whole",
        "own     truth",
    ]
    assert str(Columns.infer(np.eye(50))).splitlines()[-1] == "and 10 more columns"


@pytest.mark.parametrize("dtype", [pl.UInt8, pl.Int128, pl.Float32, pl.Decimal(10, 2), "category", "float32"], ids=str)
def test_numbers_may_be_labels(dtype):
    codes = [3, 1, 3, 2]
    frame = pd.DataFrame({"code": codes}, dtype=dtype) if isinstance(dtype, str) else pl.DataFrame({"code": codes})
    frame = frame if isinstance(dtype, str) else frame.cast(dtype)
    columns = Columns.infer(frame, {"code": "category"})
    assert columns == Columns(("code",), ("category",), ((1, 2, 3),))
    assert_array_equal(columns.matrix(frame)[:, 0], [2, 0, 2, 1])
    later = pd.DataFrame({"code": [2, None, 7, 2.5]})  # which pandas turns into floats
    assert_array_equal(columns.matrix(later)[:, 0], [1, np.nan, 3, 3])
    assert columns.widen(later).categories == ((1, 2, 2.5, 3, 7),)
    rows = [[value] for value in frame["code"].to_list()]
    assert Columns.infer(rows, {0: "category"}).categories == ((1, 2, 3),)


def test_labels_of_many_digits_are_exact_beside_missing_ones():
    codes = [2**53, 2**53 + 1, None]
    for frame in (pl.DataFrame({"id": codes}), pd.DataFrame({"id": pd.array(codes, dtype="Int64")})):
        columns = Columns.infer(frame, {"id": "category"})
        assert columns.categories == ((2**53, 2**53 + 1),)
        assert_array_equal(columns.matrix(frame)[:, 0], [0, 1, np.nan])


def test_truth_values_may_be_labels_and_text_may_be_numbers():
    frame = pl.DataFrame({"own": [True, None, False], "age": ["39", None, "1e2"]})
    assert Columns.infer(frame, {"own": "category"}).categories[0] == (False, True)
    columns = Columns.infer(frame, {"own": "number", "age": "number"})
    assert columns.kinds == ("number", "number")
    assert_array_equal(columns.matrix(frame), [[1, 39], [np.nan, np.nan], [0, 100]])
    assert columns.label(1, 1e300) == "1e+300"
    whole, number = Columns.infer([[1]]), Columns.infer([[0.5]])
    assert whole.union(number) == number.union(whole) == whole.widen([[0.5]]) == number


def test_declared_outcomes_are_known_and_storage_declares_nothing():
    values, declared = ["b", None], ["b", "c", "a"]
    columns = [pd.DataFrame({"x": pd.Categorical(values, declared, ordered=ordered)}) for ordered in (True, False)]
    for column in (*columns, pl.Series("x", values, dtype=pl.Enum(declared)).to_frame()):
        assert Columns.infer(column).categories == (("a", "b", "c"),)
        assert Columns.infer(column[1:]).categories == (("a", "b", "c"),)  # though every value is missing
    other = pl.Series(["only", "elsewhere"], dtype=pl.Categorical)  # polars knows its labels from now on
    assert Columns.infer(pl.Series("x", values, dtype=other.dtype).to_frame()).categories == (("b",),)


def test_a_later_column_may_be_all_missing():
    columns = Columns.infer(pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": [True, False]}))
    for later in (*(pd.DataFrame([[empty] * 3], columns=[*"abc"]) for empty in (None, np.nan, pd.NA)), [[None] * 3]):
        assert columns.widen(later).categories == columns.categories
        assert np.isnan(columns.matrix(later)).all()


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8, bool])
def test_plain_and_sparse_arrays_are_typed_by_their_dtype(dtype):
    X = np.array([[1, 0, 0], [0, 1, 0]], dtype=dtype)
    columns = Columns.infer(X)
    kind = {"f": "number", "b": "truth"}.get(X.dtype.kind, "whole")
    assert columns == Columns((0, 1, 2), (kind,) * 3, (None,) * 3)
    for same in (X, np.asfortranarray(X), X.astype(object), X.tolist(), pd.DataFrame(X), sparse.csr_array(X)):
        before, found = str(same), columns.matrix(same)
        assert Columns.infer(same) == columns
        assert_array_equal(found.toarray() if sparse.issparse(found) else found, X)
        assert found.format == "csr" if sparse.issparse(same) else found.flags.c_contiguous
        assert not columns.unseen(found).any()
        found *= 0.0  # a copy
        assert str(same) == before


def test_text_arrays_masked_arrays_and_scalars_of_numpy_and_pandas():
    assert Columns.infer(np.array([["b", "x"], ["a", "x"]])).categories == (("a", "b"), ("x",))
    masked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    assert_array_equal(Columns.infer(masked).matrix(masked), [[1, np.nan], [3, 4]])
    mixed = [[np.int8(3), np.float32(0.5), np.True_, np.str_("a"), pd.NA], [None, pd.NA, np.nan, pd.NaT, "b"]]
    columns = Columns.infer(mixed)
    assert columns.kinds == ("whole", "number", "truth", "category", "category")
    assert_array_equal(columns.matrix(mixed), [[3, 0.5, 1, 0, np.nan], [np.nan] * 4 + [0]])


def test_columns_may_be_named_by_numbers_and_have_a_likelihood():
    frame = pd.DataFrame({7: [1, 2], "b": ["x", "y"], 8: [True, False], 9: [0.5, 1.0], 10: [3, 4]})
    columns = Columns.infer(frame, {7: "category"})
    assert columns.names == (7, "b", 8, 9, 10)
    assert columns.likelihoods() == ("categorical", "categorical", "bernoulli", "gaussian", "gaussian")
    assert_array_equal(columns.matrix([[2, "x", True, 1.5, 5]]), [[1, 0, 1, 1.5, 5]])  # without names: by place


def test_frames_are_told_apart_and_arrays_read_without_their_libraries():
    assert all(map(is_frame, [pd.DataFrame(), pl.DataFrame(), pl.LazyFrame(), nw.from_native(pl.LazyFrame())]))
    others = [np.eye(2), [[1]], sparse.eye(2), pd.Series([1]), pl.Series([1]), "text", None]
    assert not any(map(is_frame, others))
    program = (
        "import sys; from deciban.data.columns import Columns; Columns.infer([[1, 'a']]).matrix([[2, 'b']]); "
        "print(*{'narwhals', 'pandas', 'polars', 'pyarrow', 'sklearn', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_real_tables_read_alike(data):
    for name in ("adult.csv", "mushroom.csv"):
        one = pl.read_csv(data(name), n_rows=3000)
        two = pd.read_csv(data(name), nrows=3000, keep_default_na=False, na_values=[""])
        columns = Columns.infer(one)
        assert columns == Columns.infer(two)
        assert_array_equal(columns.matrix(one), columns.matrix(two))
