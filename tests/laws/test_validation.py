"""Checks in a few steps accept, refuse and set what scikit-learn's do."""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import assert_all_finite, check_array, check_random_state, multiclass, validation

from deciban.data import validation as own
from deciban.data.labels import places
from deciban.data.validation import check_classification_targets, check_is_fitted, column_or_1d, validate_data
from deciban.scores import log_posterior, posterior
from deciban.scores.evidence import winners

TABLE = np.arange(12.0).reshape(4, 3)
HOLED, ENDLESS, HUGE = TABLE.copy(), TABLE.copy(), np.full((4, 3), 1.7e308)
HOLED[1, 2], ENDLESS[0, 1] = np.nan, np.inf
ROWS = {
    "doubles": TABLE,
    "singles": TABLE.astype(np.float32),
    "halves": TABLE.astype(np.float16),
    "whole": TABLE.astype(np.int64),
    "swapped": TABLE.astype(">f8"),
    "columns": np.asfortranarray(TABLE),
    "every other": np.arange(24.0).reshape(8, 3)[::2],
    "masked": np.ma.masked_invalid(HOLED),
    "truth": TABLE > 4.0,
    "list": TABLE.tolist(),
    "list of whole numbers": TABLE.astype(int).tolist(),
    "list of both": [[1, 2.5, 3], [True, 0, 1], [2, 2, 2], [0, 0, 0]],
    "list of truth": (TABLE > 4.0).tolist(),
    "list of tuples": [*map(tuple, TABLE.tolist())],
    "list of arrays": [*TABLE],
    "list of text": [["1", "2", "3"]] * 4,
    "list with text": [[1.0, 2.0, "a"]] * 4,
    "list with None": [[1.0, None, 2.0]] * 4,
    "list with NaN": HOLED.tolist(),
    "list with huge numbers": [[10**30, 1, 2]] * 4,
    "ragged list": [[1.0, 2.0, 3.0], [1.0]] * 2,
    "deep list": TABLE[None].tolist(),
    "list of nothing": [[], []],
    "empty list": [],
    "CSR": sparse.csr_array(TABLE),
    "CSR matrix": sparse.csr_matrix(TABLE),
    "CSR of singles": sparse.csr_array(TABLE.astype(np.float32)),
    "CSR of whole numbers": sparse.csr_array(TABLE.astype(np.int32)),
    "CSR of truth": sparse.csr_array(TABLE > 4.0),
    "CSR with NaN": sparse.csr_array(HOLED),
    "CSR without values": sparse.csr_array((4, 3)),
    "CSR without rows": sparse.csr_array((0, 3)),
    "CSR of another width": sparse.csr_array((4, 2)),
    "CSR with long indices": sparse.csr_array(
        (TABLE.ravel(), np.tile(np.arange(3, dtype=np.int64), 4), np.arange(0, 13, 3, dtype=np.int64)), shape=(4, 3)
    ),
    "CSC": sparse.csc_array(TABLE),
    "text": TABLE.astype(str),
    "NaN": HOLED,
    "infinity": ENDLESS,
    "huge": HUGE,
    "no rows": TABLE[:0],
    "no columns": TABLE[:, :0],
    "one axis": TABLE[0],
    "three axes": TABLE[None],
    "another width": TABLE[:, :2].copy(),
}
TARGETS = {
    "whole": np.array([0, 1, 1, 0]),
    "truth": np.array([True, False, True, True]),
    "text": np.array(list("abba")),
    "bytes": np.array([b"a", b"b", b"b", b"a"]),
    "objects": np.array(list("abba"), dtype=object),
    "list": [0, 1, 1, 0],
    "list of text": [*"abba"],
    "list of real numbers": [0.5, 1.0, 2.0, 3.0],
    "list of truth": [True, False, False, True],
    "list of both": [0, 1.5, True, 1],
    "list of bytes": [b"a", b"b", b"b", b"a"],
    "list of NumPy's text": [*np.array(list("abba"))],
    "list of NumPy's numbers": [*np.array([0.5, 1.0, 2.0, 3.0])],
    "list of NumPy's times": [*np.array(["2020-01-01"] * 4, dtype="M8[D]")],
    "list of huge numbers": [10**30, 1, 10**30, 1],
    "list with NaN": [0.5, np.nan, 2.0, 3.0],
    "list with None": ["a", None, "b", "a"],
    "list of columns": [[0], [1], [1], [0]],
    "list of tables": [[0, 1], [1, 0], [1, 1], [0, 0]],
    "empty list": [],
    "real": np.array([0.5, 1.0, 2.0, 3.0]),
    "NaN": np.array([0.5, np.nan, 2.0, 3.0]),
    "infinity": np.array([0.5, -np.inf, 2.0, 3.0]),
    "complex": np.array([1j, 2.0, 2.0, 3.0]),
    "column": np.array([[0], [1], [1], [0]]),
    "table": np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 0.0], [0.0, 0.0]]),
    "short": np.array([0, 1, 1]),
    "none": None,
    "every other": np.arange(8)[::2],
}
OPTIONS = {
    "default": {},
    "linear": {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": False},
    "in C order": {"order": "C", "dtype": [np.float64, np.float32], "ensure_all_finite": False},
    "doubles": {"dtype": np.float64},
    "with NaN": {"ensure_all_finite": "allow-nan"},
    "CSR or CSC": {"accept_sparse": ["csc", "csr"], "accept_large_sparse": False, "dtype": None},
    "any sparse": {"accept_sparse": True, "ensure_all_finite": False},
    "many rows": {"ensure_min_samples": 5},
    "several targets": {"multi_output": True, "y_numeric": True, "ensure_all_finite": False},
}


def outcome(check, model, *given, **options):
    """Return what came out, or the refusal, what was warned of, and what the model knows afterwards."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = check(model, *given, **options)
        except Exception as error:
            found = (type(error), str(error))
    return found, [str(each.message) for each in told], vars(model)


def assert_same(ours, theirs):
    (found, told, known), (expected, warned, fitted) = ours, theirs
    assert told == warned
    assert known.keys() == fitted.keys()
    assert all(np.array_equal(known[name], fitted[name]) for name in known)
    assert type(found) is type(expected)
    if isinstance(expected, tuple) and isinstance(expected[0], type):
        assert found == expected
        return
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for mine, other in pairs:
        if sparse.issparse(other):
            assert type(mine) is type(other)
            assert mine.indices.dtype == other.indices.dtype
            mine, other = mine.toarray(), other.toarray()
        np.testing.assert_array_equal(mine, other, strict=True)
        assert mine.flags.c_contiguous == other.flags.c_contiguous


def model_of(state):
    model = BaseEstimator()
    model.__dict__.update(state)
    return model


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(
    "state",
    [
        {},
        {"n_features_in_": 3},
        {"n_features_in_": 3, "feature_names_in_": np.array(list("abc"), dtype=object)},
    ],
    ids=["new", "fitted", "named"],
)
@pytest.mark.parametrize("reset", [True, False])
def test_rows_are_taken_and_refused_alike(options, rows, state, reset):
    given = {name: value for name, value in OPTIONS[options].items() if name not in ("multi_output", "y_numeric")}
    ours, theirs = (
        outcome(check, model_of(state), ROWS[rows], reset=reset, **given)
        for check in (validate_data, validation.validate_data)
    )
    assert_same(ours, theirs)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("targets", TARGETS)
def test_targets_are_taken_and_refused_alike(options, targets):
    ours, theirs = (
        outcome(check, model_of({}), TABLE, TARGETS[targets], **OPTIONS[options])
        for check in (validate_data, validation.validate_data)
    )
    assert_same(ours, theirs)


@pytest.mark.parametrize("targets", TARGETS)
@pytest.mark.parametrize("warn", [True, False])
def test_columns_become_rows_alike(targets, warn):
    ours, theirs = (
        outcome(lambda model, y, check=check: check(y, warn=warn), model_of({}), TARGETS[targets])
        for check in (column_or_1d, validation.column_or_1d)
    )
    assert_same(ours, theirs)


@pytest.mark.parametrize("given", [*ROWS, *TARGETS])
@pytest.mark.parametrize(
    "options",
    [
        {"ensure_2d": False, "dtype": np.float64, "input_name": "y"},
        {"ensure_2d": False, "dtype": np.float64, "order": "C", "input_name": "sample_weight"},
        {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False},
        {"dtype": np.float64},
    ],
    ids=lambda options: options.get("input_name", "rows"),
)
def test_arrays_are_taken_and_refused_alike(given, options):
    values = {**ROWS, **TARGETS}[given]
    ours, theirs = (
        outcome(lambda model, X, check=check: check(X, **options), model_of({}), values)
        for check in (own.check_array, check_array)
    )
    assert_same(ours, theirs)


@pytest.mark.parametrize("given", [*ROWS, *TARGETS])
def test_what_is_not_finite_is_refused_alike(given):
    values = np.asarray(TARGETS[given], dtype=None) if given in TARGETS else ROWS[given]
    ours, theirs = (
        outcome(lambda model, X, check=check: check(X, input_name="y"), model_of({}), values)
        for check in (own.assert_all_finite, assert_all_finite)
    )
    assert ours == theirs


@pytest.mark.parametrize("given", TARGETS)
def test_lengths_are_compared_alike(given):
    ours, theirs = (
        outcome(lambda model, y, check=check: check(TABLE, y), model_of({}), TARGETS[given])
        for check in (own.check_consistent_length, validation.check_consistent_length)
    )
    assert ours == theirs


@pytest.mark.parametrize("given", [name for name, y in TARGETS.items() if y is not None])
def test_many_labels_a_row_are_known_alike(given):
    def theirs_of(y):
        return multiclass.type_of_target(y) == "multilabel-indicator"

    ours, theirs = (
        outcome(lambda model, y, check=check: check(y), model_of({}), TARGETS[given])
        for check in (own.is_multilabel, theirs_of)
    )
    assert ours[0] == theirs[0] or (ours[0] is False and isinstance(theirs[0], tuple))  # only labels are refused there


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, -1, 1.5, np.int64(3), np.random.RandomState(3), None, True])
def test_seeds_draw_and_are_refused_alike(seed):
    def drawn(check):
        found = check(seed)
        return (found is seed) or (seed is None) or found.randint(2**31, size=3).tolist()

    ours, theirs = (
        outcome(lambda model, check=check: drawn(check), model_of({}))
        for check in (own.check_random_state, check_random_state)
    )
    assert ours == theirs


LABELS = {
    **{name: y for name, y in TARGETS.items() if name != "none"},
    "names of rows": np.arange(40),
    "half of them differ": np.repeat(np.arange(20), 2),
    "a few": np.arange(40) % 3,
    "far apart": np.arange(40) % 3 * 10**12,
    "words": np.array([f"w{k}" for k in range(40)]),
    "few words": np.array([f"w{k % 4}" for k in range(40)]),
    "empty": np.zeros(0, dtype=np.int64),
}


@pytest.mark.parametrize("labels", LABELS)
def test_labels_are_taken_and_refused_alike(labels):
    ours, theirs = (
        outcome(lambda model, y, check=check: check(y), model_of({}), LABELS[labels])
        for check in (check_classification_targets, multiclass.check_classification_targets)
    )
    assert ours == theirs


@pytest.mark.parametrize("state", [{}, {"coef_": 1}, {"_coef_": 1}, {"__coef_": 1}, {"coef": 1}, {"a_": 1, "b": 2}])
@pytest.mark.parametrize("attributes", [None, "coef_", "b"])
def test_who_is_fitted_is_so_for_both(state, attributes):
    class Fits(BaseEstimator):
        def fit(self):
            """Do nothing."""

    def passes(check):
        model = Fits()
        model.__dict__.update(state)
        try:
            check(model, attributes)
        except NotFittedError as error:
            return str(error)
        return "fitted"

    assert passes(check_is_fitted) == passes(validation.check_is_fitted)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u4", "i8", "u8", "f8", "U3", ">i4"])
def test_labels_have_the_places_that_sorting_gives_them(dtype):
    rng = np.random.default_rng(0)
    kind = np.dtype(dtype)
    least, most = (np.iinfo(kind).min, np.iinfo(kind).max) if kind.kind in "iu" else (-5, 5)
    texts = kind.kind == "U"
    for labels_of in (
        rng.integers(0, 100, 50).tolist(),
        [least, most, least],
        [most - 3, most, most - 3],
        [least + 3, least],
    ):
        y = np.array([str(label) for label in labels_of] if texts else labels_of, dtype=kind)
        labels, at = places(y)
        np.testing.assert_array_equal(labels, np.unique(y))
        np.testing.assert_array_equal(labels[at], y)
        assert labels.dtype == y.dtype


def test_two_classes_have_the_posterior_of_two_among_three():
    rng = np.random.default_rng(1)
    b = rng.normal(size=(400, 2)) * 10.0 ** rng.integers(-3, 4, size=(400, 1))
    b[:4] = [[0.0, 0.0], [-np.inf, 1.0], [1.0, -np.inf], [1e300, -1e300]]
    both = log_posterior(np.column_stack([b, np.full(len(b), -np.inf)]))[:, :2]
    np.testing.assert_array_equal(log_posterior(b), both)
    assert not np.signbit(log_posterior(b)[log_posterior(b) == 0.0]).any()
    np.testing.assert_array_equal(winners(b), b.argmax(axis=1))


@pytest.mark.parametrize("classes", [1, 2, 3, 7, 8, 20])
def test_posteriors_are_those_of_exact_sums_to_their_last_digits(classes):
    rng = np.random.default_rng(classes)
    b = rng.normal(size=(12, classes)) * 10.0 ** rng.integers(-3, 3, size=(12, 1))
    b[0], b[1, 1:], b[2, -1:] = 3.0, -np.inf, 700.0
    p, log_p = posterior(b), log_posterior(b)
    for row, found, logs in zip(b.tolist(), p, log_p, strict=True):
        with localcontext(prec=320):  # what is certain but for 1e-304 has a logarithm, too
            each = [Decimal(score).exp() for score in row]
            exact = [term / sum(each) for term in each]
            exact_logs = [float(q.ln()) for q in exact]
        digits = 1e-15 * (4.0 + max(abs(score) for score in row if score > -np.inf))
        np.testing.assert_allclose(found, [float(q) for q in exact], rtol=digits, atol=1e-320)
        np.testing.assert_allclose(logs, exact_logs, rtol=digits)
        np.testing.assert_array_equal(posterior(row), found)
    np.testing.assert_array_equal(posterior(b.reshape(3, 4, classes)), p.reshape(3, 4, classes))
