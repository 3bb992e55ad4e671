"""Laws of the steps that the core takes: they are those of the arrays, of any shape, and no thread changes a bit."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban import MLPClassifier, MLPRegressor, _core
from deciban.networks.batches import Rows, Shuffled, Steps
from deciban.networks.measures import Wrong, square_length
from deciban.networks.network import Network, copy_network
from deciban.networks.optimizers import Adam, Descent
from deciban.networks.steps import count_at_once, is_for_core, take_steps
from deciban.threads import using
from laws.nets import EVERY, network, over, rows, targets

OPTIMIZERS = {"descent": Descent(0.0), "momentum": Descent(0.9), "nesterov": Descent(0.9, True), "adam": Adam()}
CLOSE = {"float64": {"rtol": 1e-9, "atol": 1e-11}, "float32": {"rtol": 2e-3, "atol": 2e-4}}
ETA = 0.01


def by_arrays(net, memory, optimizer, steps, decay, clip_norm, wrong):
    """The same steps, one after the other, by NumPy: the sums, and the squares of each layer's gradient."""
    sums, squares = np.zeros(3), np.zeros(len(net.weights))
    for places in steps.each():
        part = steps.rows.at(places)
        losses, _, h, found = net.gradients(part.x, part.y, part.weight / len(places))
        sums += float(losses @ part.weight[:, 0]), wrong(h, part.y, part.weight), float(part.weight.sum())
        squares += [square_length(g) for g in found[::2]]
        length = float(np.sqrt(sum(map(square_length, found))))
        if clip_norm is not None and length > clip_norm:
            found = [g * (clip_norm / length) for g in found]
        optimizer.step(memory, net.parameters, found, ETA, decay)
    return sums, squares


