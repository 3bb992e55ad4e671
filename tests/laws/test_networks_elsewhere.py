"""Laws of networks on arrays of other libraries: the same numbers as NumPy's, where the arrays are."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban import MLPClassifier, MLPRegressor
from deciban.errors import DataError
from laws.containers import host, same_place
from laws.nets import FEW, clouds, model, over

CLOSE = {"float32": {"rtol": 1e-5, "atol": 1e-5}, "float64": {"rtol": 1e-10, "atol": 1e-10}}
types = pytest.mark.parametrize("dtype", list(CLOSE))
ALL = {"batch_size": 25, "dropout": 0.2, "weight_averaging": 0.8, "clip_norm": 0.5, "weight_decay": 0.01, "max_iter": 2}
X, Y = clouds(1, n=50)
MANY = np.column_stack([Y == 0, Y == 2, X[:, 0] > 0]).astype(int)


def agree(one, other, there, dtype):
    """Two models, one of NumPy's rows and one of others, that know, answer and explain the same."""
    close = CLOSE[dtype]
    T = there(X.astype(dtype))
    for mine, theirs in zip(one.network_.parameters, other.network_.parameters, strict=True):
        assert same_place(theirs, T)
        assert str(theirs.dtype).split(".")[-1] == dtype
        assert_allclose(host(theirs), mine, **close)
    for epoch, told in zip(one.history_, other.history_, strict=True):
        assert told.loss == pytest.approx(epoch.loss, rel=close["rtol"])
        assert told.error == pytest.approx(epoch.error, rel=close["rtol"])
        assert told.gradient_norms == pytest.approx(epoch.gradient_norms, rel=10 * close["rtol"])
        assert (told.dead, told.saturated) == (pytest.approx(epoch.dead), pytest.approx(epoch.saturated))
    proof, wanted = other.certificate_, one.certificate_
    assert (proof.n, proof.class_counts, proof.status, proof.objective) == (
        wanted.n,
        wanted.class_counts,
        wanted.status,
        wanted.objective,
    )
    assert proof.primal == pytest.approx(wanted.primal, rel=close["rtol"])
    for which in ("predict", "predict_proba", "predict_log_proba"):
        if hasattr(one, which):
            answer = getattr(other, which)(T)
            assert same_place(answer, T)
            assert_allclose(host(answer), getattr(one, which)(X), **close)
            assert_allclose(getattr(other, which)(X), getattr(one, which)(X), **close)
            assert_allclose(host(getattr(one, which)(T)), getattr(one, which)(X), **close)
    return T


@types
@over(FEW)
def test_the_same_is_learnt(there, name, dtype):
    options = {**ALL, "dtype": dtype, "random_state": 5}
    one = model(name, **options).fit(X.astype(dtype), Y, validation=(X.astype(dtype), Y))
    T = there(X.astype(dtype))
    other = model(name, **options).fit(T, there(Y), validation=(T, Y))
    agree(one, other, there, dtype)
    if hasattr(one, "explain"):
        for mine, theirs in zip(one.explain(X[:2]), other.explain(there(X[:2])), strict=True):
            close = {"rel": CLOSE[dtype]["rtol"], "abs": 1e-4 if dtype == "float32" else 1e-9}
            assert (theirs.label, theirs.against) == (mine.label, mine.against)
            assert theirs.decibans == pytest.approx(mine.decibans, **close)
            told = {term.feature: term.decibans for term in theirs.terms}
            assert told == pytest.approx({term.feature: term.decibans for term in mine.terms}, **close)
    again = pickle.loads(pickle.dumps(other))
    assert_allclose(again.predict(X), host(other.predict(there(X))), **CLOSE[dtype])


@types
@pytest.mark.parametrize("solver", ["descent", "adam"])
def test_many_labels_and_numbers(there, solver, dtype):
    for learner, y in ((MLPClassifier, MANY), (MLPRegressor, X[:, :2]), (MLPRegressor, X[:, 0])):
        options = {"hidden_layer_sizes": (6,), "solver": solver, "nesterov": True, "dtype": dtype, **ALL}
        rows = X.astype(dtype)
        one, other = learner(**options).fit(rows, y), learner(**options).fit(there(rows), there(y))
        agree(one, other, there, dtype)
        if learner is MLPClassifier:
            for mine, theirs in zip(one.explain(X[:3], label=1), other.explain(there(X[:3]), label=1), strict=True):
                assert theirs.decibans == pytest.approx(mine.decibans, rel=1e-4)


