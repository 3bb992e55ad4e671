"""The classes, counts and words of the course, in a browser, have the evidence that Deciban finds."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import GaussianDiscriminant, NaiveBayes
from system.course import COURSE, call_module

pytestmark = pytest.mark.deep

SEEDS = range(12)


@pytest.fixture(scope="module")
def mail_model():
    """The module that makes the model of the fifth chapter."""
    sys.path.insert(0, str(COURSE))
    try:
        import mail_model

        yield mail_model
    finally:
        sys.path.remove(str(COURSE))
        sys.modules.pop("mail_model", None)


def draw_classes(seed, n=14, apart=1.0):
    random = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return random.normal(size=(n, 2)) + apart * y[:, None], y


@pytest.mark.parametrize("covariance", ["shared", "per_class"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_boundary_of_gaussian_classes(course_page, seed, covariance):
    X, y = draw_classes(seed, 40)
    X[y > 0] *= [1.5, 0.6]
    model = GaussianDiscriminant(covariance).fit(X, y)
    spread = np.broadcast_to(model.covariance_, (2, 2, 2))
    classes = [{"mean": model.means_[c].tolist(), "covariance": spread[c].tolist(), "prior": 0.5} for c in (0, 1)]
    rows = np.random.default_rng(seed).normal(size=(50, 2)) * 3
    script = """(() => {
      const [B, A] = given.classes;
      const q = m.conic(A, B);
      return {odds: given.rows.map((x) => m.logOdds(x, A, B)), q, kind: m.kindOfConic(q)};
    })()"""
    found = call_module(course_page, "gaussians", script, {"classes": classes, "rows": rows.tolist()})
    wanted = np.diff(model.scorer_(rows))[:, 0]
    assert_allclose(found["odds"], wanted, rtol=1e-9, atol=1e-9)
    a, b = rows.T
    quadratic = np.column_stack([a * a, a * b, b * b, a, b, np.ones_like(a)]) @ found["q"]
    assert_allclose(quadratic, wanted, rtol=1e-8, atol=1e-8)
    assert (found["kind"] == "line") == (covariance == "shared")


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ([0.5, 0.5, 0], [1, 1, 0], "ellipse"),
        ([0.5, 1, 0], [1, 1, 0], "parabola"),
        ([0.5, 2, 0], [1, 1, 0], "hyperbola"),
        ([0.7, 1.2, 0.3], [0.7, 1.2, 0.3], "line"),
    ],
)
def test_the_kind_of_conic(course_page, first, second, kind):
    script = """m.kindOfConic(m.conic(
      {mean: [1, 0], covariance: m.covariance(...given[0]), prior: 0.5},
      {mean: [-1, 0], covariance: m.covariance(...given[1]), prior: 0.5},
    ))"""
    assert call_module(course_page, "gaussians", script, [first, second]) == kind


@pytest.mark.parametrize("alpha", [0.1, 1.0, 2.5])
@pytest.mark.parametrize("seed", SEEDS)
def test_smoothed_shares(course_page, seed, alpha):
    random = np.random.default_rng(seed)
    n, m = random.integers(1, 30, size=2)
    k, j = int(random.integers(0, n + 1)), int(random.integers(0, m + 1))
    X = np.array([1] * k + [0] * (n - k) + [1] * j + [0] * (m - j))[:, None]
    y = ["spam"] * int(n) + ["ham"] * int(m)
    model = NaiveBayes("bernoulli", alpha=alpha, class_prior="uniform").fit(X, y)
    found = call_module(course_page, "smoothing", f"m.evidence({k}, {n}, {j}, {m}, {alpha})", None)
    assert found == pytest.approx(model.explain([[1]], pair=("spam", "ham"))[0].terms[0].decibans, abs=1e-9)


def test_the_density_is_scipys(course_page):
    from scipy.stats import beta

    for a, b in ((1.0, 1.0), (3.0, 5.0), (0.6, 0.6), (41.0, 1.5)):
        p = np.linspace(0.01, 0.99, 40)
        found = call_module(course_page, "smoothing", f"given.map((p) => m.betaDensity(p, {a}, {b}))", p.tolist())
        assert_allclose(found, beta(a, b).pdf(p), rtol=1e-10)


@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
def test_naive_bayes_on_every_message_of_the_sample(course_page, mail_model, alpha):
    vectorizer, _ = mail_model.fit()
    texts, labels = mail_model.read_sample("train")
    model = NaiveBayes(alpha=alpha).fit(vectorizer.transform(texts), labels)
    asked = [*mail_model.read_sample("held-out")[0], "", "FREE  Free\tfree_free 무료무료 무료 naïve ÉCLAIR 1월 ²"]
    script = f"given.texts.map((text) => m.explain(given.model, {alpha}, text))"
    found = call_module(course_page, "bayes", script, {"texts": asked, "model": mail_model.read_model()})
    X = vectorizer.transform(asked)
    spam = model.classes_.tolist().index("spam")
    assert_allclose([each["probability"] for each in found], model.predict_proba(X)[:, spam], atol=1e-12, rtol=1e-9)
    names = vectorizer.get_feature_names_out()
    for each, why in zip(found, model.explain(X, pair=("spam", "ham")), strict=True):
        wanted = {names[int(str(term.term).split()[-1])]: term.decibans for term in why.terms}
        assert {term["word"] for term in each["terms"]} == set(wanted)
        for term in each["terms"]:
            assert term["decibans"] == pytest.approx(wanted[term["word"]], abs=1e-9)
        total = each["prior"] + sum(term["decibans"] for term in each["terms"])
        assert each["decibans"] == pytest.approx(total, abs=1e-9)


def test_learning_adds_and_forgetting_takes_away(course_page, mail_model):
    script = """(() => {
      const learnt = m.learn(given.model, given.text, 'spam');
      return [learnt, m.learn(learnt, given.text, 'spam', -1)];
    })()"""
    text = "click click money 무료 and something else"
    learnt, forgotten = call_module(course_page, "bayes", script, {"text": text, "model": mail_model.read_model()})
    vectorizer, _ = mail_model.fit()
    texts, labels = mail_model.read_sample("train")
    again = NaiveBayes().fit(vectorizer.transform([*texts, text]), [*labels, "spam"])
    probe = texts[:20]
    script = "given.texts.map((t) => m.explain(given.model, 1, t).probability)"
    found = call_module(course_page, "bayes", script, {"texts": probe, "model": learnt})
    assert_allclose(found, again.predict_proba(vectorizer.transform(probe))[:, 1], rtol=1e-9, atol=1e-12)
    assert forgotten == mail_model.count(vectorizer)


def test_the_model_file_is_what_its_script_writes(mail_model):
    assert mail_model.read_model() == mail_model.count(mail_model.fit()[0])
    assert mail_model.TARGET.stat().st_size < 8_000
