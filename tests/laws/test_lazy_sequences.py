"""Laws of sequences told by a rule: they behave as the tuples of their items, and come back from what a file keeps."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.data.columns import Columns
from deciban.data.lazy_sequences import Numbered, Repeated, names_from, repeated_from
from deciban.models.stored import columns_from, columns_to
from deciban.tables.feature_survey import FeatureSurvey
from deciban.tables.sparse import distinct, places_among, sparse_batches, together
from deciban.tables.svmlight import _STRETCH, svmlight_rows

numbers = st.sets(st.integers(0, 50) | st.integers(0, 10**17), min_size=1, max_size=20).map(sorted)
runs = st.tuples(st.integers(0, 10**6), st.integers(1, 30)).map(lambda run: list(range(run[0], sum(run))))
made = st.one_of(
    st.one_of(numbers, runs).map(lambda own: (Numbered.of(np.array(own)), tuple(map(str, own)))),
    st.tuples(st.sampled_from(["number", None]), st.integers(0, 9)).map(lambda of: (Repeated(*of), (of[0],) * of[1])),
)


@given(made, st.integers(-40, 40), st.integers(-40, 40))
def test_a_rule_is_the_tuple_of_its_items(both, i, j):
    lazy, plain = both
    assert lazy == plain and plain == lazy and hash(lazy) == hash(plain)  # noqa: PT018
    assert [*lazy] == [*plain]
    assert len(lazy) == len(plain)
    assert lazy[i:j] == plain[i:j]
    assert lazy != (*plain, "more")
    if -len(plain) <= i < len(plain):
        assert lazy[i] == plain[i]
    else:
        with pytest.raises(IndexError):
            lazy[i]
    for value in ("number", "07", "-1", "", "1" * 30, None, 7, *plain[:3]):
        assert (value in lazy) == (value in plain)
        assert lazy.count(value) == plain.count(value)
        if value in plain:
            assert lazy.index(value) == plain.index(value)
        else:
            with pytest.raises(ValueError, match=r".*"):
                lazy.index(value)


@given(st.one_of(numbers, runs))
def test_columns_come_back_from_a_file(own):
    names = Numbered.of(np.array(own))
    columns = Columns(names, Repeated("number", len(own)), Repeated(None, len(own)))
    back = columns_from(json.loads(json.dumps(columns_to(columns))))
    assert back == columns
    assert isinstance(back.names, Numbered)
    assert back == Columns(tuple(map(str, own)), ("number",) * len(own), (None,) * len(own))
    assert Columns.from_json(json.loads(json.dumps(columns.to_json()))) == columns


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"first": 1},
        {"first": -1, "count": 3},
        {"first": True, "count": 3},
        {"first": 1, "count": 0},
        {"first": 1, "count": 1 << 50},
        {"first": 1, "count": 3, "steps": [1]},
        {"first": 1, "steps": [1, 0]},
        {"first": 1, "steps": [1, 1.0]},
        {"first": 1, "steps": [10**18 - 1] * 40},
        {"first": 10**18, "steps": []},
        "3",
        None,
    ],
)
def test_names_that_a_damaged_file_tells_are_refused(names):
    with pytest.raises(ValueError, match="columns"):
        names_from(names)


@pytest.mark.parametrize("each", [{}, {"each": "number"}, {"each": [], "count": 2}, {"each": None, "count": -1}, "x"])
def test_types_that_a_damaged_file_tells_are_refused(each):
    with pytest.raises(ValueError, match="columns"):
        repeated_from(each)


@given(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12).map(sorted), min_size=1, max_size=8))
def test_batches_are_one_table(rows):
    told = [(k, "ab"[k % 2], np.array(own, np.int64), np.arange(1.0, len(own) + 1)) for k, own in enumerate(rows)]
    parts = [columns for each in told for _, columns in sparse_batches(iter([each]))]
    features = FeatureSurvey()
    for part in parts:
        features.add(part)
    one, (_, whole) = together(parts, features.indices), next(sparse_batches(iter(told)))
    assert parts == []
    assert one.labels == whole.labels
    assert one.indices.tolist() == whole.indices.tolist() == sorted({j for own in rows for j in own})
    assert (one.matrix.toarray() == whole.matrix.toarray()).all()
    for k, own in enumerate(rows):
        at = np.searchsorted(whole.indices, own)
        assert whole.matrix.toarray()[k, at].tolist() == list(range(1, len(own) + 1))


@given(st.lists(st.integers(0, 99), max_size=50))
def test_distinct_values_and_their_places_are_those_of_numpy(values):
    own = np.array(values, np.int64)
    wanted, index = np.unique(own, return_inverse=True)
    assert distinct(own).tolist() == wanted.tolist()
    assert places_among(wanted, own).tolist() == index.tolist()


@pytest.mark.parametrize("blanks", [" ", "  ", "\t"])
@pytest.mark.parametrize("odd", ["", "qid:3", "77777777:1e5"])
def test_a_long_line_is_read_in_stretches(blanks, odd):
    count = _STRETCH // 4
    pairs = [f"{j}:{j % 7}.5" for j in range(1, count + 1)]
    line = blanks.join(["+1", *pairs[: count // 2], odd, *pairs[count // 2 :]]) + blanks + "# the end\n"
    assert len(line) > 2 * _STRETCH
    (row,) = svmlight_rows(iter([line]), "t")
    more = [77777777] if ":1e5" in odd else []
    assert row[:2] == (1, "1")
    assert row[2].tolist() == [*range(1, count + 1), *more]
    assert row[3].tolist() == [j % 7 + 0.5 for j in range(1, count + 1)] + [1e5] * len(more)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(st.integers(0, 40), finite), max_size=20))
def test_a_plain_line_says_what_one_says_that_is_not(pairs):
    line = "+1 " + " ".join(f"{j}:{x!r}" for j, x in pairs)
    (plain,), (odd,) = svmlight_rows(iter([line]), "t"), svmlight_rows(iter([line + " qid:1"]), "t")
    last = dict(sorted(dict(pairs).items()))
    for row in (plain, odd):
        assert row[:2] == (1, "1")
        assert dict(zip(row[2].tolist(), row[3].tolist(), strict=True)) == last
        assert row[2].tolist() == [*last]
