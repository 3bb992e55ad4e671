"""Arrays whose numbers 32 bits do not hold, and other numbers that are none of theirs, are refused by the core."""

from typing import Any

import numpy as np
import pytest
from extremes import EXTREMES
from hypothesis import given
from hypothesis import strategies as st

from deciban import _core, store
from deciban.text.settings import TextSettings
from tiers import examples

IN_64_BITS = [n for n in EXTREMES if -(2**63) <= n < 2**63]


def _sums(data: Any, indices: Any, indptr: Any, columns: int) -> Any:
    y = np.zeros(max(len(indptr) - 1, 0), np.int64)
    return _core.class_sums((data, indices, indptr, columns), y, None, 1)[0]


@examples(60)
@given(
    places=st.lists(st.one_of(st.integers(0, 3), st.sampled_from(IN_64_BITS)), max_size=4),
    ends=st.lists(st.one_of(st.integers(0, 4), st.sampled_from(IN_64_BITS)), max_size=4),
    columns=st.one_of(st.integers(0, 5), st.sampled_from(EXTREMES)),
    narrow=st.booleans(),
)
def test_parts_of_a_csr_are_summed_where_they_say_or_refused(
    places: list[int], ends: list[int], columns: int, narrow: bool
) -> None:
    kind = np.int32 if narrow else np.int64
    limits = np.iinfo(kind)
    if any(not limits.min <= n <= limits.max for n in (*places, *ends)):
        return
    data, indices, indptr = np.ones(len(places)), np.array(places, kind), np.array([0, *ends], kind)
    right = all(0 <= j < columns for j in places) and ends == sorted(ends) and ends[-1:] in ([], [len(places)])
    right = right and all(0 <= end <= len(places) for end in ends) and 0 <= columns < 2**16
    try:
        found = _sums(data, indices, indptr, columns)
    except (ValueError, TypeError, OverflowError, MemoryError):
        assert not right
        return
    known = np.zeros(columns)
    np.add.at(known, indices[: indptr[-1]], 1.0)
    assert (found[0] == known).all()


@pytest.mark.parametrize("many", [2**32, 2**32 + 3, 2**53])
def test_rows_and_columns_that_32_bits_do_not_number_are_refused(many: int) -> None:
    none = np.zeros(0)
    for kind in (np.int32, np.int64):
        empty = np.zeros(0, kind)
        with pytest.raises(ValueError, match=f"{many} columns are too many: at most 2\\^32 − 1"):
            _core.sizes((none, empty, np.zeros(1, kind), many))
    with pytest.raises(ValueError, match=f"{many} rows are too many: at most 2\\^32 − 1"):
        _core.sizes(np.zeros((many, 0)))


@pytest.mark.parametrize("number", [-(2**63), -(2**32) + 1, -1, 2, 2**31, 2**32, 2**32 + 1, 2**63 - 1])
def test_numbers_that_arrays_of_the_core_give_are_not_cut_off(number: int) -> None:
    """Classes of items, rows of books, places in matrices: 2^32 + 1 is not 1."""
    reader = TextSettings("text").reader()
    corpus = _core.TokenCorpus(reader)
    corpus.add(["a b", "c"])
    wrong, right = np.array([0, number]), np.array([0, 1])
    with pytest.raises(ValueError, match="one known class"):
        corpus.count(reader, right, wrong, 2)
    with pytest.raises(ValueError, match="places of items"):
        corpus.count(reader, wrong, right, 2)
    (book, *_), *_ = corpus.count(reader, right, right, 2)
    rows = np.array([number + len(book) if number == 2 else number])
    for ask in (book.rows, book.packed_names):
        with pytest.raises(ValueError, match="rows from 0 to below 3 are expected"):
            ask(rows)
    with pytest.raises(ValueError, match=r"rows of the book|rows from 0"):
        book.take(rows, np.zeros(2))
    X = np.eye(2)
    with pytest.raises(ValueError, match="classes from 0 to below 2"):
        _core.SharedKernel(X, "rbf", [1.0], np.array([0, number]))
    with pytest.raises(ValueError, match="rows from 0 to below 2"):
        _core.KernelTiles(X, "rbf", [1.0]).within(np.array([number]))
    none, two = np.zeros(4), np.zeros(2)
    with pytest.raises(ValueError, match="numbers are expected"):
        _core.crammer_singer(X, wrong, np.ones(2), none, two, none, two, strength=1.0, constant=1.0, seed=0)


@pytest.mark.parametrize("end", [-(2**31), -1, 5, 2**31 - 1])
def test_ends_of_rows_that_are_none_are_refused_by_networks(end: int) -> None:
    data, indices, w = np.ones(2), np.array([0, 1], np.int32), np.eye(2)
    for ends in ([0, end, 2], [0, 1, end], [end, 1, 2]):
        with pytest.raises(ValueError, match="a CSR and places among its 2 rows"):
            _core.rows_times(data, indices, np.array(ends, np.int32), np.arange(2), w)


def test_a_text_that_32_bits_do_not_measure_is_refused() -> None:
    reader = TextSettings("text").reader()
    with pytest.raises(ValueError, match="texts of at most 4294967294 bytes are expected; item 0 has 4294967296"):
        reader.digest(bytes(2**32))  # zeros that nobody wrote take no memory


@pytest.mark.parametrize("degree", [0.5, 2.0**31, 1e300, np.inf, np.nan])
def test_a_degree_that_is_no_whole_number_is_no_kernel(degree: float) -> None:
    with pytest.raises(ValueError, match='the core knows no kernel "polynomial" of 3'):
        _core.kernel_within(np.eye(2), np.ones(2), "polynomial", [1.0, 1.0, degree])


def test_counts_of_2_53_are_whole_numbers_still() -> None:
    for n in (2**53, 2**53 - 1, 2**32, 2**32 - 1):
        assert store.narrowest(np.array([float(n)])).tolist() == [n]
    rows, places, ends = np.array([2**53 - 1, 1]), np.zeros(2, np.int32), np.arange(3, dtype=np.int32)
    assert _sums(rows, places, ends, 1)[0, 0] == 2**53
