"""The score of a multilayer perceptron, and its evidence: gradients, integrated from a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.data.devices import on_host, take, type_of
from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError
from deciban.lazy import cached_property

from .affine import nonzeros
from .evidence import Floats, Score, Terms

# Rows that go through the network at once.
_PART = 4096
# The gradient is taken at so many places (Gauss and Legendre's) of each stretch of the way: from bend to bend of the
# first layer, or a quarter where it has none.
_PLACES, _OF_SMOOTH, _QUARTERS = 4, 16, np.linspace(0.0, 1.0, 5)
# A stretch is halved where its gradients miss the rise of f by more than this share of the signals; at most so many
# places are looked at.
_CLOSE, _MOST = 1e-9, 1 << 16
_LEAST = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class NetworkScore(Score):
    """The scores of a neural network, one column a class.

        score(x)_c = s_c(x)                               outputs of a softmax
        score(x)_c = −ln(1 + e^(−s_c(x)))                 logistic outputs, a class each
        score(x) = (0, s(x))                              one logistic output, of two classes

    in nats: differences are log-odds. With f the difference of the two scores and b the baseline, an explanation has
    the integrated gradients

        evidence_j = (x_j − b_j) ∫₀¹ ∂f/∂x_j (b + t (x − b)) dt,      Σ_j evidence_j = f(x) − f(b)

    (Sundararajan, Taly & Yan, ICML 2017). The signals of the first layer are linear in t, so that a point of the
    integral costs the layers above alone, whatever d. Of ReLU the integral is taken from kink to kink of the first
    layer. Its intervals are halved until the sum of the evidence is right; what is left is shared in proportion.

    Parameters
    ----------
    network : Network
        The layers, a `deciban.networks.network.Network`.
    baseline : ndarray of shape (n_features,), optional
        The example against which features are weighed; None for zeros. `prior` is the score there.
    label : int, optional
        Of many labels that do not exclude each other, the one whose score (not k, k) it is.

    Examples
    --------
    >>> from deciban.networks.layers import ReLU
    >>> from deciban.networks.network import Network
    >>> from deciban.networks.layers import CrossEntropy, Softmax
    >>> W, b = [np.eye(2), np.array([[1.0, 0.0], [0.0, 2.0]])], [np.zeros(2), np.zeros(2)]
    >>> score = NetworkScore(Network(W, b, ReLU(), Softmax(), CrossEntropy()))
    >>> score(np.array([[3.0, 1.0]])).tolist(), score.terms(np.array([3.0, 1.0]), 0, 1).evidence.round(9).tolist()
    ([[3.0, 2.0]], [3.0, -2.0])
    """

    network: Any
    baseline: Floats | None = None
    label: int | None = None

    def __call__(self, X: Any) -> Floats:
        """(N, C) scores in nats of X (N, d), dense, on any device, or CSR, in tiles."""
        return self._nats(self.signals_of(X))

    def signals_of(self, X: Any) -> Floats:
        """Return the signals of the last layer, as NumPy arrays.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Signals s.
        """
        from deciban.networks.batches import cast_rows  # here, because linear scores need no networks
        from deciban.networks.network import move_to

        network, dtype, n = move_to(self.network, X), type_of(self.network.weights[0]), int(X.shape[0])
        found = [np.zeros((0, self.network.sizes[-1]))]
        with np.errstate(over="ignore", invalid="ignore"):
            for i in range(0, n, _PART):
                _, s = network.signals(cast_rows(take(X, slice(i, min(n, i + _PART))), dtype))
                found.append(on_host(s))
        return _within(np.concatenate(found), dtype)

    @property
    def _single(self) -> bool:
        """Whether one column of s is the log-odds of two classes."""
        return self.label is not None or self.network.sizes[-1] == 1

    def _nats(self, s: Floats) -> Floats:
        if self._single:
            s = s[:, [self.label or 0]]
            return np.hstack([np.zeros_like(s), s])
        logs: Floats = s if self.network.output.name == "softmax" else -np.logaddexp(0.0, -s)
        return logs

    @cached_property
    def prior(self) -> Floats:
        """(C,) the score of the baseline."""
        if self.baseline is None and self.network.sizes[0] > _PART:
            _, s = self._above(self._first(None)[None, :])
            nothing: Floats = self._nats(s)[0]
            return nothing
        start = np.zeros(self.network.sizes[0]) if self.baseline is None else self.baseline
        prior: Floats = self(start[None, :])[0]
        return prior

    def _above(self, s: Floats) -> tuple[Any, Any]:
        """Return what the layers above the first make of its signals (n, units): what is kept, and s (n, K)."""
        net = self._on_host
        if len(net.weights) == 1:
            return [], s
        from deciban.networks.network import Kept, Network

        first = Kept(s, net.activation.forward(s))
        upper = Network(net.weights[1:], net.biases[1:], net.activation, net.output, net.error)
        kept, s = upper.signals(first.h)
        return [first, *kept], s

    @cached_property
    def _on_host(self) -> Any:
        """The network in float64: of the first layer only the biases, as its weights may be millions."""
        from deciban.networks.network import Network

        net = self.network
        weights = [on_host(net.weights[0], None), *map(on_host, net.weights[1:])]
        return Network(weights, list(map(on_host, net.biases)), net.activation, net.output, net.error)

    def terms(self, row: Rows, label: int, against: int) -> Terms:
        feature, x = nonzeros(row) if self.baseline is None else self._unlike(row)
        start = np.zeros(len(x)) if self.baseline is None else self.baseline[feature]
        W = on_host(take(self.network.weights[0], feature))
        rise = (x - start) @ W
        at_start = self._first(self.baseline)
        evidence = (x - start) * (W @ self._integrate(at_start, rise, label, against))
        prior = self.prior[label] - self.prior[against]
        score = self._of_row(row)
        gap = score[label] - score[against] - prior - float(evidence.sum())
        return Terms(feature, x, _complete(evidence, gap, float(np.abs(score).max())))

    def _of_row(self, row: Any) -> Floats:
        score: Floats = self(row if is_sparse(row) else row.reshape(1, -1))[0]
        return score

    def _unlike(self, row: Any) -> tuple[Any, Floats]:
        assert self.baseline is not None
        full = on_host(row.toarray() if is_sparse(row) else row).reshape(-1)
        feature = np.flatnonzero(full != self.baseline)
        return feature, full[feature]

    def _first(self, x: Floats | None) -> Floats:
        b: Floats = self._on_host.biases[0]
        return b if x is None else b + x @ on_host(self.network.weights[0])

    def _integrate(self, start: Floats, rise: Floats, label: int, against: int) -> Floats:
        """Return (units,) ∫₀¹ ∂f/∂s dt on the way s = start + t · rise of the first layer's signals."""
        low, high, node, share = self._stretches(start, rise)
        total, looked_at = np.zeros(len(start)), 0
        while len(low):
            wide = high - low
            t = low[:, None] + wide[:, None] * node
            kept, s = self._above(start + t.reshape(-1, 1) * rise)
            delta = self._on_host.to_inputs(kept, self._slope(s, label, against))
            found = wide[:, None] * np.einsum("p,npu->nu", share, delta.reshape(len(low), len(node), -1))
            ends, size = self._difference(start + np.concatenate([low, high])[:, None] * rise, label, against)
            missing = np.abs(ends[len(low) :] - ends[: len(low)] - found @ rise) > _CLOSE * size
            looked_at += t.size
            if looked_at + 2 * missing.sum() * len(node) > _MOST:
                missing[:] = False
            total += found[~missing].sum(axis=0)
            low, high = low[missing], high[missing]
            middle = 0.5 * (low + high)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        return total

    def _difference(self, s: Floats, label: int, against: int) -> tuple[Floats, float]:
        """Return (n,) score_label − score_against where the first layer's signals are s; and the last one's largest
        signal."""
        _, s = self._above(s)
        nats = self._nats(s)
        return nats[:, label] - nats[:, against], float(np.abs(s).max())

    def _stretches(self, start: Floats, rise: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return where stretches of the way begin and end, in [0, 1], the places of each, and how much a place
        counts."""
        deep, edge = len(self.network.weights) > 1, _QUARTERS
        if not deep and self._linear:
            return np.zeros(1), np.ones(1), np.array([0.5]), np.ones(1)
        bent = deep and self.network.activation.name == "relu"
        if bent:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                bends = -start / rise
            edge = np.unique(np.concatenate([[0.0, 1.0], bends[(bends > 0.0) & (bends < 1.0)]]))
        node, share = np.polynomial.legendre.leggauss(_PLACES if bent else _OF_SMOOTH)
        return edge[:-1], edge[1:], 0.5 * (node + 1.0), 0.5 * share

    @property
    def _linear(self) -> bool:
        """Whether nats are linear in the last signals."""
        return self._single or self.network.output.name == "softmax"

    def _slope(self, s: Floats, label: int, against: int) -> Floats:
        """Return ∂/∂s (n, K) of score_label − score_against."""
        slope = np.zeros_like(s)
        if self._single:
            slope[:, self.label or 0] = float(label) - float(against)
            return slope
        for k, sign in ((label, 1.0), (against, -1.0)):
            slope[:, k] = sign * (1.0 if self._linear else 0.5 - 0.5 * np.tanh(0.5 * s[:, k]))
        return slope


def _within(s: Floats, dtype: Any) -> Floats:
    """Return s, or a DataError that names the first row whose signals left the range."""
    right = np.isfinite(s).all(axis=1)
    if not right.all():
        place, other = int(right.argmin()), "" if dtype == np.float64 else ", or take dtype='float64'"
        raise DataError(f"row {place}: the signals left the range of {dtype}: give its features in larger units{other}")
    return s


def _complete(evidence: Floats, rest: float, size: float) -> Floats:
    """Return the evidence with what it lacks of the whole shared in proportion; in equal parts where there is none."""
    weight = np.abs(evidence)
    if not weight.sum() > 1e-12 * size:
        weight = np.ones(len(evidence))
    return evidence + rest * weight / max(float(weight.sum()), _LEAST)
