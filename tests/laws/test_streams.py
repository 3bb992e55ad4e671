"""Laws of linear classifiers that learn from a stream."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import LinearSVM, LogisticRegression, Perceptron
from deciban.solvers import Status
from laws.declared import clouds, seeds
from tiers import examples

# Every linear classifier that learns on; NBSVM does not, as each example changes r, and with it all features before.
DESCENDING = {
    "logistic": (LogisticRegression, {}),
    "logistic-short-steps": (LogisticRegression, {"step": 0.2, "penalty": None}),
    "logistic-through-origin": (LogisticRegression, {"fit_intercept": False, "multi_class": "ovr"}),
    "svm-hinge": (LinearSVM, {}),
    "svm-squared-hinge": (LinearSVM, {"loss": "squared_hinge", "calibration": None}),
}
IN_ORDER = {"shuffle": False, "calibration": None}
EVERY = {
    **DESCENDING,
    "perceptron": (Perceptron, IN_ORDER),
    "perceptron-averaged": (Perceptron, {"averaged": True, **IN_ORDER}),
}
few = examples(2)


def over(*names, of=EVERY):
    """The law is asked of each of these models, or of all."""
    return pytest.mark.parametrize("name", names or list(of))


def model(name, **more):
    family, options = EVERY[name]
    return family(**{**options, **more})


def streamed(name, X, y, cuts=(), weight=None, **more):
    """A new model after these examples in parts, all labels declared first."""
    learnt = model(name, **more)
    for part in np.split(np.arange(len(y)), cuts):
        given_weight = None if weight is None else weight[part]
        learnt.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=given_weight)
    return learnt


def same(one, other):
    """Two models that are the same to the last bit, certificates and all."""
    assert_array_equal(one.classes_, other.classes_)
    assert_array_equal(one.coef_, other.coef_)
    assert_array_equal(one.intercept_, other.intercept_)


@over()
@pytest.mark.parametrize("C", [2, 3])
@few
@given(seed=seeds)
def test_however_a_stream_is_split_it_teaches_the_same_to_the_last_bit(name, C, seed):
    X, y = clouds(seed, N=20, C=C)
    weight = np.random.default_rng(seed).integers(1, 4, 20) / 2.0
    whole = streamed(name, X, y, weight=weight)
    for cuts in (range(1, 20), [7, 8, 15]):
        parts = streamed(name, X, y, cuts, weight)
        same(parts, whole)
        if name in DESCENDING:
            assert parts.certificate_.to_json() == whole.certificate_.to_json()


@over()
@few
@given(seed=seeds)
def test_dense_is_csr(name, seed):
    X, y = clouds(seed, C=3)
    dense, stored = streamed(name, X, y, [9]), streamed(name, sparse.csr_array(X), y, [9])
    assert_allclose(stored.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(stored.intercept_, dense.intercept_, rtol=1e-9, atol=1e-12)
    assert_allclose(streamed(name, X.astype(np.float32), y).coef_, dense.coef_, rtol=1e-9, atol=1e-12)


@over(of=DESCENDING)
@few
@given(seed=seeds)
def test_whole_weights_are_repetitions_in_their_order_and_weight_0_is_absence(name, seed):
    X, y = clouds(seed)
    often = np.random.default_rng(seed).integers(0, 4, len(y))
    often[:2] = [1, 2]
    weighted = streamed(name, X, y, weight=often.astype(float))
    repeated = streamed(name, np.repeat(X, often, axis=0), np.repeat(y, often))
    same(weighted, repeated)
    assert weighted.certificate_.to_json() == repeated.certificate_.to_json()
    assert weighted.certificate_.n == often.sum()


@over(of=DESCENDING)
def test_what_is_left_of_a_weight_is_a_round_of_less(name):
    X, y = clouds(1)
    twice = model(name).partial_fit(X[[0, 0, 1]], y[[0, 0, 1]], classes=[0, 1], sample_weight=[1.0, 0.5, 1.0])
    once = model(name).partial_fit(X[:2], y[:2], classes=[0, 1], sample_weight=[1.5, 1.0])
    same(once, twice)
    assert once.n_iter_.tolist() == [3]


@over(of=DESCENDING)
def test_class_weights_multiply_what_is_suffered(name):
    X, y = clouds(2)
    even, other = streamed(name, X, y), streamed(name, X, y, class_weight={0: 2.0, 1: 2.0})
    assert_allclose(other.coef_, even.coef_, rtol=1e-9)  # steps do not know the unit of the loss
    assert_allclose(other.stream_.suffered, 2.0 * even.stream_.suffered, rtol=1e-9)
    assert_allclose(streamed(name, X, y, class_weight={1: 3.0}).certificate_.n, len(y))


def replayed(learnt, name, X, y):
    """What was suffered, and the weights before each round and after the last, (N + 1, d + 1), one by one."""
    met, suffered, before = [], 0.0, model(name)
    for i, target in enumerate(2.0 * y - 1.0):
        at = getattr(before, "stream_", None)
        now = np.zeros(X.shape[1] + 1) if at is None else np.append(at.w[0], at.b)
        met.append(now)
        suffered += learnt._loss().value(np.array([target]), np.array([X[i] @ now[:-1] + now[-1]]))[0]
        before.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    return suffered, np.array([*met, np.append(before.stream_.w[0], before.stream_.b)])


@st.composite
def adversarial(draw):
    """Examples of any signs, sizes and order, and rivals."""
    N, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    numbers = st.sampled_from([0.0, 0.01, -1.0, 1.0, 3.0, -50.0]) | st.floats(-10.0, 10.0)
    X = draw(arrays(np.float64, (N, d), elements=numbers))
    y = draw(arrays(np.intp, N, elements=st.integers(0, 1)))
    return X, y, draw(arrays(np.float64, (3, d + 1), elements=st.floats(-5.0, 5.0)))


@over(of=DESCENDING)
@examples(5)
@given(adversarial())
def test_the_regret_is_no_more_than_the_bound_whatever_comes(name, stream):
    X, y, rivals = stream
    learnt = model(name).partial_fit(X, y, classes=[0, 1])
    suffered, met = replayed(learnt, name, X, y)
    assert_allclose(learnt.stream_.suffered, suffered, rtol=1e-9, atol=1e-12)
    assert_allclose(np.append(learnt.coef_, learnt.intercept_), met[1:].mean(axis=0), rtol=1e-9, atol=1e-9)
    rivals[:, -1] *= learnt.fit_intercept
    for rival in rivals:
        regret = suffered - learnt._loss().value(2.0 * y - 1.0, X @ rival[:-1] + rival[-1]).sum()
        distance = np.linalg.norm(met - rival, axis=1).max()
        assert regret <= learnt.stream_.regret_bound(distance)[0] * (1.0 + 1e-9) + 1e-9


def drawn(seed, N):
    """Independent examples of one world: two clouds that overlap."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, N)
    return random.normal(size=(N, 3)) + np.outer(2.0 * y - 1.0, [0.8, 0.0, -0.4]), y


