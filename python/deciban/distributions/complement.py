"""The complement of the multinomial model: a class is known by the words of all the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deciban._core import log_table
from deciban.scores import AffineScore, Score

from ..data.refusal import StatisticError, first
from .counts import Counts, Floats
from .multinomial import Multinomial, Urn
from .pseudo_counts import is_vector, pseudo_counts


@dataclass(frozen=True)
class Complement(Multinomial):
    """Words weigh against a class as often as they occur in all other classes, for classes of uneven size.

        score_c(x) = −Σ_j x_j log φ̃_cj,      φ̃_cj = (alpha + Σ_c'≠c s_c'j) / Σ_k (alpha + Σ_c'≠c s_c'k)

    All classes but one hold nearly the same amount of text, so that no class is favoured for having more of it. The
    state is that of `Multinomial`. This is a score, not a density: p(x | c) ∝ 1 / φ̃_c. With one class there are no
    others, and φ̃ is the prior alone. Rennie, Shih, Teevan & Karger, ICML 2003, section 3.1; their normalised weights
    (section 3.2) are left out, as they are no log-odds.

    >>> model = Complement()
    >>> seen = model.count(np.array([[2, 0], [0, 1]]), np.array([0, 1]), np.ones(2), 2)
    >>> model.parameters(seen, "bayes").round(3).tolist()
    [[0.333, 0.667], [0.75, 0.25]]
    """

    name: ClassVar[str] = "complement"
    sign: ClassVar[float] = -1.0

    def drawn(self, seen: Counts) -> Floats:
        """(C, d) how often each word was drawn in all other classes."""
        result: Floats = seen.s.sum(axis=0) - seen.s
        return result

    def affine(self, phi: Floats) -> tuple[Floats, None]:
        """W (d, C) = −log φ̃, and None because absent words weigh nothing."""
        _refuse_certain(phi)
        return -super().affine(phi)[0], None

    def score(self, phi: Floats | Urn, prior: Floats) -> Score:
        """The score over T(x); for "predictive" less the predictive of the words of all others."""
        if isinstance(phi, Urn):
            _refuse_certain(phi.a)
        return super().score(phi, prior)

    def straight(self, seen: Counts, estimate: str, prior: Floats) -> AffineScore | None:
        """`score` of `parameters` without φ̃ in between; None where some φ̃ is 0 or undefined."""
        added = pseudo_counts(self.alpha, estimate)
        if is_vector(self.alpha) or estimate == "predictive":
            return None
        C, d = seen.s.shape
        drawn, mine = seen.s.sum(axis=0), seen.s.sum(axis=1)
        total = mine.sum() - mine + added * d
        if not (total > 0.0).all():
            return None
        W = log_table(seen.s, np.full(C, added), np.log(total), v=drawn, less=True)
        return None if W is None else AffineScore(np.negative(W, out=W), prior)

    def log_density(self, X: Any, phi: Floats | Urn) -> Floats:
        """(N, C) −Σ_j x_j log φ̃_j."""
        return -super().log_density(X, phi)

    def doubt(self, X: Any, seen: Counts) -> tuple[Floats, Floats]:
        """(N, C) mean and variance of the score over the posterior of φ̃_c ~ Dirichlet(a), as if classes were apart."""
        mean, variance = super().doubt(X, seen)
        return -mean, variance


def _refuse_certain(shares: Floats) -> None:
    if (shares <= 0.0).any():
        c, j = first(shares <= 0.0)
        raise StatisticError(
            "{feature} occurs in no class but {label}, so its evidence is infinite: "
            "use estimate='bayes' with alpha > 0, or leave the feature out",
            feature=j,
            label=c,
        )
