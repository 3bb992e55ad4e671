"""Cover's number is what linear programmes count, and the VC dimension what can be labelled in every way."""

from math import comb, log

import numpy as np
import pytest

from deciban import (
    SVM,
    GaussianDiscriminant,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    NaiveBayes,
    TextClassifier,
    theory,
)
from deciban.kernels import Polynomial
from deciban.models.margins import Margins


@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 1), (3, 2), (5, 2), (7, 2), (5, 3), (6, 4)])
@pytest.mark.parametrize("intercept", [True, False])
def test_points_in_general_position_have_as_many_labellings_as_cover_says(n, d, intercept):
    X = np.random.default_rng(n).normal(size=(n, d))
    told, cover = theory.separable(X, fit_intercept=intercept), theory.dichotomies(n, d, fit_intercept=intercept)
    assert told.value == cover.value == told.given["cover"]
    labellings = {tuple(y) for y in told.given["labellings"]}
    assert len(labellings) == told.value
    assert {tuple(-np.array(y)) for y in labellings} == labellings
    assert bool(told.vacuous) == bool(cover.vacuous) == (n <= d + intercept)


def test_each_labelling_is_one_that_a_machine_learns():
    X = np.random.default_rng(3).normal(size=(6, 2))
    for y in theory.separable(X).given["labellings"]:
        if len(set(y)) == 2:
            machine = LinearSVM(C=np.inf, calibration=None).fit(X, y)
            assert machine.predict(X).tolist() == y


def test_points_in_special_position_have_fewer():
    line = np.column_stack([np.arange(5.0), np.arange(5.0)])
    assert theory.separable(line).value == theory.dichotomies(5, 1).value == 10 < theory.dichotomies(5, 2).value
    assert theory.separable([[0, 0], [0, 1], [1, 0], [1, 1]]).value == 14


@pytest.mark.parametrize("p", [1, 2, 5, 40])
def test_half_of_all_labellings_at_twice_the_dimension(p):
    assert theory.dichotomies(2 * p, p, fit_intercept=False).given["log"] == pytest.approx((2 * p - 1) * log(2))


def test_cover_overflows_nowhere():
    told = theory.dichotomies(10**9, 10**4)
    assert told.value == np.inf
    expected = log(2) + theory.growth(10**9 - 1, 10**4).given["log"]
    assert told.given["log"] == pytest.approx(expected)
    assert theory.dichotomies(500, 100).given["log"] == pytest.approx(log(2 * sum(comb(499, k) for k in range(101))))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_dimension_of_hyperplanes_is_where_not_every_labelling_is_possible(d):
    X = np.random.default_rng(d).normal(size=(d + 2, d))
    dimension = int(float(theory.dimension(LogisticRegression().fit(X, np.arange(d + 2) % 2))))
    assert theory.separable(X[:dimension]).vacuous
    assert not theory.separable(X).vacuous


ROWS, LABELS = np.abs(np.random.default_rng(0).normal(size=(30, 3))), np.arange(30) % 2
KNOWN = {
    "logistic": (LogisticRegression(), 4),
    "logistic through the origin": (LogisticRegression(fit_intercept=False), 3),
    "linear machine": (SVM("linear", calibration=None), 4),
    "quadratic machine": (SVM(Polynomial(degree=2), calibration=None), 10),
    "homogeneous machine": (SVM(Polynomial(degree=2, shift=0.0), calibration=None), 7),
    "naive Bayes of counts": (NaiveBayes("poisson"), 4),
    "naive Bayes of normals": (NaiveBayes("gaussian", estimate="ml"), 7),
    "discriminant": (GaussianDiscriminant(), 4),
    "quadratic discriminant": (GaussianDiscriminant(covariance="per_class"), 10),
}


@pytest.mark.parametrize("kind", KNOWN)
def test_the_dimension_of_a_fitted_model(kind):
    model, expected = KNOWN[kind]
    told = theory.dimension(model.fit(ROWS, LABELS))
    assert (float(told), told.vacuous) == (expected, "")
    assert float(theory.vc(100_000, float(told))) < 0.3


def test_models_without_a_dimension_say_why():
    machine = theory.dimension(SVM(calibration=None).fit(ROWS, LABELS))
    assert str(machine) == (
        "inf: the VC dimension of SVM: none\n"
        "  vacuous: the kernel rbf separates any points, so that they can be labelled in every way"
    )
    assert theory.vc(1000, float(machine)).vacuous
    three = theory.dimension(LogisticRegression().fit(ROWS, np.arange(30) % 3))
    assert three.vacuous == "it is of two classes; this model has 3: ask for each pair, or each against the rest"
    network = theory.dimension(MLPClassifier(hidden_layer_sizes=(2,), max_iter=1).fit(ROWS, LABELS))
    assert network.vacuous == "of networks only orders of magnitude are known (Bartlett et al., JMLR 20 (2019))"
    student = theory.dimension(NaiveBayes("gaussian").fit(ROWS, LABELS))
    assert student.vacuous.endswith("such as Student densities")


@pytest.mark.parametrize("kind", ["naive-bayes", "logistic"])
def test_words_are_features(kind):
    texts = ["cheap pills", "cheap loan", "lunch at noon", "see you at lunch"]
    model = TextClassifier(kind, words=(1, 1)).fit(texts, [0, 0, 1, 1])
    assert float(theory.dimension(model)) == len({word for text in texts for word in text.split()}) + 1


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_margins_are_those_of_the_space_of_features(kernel):
    """Against the distance of S1, with (w, b) and (φ(x), 1) as vectors."""
    X, y = ROWS, np.where(ROWS[:, 0] + 0.3 * ROWS[:, 1] > 0.8, "up", "down")
    machine = SVM(kernel, C=5.0, calibration=None).fit(X, y)
    assert isinstance(machine, Margins)
    length, b = 1.0 / machine.margin_[0], machine.intercept_[0]
    squares = machine.kernel_.diagonal(X) + 1.0
    expected = machine.functional_margins(X, y) / np.sqrt(squares * (length**2 + b**2))
    assert theory.normalised_margins(machine, X, y) == pytest.approx(expected, rel=1e-6)
    assert np.abs(expected).max() <= 1.0


def test_margins_of_a_sparse_linear_model_are_those_of_the_dense_one():
    from scipy import sparse

    X = np.where(ROWS > 0.7, ROWS, 0.0)
    model = LogisticRegression().fit(X, LABELS)
    dense = theory.normalised_margins(model, X, LABELS)
    assert theory.normalised_margins(model, sparse.csr_array(X), LABELS) == pytest.approx(dense, abs=1e-12)
    assert ((dense < 0) == (model.predict(X) != LABELS)).all()
