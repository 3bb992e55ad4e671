"""Pictures of models: regions where predictions are, and of the street what the model itself says of it."""

import subprocess
import sys
import warnings
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import rc_context
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import (
    NBSVM,
    SVM,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    NaiveBayes,
    OneClassSVM,
    Perceptron,
    SVMRegressor,
)
from deciban.report import canvas, decision_regions, regions, regression_tube, svg
from deciban.report.canvas import hatch, mark
from deciban.report.plane import Plane
from laws.svms import cloud

CLASSIFIERS = {
    "SVM": lambda: SVM(C=2.0, calibration=None),
    "SVM, one against the rest": lambda: SVM(C=2.0, multi_class="ovr", calibration=None),
    "SVM, nu": lambda: SVM(nu=0.3, calibration=None),
    "SVM, linear": lambda: SVM("linear"),
    "LinearSVM": lambda: LinearSVM(calibration=None),
    "LinearSVM, squared": lambda: LinearSVM(loss="squared_hinge", calibration=None),
    "LogisticRegression": LogisticRegression,
    "GaussianDiscriminant": lambda: GaussianDiscriminant(covariance="per_class"),
    "NaiveBayes": lambda: NaiveBayes("gaussian"),
    "Perceptron": lambda: Perceptron(averaged=True),
    "LeastSquaresClassifier": LeastSquaresClassifier,
    "MLPClassifier": lambda: MLPClassifier((8,), max_iter=20, random_state=0),
}
STREETS = [name for name in CLASSIFIERS if "SVM" in name]
LABELS = np.array(["<script>", "나비 $x_1$", "_bee", "doe"])


