"""What pictures and pages say of what cannot be drawn or written, word for word, and before anything is learnt."""

import os

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from deciban import SVM, LogisticRegression, MLPClassifier, SVMRegressor
from deciban.errors import DataError, UsageError
from deciban.pages import page as page
from deciban.report import decision_regions, learning_curves, regression_tube, vector
from system.conftest import run

__all__ = ["run"]

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
MODEL = LogisticRegression().fit(X, Y)
GAP = np.where(X == 5.0, np.nan, X)

REGIONS = [
    ((MODEL, X[:, 0], Y), {}, DataError, "a picture needs rows of numbers, (N, d); X has the shape (6,)"),
    ((MODEL, X[:0], Y), {}, DataError, "a picture needs rows of numbers, (N, d); X has the shape (0, 2)"),
    (
        (MODEL, GAP, Y),
        {},
        DataError,
        "a picture needs finite numbers; X has missing or infinite ones: fill them in first",
    ),
    (
        (MODEL, [["a", "b"]] * 6, Y),
        {},
        DataError,
        "a picture needs features that are numbers: could not convert string to float: 'a'",
    ),
    (
        (LogisticRegression().fit(X[:, :1], Y), X[:, :1], Y),
        {},
        DataError,
        "regions need two features or more; X has one",
    ),
    ((MODEL, X, Y[:3]), {}, ValueError, "y: 6 labels are expected, one for each row of X, got 3"),
    (
        (MODEL, X, ["egg"] * 6),
        {},
        DataError,
        "y: labels ['ham', 'spam'] are expected, which the model tells apart, got 'egg'",
    ),
    ((MODEL, X, Y), {"labels": ["a"]}, ValueError, "labels: 2 are expected, one for each class, got 1"),
    ((MODEL, X, Y), {"names": ["a"]}, ValueError, "names: 2 are expected, one for each feature, got 1"),
    (
        (MODEL, X, Y),
        {"features": (0,)},
        ValueError,
        "features: 2 different features are expected, by place or by name, got (0,)",
    ),
    (
        (MODEL, X, Y),
        {"features": (1, 1)},
        ValueError,
        "features: 2 different features are expected, by place or by name, got (1, 1)",
    ),
    (
        (MODEL, X, Y),
        {"features": (0, "age")},
        ValueError,
        "features: 0 to 1 or one of 'feature 0', 'feature 1' is expected, got 'age'",
    ),
    (
        (SVM("precomputed", calibration=None).fit(X @ X.T, Y), X @ X.T, Y),
        {},
        DataError,
        "a picture needs features; a Gram matrix says how alike examples are, and has none",
    ),
    (
        (SVMRegressor().fit(X, X[:, 0]), X, Y),
        {},
        TypeError,
        "a fitted classifier is expected, got SVMRegressor: see deciban.report.regression_tube",
    ),
    (
        (MLPClassifier((2,), max_iter=1, random_state=0).fit(X, np.eye(6, 2, dtype=int)), X, Y),
        {},
        TypeError,
        "a classifier of one label a row is expected; this one gives a row many",
    ),
    ((object(), X, Y), {}, TypeError, "a fitted classifier is expected, got object"),
]


@pytest.mark.parametrize(("given", "options", "kind", "text"), REGIONS, ids=[case[3] for case in REGIONS])
def test_regions_that_cannot_be_drawn(given, options, kind, text):
    with refused(text, kind):
        decision_regions(*given, **options)


def test_a_model_that_has_learnt_nothing():
    with pytest.raises(ValueError, match="not fitted yet"):
        decision_regions(SVM(), X, Y)
    with pytest.raises(ValueError, match="not fitted yet"):
        regression_tube(SVMRegressor(), X, X[:, 0])


def test_examples_that_are_all_the_same():
    same = np.ones((6, 3))
    model = LogisticRegression().fit(same + np.eye(6)[:, :3], Y)
    for rows in (same, sparse.csr_matrix(same)):
        with refused("a picture needs examples that differ; in these all features are the same", DataError):
            decision_regions(model, rows, Y)


