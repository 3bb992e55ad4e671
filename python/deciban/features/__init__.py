"""Features selected by their information about the class, and features that approximate a kernel."""

from __future__ import annotations

from deciban.lazy import lazy_attributes

__getattr__, __dir__ = lazy_attributes(__name__, {})
