"""Laws of the quadratic programmes of kernel machines: over machines, kernels and both programmes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from deciban.errors import NotSeparableError
from deciban.kernel_solvers import KernelProblem, Limits, Status, blocks, smo
from deciban.kernel_solvers.certificate import prove
from deciban.kernel_solvers.problem import gram_of_problem
from deciban.kernel_solvers.qp import CATALOGUE, DualQP, dual_programme, primal_programme
from deciban.kernels import RBF, Linear, Precomputed
from laws.programmes import KERNELS, MACHINES, SIDES, TOY, data, few, over, over_solvers, seeds
from tiers import measured_examples


def value(problem, beta):
    """D(β)."""
    K = gram_of_problem(problem)[np.ix_(problem.row, problem.row)]
    return 0.5 * beta @ K @ beta - problem.t @ beta


@over_solvers
def test_the_hard_margin_of_the_book(solver):
    problem = KernelProblem.classification(Linear(), TOY, SIDES, np.full(5, np.inf))
    assert solver.refusal(problem) is None
    found = solver.solve(problem, Limits())
    alpha, w = SIDES * found.beta, found.beta @ TOY
    assert found.status is Status.CONVERGED
    assert_allclose(alpha, [0.0, 0.8, 0.0, 0.4, 0.4], rtol=0.0, atol=1e-8)
    assert_array_equal(np.flatnonzero(alpha), [1, 3, 4])
    assert_allclose(w, [-0.4, 1.2], rtol=0.0, atol=1e-8)
    assert_allclose(found.b, [-1.4], rtol=0.0, atol=1e-8)
    functional = SIDES * (TOY @ w + found.b)
    assert_allclose(functional[[1, 3, 4]], 1.0, rtol=0.0, atol=1e-8)
    assert_allclose(functional.min() / np.linalg.norm(w), np.sqrt(10.0) / 4.0, rtol=0.0, atol=1e-8)
    assert_allclose(prove(problem, found.beta).primal, 0.8, rtol=0.0, atol=1e-8)


def test_the_matrices_are_those_of_the_book():
    hard = KernelProblem.classification(Linear(), TOY, SIDES, np.full(5, np.inf))
    programme, side, variable = primal_programme(hard)
    rows = SIDES[:, None] * np.column_stack([np.ones(5), TOY])
    assert_array_equal(programme.Q.toarray(), np.diag([0.0, 1.0, 1.0]))
    assert_array_equal(programme.c, np.zeros(3))
    assert_array_equal(side, SIDES[variable])
    assert_array_equal(-programme.A.toarray(), rows[variable])
    assert_array_equal(-programme.a, np.ones(5))

    soft = KernelProblem.classification(Linear(), TOY, SIDES, np.full(5, 3.0))
    programme, _, variable = primal_programme(soft)
    assert_array_equal(programme.Q.toarray(), np.diag([0.0, 1.0, 1.0] + [0.0] * 5))
    assert_array_equal(programme.c, [0.0] * 3 + [3.0] * 5)
    xi = np.eye(5)
    assert_array_equal(-programme.A.toarray(), np.block([[rows[variable], xi], [np.zeros((5, 3)), xi]]))
    assert_array_equal(-programme.a, [1.0] * 5 + [0.0] * 5)

    K = TOY @ TOY.T
    programme = dual_programme(soft, K)
    assert_array_equal(programme.Q.toarray(), np.triu(K))
    assert_array_equal(programme.c, -SIDES)
    bounds = np.concatenate([np.maximum(SIDES, 0.0) * 3.0, -np.minimum(SIDES, 0.0) * 3.0])
    assert_array_equal(programme.A.toarray(), np.concatenate([np.ones((1, 5)), np.eye(5), -np.eye(5)]))
    assert_array_equal(programme.a, [0.0, *bounds])
    assert programme.equal == 1


@over
@measured_examples(8)
@given(seed=seeds)
def test_what_is_found_is_feasible_and_proven(machine, kernel, solver, seed):
    problem = MACHINES[machine](kernel, *data(seed))
    assert solver.refusal(problem) is None
    found = solver.solve(problem, Limits())
    assert found.status is Status.CONVERGED
    assert (problem.lo <= found.beta).all()
    assert (found.beta <= problem.hi).all()
    sums = np.bincount(problem.group, weights=found.beta, minlength=len(problem.sums))
    assert_allclose(sums, problem.sums, rtol=1e-10, atol=1e-10)
    proof = prove(problem, found.beta)
    scale = max(1.0, np.abs(found.beta).max())
    assert abs(proof.relative_gap) <= 1e-9 * scale
    assert proof.violation <= 1e-9 * scale
    assert_allclose(proof.dual, -value(problem, found.beta), rtol=1e-9, atol=1e-10)
    assert_allclose(found.gradient, proof.scores - problem.t, rtol=1e-9, atol=1e-9)
    assert_allclose(found.b, proof.b, rtol=1e-9, atol=1e-9)


@few
@given(seed=seeds, C=st.sampled_from([0.05, 1.0, 30.0]))
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_every_zone_is_where_its_alpha_says(kernel, seed, C):
    X, y, c = data(seed)
    problem = KernelProblem.classification(kernel, X, y, C * c)
    found = DualQP().solve(problem, Limits())
    alpha, margins = y * found.beta, y * (gram_of_problem(problem) @ found.beta + found.b)
    close = 1e-7 * max(1.0, np.abs(margins).max())
    assert (margins[alpha == 0.0] >= 1.0 - close).all()
    assert (margins[alpha == C * c] <= 1.0 + close).all()
    free = (alpha > 0.0) & (alpha < C * c)
    assert_allclose(margins[free], 1.0, rtol=0.0, atol=close)


@few
@given(seed=seeds)
@pytest.mark.parametrize("machine", MACHINES)
def test_both_programmes_find_one_machine(machine, seed):
    X, y, c = data(seed)
    problem = MACHINES[machine](Linear(), X, y, c)
    (dual, primal) = (solver.solve(problem, Limits()) for solver in CATALOGUE)
    assert_allclose(value(problem, primal.beta), value(problem, dual.beta), rtol=1e-9, atol=1e-10)
    weights = [problem.of_rows(found.beta) @ X for found in (dual, primal)]
    assert_allclose(weights[1], weights[0], rtol=1e-6, atol=1e-7)


@measured_examples(8)
@given(seed=seeds)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("solver", [smo, blocks], ids=lambda solver: solver.NAME)
def test_the_fast_solvers_find_what_the_programmes_find(machine, kernel, solver, seed):
    problem = MACHINES[machine](kernel, *data(seed))
    certain = DualQP().solve(problem, Limits())
    found = solver.solve(problem, Limits(tol=1e-6, max_iter=50))
    least = value(problem, certain.beta)
    assert abs(value(problem, found.beta) - least) <= 1e-6 * max(1.0, abs(least))


@few
@given(seed=seeds)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_order_names_and_form_do_not_matter(kernel, seed):
    X, y, c = data(seed)
    problem = KernelProblem.classification(kernel, X, y, c)
    found = DualQP().solve(problem, Limits())
    order = np.random.default_rng(seed).permutation(len(y))
    permuted = DualQP().solve(KernelProblem.classification(kernel, X[order], y[order], c[order]), Limits())
    swapped = DualQP().solve(KernelProblem.classification(kernel, X, -y, c), Limits())
    given_gram = DualQP().solve(KernelProblem.classification(Precomputed(), kernel.tile(X, X), y, c), Limits())
    f = gram_of_problem(problem) @ found.beta
    close = {"rtol": 1e-6, "atol": 1e-6}
    assert_allclose((gram_of_problem(problem)[np.ix_(order, order)] @ permuted.beta), f[order], **close)
    assert_allclose(gram_of_problem(problem) @ swapped.beta, -f, **close)
    assert_allclose(gram_of_problem(problem) @ given_gram.beta, f, **close)


@few
@given(seed=seeds)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_duplicates_are_weights_and_what_supports_nothing_may_go(kernel, seed):
    X, y, _ = data(seed, 20)
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    weighed = KernelProblem.classification(kernel, X, y, times.astype(float))
    found = DualQP().solve(weighed, Limits())
    twice = KernelProblem.classification(kernel, np.repeat(X, times, axis=0), np.repeat(y, times), np.ones(times.sum()))
    repeated = DualQP().solve(twice, Limits())
    assert_allclose(value(twice, repeated.beta), value(weighed, found.beta), rtol=1e-9)
    support = found.beta != 0.0
    without = KernelProblem.classification(kernel, X[support], y[support], times[support].astype(float))
    assert_allclose(value(without, DualQP().solve(without, Limits()).beta), value(weighed, found.beta), rtol=1e-9)


@over_solvers
@pytest.mark.parametrize("unit", [1e-3, 1e-2, 10.0, 1e3])
def test_units_do_not_matter(solver, unit):
    X, y, c = data(5)
    found = solver.solve(KernelProblem.classification(Linear(), X, y, c), Limits())
    problem = KernelProblem.classification(Linear(), unit * X, y, c / unit**2)
    again = solver.solve(problem, Limits())
    assert again.status is Status.CONVERGED
    assert_allclose(again.beta @ (unit * X) * unit, found.beta @ X, rtol=1e-6, atol=1e-8)


@over_solvers
@pytest.mark.parametrize("C", [1e-9, 1e-6, 1e-3, 1e3, 1e6])
def test_prices_of_any_size(solver, C):
    X, y, c = data(6)
    problem = KernelProblem.classification(Linear(), X, y, C * c)
    found = solver.solve(problem, Limits())
    assert found.status is Status.CONVERGED
    assert prove(problem, found.beta).violation <= 1e-6


@over_solvers
@few
@given(seed=seeds)
def test_what_nothing_separates_has_a_witness(solver, seed):
    X, y, _ = data(seed, 40)
    X[:4], y[:4] = [[1, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0]], [1, 1, -1, -1]
    hard = KernelProblem.classification(Linear(), X, y, np.full(40, np.inf))
    with pytest.raises(NotSeparableError) as caught:
        solver.solve(hard, Limits())
    mixture = caught.value.mixture
    assert (mixture >= 0.0).all()
    assert_allclose([mixture[y > 0.0].sum(), mixture[y < 0.0].sum()], 1.0)
    assert_allclose((mixture * y) @ X, 0.0, atol=1e-5)
    assert "Give a finite C" in str(caught.value)


@few
@given(seed=seeds)
def test_a_hard_margin_in_a_space_that_separates(seed):
    X, y, _ = data(seed, 25)
    hard = KernelProblem.classification(RBF(2.0), X, y, np.full(25, np.inf))
    found = DualQP().solve(hard, Limits())
    margins = y * (gram_of_problem(hard) @ found.beta + found.b)
    assert found.status is Status.CONVERGED
    assert margins.min() >= 1.0 - 1e-7
    assert_allclose(margins[found.beta != 0.0], 1.0, rtol=0.0, atol=1e-7)
