"""The lowest versions that pyproject.toml admits: `make minimum` runs this file with exactly these installed."""

import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import walk_packages

import numpy as np
import pytest

import deciban
from laws.certificates import EVERY, OTHERS, REGRESSIONS, data, fit
from system.command import out

HERE = Path(__file__).parents[2]
PINNED = {
    name: pinned
    for name, _, pinned in (
        line.partition("==")
        for line in (HERE / "tests" / "minimum-versions.txt").read_text().split("\n")
        if line and not line.startswith("#")
    )
}


def numbers(text):
    """A version as numbers that compare."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def test_the_pinned_versions_are_those_of_the_project():
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    tools = ("site", "test")  # of who works on the project
    extras = [each for name, more in project["optional-dependencies"].items() if name not in tools for each in more]
    said = dict(each.split(";")[0].split(",")[0].split(">=") for each in [*project["dependencies"], *extras])
    assert set(said) == set(PINNED)
    for name, least in said.items():
        there, pinned = numbers(least), numbers(PINNED[name])
        assert pinned == there + (0,) * (len(pinned) - len(there)), f"{name}>={least}, but {PINNED[name]} is tested"


@pytest.mark.parametrize("name", PINNED)
def test_no_older_version_is_installed(name):
    assert numbers(version(name)) >= numbers(PINNED[name])


def test_every_module_and_every_public_name_loads():
    for name in deciban.__all__:
        assert getattr(deciban, name) is not None
    for module in walk_packages(deciban.__path__, "deciban."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


@pytest.mark.parametrize("name", EVERY)
def test_every_estimator_learns_judges_and_is_read_again(name, tmp_path):
    model = fit(name)
    X = data(name)[0]
    told = model.predict(X)
    assert len(told) == len(X)
    assert str(model.certificate_)
    if name not in REGRESSIONS and name not in OTHERS and hasattr(model, "predict_proba"):
        np.testing.assert_allclose(np.sum(model.predict_proba(X), axis=1), 1.0)
    model.save(tmp_path / "model.deciban")
    np.testing.assert_array_equal(deciban.load(tmp_path / "model.deciban").predict(X), told)


def test_the_command_runs_its_demonstration(tmp_path):
    assert "demo" in out("--help")
    assert "dB" in out("demo", cwd=tmp_path)
