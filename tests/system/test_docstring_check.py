"""The check of docstrings in `make lint` finds what is missing."""

import docstrings
import pytest


def complete(x, times=2.0):
    """Return x doubled.

    Parameters
    ----------
    x : float
        A number ≥ 0.
    times : float, default=2.0
        A factor.

    Returns
    -------
    float
        Twice the number.

    Raises
    ------
    ValueError
        If the number is negative.

    Examples
    --------
    >>> complete(2.0)
    4.0
    """
    if x < 0.0:
        raise ValueError("x must be ≥ 0")
    return times * x


def without(part):
    """Make the function with a docstring that lacks a part."""

    def wrapped(x, times=2.0):
        if x < 0.0:
            raise ValueError("x must be ≥ 0")
        return times * x

    wrapped.__doc__ = complete.__doc__.replace(*part)
    wrapped.__qualname__ = "wrapped"
    return wrapped


PARTS = {
    "DF01": ("default=2.0", "default=3.0"),
    "IM01": ("Return x doubled.", "The double of x."),
    "SS03": ("Return x doubled.", "Return x doubled"),
    "PR01": ("    x : float\n        A number ≥ 0.\n", ""),
    "PR04": ("x : float", "x"),
    "PR07": ("        A number ≥ 0.\n", ""),
    "RT01": ("    Returns\n    -------\n    float\n        Twice the number.\n", ""),
    "RT03": ("        Twice the number.\n", ""),
    "RS01": ("    Raises\n    ------\n    ValueError\n        If the number is negative.\n", ""),
    "EX01": ("    Examples\n    --------\n    >>> complete(2.0)\n    4.0\n", ""),
}


def test_a_complete_docstring_passes():
    assert docstrings.check(f"{__name__}.complete", complete) == []


@pytest.mark.parametrize("code", PARTS)
def test_what_is_missing_is_found(code, monkeypatch):
    function = without(PARTS[code])
    monkeypatch.setitem(globals(), "wrapped", function)
    assert code in {line[:4] for line in docstrings.check(f"{__name__}.wrapped", function)}


def test_everything_public_is_checked():
    public = docstrings.find_public()
    assert len(public) > 500
    assert {"deciban.SVM", "deciban.theory.vc", "deciban.models.linear.LinearClassifier.fit"} <= set(public)
