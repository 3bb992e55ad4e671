"""Quadratic programmes under linear constraints, handed to Clarabel's interior-point method.

Goulart & Chen, Clarabel: an interior-point solver for conic programs with quadratic objectives (2024),
arXiv:2405.12762.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import sparse

from deciban.losses import Floats

from .problem import Limits
from .watch import Watch

# What the interior-point method is asked for, whatever the caller tolerates.
PRECISION = 1e-10


class Programme(NamedTuple):
    """min ½ zᵀQz + cᵀz  subject to  A z = a in the first `equal` rows, A z ≤ a in the others; of Q the upper half."""

    Q: Any
    c: Floats
    A: Any
    a: Floats
    equal: int


def minimise(programme: Programme, limits: Limits, unit: float, solvable: bool) -> tuple[Any, Watch]:
    """Return Clarabel's answer and the watch.

    The watch sees the value of the caller's primal: `unit` times that of the programme, or of its dual where `unit` is
    negative. Where a solution exists (`solvable`), large numbers are not taken for proof of none.
    """
    import clarabel

    watch = Watch(limits)
    raised: list[Exception] = []

    def look(info: Any) -> bool:
        primal = unit * (info.cost_primal if unit > 0.0 else info.cost_dual)
        gap = abs(unit * (info.cost_primal - info.cost_dual))
        # What is raised here Clarabel would only print.
        try:
            return watch(int(info.iterations), float(primal), float(gap))
        except KeyboardInterrupt:
            watch.interrupt()
        except Exception as error:
            raised.append(error)
        return True

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = limits.max_iter
    settings.max_threads = 1  # more of them add in another order
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = min(limits.tol, PRECISION)
    if solvable:
        settings.tol_infeas_abs = settings.tol_infeas_rel = 0.0
        settings.reduced_tol_infeas_abs = settings.reduced_tol_infeas_rel = 0.0
    cones = [clarabel.ZeroConeT(programme.equal)] if programme.equal else []
    if len(programme.a) > programme.equal:
        cones.append(clarabel.NonnegativeConeT(len(programme.a) - programme.equal))
    Q, A = (sparse.csc_matrix(each) for each in (programme.Q, programme.A))
    solver = clarabel.DefaultSolver(Q, programme.c, A, programme.a, cones, settings)
    solver.set_termination_callback(look)
    found = solver.solve()
    if raised:
        raise raised[0]
    return found, watch


def ends(found: Any, status: str) -> bool:
    """Return whether Clarabel ended so, or almost so."""
    return str(found.status) in (status, f"Almost{status}")
