"""What judging one message costs: what it loads, and how long it takes from exec to exit."""

import subprocess
import sys
import time

import pytest

from deciban.cli.group import VERBS
from system.command import HELD_OUT, PROGRAM, SPAM, run, trained

HEAVY = ("numpy", "scipy", "sklearn", "polars", "rich", "narwhals", "pandas", "deciban.text.model", "deciban.report")
WATCHED = """
import sys
from deciban.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(*sorted(sys.modules), file=sys.stderr)
    raise
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model") / "filter.deciban")


def loaded(*arguments):
    done = subprocess.run([sys.executable, "-c", WATCHED, *map(str, arguments)], capture_output=True, check=True)
    return set(done.stderr.decode().split())


@pytest.mark.parametrize("options", [(), ("--json",), ("--jsonl",), ("--exit-code", "--unsure-below", "0")])
def test_judging_loads_nothing_heavy(model, options):
    modules = loaded("classify", model, HELD_OUT / "ham" / "ko-007-parcel-absent.eml", *options)
    assert "deciban.text.served" in modules
    assert [name for name in HEAVY if name in modules] == []


def test_help_loads_no_verb(model):
    modules = loaded("--help")
    assert "deciban.cli.group" in modules
    assert not {f"deciban.cli.{verb}" for verb in VERBS} & modules


def test_one_message_takes_well_under_a_tenth_of_a_second(model):
    """The best of several runs, in CPU time of the child, so that a busy machine does not decide."""
    import resource

    def cpu():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    best = 1.0
    for _ in range(7):
        before = cpu()
        assert run("classify", model, SPAM).returncode == 0
        best = min(best, cpu() - before)
    assert best < 0.1


def test_many_messages_cost_little_each(model, tmp_path):
    """20,000 small messages of a mailbox: what the command adds to reading and scoring is microseconds."""
    message = b"From x Mon Jan  1 00:00:00 2024\nSubject: hello\n\nlunch at noon?\n\n"
    box = tmp_path / "box.mbox"
    box.write_bytes(message * 20_000)
    started = time.perf_counter()
    with subprocess.Popen([*PROGRAM, "classify", str(model), str(box), "--jsonl"], stdout=subprocess.PIPE) as process:
        lines = sum(1 for _ in process.stdout)
    assert (process.returncode, lines) == (0, 20_000)
    assert time.perf_counter() - started < 5