def test_targets_that_are_no_numbers():
    model = SVMRegressor().fit(X, X[:, 0])
    for y in (X[:3, 0], GAP[:, 0]):
        with refused("y: 6 finite numbers are expected, one for each row of X", DataError):
            regression_tube(model, X, y)
    with refused("features: one feature is expected, by place or by name, got (0, 1)"):
        regression_tube(model, X, X[:, 0], feature=(0, 1))


def test_curves_of_what_has_no_epochs():
    with pytest.raises(ValueError, match="not fitted yet"):
        learning_curves(MLPClassifier())
    for given, name in ((MODEL, "LogisticRegression"), ([1.0], "list"), (None, "NoneType")):
        with refused(f"a fitted network or its history_ is expected, got {name}", TypeError):
            learning_curves(given)
    none = "there are no learning curves: no epoch was finished, or the model is of a file, which keeps none"
    with refused(none, DataError):
        learning_curves([])


def test_without_what_draws(monkeypatch):
    monkeypatch.setattr(vector, "find_spec", lambda name: None)
    needed = "Matplotlib, which is not installed: pip install 'deciban[report]'"
    with refused(f"decision_regions needs {needed}", ImportError):
        decision_regions(MODEL, X, Y)
    with refused(f"learning_curves needs {needed}", ImportError):
        learning_curves([])
    with refused(f"regression_tube needs {needed}", ImportError):
        regression_tube(SVMRegressor().fit(X, X[:, 0]), X, X[:, 0])
    with refused(
        "a page needs Matplotlib and Jinja2, which are not installed: pip install 'deciban[report]'", ImportError
    ):
        MODEL.report(X, Y)
    with refused("a page needs Jinja2, which is not installed: pip install 'deciban[report]'", ImportError):
        page.Report("m", "", []).html()


# --- --report ----------------------------------------------------------------------------------------------

ROWS = "a,b,y\n" + "".join(f"{i},{i % 5},{'yes' if i > 12 else 'no'}\n" for i in range(25))


@pytest.fixture
def said(run, tmp_path):
    """What `deciban train t.csv --report` says on its way out, with its exit code; nothing has been written then."""

    def command(path, *more):
        (tmp_path / "t.csv").write_text(ROWS)
        before = sorted(os.listdir(tmp_path))
        done = run("train", "t.csv", "--label", "y", "--model", "svm", "--report", path, *more)
        assert sorted(os.listdir(tmp_path)) == before
        assert not done.stdout
        return done.returncode, done.stderr.removeprefix("deciban: ").rstrip("\n")

    return command


def test_where_no_page_can_be_written(said, tmp_path):
    (tmp_path / "thesis.html").write_text("<!doctype html><title>years of work</title>")
    assert said("thesis.html") == (
        64,
        "thesis.html: expected a free name, or a report to replace; this file is something else. "
        "Choose another name with --report, or remove the file.",
    )
    assert said("t.csv") == (64, "t.csv: expected another name to write to; this is one of the inputs.")
    assert said("model.deciban") == (64, "model.deciban: expected another name for the report; the model goes there.")
    code, text = said("gone/r.html")
    assert (code, text.split(";")[0]) == (74, "gone/r.html: expected a folder to write to")
    assert said(".")[0] == 64
    assert said("-") == (
        64,
        "--report -: expected the name of a file, such as page.html; a page is not written to a pipe.",
    )
    assert "years of work" in (tmp_path / "thesis.html").read_text()


def test_without_what_draws_nothing_is_learnt(said, monkeypatch):
    monkeypatch.setattr(vector, "find_spec", lambda name: None)
    text = "--report needs Matplotlib and Jinja2, which are not installed: pip install 'deciban[report]'."
    assert said("r.html") == (64, text)


