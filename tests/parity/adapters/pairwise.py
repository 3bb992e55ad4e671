"""Kernel functions of `sklearn.metrics.pairwise` by the kernels of `deciban.kernels`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.metrics import pairwise

from deciban.kernels import by_name

from .adapter import Adapter


def substitute(original: Callable[..., Any], kernel: str) -> Callable[..., Any]:
    """Return a function of the parameters of `original` that evaluates a kernel of Deciban."""

    @wraps(original)
    def evaluate(*args: Any, **options: Any) -> Any:
        Adapter.used.add(original.__name__)
        given = inspect.signature(original).bind(*args, **options)
        given.apply_defaults()
        X, Y = pairwise.check_pairwise_arrays(given.arguments["X"], given.arguments["Y"])
        chosen = {name: given.arguments[name] for name in ("gamma", "degree", "coef0") if name in given.arguments}
        if "gamma" in chosen and chosen["gamma"] is None:
            chosen["gamma"] = "auto"
        found = by_name(kernel, X, **chosen)
        return found.tile(found.accept(X), found.accept(Y))

    return evaluate


linear_kernel = substitute(pairwise.linear_kernel, "linear")
polynomial_kernel = substitute(pairwise.polynomial_kernel, "poly")
sigmoid_kernel = substitute(pairwise.sigmoid_kernel, "sigmoid")
rbf_kernel = substitute(pairwise.rbf_kernel, "rbf")
laplacian_kernel = substitute(pairwise.laplacian_kernel, "laplacian")
chi2_kernel = substitute(pairwise.chi2_kernel, "chi2")
cosine_similarity = substitute(pairwise.cosine_similarity, "cosine")
