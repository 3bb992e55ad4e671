"""Laws of calibration by a curve that only rises: it is the best such curve, it turns with the decision, it is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.isotonic import IsotonicRegression

import deciban
from deciban import SVM
from deciban.calibration.isotonic import UNKNOWN, isotonic
from deciban.calibration.targets import of_two
from laws.svms import cloud, machine, over
from tiers import examples

MARGINS = st.lists(
    st.tuples(st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 3.0]), st.booleans(), st.integers(1, 3)),
    min_size=2,
    max_size=12,
).filter(lambda drawn: len({positive for _, positive, _ in drawn}) == 2)


def columns(drawn):
    f, positive, weight = map(np.array, zip(*drawn, strict=True))
    return f, positive, weight.astype(float)


def best(f, t, w, low, high):
    """The optimum by the max-min formula of Barlow et al., over all runs of margins, cut off at its bounds."""
    points = np.unique(f)
    total = np.array([w[f == x].sum() for x in points])
    mean = np.array([w[f == x] @ t[f == x] for x in points]) / total
    n = len(points)

    def average(a, b):
        return np.average(mean[a : b + 1], weights=total[a : b + 1])

    p = [max(min(average(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    return points, np.clip(p, low, high)


@examples(10)
@given(MARGINS, st.booleans())
def test_no_rising_curve_is_nearer_to_the_labels(drawn, turning):
    f, positive, w = columns(drawn)
    up, down = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))
    g = isotonic(f, positive, w, turning)
    sides = [(f < 0, 0.0, 0.5), (f > 0, 0.5, 1.0)] if turning else [(f == f, 0.0, 1.0)]
    for side, low, high in sides:
        if side.any():
            points, p = best(f[side], t[side], w[side], low, high)
            assert_allclose(1 / (1 + np.exp(-g(points))), p, atol=1e-9)


@given(MARGINS)
def test_a_curve_rises_and_turns_where_the_decision_does(drawn):
    f, positive, w = columns(drawn)
    g = isotonic(f, positive, w)
    x = np.linspace(-5, 5, 101)
    assert (np.diff(g(x)) >= 0).all()
    assert np.isfinite(g(x)).all()
    assert g(np.zeros(1))[0] == 0.0
    assert (g(x) * x >= 0).all()
    mirrored = isotonic(-f, ~positive, w)
    assert_allclose(mirrored(-x), -g(x), atol=1e-9)


@over("rbf", "rest", "nu")
@pytest.mark.parametrize("C", [2, 3])
def test_probabilities_agree_with_decisions_and_evidence_with_probabilities(name, C):
    X, y = cloud(C, n=90)
    model = machine(name, calibration="isotonic").fit(X, y)
    asked = np.random.default_rng(1).normal(size=(200, 3))
    p = model.predict_proba(asked)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(asked))
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert (p > 0).all()
    assert model.temperature_ is None
    if C == 2:
        order = np.argsort(model.decision_function(asked))
        assert (np.diff(p[order, 1]) >= -1e-8).all()
    for by in ("feature", "vector"):
        for i, why in enumerate(model.explain(asked[:6], by=by)):
            total = why.prior_decibans + sum(term.decibans for term in why.terms)
            assert total == pytest.approx(why.decibans, rel=1e-9, abs=1e-9)
            assert why.label == model.predict(asked[[i]])[0]
            if C == 2 or name == "rest":
                assert why.decibans == pytest.approx(10 * np.log10(p[i].max() / np.sort(p[i])[-2]), abs=1e-6)


@pytest.mark.parametrize("C", [2, 3])
def test_weights_order_and_sides_make_no_difference(C):
    X, y = cloud(C, n=60)
    times = np.arange(60) % 3
    times[:C] = 1
    one = machine("rbf", calibration="isotonic").fit(X, y, times)
    again = machine("rbf", calibration="isotonic").fit(np.repeat(X, times, axis=0)[::-1], np.repeat(y, times)[::-1])
    assert_allclose(again.predict_proba(X), one.predict_proba(X), atol=1e-4)
    if C == 2:
        other = machine("rbf", calibration="isotonic").fit(X, 1 - y, times)
        assert_allclose(other.predict_proba(X)[:, ::-1], one.predict_proba(X), atol=1e-4)


@over("rbf", "rest")
@pytest.mark.parametrize("C", [2, 3])
def test_a_file_keeps_the_curves(name, C, tmp_path):
    X, y = cloud(C)
    model, path = machine(name, calibration="isotonic").fit(X, y), tmp_path / "machine.deciban"
    model.save(path)
    again = deciban.load(path)
    assert again.calibration == "isotonic"
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.explain(X[:2]) == model.explain(X[:2])
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == path.read_bytes()


def test_where_nothing_can_be_held_out_the_odds_are_modest():
    model = SVM(calibration="isotonic").fit([[0.0], [2.0]], ["low", "high"])
    assert (np.abs(np.log(model.predict_proba([[-9.0], [0.5], [9.0]])) - np.log(0.5)) <= 1.0).all()


@examples(100)
@given(
    rows=st.lists(
        st.tuples(st.integers(-4, 4), st.booleans(), st.sampled_from([0.0, 0.3, 1.0, 2.5])), min_size=1, max_size=40
    )
)
def test_it_is_scikit_learns_to_the_last_bit(rows):
    f, positive, weight = (np.array(each) for each in zip(*rows, strict=True))
    f = f / 3.0
    if not (weight[positive].sum() and weight[~positive].sum()):
        assert isotonic(f, positive, weight) is UNKNOWN
        return
    found = isotonic(f, positive, weight, turning=False)
    theirs = IsotonicRegression(y_min=0.0, y_max=1.0).fit(f, of_two(positive, weight), weight)
    assert_array_equal(found.at, theirs.X_thresholds_)
    assert_array_equal(found.nats, np.log(theirs.y_thresholds_) - np.log1p(-theirs.y_thresholds_))
