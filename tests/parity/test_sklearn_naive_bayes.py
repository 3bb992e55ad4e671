"""The same numbers as scikit-learn's MultinomialNB and BernoulliNB, to 1e-10."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from deciban.models.naive_bayes import NaiveBayes

RIVALS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}
pytestmark = pytest.mark.parametrize("likelihood", RIVALS)


@pytest.fixture(params=[2, 5, 40], ids=lambda C: f"{C} classes")
def data(request):
    """Counts of 200 words in 300 documents: X sparse, y of text labels, weight."""
    rng = np.random.default_rng(request.param)
    X = sparse.csr_array(rng.poisson(rng.gamma(0.3, 1.0, 200), (300, 200)))
    y = np.array([f"class {c:02}" for c in np.arange(300) % request.param])
    return X, y, rng.integers(1, 5, 300) / 2


def agree(ours, theirs, X):
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-10, atol=1e-10)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)
    best = np.sort(theirs.predict_log_proba(X), axis=1)[:, -2:]
    clear = best[:, 1] - best[:, 0] > 1e-9  # elsewhere both are right, and the last bit decides
    assert clear.mean() > 0.95
    assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10, atol=1e-14)  # log of nearly 1
    assert_allclose(ours.score_.prior, theirs.class_log_prior_, rtol=1e-10)
    assert_allclose(ours.feature_count_, theirs.feature_count_, rtol=1e-12)
    assert_allclose(ours.class_count_, theirs.class_count_, rtol=1e-12)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 10.0])
def test_fitted(likelihood, data, alpha):
    X, y, weight = data
    for form in (X, X.toarray(), X.astype(np.float32)):
        ours = NaiveBayes(likelihood, alpha=alpha).fit(form, y, weight)
        agree(ours, RIVALS[likelihood](alpha=alpha).fit(form.astype(float), y, weight), X)


def test_given_and_uniform_priors(likelihood, data):
    X, y, _ = data
    C = len(np.unique(y))
    given = np.arange(1, C + 1) / np.arange(1, C + 1).sum()
    agree(
        NaiveBayes(likelihood, class_prior=given).fit(X, y),
        RIVALS[likelihood](class_prior=given).fit(X, y),
        X,
    )
    agree(
        NaiveBayes(likelihood, class_prior="uniform").fit(X, y),
        RIVALS[likelihood](fit_prior=False).fit(X, y),
        X,
    )


def test_learnt_in_parts(likelihood, data):
    X, y, weight = data
    ours, theirs = NaiveBayes(likelihood), RIVALS[likelihood]()
    for part in (slice(100), slice(100, 180), slice(180, None)):
        ours.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weight[part])
        theirs.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weight[part])
        agree(ours, theirs, X)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 2.5])
def test_thresholds(likelihood, data, threshold):
    X, y, _ = data
    theirs = {"bernoulli": BernoulliNB(binarize=threshold), "multinomial": MultinomialNB()}[likelihood]
    ours = NaiveBayes(likelihood, binarize=threshold)
    agree(ours.fit(X, y), theirs.fit(X, y), X)
    agree(ours.fit(X.toarray(), y), theirs.fit(X.toarray(), y), X.toarray())
