"""scikit-learn's own checks of every public estimator as it comes, but for those of `repetition.NOT_REPETITION`."""

import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import deciban
from deciban.data.declared_types import Estimator
from laws.repetition import NOT_REPETITION

# Text is no table: scikit-learn has no checks of it.
OTHERS = {"TextClassifier", "TextVectorizer"}
PUBLIC = sorted(
    name
    for name in deciban.__all__
    if inspect.isclass(getattr(deciban, name)) and issubclass(getattr(deciban, name), Estimator)
)
WEIGHTS = {f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")}
SINGLE = {"check_methods_subset_invariance"}  # seven digits of sums in single precision
NEEDS_AN_ENVIRONMENT = {"check_array_api_input"}  # asks for a variable set at start-up
ALIKE = {"check_estimator_sparse_matrix"}  # what check_estimator_sparse_array says


def as_it_comes(name):
    family = getattr(deciban, name)
    if name == "CalibratedClassifier":
        return family(deciban.LinearSVM(calibration=None))
    return family(max_iter=20) if name.startswith("MLP") else family()


def checks_of(name):
    """Every check of an estimator, one parameter each."""
    expected = (WEIGHTS if name in NOT_REPETITION else set()) | (SINGLE if name.startswith("MLP") else set())
    for estimator, check in estimator_checks_generator(as_it_comes(name), mark=None):
        called = check.func.__name__
        if called in NEEDS_AN_ENVIRONMENT:
            continue
        marks = [pytest.mark.xfail(reason=NOT_REPETITION[name], strict=False)] if called in expected else []
        options = [f"{key}={value}" for key, value in check.keywords.items()]
        if options or called in ALIKE:
            marks.append(pytest.mark.deep)
        yield pytest.param(estimator, check, id="-".join([name, called, *options]), marks=marks)


@pytest.mark.parametrize(
    ("estimator", "check"), [each for name in PUBLIC if name not in OTHERS for each in checks_of(name)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_check_fails_only_where_the_list_says_so(estimator, check):
    check(clone(estimator))


def test_the_guide_names_these_estimators():
    text = " ".join(Path(__file__).parents[2].joinpath("docs", "models.md").read_text().split())
    [sentence] = re.findall(r"A weight of k means k repetitions[^.]*\.", text)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(NOT_REPETITION)
