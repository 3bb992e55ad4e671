"""Ctrl-C at any moment of a fit is never lost: it ends the fit, or the certificate says that it was interrupted."""

import queue
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import deciban
from deciban import SVM, CalibratedClassifier, LinearSVM, LogisticRegression
from deciban.blas import run_each
from deciban.cli.ahead import Aside
from deciban.distributed.on_executors import OnExecutor
from deciban.evaluation.cross_validation import Interruption
from deciban.kernels import RBF
from deciban.kernels.evaluation import scores_among
from deciban.solvers import side_by_side
from deciban.solvers.side_by_side import Halt
from deciban.threads import halting
from laws.estimators import over

HOUSE = str(Path(deciban.__file__).parent)
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
# What sets threads back must run to its end.
APART = (f"{HOUSE}/threads.py", f"{HOUSE}/blas.py")
MOMENTS = 12
GENERATOR = 0x20  # of code: what is raised while one is closed is lost, in Python itself


class Calls:
    """Counts the calls of functions of the package on this thread, and raises the signal at one of them."""

    def __init__(self, at=None):
        self.at, self.count = at, 0

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        if name.startswith(HOUSE) and name not in APART and not frame.f_code.co_flags & GENERATOR:
            self.count += 1
            if self.count - 1 == self.at:
                sys.settrace(None)
                self.place = f"{name.removeprefix(HOUSE)}, line {frame.f_lineno}"
                signal.raise_signal(signal.SIGINT)


def traced(calls, case):
    model, (X, y) = case.new(), case.learn()
    sys.settrace(calls)
    try:
        return model.fit(X) if y is None else model.fit(X, y)
    finally:
        sys.settrace(None)


def status_of(model):
    certificate = getattr(model, "certificate_", None)
    return getattr(certificate, "status", None)


@pytest.fixture(autouse=True)
def listening():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.deep
@over()
def test_ctrl_c_ends_a_fit_or_its_certificate_says_so(case):
    traced(Calls(), case)  # which imports modules
    traced(counted := Calls(), case)
    assert counted.count
    for at in range(0, counted.count, max(1, counted.count // MOMENTS)):
        calls = Calls(at)
        try:
            model = traced(calls, case)
        except KeyboardInterrupt:
            continue
        assert calls.count <= at or status_of(model) == "interrupted", (case.id, calls.place)


LARGE = {
    "landmarks": (SVM(solver="nystroem"), 4000),
    "calibrated": (CalibratedClassifier(LogisticRegression(C=1e6, tol=1e-14, max_iter=10**6)), 4000),
    "calibrated pipeline": (
        CalibratedClassifier(make_pipeline(StandardScaler(), LinearSVM(C=1e4, tol=1e-14, max_iter=10**6))),
        4000,
    ),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", LARGE)
def test_ctrl_c_from_outside_while_other_threads_compute(name):
    """The signal comes while the main thread waits for the solver."""
    model, N = LARGE[name]
    random = np.random.default_rng(0)
    X = random.normal(size=(N, 40))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + random.normal(size=N) > 0).astype(int)
    sent = []
    here = threading.main_thread().ident

    def send():
        while not any(frame.f_code.co_name == "side_by_side" for frame in _stack(sys._current_frames()[here])):
            time.sleep(0.001)
        sent.append(signal.pthread_kill(here, signal.SIGINT))

    threading.Thread(target=send, daemon=True).start()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        return
    assert sent
    assert status_of(model) == "interrupted"


def _stack(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back


def partitions(task):
    with ThreadPoolExecutor(1) as pool:
        OnExecutor(pool).reduce(lambda *_: task(), [None], lambda a, b: a)


WAITS = {
    "problems side by side": lambda task: side_by_side.side_by_side([task], 1, Halt(None)),
    "products on threads": lambda task: run_each(lambda again: again or task(), range(2), 2),
    "what is done aside": lambda task: Aside(task).result(),
    "partitions": partitions,
}


@pytest.mark.parametrize("name", WAITS)
def test_a_signal_that_does_not_wake_who_waits_is_heard(name):
    """As one that comes when this thread is about to wait: here it comes to another."""
    heard, answers = threading.Event(), queue.SimpleQueue()

    def hear(*_):
        heard.set()
        raise KeyboardInterrupt

    def task():
        time.sleep(0.05)  # until all others wait
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        answers.put(heard.wait(10.0))

    before = signal.signal(signal.SIGINT, hear)
    try:
        with suppress(KeyboardInterrupt):
            WAITS[name](task)
        assert answers.get()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_fit_took_for_its_own_ends_who_fits_several(number, monkeypatch):
    before = signal.signal(number, signal.default_int_handler)
    try:
        with Interruption() as interruption:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)
            with pytest.raises(KeyboardInterrupt):
                interruption.check()
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


def test_a_proof_that_takes_too_long_is_given_up():
    """It is not waited for long after Ctrl-C; whoever asks in time has it."""
    random = np.random.default_rng(0)
    X, c = random.normal(size=(8000, 30)), random.normal(size=8000)
    asked = []

    def prove(is_due):
        with halting(lambda: False, is_due):
            return scores_among(RBF(gamma=0.1), X, c)

    with pytest.raises(KeyboardInterrupt):
        prove(lambda: asked.append(1) is None)
    assert asked
    assert np.array_equal(prove(lambda: False), scores_among(RBF(gamma=0.1), X, c))


def test_problems_side_by_side_end_where_the_proof_of_one_takes_too_long(monkeypatch):
    halt = Halt(None)
    assert not halt.is_overdue()
    halt.end()
    assert not halt.is_overdue()
    monkeypatch.setattr(side_by_side, "GRACE", 0.0)
    assert halt.is_overdue()


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_while_threads_are_started_does_no_problem_twice(monkeypatch, threads):
    done, submit, halt = [], side_by_side.ThreadPoolExecutor.submit, Halt(None)

    def interrupted(pool, work):
        monkeypatch.undo()
        submit(pool, work)
        raise KeyboardInterrupt

    monkeypatch.setattr(side_by_side.ThreadPoolExecutor, "submit", interrupted)
    tasks = [lambda i=i: done.append(i) or -i for i in range(5)]
    assert side_by_side.side_by_side(tasks, threads, halt) == ([0, -1, -2, -3, -4], True)
    assert sorted(done) == [0, 1, 2, 3, 4]
    assert halt.ended
