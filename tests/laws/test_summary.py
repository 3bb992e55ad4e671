"""The summary of a report: its verdict is that of the examples counted one by one, and its figures those of the
evaluation."""

import re

import numpy as np
import pytest

import deciban
from deciban import MLPClassifier
from deciban.conventions import percent
from deciban.evaluation.significance import LEVEL, mcnemar
from deciban.networks.history import Ending
from deciban.pages import blocks
from deciban.pages.compared import of_comparison
from deciban.pages.evaluated import baseline, format_interval
from deciban.pages.measured import Measured, Size
from deciban.pages.page import Report
from deciban.pages.summary import UNFINISHED, compare_with_baseline, summarise
from deciban.pages.words import LANGUAGES, Words
from deciban.solvers.problem import Status
from laws.compared import clouds
from laws.opinions import EVERY, of_odds, two
from system.pages import checked

FINISHED = {"converged", "exact", "streamed", "settled", "stopped early"}
PROOF = {"status": "converged", "advice": "", "n": 10, "d": 2, "training_error": 0.125}
TONES = {"better": "good", "inconclusive": "open", "one": "open", "poor": "poor", "worse": "poor"}


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Figures are made, but not drawn: it is not their lines that are looked at."""
    monkeypatch.setattr(blocks, "inline", lambda drawn, says, prefix="": '<svg role="img"></svg>')


def measured(name, **more):
    return Measured.of(EVERY[name], "–", **more)


def summary(found, language="en", proof=PROOF, leaks=(), mail=False):
    return summarise(found, proof, leaks, Words(language, mail))


def expected(said):
    """The verdict on the predictions, example by example."""
    most = int(np.bincount(said.y).argmax())
    wrong, guess = said.errors, said.y != most
    p = mcnemar(wrong, guess).p
    if len(set(said.y.tolist())) < 2:
        return "one", p
    if wrong.sum() < guess.sum():
        return "better" if p <= LEVEL else "inconclusive", p
    return "worse" if p <= LEVEL else "poor", p


# --- the verdict -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_the_verdict_is_that_of_the_examples_one_by_one(name):
    found = measured(name)
    key, p = expected(EVERY[name])
    verdict = compare_with_baseline(found.found)
    assert (verdict.key, verdict.test.p) == (key, pytest.approx(p))
    shown = summary(found)
    assert shown.tone == TONES[key]
    assert shown.verdict.startswith("Poor: ") == (key in ("poor", "worse"))
    assert shown.verdict.startswith("Significantly better ") == (key == "better")
    assert percent(baseline(found.found)[1].rate) in shown.verdict or key == "one"


def test_the_catalogue_has_every_verdict():
    wrong = of_odds(np.repeat([-2.0, 2.0], 40), np.repeat([1, 0], 40))
    found = {compare_with_baseline(measured(name).found).key for name in EVERY}
    assert {*found, compare_with_baseline(Measured.of(wrong, "how").found).key} == set(TONES)


def test_a_model_of_nothing_is_called_poor():
    random = np.random.default_rng(0)
    said = of_odds(random.normal(size=400) + 0.5, random.random(400) < 0.3)
    shown = summary(Measured.of(said, "how"))
    assert shown.tone == "poor"
    assert shown.verdict.startswith("Poor: significantly worse than always predicting 'ham'")
    assert shown.steps[0].text.startswith("Do not rely on the predictions.")


def test_of_training_examples_there_is_no_verdict():
    shown = summary(measured("many examples", learnt=3))
    assert shown.tone == "open"
    assert shown.verdict == "The error on new examples is not known: 3 of these examples were training data."
    assert shown.steps[0].text == "Evaluate the model on examples that it was not trained on."


# --- the certificate ---------------------------------------------------------------------------------------


def test_every_status_is_either_finished_or_told_as_not_converged():
    known = {status.name.lower().replace("_", " ") for status in Status} | {ending.value[0] for ending in Ending}
    assert known == FINISHED | set(UNFINISHED)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("status", [*sorted(FINISHED), *UNFINISHED])
def test_a_fit_that_did_not_converge_is_told_with_the_advice_of_its_solver(status, language):
    words, proof = Words(language), {**PROOF, "status": status, "advice": "raise <max_iter>"}
    for found in (measured("many examples"), "not measured"):
        shown = summary(found, language, proof)
        assert bool(shown.warning) == (status in UNFINISHED)
        if status in UNFINISHED:
            assert words.known("status", status) in shown.warning
            assert (shown.steps[0].section, shown.steps[0].advice) == ("certificate", "raise <max_iter>")


def test_an_estimator_that_did_not_converge_says_so():
    X, y = clouds()
    with pytest.warns(UserWarning, match="did not converge"):
        model = MLPClassifier((2,), max_iter=1, random_state=0).fit(X, y)
    page = checked(model.report(X, y, language="en").html())
    assert "Training did not converge: ran out of iterations." in page.texts


# --- figures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mail", [False, True])
@pytest.mark.parametrize("name", EVERY)
def test_the_figures_are_those_of_the_evaluation(name, mail):
    found, words = measured(name), Words("en", mail)
    own = found.found
    error, *others = summary(found, mail=mail).figures
    assert (error.value, error.interval) == (
        percent(own.error),
        f"95 % interval {format_interval(own.interval, words)}",
    )
    assert f"{own.errors:,} of {own.n:,}" in error.note
    told = {each.heading: each for each in others}
    if mail and own.false_positives and own.false_negatives:
        rates = {"false positives": own.false_positives, "false negatives": own.false_negatives}
        assert {key: each.value for key, each in told.items()} == {k: percent(r.rate) for k, r in rates.items()}
        return
    assert told["calibration error"].value == percent(own.calibration_error)
    assert percent(own.reliability.chance) in told["calibration error"].note
    if own.positive is not None and own.roc_area is not None:
        assert float(told["ROC area"].value.lstrip(">")) == pytest.approx(own.roc_area, abs=5e-5)
    else:
        assert told["lowest recall"].value == percent(min(r.recall for r in own.per_class if r.recall is not None))


def test_without_probabilities_none_are_judged():
    shown = summary(measured("three", weighed=False))
    assert [each.heading for each in shown.figures] == ["error", "lowest recall", "majority-class baseline"]


def test_without_an_evaluation_the_figures_are_those_of_the_certificate():
    bounds = [
        {"name": "vc", "applies": True, "value": 3.0, "vacuous": "> 1"},
        {"name": "held-out", "applies": True, "value": 0.25, "vacuous": ""},
        {"name": "compression", "applies": True, "value": 0.5, "vacuous": ""},
    ]
    shown = summary("not measured", proof={**PROOF, "bounds": bounds})
    assert [each.value for each in shown.figures] == ["10", "12.5 %", "at most 25.0 %"]
    assert shown.steps[0].text.startswith("Evaluate the model on labelled examples")
    assert len(summary("not measured", proof={**PROOF, "bounds": bounds}, mail=True).figures) == 2


# --- what to do next ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EVERY)
def test_every_step_leads_to_a_section_of_the_page(name, language):
    words = Words(language)
    found = measured(name, sizes=[Size(10, 40, 50), Size(20, 10, 50)])
    shown = summary(found, language, leaks=["a <b>"])
    sections = [*found.sections(words), blocks.Section("learnt", "h", [])]
    page = checked(Report("m", shown.claim, sections, words, shown).html(), language)
    assert 1 <= len(shown.steps) <= 3
    assert {step.section for step in shown.steps} <= {"", *(section.key for section in sections)}
    assert {shown.verdict, shown.claim, *(each.value for each in shown.figures)} <= set(page.texts)
    if language == "ko":
        told = {word for at, text in page.spoken if at == "ko" for word in re.findall("[A-Za-z]{3,}", text)}
        left = told - {"Deciban", "ROC", "alpha", "nat", "inf"}  # the rest are names of classes, which may be cut
        assert [word for word in left if word not in f"{EVERY[name].classes}"] == []


@pytest.mark.parametrize(
    ("sizes", "falls"),
    [([(10, 40), (20, 20)], True), ([(10, 40), (20, 39)], False), ([(10, 20), (20, 40)], False), ([(10, 9)], False)],
)
def test_more_training_examples_are_asked_for_where_the_error_still_falls(sizes, falls):
    found = measured("nearly perfect", sizes=[Size(n, wrong, 100) for n, wrong in sizes])
    told = [step for step in summary(found).steps if step.section == "learning"]
    assert bool(told) == falls
    if falls:
        assert "with 20 instead of 10, the error fell from 40.0 % to 20.0 %" in told[0].text


def test_probabilities_that_promise_too_much_are_to_be_calibrated():
    assert "reliability" in [step.section for step in summary(measured("too sure")).steps]
    assert "reliability" not in [step.section for step in summary(measured("few")).steps]


def test_more_examples_are_asked_for_where_the_interval_is_wide():
    few, enough = summary(Measured.of(two(40), "how")), summary(measured("nearly perfect"))
    low, high = Measured.of(two(40), "how").found.interval
    assert f"{100 * (high - low):.0f} percentage points" in few.steps[0].text
    assert not any("percentage points" in step.text for step in enough.steps)


# --- comparisons -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_summary_of_a_comparison_is_of_its_figures(language):
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = clouds()
    words = Words(language)
    found = deciban.compare({"bayes": GaussianNB(), "none": DummyClassifier()}, X, y, sizes=())
    shown = of_comparison(found, words).summary
    best = found["bayes"]
    assert (shown.tone, shown.figures[0].value, shown.figures[0].note) == ("good", percent(best.error), "bayes")
    assert format_interval(best.interval, words) in shown.figures[0].interval
    assert shown.figures[2].value == f"{len(found.not_distinguishable)}"
    poor = of_comparison(deciban.compare({"none": DummyClassifier()}, X, y, sizes=()), words).summary
    assert (poor.tone, poor.verdict) == ("poor", words("summary.compared.poor"))
    page = checked(of_comparison(found, words).html(), language)
    assert {shown.verdict, shown.claim} <= set(page.texts)
