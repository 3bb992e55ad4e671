"""Laws of how the quadratic programmes of kernel machines end: early, interrupted, twice the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from deciban.kernel_solvers import KernelProblem, Limits, Status
from deciban.kernel_solvers.certificate import prove
from deciban.kernel_solvers.qp import DualQP, PrimalQP
from deciban.kernels import Linear, Wave
from laws.programmes import MACHINES, SIDES, TOY, data, over, over_solvers


def endings():
    def stop(iteration, primal, gap):
        return iteration == 3

    def interrupt(iteration, primal, gap):
        if iteration == 3:
            raise KeyboardInterrupt

    yield Limits(time_limit=1e-9), Status.OUT_OF_TIME
    yield Limits(callback=stop), Status.STOPPED
    yield Limits(callback=interrupt), Status.INTERRUPTED


@over
@pytest.mark.parametrize(
    ("limits", "status"), [*endings()], ids=lambda each: each.name if isinstance(each, Status) else ""
)
def test_an_ending_before_the_end_is_feasible_and_honest(machine, kernel, solver, limits, status):
    problem = MACHINES[machine](kernel, *data(1))
    found = solver.solve(problem, limits)
    assert found.status is status
    assert (problem.lo <= found.beta).all()
    assert (found.beta <= problem.hi).all()
    sums = np.bincount(problem.group, weights=found.beta, minlength=len(problem.sums))
    assert_allclose(sums, problem.sums, atol=1e-9)
    proof = prove(problem, found.beta)
    assert proof.primal >= proof.dual - 1e-9
    assert [step.iteration for step in found.trace] == list(range(len(found.trace)))


@over
def test_too_few_iterations_are_said_unless_the_proof_holds(machine, kernel, solver):
    problem = MACHINES[machine](kernel, *data(1))
    for most in (1, 2, 4):
        found = solver.solve(problem, Limits(max_iter=most))
        assert found.iterations <= most
        proven = prove(problem, found.beta).relative_gap <= 1e-4
        assert found.status is (Status.CONVERGED if proven else Status.EXHAUSTED)


@over_solvers
def test_what_a_callback_raises_is_heard(solver):
    def wrong(iteration, primal, gap):
        raise ZeroDivisionError("in a callback")

    problem = KernelProblem.classification(Linear(), TOY, SIDES, np.ones(5))
    with pytest.raises(ZeroDivisionError, match="in a callback"):
        solver.solve(problem, Limits(callback=wrong))


@over_solvers
def test_the_same_bytes_each_time(solver):
    problem = KernelProblem.classification(Linear(), *data(2, 60)[:2], np.ones(60))
    first, second = (solver.solve(problem, Limits()) for _ in range(2))
    assert first.beta.tobytes() == second.beta.tobytes()


def test_a_kernel_that_may_fail_is_solved_where_it_does_not():
    X, y, c = data(3)
    problem = KernelProblem.classification(Wave(0.8), X, y, c)
    assert DualQP().refusal(problem) is None
    assert DualQP().solve(problem, Limits()).status is Status.CONVERGED


def test_the_primal_takes_more_rows_than_a_gram_matrix_would():
    X, y, c = data(4, 6_000, 2)
    problem = KernelProblem.classification(Linear(), X, y, 0.01 * c)
    found = PrimalQP().solve(problem, Limits())
    assert found.status is Status.CONVERGED
    assert prove(problem, found.beta).violation <= 1e-9
    sparse_rows = PrimalQP().solve(KernelProblem.classification(Linear(), csr_array(X), y, 0.01 * c), Limits())
    assert_allclose(sparse_rows.beta @ X, found.beta @ X, rtol=1e-9)
