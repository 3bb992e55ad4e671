"""The same numbers as scikit-learn's five naive Bayes models, to 1e-10."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

from deciban.distributions import Categorical
from deciban.models.naive_bayes import NaiveBayes

WORDS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB, "complement": ComplementNB}
over_words = pytest.mark.parametrize("likelihood", WORDS)


def ours(likelihood, **options):
    """scikit-learn's ComplementNB leaves the class prior out unless there is one class only; so does "uniform"."""
    return NaiveBayes(likelihood, **({"class_prior": "uniform"} if likelihood == "complement" else {}) | options)


@pytest.fixture(params=[2, 5, 40], ids=lambda C: f"{C} classes")
def table(request):
    """Counts of 200 words in 300 documents: X sparse, y of text labels, weight."""
    rng = np.random.default_rng(request.param)
    X = sparse.csr_array(rng.poisson(rng.gamma(0.3, 1.0, 200), (300, 200)))
    y = np.array([f"class {c:02}" for c in np.arange(300) % request.param])
    return X, y, rng.integers(1, 5, 300) / 2


def agree(mine, theirs, X):
    assert_array_equal(mine.classes_, theirs.classes_)
    told, expected = mine.predict_log_proba(X), theirs.predict_log_proba(X)
    joint = theirs.predict_joint_log_proba(X)
    size = np.abs(joint).max(axis=1, keepdims=True)  # what is common to all classes is taken out of this
    assert_allclose(told / size, expected / size, rtol=1e-10, atol=1e-10)
    assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-10)
    best = np.sort(expected, axis=1)[:, -2:]
    clear = best[:, 1] - best[:, 0] > 1e-9  # elsewhere both are right, and the last bit decides
    assert clear.mean() > 0.95
    assert_array_equal(mine.predict(X)[clear], theirs.predict(X)[clear])
    weight = getattr(theirs, "class_count_", None)
    if weight is not None:
        assert_allclose(mine.class_count_, weight, rtol=1e-12)


def agree_on_words(mine, theirs, X):
    agree(mine, theirs, X)
    shift = 0.0
    if isinstance(theirs, ComplementNB):
        shift = mine.scorer_.prior  # the same for every class
    assert_allclose(mine.predict_joint_log_proba(X) - shift, theirs.predict_joint_log_proba(X), rtol=1e-10)
    sign = -1.0 if isinstance(theirs, ComplementNB) else 1.0  # theirs are the weights, −log φ̃
    assert_allclose(sign * mine.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10, atol=1e-14)
    assert_allclose(mine.feature_count_, theirs.feature_count_, rtol=1e-12)


@over_words
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 10.0])
def test_words(likelihood, table, alpha):
    X, y, weight = table
    for form in (X, X.toarray(), X.astype(np.float32)):
        mine = ours(likelihood, alpha=alpha).fit(form, y, weight)
        agree_on_words(mine, WORDS[likelihood](alpha=alpha).fit(form.astype(float), y, weight), X)


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
def test_given_and_uniform_priors(likelihood, table):
    X, y, _ = table
    C = len(np.unique(y))
    given = np.arange(1, C + 1) / np.arange(1, C + 1).sum()
    rival = WORDS[likelihood]
    agree_on_words(ours(likelihood, class_prior=given).fit(X, y), rival(class_prior=given).fit(X, y), X)
    agree_on_words(ours(likelihood, class_prior="uniform").fit(X, y), rival(fit_prior=False).fit(X, y), X)


@over_words
def test_words_learnt_in_parts(likelihood, table):
    X, y, weight = table
    mine, theirs = ours(likelihood), WORDS[likelihood]()
    for part in (slice(100), slice(100, 180), slice(180, None)):
        mine.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weight[part])
        theirs.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weight[part])
        agree_on_words(mine, theirs, X)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 2.5])
def test_thresholds(table, threshold):
    X, y, _ = table
    for form in (X, X.toarray()):
        mine = NaiveBayes("bernoulli", binarize=threshold).fit(form, y)
        agree_on_words(mine, BernoulliNB(binarize=threshold).fit(form, y), form)


@pytest.fixture(params=[2, 5, 40], ids=lambda C: f"{C} classes")
def codes(request):
    """300 rows of 12 features of 1 to 9 categories, y, weight."""
    rng = np.random.default_rng(request.param)
    X = np.column_stack([rng.integers(0, k, 300) for k in (1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9)])
    return X, np.arange(300) % request.param, rng.integers(1, 5, 300) / 2


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 10.0])
def test_categories(codes, alpha):
    X, y, weight = codes
    mine, theirs = NaiveBayes("categorical", alpha=alpha), CategoricalNB(alpha=alpha)
    agree(mine.fit(X, y, weight), theirs.fit(X, y, weight), X)
    assert_allclose(mine.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)
    agree(mine.fit(sparse.csr_array(X), y, weight), theirs, X)
    C = len(np.unique(y))
    given = np.arange(1, C + 1) / np.arange(1, C + 1).sum()
    agree(mine.set_params(class_prior=given).fit(X, y), CategoricalNB(alpha=alpha, class_prior=given).fit(X, y), X)
    agree(mine.set_params(class_prior="uniform").fit(X, y), CategoricalNB(alpha=alpha, fit_prior=False).fit(X, y), X)


def test_categories_learnt_in_parts_of_declared_sizes(codes):
    X, y, weight = codes
    sizes = (2, 2, 5, 3, 3, 9, 5, 6, 7, 8, 9, 12)
    mine, theirs = NaiveBayes(Categorical(sizes=sizes)), CategoricalNB(min_categories=sizes)
    for part in (slice(100), slice(100, 180), slice(180, None)):
        mine.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weight[part])
        theirs.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weight[part])
        agree(mine, theirs, X)
    asked = [np.array(sizes) - 1]  # declared, never seen
    assert_allclose(mine.predict_joint_log_proba(asked), theirs.predict_joint_log_proba(asked), rtol=1e-10)


@pytest.mark.parametrize("load", [load_iris, load_wine], ids=["iris", "wine"])
def test_measurements(load):
    X, y = load(return_X_y=True)
    mine, theirs = NaiveBayes("gaussian", estimate="ml"), GaussianNB(var_smoothing=0)
    agree(mine.fit(X, y), theirs.fit(X, y), X)
    assert_allclose(mine.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)
    normal = mine.likelihoods_[0].parameters(mine.counts_, "ml")
    assert_allclose(normal.location, theirs.theta_, rtol=1e-12)
    assert_allclose(normal.variance, theirs.var_, rtol=1e-10)
    agree(mine.fit(sparse.csr_array(X), y), theirs, X)


def test_measurements_with_weights_priors_and_in_parts():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(8)
    order, weight = rng.permutation(len(y)), rng.integers(1, 5, len(y)) / 2
    X, y, given = X[order], y[order], [0.2, 0.3, 0.5]
    mine, theirs = NaiveBayes("gaussian", estimate="ml"), GaussianNB(var_smoothing=0)
    agree(mine.fit(X, y, weight), theirs.fit(X, y, weight), X)
    prior = GaussianNB(priors=given, var_smoothing=0).fit(X, y)
    agree(NaiveBayes("gaussian", estimate="ml", class_prior=given).fit(X, y), prior, X)
    mine, theirs = NaiveBayes("gaussian", estimate="ml"), GaussianNB(var_smoothing=0)
    for part in (slice(60), slice(60, 100), slice(100, None)):
        mine.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weight[part])
        theirs.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weight[part])
        agree(mine, theirs, X)
