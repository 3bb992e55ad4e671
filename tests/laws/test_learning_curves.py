"""Learning curves: what is drawn is what the history tells, and the epoch that is marked is the one that was kept."""

import re
import warnings
from dataclasses import replace
from functools import cache
from io import BytesIO
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.text import Text
from numpy.testing import assert_allclose, assert_array_equal

from deciban import LogisticRegression, MLPClassifier, MLPRegressor
from deciban.cli.reporting import curves_of
from deciban.networks.history import Epoch, select_epoch
from deciban.pages.blocks import Section
from deciban.pages.blocks import figure as placed
from deciban.pages.page import Report
from deciban.report import learning_curves, svg
from laws.svms import cloud

NETWORKS = {
    "one layer": lambda: MLPClassifier((), max_iter=4, learning_rate=0.1, random_state=0),
    "hidden layers": lambda: MLPClassifier((8, 6), max_iter=12, learning_rate=0.05, n_iter_no_change=3, random_state=1),
    "saturated": lambda: MLPClassifier(
        (8, 6), "logistic", solver="descent", learning_rate=3.0, max_iter=9, random_state=0
    ),
    "dead": lambda: MLPClassifier((4,), solver="descent", learning_rate=300.0, max_iter=6, random_state=0),
    "one epoch": lambda: MLPClassifier((5,), max_iter=1, random_state=0),
    "regression": lambda: MLPRegressor((7,), max_iter=9, learning_rate=0.1, random_state=0),
}


@cache
def data(name):
    X, y = cloud(3, 60, 3)
    y = np.sin(X[:, 0]) if name == "regression" else y
    return X[:40], y[:40], X[40:], y[40:]


@cache
def fitted(name, validation=True):
    X, y, *held = data(name)
    return NETWORKS[name]().fit(X, y, validation=tuple(held) if validation else None)


def every(names=NETWORKS):
    return pytest.mark.parametrize("name", list(names))


def lines(figure):
    """The lines of a figure by the name of their group."""
    return {line.get_gid(): line for axes in figure.axes for line in axes.lines if "kept" not in line.get_gid()}


def words(figure):
    return {line for text in figure.findobj(Text) for line in text.get_text().split("\n")}


@every()
@pytest.mark.parametrize("validation", [False, True], ids=["alone", "validation"])
def test_every_line_is_the_history(name, validation):
    model = fitted(name, validation)
    history = model.history_
    found = lines(learning_curves(model))
    wanted = {"loss-training": [each.loss for each in history], "error-training": [each.error for each in history]}
    if validation:
        wanted["loss-validation"] = [each.validation_loss for each in history]
        wanted["error-validation"] = [each.validation_error for each in history]
    for layer in range(len(history[0].gradient_norms)):
        wanted[f"gradient-{layer + 1}"] = [each.gradient_norms[layer] for each in history]
    for layer in range(len(history[0].dead)):
        wanted[f"dead-{layer + 1}"] = [each.dead[layer] for each in history]
        wanted[f"idle-{layer + 1}"] = [each.saturated[layer] for each in history]
    assert set(found) == set(wanted)
    for gid, values in wanted.items():
        x, y = found[gid].get_data()
        assert_array_equal(x, [each.epoch for each in history])
        assert_allclose(y, values, rtol=0.0 if "gradient" not in gid else 1e-9, atol=1e-9)


@pytest.mark.each_once
@every()
@pytest.mark.parametrize("validation", [False, True], ids=["alone", "validation"])
def test_every_point_is_within_its_axes(name, validation):
    figure = learning_curves(fitted(name, validation))
    for axes in figure.axes:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        for line in axes.lines:
            x, y = line.get_data()
            assert left < min(x) <= max(x) < right
            assert "kept" in line.get_gid() or low <= min(y) <= max(y) <= high


@every()
def test_the_epoch_that_is_marked_is_the_one_whose_weights_were_kept(name):
    model, (_, _, X, y) = fitted(name), data(name)
    figure = learning_curves(model)
    best = select_epoch(model.history_)
    marked = [line.get_xdata()[0] for axes in figure.axes for line in axes.lines if "kept" in line.get_gid()]
    assert marked == [best.epoch] * len(figure.axes)
    assert f"kept: epoch {best.epoch}" in words(figure)
    wrong = (model.predict(X) - y) ** 2 if name == "regression" else model.predict(X) != y
    assert_allclose(best.validation_error, wrong.mean(), rtol=1e-5)
    told = f"kept is epoch {best.epoch}, with a loss of {best.loss:.3g} ({best.validation_loss:.3g} of validation data)"
    assert told in figure.get_label()


