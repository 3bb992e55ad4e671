"""Fitted models in the formats of others: ONNX, which runtimes of many languages and devices read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_attributes

if TYPE_CHECKING:
    from .onnx_file import to_onnx as to_onnx
    from .texts import token_counts as token_counts

_HOME = {"to_onnx": ".onnx_file", "token_counts": ".texts"}

__all__ = sorted(_HOME)

__getattr__, __dir__ = lazy_attributes(__name__, _HOME)
