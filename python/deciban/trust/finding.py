"""`model.suspects(X, y)`, for every classifier that gives probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deciban.threads import OnThreads

if TYPE_CHECKING:
    from .suspect import Suspects


class FindsSuspects(OnThreads):
    """A classifier that names the examples whose labels are probably wrong."""

    def suspects(self, X: Any, y: Any, sample_weight: Any = None, *, folds: int = 5, seed: int = 0) -> Suspects:
        """The examples whose labels y (N,) are probably wrong, the most suspect first; the model stays as it is.

        Each is judged by clones of this model that did not learn it: see `deciban.suspects`.
        """
        from .suspects import suspects

        return suspects(self, X, y, sample_weight, folds=folds, seed=seed)
