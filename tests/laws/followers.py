"""What dual ascent leaves and another solver ends."""

from deciban.certificates.duality import prove
from deciban.solvers import Limits, Status, dual_coordinate, solve


def is_proven(posed, found, tol):
    """Return whether a solution's own dual proves it."""
    return prove(posed, found.w, found.b, found.dual).is_enough(posed, tol)


def assert_follower_ends(posed, passes, follower):
    """Assert that dual ascent does not end in so many passes, and that the follower proves the optimum."""
    ascent = dual_coordinate.solve(posed, Limits(max_iter=passes))
    assert ascent.status is Status.EXHAUSTED
    found = solve(posed, Limits())
    assert (found.status, found.solver) == (Status.CONVERGED, follower.NAME)
    assert is_proven(posed, found, 1e-6)
    few = solve(posed, Limits(max_iter=5))
    assert (few.status, few.solver, few.iterations) == (Status.EXHAUSTED, dual_coordinate.NAME, 5)
