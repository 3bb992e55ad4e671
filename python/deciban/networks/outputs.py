"""The last layer: what it puts out, and how far that is from the target.

    output      h = o(s), and its backward step: (∂h/∂s)ᵀ e for e = ∂𝓔/∂h
    error       𝓔_n of one example, and δ = ∂𝓔_n/∂s

    squared           𝓔_n = ½ Σ_k (h_k − y_k)²                    δ = (∂h/∂s)ᵀ (h − y)
    cross-entropy     𝓔_n = −Σ_k y_k ln h_k  (softmax)            δ = h − y
                      𝓔_n = −Σ_k y_k ln h_k + (1 − y_k) ln(1 − h_k)  (logistic)

Cross-entropy is of s, not of h, so that no |s| overflows. s, h and the targets y are (n, K).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from deciban.data.devices import namespace

from .activations import Logistic as LogisticUnit


@dataclass(frozen=True)
class Linear:
    """h = s: any numbers. There are no probabilities, and no cross-entropy."""

    name: ClassVar[str] = "linear"

    def forward(self, s: Any) -> Any:
        return s

    def backward(self, e: Any, s: Any, h: Any) -> Any:
        return e


@dataclass(frozen=True)
class Logistic:
    """h_k = 1 / (1 + e^(−s_k)): each output a probability of its own.

    >>> import numpy as np
    >>> Logistic().cross_entropy(np.array([[0.0], [1e4]]), np.array([[1.0], [0.0]])).round(4).tolist()
    [0.6931, 10000.0]
    """

    name: ClassVar[str] = "logistic"

    def forward(self, s: Any) -> Any:
        return LogisticUnit().forward(s)

    def backward(self, e: Any, s: Any, h: Any) -> Any:
        return LogisticUnit().backward(e, s, h)

    def cross_entropy(self, s: Any, y: Any) -> Any:
        """(n,) Σ_k ln(1 + e^(s_k)) − y_k s_k."""
        xp = namespace(s)
        return xp.sum(xp.log1p(xp.exp(-xp.abs(s))) + xp.clip(s, 0.0, None) - y * s, axis=1)


@dataclass(frozen=True)
class Softmax:
    """h_k = e^(s_k) / Σ_j e^(s_j): the outputs are the probabilities of classes that exclude each other.

    >>> import numpy as np
    >>> Softmax().forward(np.array([[0.0, 1e4]])).tolist()
    [[0.0, 1.0]]
    """

    name: ClassVar[str] = "softmax"

    def forward(self, s: Any) -> Any:
        xp = namespace(s)
        e = xp.exp(s - xp.max(s, axis=1, keepdims=True))
        e /= xp.sum(e, axis=1, keepdims=True)
        return e

    def backward(self, e: Any, s: Any, h: Any) -> Any:
        return h * (e - namespace(h).sum(e * h, axis=1, keepdims=True))

    def cross_entropy(self, s: Any, y: Any) -> Any:
        """(n,) ln Σ_k e^(s_k) − Σ_k y_k s_k; y sums to 1."""
        xp = namespace(s)
        below = s - xp.max(s, axis=1, keepdims=True)
        return xp.log(xp.sum(xp.exp(below), axis=1)) - xp.sum(y * below, axis=1)


Output = Linear | Logistic | Softmax


@dataclass(frozen=True)
class Squared:
    """½ Σ_k (h_k − y_k)²."""

    name: ClassVar[str] = "squared"

    def value(self, output: Output, s: Any, h: Any, y: Any) -> Any:
        e = h - y
        return 0.5 * namespace(h).sum(e * e, axis=1)

    def delta(self, output: Output, s: Any, h: Any, y: Any) -> Any:
        return output.backward(h - y, s, h)


@dataclass(frozen=True)
class CrossEntropy:
    """−ln of the probability that the outputs give to the target."""

    name: ClassVar[str] = "cross_entropy"

    def value(self, output: Output, s: Any, h: Any, y: Any) -> Any:
        assert not isinstance(output, Linear)
        return output.cross_entropy(s, y)

    def delta(self, output: Output, s: Any, h: Any, y: Any) -> Any:
        return h - y


Error = Squared | CrossEntropy
OUTPUTS: tuple[type[Output], ...] = (Linear, Logistic, Softmax)
ERRORS: tuple[type[Error], ...] = (Squared, CrossEntropy)
# What belongs together.
PAIRS: tuple[tuple[type[Output], type[Error]], ...] = tuple(
    (output, error) for output in OUTPUTS for error in ERRORS if not (output is Linear and error is CrossEntropy)
)


def paired(output: Any, error: Any, *among: type[Output]) -> tuple[Output, Error]:
    """The output and the error of these names, the output one of `among`; ValueError for what does not fit together."""
    outputs = {each.name: each for each in among or OUTPUTS}
    errors = {each.name: each for each in ERRORS}
    for what, known, name in (("output", outputs, output), ("error", errors, error)):
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{what} must be one of {', '.join(map(repr, known))}, got {name!r}")
    if (outputs[output], errors[error]) not in PAIRS:
        raise ValueError(
            f"error={error!r} is of probabilities, which output={output!r} does not give: take error='squared', or "
            "another output"
        )
    return outputs[output](), errors[error]()
