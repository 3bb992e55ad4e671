"""What judging one message loads, and that nothing is lost among many."""

import subprocess
import sys

import pytest

from deciban.cli.group import VERBS
from system.command import HAM, PROGRAM, SPAM, trained
from tiers import deep

HEAVY = ("numpy", "scipy", "sklearn", "polars", "rich", "narwhals", "pandas", "deciban.text.model", "deciban.report")
WATCHED = """
import sys
from deciban.cli import status
code = status(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model") / "filter.deciban")


def loaded(*arguments):
    done = subprocess.run([sys.executable, "-c", WATCHED, *map(str, arguments)], capture_output=True, check=True)
    return set(done.stderr.decode().split())


@pytest.mark.parametrize("options", [(), ("--json",), ("--jsonl",), ("--exit-code", "--unsure-below", "0")])
def test_judging_loads_nothing_heavy(model, options):
    modules = loaded("classify", model, HAM, *options)
    assert "deciban.text.served" in modules
    assert [name for name in HEAVY if name in modules] == []


@pytest.mark.parametrize("verb", [("learn", "--as", "ham"), ("forget",)])
def test_learning_one_message_on_loads_no_library_for_many(model, verb):
    name, *options = verb
    modules = loaded(name, model, *options, HAM)
    assert [name for name in HEAVY if name in modules and name != "deciban.report"] == []


def test_help_loads_no_verb(model):
    modules = loaded("--help")
    assert "deciban.cli.group" in modules
    assert not {f"deciban.cli.{verb}" for verb in VERBS} & modules


@pytest.mark.parametrize("model", ["naive-bayes", "nbsvm"])
def test_training_executes_few_modules_of_others(model, tmp_path):
    """What SciPy imports and the model does not need is there by name only; scikit-learn and pandas are not, nor SciPy
    for naive Bayes, the default."""
    arguments = ["train", "--model", model, f"spam={SPAM}", f"ham={HAM}", "-o", str(tmp_path / "a.deciban")]
    program = [sys.executable, "-X", "importtime", "-m", "deciban", *arguments]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time")}
    assert {"scipy.stats._stats_py", "numpy.f2py.crackfortran", "asyncio.events", "pandas.core"} & modules == set()
    assert not {"sklearn", *(["scipy"] if model == "naive-bayes" else [])} & modules


@pytest.mark.parametrize("verb", [*sorted(VERBS)[:2], *deep(*sorted(VERBS)[2:])])
def test_what_helps_does_not_load_scikit_learn(verb):
    assert not {"sklearn", "pandas", "scipy.stats", "scipy.optimize"} & loaded(verb, "--help")


def test_many_messages_are_each_judged(model, tmp_path):
    """20,000 small messages of a mailbox: a line for each, none lost between two batches."""
    message = b"From x Mon Jan  1 00:00:00 2024\nSubject: hello\n\nlunch at noon?\n\n"
    box = tmp_path / "box.mbox"
    box.write_bytes(message * 20_000)
    with subprocess.Popen([*PROGRAM, "classify", str(model), str(box), "--jsonl"], stdout=subprocess.PIPE) as process:
        lines = sum(1 for _ in process.stdout)
    assert (process.returncode, lines) == (0, 20_000)
