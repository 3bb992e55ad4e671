"""Laws of steps: the core's are the formulas, in place, of both types; and how long they are, epoch by epoch."""

from itertools import pairwise
from math import cos, pi

import array_api_strict as xp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban._core import adam_step, momentum_step
from deciban.networks.optimizers import Adam, Descent, schedule
from oracle import network as oracle

TYPES = ("float32", "float64")
types = pytest.mark.parametrize("dtype", TYPES)
# Small enough for one thread, and more than 2^18 numbers, which are shared out.
SHAPES = {"few": (7, 3), "one row": (11,), "many": (521, 523)}
shapes = pytest.mark.parametrize("shape", list(SHAPES))
ETA, DECAY = 0.03, 0.2
SPEEDS = [(0.0, False), (0.9, False), (0.9, True)]
OPTIMIZERS = {"descent": Descent(0.0), "momentum": Descent(0.9), "nesterov": Descent(0.9, True), "adam": Adam()}


def arrays(shape, dtype, count):
    """Arrays of this shape that repeat the same 50 numbers, and the numbers."""
    few = np.random.default_rng(0).normal(size=(count, 50)).astype(dtype)
    return few, [np.resize(each, SHAPES[shape]).astype(dtype) for each in few]


def alike(array, numbers, dtype):
    """The array repeats the numbers that the oracle found."""
    wanted = np.resize(np.array(numbers), array.shape)
    assert array.dtype == dtype
    assert_allclose(array, wanted, **({"rtol": 1e-5, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-13}))


@types
@shapes
@pytest.mark.parametrize(("mu", "nesterov"), SPEEDS)
def test_steps_with_momentum_are_the_formula(shape, dtype, mu, nesterov):
    (w, g, v), (W, G, V) = arrays(shape, dtype, 3)
    before = G.copy()
    for _ in range(3):
        assert momentum_step(W, G, V, ETA, mu, DECAY, nesterov) is None
        given = zip(w.tolist(), g.tolist(), v.tolist(), strict=True)
        w, v = np.array([oracle.momentum(*each, ETA, mu, DECAY, nesterov) for each in given]).T
    alike(W, w, dtype)
    alike(V, v, dtype)
    assert_array_equal(G, before)


@types
@shapes
def test_steps_of_adam_are_the_formula(shape, dtype):
    (w, g, m, q), (W, G, M, Q) = arrays(shape, dtype, 4)
    q, Q = q**2, Q**2
    before, (beta1, beta2, epsilon) = G.copy(), (0.9, 0.999, 1e-8)
    for t in range(1, 4):
        eta, scale = ETA / (1 - beta1**t), (1 - beta2**t) ** -0.5
        assert adam_step(W, G, M, Q, eta, scale, beta1, beta2, epsilon, DECAY) is None
        given = zip(w.tolist(), g.tolist(), m.tolist(), q.tolist(), strict=True)
        w, m, q = np.array([oracle.adam(*each, t, ETA, beta1, beta2, epsilon, DECAY) for each in given]).T
    for array, numbers in ((W, w), (M, m), (Q, q)):
        alike(array, numbers, dtype)
    assert_array_equal(G, before)


@types
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_arrays_elsewhere_make_the_same_steps(name, dtype):
    optimizer, random = OPTIMIZERS[name], np.random.default_rng(1)
    here = [random.normal(size=shape).astype(dtype) for shape in ((4, 3), (3,), (3, 2), (2,))]
    there = [xp.asarray(each.copy(), device=xp.Device("device1")) for each in here]
    memories = optimizer.memory(here), optimizer.memory(there)
    for _ in range(5):
        gradients = [random.normal(size=each.shape).astype(dtype) for each in here]
        stepped = optimizer.step(memories[0], here, gradients, ETA, DECAY)
        assert all(one is other for one, other in zip(stepped, here, strict=True))  # in place
        told = [xp.asarray(each, device=xp.Device("device1")) for each in gradients]
        there = optimizer.step(memories[1], there, told, ETA, DECAY)
    for one, other in zip(here, there, strict=True):
        assert (one.dtype, str(other.dtype).split(".")[-1]) == (dtype, dtype)
        close = 1e-5 if dtype == "float32" else 1e-12
        assert_allclose(one, np.from_dlpack(xp.asarray(other, device=xp.Device("CPU_DEVICE"))), rtol=close, atol=close)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_biases_are_free(name):
    optimizer = OPTIMIZERS[name]
    W, b = np.ones((2, 2)), np.ones(2)
    optimizer.step(optimizer.memory([W, b]), [W, b], [np.zeros((2, 2)), np.zeros(2)], 0.1, 0.5)
    assert (W < 1.0).all()
    assert_array_equal(b, 1.0)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_gradients_may_lie_in_memory_as_they_come(name):
    optimizer, random = OPTIMIZERS[name], np.random.default_rng(2)
    W, g = random.normal(size=(5, 4)), random.normal(size=(4, 5))
    one, other = W.copy(), W.copy()
    optimizer.step(optimizer.memory([one]), [one], [g.T], ETA, DECAY)
    optimizer.step(optimizer.memory([other]), [other], [g.T.copy()], ETA, DECAY)
    assert_array_equal(one, other)


