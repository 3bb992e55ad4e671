"""Laws of gradient descent, in batches and online."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import _core
from deciban.data.rows import reals_for_core
from deciban.losses import Absolute, Hinge, Huber, Logistic, Perceptron, Squared, SquaredHinge
from deciban.penalties import L1, L2, ElasticNet, NoPenalty
from deciban.solvers import Limits, Problem, Status, dual_coordinate, newton
from deciban.solvers.descent import Descent
from deciban.solvers.online import Online
from oracle import perceptron as oracle
from tiers import examples, measured_examples

seeds = st.integers(0, 2**32 - 1)
SMOOTH = [Logistic(), Squared(), SquaredHinge(), Huber(1.0)]
LOSSES = [*SMOOTH, Hinge(), Absolute(), Perceptron()]
PENALTIES = [NoPenalty(), L2(2.0), L1(3.0), ElasticNet(4.0, 0.5)]
losses = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
penalties = pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: penalty.name)
few = examples(5)


def noisy(seed, N=60, d=4):
    """X (N, d) with many zeros, y (N,) of −1 and +1 that no hyperplane separates, c (N,) whole weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * (random.random((N, d)) < 0.6)
    y = np.where(X @ random.normal(size=d) + random.normal(size=N) >= 0.3, 1.0, -1.0)
    return X, y, random.integers(1, 4, N).astype(float)


RIDGE = L2(1.0)


def problem(X, y, c, loss, penalty=RIDGE, intercept=True):
    return Problem(reals_for_core(X), y, c, loss, penalty, intercept)


def objective(of, solution):
    return of.primal(solution.w, of.scores(solution.w, solution.b))


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
@few
@given(seed=seeds, intercept=st.booleans())
def test_descent_on_all_examples_ends_where_newton_ends(loss, seed, intercept):
    X, y, c = noisy(seed)
    given = problem(X, y, c, loss, intercept=intercept)
    found = Descent().solve(given, Limits(1e-7, 20_000))
    best = objective(given, newton.solve(given, Limits(1e-11)))
    assert found.status is Status.CONVERGED
    assert objective(given, found) <= best + 1e-6 * max(1.0, best)
    assert found.trace[-1].gap <= 1e-7 * max(1.0, best)


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
@few
@given(seed=seeds)
@example(seed=3_881_896_755)  # where rounding keeps the gradient of Huber's loss from falling any further
def test_under_a_lasso_the_gap_closes_and_weights_vanish(loss, seed):
    X, y, c = noisy(seed)
    X = np.column_stack([X, 0.01 * np.random.default_rng(seed).normal(size=(len(y), 2))])
    given = problem(X, y, c, loss, L1(5.0))
    found = Descent().solve(given, Limits(1e-6, 20_000))
    assert found.status is Status.CONVERGED
    assert (found.w[0, -2:] == 0.0).all()


@losses
@penalties
@few
@given(seed=seeds)
def test_steps_are_those_of_the_book_dense_and_sparse(loss, penalty, seed):
    X, y, c = noisy(seed, N=21)
    for batch in (1, 5, 21):
        batches = [range(i, min(i + batch, 21)) for _ in range(6) for i in range(0, 21, batch)]
        for rule in ("constant", "root"):
            rates = [0.3 / np.sqrt(t + 1) if rule == "root" else 0.3 for t in range(len(batches))]
            met = oracle.descent(
                X, y, c * 21 / c.sum(), loss, *(a / c.sum() for a in (penalty.l1, penalty.l2)), batches, rates
            )
            averaged = not penalty.l1
            for rows in (X, reals_for_core(sparse.csr_array(X))):
                w, total, steps = (np.zeros(4), 0.0), (np.zeros(4), 0.0), 0.0
                for _ in range(6):
                    w, total, steps, _, _ = _core.descend(
                        rows, y, c * 21 / c.sum(), loss.name, w, total, steps, 0.0, delta=1.0, batch=batch, rule=rule,
                        step=0.3, averaged=averaged, l1=penalty.l1 / c.sum(), l2=penalty.l2 / c.sum(),
                    )  # fmt: skip
                assert steps == len(batches)
                assert_allclose(np.append(*w), np.append(*met[-1]), rtol=1e-9, atol=1e-11)
                if averaged:
                    assert_allclose(np.append(*total) / steps, np.mean([np.append(*at) for at in met], 0), atol=1e-11)


