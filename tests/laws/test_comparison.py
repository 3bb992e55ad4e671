"""Comparisons: what is judged was never learnt, folds are the same for all, and words follow from what was seen."""

import json
import signal

import numpy as np
import pytest
from rich.cells import cell_len
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import deciban
from deciban import TextClassifier
from deciban.certificates.intervals import clopper_pearson
from deciban.data.copies import copies_of_rows
from deciban.data.folds import deal_grouped
from deciban.evaluation.significance import corrected_t, mcnemar
from deciban.report.comparison import comparison
from deciban.report.terminal import Screen
from laws.compared import Spy, clouds, counts, letters

MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0), "none": DummyClassifier()}


@pytest.fixture
def spied():
    Spy.seen.clear()
    yield Spy.seen
    Spy.seen.clear()


# --- who learns what ---------------------------------------------------------------------------------------


def test_what_is_judged_was_never_learnt_and_all_is_judged_once(spied):
    X, y = clouds()
    X = np.vstack([X, X[:20]])
    y = np.append(y, y[:20])
    found = deciban.compare({"spy": Spy()}, X, y, sizes=[10, 30], folds=4, repeats=2)
    passes = [spied[k : k + 4] for k in range(0, len(spied), 4)]
    assert len(passes) == 4
    for each in passes:
        for learnt, _, (judged,) in each:
            assert not {*map(tuple, learnt.tolist())} & {*map(tuple, judged.tolist())}
        together = np.concatenate([judged for *_, (judged,) in each])
        assert sorted(together.tolist()) == sorted(X.tolist())
    assert found.copies == 20
    assert passes[0][0][0].tolist() != passes[1][0][0].tolist()


def test_curves_are_of_nested_subsets_with_the_classes_in_proportion(spied):
    X, y = clouds(120, 3)
    found = deciban.compare({"spy": Spy()}, X, y, sizes=[12, 30], folds=3)
    whole, small, middle = (spied[k : k + 3] for k in (0, 3, 6))
    for (all_, *_), (few, labels, _), (some, *_) in zip(whole, small, middle, strict=True):
        assert (len(few), len(some), len(all_)) == (12, 30, 80)
        rows = [{*map(tuple, part.tolist())} for part in (few, some, all_)]
        assert rows[0] < rows[1] < rows[2]
        assert np.unique(labels, return_counts=True)[1].tolist() == [4, 4, 4]
    (row,) = found.rows
    assert [point.n for point in row.curve] == [12, 30, 80]
    assert (row.curve[-1].error, row.curve[-1].interval) == (row.error, row.interval)


def test_the_figures_are_those_of_a_plain_loop():
    X, y = clouds()
    found = deciban.compare(MODELS, X, y, sizes=(), repeats=2, seed=7)
    classes, place = np.unique(y, return_inverse=True)
    for name, model in MODELS.items():
        wrong, losses, by_fold = [], [], []
        for repeat in range(2):
            fold = deal_grouped(place, copies_of_rows(X).group, np.ones(len(y)), 5, 7 + repeat)
            for k in range(5):
                fitted = clone(model).fit(X[fold != k], y[fold != k])
                wrong.append(fitted.predict(X[fold == k]) != y[fold == k])
                p = fitted.predict_proba(X[fold == k])[np.arange((fold == k).sum()), place[fold == k]]
                losses.append(-np.log(np.maximum(p, np.finfo(float).tiny)))
                by_fold.append(wrong[-1].mean())
        row = found[name]
        assert row.error == pytest.approx(np.concatenate(wrong).mean())
        assert row.log_loss == pytest.approx(np.concatenate(losses).mean())
        assert row.errors_by_fold == pytest.approx(by_fold)
        assert row.interval == clopper_pearson(round(row.error * 90), 90)
        assert found.wrong(name).sum() == sum(each.sum() for each in wrong[:5])
        said = found.judgements(name)
        assert (said.classes, said.errors.tolist()) == (tuple(classes), found.wrong(name).tolist())


# --- which differences are real ----------------------------------------------------------------------------


