"""What is said where costs, thresholds and conformal sets make no sense, word for word."""

import numpy as np
import pytest

from deciban import evaluation
from deciban.cli import status
from deciban.errors import DataError, UsageError
from deciban.evaluation import Conformal, Costs, Judgements, cheapest, negatives_needed, rate_threshold
from errors.refusals import refused

BINARY = ("ham", "spam")
SAID = Judgements(BINARY, np.array([0, 0, 1]), np.log([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]))
TYPED = "a cost is LABEL:LABEL=COST, truth and answer, or unsure=COST; got "


def test_costs():
    with refused("at least two classes are expected, each once; got ['a', 'a']"):
        Costs.of(["a", "a"])
    with refused("costs of 2 classes are finite numbers (2, 2); got [[0.0, inf], [1.0, 0.0]]"):
        Costs(BINARY, [[0.0, np.inf], [1.0, 0.0]])
    with refused("costs are of (truth, answer), both among ['ham', 'spam']; got ('ham', 'Spam')"):
        Costs.of(BINARY, {("ham", "Spam"): 1.0})
    with refused("the cost of being unsure must be a finite number, got nan"):
        Costs.of(BINARY, unsure=float("nan"))
    with refused(
        "a right answer must not cost more than another; of 'ham' the right one costs 0 and to call it 'spam' -1"
    ):
        Costs.of(BINARY, {("ham", "spam"): -1.0})
    with refused("a right answer must not cost more than another; of 'spam' the right one costs 0 and to be unsure -2"):
        Costs.of(BINARY, {("ham", "ham"): -2.0}, unsure=-2.0)
    with refused("log p (N, 2) is expected, none above 0 or NaN; got (1, 3)"):
        Costs.of(BINARY).decide(np.zeros((1, 3)))
    with refused("log p (N, 2) is expected, none above 0 or NaN; got (1, 2)"):
        Costs.of(BINARY).decide([[0.9, 0.1]])
    with refused("an answer is unsure, and there is no cost of that: give unsure"):
        Costs.of(BINARY).paid(SAID, np.array([0, -1, 1]))
    with refused("judgements of the classes ['a', 'b'] are expected, got ['ham', 'spam']"):
        Costs.of(("a", "b")).paid(SAID)
    with refused("a threshold is of two classes; there are 3: decide is of any number"):
        Costs.of(("a", "b", "c")).threshold()
    with refused("positive must be one of ['ham', 'spam'], got 'Spam'"):
        Costs.of(BINARY).threshold("Spam")
    with refused("no mistake costs anything, and every threshold is as good: give a mistake a cost"):
        Costs(BINARY, np.zeros((2, 2))).threshold()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["ham:spma=1"], TYPED + "'ham:spma=1', labels are ham, spam"),
        (["ham=1"], TYPED + "'ham=1', labels are ham, spam"),
        (["ham:spam"], TYPED + "'ham:spam', labels are ham, spam"),
        ([""], TYPED + "'', labels are ham, spam"),
        (["ham:spam=x"], "a cost is a finite number, as in ham:spam=100; got 'ham:spam=x'"),
        (["unsure=inf"], "a cost is a finite number, as in ham:spam=100; got 'unsure=inf'"),
        (["ham:spam=1", "ham:spam=2"], "the cost of ham:spam is given twice: give it once"),
    ],
)
def test_costs_as_people_type_them(words, text):
    with refused(text):
        Costs.parse(words, BINARY)


def test_costs_that_may_be_read_in_several_ways():
    with refused(TYPED + "'a:b:c=1', which may be read in several ways"):
        Costs.parse(["a:b:c=1"], ("a", "b:c", "a:b", "c"))


def test_thresholds():
    with refused(
        "Expected at least 2,995 examples that are not 'spam', for a false-positive rate of 0.1 % with a confidence of "
        "95 %; there are 2. Give 2,993 more, or ask for 78 %, which 2 can hold.",
        DataError,
    ):
        rate_threshold(SAID)
    with refused(
        "Expected at least 999 examples that are not 'spam', for a false-positive rate of 0.1 % on average; there are "
        "2. Give 997 more, or ask for 34 %, which 2 can hold.",
        DataError,
    ):
        rate_threshold(SAID, confidence=None)
    spam = Judgements(BINARY, np.array([1]), np.log([[0.1, 0.9]]))
    with refused(
        "Expected at least 29 examples that are not 'spam', for a false-positive rate of 10 % with a confidence of "
        "95 %; there are 0. Give 29 more.",
        DataError,
    ):
        rate_threshold(spam, 0.1)
    with refused("rate must be a number between 0 and 1, got 0"):
        rate_threshold(SAID, 0)
    with refused("confidence must be a number between 0 and 1, got 95"):
        negatives_needed(0.1, 95)
    with refused("positive must be one of ['ham', 'spam'], got 'Spam'"):
        rate_threshold(SAID, 0.5, positive="Spam")
    with refused("costs of the classes ['ham', 'spam'] are expected, got ['a', 'b']"):
        cheapest(SAID, Costs.of(("a", "b")))


