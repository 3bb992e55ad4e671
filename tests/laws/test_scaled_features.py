"""Laws of problems whose features have a scale: they are those of the rows that it is multiplied into."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from deciban.data.rows import reals_for_core
from deciban.losses import Hinge, Logistic, SquaredHinge
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, solve
from laws.followers import is_proven

LOSSES = (Hinge(), SquaredHinge(), Logistic())


def posed(seed, loss, is_sparse, kind, presence, offset=True):
    """Examples of two classes, and what each of their features is multiplied by; one by 0."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, size=(40, 12)).astype(kind)
    X = (X > 0).astype(kind) if presence else X
    scale = rng.normal(size=12).astype(kind).astype(np.float64)
    scale[3] = 0.0
    y, o = np.where(rng.random(40) < 0.4, 1.0, -1.0), rng.normal(size=40) if offset else None
    rows = reals_for_core(sparse.csr_array(X) if is_sparse else X)
    return Problem(rows, y, rng.uniform(0.2, 2.0, 40), loss, L2(0.7), offset=o, scale=scale)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("is_sparse", [False, True])
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from([np.float32, np.float64]),
    presence=st.booleans(),
    offset=st.booleans(),
)
def test_what_is_computed_is_that_of_the_rows_written_out(loss, is_sparse, seed, kind, presence, offset):
    scaled, rng = posed(seed, loss, is_sparse, kind, presence, offset), np.random.default_rng(seed)
    plain = scaled.written_out()
    assert plain.scale is None
    w, b, u, v = rng.normal(size=(1, 12)), rng.normal(size=1), rng.normal(size=40), rng.normal(size=12)
    for of in (
        lambda problem: problem.scores(w, b),
        lambda problem: problem.product(w, b),
        lambda problem: problem.combination(u),
        lambda problem: problem.gram_times(np.abs(u), v),
        lambda problem: (problem.squares, problem.slopes_at_zero, problem.null),
    ):
        assert_allclose(np.hstack(of(scaled)), np.hstack(of(plain)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("is_sparse", [False, True])
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from([np.float32, np.float64]), presence=st.booleans())
def test_the_optimum_is_proven_without_the_rows_written_out(loss, is_sparse, seed, kind, presence):
    problem = posed(seed, loss, is_sparse, kind, presence)
    assert is_proven(problem, solve(problem, Limits(1e-8)), 1e-8)


def test_presence_is_written_out_in_the_precision_of_the_rows():
    narrow, wide = (posed(0, Logistic(), True, np.float32, presence).written_out() for presence in (True, False))
    assert (narrow.rows[0].dtype, wide.rows[0].dtype) == (np.float32, np.float64)