@over(of=DESCENDING)
def test_on_independent_examples_the_excess_over_the_best_goes_to_nothing(name):
    X, y = drawn(0, 20_000)
    new, truth = drawn(1, 20_000)
    best = model(name, **({} if "svm" in name else {"penalty": None})).set_params(C=1.0).fit(X[:5000], y[:5000])
    loss = best._loss()

    def error(of):
        return float(loss.value(2.0 * truth - 1.0, of.decision_function(new)).mean())

    learnt, excess = model(name), []
    for part in np.split(np.arange(20_000), [50, 1000]):
        excess.append(error(learnt.partial_fit(X[part], y[part], classes=[0, 1])) - error(best))
    assert excess[2] < 0.02
    assert excess[2] < excess[0]
    assert_allclose(learnt.stream_.suffered / 20_000, error(best), atol=0.03)


@over()
def test_classes_grow_and_old_ones_stay(name):
    X, y = clouds(3, N=60)
    learnt = model(name).partial_fit(X, np.where(y > 0, "d", "b"))
    if name in DESCENDING:
        w, b = learnt.stream_.w, learnt.stream_.b
        learnt.partial_fit(X[:1], ["b"], classes=["c"], sample_weight=[1e-200])  # a round that moves nothing
        assert_array_equal(learnt.stream_.w, np.concatenate([-w, 0.0 * w, w]))
        assert_array_equal(learnt.stream_.b, np.concatenate([-b, 0.0 * b, b]))
        assert learnt.n_iter_.tolist() == [61, 1, 61]
    else:
        learnt.partial_fit(X[:1], ["b"], classes=["c"])
    assert learnt.classes_.tolist() == ["b", "c", "d"]
    learnt.partial_fit(X, np.where(y > 0, "c", "e"))
    assert learnt.coef_.shape == (4, X.shape[1])
    assert set(learnt.predict(X)) <= {"b", "c", "d", "e"}
    assert learnt.certificate_.class_counts.keys() == {"b", "c", "d", "e"}
    assert learnt.certificate_.n == pytest.approx(120.0 if name in DESCENDING else 60.0)