@types
def test_weights_batches_and_calls(there, dtype):
    rows = X.astype(dtype)
    times = np.random.default_rng(0).integers(0, 4, len(Y))
    options = {"hidden_layer_sizes": (6,), "dtype": dtype, "max_iter": 3, "batch_size": 15}
    one = MLPClassifier(**options).fit(rows, Y, sample_weight=times)
    agree(one, MLPClassifier(**options).fit(there(rows), Y, sample_weight=there(times)), there, dtype)
    for early in ({"early_stopping": True}, {"class_weight": "balanced"}):
        agree(
            MLPClassifier(**options, **early).fit(rows, Y),
            MLPClassifier(**options, **early).fit(there(rows), Y),
            there,
            dtype,
        )
    one, other = (
        MLPClassifier(**options).partial_fit(rows, Y),
        MLPClassifier(**options).partial_fit(there(rows), there(Y)),
    )
    agree(one.partial_fit(rows, Y), other.partial_fit(there(rows), there(Y)), there, dtype)
    here = [(rows[:25], Y[:25]), (rows[25:], Y[25:])]
    elsewhere = [(there(x), there(y)) for x, y in here]
    one = MLPClassifier(**options).fit_batches(here, [0, 1, 2])
    agree(one, MLPClassifier(**options).fit_batches(elsewhere, [0, 1, 2]), there, dtype)
    one, other = MLPRegressor(**options).fit_batches(here), MLPRegressor(**options).fit_batches(elsewhere)
    agree(one, other, there, dtype)


def test_a_model_may_learn_on_somewhere_else(there):
    options = {"hidden_layer_sizes": (6,), "dtype": "float64", "batch_size": 15, "warm_start": True, "max_iter": 2}
    one, other = MLPClassifier(**options).fit(X, Y), MLPClassifier(**options).fit(X, Y)
    agree(one.fit(X, Y), other.fit(there(X), Y), there, "float64")
    back = other.fit(X, Y)
    assert isinstance(back.coefs_[0], np.ndarray)
    assert_allclose(back.coefs_[0], one.fit(X, Y).coefs_[0], rtol=1e-9)
    moved = MLPClassifier(**options).fit(X, Y).partial_fit(there(X), Y).partial_fit(X, Y)
    assert np.isfinite(moved.predict_proba(X)).all()


def test_numbers_that_leave_the_range_are_told(there):
    fitted = MLPClassifier((6,), solver="descent", learning_rate=1e38, batch_size=15).fit(there(X.astype("float32")), Y)
    assert fitted.certificate_.status == "overflow"
    assert "left the range of float32" in fitted.certificate_.advice
    assert np.isfinite(host(fitted.predict_proba(there(X)))).all()


@pytest.mark.parametrize("name", [name for name in FEW if name.endswith("two")])
def test_a_device_without_double_precision_is_enough(single, name):
    T = single(X.astype("float32"))
    one = model(name, **{**ALL, "dtype": "float32"}).fit(X.astype("float32"), Y)
    other = model(name, **{**ALL, "dtype": "float32"}).fit(T, Y)
    answer = other.predict_proba(T) if hasattr(other, "predict_proba") else other.predict(T)
    wanted = one.predict_proba(X) if hasattr(one, "predict_proba") else one.predict(X)
    assert same_place(answer, T)
    assert_allclose(host(answer), wanted, rtol=1e-5, atol=1e-5)
    if hasattr(other, "explain"):
        assert [told.label for told in other.explain(T[:2, :])] == one.predict(X[:2]).tolist()
    with pytest.raises(DataError, match=r"^the device of X has no float64: take dtype='float32'$"):
        model(name).fit(T, Y)
    assert_array_equal(host(other.predict(T)).shape, (50,))


def test_rows_stay_where_they_are(monkeypatch):
    xp = pytest.importorskip("array_api_strict")
    rows, y = clouds(2, n=600, d=20)
    T = xp.asarray(rows, device=xp.Device("device1"))
    seen = []
    bring = xp._array_object.Array.__dlpack__

    def watched(self, **options):
        seen.append(self.size)
        return bring(self, **options)

    monkeypatch.setattr(xp._array_object.Array, "__dlpack__", watched)
    monkeypatch.setattr("deciban.data.devices.PART", 1000)
    fitted = MLPClassifier((6,), max_iter=3).fit(T, y)
    fitted.partial_fit(T, y).predict_proba(T)
    assert max(seen) <= 600 * 3 < T.size
