"""Mercer's condition, looked for on the data at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import eigh

from deciban.data.devices import doubled, elsewhere, on_host, take
from deciban.data.rows import is_sparse
from deciban.losses import Floats

from .kernel import Kernel

# Rows beyond which a sample of them is looked at: eigenvalues cost the cube of their number.
LARGEST = 2000
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Mercer:
    """The smallest and the largest eigenvalue of a Gram matrix, and a `witness` v (n,) of length 1 with vᵀKv < 0, or
    None where none was found. `rows` are the rows that were looked at, of n."""

    smallest: float
    largest: float
    witness: Floats | None = field(repr=False)
    rows: int
    n: int

    @property
    def valid(self) -> bool:
        """No witness was found."""
        return self.witness is None

    @property
    def says(self) -> str:
        """A sentence."""
        seen = f"the Gram matrix of these {self.n:,} examples"
        if self.rows < self.n:
            seen = f"the Gram matrix of {self.rows:,} of these {self.n:,} examples, evenly taken,"
        if self.witness is not None:
            return (
                f"{seen} is not positive semi-definite: its smallest eigenvalue is {self.smallest:.6g} "
                f"(the largest: {self.largest:.6g}), so no space of features has this kernel, and what is found is a "
                "stationary point, which need not be an optimum"
            )
        return f"{seen} is positive semi-definite up to rounding: its smallest eigenvalue is {self.smallest:.6g}"


def mercer(kernel: Kernel, X: Any, largest: int = LARGEST) -> Mercer:
    """Whether the Gram matrix K (n, n) of X is positive semi-definite, with its smallest eigenvalue or a witness.

    A kernel is an inner product in some space exactly if all its Gram matrices are symmetric and positive
    semi-definite (Mercer 1909; Schölkopf & Smola 2002, proposition 2.7). One matrix can refute that, and not prove it.
    An eigenvalue counts as negative below −10⁻¹⁰ times the largest sum of a row, as values of K are rounded, too.
    Cost: n³; of more than `largest` rows a sample is looked at, whose witness is one for all of them.

    >>> from deciban.kernels import RBF, Multiquadric
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> mercer(RBF(), X).valid, mercer(Multiquadric(), X).valid
    (True, False)
    """
    X = kernel.accept(X)
    n = len(X) if isinstance(X, list) else int(X.shape[0])
    rows = np.unique(np.linspace(0, n - 1, largest).astype(np.int64)) if n > largest else np.arange(n)
    centres = kernel.centres(X)
    taken = [X[i] for i in rows] if isinstance(X, list) else _doubles(take(X, rows))
    right = taken if centres is X else take(centres, rows)
    K = on_host(kernel.tile(taken, right))
    if not n:
        return Mercer(0.0, 0.0, None, 0, 0)
    K = 0.5 * (K + K.T)
    values = np.linalg.eigvalsh(K)
    smallest, limit = float(values[0]), -_ROUNDING * float(np.abs(K).sum(axis=1).max())
    witness = None
    if smallest < limit:
        v = eigh(K, subset_by_index=[0, 0], driver="evx")[1][:, 0]
        if float(v @ K @ v) < limit:
            witness = np.zeros(n)
            witness[rows] = v
    return Mercer(smallest, float(values[-1]), witness, len(rows), n)


def _doubles(X: Any) -> Any:
    if elsewhere(X):
        return doubled(X)
    numbers = is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype != object)
    return X.astype(np.float64) if numbers else X
