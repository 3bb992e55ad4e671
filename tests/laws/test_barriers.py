"""Laws of the path of an interior point: the core walks as the definition says, on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban._core import interior_point
from deciban.data.rows import reals_for_core
from oracle.barrier import Barrier as Oracle


def lines(seed, N, d, corners, curved):
    """Lines of N rows, and perhaps of d weights, and X."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * (random.random((N, d)) < 0.6)
    M = N + d if corners else N
    t, wide = random.normal(size=M) * 10.0 ** random.integers(-3, 4), random.uniform(0.1, 2.0, M)
    lo, hi = np.where(random.random(M) < 0.3, -wide, np.minimum(0.0, wide * t)), wide
    hi = np.where(lo < 0.0, np.where(random.random(M) < 0.5, 0.0, hi), hi)
    curve = np.where(random.random(M) < 0.5, random.uniform(0.1, 1.0, M), 0.0) if curved else np.zeros(M)
    u, away = lo + (hi - lo) * random.uniform(0.05, 0.95, M), float(np.abs(t).mean())
    return X, (t, lo, hi, curve, u), away


def follow(X, given, away, steps, strength=0.7, intercept=True, n_jobs=None):
    """What the core says after each step, and where it ends."""
    told = []
    watch = lambda _, primal, short: told.append((primal, short))  # noqa: E731 (a callback)
    w, b, u, iterations, ending = interior_point(
        X,
        *given,
        away=away,
        strength=strength,
        intercept=intercept,
        proof=lambda *_: False,
        tol=1e-15,
        max_iter=steps,
        watch=watch,
        n_jobs=n_jobs,
    )
    assert (iterations, ending) == (steps, "exhausted")
    return told, (w, b, u)


@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 700),
    d=st.integers(1, 6),
    corners=st.booleans(),
    curved=st.booleans(),
    stored=st.booleans(),
    intercept=st.booleans(),
)
def test_steps_are_those_of_the_definition(seed, N, d, corners, curved, stored, intercept):
    X, given, away = lines(seed, N, d, corners, curved)
    A = np.vstack([X, np.eye(d)]) if corners else X
    form = sparse.csr_array if stored else np.ascontiguousarray
    ours, (w, b, u) = follow(reals_for_core(form(X)), given, away, 3, intercept=intercept)
    t, lo, hi, curve, start = given
    wanted, (w_wanted, b_wanted, u_wanted) = Oracle(A, N, t, lo, hi, curve, start, away).follow(0.7, intercept, 3)
    assert_allclose(ours, wanted, rtol=1e-6, atol=1e-9 * np.abs(wanted).max())
    if np.argmin([short for _, short in wanted]) == 3:  # the core keeps the best point
        size = 1.0 + np.abs(w_wanted).max()
        assert_allclose(w, w_wanted, rtol=1e-6, atol=1e-7 * size)
        assert_allclose(b, b_wanted, rtol=1e-6, atol=1e-7 * size)
        assert_allclose(u, u_wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("form", [np.ascontiguousarray, sparse.csr_array])
@pytest.mark.parametrize("N", [300, 9_000])
def test_any_number_of_threads_walks_the_same(form, N):
    X, given, away = lines(5, N, 7, True, True)
    one, *others = (follow(reals_for_core(form(X)), given, away, 5, n_jobs=n_jobs) for n_jobs in (1, 2, 3))
    for other in others:
        assert one[0] == other[0]
        for a, b in zip(one[1], other[1], strict=True):
            assert_array_equal(a, b)


def test_lines_that_do_not_go_with_the_rows_are_refused():
    one, said = np.ones(3), {"away": 1.0, "proof": bool}
    with pytest.raises(ValueError, match="of 2 numbers each, or of 3, are expected to go with X"):
        interior_point(np.ones((2, 1)), one, -one, one, one, one[:2], **said)
    with pytest.raises(ValueError, match="of 4 numbers each, or of 5, are expected to go with X"):
        interior_point(np.ones((4, 1)), one, -one, one, one, one, **said)
    with pytest.raises(ValueError, match="strength of at least 0 is expected, not -1"):
        interior_point(np.ones((3, 1)), one, -one, one, one, one, strength=-1.0, **said)
