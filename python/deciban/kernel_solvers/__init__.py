"""Solvers of kernel machines: each takes a `KernelProblem` and `Limits` and returns a `KernelSolution`."""

from . import blocks, smo
from .problem import KernelProblem, KernelSolution, Limits, Status, Step, Watch

__all__ = ["KernelProblem", "KernelSolution", "Limits", "Status", "Step", "Watch"]
