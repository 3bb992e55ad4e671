"""Threads that teach one model: what all of them learnt is what one thread learns, to the bit."""

import copy
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import numpy as np
import pytest
from estimators import CASES, Case

from deciban import NaiveBayes
from deciban.data.transaction import all_or_nothing

THREADS, PIECES = 4, 6
ADDS = ("bayes", "discriminant", "least", "ridge", "texts-bayes", "texts-bernoulli")


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _learns(case: Case) -> bool:
    X, y = case.learn()
    try:
        case.new().partial_fit(X, y)
    except (AttributeError, ValueError):
        return False
    return True


IN_PIECES = [case for case in CASES if hasattr(case.estimator, "partial_fit") and _learns(case)]


def _state(model: Any, folder: Path) -> bytes:
    model.save(folder / "model.deciban")
    return (folder / "model.deciban").read_bytes()


def _together(model: Any, pieces: list[list[Any]], learn: str = "partial_fit") -> None:
    """Each list is one thread's."""
    barrier, wrong = Barrier(len(pieces)), []

    def work(own: list[Any]) -> None:
        barrier.wait()
        try:
            for X, y in own:
                getattr(model, learn)(X, y)
        except BaseException as error:
            wrong.append(error)

    threads = [Thread(target=work, args=(own,)) for own in pieces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def _pieces(case: Case, same: bool) -> tuple[Any, list[list[Any]]]:
    """A piece with all classes to begin with, and what each thread learns."""
    X, y = case.learn()
    n = len(y) if y is not None else len(X)
    parts = np.array_split(np.arange(n), THREADS * PIECES)
    parts = [parts[0]] * len(parts) if same else parts

    def rows(part: Any) -> Any:
        some = [X[i] for i in part] if isinstance(X, list) else X[part]
        return some, None if y is None else y[part]

    return (X, y), [[rows(part) for part in parts[k::THREADS]] for k in range(THREADS)]


@pytest.mark.parametrize("case", IN_PIECES, ids=[case.id for case in IN_PIECES])
def test_no_piece_is_lost(case: Case, tmp_path: Path) -> None:
    adds = case.id.startswith(ADDS)
    first, pieces = _pieces(case, same=not adds)
    one, many = (case.new().partial_fit(*first) for _ in range(2))
    for own in pieces:
        for piece in own:
            one.partial_fit(*piece)
    _together(many, pieces)
    assert _state(many, tmp_path) == _state(one, tmp_path)
    if hasattr(many, "forget") and adds:
        for own in pieces:
            for piece in own:
                one.forget(*piece)
        _together(many, pieces, "forget")
        assert _state(many, tmp_path) == _state(one, tmp_path)


def test_locks_are_no_part_of_a_model() -> None:
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    model = NaiveBayes().partial_fit(X, y)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert vars(other).keys() == vars(model).keys()
        assert (other.partial_fit(X, y).predict_proba(X) == model.partial_fit(X, y).predict_proba(X)).all()
        model.forget(X, y)


def test_a_prediction_that_is_refused_takes_nothing_back() -> None:
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    model = NaiveBayes().partial_fit(X, y)
    wrong = -np.eye(4)

    def ask() -> None:
        for _ in range(200):
            with pytest.raises(ValueError, match="feature"):
                model.predict(wrong)

    asking = Thread(target=ask)
    asking.start()
    for _ in range(200):
        model.partial_fit(X, y)
    asking.join()
    assert model.counts_.n.sum() == 201 * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_process_that_learns_can_learn() -> None:
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    model = NaiveBayes().partial_fit(X, y)
    begun, done = Event(), Event()

    def learn() -> None:
        with all_or_nothing(model):
            begun.set()
            done.wait()

    learning = Thread(target=learn)
    learning.start()
    try:
        begun.wait()
        child = os.fork()
        if not child:
            os._exit(0 if model.forget(X, y).counts_.n.sum() >= 0 else 1)
        assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        learning.join()