def test_shrinking_to_nothing_and_averaging_round_as_they_should():
    X, y, c = noisy(1, N=50)
    rates = [0.5] * 5000
    met = oracle.descent(X, y, c, Hinge(), 0.0, 1.0, [[i % 50] for i in range(5000)], rates)
    w, total, steps = (np.zeros(4), 0.0), (np.zeros(4), 0.0), 0.0
    for _ in range(100):
        w, total, steps, *_ = _core.descend(
            X, y, c, "hinge", w, total, steps, 0.0, rule="constant", step=0.5, averaged=True, l2=1.0
        )
    assert_allclose(np.append(*w), np.append(*met[-1]), rtol=1e-10, atol=1e-12)
    assert_allclose(np.append(*total) / 5000, np.mean([np.append(*at) for at in met], axis=0), rtol=1e-9, atol=1e-12)


@losses
@penalties
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_the_same_seed_is_the_same_bytes_and_csr_is_dense(loss, penalty, batch):
    X, y, c = noisy(2)
    one, again = (Descent(batch).solve(problem(X, y, c, loss, penalty), Limits(max_iter=6), seed=5) for _ in range(2))
    assert one.w.tobytes() + one.b.tobytes() == again.w.tobytes() + again.b.tobytes()
    other = Descent(batch).solve(problem(sparse.csr_array(X), y, c, loss, penalty), Limits(max_iter=6), seed=5)
    assert_allclose(other.w, one.w, rtol=1e-12, atol=1e-12)
    assert_allclose(other.b, one.b, rtol=1e-12, atol=1e-12)


@losses
@penalties
def test_for_all_examples_a_step_neither_order_nor_repetition_matters(loss, penalty):
    X, y, c = noisy(3)
    how = Descent(rule="constant", step=0.1)
    one = how.solve(problem(X, y, c, loss, penalty), Limits(max_iter=20))
    shuffled = np.random.default_rng(0).permutation(len(y))
    repeated = np.repeat(np.arange(len(y)), c.astype(int))
    for places, weight in ((shuffled, c[shuffled]), (repeated, np.ones(len(repeated)))):
        other = how.solve(problem(X[places], y[places], weight, loss, penalty), Limits(max_iter=20))
        assert_allclose(other.w, one.w, rtol=1e-9, atol=1e-11)
        assert_allclose(other.b, one.b, rtol=1e-9, atol=1e-11)


@losses
def test_a_few_examples_a_step_come_close_to_the_optimum(loss):
    X, y, c = noisy(4, N=200)
    given = problem(X, y, c, loss, L2(4.0))
    best = dual_coordinate.solve(given, Limits(1e-9, 20_000)) if loss != Perceptron() else None
    lowest = 0.0 if best is None else objective(given, best)
    for batch in (1, 10):
        found = Descent(batch).solve(given, Limits(1e-9, 60))
        start = objective(given, Descent(batch).solve(given, Limits(1e-9, 1)))
        assert objective(given, found) <= start
        assert objective(given, found) <= lowest + 0.02 * max(1.0, lowest)


@pytest.mark.parametrize("loss", [Logistic(), Squared(), Huber(1.0), Hinge()], ids=lambda loss: loss.name)
@measured_examples(5)
@given(seed=seeds)
def test_steps_that_stay_large_wander_and_their_average_does_not(loss, seed):
    X, y, _ = noisy(seed, N=300)
    given = problem(X, y, np.ones(300), loss, L2(3.0))
    last, mean = (
        Descent(1, "constant", 0.1, average_from=first).solve(given, Limits(1e-9, 30), seed=seed) for first in (None, 5)
    )
    assert objective(given, mean) <= objective(given, last)


def test_it_stops_on_a_short_gradient_on_a_small_error_or_at_its_limit():
    X, y, c = noisy(5)
    given = problem(X, y, c, Logistic(), NoPenalty())
    for how in (Descent(gradient=1e-3), Descent(1, gradient=0.05)):
        found = how.solve(given, Limits(1e-15, 5000))
        s = given.scores(found.w, found.b)
        u = c * Logistic().slope(y, s) / c.sum()
        assert found.status is Status.CONVERGED
        assert np.hypot(np.linalg.norm(X.T @ u), u.sum()) <= how.gradient * (1.0 + 1e-9)
    found = Descent(error=0.6).solve(given, Limits(1e-15, 5000))
    assert objective(given, found) <= 0.6 * c.sum()
    assert len(found.trace) < 100
    assert Descent().solve(given, Limits(1e-15, 3)).status is Status.EXHAUSTED
    assert Descent(1).solve(given, Limits(1e-15, 3)).iterations == 3


@losses
@pytest.mark.parametrize("batch", [None, 1])
def test_scores_of_ten_thousand_do_not_overflow(loss, batch):
    X, y, c = noisy(6)
    found = Descent(batch).solve(problem(1e4 * X, y, c, loss), Limits(max_iter=5))
    assert found.status in (Status.EXHAUSTED, Status.CONVERGED)
    assert np.isfinite(found.w).all()


