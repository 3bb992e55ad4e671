"""What is said where suspects cannot be looked for, word for word."""

import pytest

import deciban
from deciban import LinearSVM, NaiveBayes, TextClassifier
from deciban.errors import DataError
from errors.refusals import refused

X = [[float(i)] for i in range(12)]
Y = ["a"] * 6 + ["b"] * 6


def test_python():
    model = NaiveBayes("gaussian")
    with refused("at least two classes are expected; all labels are 'a'", model=model):
        model.find_label_errors(X, ["a"] * 12)
    with refused("one label per example is expected; there are 12 and 11 labels"):
        model.find_label_errors(X, Y[1:])
    with refused("folds must be a whole number from 2, got 1"):
        model.find_label_errors(X, Y, folds=1)
    with refused("folds must be a whole number from 2, got 2.5"):
        model.find_label_errors(X, Y, folds=2.5)
    with refused("at least one example is expected"):
        TextClassifier().find_label_errors([], [])
    with refused("a sequence of examples is expected, not one text: put it in a list", TypeError):
        TextClassifier().find_label_errors("one text", ["a"])
    with refused(
        "a classifier that gives probabilities is expected; LinearSVM gives none as it is set: let it calibrate, or "
        "take another"
    ):
        deciban.find_label_errors(LinearSVM(calibration=None), X, Y)


def test_too_few_for_the_folds():
    with refused(
        "expected, for 5 folds, at least 5 examples of every class that are no copies of one another; 'b' has 4. "
        "Take fewer folds, or leave that class out.",
        DataError,
    ):
        NaiveBayes("gaussian").find_label_errors(X[:10], Y[:10])
    with refused(
        "expected, for 2 folds, at least 2 examples of every class that are no copies of one another; 'a' has 1. "
        "Take fewer folds, or leave that class out.",
        DataError,
    ):
        TextClassifier().find_label_errors(["one two", "One two!", "three", "four"], ["a", "a", "b", "b"], folds=2)


@pytest.fixture
def said(complaint, tmp_path):
    """One line on stderr and the exit code, in a folder with tables."""
    (tmp_path / "t.csv").write_text("text,age,y\n" + "".join(f"word{i},{i},{'ab'[i % 2]}\n" for i in range(8)))
    (tmp_path / "one.csv").write_text("text,age,y\n" + "".join(f"word{i},{i},a\n" for i in range(8)))

    return lambda code, *arguments: complaint(code, "suspects", *arguments)


def test_the_command(said):
    few = (
        "expected, for 5 folds, at least 5 examples of every class that are no copies of one another; 'a' has 4. "
        "Take fewer folds, or leave that class out."
    )
    assert said(65, "t.csv", "--text", "text", "--label", "y") == few
    assert said(65, "t.csv", "--label", "y", "--ignore", "text") == few
    assert said(65, "one.csv", "--text", "text", "--label", "y") == (
        "Expected items of at least two classes; all items are 'a'. Add another class."
    )
    assert said(65, "one.csv", "--label", "y", "--ignore", "text") == (
        "one.csv: expected items of at least two classes; all 8 are 'a'. Add another class, or name another column "
        "with --label."
    )
    assert said(64, "t.csv") == (
        "t.csv: expected the columns of this table. Add --label COLUMN, and --text COLUMN if it is the texts of one "
        "column that tell."
    )
    assert said(64, "t.csv", "one.csv", "--label", "y") == "Expected one table with --label; 2 arguments came."
    assert said(64, "t.csv", "--text", "text", "--label", "y", "--folds", "1") == (
        "Invalid value for '--folds': 1 is not in the range x>=2. See deciban suspects --help."
    )
    assert said(66, "spam=Jnk", "ham=t.csv") == "Jnk: expected a file or a folder; there is none of that name."
