"""The discriminant brings rows to the axes on which classes lie apart, and takes covariances of other estimators."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.covariance import OAS, EmpiricalCovariance, LedoitWolf, MinCovDet
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from deciban import GaussianDiscriminant, LogisticRegression

LINEAR = [
    {"covariance": "shared"},
    {"covariance": "diagonal"},
    {"covariance": "shared", "estimate": "map"},
    {"covariance": "shared", "shrinkage": "auto"},
    {"covariance": "shared", "shrinkage": 0.3},
    {"covariance": "diagonal", "estimate": "map"},
    {"covariance_estimator": OAS()},
]
linear = pytest.mark.parametrize("options", LINEAR, ids=str)


def classes(C=4, d=6, N=120, seed=0):
    """X (N, d) of correlated features, y (N,) of C classes of different sizes."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, C, N) * random.integers(0, 2, N))
    y[:C] = range(C)
    X = random.normal(size=(N, d)) @ random.normal(size=(d, d)) + 2.0 * random.normal(size=(C, d))[y]
    return X, np.array([f"c{c}" for c in range(C)])[y]


@pytest.mark.parametrize("C", [2, 3, 5])
@pytest.mark.parametrize("k", [None, 1])
def test_axes_are_those_of_scikit_learn(C, k):
    X, y = classes(C)
    ours = GaussianDiscriminant(n_components=k).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen", n_components=k).fit(X, y)
    centred = LinearDiscriminantAnalysis(solver="svd", n_components=k).fit(X, y)
    width = k or C - 1
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-6)
    assert_allclose(np.abs(ours.scalings_), np.abs(theirs.scalings_[:, :width]), rtol=1e-6)
    assert_allclose(ours.xbar_, centred.xbar_, rtol=1e-9)
    Z, other = ours.transform(X), theirs.transform(X) - theirs.transform(centred.xbar_[None])
    sign = np.sign((Z * other).sum(axis=0))
    assert_allclose(Z, sign * other, atol=1e-6 * np.abs(Z).max())
    of_svd = np.abs(centred.transform(X))  # in whose unit the variance is over N or, in older versions, N − C
    assert_allclose(np.abs(Z) * (of_svd.max() / np.abs(Z).max()), of_svd, atol=1e-6 * of_svd.max())


@linear
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_columns_are_uncorrelated_of_variance_one_and_keep_all_that_tells_classes_apart(options, scale, offset):
    X, y = classes()
    X = scale * (X + offset)
    model = GaussianDiscriminant(**options).fit(X, y)
    A, Z = model.scalings_, model.transform(X)
    assert Z.shape == (len(X), 3)
    assert_allclose(A.T @ model.covariance_ @ A, np.eye(3), atol=1e-6)
    assert (np.diff(model.explained_variance_ratio_) <= 0.0).all()
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0)
    means = (model.means_ - model.xbar_) @ A  # the nearest mean, but for the prior, is the verdict
    log_p = np.log(model.class_count_ / len(X)) - 0.5 * np.square(Z[:, None] - means).sum(axis=2)
    assert_array_equal(model.classes_[log_p.argmax(axis=1)], model.predict(X))


@linear
def test_every_form_of_rows_gives_the_same_columns(options):
    X, y = classes()
    model = GaussianDiscriminant(**options).fit(X, y)
    Z = model.transform(X)
    assert_allclose(model.transform(sparse.csr_array(X)), Z, atol=1e-9 * np.abs(Z).max())
    assert_array_equal(GaussianDiscriminant(**options).fit_transform(X, y), Z)
    assert_allclose(np.vstack([model.transform(X[[i]]) for i in range(3)]), Z[:3], atol=1e-12 * np.abs(Z).max())
    single = GaussianDiscriminant(**options).fit(X.astype(np.float32), y).transform(X.astype(np.float32))
    assert single.dtype == np.float32
    frame = (
        GaussianDiscriminant(**options).set_output(transform="pandas").fit(pd.DataFrame(X, columns=list("abcdef")), y)
    )
    found = frame.transform(pd.DataFrame(X, columns=list("abcdef"), index=range(7, 127)))
    assert found.columns.tolist() == [f"gaussiandiscriminant{i}" for i in range(3)]
    assert found.columns.tolist() == frame.get_feature_names_out().tolist()
    assert found.index[0] == 7
    assert_allclose(found.to_numpy(), Z, atol=1e-12 * np.abs(Z).max())
    pipe = make_pipeline(GaussianDiscriminant(**options), LogisticRegression()).fit(X, y)
    assert pipe.score(X, y) > 0.7


@linear
def test_weights_are_repetition(options):
    X, y = classes(N=60)
    times = np.random.default_rng(2).integers(1, 4, 60)
    one = GaussianDiscriminant(**options).fit(X, y, times)
    other = GaussianDiscriminant(**options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(one.transform(X), other.transform(X), atol=1e-7)
    assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-9)


def test_where_fewer_directions_vary_there_are_fewer_columns():
    X, y = classes()
    twice = np.hstack([X[:, :1], X[:, :1], np.ones((len(X), 1))])
    model = GaussianDiscriminant().fit(twice, y)
    assert model.transform(twice).shape == (len(X), 1) == (len(X), len(model.get_feature_names_out()))
    assert_allclose(model.explained_variance_ratio_, [1.0])


@pytest.mark.parametrize("options", [{"covariance": "per_class"}, {"estimate": "bayes"}], ids=str)
def test_what_is_not_linear_has_no_axes(options):
    X, y = classes()
    model = GaussianDiscriminant(**options).fit(X, y)
    names = ("transform", "fit_transform", "scalings_", "explained_variance_ratio_")
    assert not any(hasattr(model, name) for name in names)
    with pytest.raises(AttributeError, match="transform needs"):
        model.transform(X)


@pytest.mark.parametrize("estimator", [LedoitWolf(), OAS(), EmpiricalCovariance(), LedoitWolf(store_precision=False)])
def test_a_covariance_estimator_gives_the_model_of_scikit_learn(estimator):
    X, y = classes(3)
    ours = GaussianDiscriminant(covariance_estimator=estimator).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=estimator).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert type(estimator).__name__ in ours.certificate_.objective
    assert ours.certificate_.relative_gap == pytest.approx(0.0, abs=1e-9)
    why = ours.explain(X[:3])
    for each in why:
        assert each.prior_decibans + sum(term.decibans for term in each.terms) == pytest.approx(each.decibans)


def test_the_empirical_covariance_is_the_model_without_an_estimator():
    X, y = classes(3)
    for covariance in ("shared", "per_class"):
        plain = GaussianDiscriminant(covariance).fit(X, y)
        same = GaussianDiscriminant(covariance, covariance_estimator=EmpiricalCovariance()).fit(X, y)
        assert_allclose(same.predict_log_proba(X), plain.predict_log_proba(X), rtol=1e-7, atol=1e-7)
        assert_allclose(same.credible_interval(X), plain.credible_interval(X), rtol=1e-6)
    robust = GaussianDiscriminant("per_class", covariance_estimator=MinCovDet(random_state=0)).fit(X, y)
    assert robust.covariance_.shape == (3, 6, 6)
