"""Learning curves, and bias and variance: what they sum to, and that they are what theory expects."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from deciban import GaussianDiscriminant, LinearRegression, LogisticRegression, NaiveBayes, TextClassifier, theory


class Memory(ClassifierMixin, BaseEstimator):
    """The label of the nearest example learnt: no bias, all variance."""

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        return self.y_[np.abs(X[:, None, 0] - self.X_[None, :, 0]).argmin(axis=1)]


class Mean(RegressorMixin, BaseEstimator):
    """The mean of what was learnt."""

    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class LeastSquares(Mean):
    """With an intercept, and nothing but the weights."""

    def fit(self, X, y):
        self.w_ = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]
        return self

    def predict(self, X):
        return X @ self.w_[:-1] + self.w_[-1]


def labelled(n=300, classes=2, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    X = random.normal(size=(n, 2)) + y[:, None]
    return X, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", [GaussianDiscriminant(), Memory()], ids=["discriminant", "memory"])
def test_the_parts_of_the_share_of_errors_sum_to_it(model, classes):
    X, y = labelled(classes=classes)
    found = theory.bias_variance(model, X, y, size=30, repeats=15, seed=3)
    assert found.loss == pytest.approx(found.bias + found.unbiased - found.biased, abs=1e-12)
    if classes == 2:
        assert found.variance == pytest.approx(found.unbiased + found.biased, abs=1e-12)
    else:
        assert found.variance >= found.unbiased + found.biased - 1e-12
    assert found.bias == pytest.approx((found.main != y[found.rows]).mean())


def test_the_parts_of_the_squared_error_sum_to_it():
    X, _ = labelled()
    found = theory.bias_variance(LinearRegression(), X, np.sin(3 * X[:, 0]), size=20, repeats=12)
    assert found.loss == pytest.approx(found.bias + found.variance, rel=1e-12)
    assert (found.loss_name, found.biased) == ("squared", 0.0)
    assert found.bias == pytest.approx(np.square(found.main - np.sin(3 * X[found.rows, 0])).mean())


def test_the_variance_of_a_mean_is_known():
    """σ²/m, with the variance of the pool for σ²."""
    y = np.random.default_rng(0).normal(size=400)
    X = np.zeros((400, 1))
    found = theory.bias_variance(Mean(), X, y, size=25, repeats=1000)
    pool = np.setdiff1d(np.arange(400), found.rows)
    spread = y[pool].var() / 25
    assert found.variance == pytest.approx(spread, rel=4 * np.sqrt(2 / 1000))
    assert found.bias == pytest.approx(np.square(y[found.rows] - y[pool].mean()).mean(), rel=0.02)


def test_memory_has_variance_and_a_plain_model_bias():
    random = np.random.default_rng(0)
    X, turned = random.uniform(-1, 1, size=(400, 1)), random.random(400) < 0.2
    for bent in (False, True):
        y = ((np.abs(X[:, 0]) > 0.5) if bent else (X[:, 0] > 0.0)) ^ turned
        memory, plain = (theory.bias_variance(model, X, y, repeats=20) for model in (Memory(), LogisticRegression()))
        if bent:
            assert memory.bias < 0.7 * plain.bias
        else:
            assert memory.variance > 3 * plain.variance
    assert str(plain).startswith("LogisticRegression: share of errors of 20 models of 300 examples each, on 100 held")


def test_main_labels_are_those_predicted_most_often():
    X, y = labelled(60)
    found = theory.bias_variance(Memory(), X, y, size=12, repeats=9, seed=1)
    random = np.random.default_rng(1)
    from deciban.theory.expected_errors import split_rows

    pool, test = split_rows(y, random, True)
    assert found.rows.tolist() == test.tolist()
    told = [Memory().fit(X[rows], y[rows]).predict(X[test]) for rows in (random.choice(pool, 12) for _ in range(9))]
    main = [Counter(each.tolist()).most_common(1)[0][0] for each in np.array(told).T]
    assert found.main.tolist() == main  # nine of two labels: no ties


def test_the_learning_curve_of_least_squares_is_what_theory_expects():
    """E_in and E_out of L3, at new normal inputs."""
    random = np.random.default_rng(0)
    d, noise = 4, 0.25
    X = random.normal(size=(4000, d))
    y = X @ np.ones(d) + np.sqrt(noise) * random.normal(size=4000)
    curve = theory.learning_curve(LeastSquares(), X, y, sizes=[12, 30, 200], repeats=200)
    assert (curve.loss, curve.held_out) == ("squared", 1000)
    spread = [4 * each / np.sqrt(200) + 0.03 * noise for each in curve.deviation]  # and the luck of the 4,000
    for n, low, high, a, b in zip(curve.sizes, *curve.mean, *spread, strict=True):
        expected = theory.linear_regression_expected_error(n, d, noise)
        assert abs(low - float(expected.in_sample)) < a
        assert abs(high - float(expected.new_normal_inputs)) < b


def test_memory_never_errs_on_what_it_learnt():
    X, y = labelled()
    curve = theory.learning_curve(Memory(), X, y, repeats=3)
    assert curve.sizes == (14, 28, 56, 112, 225)
    assert (curve.in_sample == 0.0).all()
    assert (curve.out_of_sample > 0.05).all()
    assert curve.to_json()["out_of_sample"] == curve.out_of_sample.tolist()
    head, titles, *rows = str(curve).splitlines()
    assert head == "Memory: share of errors, mean ± standard deviation of 3 drawings"
    assert titles == "  examples  in sample        out of sample (75)"
    assert len(rows) == 5
    assert rows[0].startswith("        14  0.0000 ± 0.0000  0.")


class Listener(Memory):
    """Tells what it learnt."""

    heard = []  # noqa: RUF012

    def fit(self, X, y):
        self.heard.append((X, y))
        return super().fit(X, y)


def test_what_is_learnt_grows_in_proportion_and_is_not_held_out():
    X, y = np.arange(200.0)[:, None], np.repeat([0, 1], [150, 50])
    Listener.heard.clear()
    theory.learning_curve(Listener(), X, y, sizes=[8, 40, 150], repeats=2)
    for first in (0, 3):
        small, middle, large = ({*rows[:, 0].tolist()} for rows, _ in Listener.heard[first : first + 3])
        assert small < middle < large
        assert [len(each) for each in (small, middle, large)] == [8, 40, 150]
        for _, labels in Listener.heard[first : first + 3]:
            assert abs(np.mean(labels) - 0.25) <= 1 / len(labels)
    assert Listener.heard[2][0][:, 0].tolist() != Listener.heard[5][0][:, 0].tolist()


@pytest.mark.parametrize(
    ("model", "X"),
    [
        (LogisticRegression(), sparse.csr_array(labelled(80)[0])),
        (NaiveBayes("auto"), pl.DataFrame(labelled(80)[0], schema=["a", "b"])),
        (TextClassifier("naive-bayes", words=(1, 1)), [f"word{k % 7} of{k % 3}" for k in range(80)]),
    ],
    ids=["sparse", "frame", "texts"],
)
def test_any_rows_and_the_same_seed_the_same_numbers(model, X):
    y = labelled(80)[1]
    first, second = (theory.learning_curve(model, X, y, sizes=[20, 50], repeats=2, seed=5) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert theory.bias_variance(model, X, y, repeats=3).to_json()["held_out"] == 20