def test_pairs_are_the_tests_of_what_was_judged():
    X, y = clouds(200)
    found = deciban.compare(MODELS, X, y, sizes=(), repeats=2)
    assert [(pair.a, pair.b) for pair in found.pairs] == [("bayes", "tree"), ("bayes", "none"), ("tree", "none")]
    for pair in found.pairs:
        a, b = found[pair.a], found[pair.b]
        assert pair.difference == pytest.approx(a.error - b.error)
        assert pair.mcnemar == mcnemar(found.wrong(pair.a), found.wrong(pair.b))
        d = np.subtract(a.errors_by_fold, b.errors_by_fold)
        assert pair.t.p == pytest.approx(corrected_t(d, 160, 40).p)
        assert pair.mcnemar.p <= pair.p
        assert pair.t.p <= pair.t_p
        assert pair.real == (pair.p <= 0.05)
    assert found.pair("none", "bayes") is found.pair("bayes", "none")
    assert found.pair("bayes", "none").real
    assert "none errs more, by " in found.statement


def test_a_model_cannot_be_told_from_itself_and_the_first_is_the_simplest():
    X, y = clouds()
    found = deciban.compare({"one": GaussianNB(), "same": GaussianNB(), "none": DummyClassifier()}, X, y, sizes=())
    assert (found.best, found.not_distinguishable, found.simplest) == ("one", ("same",), "one")
    assert found.pair("one", "same").p == found.pair("one", "same").t_p == 1.0
    assert found.judgements("one").log_p.tolist() == found.judgements("same").log_p.tolist()
    turned = deciban.compare({"none": DummyClassifier(), "same": GaussianNB()}, X, y, sizes=())
    assert (turned.best, turned.not_distinguishable, turned.simplest) == ("same", (), "same")


def test_the_best_of_which_a_simpler_one_cannot_be_told():
    X, y = clouds()
    found = deciban.compare({"stump": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}, X, y, sizes=())
    assert found.best == "bayes"
    assert found.not_distinguishable == ("stump",)
    assert found.simplest == "stump"
    assert "Not distinguishable from it is stump; the simplest is stump. No difference is real." in (found.statement)


# --- what makes no difference ------------------------------------------------------------------------------


def without_seconds(found):
    told = found.to_json()
    for row in told["models"]:
        for each in (row, *row["curve"]):
            each.pop("fit_seconds")
            each.pop("predict_seconds", None)
    return told


@pytest.mark.parametrize("data", [letters, counts], ids=["texts", "a matrix"])
def test_it_is_the_same_again_whatever_the_number_of_threads(data):
    X, y = data()
    found, again = (
        deciban.compare(["naive-bayes", "logistic"], X, y, folds=2, sizes=[10], seed=3, n_jobs=jobs) for jobs in (1, 2)
    )
    assert json.dumps(without_seconds(found)) == json.dumps(without_seconds(again))


def test_who_else_is_compared():
    X, y = clouds()
    alone, both = (deciban.compare({"bayes": GaussianNB(), **more}, X, y) for more in ({}, {"none": DummyClassifier()}))
    assert without_seconds(alone)["models"] == without_seconds(both)["models"][:1]


# --- what ends it early ------------------------------------------------------------------------------------


def test_no_time_and_what_is_done_by_then():
    X, y = clouds()
    found = deciban.compare(MODELS, X, y, time_limit=0.0)
    assert [row.model for row in found.rows] == ["bayes"]
    assert [point.n for point in found["bayes"].curve] == [72]
    assert found.ended == "time"
    assert found.left_out == dict.fromkeys(("tree", "none"), "the time limit was reached")
    assert found.to_json()["ended"] == "time"
    assert "Not all was done: the time limit was reached." in str(found)


def test_the_callback_is_told_of_each_fit_and_may_stop():
    X, y = clouds()
    fits = []
    whole = deciban.compare(MODELS, X, y, sizes=[20], repeats=2, folds=3, callback=fits.append)
    assert whole.ended == ""
    assert [(fit.done, fit.total) for fit in fits] == [(k, 27) for k in range(1, 28)]
    assert [fit.model for fit in fits[:9]] == ["bayes"] * 3 + ["tree"] * 3 + ["none"] * 3
    assert {fit.n for fit in fits} == {60, 20}
    for stop, repeats, points, rows in ((2, 0, [], 0), (4, 1, [60], 1), (17, 1, [60], 3), (20, 2, [60], 3)):
        found = deciban.compare(
            MODELS, X, y, sizes=[20], repeats=2, folds=3, callback=lambda fit, stop=stop: fit.done >= stop
        )
        assert (found.ended, len(found.rows), found.repeats) == ("callback", rows, repeats)
        assert all([point.n for point in row.curve] == points for row in found.rows)
    assert found["bayes"].errors_by_fold == whole["bayes"].errors_by_fold


