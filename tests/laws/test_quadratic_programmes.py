"""Laws of `QP`: the exact solution in any units, multipliers that prove it, and refusals with their reason."""

import numpy as np
import pytest
from scipy import sparse

from deciban import QP
from deciban.errors import InfeasibleError, UnboundedError
from oracle.programme import minimum

FIVE = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
SIDES = np.array([1.0, 1.0, 1.0, -1.0, -1.0])


def street(X, y):
    """The hard margin: z = (b, w)."""
    d = X.shape[1]
    return np.diag([0.0, *np.ones(d)]), np.zeros(d + 1), np.column_stack([y, y[:, None] * X]), np.ones(len(y))


def random_programme(seed, n=3, m=5):
    """A strictly convex programme of small whole numbers that some z satisfies."""
    draw = np.random.default_rng(seed)
    R = draw.integers(-3, 4, (n, n))
    A, z = draw.integers(-4, 5, (m, n)), draw.integers(-2, 3, n)
    a = A @ z - draw.integers(0, 3, m)
    return tuple(map(np.asarray, (R.T @ R + np.eye(n, dtype=int), draw.integers(-9, 10, n), A, a)))


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("k", range(-12, 13, 2))
def test_the_street_of_five_points_in_any_units(k, offset):
    s = 10.0**k
    z, u, proof = QP(*street((FIVE + offset) * s, SIDES)).solve()
    assert z[1:] * s == pytest.approx([-0.4, 1.2], abs=1e-8)
    assert z[0] + offset * s * z[1:].sum() == pytest.approx(-1.4, abs=1e-8 * max(1.0, offset * 1e-3))
    assert u * s * s == pytest.approx([0.0, 0.8, 0.0, 0.4, 0.4], abs=1e-8)
    assert proof.status == "converged"
    assert abs(proof.relative_gap) < 1e-9
    assert proof.kkt_violation < 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_minimum_that_trying_every_set_of_tight_rows_finds(seed):
    programme = random_programme(seed)
    z, _, value = minimum(*(part.tolist() for part in programme))
    found = QP(*programme)
    assert found.solution == pytest.approx(np.array(z, dtype=float), abs=1e-9)
    Q, c, A, a = programme
    u = found.multipliers  # of rows that say the same there are many
    assert u.min() >= 0.0
    assert Q @ found.solution + c == pytest.approx(A.T @ u, abs=1e-9)
    assert u * (A @ found.solution - a) == pytest.approx(np.zeros(len(a)), abs=1e-9)
    assert found.certificate.primal == pytest.approx(float(value), rel=1e-10, abs=1e-10)
    assert found.certificate.dual == pytest.approx(float(value), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("power", [-9, -4, 4, 9])
@pytest.mark.parametrize("seed", range(5))
def test_units_of_variables_rows_and_costs_change_nothing(seed, power):
    Q, c, A, a = random_programme(seed)
    draw = np.random.default_rng(seed)
    units, prices = (10.0 ** (power * draw.uniform(-0.5, 0.5, k)) for k in (len(c), len(a)))
    cost = 10.0**power
    plain = QP(Q, c, A, a)
    found = QP(cost * Q * units[:, None] * units, cost * c * units, A * units * prices[:, None], a * prices)
    assert found.solution * units == pytest.approx(plain.solution, abs=1e-7)
    assert (A.T @ (found.multipliers * prices / cost)) == pytest.approx(A.T @ plain.multipliers, abs=1e-6)
    assert found.certificate.status == "converged"


@pytest.mark.parametrize("make", [np.asarray, np.ndarray.tolist, sparse.csr_matrix, sparse.csc_array])
def test_lists_arrays_and_sparse_matrices_are_the_same(make):
    Q, c, A, a = street(FIVE, SIDES)
    found = QP(make(Q), c.tolist(), make(A), a.tolist()).solve()
    assert found.solution.tolist() == QP(Q, c, A, a).solve().solution.tolist()


@pytest.mark.parametrize("dtype", [int, np.float32, ">f8"])
def test_any_type_of_number(dtype):
    Q, c, A, a = (part.astype(dtype) for part in street(FIVE, SIDES))
    assert QP(Q, c, A, a).solution == pytest.approx([-1.4, -0.4, 1.2], abs=1e-9)


def test_rows_that_say_the_same_twice_and_no_rows():
    Q, c, A, a = street(FIVE, SIDES)
    twice = QP(Q, c, np.vstack([A, A, 2.0 * A]), np.concatenate([a, a, 2.0 * a]))
    assert twice.solution == pytest.approx([-1.4, -0.4, 1.2], abs=1e-8)
    free = QP(np.diag([2.0, 4.0]), [-2.0, 4.0], np.zeros((0, 2)), [])
    assert free.solution == pytest.approx([1.0, -1.0])
    assert free.certificate.primal == pytest.approx(-3.0)


@pytest.mark.parametrize("k", range(-12, 13, 4))
def test_what_cannot_be_satisfied_is_refused_with_a_mixture_that_shows_it(k):
    s = 10.0**k
    A, a = np.array([[s, 0.0], [0.0, s], [-s, -s]]), np.array([1.0, 1.0, 1.0])
    with pytest.raises(InfeasibleError) as refused:
        QP(np.eye(2), np.zeros(2), A, a).solve()
    u = refused.value.multipliers
    assert u.min() >= 0.0
    assert np.abs(A.T @ u).max() <= 1e-6 * s
    assert a @ u > 0.0


@pytest.mark.parametrize("k", range(-12, 13, 4))
def test_what_falls_for_ever_is_refused_with_a_direction_that_shows_it(k):
    s = 10.0**k
    Q, c, A = np.diag([s, 0.0]), np.array([0.0, -1.0]), np.array([[0.0, s]])
    with pytest.raises(UnboundedError) as refused:
        QP(Q, c, A, np.array([1.0])).solve()
    d = refused.value.direction
    assert np.abs(Q @ d).max() <= 1e-6 * s
    assert c @ d < 0.0
    assert (A @ d).min() >= 0.0
