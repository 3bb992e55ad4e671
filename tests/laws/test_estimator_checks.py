"""scikit-learn's own checks of every public estimator as it comes, but for those of `repetition.NOT_REPETITION`."""

import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_estimator

import deciban
from laws.repetition import NOT_REPETITION

# Text is no table: scikit-learn has no checks of it. The checks of the first are slow, and of its own module.
OTHERS = {"TextClassifier", "TextVectorizer"}
PUBLIC = sorted(
    name
    for name in deciban.__all__
    if inspect.isclass(getattr(deciban, name)) and issubclass(getattr(deciban, name), BaseEstimator)
)
WEIGHTS = {f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")}
SINGLE = {"check_methods_subset_invariance"}  # seven digits of sums in single precision


def as_it_comes(name):
    family = getattr(deciban, name)
    if name == "CalibratedClassifier":
        return family(deciban.LinearSVM(calibration=None))
    return family(max_iter=20) if name.startswith("MLP") else family()


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in OTHERS])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_checks_fail_only_where_the_list_says_so(name):
    results = check_estimator(as_it_comes(name), on_skip=None, on_fail=None)
    failed = {result["check_name"] for result in results if result["status"] == "failed"}
    expected = WEIGHTS if name in NOT_REPETITION else set()
    assert failed <= expected | (SINGLE if name.startswith("MLP") else set())


def test_the_readme_names_these_estimators():
    text = " ".join(Path(__file__).parents[2].joinpath("README.md").read_text().split())
    [sentence] = re.findall(r"A weight of k means k repetitions[^.]*\.", text)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(NOT_REPETITION)
