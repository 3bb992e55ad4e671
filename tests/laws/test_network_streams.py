"""Laws of networks that learn on: batches that come one by one are the rows they hold, and calls are epochs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban import MLPClassifier, MLPRegressor
from laws.nets import CLASSIFIERS, FEW, FORMS, clouds, flat, forms, model, over

NAME = "tanh-softmax-cross_entropy-two"
X, Y = clouds(1, n=50)
MANY = np.column_stack([Y == 0, Y == 2, X[:, 0] > 0]).astype(int)
SIZE = 15
OPTIONS = {"batch_size": SIZE, "shuffle": False, "max_iter": 2, "weight_decay": 0.01, "weight_averaging": 0.8}


def cut(form, y, *weight, size=SIZE):
    """Rows and targets in batches of 15; the last one is smaller."""
    rows = FORMS[form](X)
    return [(rows[i : i + size], *(each[i : i + size] for each in (y, *weight))) for i in range(0, len(y), size)]


def streamed(learner, batches, **more):
    """Of a regression there are no classes to tell."""
    if isinstance(learner, MLPRegressor):
        return learner.fit_batches(batches, **more)
    return learner.fit_batches(batches, [0, 1, 2], **more)


@forms
@over(FEW)
def test_a_list_of_batches_is_the_rows_in_their_order(name, form):
    whole = model(name, **OPTIONS).fit(FORMS[form](X), Y)
    parts = streamed(model(name, **OPTIONS), cut(form, Y))
    assert flat(parts).tobytes() == flat(whole).tobytes()
    for one, other in zip(parts.history_, whole.history_, strict=True):
        assert (one.loss, one.error, one.gradient_norms) == (other.loss, other.error, other.gradient_norms)
    assert_array_equal(parts.predict(X), whole.predict(X))
    proof, wanted = parts.certificate_, whole.certificate_
    assert (proof.n, proof.d, proof.status, proof.objective) == (wanted.n, wanted.d, wanted.status, wanted.objective)
    assert proof.class_counts == wanted.class_counts
    assert proof.kkt_violation is None


@forms
def test_many_labels_and_many_numbers_come_in_batches_too(form):
    for learner, y in (
        (MLPClassifier, MANY),
        (MLPRegressor, X[:, :2]),
        (MLPRegressor, X[:, 0]),
        (MLPRegressor, X[:, :1]),
    ):
        options = {"hidden_layer_sizes": (6,), "dtype": "float64", **OPTIONS}
        whole = learner(**options).fit(FORMS[form](X), y)
        parts = streamed(learner(**options), cut(form, y))
        assert flat(parts).tobytes() == flat(whole).tobytes()
        assert parts.predict(X).shape == whole.predict(X).shape == np.shape(y)
    assert parts.certificate_.class_counts == {}


def test_the_names_of_labels_are_those_that_are_told():
    names = ["cat", "ant", "bee"]  # of the columns, whatever their order
    named = MLPClassifier((6,), max_iter=2).fit_batches(cut("dense", MANY), names)
    first = MLPClassifier((6,)).partial_fit(X, MANY, classes=names)
    for fitted in (named, first, first.partial_fit(X, MANY, classes=names)):
        assert fitted.classes_.tolist() == names
        assert [fitted.explain(X[:1], label=k)[0].label.split()[-1] for k in range(3)] == names
    assert named.certificate_.class_counts == dict(zip(names, MANY.sum(axis=0), strict=True))


@over(CLASSIFIERS)
def test_an_iterator_lasts_for_one_epoch(name):
    once = model(name, max_iter=9).fit_batches(iter(cut("dense", Y)), [0, 1, 2])
    again = model(name, max_iter=1).fit_batches(cut("dense", Y), [0, 1, 2])
    assert flat(once).tobytes() == flat(again).tobytes()
    assert (once.n_iter_, once.certificate_.status) == (1, "streamed")
    assert "max_iter" not in once.certificate_.advice
    assert again.certificate_.status == "exhausted"


def test_whoever_can_begin_anew_is_asked_each_epoch():
    asked = []

    class Source:
        def __iter__(self):
            asked.append(1)
            return iter(cut("dense", Y))

    fitted = MLPClassifier((6,), max_iter=5).fit_batches(Source(), [0, 1, 2])
    assert fitted.n_iter_ == 5
    assert 5 <= len(asked) <= 6  # and once to see how wide the rows are


def test_weights_in_a_batch_are_repetition():
    times = np.random.default_rng(4).integers(1, 4, len(Y))
    weighed = model(NAME, max_iter=3).fit_batches(cut("dense", Y, times), [0, 1, 2])
    repeated = [(np.repeat(x, each, axis=0), np.repeat(y, each)) for x, y, each in cut("dense", Y, times)]
    wanted = model(NAME, max_iter=3).fit_batches(repeated, [0, 1, 2])
    assert_allclose(flat(weighed), flat(wanted), rtol=1e-10, atol=1e-12)
    assert weighed.certificate_.n == wanted.certificate_.n == times.sum()


def test_class_weights_count_in_batches_of_one_class():
    order = np.argsort(Y, kind="stable")
    batches = [(X[i : i + 1], Y[i : i + 1]) for i in order]
    heavy = MLPClassifier((4,), class_weight={0: 5.0}, solver="descent", max_iter=1, random_state=0, dtype="float64")
    light = MLPClassifier((4,), solver="descent", max_iter=1, random_state=0, dtype="float64")
    first = [model.fit_batches(batches[:1], [0, 1, 2]) for model in (heavy, light)]
    start = MLPClassifier((4,), solver="descent", learning_rate=1e-300, max_iter=1, random_state=0, dtype="float64")
    moved = [flat(each) - flat(start.fit_batches(batches[:1], [0, 1, 2])) for each in first]
    assert_allclose(moved[0], 5.0 * moved[1], rtol=1e-9, atol=1e-15)


def test_validation_data_are_judged_while_batches_come():
    fitted = model(NAME, max_iter=3).fit_batches(cut("dense", Y), [0, 1, 2], validation=(X, Y))
    assert [epoch.validation_error is None for epoch in fitted.history_] == [False] * 3
    lowest = min(epoch.validation_loss for epoch in fitted.history_)
    p = fitted.predict_proba(X)[np.arange(len(Y)), Y]
    assert lowest == pytest.approx(-np.log(p).mean(), rel=1e-9)


# One epoch more.


@forms
@over(FEW)
def test_calls_are_epochs(name, form):
    """What the optimizer remembers, and the generator's place, go on."""
    rows, options = FORMS[form](X), {"batch_size": 20, "learning_rate": 1e-3, "tol": 1e-15}
    whole = model(name, max_iter=3, **options).fit(rows, Y)
    calls = model(name, max_iter=7, **options)
    for _ in range(3):
        assert calls.partial_fit(rows, Y) is calls
    assert_allclose([epoch.loss for epoch in calls.history_], [epoch.loss for epoch in whole.history_], rtol=1e-12)
    assert flat(calls).tobytes() == flat(whole).tobytes()
    assert [epoch.epoch for epoch in calls.history_] == [1, 2, 3]
    assert (calls.certificate_.n, calls.n_iter_) == (3 * len(Y), 3)


