"""A sparse matrix whose parts do not fit together is refused, whatever learns from it or is asked of it."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from estimators import CASES, Case, fitted
from scipy import sparse

from deciban.data.rows import check_sparse
from deciban.errors import DataError

ROWS = [case for case in CASES if "texts" not in case.data]
FORMATS = ["csr", "csc", "coo"]


def _matrix(X: Any, form: str, matrix: bool) -> Any:
    made = (sparse.csr_matrix if matrix else sparse.csr_array)(X).asformat(form)
    return made.copy()


def _set(X: Any, value: int, wide: bool = False) -> None:
    """Put one index of X out of range."""
    names = ("row", "col") if X.format == "coo" else ("indices",)
    for name in names:
        places = getattr(X, name).astype(np.int64 if wide else np.int32)
        places[-1] = value
        if X.format != "coo":
            X.indices = places
        elif hasattr(X, "coords"):
            X.coords = tuple(places if each == name else getattr(X, each) for each in ("row", "col"))
        else:
            setattr(X, name, places)


def _too_large(X: Any) -> None:
    _set(X, max(X.shape))


def _far(X: Any) -> None:
    _set(X, 2**31 - 1)


def _negative(X: Any) -> None:
    _set(X, -1)


def _wraps_around(X: Any) -> None:
    _set(X, 2**32 + 1, wide=True)


def _short(X: Any) -> None:
    if X.format == "coo":
        X.data = X.data[:-1]
    else:
        X.indices = X.indices[:-1]


def _fractions(X: Any) -> None:
    if X.format == "coo":
        _set(X, max(X.shape))
    else:
        X.indices = X.indices.astype(np.float64)


def _descends(X: Any) -> None:
    if X.format == "coo":
        _set(X, -5)
    else:
        X.indptr[1] = len(X.indices) + 7


def _falls(X: Any) -> None:
    if X.format == "coo":
        _set(X, -5)
    else:
        X.indptr[1], X.indptr[2] = X.indptr[2], X.indptr[1]


def _ends_early(X: Any) -> None:
    if X.format == "coo":
        _set(X, -5)
    else:
        X.indptr = X.indptr[:-1]


FAULTS = [_too_large, _far, _negative, _wraps_around, _short, _fractions, _descends, _falls, _ends_early]
FAULTS += [partial(_set, value=value, wide=True) for value in (2**31, 2**32, 2**63 - 1, -(2**63))]
_QUESTIONS = (
    "predict_joint_log_proba",
    "decision_function",
    "predict_log_proba",
    "predict_proba",
    "predict",
    "score_samples",
    "transform",
    "explain",
    "credible_interval",
)


@pytest.mark.pairs
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", ROWS, ids=[case.id for case in ROWS])
def test_a_matrix_with_parts_that_do_not_fit_is_refused(case: Case, form: str, fault: Any) -> None:
    X, y = case.learn()
    model = fitted(case)
    for matrix in (False, True):
        wrong = _matrix(X, form, matrix)
        fault(wrong)
        _refused(lambda wrong=wrong: case.new().fit(wrong, y))
        for learn in ("partial_fit", "forget"):
            if hasattr(model, learn) and _answers(lambda learn=learn: getattr(fitted(case), learn)(X, y)):
                _refused(lambda wrong=wrong, learn=learn: getattr(model, learn)(wrong, y))
        for question in _QUESTIONS:
            if hasattr(model, question) and _answers(lambda question=question: getattr(model, question)(X[:1])):
                _refused(lambda wrong=wrong, question=question: getattr(model, question)(wrong))


def _answers(ask: Any) -> bool:
    """Return whether the model offers a method as it is declared."""
    try:
        ask()
    except (AttributeError, ValueError):
        return False
    return True


def _refused(ask: Any) -> None:
    with pytest.raises(DataError, match="X is not a valid sparse matrix: X"):
        ask()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_a_valid_matrix_passes(form: str, index: Any) -> None:
    for X in (np.eye(4), np.zeros((3, 2)), np.zeros((0, 4)), np.ones((1, 1))):
        given = sparse.csr_array(X).asformat(form)
        for name in ("indices", "indptr"):
            if hasattr(given, name):
                setattr(given, name, getattr(given, name).astype(index))
        assert (check_sparse(given).toarray() == X).all()