@pytest.mark.parametrize("batch", [None, 1, 7])
def test_steps_out_of_this_world_end_with_the_last_finite_weights(batch):
    X, y, c = noisy(7)
    given = problem(X, y, c, Squared())
    found = Descent(batch, "constant", 1e200).solve(given, Limits(max_iter=50))
    assert found.status is Status.OVERFLOW
    assert np.isfinite(found.w).all()
    assert objective(given, found) <= c.sum() * (1.0 + 1e-12)


def test_a_callback_stops_a_descent():
    X, y, c = noisy(8)
    for batch in (None, 1):
        stop = Limits(1e-15, 100, callback=lambda iteration, primal, gap: iteration == 4)
        found = Descent(batch).solve(problem(X, y, c, Logistic()), stop)
        assert found.status is Status.STOPPED
        assert found.iterations == 4


# Online.


@losses
@given(seed=seeds, radius=st.sampled_from([0.5, 2.0, np.inf]), scale=st.sampled_from([0.3, 1.0, 4.0]))
@few
def test_regret_is_no_more_than_the_bound(loss, seed, radius, scale):
    X, y, c = noisy(seed, N=80)
    now = Online.start(loss, 2, 4, scale=scale, radius=radius)
    suffered, met = 0.0, []
    for i in range(80):
        met.append(np.append(now.w[0], now.b))
        suffered += c[i] * loss.value(y[i : i + 1], X[i : i + 1] @ now.w[0] + now.b)[0]
        now = now.learn(X[i : i + 1], (y[i : i + 1] > 0).astype(np.intp), c[i : i + 1])
    assert_allclose(now.suffered, suffered, rtol=1e-9)
    assert np.linalg.norm(met, axis=1).max() <= radius * (1.0 + 1e-9)
    rivals = np.random.default_rng(seed).normal(size=(20, 5))
    if loss in SMOOTH:
        best = newton.solve(problem(X, y, c, loss, L2(1e-3)), Limits(1e-6))
        rivals[0] = np.append(best.w, best.b)
    for rival in rivals:
        rival = rival * min(1.0, radius / np.linalg.norm(rival))
        regret = suffered - c @ loss.value(y, X @ rival[:-1] + rival[-1])
        distance = np.linalg.norm(np.array(met) - rival, axis=1).max()
        assert regret <= now.regret_bound(distance)[0] * (1.0 + 1e-9)
        assert distance <= 2.0 * radius * (1.0 + 1e-9)
    assert_allclose(
        np.append(*(part[0] for part in now.mean)), np.mean([*met[1:], np.append(now.w[0], now.b)], 0), atol=1e-9
    )


@losses
def test_one_at_a_time_is_all_at_once_and_csr_is_dense(loss):
    X, y, c = noisy(9)
    y = (y > 0.0).astype(np.intp) + (X[:, 0] > 0.5)
    for radius in (1.0, np.inf):
        begun = Online.start(loss, 3, 4, radius=radius)
        at_once, one_by_one = begun.learn(X, y, c), begun
        for i in range(len(y)):
            one_by_one = one_by_one.learn(X[i : i + 1], y[i : i + 1], c[i : i + 1])
        stored = begun.learn(reals_for_core(sparse.csr_array(X)), y, c)
        for name in ("w", "b", "early_w", "sum_b", "rounds", "squares", "suffered"):
            if radius == np.inf:
                assert_array_equal(getattr(one_by_one, name), getattr(at_once, name))
        for other in (one_by_one, stored):
            for name in ("w", "b", "early_w", "sum_b", "rounds", "squares", "suffered"):
                assert_allclose(getattr(other, name), getattr(at_once, name), rtol=1e-9, atol=1e-10)


def test_new_classes_start_at_zero_and_old_ones_stay():
    X, y, c = noisy(10)
    two = Online.start(Logistic(), 2, 4).learn(X, (y > 0.0).astype(np.intp), c)
    four = two.grown([1, 3], 4)
    zero = np.zeros_like(two.w)
    assert_array_equal(four.w, np.concatenate([zero, -two.w, zero, two.w]))
    assert_array_equal(four.rounds, [0.0, 60.0, 0.0, 60.0])
    five = four.grown([0, 1, 2, 3], 5)
    assert_array_equal(five.w[:4], four.w)
    assert (five.w[4] == 0.0).all()
    assert five.learn(X, np.full(60, 4), c).w.shape == (5, 4)