def test_where_the_page_of_an_evaluation_cannot_be_written(run, tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    assert run("train", "t.csv", "--label", "y", "--model", "svm", "-q").returncode == 0
    for path in ("t.csv", "model.deciban"):
        done = run("evaluate", "model.deciban", "t.csv", "--report", path)
        text = f"deciban: {path}: expected another name to write to; this is one of the inputs.\n"
        assert (done.returncode, done.stderr, done.stdout) == (64, text, "")


def test_where_the_page_of_a_comparison_cannot_be_written(run, tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "thesis.html").write_text("<!doctype html><title>years of work</title>")
    before = sorted(os.listdir(tmp_path))
    for path, text in (
        ("t.csv", "t.csv: expected another name to write to; this is one of the inputs."),
        ("-", "--report -: expected the name of a file, such as page.html; a page is not written to a pipe."),
        (
            "thesis.html",
            "thesis.html: expected a free name, or a report to replace; this file is something else. "
            "Choose another name with --report, or remove the file.",
        ),
    ):
        done = run("compare", "t.csv", "--label", "y", "--report", path)
        assert (done.returncode, done.stderr, done.stdout) == (64, f"deciban: {text}\n", "")
    done = run("compare", "a=t.csv", "b=thesis.html", "--kind", "text", "--report", "thesis.html")
    assert (done.returncode, done.stdout) == (64, "")
    assert "this is one of the inputs" in done.stderr
    done = run("compare", "t.csv", "--label", "y", "--language", "ko")
    assert done.stderr == "deciban: Expected --language only with --report, whose page it is of.\n"
    assert sorted(os.listdir(tmp_path)) == before


def test_an_interruption_says_that_the_comparison_is_there(run, tmp_path, monkeypatch):
    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("deciban.pages.compared.of_comparison", interrupt)
    (tmp_path / "t.csv").write_text(ROWS)
    done = run("compare", "t.csv", "--label", "y", "--models", "naive-bayes", "--sizes", "none", "--report", "r.html")
    assert (done.returncode, done.stderr) == (
        130,
        "Interrupted: the comparison was finished, r.html was not written.\n",
    )
    assert "naive-bayes" in done.stdout
    assert not (tmp_path / "r.html").exists()


def test_an_interruption_says_that_the_model_is_there(run, tmp_path, monkeypatch):
    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("deciban.cli.held_fifth.of_rows", interrupt)
    (tmp_path / "t.csv").write_text(ROWS)
    done = run("train", "t.csv", "--label", "y", "--model", "svm", "--report", "r.html")
    assert (done.returncode, done.stderr) == (
        130,
        "Interrupted: model.deciban had been written, r.html was not.\n",
    )
    assert sorted(os.listdir(tmp_path)) == ["model.deciban", "t.csv"]


# --- model.report ------------------------------------------------------------------------------------------

REPORTS = [
    ((X, None), ValueError, "X and y are expected together; y is missing"),
    ((None, Y), ValueError, "X and y are expected together; X is missing"),
    ((X, Y[:5]), ValueError, "one label per example is expected; there are 6 and 5 labels"),
    ((X[:0], []), ValueError, "at least one example is expected"),
    (
        (X, ["eggs", *Y[1:]]),
        ValueError,
        "y: labels ['ham', 'spam'] are expected, which the model tells apart; got 'eggs'",
    ),
    (("lunch", ["ham"]), TypeError, "a sequence of examples is expected, not one text: put it in a list"),
]


@pytest.mark.parametrize(("given", "kind", "text"), REPORTS, ids=[text[:30] for *_, text in REPORTS])
def test_what_cannot_be_judged_for_a_report(given, kind, text):
    with refused(text, kind):
        MODEL.report(*given)


def test_reports_that_cannot_be():
    with pytest.raises(ValueError, match="not fitted yet"):
        LogisticRegression().report()
    with refused("Expected a language among en, ko; came 'de'.", UsageError):
        MODEL.report(language="de")
    with refused("a report is of one label a row; this model gives a row many", ValueError):
        MLPClassifier((2,), max_iter=1).fit(X, [[0, 1]] * 3 + [[1, 0]] * 3).report()