def test_classes_may_be_told_before_they_come():
    first, second = np.flatnonzero(Y < 2), np.flatnonzero(Y == 2)
    learnt = MLPClassifier((6,), learning_rate=0.05).partial_fit(X[first], Y[first], classes=[2, 0, 1])
    assert learnt.predict_proba(X).shape == (50, 3)
    assert learnt.certificate_.class_counts == {0: np.sum(Y == 0), 1: np.sum(Y == 1), 2: 0}
    for _ in range(30):
        learnt.partial_fit(X[second], Y[second])
    assert np.mean(learnt.predict(X[second]) == 2) > 0.9


def test_fit_starts_over_and_a_warm_start_goes_on():
    fresh = model(NAME).fit(X, Y)
    again = model(NAME).partial_fit(X, Y).fit(X, Y)
    assert flat(fresh).tobytes() == flat(again).tobytes()
    warm = model(NAME, warm_start=True, solver="descent", momentum=0.0, max_iter=3)
    long = model(NAME, solver="descent", momentum=0.0, max_iter=6)
    assert flat(warm.fit(X, Y).fit(X, Y)).tobytes() == flat(long.fit(X, Y)).tobytes()
    other = warm.set_params(hidden_layer_sizes=(7,)).fit(X, Y)  # of other sizes it begins anew
    assert other.network_.sizes == (4, 7, 3)


def test_regressions_learn_on():
    for y in (X[:, 0], X[:, :2], X[:, :1]):
        learnt = MLPRegressor((6,), batch_size=10)
        for _ in range(2):
            learnt.partial_fit(X, y)
        assert learnt.predict(X).shape == y.shape
        assert learnt.certificate_.status == "streamed"
