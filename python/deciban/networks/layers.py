"""What a unit makes of its signal, value and backward step, and how far the last layer is from the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from deciban.data.devices import namespace


@dataclass(frozen=True)
class Logistic:
    """θ(s) = 1 / (1 + e^(−s)),     θ' = θ (1 − θ).

    >>> import numpy as np
    >>> Logistic().forward(np.array([0.0, 1e4])).tolist()
    [0.5, 1.0]
    """

    name: ClassVar[str] = "logistic"
    spread: ClassVar[float] = 1.0

    def forward(self, s: Any) -> Any:
        return 0.5 * namespace(s).tanh(0.5 * s) + 0.5  # no power of e that leaves the range

    def backward(self, delta: Any, s: Any, h: Any) -> Any:
        return delta * (h - h * h)

    def idle(self, s: Any, h: Any) -> Any:
        return h - h * h < 0.01 * 0.25


@dataclass(frozen=True)
class Tanh:
    """tanh s,     tanh' = 1 − tanh².

    >>> import numpy as np
    >>> Tanh().forward(np.array([0.0, -1e4])).tolist()
    [0.0, -1.0]
    """

    name: ClassVar[str] = "tanh"
    spread: ClassVar[float] = 1.0

    def forward(self, s: Any) -> Any:
        return namespace(s).tanh(s)

    def backward(self, delta: Any, s: Any, h: Any) -> Any:
        return delta * (1.0 - h * h)

    def idle(self, s: Any, h: Any) -> Any:
        return 1.0 - h * h < 0.01


@dataclass(frozen=True)
class ReLU:
    """max(0, s),     1 where s > 0, and 0 at the kink, which is the slope of the flat side (Nair & Hinton 2010).

    >>> import numpy as np
    >>> ReLU().forward(np.array([2.0, -1.0])).tolist()
    [2.0, 0.0]
    """

    name: ClassVar[str] = "relu"
    spread: ClassVar[float] = 2.0

    def forward(self, s: Any) -> Any:
        return namespace(s).clip(s, 0.0, None)

    def backward(self, delta: Any, s: Any, h: Any) -> Any:
        return delta * namespace(h).sign(h)

    def idle(self, s: Any, h: Any) -> Any:
        return h <= 0.0


@dataclass(frozen=True)
class Identity:
    """s,     1: all layers together are one linear map, of at most as many dimensions as the smallest has units.

    >>> Identity().forward(2.0)
    2.0
    """

    name: ClassVar[str] = "identity"
    spread: ClassVar[float] = 1.0

    def forward(self, s: Any) -> Any:
        return s

    def backward(self, delta: Any, s: Any, h: Any) -> Any:
        return delta

    def idle(self, s: Any, h: Any) -> Any:
        return s != s  # never


Activation = Logistic | Tanh | ReLU | Identity
CATALOGUE: tuple[type[Activation], ...] = (Logistic, Tanh, ReLU, Identity)


def by_name(name: object) -> Activation:
    """Return the activation called `name`; a ValueError lists the names there are."""
    for activation in CATALOGUE:
        if isinstance(name, str) and activation.name == name:
            return activation()
    raise ValueError(f"activation must be one of {', '.join(repr(each.name) for each in CATALOGUE)}, got {name!r}")


@dataclass(frozen=True)
class Linear:
    """h = s: any numbers. There are no probabilities, and no cross-entropy."""

    name: ClassVar[str] = "linear"

    def forward(self, s: Any) -> Any:
        return s

    def backward(self, e: Any, s: Any, h: Any) -> Any:
        return e


@dataclass(frozen=True)
class LogisticOutput:
    """h_k = 1 / (1 + e^(−s_k)): each output a probability of its own.

    >>> import numpy as np
    >>> LogisticOutput().cross_entropy(np.array([[0.0], [1e4]]), np.array([[1.0], [0.0]])).round(4).tolist()
    [0.6931, 10000.0]
    """

    name: ClassVar[str] = "logistic"

    def forward(self, s: Any) -> Any:
        return Logistic().forward(s)

    def backward(self, e: Any, s: Any, h: Any) -> Any:
        return Logistic().backward(e, s, h)

    def cross_entropy(self, s: Any, y: Any) -> Any:
        """Return (n,) Σ_k ln(1 + e^(s_k)) − y_k s_k."""
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
        """Return (n,) ln Σ_k e^(s_k) − Σ_k y_k s_k; y sums to 1."""
        xp = namespace(s)
        below = s - xp.max(s, axis=1, keepdims=True)
        return xp.log(xp.sum(xp.exp(below), axis=1)) - xp.sum(y * below, axis=1)


Output = Linear | LogisticOutput | Softmax


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
OUTPUTS: tuple[type[Output], ...] = (Linear, LogisticOutput, Softmax)
ERRORS: tuple[type[Error], ...] = (Squared, CrossEntropy)
# What belongs together.
PAIRS: tuple[tuple[type[Output], type[Error]], ...] = tuple(
    (output, error) for output in OUTPUTS for error in ERRORS if not (output is Linear and error is CrossEntropy)
)


def pair_output(output: Any, error: Any, *among: type[Output]) -> tuple[Output, Error]:
    """Return the output and the error of these names, the output one of `among`; ValueError for what does not fit
    together."""
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
