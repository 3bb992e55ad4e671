"""Multilayer perceptrons as estimators: examples and parameters in, a trained network of `deciban.networks` out."""

from __future__ import annotations

from deciban.lazy import lazy_attributes

__getattr__, __dir__ = lazy_attributes(__name__, {})
