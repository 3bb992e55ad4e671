"""Packages and names are found by attribute, and loaded only then."""

import subprocess
import sys

import pytest

import deciban
from tiers import deep

PACKAGES = [name for name in dir(deciban) if hasattr(getattr(deciban, name), "__path__") and name != "cli"]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_an_import_loads_neither_arrays_nor_packages():
    loaded = run("import sys, deciban; print([name for name in sys.modules if name.startswith(('deciban', 'numpy'))])")
    assert set(eval(loaded.stdout)) == {"deciban", "deciban.attached", "deciban.lazy"}, loaded.stderr


@pytest.mark.parametrize("name", [*PACKAGES[:3], *deep(*PACKAGES[3:])])
def test_a_package_is_an_attribute(name):
    assert name in dir(deciban)
    found = run(
        f"import deciban; print(deciban.{name}.__name__); [getattr(deciban.{name}, n) for n in dir(deciban.{name})]"
    )
    assert found.stdout.strip() == f"deciban.{name}", found.stderr


@pytest.mark.parametrize("name", ["theory", "evaluation", "report", "kernel_machines", "networks", "features"])
def test_a_name_that_is_not_there_is_an_attribute_error(name):
    package = getattr(deciban, name)
    assert not hasattr(package, "nothing")
    with pytest.raises(AttributeError, match=rf"module 'deciban.{name}' has no attribute 'nothing'"):
        _ = package.nothing


def test_the_packages_are_those_that_the_readme_names():
    assert {"theory", "evaluation", "report", "kernels", "solvers", "losses", "calibration", "kernel_machines"} <= set(
        PACKAGES
    )
    assert {"distributions", "kernel_solvers"} <= set(PACKAGES)
    assert deciban.penalties.L2(1.0).strength == 1.0


def test_the_text_classifier_learns_and_explains_without_scipy_and_scikit_learn():
    done = run(
        "import sys, deciban\n"
        "texts = ['win a prize now', 'lunch at noon', 'a prize for you', 'noon at the office'] * 10\n"
        "known = deciban.TextClassifier().fit(texts, ['spam', 'ham'] * 20)\n"
        "known.predict(texts), known.explain(texts[:1])\n"
        "print(*{'scipy', 'sklearn', 'pandas'} & set(sys.modules))"
    )
    assert (done.stdout, done.stderr) == ("\n", "")
