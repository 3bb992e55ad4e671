"""What is said where models cannot be compared, word for word."""

import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import deciban
from deciban.errors import DataError
from deciban.evaluation.significance import corrected_t, holm, mcnemar
from errors.refusals import refused

X = [[float(i)] for i in range(12)]
Y = ["a"] * 6 + ["b"] * 6
ONE = {"bayes": GaussianNB()}


def test_data():
    with refused("at least two classes are expected; all labels are 'a'"):
        deciban.compare(ONE, X, ["a"] * 12)
    with refused("one label per example is expected; there are 12 and 11 labels"):
        deciban.compare(ONE, X, Y[1:])
    with refused("at least one example is expected"):
        deciban.compare(ONE, [], [])
    with refused("a sequence of examples is expected, not one text: put it in a list", TypeError):
        deciban.compare(ONE, "one text", ["a"])
    with refused(
        "expected, for 5 folds, at least 5 examples of every class that are no copies of one another; 'b' has 4. "
        "Take fewer folds, or leave that class out.",
        DataError,
    ):
        deciban.compare(ONE, X[:10], Y[:10])


def test_models():
    with refused("a mapping from names to estimators, or names of families, are expected; got 'svm'", TypeError):
        deciban.compare("svm", X, Y)
    with refused("a mapping from names to estimators, or names of families, are expected; got GaussianNB()", TypeError):
        deciban.compare(GaussianNB(), X, Y)
    with refused("at least one model is expected"):
        deciban.compare({}, X, Y)
    with refused("at least one model is expected"):
        deciban.compare([], X, Y)
    with refused(
        "line: a classifier of scikit-learn's rules, or the name of a family, is expected; got LinearRegression()",
        TypeError,
    ):
        deciban.compare({"line": LinearRegression()}, X, Y)
    with refused(
        "a family for typed columns is one of naive-bayes, discriminant, logistic, svm, perceptron, least-squares, "
        "kernel-svm, mlp; got 'nbsvm'"
    ):
        deciban.compare(["nbsvm"], X, Y)
    with refused(
        "a family for texts is one of naive-bayes, nbsvm, logistic, svm, perceptron, least-squares, kernel-svm, mlp, "
        "online; got 'forest'"
    ):
        deciban.compare(["forest"], [f"word{i}" for i in range(12)], Y)


def test_numbers():
    with refused("folds must be a whole number from 2, got 1"):
        deciban.compare(ONE, X, Y, folds=1)
    with refused("repeats must be a whole number from 1, got 0"):
        deciban.compare(ONE, X, Y, repeats=0)
    with refused("seed must be a whole number from 0, got -1"):
        deciban.compare(ONE, X, Y, seed=-1)
    with refused("level must be a number between 0 and 1, got 5"):
        deciban.compare(ONE, X, Y, level=5)
    with refused("sizes must be numbers of examples, as in [100, 1000], got 100", TypeError):
        deciban.compare(ONE, X, Y, sizes=100)
    with refused("sizes must be a whole number from 2, got 1"):
        deciban.compare(ONE, X, Y, sizes=[1])
    with refused("sizes must be numbers of examples, each larger than the one before, got [4, 3]"):
        deciban.compare(ONE, X, Y, sizes=[4, 3])
    with refused("sizes must be a whole number from 2 to 6, got 7"):
        deciban.compare(ONE, X, Y, sizes=[7], folds=2)


def test_paired_tests():
    with refused("both are expected of the same examples; there are 2 and 3"):
        mcnemar([True, False], [True, False, True])
    with refused("wrong_b must say of each example whether it is judged wrongly, true or false"):
        mcnemar([True, False], ["ham", "spam"])
    with refused("two or more finite differences are expected, one a resampling"):
        corrected_t([0.1], 4, 1)
    with refused("train and test must be numbers of examples, got 4 and 0"):
        corrected_t([0.1, 0.2], 4, 0)
    with refused("probabilities from 0 to 1 are expected"):
        holm([0.5, 1.5])


def test_what_it_has_not():
    found = deciban.compare(ONE, X, Y, folds=2, sizes=())
    with refused("\"'svm'; there are bayes\"", KeyError):
        found["svm"]
    with refused("\"'svm' and 'bayes'; there are bayes\"", KeyError):
        found.pair("svm", "bayes")


@pytest.fixture
def said(complaint, tmp_path):
    """One line on stderr and the exit code, in a folder with tables."""
    (tmp_path / "t.csv").write_text("text,age,y\n" + "".join(f"word{i},{i},{'ab'[i % 2]}\n" for i in range(12)))
    (tmp_path / "one.csv").write_text("text,age,y\n" + "".join(f"word{i},{i},a\n" for i in range(8)))

    return lambda code, *arguments: complaint(code, "compare", *arguments)


TEXTS = ("t.csv", "--text", "text", "--label", "y")
TYPED = ("t.csv", "--label", "y", "--ignore", "text")


def test_the_command(said):
    assert said(64, "t.csv") == (
        "t.csv: expected the columns of this table. Add --label COLUMN, and --text COLUMN if it is the texts of one "
        "column that tell."
    )
    assert said(64, "t.csv", "one.csv", "--label", "y") == "Expected one table with --label; 2 arguments came."
    assert said(66, "spam=Jnk", "ham=t.csv") == "Jnk: expected a file or a folder; there is none of that name."
    assert said(65, "one.csv", "--text", "text", "--label", "y") == (
        "Expected items of at least two classes; all items are 'a'. Add another class."
    )
    assert said(65, *TEXTS, "--folds", "7") == (
        "expected, for 7 folds, at least 7 examples of every class that are no copies of one another; 'a' has 6. "
        "Take fewer folds, or leave that class out."
    )
    assert said(64, *TEXTS, "--number", "age") == (
        "Expected --number only for typed columns, a table with --label alone; these are texts."
    )
    assert said(64, *TYPED, "--kind", "mail") == (
        "Expected --kind only of files and texts; mail came for a table of typed columns."
    )


def test_models_of_the_command(said):
    assert said(64, *TEXTS, "--models", "discriminant") == (
        "Expected --models of texts; came 'discriminant'. There are naive-bayes, nbsvm, logistic, svm, perceptron, "
        "least-squares, kernel-svm, mlp, online."
    )
    assert said(64, *TYPED, "--models", "svm,logistc") == (
        "Expected --models of typed columns; came 'logistc'. Did you mean logistic?"
    )
    assert said(64, *TYPED, "--models", "svm,,svm") == (
        "Invalid value for '--models': expected names, each once, as in svm,logistic; came 'svm,,svm'. "
        "See deciban compare --help."
    )


def test_sizes_of_the_command(said):
    assert said(64, *TYPED, "--sizes", "ten") == (
        "Invalid value for '--sizes': expected numbers as in 100,1000, or none; came 'ten'. See deciban compare --help."
    )
    assert said(64, *TYPED, "--sizes", "4,3") == (
        "Expected --sizes that make sense: sizes must be numbers of examples, each larger than the one before, "
        "got [4, 3]."
    )
    for data in (TYPED, TEXTS):
        assert said(64, *data, "--sizes", "1000") == (
            "Expected --sizes that make sense: sizes must be a whole number from 2 to 9, got 1000."
        )