def test_conformal():
    known = Conformal.of(SAID)
    with refused("log p (N, 2) is expected, none above 0 or NaN; got (2,)"):
        known.p_values(np.zeros(2))
    with refused("alpha must be a number between 0 and 1, got 1"):
        known.sets(SAID.log_p, 1)
    with refused("alpha must have each of ['ham', 'spam'], got ['ham']"):
        known.sets(SAID.log_p, {"ham": 0.1})
    with refused("alpha of 'spam' must be a number between 0 and 1, got 5"):
        known.sets(SAID.log_p, {"ham": 0.1, "spam": 5})
    with refused("negative must be one of ['ham', 'spam'], got 'Ham'"):
        known.flag(SAID.log_p, 0.1, "Ham")
    with refused("judgements of the classes ['ham', 'spam'] are expected, got ['a', 'b']"):
        known.covered(Judgements(("a", "b"), SAID.y, SAID.log_p), 0.1)


def test_a_name_that_is_none():
    with pytest.raises(AttributeError, match=r"module 'deciban.evaluation' has no attribute 'Cost'; it has "):
        _ = evaluation.Cost
    assert set(evaluation.__all__) <= set(dir(evaluation))
    assert all(getattr(evaluation, name) is not None for name in evaluation.__all__)


def test_decibans_of_an_evaluation():
    with refused("Expected decibans as the threshold of two classes; came 3.0.", UsageError):
        evaluation.evaluate(["a"], [[0.2, 0.3, 0.5]], ["a", "b", "c"], decibans=3.0)


@pytest.fixture
def said(complaint, tmp_path):
    """One line on stderr and the exit code, in a folder with a filter of two classes and one of three."""
    (tmp_path / "t.csv").write_text("text,y\n" + "".join(f"word{i % 2} more{i},{'ab'[i % 2]}\n" for i in range(30)))
    (tmp_path / "three.csv").write_text("text,y\n" + "".join(f"word{i % 3},{'abc'[i % 3]}\n" for i in range(30)))
    (tmp_path / "new.csv").write_text("text,y\n" + "".join(f"word{i % 2} new{i},{'ab'[i % 2]}\n" for i in range(30)))
    (tmp_path / "other.csv").write_text("text,y\nword0,a\nword1,z\n")
    (tmp_path / "one.csv").write_text("text,y\nword0 x,a\n")
    for name in ("t", "three"):
        assert status(["train", f"{name}.csv", "--text", "text", "--label", "y", "-o", name, "-q"]) == 0

    return complaint


def test_the_command(said):
    def find(code, model, table, *more):
        return said(code, "threshold", model, table, "--text", "text", "--label", "y", *more)

    assert find(64, "t", "new.csv", "--cost", "a:b=2", "--confidence", "90%") == (
        "Expected a rate of false positives or costs; both came. Ask for one at a time."
    )
    assert find(64, "t", "new.csv", "--on-average", "--confidence", "90%") == (
        "Expected --confidence or --on-average; both came. On average there is none to choose."
    )
    assert find(64, "t", "new.csv", "--false-positives", "101%") == (
        "Invalid value for '--false-positives': expected a share between 0 and 1, as 0.001 or 0.1%; came '101%'. "
        "See deciban threshold --help."
    )
    assert find(64, "three", "three.csv") == (
        "Expected a filter of two classes for a threshold; this one has 3. "
        "From Python, deciban.evaluation has Costs and Conformal for any number."
    )
    assert find(64, "t", "new.csv", "--positive", "z") == "Expected --positive to be one of a, b; came z."
    assert find(65, "t", "t.csv") == (
        "Expected examples that the filter has not learnt; all 30 were in the training data. "
        "Hold some out, or train with fewer."
    )
    assert (
        find(65, "t", "other.csv") == "Expected labels that the filter knows, a, b; came z. Leave those examples out."
    )
    assert find(65, "t", "one.csv") == (
        "Expected at least 29 examples that are not 'b', for a false-positive rate of 10 % with a confidence of 95 %; "
        "there are 1. Give 28 more, or ask for 95 %, which 1 can hold."
    )
    assert find(65, "t", "one.csv", "--cost", "a:b=2") == (
        "Expected examples of both classes, to tell what mistakes cost; there is no b."
    )
    assert find(64, "t", "new.csv", "--cost", "a:c=2") == (
        "Expected costs as in --cost a:b=100; a cost is LABEL:LABEL=COST, truth and answer, or unsure=COST; "
        "got 'a:c=2', labels are a, b."
    )


def test_where_verdicts_turn(said):
    wrong = "expected a probability from 0 to 1, or decibans as in 20dB; or two, LOW,HIGH; came "
    for text in ("2", "x", "", "dB", "0.9,0.1", "1,2,3", "infdB", "nan"):
        found = said(64, "classify", "t", "new.csv", "--text", "text", "--threshold", text)
        assert found == f"Invalid value for '--threshold': {wrong}{text!r}. See deciban classify --help."
    assert said(64, "evaluate", "t", "new.csv", "--threshold", "0.1,0.9") == (
        "Invalid value for '--threshold': expected a probability from 0 to 1, or decibans as in 20dB; came '0.1,0.9'. "
        "See deciban evaluate --help."
    )
    assert said(64, "classify", "three", "new.csv", "--text", "text", "--threshold", "0.9") == (
        "Expected a filter of two classes for --threshold; this one has 3. Read the probabilities from --json instead."
    )
    assert said(64, "explain", "t", "--positive", "a") == (
        "Expected --positive only with --threshold, which says above what the verdict is that label."
    )
