"""Laws of the path of an interior point: the core walks as the definition says, on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban._core import Barrier
from deciban.data.rows import reals_for_core
from oracle.barrier import Barrier as Oracle


def paths(seed, N, d, corners, curved, form=np.ascontiguousarray, n_jobs=None):
    """The same lines of N rows, and perhaps of d weights, in the core and by the definition; X as the core takes it."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * (random.random((N, d)) < 0.6)
    A, M = (np.vstack([X, np.eye(d)]), N + d) if corners else (X, N)
    t, wide = random.normal(size=M) * 10.0 ** random.integers(-3, 4), random.uniform(0.1, 2.0, M)
    lo, hi = np.where(random.random(M) < 0.3, -wide, np.minimum(0.0, wide * t)), wide
    hi = np.where(lo < 0.0, np.where(random.random(M) < 0.5, 0.0, hi), hi)
    curve = np.where(random.random(M) < 0.5, random.uniform(0.1, 1.0, M), 0.0) if curved else np.zeros(M)
    u, away = lo + (hi - lo) * random.uniform(0.05, 0.95, M), float(np.abs(t).mean())
    core = Barrier(t, lo, hi, curve, u, away=away, rows=N, n_jobs=n_jobs)
    return core, Oracle(A, N, t, lo, hi, curve, u, away), reals_for_core(form(X))


def walk(path, w, b, given):
    """What a whole step says on its way; `given` is X where the path asks for it."""
    summed = (True,) * len(given)
    told = [*path.look(*given, w, b), path.weights(), *path.aim(*given), *path.turn(*given, w, b, *summed)]
    told += [*path.reach(), *path.aim(*given, 0.3), *path.turn(*given, -w, 0.5 * b, *summed), path.advance(0.995)]
    return [*told, *path.look(*given, w, b)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 700), st.integers(1, 6), st.booleans(), st.booleans(), st.booleans())
def test_a_step_is_that_of_the_definition(seed, N, d, corners, curved, stored):
    core, oracle, X = paths(seed, N, d, corners, curved, sparse.csr_array if stored else np.ascontiguousarray)
    random = np.random.default_rng(seed)
    for _ in range(2):
        w, b = random.normal(size=d), float(random.normal())
        for ours, wanted in zip(walk(core, w, b, (X,)), walk(oracle, w, b, ()), strict=True):
            assert_allclose(ours, wanted, rtol=1e-7, atol=1e-9 * (1.0 + np.abs(wanted).max()))
        assert_allclose(core.clean(), oracle.clean(), rtol=1e-7)


@pytest.mark.parametrize("form", [np.ascontiguousarray, sparse.csr_array])
@pytest.mark.parametrize("N", [300, 9_000])
def test_any_number_of_threads_walks_the_same(form, N):
    each = [paths(5, N, 7, True, True, form, n_jobs) for n_jobs in (1, 2, 3)]
    one, *others = ([*walk(core, np.ones(7), 0.5, (X,)), core.clean()] for core, _, X in each)
    for other in others:
        for a, b in zip(one, other, strict=True):
            assert_array_equal(a, b)


def test_lines_that_do_not_go_with_the_rows_are_refused():
    one = np.ones(3)
    with pytest.raises(ValueError, match="of 3 numbers each, 4 of them or more, are expected"):
        Barrier(one, -one, one, one, 0.0 * one, away=1.0, rows=4)
    path = Barrier(one, -one, one, one, 0.0 * one, away=1.0, rows=3)
    with pytest.raises(ValueError, match="lines of 2 rows, and of no weights or 1, are expected to go with X"):
        path.aim(np.ones((2, 1)))
    with pytest.raises(ValueError, match="w of 2 numbers is expected to go with X, not 3"):
        path.look(np.ones((3, 2)), one, 0.0)