def test_with_a_penalty_the_epoch_is_kept_whose_loss_and_penalty_together_are_lowest():
    X, y, *_ = data("hidden layers")
    how = {"weight_decay": 0.3, "learning_rate": 0.1, "max_iter": 12, "batch_size": None, "dtype": "float64"}
    model = MLPClassifier((8,), random_state=0, **how).fit(X, y)
    best = select_epoch(model.history_)
    assert best.epoch != min(model.history_, key=lambda each: each.loss).epoch
    until = MLPClassifier((8,), random_state=0, **{**how, "max_iter": best.epoch}).fit(X, y)
    assert_array_equal(model.coefs_[0], until.coefs_[0])
    assert f"kept: epoch {best.epoch}" in words(learning_curves(model))


def test_of_a_stream_the_last_epoch_is_kept():
    X, y, *_ = data("hidden layers")
    model = NETWORKS["hidden layers"]()
    for shift in (0.0, 0.0, 9.0):
        model.partial_fit(X + shift, y)
    assert select_epoch(model.history_).epoch < 3
    assert "kept: epoch 3" in words(learning_curves(model))


def test_a_model_is_drawn_like_its_history_whatever_the_settings_around():
    model = fitted("one layer")
    once = svg(learning_curves(model, title="learnt"))
    with rc_context({"font.size": 25.0, "text.usetex": True, "axes.grid": True, "svg.fonttype": "path"}):
        assert once == svg(learning_curves(tuple(model.history_), title="learnt"))
    assert "MLPClassifier" in words(learning_curves(model))


def test_what_the_legend_says():
    named = words(learning_curves(fitted("hidden layers")))
    assert {"training", "validation", "layer 1", "layer 2", "output layer", "epoch"} <= named
    assert {"loss", "error", "gradient norm", "idle units"} <= named
    alone = words(learning_curves(fitted("one layer", False)))
    assert alone.isdisjoint({"validation", "idle units", "layer 1"})


def numbers(epoch, layers, norm=1.0, **more):
    norms = tuple(norm * 10.0 ** (layer - layers + 1) for layer in range(layers))
    idle = (0.25,) * (layers - 1)
    return replace(Epoch(epoch, 1.0 / epoch, 0.5, None, None, 0.1, norms, idle, idle, 0.0), **more)


def test_of_many_layers_the_first_and_the_last_are_drawn_and_it_is_said():
    figure = learning_curves([numbers(epoch, 30) for epoch in range(1, 4)])
    drawn = {gid for gid in lines(figure) if gid.startswith("gradient")}
    assert drawn == {f"gradient-{layer}" for layer in (1, 2, 3, 4, 27, 28, 29, 30)}
    assert "the first and last 4 of 30 layers" in figure.get_label()
    assert "the first and last 4 of 30 layers" in words(figure)
    assert figure.get_label().endswith(f"dead units by layer: {', '.join(['25 %'] * 29)}.")


STRANGE = {
    "no gradient": [numbers(1, 3, 0.0), numbers(2, 3, 0.0)],
    "huge": [numbers(1, 3, 1e300, loss=1e300), numbers(2, 3, 1e-300, loss=1e-300)],
    "out of range": [numbers(1, 2, float("inf"), validation_loss=float("inf"), validation_error=float("nan"))] * 2,
    "no error": [numbers(1, 2, loss=0.0, error=0.0)],
    "thousands": [numbers(epoch, 2) for epoch in range(1, 2001)],
}


@every(STRANGE)
def test_any_history_is_drawn_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = learning_curves(STRANGE[name], title="나비 $x_1$ <b>")
        root = ElementTree.fromstring(svg(figure))
    assert "나비 $x_1$ <b>" in " ".join(part.text or "" for part in root.iter() if part.tag.endswith("}text"))
    assert not [part.text for part in root.iter() if "mathdefault" in (part.text or "")]


def test_curves_are_saved_without_a_display_and_stand_on_a_page():
    figure = learning_curves(fitted("one epoch"))
    file = BytesIO()
    figure.savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")
    both = [placed(figure, key) for key in ("picture", "curves")]
    html = Report("m", "", [Section("epochs", "Learning curves", both)]).html()
    assert html.count(figure.get_label().partition("; ")[0]) >= 2
    known = re.findall(r' id="([^"]+)"', html)
    assert len(known) == len(set(known))
    assert {*re.findall(r'href="#([^"]+)"', html), *re.findall(r"url\(#([^)]+)\)", html)} <= set(known)


def test_the_page_of_a_network_just_learnt_has_its_curves():
    network = fitted("one layer")
    of_table, of_texts = (
        SimpleNamespace(name="net", fitted=network),
        SimpleNamespace(name="net", history_=network.history_),
    )
    told = learning_curves(network, title="net").get_label()
    for model in (of_table, of_texts):
        shown = curves_of(model)
        assert told in (shown.says, f"{shown.says}; {shown.more}")
    other = LogisticRegression().fit(*data("one layer")[:2])
    for model in (other, None):  # of what has no epochs, and of a file
        assert curves_of(SimpleNamespace(name="net", fitted=model)) is None