def compare(net, examples, size, optimizer="adam", decay=0.0, clip_norm=None, wrong="class"):
    """Both take the steps of these examples from the same weights."""
    by, places = OPTIMIZERS[optimizer], np.random.default_rng(7).permutation(len(examples))
    steps, dtype = Steps(examples, places, size), net.weights[0].dtype
    one, other = (copy_network(net, examples.X, dtype) for _ in range(2))
    memories = [by.memory(each.parameters) for each in (one, other)]
    assert is_for_core(one, examples)
    taken = take_steps(one, memories[0], by, steps, ETA, decay, clip_norm, Wrong(wrong))
    sums, squares = by_arrays(other, memories[1], by, steps, decay, clip_norm, Wrong(wrong))
    assert (taken.steps, taken.overflow) == (-(-len(examples) // size), False)
    assert memories[0].steps == memories[1].steps == taken.steps
    close = CLOSE[dtype.name]
    assert_allclose((taken.loss, taken.weight), (sums[0], sums[2]), **close)
    assert_allclose(taken.wrong, sums[1], rtol=1e-5 if dtype == np.float32 else 1e-9)
    assert_allclose(taken.squares, squares, **close)
    for ours, theirs in zip(one.parameters, other.parameters, strict=True):
        assert_allclose(ours, theirs, **close)
    for ours, theirs in zip(memories[0].of, memories[1].of, strict=True):
        for m, n in zip(ours, theirs, strict=True):
            assert_allclose(m, n, **close)


def examples(X, y, K, dtype="float64", seed=3):
    """Rows of weights from 0.5 to 2."""
    return Rows(X, y, np.random.default_rng(seed).uniform(0.5, 2.0, len(X)), K, np.dtype(dtype))


def of(name):
    """What is counted as wrong."""
    output = EVERY[name][1].name
    return {"linear": "squared", "logistic": "label", "softmax": "class"}[output]


@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@over()
def test_steps_are_those_of_the_arrays(name, optimizer):
    given = examples(rows(1, n=23), targets(name, 2, n=23), 3)
    compare(network(name), given, 5, optimizer, decay=0.1, clip_norm=0.5, wrong=of(name))


def drawn(sizes, dtype, seed=0):
    """A network of ReLU and softmax of these sizes, its biases drawn, too."""
    base = network("relu-softmax-cross_entropy-one")
    random = np.random.default_rng(seed)
    weights = [(random.normal(size=(below, units)) / np.sqrt(below)).astype(dtype) for below, units in pairwise(sizes)]
    biases = [0.1 * random.normal(size=units).astype(dtype) for units in sizes[1:]]
    return Network(weights, biases, base.activation, base.output, base.error)


# Tiles and panels that are whole and those that are not, one unit, and batches that go through in parts.
SHAPES = {
    "few": ((1, 2), 3, 2),
    "one unit": ((5, 1, 2), 40, 7),
    "a panel": ((16, 32, 16), 64, 32),
    "odd": ((37, 67, 19, 11), 131, 50),
    "deep": ((300, 9, 3), 70, 70),
    "wide": ((3, 131, 5), 90, 33),
    "in parts": ((6, 10, 4), 600, 555),
}


@pytest.mark.parametrize("of_rows", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", list(SHAPES))
def test_shapes_and_types_change_nothing(shape, dtype, of_rows):
    sizes, n, batch = SHAPES[shape]
    random = np.random.default_rng(1)
    X, y = random.normal(size=(n, sizes[0])).astype(of_rows), random.integers(sizes[-1], size=n)
    compare(drawn(sizes, dtype), examples(X, y, sizes[-1], dtype), batch)


def test_one_output_tells_two_classes():
    net = network("tanh-logistic-cross_entropy-one", K=1)
    compare(net, examples(rows(1, n=31), np.arange(31) % 2, 1), 8, wrong="label")


@pytest.mark.parametrize("scale", [1e-12, 1e-4, 1e4])
@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
def test_signals_of_any_size(activation, scale):
    net = network(f"{activation}-softmax-cross_entropy-two")
    compare(net, examples(scale * rows(1, n=40), np.arange(40) % 3, 3), 10, "momentum")  # Adam's steps are of any size


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bytes_are_those_of_one_thread(dtype):
    random = np.random.default_rng(5)
    X, y = random.normal(size=(700, 310)), random.integers(4, size=700)
    given, found = examples(X, y, 4, dtype), set()
    for threads in (1, 2, 3, 5):
        net = drawn((310, 130, 900, 4), dtype)  # more than 2^18 numbers, too
        memory = Adam().memory(net.parameters)
        with using(threads):
            taken = take_steps(net, memory, Adam(), Steps(given, np.arange(700), 300), ETA, 0.1, 1.0, Wrong("class"))
        found.add((b"".join(each.tobytes() for each in net.parameters), str(taken)))
    assert len(found) == 1


def test_steps_at_once_are_those_one_by_one():
    given = examples(rows(1, n=60), np.arange(60) % 3, 3)
    found = []
    for count in (1, 3, 100):
        net = network("relu-softmax-cross_entropy-two")
        memory = Adam().memory(net.parameters)
        for some in Steps(given, np.arange(60)[::-1], 7).stretches(count):
            take_steps(net, memory, Adam(), some, ETA, 0.0, None, Wrong("class"))
        found.append(b"".join(each.tobytes() for each in net.parameters))
    assert found[0] == found[1] == found[2]


def test_a_step_whose_error_leaves_the_range_is_not_taken():
    X = rows(1, n=30)
    X[17] = 1e300
    net = network("identity-linear-squared-one")
    given, memory = examples(X, targets("identity-linear-squared-one", 2, n=30), 3), Adam().memory(net.parameters)
    until, before = copy_network(net, X, "float64"), Adam().memory(net.parameters)
    taken = take_steps(net, memory, Adam(), Steps(given, np.arange(30), 5), ETA, 0.0, None, Wrong("squared"))
    take_steps(until, before, Adam(), Steps(given, np.arange(15), 5), ETA, 0.0, None, Wrong("squared"))
    assert (taken.steps, taken.overflow, memory.steps) == (3, True, 3)
    for ours, theirs in zip(net.parameters, until.parameters, strict=True):
        assert_array_equal(ours, theirs)


def test_a_fit_is_the_same_by_arrays(monkeypatch):
    """Dropout of next to nothing is none, and none of the core's."""
    X, y = rows(1, n=300, d=7), np.arange(300) % 3
    options = {"hidden_layer_sizes": (9,), "dtype": "float64", "max_iter": 5, "batch_size": 32, "clip_norm": 0.5}
    for more in ({}, {"weight_averaging": 0.9}, {"solver": "descent", "weight_decay": 0.01}):
        core = MLPClassifier(**options, **more).fit(X, y)
        with monkeypatch.context() as patch:
            patch.setattr("deciban.networks.training.is_for_core", lambda *_: False)
            arrays = MLPClassifier(**options, **more).fit(X, y)
        for ours, theirs in zip(core.coefs_, arrays.coefs_, strict=True):
            assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
        for ours, theirs in zip(core.history_, arrays.history_, strict=True):
            assert (ours.loss, ours.error) == pytest.approx((theirs.loss, theirs.error), rel=1e-8)
            assert ours.gradient_norms == pytest.approx(theirs.gradient_norms, rel=1e-7)
    Y = np.random.default_rng(3).normal(size=(300, 2))
    assert MLPRegressor((5,), max_iter=3).fit(X, Y).n_iter_ == 3


def test_rows_elsewhere_in_memory_and_long_steps():
    X = rows(1, n=30)
    net = network("relu-softmax-cross_entropy-one")
    assert is_for_core(net, examples(X, np.arange(30) % 3, 3))
    assert not is_for_core(net, examples(np.asfortranarray(X), np.arange(30) % 3, 3))
    assert not is_for_core(net, examples(X.astype("int64"), np.arange(30) % 3, 3))
    assert 1 == count_at_once(drawn((1000, 1000, 3), "float32"), 10**6) < count_at_once(net, 1)


def test_an_epoch_is_every_row_once():
    (steps,) = Shuffled(examples(rows(1, n=30), np.arange(30) % 3, 3), 8).epoch(np.random.RandomState(0))
    assert [len(places) for places in steps.each()] == [8, 8, 8, 6]
    assert [len(some.places) for some in steps.stretches(3)] == [24, 6]
    assert sorted(np.concatenate(list(steps.each()))) == list(range(30))


# Refusals of the core.


def call(**other):
    net, X = network("relu-softmax-cross_entropy-one"), rows(1, n=20)
    given = {
        "x": X,
        "y": np.arange(20) % 3,
        "weight": np.ones(20),
        "places": np.arange(20),
        "batch": 4,
        "parameters": net.parameters,
        "memory": Adam().memory(net.parameters).of,
        "names": ("relu", "softmax", "cross_entropy", "class"),
        "descent": (ETA, 0.9, 0.999, 1e-8, 0.0),
        "decay": 0.0,
        "clip": None,
    }
    before = [each.copy() for each in given["parameters"]]
    try:
        return _core.network_steps(**{**given, **other})
    finally:
        for was, now in zip(before, given["parameters"], strict=True):
            assert not other or np.array_equal(was, now)


PARAMETERS = network("relu-softmax-cross_entropy-one").parameters
WRONG = {
    "features": ({"x": rows(1, n=20, d=5)}, "rows of 4 features in C order are expected"),
    "order": ({"x": np.asfortranarray(rows(1, n=20))}, "rows of 4 features in C order are expected"),
    "targets": ({"y": np.arange(19) % 3}, "targets of 3 outputs and a weight for each of 20 rows are expected"),
    "classes": ({"y": np.arange(20)}, "targets of 3 outputs and a weight for each of 20 rows are expected"),
    "below": ({"y": -np.arange(20) % 3 - 1}, "targets of 3 outputs and a weight for each of 20 rows are expected"),
    "numbers": ({"y": np.ones((20, 2))}, "targets of 3 outputs and a weight for each of 20 rows are expected"),
    "weights": ({"weight": np.ones(3)}, "targets of 3 outputs and a weight for each of 20 rows are expected"),
    "places": ({"places": np.array([0, 20])}, "batches of places among 20 rows are expected"),
    "below 0": ({"places": np.array([0, -1])}, "batches of places among 20 rows are expected"),
    "no rows": ({"batch": 0}, "batches of places among 20 rows are expected"),
    "layers": ({"parameters": PARAMETERS[::-1]}, "arrays of one shape in C order are expected"),
    "half": (
        {"parameters": PARAMETERS[:1], "memory": [[PARAMETERS[0] + 0.0]] * 2},
        "Already borrowed|already borrowed",
    ),
    "memory": ({"memory": [[]]}, "arrays of memory for each parameter are expected"),
    "momentum": (
        {"descent": (ETA, 0.9, False)},
        "two arrays of memory a parameter of Adam, one of momentum are expected",
    ),
    "name": ({"names": ("sine", "softmax", "cross_entropy", "class")}, 'none of the network\'s parts is "sine"'),
}


@pytest.mark.parametrize("kind", list(WRONG))
def test_what_does_not_fit_together_is_refused(kind):
    assert call()[4:] == (5, False)
    other, text = WRONG[kind]
    with pytest.raises(ValueError, match=text):
        call(**other)


def test_arrays_of_other_types_are_refused():
    with pytest.raises(TypeError):
        call(x=np.ones((20, 4), int))
    with pytest.raises(TypeError):
        call(parameters=[each.astype("float32") for each in PARAMETERS])
    with pytest.raises(TypeError):
        call(parameters=[each.astype("float16") for each in PARAMETERS])
