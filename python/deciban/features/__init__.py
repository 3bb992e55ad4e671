"""What to learn from: features chosen by what they tell of the class, and features that stand for a kernel."""

from __future__ import annotations

from deciban.lazy import lazy_attributes

__getattr__, __dir__ = lazy_attributes(__name__, {})
