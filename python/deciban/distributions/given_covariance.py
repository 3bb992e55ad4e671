"""Normal distributions whose covariances somebody else estimated, from the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .counts import Floats
from .joint_gaussian import JointGaussian, Spread


@dataclass(frozen=True, eq=False)
class GivenCovariance(JointGaussian):
    """x | c ~ N(μ_c, Σ_g) with means from the statistics and Σ (G, d, d) as given: one of all classes, or one a class.

    What is known of Σ counts as if it were the scatter of the examples over their number.

    >>> pair = GivenCovariance(covariance=np.eye(2)[None])
    >>> seen = pair.count(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([0, 0]), None, 1)
    >>> pair.covariances(seen, "ml").tolist(), pair.parameters(seen, "ml").rank
    ([[[1.0, 0.0], [0.0, 1.0]]], 2)
    """

    covariance: Any = None

    def _spread(self, seen: Any, estimate: str, g: int, rho: float) -> Spread:
        n = seen.n[self._of(g)]
        matrix: Floats = np.array(self.covariance[g])
        return Spread(matrix, float(n.sum()) - int((n > 0.0).sum()), float(n.sum()))

    def _directions(self, seen: Any) -> Any:
        """None: what varies is what the covariances say."""
        return None
