"""Every parameter of every public estimator is described where it stands."""

import inspect
import re

import pytest

from laws.estimators import public

ESTIMATORS = public()


def described(estimator):
    """The names in the section "Parameters" with their descriptions."""
    text = inspect.cleandoc(estimator.__doc__)
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n(?=\S)|\Z)", text, flags=re.DOTALL | re.MULTILINE)
    assert section, "there is no section of parameters"
    entries = re.split(r"\n(?=\S)", section.group(1))
    found = {}
    for entry in entries:
        names, _, description = entry.partition(" : ")
        for name in re.split(r",\s*", re.sub(r"\([^()]*\)( → stop\?)?", "", names)):
            found[name.strip()] = description
    return found


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_parameters_described_are_those_there_are(name):
    estimator = ESTIMATORS[name]
    assert set(described(estimator)) == set(inspect.signature(estimator).parameters)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_description_is_a_reference_to_another_class(name):
    for parameter, description in described(ESTIMATORS[name]).items():
        text = " ".join(description.split())
        assert len(text) >= 10, parameter
        assert not re.match(r"(see|as in|those of) `", text), parameter