@cache
def fitted(name, C=2, d=2):
    X, y = cloud(C, 40, d)
    return CLASSIFIERS[name]().fit(X, LABELS[y]), X, LABELS[y]


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Fewer points of the plane are asked about: it is not the lines that are looked at."""
    monkeypatch.setattr(regions, "_STEPS", 31)
    monkeypatch.setattr(regions, "_MORE_STEPS", 31)


def every(names=CLASSIFIERS):
    return pytest.mark.parametrize("name", list(names))


def drawn(figure):
    """The SVG, read as the XML that it must be."""
    return ElementTree.fromstring(svg(figure))


def marks(root, gid):
    """How many marks stand in the group of that name."""
    parts = [part for group in root.iter() if group.get("id") == gid for part in group.iter()]
    return len({(part.get("x"), part.get("y")) for part in parts if part.tag.endswith("}use")})  # halves are two


def words(root):
    return [part.text for part in root.iter() if part.tag.endswith("}text")]


# --- every classifier --------------------------------------------------------------------------------------


PLANES = [(name, 3, 4) if i % 2 else (name, 2, 2) for i, name in enumerate(CLASSIFIERS)]


@pytest.mark.parametrize(("name", "C", "d"), PLANES, ids=str)
def test_every_classifier_is_drawn_with_all_its_examples_and_classes(name, C, d):
    model, X, y = fitted(name, C, d)
    figure = decision_regions(model, X, y)
    root, told = drawn(figure), figure.get_label()
    for c, label in enumerate(model.classes_):
        n = int((y == label).sum())
        assert sum(marks(root, f"class-{c}{zone}") for zone in ("", *(f"-zone-{z}" for z in range(4)))) == n
        assert f"{label}: {n}" in words(root)
        assert f"'{label}' ({n}" in told
    assert (f"mean of {d} features" in told) == (d > 2)
    if isinstance(model, SVM):
        assert marks(root, "support-vectors") == model.n_support_.sum()


@every()
@pytest.mark.parametrize("C", [2, 3])
def test_the_region_of_a_point_is_what_is_predicted_of_it(name, C):
    model, *_ = fitted(name, C)
    points = np.random.default_rng(0).normal(size=(300, 2)) * 3.0
    leads = regions._leads(model, points)
    region = (leads[:, 0] > 0).astype(int) if leads.shape[1] == 1 else leads.argmax(axis=1)
    assert leads.shape[1] == (1 if C == 2 else C)
    assert_array_equal(model.classes_[region], model.predict(points))
    if C > 2:
        assert ((leads > 0).sum(axis=1) <= 1).all()


def test_equal_figures_are_equal_bytes_whatever_the_settings_around():
    model, X, y = fitted("SVM")
    once = svg(decision_regions(model, X, y))
    with rc_context({"font.size": 25.0, "text.usetex": True, "axes.grid": True, "svg.fonttype": "path"}):
        assert once == svg(decision_regions(CLASSIFIERS["SVM"]().fit(X, y), X.tolist(), y.tolist()))
    assert "date" not in once.lower()
    assert all(line == line.rstrip() for line in once.splitlines())


def test_a_figure_is_saved_without_a_display():
    file = BytesIO()
    model, X, y = fitted("LogisticRegression")
    decision_regions(model, X, y, labels=["a", "b", "c", "d"][:2]).savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")


# --- the street --------------------------------------------------------------------------------------------


@every(STREETS)
def test_zones_and_rings_are_those_of_the_model(name):
    model, X, y = fitted(name)
    zones = model.zones_[0]
    root = drawn(decision_regions(model, X, y))
    told = dict(text.rsplit(": ", 1) for text in words(root) if text and ": " in text)
    wanted = {"outside the margin": zones.outside, "on the margin": zones.on}
    wanted |= {"inside the margin": zones.inside, "on the wrong side": zones.wrong, "support vectors": zones.support}
    assert {text: int(told[text]) for text in wanted} == wanted
    for zone, n in enumerate((zones.outside, zones.on, zones.inside, zones.wrong)):
        assert sum(marks(root, f"class-{c}-zone-{zone}") for c in (0, 1)) == n
        assert (zones.each == zone).sum() == n
    assert marks(root, "wrong") == zones.wrong
    assert marks(root, "support-vectors") == zones.support
    if isinstance(model, SVM):
        assert_array_equal(np.sort(model.support_), np.flatnonzero(zones.each))


def test_of_other_examples_the_support_vectors_are_shown_where_they_were_and_no_zones():
    model, X, y = fitted("SVM")
    figure = decision_regions(model, X + 0.01, y)
    assert marks(drawn(figure), "support-vectors") == model.n_support_.sum()
    assert "margin" not in figure.get_label()
    linear, X, y = fitted("LinearSVM")
    assert "outside" not in decision_regions(linear, X[:-1], y[:-1]).get_label()
    assert "outside" not in decision_regions(linear, X, y[::-1]).get_label()


def test_outliers_of_a_one_class_machine():
    X, _ = cloud(2, 40, 2)
    model = OneClassSVM(nu=0.3).fit(X)
    root = drawn(decision_regions(model, X))
    known = int((model.predict(X) == 1).sum())
    assert {f"normal: {known}", f"outliers: {40 - known}"} <= set(words(root))
    assert marks(root, "support-vectors") == len(model.support_)


@pytest.mark.parametrize("d", [1, 3])
def test_the_tube_of_a_regression(d):
    X, _ = cloud(2, 40, d)
    y = np.sin(X[:, 0])
    model = SVMRegressor(C=5.0, epsilon=0.2).fit(X, y)
    for options in ({}, {"feature": 0}):
        figure = regression_tube(model, X, y, **options)
        root = drawn(figure)
        assert marks(root, "support-vectors") == marks(root, "held") == len(model.support_)
        assert marks(root, "others") == 40 - len(model.support_)
        assert {f"support vectors: {len(model.support_)}", "tube: f ± 0.2"} <= set(words(root))
        line = next(each for each in figure.axes[0].lines if each.get_gid() == "f")
        x, f = line.get_data()
        if d == 1:
            assert_allclose(f, model.predict(np.reshape(x, (-1, 1))))
    learnt = SVMRegressor(C=5.0, nu=0.3).fit(X, y)
    assert f"the tube is {learnt.epsilon_:g} to each side" in regression_tube(learnt, X, y).get_label()


# --- the plane ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(("N", "d"), [(50, 2), (50, 7), (5, 30), (2, 3), (6, 1200)])
def test_a_plane_is_flat_and_its_points_fall_where_they_stand(kind, N, d):
    r = np.random.default_rng(d)
    X = r.normal(size=(N, d)) * (1.0 + np.arange(d))
    names = [f"x{j}" for j in range(d)]
    P = r.normal(size=(9, 2))
    for plane in (Plane.of(kind(X), None, names), Plane.of(kind(X), (d - 1, 0), names)):
        assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-10)
        assert_allclose(plane.shadows(plane.points(P)), P, atol=1e-7)
        assert bool(plane.says) == (d > 2)
    flat = Plane.of(kind(X), None, names)
    spread = flat.shadows(kind(X)).var(axis=0)
    if d == 2:
        assert_allclose(flat.points(flat.shadows(X)), X)
    else:
        assert spread[0] >= spread[1] - 1e-9
        assert spread.sum() >= np.sort(X.var(axis=0))[-2:].sum() - 1e-6


def test_features_are_chosen_by_place_or_by_name():
    model, X, y = fitted("LogisticRegression", 3, 4)
    told = decision_regions(model, X, y, features=(3, "b"), names=["a", "b", "c", "d"]).get_label()
    assert "over d and b; the 2 other features are at their means" in told


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("family", [LogisticRegression, NaiveBayes])
def test_frames_are_drawn_with_their_names(frame, family):
    X, y = cloud(2, 30, 2)
    X = frame({"키": X[:, 0], "체중": X[:, 1]})
    model = (NaiveBayes("auto") if family is NaiveBayes else family()).fit(X, y)
    assert "over 키 and 체중" in decision_regions(model, X, y).get_label()
    if family is LogisticRegression:  # the names that it learnt
        assert "over 키 and 체중" in decision_regions(model, np.asarray(X), y).get_label()


def test_sparse_rows_are_drawn_like_dense_ones():
    X, y = cloud(2, 40, 4)
    X[X < 0.3] = 0.0
    dense, thin = (NBSVM().fit(kind(abs(X)), y) for kind in (np.asarray, sparse.csr_matrix))
    one = decision_regions(dense, abs(X), y).get_label()
    assert one == decision_regions(thin, sparse.csr_matrix(abs(X)), y).get_label()


def test_of_very_many_examples_some_are_drawn_and_it_is_said():
    X, y = cloud(2, 2500, 2)
    figure = decision_regions(GaussianDiscriminant().fit(X, y), X, y)
    root = drawn(figure)
    assert marks(root, "class-0") + marks(root, "class-1") == 2000
    assert "2,000 of 2,500 examples are drawn" in words(root)
    assert f"0: {(y == 0).sum():,}" in words(root)


# --- marks and words ---------------------------------------------------------------------------------------


def test_marks_differ_without_colour():
    assert len({mark(c, 6.0)["marker"] for c in range(10)}) == len({hatch(c) for c in range(10)}) == 10
    for c in range(10):
        looks = [mark(c, 6.0, zone, "#000000") for zone in range(4)]
        assert all(one != other for i, one in enumerate(looks) for other in looks[:i])


def test_letters_come_from_a_font_that_is_here_or_it_is_said_which_are_missing(monkeypatch):
    chosen, missing = canvas.family(["키 abc"])
    here = dict(canvas._others())
    assert missing or any("키" in canvas.letters(here[name]) for name in chosen[1:-1])
    monkeypatch.setattr(canvas, "_others", lambda: ())
    told = (
        "no font here has U+D0A4: install NanumGothic or Noto Sans CJK, or write an SVG, which its reader's fonts draw"
    )
    assert canvas.family(["키 abc"]) == (["DejaVu Sans", "sans-serif"], told)

    model, X, y = fitted("LogisticRegression")
    figure = decision_regions(model, X, y, labels=["키", "b"])
    texts = [text.get_text() for text in figure.findobj(lambda artist: artist.get_gid() == "missing-letters")]
    assert " ".join(texts[0].split()) == told
    assert "키: " in " ".join(filter(None, words(drawn(figure))))
    assert "U+D0A4" not in svg(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Matplotlib's own, of the same letters
        figure.savefig(BytesIO(), format="png")


def test_matplotlib_is_loaded_when_a_figure_is_drawn_and_pyplot_never():
    told = """
import sys, deciban.report.terminal, deciban.report
assert 'matplotlib' not in sys.modules

class Diagonal:
    classes_ = [0, 1]
    def decision_function(self, X):
        return X[:, 0] - X[:, 1]

deciban.report.svg(deciban.report.decision_regions(Diagonal(), [[0.0, 1.0], [2.0, 1.0]], [0, 1]))
assert 'matplotlib.pyplot' not in sys.modules
"""
    subprocess.run([sys.executable, "-c", told], check=True, timeout=60)