@pytest.mark.parametrize("how", ["is interrupted", "goes on"])
def test_ctrl_c_gives_what_is_done(how, spied):
    X, y = clouds()
    before = signal.getsignal(signal.SIGINT)
    found = deciban.compare({"bayes": GaussianNB(), "spy": Spy(how)}, X, y)
    assert [row.model for row in found.rows] == ["bayes"]
    assert (found.ended, found.left_out, len(spied)) == ("interrupt", {"spy": "Ctrl-C came"}, 1)
    with pytest.raises(KeyboardInterrupt):
        deciban.compare({"spy": Spy(how, fits=1), "bayes": GaussianNB()}, X, y)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_model_that_refuses_the_data_is_left_out(spied):
    X, y = clouds()
    found = deciban.compare({"spy": Spy("refuses"), "bayes": GaussianNB()}, X, y, sizes=())
    assert found.left_out == {"spy": "these are not my examples"}
    assert [row.model for row in found.rows] == ["bayes"]
    assert "Left out: spy: these are not my examples" in str(found)
    with pytest.raises(ValueError, match="these are not my examples"):
        deciban.compare({"spy": Spy("refuses"), "other": Spy("refuses")}, X, y)


def test_a_model_that_refuses_another_deal_is_left_out(spied):
    X, y = clouds()
    found = deciban.compare({"spy": Spy("refuses", fits=6), "bayes": GaussianNB()}, X, y, sizes=(), repeats=2)
    assert found.left_out == {"spy": "these are not my examples"}
    assert (len(found["bayes"].errors_by_fold), found.repeats, found.pairs) == (10, 2, ())


def test_a_model_that_refuses_few_examples_has_a_gap_in_its_curve(spied):
    X, y = clouds()
    found = deciban.compare({"spy": Spy("refuses few"), "bayes": GaussianNB()}, X, y, sizes=[10, 30])
    assert [[point.n for point in row.curve] for row in found.rows] == [[30, 72], [10, 30, 72]]
    assert found.left_out == {}
    line = next(line for line in str(found).splitlines() if line.startswith("spy") and "–" in line.split()[1])
    assert line.split()[1:3] == ["–", "50.00"]


# --- what is told ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told():
    X, y = clouds()
    models = {"나이브 베이즈": GaussianNB(), "a name that is much longer than a terminal likes": DummyClassifier()}
    return deciban.compare(models, X, y, repeats=2)


@pytest.mark.parametrize("width", range(40, 111, 5))
@pytest.mark.parametrize("ascii_only", [False, True])
def test_lines_fit_the_screen(told, width, ascii_only):
    lines = [line.plain for line in comparison(told, Screen(width, ascii_only=ascii_only))]
    assert [line for line in lines if cell_len(line) > width] == []
    text = "\n".join(lines)
    assert "model" in text
    assert "error" in text
    assert "95 % interval" in text or width < 60
    if ascii_only:
        rest = text.replace("나이브 베이즈", "")
        assert rest.isascii()


def test_it_is_told_as_json(told):
    whole = json.loads(json.dumps(told.to_json()))
    assert set(whole) == {
        *("n", "classes", "copies", "folds", "repeats", "seed", "level", "train", "models", "pairs"),
        *("best", "not_distinguishable", "simplest", "statement", "left_out", "ended"),
    }
    assert set(whole["models"][0]) == {
        *("model", "n", "error", "interval", "log_loss", "log_loss_error", "fit_seconds", "predict_seconds"),
        *("size", "size_of_file", "errors_by_fold", "curve"),
    }
    assert set(whole["models"][0]["curve"][0]) == {"n", "error", "interval", "log_loss", "fit_seconds"}
    assert set(whole["pairs"][0]) == {"a", "b", "difference", "mcnemar", "p", "t", "t_p", "real"}
    assert (whole["n"], whole["repeats"], whole["ended"]) == (90, 2, None)


def test_texts_by_the_estimator_and_by_its_name():
    texts, labels = letters()
    found = deciban.compare({"a": TextClassifier("svm", n_jobs=1), "b": "svm"}, texts, labels, folds=2, sizes=())
    assert found.judgements("a").log_p.tolist() == found.judgements("b").log_p.tolist()
