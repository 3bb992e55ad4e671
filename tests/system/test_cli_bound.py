"""`deciban bound`: the numbers of deciban.theory, for people and for scripts, and what it says when asked wrongly."""

import json
import subprocess
import sys

import numpy as np
import pytest

from deciban import theory
from deciban.cli import status
from errors.test_cli_errors import inside, said  # noqa: F401 - a fixture
from system.command import out, result

ASKED = {
    "binomial --errors 3 --n 500": theory.binomial(3, 500),
    "binomial --errors 3 --n 500 --side two --delta 0.01": theory.binomial(3, 500, 0.01, side="two"),
    "binomial --errors 3 --error 0.01": theory.binomial(3, error=0.01),
    "binomial --errors 3 --n 500 --error 0.01": theory.binomial(3, 500, error=0.01),
    "hoeffding --n 1000 --hypotheses 10": theory.hoeffding(1000, hypotheses=10),
    "hoeffding --epsilon 0.05 --delta 0.1": theory.hoeffding(delta=0.1, epsilon=0.05),
    "hoeffding --n 100 --epsilon 0.1": theory.hoeffding(100, epsilon=0.1),
    "hoeffding --n 100 --hypotheses inf": theory.hoeffding(100, hypotheses=float("inf")),
    "vc --n 1000 --dimension 11 --training-error 0.1": theory.vc(1000, 11, 0.1),
    "vc --dimension 3 --error 0.1 --growth sauer": theory.vc(None, 3, error=0.1, growth="sauer"),
    "vc --dimension inf --n 1000": theory.vc(1000, float("inf")),
    "growth --n 10 --dimension 3": theory.growth(10, 3),
    "support-vectors --count 20 --n 500": theory.support_vectors(20, 500),
    "support-vectors --count 20 --error 0.01": theory.support_vectors(20, error=0.01),
    "compression --count 20 --n 5000": theory.compression(20, 5000),
    "dichotomies --n 6 --d 2": theory.dichotomies(6, 2),
    "dichotomies --n 6 --d 2 --no-intercept": theory.dichotomies(6, 2, fit_intercept=False),
}


@pytest.fixture
def printed(capsys, monkeypatch):
    """What the command prints, run in this process."""

    def command(*arguments):
        assert status([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return command


@pytest.mark.parametrize("line", ASKED)
def test_it_says_what_theory_says(line, printed):
    expected = ASKED[line]
    told = json.loads(printed("bound", *line.split(), "--json"))
    assert told == json.loads(json.dumps(_finite(expected.to_json())))
    text = printed("bound", *line.split())
    assert " ".join(text.split()) == " ".join(str(expected).split())
    assert max(map(len, text.splitlines())) <= 100
    assert ("vacuous: " in text) == bool(expected.vacuous)


def _finite(value):
    return {key: None if each == float("inf") else each for key, each in value.items()}


def test_margins_come_from_a_file_or_standard_input(tmp_path):
    margins = np.linspace(0.2, 0.9, 300)
    (tmp_path / "margins.txt").write_text("\n".join(map(str, margins)))
    expected = theory.pac_bayes(margins, 0.01).to_json()
    assert result("bound", "margins", "margins.txt", "--delta", 0.01, "--json", cwd=tmp_path) == expected
    piped = result("bound", "margins", "-", "--delta", 0.01, "--json", input=(tmp_path / "margins.txt").read_bytes())
    assert piped == expected


def test_the_bounds_are_listed():
    listed = out("bound")
    assert listed == out("bound", "--help")
    for name in ("binomial", "hoeffding", "vc", "growth", "support-vectors", "compression", "margins", "dichotomies"):
        assert f"\n  {name} " in listed


def test_it_loads_neither_scikit_learn_nor_what_fits_models():
    code = "import sys; from deciban.cli import status; status(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for line in ("bound vc --n 1000 --dimension 11", "bound binomial --errors 3 --n 500"):
        done = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, check=True)
        assert not {
            "sklearn",
            "pandas",
            "polars",
            "scipy.optimize",
            "scipy.stats",
            "deciban.theory.expected_errors",
        } & set(done.stderr.decode().split())


def test_what_is_wrong_is_said(inside, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("0.5\nwide\n")
    (tmp_path / "far.txt").write_text("0.5\n3\n")
    (tmp_path / "empty.txt").touch()
    for code, line, words in (
        (64, "binomal", "Expected a bound; came 'binomal'. Did you mean binomial? See deciban bound --help."),
        (
            64,
            "xyz",
            "Expected a bound; came 'xyz'. The bounds are binomial, hoeffding, vc, growth, support-vectors, "
            "compression, margins, dichotomies. See deciban bound --help.",
        ),
        (64, "vc --n 5", "Missing option '--dimension'. See deciban bound vc --help."),
        (
            64,
            "vc --n 5 --dimension many",
            "Invalid value for '--dimension': expected a whole number, or inf; came 'many'. "
            "See deciban bound vc --help.",
        ),
        (
            64,
            "binomial --errors 600 --n 500",
            "errors must be at most n: 600 errors on 500 examples. See deciban bound binomial --help.",
        ),
        (
            64,
            "hoeffding --n 100 --delta nan",
            "delta must be a number between 0 and 1, got nan. See deciban bound hoeffding --help.",
        ),
        (
            64,
            "hoeffding",
            "n or epsilon must be given: of n, epsilon and delta, the one left out is solved for. "
            "See deciban bound hoeffding --help.",
        ),
        (65, "margins words.txt", "words.txt: line 2: expected a number; came 'wide'."),
        (65, "margins far.txt", "far.txt: line 2: expected a margin from -1 to 1; came 3."),
        (65, "margins empty.txt", "empty.txt: expected margins, one a line; there are none."),
        (
            66,
            "margins fat.txt",
            "fat.txt: expected a file or a folder; there is none of that name. Did you mean far.txt?",
        ),
    ):
        assert inside("bound", *line.split()) == (code, f"deciban: {words}\n")


def test_the_first_word_is_a_process_of_its_own():
    assert said(64, "bond") == "Expected a command; got 'bond'. Did you mean bound? See deciban --help."