@over(of=DESCENDING)
@pytest.mark.parametrize("C", [2, 3])
def test_after_a_fit_it_goes_on_and_a_fit_starts_over(name, C):
    X, y = clouds(4, N=60, C=C)
    fitted = model(name, C=1.0).fit(X, y)
    w, b, p = fitted.coef_.copy(), fitted.intercept_.copy(), fitted.decision_function(X)
    fitted.partial_fit(X[:1], y[:1], sample_weight=[1e-200])  # a round that moves nothing
    assert_allclose(fitted.coef_, w, rtol=1e-12)
    assert_allclose(fitted.intercept_, b, rtol=1e-12)
    fitted.partial_fit(X[:1], y[:1])
    assert fitted.certificate_.n == 61.0
    assert fitted.n_iter_.tolist() == [62] * len(b)
    assert np.abs(fitted.decision_function(X) - p).max() <= 0.2 * np.abs(p).max()  # one example is not much
    again = fitted.fit(X, y)
    assert_array_equal(again.coef_, w)
    assert not hasattr(again, "stream_")
    assert again.status_ is Status.CONVERGED
    parts = [model(name, C=1.0).fit(X, y).partial_fit(X, y), model(name, C=1.0).fit(X, y)]
    for i in range(len(y)):
        parts[1].partial_fit(X[i : i + 1], y[i : i + 1])
    same(*parts)


@over(of=DESCENDING)
def test_it_judges_and_tells_like_after_a_fit(name):
    for C in (2, 3):
        X, y = clouds(5, C=C)
        learnt = streamed(name, X, y, [5])
        assert learnt.coef_.shape == (1 if C == 2 else 3, 4)
        assert learnt.score(X, y) > 1.0 / C
        certificate = learnt.certificate_
        assert learnt.status_ is Status.STREAMED
        assert (certificate.dual, certificate.relative_gap, certificate.kkt_violation) == (None, None, None)
        assert certificate.primal == learnt.stream_.suffered.sum()
        assert "no gap (a stream)" in str(certificate)
        if "logistic" in name:
            p = learnt.predict_proba(X)
            assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
            assert_array_equal(learnt.predict(X), learnt.classes_[p.argmax(axis=1)])
            for why, row in zip(learnt.explain(X[:5]), learnt.predict_log_proba(X[:5]), strict=True):
                second, first = np.sort(row)[-2:]
                assert_allclose(why.decibans, 10.0 / np.log(10.0) * (first - second), rtol=1e-9, atol=1e-9)
        else:
            assert not hasattr(learnt, "predict_proba")
            assert not hasattr(learnt, "zones_")
            assert_allclose(learnt.margin_ * np.linalg.norm(learnt.coef_, axis=1), 1.0)


@over(of=DESCENDING)
def test_threads_change_no_byte_of_a_stream(name):
    X, y = clouds(6, C=3)
    same(streamed(name, X, y, n_jobs=1), streamed(name, X, y, n_jobs=2))
