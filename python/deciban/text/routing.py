"""What scikit-learn's metadata routing is told of the methods of texts."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS_ARE_X: Mapping[str, str] = {"texts": "$UNUSED$"}  # sklearn.utils.metadata_routing.UNUSED
"""For `__metadata_request__fit` and the like: `texts` are what other estimators call X, and no metadata."""
