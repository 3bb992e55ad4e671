"""Laws of properties that are kept: computed once for each object, and nobody waits for who waits for it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, current_thread, main_thread

import numpy as np
import pytest

from deciban.lazy import cached_property
from deciban.losses import Hinge
from deciban.penalties import L2
from deciban.solvers import Problem
from deciban.solvers.reduction import Siblings

PATIENCE = 20.0


class Asked:
    """Whoever asks for `answer` calls `ask` with how many have asked before."""

    def __init__(self, ask):
        self.ask, self.times = ask, 0

    @cached_property
    def answer(self):
        self.times += 1
        self.ask()
        return [self.times]


def test_an_object_computes_it_once_and_keeps_it_until_it_is_deleted():
    asked = Asked(lambda: None)
    assert asked.answer is asked.answer is vars(asked)["answer"]
    assert asked.times == 1
    del asked.answer
    assert asked.answer == [2]
    assert isinstance(Asked.answer, cached_property)


def test_what_raises_is_not_kept():
    def refuse():
        if asked.times == 1:
            raise ValueError("not yet")

    asked = Asked(refuse)
    with pytest.raises(ValueError, match="not yet"):
        _ = asked.answer
    assert asked.answer == [2]


def test_threads_that_come_at_once_get_the_same():
    both = Barrier(2, timeout=PATIENCE)
    asked = Asked(both.wait)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: asked.answer, range(2)))
    assert found[0] is found[1]


def test_an_object_does_not_wait_for_another_of_its_class():
    come = Event()
    first, second = Asked(lambda: come.wait(PATIENCE)), Asked(come.set)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(lambda: first.answer)
        pool.submit(lambda: second.answer).result(PATIENCE / 2)
        assert waiting.result(PATIENCE) == [1]


def test_siblings_do_not_wait_for_one_another_where_slopes_are_summed(monkeypatch):
    X, y, c = np.eye(4), np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4)
    first, second = Siblings.join([Problem(X, sign * y, c, Hinge(), L2(1.0)) for sign in (1.0, -1.0)])
    assert first.siblings is second.siblings is not None
    real = Problem.combination

    def wait_for_another(problem, u):
        if current_thread() is main_thread():
            pool.submit(lambda: second.slopes_at_zero).result(PATIENCE)
        return real(problem, u)

    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(Problem, "combination", wait_for_another)
        assert first.slopes_at_zero == second.slopes_at_zero > 0.0
