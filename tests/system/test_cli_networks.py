"""Networks on the command line: what is told while one learns, and Ctrl-C in the middle."""

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest

import deciban
from deciban.cli import epochs

ARGUMENTS = ("train", "t.csv", "--label", "y", "--model", "mlp", "-o", "m.deciban")


def table(path, n, C=2, d=12):
    """Rows of numbers and a category, whose label is what their squares sum to, a tenth of them wrong."""
    r = np.random.default_rng(1)
    X = np.round(r.normal(size=(n, d)), 3)
    job = r.integers(0, 3, n)
    rank = np.argsort(np.argsort((X[:, :4] ** 2).sum(axis=1) + job))
    y = np.where(r.random(n) < 0.1, r.integers(0, C, n), rank * C // n)
    rows = [",".join([*map(str, row), "abc"[k], f"y{c}"]) for row, k, c in zip(X, job, y, strict=True)]
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(d)), "job", "y"]), *rows]) + "\n")
    return path


def test_three_classes_through_every_verb(out, run, tmp_path):
    table(tmp_path / "t.csv", 600, C=3)
    table(tmp_path / "few.csv", 4, C=3)
    said = run(*ARGUMENTS).stderr
    assert re.fullmatch(
        r"Learnt 600 rows in [\d.]+ s by mlp \(y0: \d{3}, y1: \d{3}, y2: \d{3}\)\.\n"
        r"13 columns: 12 of numbers, 1 of categories\.\nWrote m\.deciban, [\d.]+ kB\.\n"
        r"Next: deciban classify m\.deciban rows\.csv   ·   deciban inspect m\.deciban\n",
        said,
    )
    assert out("classify", "m.deciban", "few.csv").count("few.csv:") == 4
    assert "total" in out("explain", "m.deciban", "few.csv:2")
    assert "y1" in out("evaluate", "m.deciban", "t.csv")
    told = out("inspect", "m.deciban").splitlines()
    assert told[1] == "model        multilayer perceptron: 15-128-3 relu"
    assert told[3] == "missing      a number is the mean, a category none of its labels"
    assert told[4].startswith("certificate  stopped early; data ")


@pytest.mark.parametrize("option", [("-C", "2"), ("--alpha", "2")])
def test_what_is_of_other_models_is_refused(option, run, tmp_path):
    table(tmp_path / "t.csv", 20)
    takers = {"-C": "logistic or svm or kernel-svm", "--alpha": "naive-bayes or least-squares"}[option[0]]
    assert run(*ARGUMENTS, *option).stderr == (
        f"deciban: Expected {option[0]} only with --model {takers}; the model is mlp.\n"
    )


def test_the_seed_is_the_network_s(out, tmp_path):
    table(tmp_path / "t.csv", 30)
    found = []
    for seed in ((), ("--seed", 0), ("--seed", 7)):  # without --seed it is 0
        out(*ARGUMENTS, *seed)
        found.append((tmp_path / "m.deciban").read_bytes())
    assert found[0] == found[1] != found[2]


def test_networks_are_named_and_not_tried_by_auto(out):
    told = " ".join(out("train", "--help").split())
    assert "|mlp|online|discriminant]" in told


# --- while it learns ---------------------------------------------------------------------------------------


class Terminal:
    """The command with a terminal for standard error, where the bar is drawn at once."""

    program = (sys.executable, "-c", "from deciban.cli import epochs, main; epochs.PATIENCE = 0.0; main()")

    def __init__(self, *arguments, cwd):
        self.end, side = pty.openpty()
        env = {**os.environ, "COLUMNS": "100", "PYTHONWARNINGS": "error", "TERM": "xterm"}
        self.process = subprocess.Popen([*self.program, *arguments], stderr=side, cwd=cwd, env=env)
        os.close(side)
        self.said = ""

    def read(self, until=None):
        """All that is said, or until something is."""
        while until is None or not re.search(until, self.said):
            try:
                more = os.read(self.end, 1 << 16)
            except OSError:  # nobody holds the other side any more
                break
            self.said += re.sub(r"\x1b\[[\d?;]*[a-zA-Z]", "", more.decode())
        return self.said

    def ended(self):
        self.read()
        os.close(self.end)
        return self.process.wait(60)


BAR = r"Epoch +\d+/\d+ \S+ +validation error \d+\.\d\d %, \d+ s"


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A folder with a table that takes some seconds to learn."""
    folder = tmp_path_factory.mktemp("large")
    table(folder / "t.csv", 4_000)
    return folder


@pytest.mark.deep
def test_a_terminal_sees_epoch_and_error_and_ctrl_c_keeps_the_best(large):
    terminal = Terminal(*ARGUMENTS, cwd=large)
    assert re.search(BAR, terminal.read(BAR))
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.ended() == 0
    assert "Interrupted: what was best until then is kept.\r\n" in terminal.said
    assert "Wrote m.deciban" in terminal.said
    model, frame = deciban.load(large / "m.deciban"), polars.read_csv(large / "t.csv")
    assert model.certificate_.status == "interrupted"
    assert model.certificate_.advice.startswith("these are the best weights until then")
    assert (model.predict(frame.drop("y")) != frame["y"].to_numpy()).mean() < 0.4


@pytest.mark.deep
def test_another_signal_ends_it_and_nothing_is_written(large):
    terminal = Terminal(*ARGUMENTS[:-1], "other.deciban", cwd=large)
    terminal.read(BAR)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.ended() == 143
    assert terminal.said.endswith("Interrupted: nothing was written.\r\n")
    assert not (large / "other.deciban").exists()


@pytest.mark.parametrize("quiet", [False, True])
def test_nobody_sees_it_who_does_not_look_or_wants_quiet(quiet, run, tmp_path, monkeypatch):
    table(tmp_path / "t.csv", 60)
    drawn = []
    monkeypatch.setattr(epochs, "PATIENCE", 0.0)
    monkeypatch.setattr(epochs.Epochs, "_new", lambda *told: drawn.append(told))
    if quiet:
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said = run(*ARGUMENTS, *(["--quiet"] if quiet else [])).stderr
    assert (drawn, "rror" in said, said == "") == ([], False, quiet)
