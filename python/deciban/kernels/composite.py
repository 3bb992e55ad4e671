"""Sums and products of kernels: both are kernels again, and valid where their parts are (Schur 1911)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Any, ClassVar

from .kernel import Kernel


@dataclass(frozen=True)
class Composite(Kernel):
    """Several kernels of the same rows, combined place by place."""

    kernels: tuple[Kernel, ...]
    combine: ClassVar[Any]

    def __post_init__(self) -> None:
        strangers = [each for each in self.kernels if not isinstance(each, Kernel)]
        if strangers or not self.kernels:
            raise ValueError(f"a {self.name} needs one kernel at least, and only kernels, got {self.kernels!r}")
        flat = (part.kernels if type(part) is type(self) else (part,) for part in self.kernels)
        object.__setattr__(self, "kernels", tuple(kernel for several in flat for kernel in several))
        kinds = {_kind(part) for part in self.kernels}
        if len(kinds) > 1:
            raise ValueError(
                f"the kernels of a {self.name} must read the same X; {' and '.join(sorted(kinds))} cannot be one X"
            )

    @property
    def mercer(self) -> bool:
        """Whether all parts are."""
        return all(kernel.mercer for kernel in self.kernels)

    def tile(self, X: Any, Z: Any) -> Any:
        """The tiles of all parts, combined."""
        return reduce(type(self).combine, (kernel.tile(X, Z) for kernel in self.kernels))

    def diagonal(self, X: Any) -> Any:
        """The diagonals of all parts, combined."""
        return reduce(type(self).combine, (kernel.diagonal(X) for kernel in self.kernels))

    def centres(self, X: Any) -> Any:
        """Those of the parts, which read the same X."""
        return self.kernels[0].centres(X)

    def accept(self, X: Any, width: int | None = None) -> Any:
        """X after every part has accepted it."""
        return reduce(lambda X, kernel: kernel.accept(X, width), self.kernels, X)


def _kind(kernel: Kernel) -> str:
    """What a kernel reads."""
    if isinstance(kernel, Composite):
        return _kind(kernel.kernels[0])
    return {"precomputed": "a Gram matrix", "spectrum": "texts"}.get(kernel.name, "rows of numbers")


@dataclass(frozen=True)
class Sum(Composite):
    """K(x, z) = Σ_k K_k(x, z), written K₁ + K₂.

    >>> from deciban.kernels import Linear, RBF
    >>> (Linear() + RBF()).kernels
    (Linear(), RBF(gamma=1.0))
    """

    name = "sum"
    combine = add


@dataclass(frozen=True)
class Product(Composite):
    """K(x, z) = Π_k K_k(x, z), written K₁ * K₂.

    >>> from deciban.kernels import Linear, RBF
    >>> (Linear() * RBF()).mercer
    True
    """

    name = "product"
    combine = mul
