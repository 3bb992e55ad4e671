"""Laws of the way down: what is averaged, clipped and dropped, what is watched, and whose weights count."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban import MLPClassifier, MLPRegressor
from deciban.networks.batches import Batch, Shuffled
from deciban.networks.training import Training
from laws.nets import CLASSIFIERS, clouds, flat, model, over
from oracle import network as oracle

NAME = "tanh-softmax-cross_entropy-one"
# Labels that X does not tell: what is learnt of them is wrong elsewhere.
X, Y = clouds(1, n=60)
ELSEWHERE = clouds(2, n=60)


def steps(count, **options):
    """Weights after each of so many steps of gradient descent, of all examples at once."""
    plain = {"solver": "descent", "momentum": 0.0, "learning_rate": 0.1, **options}
    return [flat(model(NAME, max_iter=t, **plain).fit(X, Y)) for t in range(1, count + 1)]


def test_the_mean_of_the_weights_is_of_the_latest_most():
    rho, each = 0.6, steps(5)
    for t in (1, 2, 5):
        share = np.array([(1 - rho) * rho ** (t - k) / (1 - rho**t) for k in range(1, t + 1)])
        assert share.sum() == pytest.approx(1.0)
        assert_allclose(steps(t, weight_averaging=rho)[-1], share @ np.array(each[:t]), rtol=1e-12)
    assert_allclose(steps(5, weight_averaging=0.0)[-1], each[-1], rtol=1e-12)


@pytest.mark.parametrize("clip", [0.01, 0.1, 1e6])
def test_no_gradient_is_longer_than_it_may_be(clip):
    free, held = steps(1, learning_rate=1e-3)[0], steps(1, learning_rate=1e-3, clip_norm=clip)[0]
    begun = steps(1, learning_rate=1e-300)[0]
    length = np.linalg.norm((free - begun) / 1e-3)
    assert_allclose(held - begun, (free - begun) * min(1.0, clip / length), rtol=1e-9, atol=1e-15)
    fitted = model(NAME, max_iter=1, clip_norm=clip).fit(X, Y)
    assert np.linalg.norm(fitted.history_[0].gradient_norms) <= length  # as they were before


def test_a_batch_of_all_goes_down_the_gradient():
    fitted = model(NAME, max_iter=1, solver="descent", momentum=0.0, learning_rate=1e-300, weight_decay=0.3).fit(X, Y)
    net = fitted.network_
    y, weight = np.eye(3)[Y], np.full((len(Y), 1), 1.0 / len(Y))
    found, _ = oracle.gradients(net, X, y, weight)
    penalised = [g + (0.3 * W if g.ndim == 2 else 0.0) for g, W in zip(found, net.parameters, strict=True)]
    fall = np.concatenate([np.ravel(g) for g in penalised])
    stepped = steps(1, weight_decay=0.3, learning_rate=0.2)[0]
    assert_allclose(stepped, flat(fitted) - 0.2 * fall, rtol=1e-10, atol=1e-12)
    told = fitted.history_[0]
    assert told.gradient_norms == pytest.approx([np.linalg.norm(g) for g in found[::2]], rel=1e-10)
    assert told.loss == pytest.approx(np.mean(oracle.errors(net.parameters, X, y, net)), rel=1e-10)
    assert told.error == pytest.approx(np.mean(fitted.predict(X) != Y), abs=0.05)
    proof = fitted.certificate_
    assert proof.kkt_violation == pytest.approx(np.linalg.norm(fall), rel=1e-9)
    penalty = 0.15 * sum(np.sum(W**2) for W in net.weights)
    assert proof.primal == pytest.approx(told.loss + penalty, rel=1e-9)
    assert fitted.loss_ == pytest.approx(told.loss, rel=1e-9)


# Dropout.


def training(p, seed=0, name="relu-softmax-cross_entropy-two"):
    """A training whose hidden units are left out with probability p."""
    begun = model(name, max_iter=1, dropout=p).fit(X, Y)
    return Training(begun.network_, begun._plan(), seed)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_what_is_dropped_is_made_up_for(p):
    run, n = training(p), 4000
    part = Batch(np.zeros((n, 4)), np.zeros((n, 3)), np.ones((n, 1)))
    masks = run._masks(part)
    assert [mask.shape for mask in masks] == [(n, 5), (n, 4)]
    for mask in masks:
        assert_allclose(np.unique(mask), [0.0, 1.0 / (1.0 - p)], rtol=1e-15)
        spread = np.sqrt(p / (1.0 - p) / n)
        assert np.abs(mask.mean(axis=0) - 1.0).max() < 5.0 * spread
        assert np.abs(np.corrcoef(mask.T)[np.triu_indices(mask.shape[1], 1)]).max() < 5.0 / np.sqrt(n)
    assert not np.array_equal(run._masks(part)[0], masks[0])
    assert training(0.0)._masks(part) == []


def test_nothing_is_dropped_when_it_counts():
    kept, dropped = model(NAME).fit(X, Y), model(NAME, dropout=0.5).fit(X, Y)
    assert not np.array_equal(flat(kept), flat(dropped))
    assert_array_equal(dropped.predict_proba(X), dropped.predict_proba(X))
    assert_allclose(dropped.network_.forward(X)[1], dropped.predict_proba(X), rtol=1e-12)


# What is watched.


def loss_of(fitted, X, y):
    return np.mean(oracle.errors(fitted.network_.parameters, X, np.eye(3)[y], fitted.network_))


@pytest.mark.parametrize("averaging", [None, 0.7])
@over({name: each for name, each in CLASSIFIERS.items() if each[1].name == "softmax" and each[3]})
def test_the_epoch_with_the_lowest_validation_error_counts(name, averaging):
    options = {
        "max_iter": 60,
        "n_iter_no_change": 6,
        "learning_rate": 0.05,
        "weight_averaging": averaging,
        "batch_size": 15,
    }
    fitted = model(name, **options).fit(X, Y, validation=ELSEWHERE)
    told = [epoch.validation_loss for epoch in fitted.history_]
    assert fitted.certificate_.status == "stopped early"
    assert (fitted.n_iter_, len(told)) == (len(told), len(told))
    assert len(told) < 60
    assert loss_of(fitted, *ELSEWHERE) == pytest.approx(min(told), rel=1e-10)
    wrong = fitted.history_[int(np.argmin(told))].validation_error
    assert np.mean(fitted.predict(ELSEWHERE[0]) != ELSEWHERE[1]) == pytest.approx(wrong)
    again = model(name, **{**options, "max_iter": int(np.argmin(told)) + 1}).fit(X, Y, validation=ELSEWHERE)
    assert flat(again).tobytes() == flat(fitted).tobytes()


def test_weights_of_validation_data_are_repetition():
    times = np.random.default_rng(3).integers(1, 4, 60)
    A, b = ELSEWHERE
    one = model(NAME).fit(X, Y, validation=(A, b, times)).history_
    other = model(NAME).fit(X, Y, validation=(np.repeat(A, times, axis=0), np.repeat(b, times))).history_
    for told, wanted in zip(one, other, strict=True):
        assert told.validation_loss == pytest.approx(wanted.validation_loss, rel=1e-12)
        assert told.validation_error == pytest.approx(wanted.validation_error, rel=1e-12)


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
def test_what_is_held_out_has_all_classes_and_is_not_learnt(fraction):
    seen = []
    fitted = MLPClassifier(
        (6,), early_stopping=True, validation_fraction=fraction, callback=lambda *at: seen.append(at)
    )
    given = fitted._meet(X, Y, None)
    learnt, held = given.split(fraction, 0)
    counts = np.bincount(held.y, minlength=3)
    assert_array_equal(counts, np.ceil(fraction * np.bincount(Y) - 0.5))
    both = np.concatenate([learnt.X, held.X])
    assert_array_equal(both[np.lexsort(both.T)], X[np.lexsort(X.T)])
    fitted.fit(X, Y)
    assert all(np.isfinite(at[2]) for at in seen)
    assert fitted.certificate_.n == len(learnt.y)
    numbers = MLPRegressor((6,), early_stopping=True, validation_fraction=fraction, max_iter=3).fit(X, X)
    assert numbers.certificate_.n == 60 - np.ceil(fraction * 60 - 0.5)
    assert numbers.history_[0].validation_error is not None


def test_a_plateau_is_where_the_error_does_not_fall():
    options = {"schedule": "plateau", "learning_rate": 0.05, "max_iter": 40, "n_iter_no_change": 9, "batch_size": 15}
    history = model(NAME, **options).fit(X, Y, validation=ELSEWHERE).history_
    rates = [epoch.learning_rate for epoch in history]
    lowest, without, eta = np.inf, 0, 0.05
    for epoch, rate in zip(history, rates, strict=True):
        assert rate == pytest.approx(eta)
        without = 0 if epoch.validation_loss < lowest * (1.0 - 1e-4) else without + 1
        lowest = min(lowest, epoch.validation_loss)
        eta *= 0.2 if without and without % 2 == 0 else 1.0
    assert rates[-1] < 0.05


def test_without_validation_data_the_error_and_its_penalty_are_watched():
    """What falls at the cost of larger weights is no gain: else the first steps, which shrink nothing, would win."""
    options = {"solver": "descent", "learning_rate": 0.5, "tol": 1e-12, "n_iter_no_change": 100, "max_iter": 3000}
    fitted = model("logistic-softmax-cross_entropy-no", weight_decay=0.5, **options).fit(X, Y)
    losses = [epoch.loss for epoch in fitted.history_]
    assert min(losses) < losses[-1] - 1e-3
    assert fitted.certificate_.kkt_violation < 1e-6


def test_training_goes_on_where_it_ended():
    """Ten epochs are five, and five more with what was remembered."""
    whole = training(0.0)
    whole.plan = replace(whole.plan, max_iter=10)
    given = MLPClassifier()._meet(X, Y, None).rows(3, np.dtype("float64"))
    whole.run(Shuffled(given, 15))
    parts = training(0.0)
    parts.plan = replace(parts.plan, max_iter=5)
    parts.run(Shuffled(given, 15))
    after = Training(parts.network, parts.plan, 9)
    after.go_on(parts.memory, parts.random)
    after.run(Shuffled(given, 15))
    for one, other in zip(whole.network.parameters, after.network.parameters, strict=True):
        assert one.tobytes() == other.tobytes()
    assert [epoch.loss for epoch in whole.history] == [epoch.loss for epoch in parts.history + after.history]
