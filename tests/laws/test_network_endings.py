"""How fits of networks end: what is said, and that what was found until then can be used."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from deciban import MLPClassifier, MLPRegressor
from deciban.mlp import estimator
from deciban.networks import steps
from deciban.networks.network import draw_weights
from laws.nets import CLASSIFIERS, FORMS, clouds, flat, forms, model, over

NAME = "relu-softmax-cross_entropy-two"
X, Y = clouds(1, n=60)


def usable(fitted):
    """A model that answers, and says how it became."""
    assert np.isfinite(flat(fitted)).all()
    assert np.isfinite(fitted.predict(X)).all()
    proof = fitted.certificate_
    assert (proof.status, proof.dual) == (fitted.status_.label, None)
    assert str(proof)
    return fitted


def begun(fitted):
    """The weights that it had before its first step."""
    net = fitted.network_
    weights, biases = draw_weights(net.sizes, net.activation, 0, net.weights[0].dtype)
    return np.concatenate([np.ravel(each) for pair in zip(weights, biases, strict=True) for each in pair])


def ends(fitted, status, advice=None):
    usable(fitted)
    assert fitted.certificate_.status == status
    if advice is not None:
        assert fitted.certificate_.advice == advice
    return fitted


def test_all_epochs_are_told():
    fitted = ends(model(NAME, max_iter=3).fit(X, Y), "exhausted", "the error was still falling: raise max_iter")
    assert [epoch.epoch for epoch in fitted.history_] == [1, 2, 3]
    assert fitted.n_iter_ == fitted.certificate_.iterations == 3
    seconds = [epoch.seconds for epoch in fitted.history_]
    assert seconds == sorted(seconds)
    assert 0.0 < seconds[-1] <= fitted.certificate_.seconds


@over(CLASSIFIERS)
def test_a_net_that_learns_no_more_has_settled(name):
    fitted = ends(model(name, max_iter=1000, tol=0.5, n_iter_no_change=3).fit(X, Y), "settled", "")
    assert fitted.n_iter_ < 1000


@pytest.mark.parametrize("batch_size", [None, 7])
def test_too_little_time_is_told(batch_size):
    options = {"max_iter": 10**6, "time_limit": 1e-9, "batch_size": batch_size}
    advice = "the error was still falling: raise time_limit"
    fitted = ends(model(NAME, **options).fit(X, Y), "out of time", advice)
    assert len(fitted.history_) <= 1
    assert fitted.n_iter_ == 1
    longer = model(NAME, **{**options, "time_limit": 0.05, "tol": 1e-15, "n_iter_no_change": 10**6}).fit(X, Y)
    ends(longer, "out of time", advice)


@pytest.mark.parametrize("validated", [False, True], ids=["alone", "validated"])
def test_a_callback_stops_and_is_told_of_every_epoch(validated):
    seen = []
    stopping = model(NAME, callback=lambda *at: seen.append(at) or len(seen) == 3)
    stopping.fit(X, Y, validation=(X, Y) if validated else None)
    ends(stopping, "stopped", "the callback said stop: these are the best weights until then")
    assert [at[0] for at in seen] == [1, 2, 3]
    assert [at[1] for at in seen] == [epoch.loss for epoch in stopping.history_]
    if validated:
        assert [at[2] for at in seen] == [epoch.validation_loss for epoch in stopping.history_]
    else:
        assert np.isnan([at[2] for at in seen]).all()


# Ctrl-C.


def press():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us deaf to it
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


# Steps of arrays, one at a time, and of the core, four at a time: all of an epoch. Dropout is none of the core's.
STEPS = {"arrays": ("_step", {"dropout": 1e-12}, 4), "core": ("_steps", {}, 1)}
stepping = pytest.mark.parametrize("of", list(STEPS))


def pressed_in_step(monkeypatch, name, count):
    """Ctrl-C comes in this step, or in these steps, from 1."""
    whole, taken = getattr(estimator.Training, name), []

    def step(self, *given):
        taken.append(given)
        if len(taken) == count:
            press()
        whole(self, *given)

    monkeypatch.setattr(estimator.Training, name, step)


@stepping
@pytest.mark.parametrize("family", [MLPClassifier, MLPRegressor])
def test_ctrl_c_in_an_epoch_keeps_the_best_epoch(monkeypatch, family, of):
    name, without, a_epoch = STEPS[of]
    options = {"hidden_layer_sizes": (6,), "batch_size": 15, "random_state": 3, **without}
    until = family(max_iter=2, **options).fit(X, Y)
    pressed_in_step(monkeypatch, name, 2 * a_epoch + 1 + a_epoch // 2)
    fitted = ends(family(**options).fit(X, Y), "interrupted", "these are the best weights until then")
    assert flat(fitted).tobytes() == flat(until).tobytes()
    assert len(fitted.history_) == fitted.n_iter_ == 2


@pytest.mark.parametrize("count", [1, 3])
@stepping
def test_ctrl_c_in_the_first_epoch_keeps_the_steps_until_then(monkeypatch, count, of):
    name, without, _ = STEPS[of]
    monkeypatch.setattr(steps, "_AT_ONCE", 1)  # one step at a time
    pressed_in_step(monkeypatch, name, count)
    started = MLPClassifier((6,), batch_size=15, **without)
    fitted = ends(started.fit(X, Y), "interrupted", "these are the best weights until then")
    assert fitted.history_ == []
    assert np.array_equal(flat(fitted), begun(fitted)) == (count == 1)


def test_ctrl_c_in_a_callback_and_between_batches_of_a_stream():
    seen = []
    fitted = model(NAME, callback=lambda *at: seen.append(at) or (len(seen) == 2 and press())).fit(X, Y)
    assert ends(fitted, "interrupted").n_iter_ == 2

    def batches():
        yield X[:30], Y[:30]
        press()
        yield X[30:], Y[30:]

    ends(MLPClassifier((6,)).fit_batches(batches(), [0, 1, 2]), "interrupted", "these are the best weights until then")
    early = [(X[:30], Y[:30])]
    ends(MLPClassifier((6,), max_iter=2).fit_batches(early, [0, 1, 2]), "exhausted")


def test_ctrl_c_before_the_proof_keeps_what_was_learnt(monkeypatch):
    wanted = model(NAME).fit(X, Y)

    def pressed(*_):
        press()

    monkeypatch.setattr(estimator, "gradient_of", pressed)
    fitted = ends(model(NAME).fit(X, Y), "interrupted", "these are the best weights until then")
    assert_array_equal(flat(fitted), flat(wanted))
    assert fitted.certificate_.kkt_violation is None


def test_another_signal_before_the_proof_ends_the_fit(monkeypatch):
    class Ended(KeyboardInterrupt):
        """What the command makes of SIGTERM."""

    def ended(*_):
        raise Ended

    monkeypatch.setattr(estimator, "gradient_of", ended)
    fitted = model(NAME)
    with pytest.raises(Ended):
        fitted.fit(X, Y)
    assert not hasattr(fitted, "network_")


# Numbers that leave the range.

REMEDY = "these are the last good weights: scale the columns, lower learning_rate, or set clip_norm"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch_size", [None, 15, 1])
@pytest.mark.parametrize("solver", ["descent", "adam"])
def test_numbers_that_leave_the_range_are_told_by_their_layer(solver, batch_size, dtype):
    far = 1e38 if dtype == "float32" else 1e308
    fitted = model(NAME, solver=solver, learning_rate=far, batch_size=batch_size, dtype=dtype).fit(X, Y)
    usable(fitted)
    told = fitted.certificate_
    assert told.status == "overflow"
    places = [
        f"the {what} of layer {k} left the range of {dtype}" for what in ("weights", "signals") for k in (1, 2, 3)
    ]
    assert told.advice in [f"{place}; {REMEDY}" for place in places]
    assert_array_equal(flat(fitted), begun(fitted))  # no step was good


def test_good_epochs_before_numbers_leave_the_range_are_kept():
    calm = {"hidden_layer_sizes": (6,), "solver": "descent", "batch_size": 15}
    until = MLPClassifier(max_iter=3, **calm).fit(X, Y)
    fitted = MLPClassifier(max_iter=9, schedule=lambda t: 1.0 if t < 4 else 1e38, **calm).fit(X, Y)
    usable(fitted)
    assert fitted.certificate_.status == "overflow"
    assert flat(fitted).tobytes() == flat(until).tobytes()
    assert fitted.n_iter_ == 3
    assert fitted.certificate_.primal == until.certificate_.primal


@forms
def test_data_that_leave_the_range_are_told(form):
    fitted = MLPClassifier((6,), max_iter=3).fit(FORMS[form](1e60 * X), Y)
    usable(fitted)
    assert fitted.certificate_.advice == f"the signals of layer 1 left the range of float32; {REMEDY}"
    judged = MLPClassifier((6,), max_iter=3).fit(FORMS[form](X), Y, validation=(1e60 * X, Y))
    ends(judged, "overflow", f"the validation error left the range of float32; {REMEDY}")
    large = (3e38 * (X > 0.0)).astype(np.float32)  # which a float32 holds, and no sum of them
    assert np.isfinite(
        MLPClassifier((6,), max_iter=3).fit(FORMS[form](large), Y)._baseline if form == "dense" else 0.0
    ).all()
    numbers = MLPRegressor((6,), max_iter=3, learning_rate=1e15).fit(X, 1e17 * Y)
    assert usable(numbers).certificate_.status == "overflow"


# What ails a network.


def ailing(**options):
    return usable(MLPClassifier(**{"max_iter": 2, "learning_rate": 1e-9, **options}).fit(X, Y)).certificate_.advice


def test_gradients_that_vanish_are_told():
    told = ailing(hidden_layer_sizes=(8,) * 8, activation="logistic")
    assert told.startswith("the error was still falling: raise max_iter; gradients vanish: layer 1 gets ")
    assert told.endswith(" of what the last layer gets: activation='relu' or fewer layers help")
    share = float(told.split("layer 1 gets ")[1].split(" of ")[0])
    history = MLPClassifier((8,) * 8, "logistic", max_iter=2, learning_rate=1e-9).fit(X, Y).history_
    norms = history[-1].gradient_norms
    assert share == pytest.approx(norms[0] / norms[-1], rel=0.5)
    assert len(norms) == 9
    assert share < 1e-3
    for activation in ("relu", "tanh"):
        assert "vanish" not in ailing(hidden_layer_sizes=(8,) * 8, activation=activation)


def biased(size, activation="relu", scale=1.0):
    """A network whose first biases are as large as that, and that hardly learns."""
    first = MLPClassifier((8, 8), activation, max_iter=1, warm_start=True, learning_rate=1e-9).fit(scale * X, Y)
    first.network_.biases[0][:] = size
    return first.fit(scale * X, Y)


def test_units_that_are_dead_are_told():
    fitted = biased(-100.0)
    dead = "100 % of the units of layer 1 are dead (never active): scale the columns, or lower learning_rate"
    assert dead in fitted.certificate_.advice
    assert fitted.history_[-1].dead == (1.0, pytest.approx(0.5, abs=0.5))
    for activation in ("logistic", "tanh"):
        always = "100 % of the units of layer 1 are dead (always saturated): scale the columns, or lower learning_rate"
        assert always in biased(-100.0, activation).certificate_.advice
    assert biased(0.0).history_[-1].dead[0] < 0.5
    assert "dead" not in biased(0.0).certificate_.advice


@pytest.mark.parametrize("activation", ["logistic", "tanh"])
def test_units_that_are_saturated_are_told(activation):
    fitted = biased(0.0, activation, scale=14.0)
    last = fitted.history_[-1]
    assert last.dead[0] <= 0.5 < last.saturated[0] < 1.0
    share = f"{100 * last.saturated[0]:.0f}"
    told = f"units of layer 1 are saturated on {share} % of the examples: scale the columns, or lower learning_rate"
    assert told in fitted.certificate_.advice
    assert "saturated" not in biased(0.0, activation, scale=0.1).certificate_.advice


def test_shares_of_idle_units_are_counted():
    fitted = MLPClassifier((8, 8), max_iter=1, learning_rate=1e-9).fit(X, Y)
    kept, _ = fitted.network_.signals(X.astype(np.float32))
    last = fitted.history_[-1]
    assert last.dead == pytest.approx([np.mean((each.h <= 0.0).all(axis=0)) for each in kept])
    assert last.saturated == pytest.approx([np.mean(each.h <= 0.0) for each in kept])
