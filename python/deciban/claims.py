"""How much a verdict may claim: no more than the examples behind it can tell.

    p'_c = (n p_c + 1/C) / (n + 1)

after n examples of C classes. Where all n were right, the next one may still be wrong: of two classes with probability
½/(n + 1), the estimate of Jeffreys and of Krichevsky & Trofimov (IEEE Transactions on Information Theory 27, 1981);
of C classes 1/C stands for ½ (Perks, Journal of the Institute of Actuaries 73, 1947). A filter that knows 1,000
messages never claims more than 33 decibans. The order of scores stays; verdicts near even odds stay, too.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ._core import log_posterior


class Claims(NamedTuple):
    """What `examples` can tell; without an end, scores say what they say.

    >>> round(Claims(1000.0).odds(50.0), 2), round(Claims(1000.0).odds(1.0), 3)
    (7.6, 0.999)
    """

    examples: float = math.inf

    @property
    def bounded(self) -> bool:
        """Whether there is anything to hold back."""
        return self.examples < math.inf

    def log_p(self, scores: Sequence[float]) -> list[float]:
        """Return (C,) log probabilities of scores (C,), in nats; a class that nothing can speak for stays at −∞."""
        said: list[float] = log_posterior(list(scores))
        if not self.bounded:
            return said
        n, even = self.examples, 1.0 / sum(score > -math.inf for score in said)
        return [math.log((n * math.exp(p) + even) / (n + 1.0)) if p > -math.inf else p for p in said]

    def odds(self, odds: float, share: float = 1.0, classes: int = 2) -> float:
        """Return what log-odds of two of some classes become, which have a share of all probability between them."""
        if not (self.bounded and math.isfinite(odds)):
            return odds
        far = math.exp(-abs(odds))
        n, even = self.examples * share / (1.0 + far), 1.0 / classes
        return math.copysign(math.log1p(-n * math.expm1(-abs(odds)) / (n * far + even)), odds)

    def pair(self, scores: Sequence[float], pair: tuple[int, int]) -> Pair:
        """Return what becomes of the evidence for one of two classes against the other."""
        said: list[float] = log_posterior(list(scores))
        share = math.exp(said[pair[0]]) + math.exp(said[pair[1]])
        return Pair(self, scores[pair[0]] - scores[pair[1]], share, sum(p > -math.inf for p in said))


class Pair(NamedTuple):
    """Two classes of an item: their log-odds by the scores, and their `share` of all probability."""

    claims: Claims
    raw: float
    share: float
    classes: int

    def odds(self, raw: float) -> float:
        """Return what other log-odds of the two would become."""
        return self.claims.odds(raw, self.share, self.classes)

    @property
    def factor(self) -> float:
        """What becomes of a deciban of evidence: terms that sum to the raw log-odds sum to what is claimed."""
        if not (self.claims.bounded and math.isfinite(self.raw)):
            return 1.0
        if self.raw:
            return self.odds(self.raw) / self.raw
        half = 0.5 * self.claims.examples * self.share
        return half / (half + 1.0 / self.classes)


UNBOUNDED = Claims()
"""Scores say what they say."""
