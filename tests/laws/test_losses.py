"""Laws of losses and penalties, over their catalogues: the formulas of Python, and the core's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from deciban import _core, losses, penalties
from deciban.losses import Softmax

EVERY = [family() for family in losses.CATALOGUE]
CONVEX = [loss for loss in EVERY if loss.convex]
over = pytest.mark.parametrize("loss", EVERY, ids=lambda loss: loss.name)
over_convex = pytest.mark.parametrize("loss", CONVEX, ids=lambda loss: loss.name)
scores = st.floats(-30, 30) | st.sampled_from([-1e4, -1.0, 0.0, 1.0, 1e4])
targets = st.floats(-5, 5)


def target(loss, y):
    """A target that the loss understands."""
    return (1.0 if y >= 0 else -1.0) if loss.margin else y


def of(loss, y, s):
    return np.array([target(loss, y)]), np.array([s])


@over
@given(y=targets, s=scores)
def test_a_loss_is_finite_and_from_zero(loss, y, s):
    value, slope, curvature = (f(*of(loss, y, s))[0] for f in (loss.value, loss.slope, loss.curvature))
    assert np.isfinite([value, slope, curvature]).all()
    assert value >= 0.0
    assert 0.0 <= curvature <= loss.curvature_bound * (1.0 + 1e-12)


@over
@given(y=targets)
def test_what_is_right_costs_nothing(loss, y):
    y = target(loss, y)
    right = 1e4 * y if loss.margin else y
    assert loss.value(*of(loss, y, right))[0] == 0.0


@over_convex
@given(y=targets, s=st.floats(-30, 30))
def test_the_slope_is_the_finite_difference(loss, y, s):
    y, s = of(loss, y, s)
    h = 1e-5
    slopes = [(loss.value(y, s + h) - loss.value(y, s))[0] / h, (loss.value(y, s) - loss.value(y, s - h))[0] / h]
    # At a kink the slope is one between the two sides; elsewhere both sides are the slope.
    low, high = min(slopes) - 1e-4 * (1.0 + abs(s[0])), max(slopes) + 1e-4 * (1.0 + abs(s[0]))
    assert low <= loss.slope(y, s)[0] <= high


@over_convex
@given(y=targets, s=st.floats(-30, 30))
def test_the_curvature_is_the_finite_difference_of_the_slope(loss, y, s):
    y, s = of(loss, y, s)
    h = 1e-6
    near = [loss.curvature(y, s + k * h)[0] for k in (-1, 0, 1)]
    if max(near) - min(near) > 1e-3 or np.ptp([loss.slope(y, s + k * h)[0] for k in (-1, 1)]) > 0.5:
        return  # astride a kink, of value or of slope, there is no curvature
    difference = (loss.slope(y, s + h) - loss.slope(y, s - h))[0] / (2 * h)
    assert_allclose(near[1], difference, atol=1e-4)


@over_convex
@given(y=targets, s=scores, a=st.floats(-3, 3))
def test_fenchel_and_young(loss, y, s, a):
    y, s = of(loss, y, s)
    u = -loss.feasible(y, np.array([a]))
    conjugate = loss.conjugate(y, u)
    assert np.isfinite(conjugate).all()
    assert (loss.value(y, s) + conjugate >= u * s - 1e-9 * (1.0 + np.abs(u * s))).all()
    tight = loss.slope(y, s)
    assert_allclose(loss.value(y, s) + loss.conjugate(y, tight), tight * s, rtol=1e-9, atol=1e-9)


@over_convex
@given(y=targets, a=st.floats(-2, 2))
def test_the_conjugate_is_the_largest_difference(loss, y, a):
    y = target(loss, y)
    u = -loss.feasible(np.array([y]), np.array([a]))
    s = np.linspace(-40, 40, 400_001)
    brute = (u * s - loss.value(np.full(len(s), y), s)).max()
    assert_allclose(loss.conjugate(np.array([y]), u)[0], brute, atol=5e-4)


@over
@given(y=targets, s=scores, u=st.floats(-3, 3))
def test_the_core_computes_what_python_shows(loss, y, s, u):
    y, s = of(loss, y, s)
    u = np.array([u])
    delta = getattr(loss, "delta", 1.0)
    shown = [loss.value(y, s), loss.slope(y, s), loss.curvature(y, s), loss.conjugate(y, u)]
    for there, here in zip(_core.loss_table(loss.name, y, s, u, delta=delta), shown, strict=True):
        assert_allclose(there, here, rtol=1e-12, atol=1e-12)


@over
@given(given=st.lists(st.tuples(targets, st.floats(0, 3), scores, st.floats(-2, 2)), max_size=9), t=st.floats(-2, 2))
def test_the_core_sums_what_python_shows(loss, given, t):
    y, c, s, d = np.array(given).reshape(-1, 4).T.copy()
    y = np.array([target(loss, each) for each in y])
    options = {"delta": getattr(loss, "delta", 1.0)}
    value, a, h = _core.loss_look(loss.name, y, c, s, **options)
    assert_allclose(value, c @ loss.value(y, s), rtol=1e-10, atol=1e-12)
    assert_allclose(a, -loss.slope(y, s), rtol=1e-12)
    assert_allclose(h, c * loss.curvature(y, s), rtol=1e-10, atol=1e-300)
    for way, along in ((d, d), (None, np.ones_like(d))):
        first, second = _core.loss_along(loss.name, y, c, s, way, t, **options)
        at = s + t * along
        assert_allclose(first, (c * loss.slope(y, at)) @ along, rtol=1e-10, atol=1e-9)
        assert_allclose(second, (c * loss.curvature(y, at)) @ np.square(along), rtol=1e-10, atol=1e-9)
    if loss.convex:
        conjugate = loss.conjugate(y, -0.3 * a)
        assert_allclose(_core.loss_conjugate(loss.name, y, c, 0.3 * a, **options), c @ conjugate, rtol=1e-9, atol=1e-12)


@given(s=st.lists(st.floats(-20, 20), min_size=2, max_size=5), y=st.integers(0, 1))
def test_the_softmax_of_two_is_the_logistic_loss(s, y):
    s, y = np.array([s]), np.array([y])
    loss = Softmax()
    assert_allclose(loss.weights(s).sum(), 1.0)
    slope = loss.slope(y, s)
    assert_allclose(loss.value(y, s) + loss.conjugate(y, slope), (slope * s).sum(axis=1), atol=1e-9)
    two, margin = s[:, :2], (2.0 * y - 1.0) * (s[:, 1] - s[:, 0])
    assert_allclose(loss.value(y, two), losses.Logistic().value(np.ones(1), margin), rtol=1e-12, atol=1e-14)


KNOWN = [penalties.NoPenalty(), penalties.L2(0.7), penalties.L1(0.3), penalties.ElasticNet(0.5, 0.4)]
PENALTIES = [*KNOWN, *map(penalties.NonNegative, KNOWN)]
over_penalties = pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: penalty.name)
numbers = st.lists(st.floats(-3, 3), min_size=1, max_size=4).map(np.array)


def test_every_penalty_is_tried():
    assert [type(penalty) for penalty in KNOWN] == list(penalties.CATALOGUE)


@over_penalties
@given(v=numbers, t=st.floats(0.1, 2))
def test_the_prox_is_the_minimum(penalty, v, t):
    def cost(w):
        return 0.5 * float((w - v) @ (w - v)) + t * penalty.value(w)

    w = penalty.prox(v, t)
    rng = np.random.default_rng(0)
    assert all(cost(w) <= cost(w + step) + 1e-12 for step in rng.normal(scale=0.1, size=(50, len(v))))


@over_penalties
@given(w=numbers, v=numbers, t=st.floats(0.1, 2))
def test_the_core_computes_the_same_penalty(penalty, w, v, t):
    amounts = {"l1": penalty.l1, "l2": penalty.l2, "nonnegative": penalty.nonnegative}
    value, conjugate, prox = _core.penalty_table(w, v, t, **amounts)
    assert_allclose(value, penalty.value(w), rtol=1e-14)
    assert_allclose(prox, penalty.prox(v, t), rtol=1e-14)
    inside = v if penalty.l2 else np.clip(v, -penalty.l1, penalty.l1)
    assert_allclose(_core.penalty_table(w, inside, t, **amounts)[1], penalty.conjugate(inside))
    assert_allclose(conjugate, penalty.conjugate(v) if penalty.l2 else 0.0)


@over_penalties
@given(w=numbers, v=st.floats(-2, 2))
def test_fenchel_and_young_of_penalties(penalty, w, v):
    v = np.full(len(w), v)
    conjugate = penalty.conjugate(v)
    assert penalty.value(w) + conjugate >= float(v @ w) - 1e-12
    if penalty.l2:
        v = np.maximum(v, 0.0) if penalty.nonnegative else v
        best = penalty.prox(v, 1e9) * 0 + np.sign(v) * np.maximum(np.abs(v) - penalty.l1, 0.0) / penalty.l2
        assert_allclose(penalty.value(best) + conjugate, v @ best, atol=1e-9)


@pytest.mark.parametrize("names", [losses.CATALOGUE, penalties.CATALOGUE], ids=["losses", "penalties"])
def test_names_are_distinct(names):
    assert_array_equal(len({each.name for each in names}), len(names))
