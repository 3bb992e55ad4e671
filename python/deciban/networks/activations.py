"""What a hidden unit makes of its signal: value and backward step of each, side by side.

    h = σ(s)        δ = (∂𝓔/∂h) σ'(s)

`spread` is the variance that initial weights have, times the number of inputs, so that signals neither fade nor grow
on their way up: 1 (LeCun, Bottou, Orr & Müller 1998), and 2 where half of the units are silent (He, Zhang, Ren & Sun
2015). A unit is `idle` on an example where its slope is below a hundredth of the largest: what it does wrong there
teaches it nothing.
"""

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


def by_name(name: Any) -> Activation:
    """The activation called `name`; a ValueError lists the names there are."""
    for activation in CATALOGUE:
        if isinstance(name, str) and activation.name == name:
            return activation()
    raise ValueError(f"activation must be one of {', '.join(repr(each.name) for each in CATALOGUE)}, got {name!r}")