# Refusals of the core.

THREE = {
    "momentum": (momentum_step, 2, (ETA, 0.9, 0.0, False)),
    "adam": (adam_step, 3, (ETA, 1.0, 0.9, 0.9, 1e-8, 0.0)),
}
WRONG = {
    "another shape": (np.ones((2, 3)), np.ones((3, 2)), ValueError, "arrays of one shape are expected"),
    "as many numbers": (np.ones(6), np.ones((3, 2)), ValueError, "arrays of one shape are expected"),
    "another type": (
        np.ones(3),
        np.ones(3, "float32"),
        TypeError,
        "arrays of one type, float32 or float64, are expected",
    ),
    "whole numbers": (np.ones(3, int), np.ones(3, int), TypeError, "arrays of float32 or float64 are expected"),
    "halves": (np.ones(3, "float16"), np.ones(3), TypeError, "arrays of float32 or float64 are expected"),
    "no array": ([1.0], np.ones(1), TypeError, "arrays of float32 or float64 are expected"),
    "gaps": (np.ones((3, 4))[:, ::2], np.ones((3, 2)), ValueError, "arrays in C order are expected"),
    "another order": (
        np.asfortranarray(np.ones((3, 2))),
        np.ones((3, 2)),
        ValueError,
        "arrays in C order are expected",
    ),
}


@pytest.mark.parametrize("which", THREE)
@pytest.mark.parametrize("kind", WRONG)
def test_arrays_that_are_not_alike_are_refused(which, kind):
    step, count, numbers = THREE[which]
    w, g, error, text = WRONG[kind]
    rest = [np.zeros(np.shape(w), getattr(w, "dtype", float)) for _ in range(count - 1)]
    before = np.array(w)
    with pytest.raises(error, match=f"^{text}"):
        step(w, g, *rest, *numbers)
    assert_array_equal(w, before)


@pytest.mark.parametrize("which", THREE)
def test_what_is_written_is_not_read_elsewhere(which):
    step, count, numbers = THREE[which]
    w = np.ones(3)
    for given in ([w, w, *(np.zeros(3) for _ in range(count - 1))], [w, np.ones(3), *([w] * (count - 1))]):
        with pytest.raises(ValueError, match=r"borrowed|readonly|writ"):
            step(*given, *numbers)
    frozen = np.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"borrowed|readonly|writ"):
        step(frozen, np.ones(3), *(np.zeros(3) for _ in range(count - 1)), *numbers)
    assert_array_equal((w, frozen), 1.0)


# How long a step is.

RULES = {
    "constant": lambda t, T: 1.0,
    "inverse": lambda t, T: 1.0 / (1.0 + 4.0 * (t - 1) / T),
    "cosine": lambda t, T: 0.5 * (1.0 + cos(pi * (t - 1) / T)),
    "plateau": lambda t, T: 1.0,
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("epochs", [1, 7, 200])
def test_schedules_are_their_formulas(rule, epochs):
    eta = schedule(rule, 0.3, epochs)
    found = [eta(t) for t in range(1, epochs + 1)]
    assert_allclose(found, [0.3 * RULES[rule](t, epochs) for t in range(1, epochs + 1)], rtol=1e-14)
    assert found[0] == 0.3
    assert all(0.0 < later <= earlier for earlier, later in pairwise(found))


def test_a_schedule_of_ones_own():
    eta = schedule(lambda t: 1 / t, 0.3, 10)
    assert [eta(t) for t in (1, 2, 10)] == pytest.approx([0.3, 0.15, 0.03])


def test_a_plateau_makes_steps_shorter_each_second_epoch_without_a_fall():
    eta, found = schedule("plateau", 1.0, 10), []
    for without in (0, 0, 1, 2, 3, 4, 0, 1, 2):
        eta.note_stall(without)
        found.append(eta(1))
    assert found == pytest.approx([1.0, 1.0, 1.0, 0.2, 0.2, 0.04, 0.04, 0.04, 0.008])
    other = schedule("cosine", 1.0, 10)
    other.note_stall(2)
    assert other(1) == 1.0
