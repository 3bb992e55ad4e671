"""Laws of back-propagation: its gradients are those of the error, of every layer, activation, output and error."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban.networks.network import Network
from laws.nets import EVERY, FORMS, forms, network, over, rows, targets
from oracle import network as oracle


def given(name, form="dense", dropout=False):
    """A network, x, y, weights from 0.5 to 2, and masks."""
    net, x, y = network(name), rows(1), targets(name, 2)
    random = np.random.default_rng(3)
    weight = random.uniform(0.5, 2.0, (len(x), 1))
    masks = [2.0 * (random.random((len(x), units)) > 0.5) for units in net.sizes[1:-1]] if dropout else []
    return net, FORMS[form](x), x, y, weight, masks


dropped = pytest.mark.parametrize("dropout", [False, True], ids=["all units", "dropout"])


@dropped
@forms
@over()
def test_gradients_are_those_of_an_independent_derivation(name, form, dropout):
    net, X, x, y, weight, masks = given(name, form, dropout)
    losses, s, h, found = net.gradients(X, y, weight, masks)
    wanted, _ = oracle.gradients(net, x, y, weight, masks)
    assert_allclose(losses, oracle.errors(net.parameters, x, y, net, masks), rtol=1e-10)
    assert_allclose(s, oracle.signals(net.parameters, x, net.activation.name, masks), rtol=1e-10, atol=1e-12)
    assert_allclose(h, net.output.forward(s), rtol=1e-12)
    assert len(found) == len(wanted) == 2 * len(net.weights)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.shape == theirs.shape
        assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


@dropped
@over()
def test_gradients_are_what_small_changes_of_the_weights_do(name, dropout):
    net, X, _, y, weight, masks = given(name, "dense", dropout)
    found, step = net.gradients(X, y, weight, masks)[3], 1e-5

    def error():
        return float(net.gradients(X, y, weight, masks)[0] @ weight[:, 0])

    for array, ours in zip(net.parameters, found, strict=True):
        theirs = np.empty_like(array)
        for place in np.ndindex(array.shape):
            was, ends = array[place], []
            for side in (step, -step):
                array[place] = was + side
                ends.append(error())
            array[place] = was
            theirs[place] = (ends[0] - ends[1]) / (2.0 * step)
        assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@over()
def test_gradients_reach_the_inputs(name):
    net, X, x, y, weight, _ = given(name)
    kept, s = net.signals(X)
    delta = net.error.delta(net.output, s, net.output.forward(s), y) * weight
    assert_allclose(net.to_inputs(kept, delta) @ net.weights[0].T, oracle.gradients(net, x, y, weight)[1], atol=1e-10)


@forms
@over()
def test_a_batch_is_the_sum_of_batches_of_one(name, form):
    net, X, _, y, weight, masks = given(name, form, dropout=True)
    losses, s, _, found = net.gradients(X, y, weight, masks)
    parts = [net.gradients(X[[i]], y[[i]], weight[[i]], [mask[[i]] for mask in masks]) for i in range(len(y))]
    assert_allclose(losses, np.concatenate([part[0] for part in parts]), rtol=1e-12)
    assert_allclose(s, np.concatenate([part[1] for part in parts]), rtol=1e-12, atol=1e-12)
    for k, ours in enumerate(found):
        assert_allclose(ours, sum(part[3][k] for part in parts), rtol=1e-11, atol=1e-12)


DEEP = {name: each for name, each in EVERY.items() if each[3]}


@over(DEEP)
def test_the_order_of_hidden_units_means_nothing(name):
    net, X, _, y, weight, _ = given(name)
    random, last = np.random.default_rng(4), len(net.weights) - 1
    orders = [np.arange(net.sizes[0]), *map(random.permutation, net.sizes[1:-1]), np.arange(net.sizes[-1])]
    weights = [W[orders[k]][:, orders[k + 1]] for k, W in enumerate(net.weights)]
    biases = [b[orders[k + 1]] for k, b in enumerate(net.biases)]
    other = Network(weights, biases, net.activation, net.output, net.error)
    one, two = net.gradients(X, y, weight), other.gradients(X, y, weight)
    assert_allclose(one[1], two[1], rtol=1e-12, atol=1e-12)
    assert_allclose(one[0], two[0], rtol=1e-12)
    for k in range(last + 1):
        assert_allclose(one[3][2 * k][orders[k]][:, orders[k + 1]], two[3][2 * k], rtol=1e-11, atol=1e-12)
        assert_allclose(one[3][2 * k + 1][orders[k + 1]], two[3][2 * k + 1], rtol=1e-11, atol=1e-12)


@over()
def test_signals_of_any_size_leave_nothing_undefined(name):
    net = network(name, size=1e4)
    x, y = rows(5), np.eye(3)[np.arange(9) % 3]
    for far in (x, 1e4 * x, 0.0 * x):
        with np.errstate(all="raise", under="ignore"):
            losses, s, h, found = net.gradients(far, y, np.ones((9, 1)))
        for each in (losses, s, h, *found):
            assert np.isfinite(each).all()
        if net.output.name == "softmax":
            assert_allclose(h.sum(axis=1), 1.0, rtol=1e-12)
        if net.output.name != "linear":
            assert ((h >= 0.0) & (h <= 1.0)).all()
            assert (losses >= 0.0).all()
