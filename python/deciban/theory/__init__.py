"""Theory: what errors to expect, and when to believe them."""

from __future__ import annotations

from .expected_errors import Expectation, ExpectedErrors, linear_regression

__all__ = ["Expectation", "ExpectedErrors", "linear_regression"]
