"""The same numbers as scikit-learn's discriminant analyses, its shrunk covariances, and SciPy's densities.

All covariances divide by N or N_c, as here; before 1.9 scikit-learn's `svd` divided by N − C, and QDA by N_c − 1.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.covariance import ledoit_wolf, oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from deciban.models.discriminant import GaussianDiscriminant
from laws.clouds import clouds


@pytest.fixture(params=[2, 3, 7], ids=lambda C: f"{C} classes")
def table(request):
    X, y = clouds(request.param, N=400, d=6, C=request.param)
    return X, np.array([f"class {c}" for c in y])


def centred(X, y):
    return X - np.array([X[y == label].mean(axis=0) for label in y])


def agree(ours, theirs, X):
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-10)
    best = np.sort(theirs.predict_log_proba(X), axis=1)[:, -2:]
    clear = best[:, 1] - best[:, 0] > 1e-9  # elsewhere both are right, and the last bit decides
    assert clear.mean() > 0.99
    assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_linear(table, solver):
    X, y = table
    theirs = LinearDiscriminantAnalysis(solver=solver, store_covariance=True, tol=1e-10).fit(X, y)
    ours = GaussianDiscriminant().fit(X, y)
    agree(ours, theirs, X)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.means_, theirs.means_, rtol=1e-10)


@pytest.mark.parametrize("class_prior", ["uniform", "given"])
def test_given_priors(table, class_prior):
    X, y = table
    C = len(np.unique(y))
    given = np.full(C, 1 / C) if class_prior == "uniform" else np.arange(1, C + 1) / np.arange(1, C + 1).sum()
    theirs = LinearDiscriminantAnalysis(solver="lsqr", priors=given).fit(X, y)
    if class_prior == "uniform":  # with unequal priors scikit-learn weighs the classes' covariances by them, too
        X, y = np.vstack([X[y == label][:50] for label in np.unique(y)]), np.repeat(np.unique(y), 50)
        theirs.fit(X, y)
        agree(GaussianDiscriminant(class_prior="uniform").fit(X, y), theirs, X)
        return
    weight = (given / np.unique(y, return_counts=True)[1])[np.searchsorted(np.unique(y), y)]
    agree(GaussianDiscriminant(class_prior=given).fit(X, y, weight), theirs, X)


@pytest.mark.parametrize("rho", [0.0, 0.2, 0.9])
def test_linear_shrunk_by_a_number(table, rho):
    """scikit-learn shrinks class by class and averages, towards each class's mean variance: the same on average."""
    X, y = table
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=rho).fit(X, y)
    ours = GaussianDiscriminant(shrinkage=rho).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-8, atol=1e-10)
    agree(ours, theirs, X)


def test_quadratic(table):
    X, y = table
    theirs = QuadraticDiscriminantAnalysis(store_covariance=True, tol=1e-10).fit(X, y)
    ours = GaussianDiscriminant("per_class").fit(X, y)
    agree(ours, theirs, X)
    assert_allclose(ours.covariance_, np.stack(theirs.covariance_), rtol=1e-8, atol=1e-10)


def test_quadratic_of_one_feature_is_gaussian_naive_bayes(table):
    X, y = table[0][:, :1], table[1]
    agree(GaussianDiscriminant("per_class").fit(X, y), GaussianNB(var_smoothing=0.0).fit(X, y), X)


@pytest.mark.parametrize(("name", "rule"), [("ledoit-wolf", ledoit_wolf), ("oracle-approximating", oas)])
def test_shrunk_covariances(table, name, rule):
    X, y = table
    Z = centred(X, y)
    covariance, rho = rule(Z)
    ours = GaussianDiscriminant(shrinkage=name).fit(X, y)
    assert ours.shrinkage_ == pytest.approx(rho, rel=1e-9)
    assert_allclose(ours.covariance_, covariance, rtol=1e-9, atol=1e-12 * np.abs(covariance).max())
    ours = GaussianDiscriminant("per_class", shrinkage=name).fit(X, y)
    for label, mine, amount in zip(ours.classes_, ours.covariance_, ours.shrinkage_, strict=True):
        covariance, rho = rule(X[y == label])
        assert amount == pytest.approx(rho, rel=1e-9)
        assert_allclose(mine, covariance, rtol=1e-9, atol=1e-12 * np.abs(covariance).max())


def test_shrunk_covariances_of_more_features_than_examples():
    X, y = clouds(5, N=40, d=100)
    covariance, rho = ledoit_wolf(centred(X, y))
    ours = GaussianDiscriminant(shrinkage="auto").fit(X, y)
    assert ours.shrinkage_ == pytest.approx(rho, rel=1e-9)
    assert_allclose(ours.covariance_, covariance, rtol=1e-9, atol=1e-12 * np.abs(covariance).max())


def test_densities(table):
    X, y = table
    for estimate in ("ml", "map", "bayes"):
        ours = GaussianDiscriminant("per_class", estimate=estimate, class_prior="uniform").fit(X, y)
        density = ours.predict_joint_log_proba(X) + np.log(len(ours.classes_))
        d, n = X.shape[1], ours.class_count_
        for c in range(len(n)):
            mean, S = ours.means_[c], ours.covariance_[c]
            if estimate == "bayes":  # S is the mean Ψ/(ν − d − 1); ν = d + 2 + n with alpha = 1
                freedom, kappa = n[c] + 3.0, n[c] + 1.0
                squared_scale = S * (n[c] + 1.0) / freedom * (kappa + 1.0) / kappa
                expected = stats.multivariate_t(mean, squared_scale, df=freedom).logpdf(X)
            else:
                expected = stats.multivariate_normal(mean, S).logpdf(X)
            assert_allclose(density[:, c], expected, rtol=1e-8, err_msg=f"{estimate}, {d} features")


def test_digits(table):
    """A real table whose features are partly constant, partly constant within classes."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    learn, judge = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    ours = GaussianDiscriminant().fit(X[learn], y[learn])
    theirs = LinearDiscriminantAnalysis(solver="svd").fit(X[learn], y[learn])
    assert (ours.predict(X[judge]) == theirs.predict(X[judge])).mean() > 0.99
    assert ours.rank_ == np.linalg.matrix_rank(centred(X[learn], y[learn]))
    assert ours.certificate_.advice.startswith(f"rank {ours.rank_} of 64: ")
    shrunk = GaussianDiscriminant("per_class", shrinkage="auto").fit(X[learn], y[learn])
    assert (shrunk.predict(X[judge]) == y[judge]).mean() > 0.97
