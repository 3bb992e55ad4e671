"""Ctrl-C, a closed pipe, a full disk, a kill: the file that was there survives, and nothing is left beside it."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from system.command import HELD_OUT, PROGRAM, SPAM, TRAIN, run, trained

pytestmark = pytest.mark.deep


MESSAGES = {"train": 3000, "learn": 300}
"""So many take a verb about a second."""


@pytest.fixture(scope="module")
def mailboxes(tmp_path_factory):
    """By verb, a mailbox that takes about a second: many distinct words."""

    def written(name, many):
        path = tmp_path_factory.mktemp("box") / f"{name}.mbox"
        with path.open("w") as file:
            for i in range(many):
                words = " ".join(f"w{i * 97 + k}x{k % 7}" for k in range(400))
                file.write(f"From x Mon Jan  1 00:00:00 2024\nSubject: number {i}\n\n{words}\n\n")
        return path

    return {verb: written(verb, many) for verb, many in MESSAGES.items()}


def interrupted(arguments, after, number=signal.SIGINT):
    """(exit code, stderr) of a process that gets the signal `after` so many seconds; None if it was done before."""
    process = subprocess.Popen([*PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    _, said = process.communicate(timeout=60)
    return process.returncode, said.decode()


def seconds(arguments):
    started = time.perf_counter()
    subprocess.run([*PROGRAM, *map(str, arguments)], check=True, capture_output=True)
    return time.perf_counter() - started


@pytest.mark.parametrize("verb", ["train", "learn"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_leaves_the_file_as_it_was(verb, number, code, mailboxes, tmp_path):
    mailbox = mailboxes[verb]
    path = trained(tmp_path / "f.deciban")
    before = path.read_bytes()

    def arguments(target):
        if verb == "train":
            return ["train", f"spam={mailbox}", f"ham={TRAIN}/ham", "-o", target]
        return ["learn", target, "--as", "spam", mailbox]

    whole = seconds(arguments(trained(tmp_path / "copy.deciban")))
    hits = 0
    for share in (0.3, 0.5, 0.7):
        ended, said = interrupted(arguments(path), whole * share, number)
        left = {name for name in os.listdir(tmp_path) if not name.startswith("copy.")}
        if ended == 0:  # it was quicker than before
            break
        assert ended == code
        assert path.read_bytes() == before
        hits += 1
        if left != {"f.deciban"}:  # it is in the journal, and is not learnt again
            assert (said, left) == (
                f"Interrupted: {path}.journal had been written.\n",
                {"f.deciban", "f.deciban.journal"},
            )
            break
        assert said == "Interrupted: nothing was written.\n"
    assert hits


def test_waiting_for_standard_input_can_be_interrupted(tmp_path):
    path = trained(tmp_path / "f.deciban")
    command = [*PROGRAM, "classify", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b"Interrupted: nothing was written.\n"


@pytest.mark.parametrize("verb", ["classify", "explain"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_seen_enough_ends_it_silently(verb, unbuffered, tmp_path, mailboxes):
    path = trained(tmp_path / "f.deciban")
    command = [*PROGRAM, verb, str(path), str(mailboxes["train"])]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout.readline().startswith((b"ham", b"spam"))
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def limited():
    """As much room as a full disk leaves. Python ignores SIGXFSZ, so that writing fails with an error."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


@pytest.mark.parametrize("verb", ["train", "learn", "forget"])
def test_a_full_disk_leaves_the_file_as_it_was(verb, tmp_path):
    path = trained(tmp_path / "f.deciban")
    before = path.read_bytes()
    arguments = {
        "train": ("train", TRAIN, "-o", path),
        "learn": ("learn", path, "--as", "spam", HELD_OUT / "spam"),
        "forget": ("forget", path, TRAIN / "spam"),
    }[verb]
    done = run(*arguments, preexec_fn=limited)
    assert done.returncode == 74
    said = done.stderr.decode()
    told = "" if verb == "train" else ".journal"
    assert said.startswith(f"deciban: {path}{told}: could not be written: ")
    assert said.count("\n") == 1
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["f.deciban"]


def test_a_full_disk_leaves_no_new_file(tmp_path):
    assert run("train", TRAIN, "-o", tmp_path / "f.deciban", preexec_fn=limited).returncode == 74
    assert os.listdir(tmp_path) == []


def test_output_that_cannot_be_written_is_an_error(tmp_path):
    path = trained(tmp_path / "f.deciban")
    for verb, *more in (("classify", HELD_OUT), ("explain", SPAM), ("inspect",), ("evaluate", HELD_OUT)):
        with open("/dev/full", "wb") as full:
            done = run(verb, path, *more, stdout=full)
        assert (done.returncode, done.stderr) == (
            74,
            b"deciban: standard output: could not be written: No space left on device.\n",
        )


def test_closed_streams_are_no_accident(tmp_path):
    path = trained(tmp_path / "f.deciban")

    def shell(redirection):
        line = " ".join([*PROGRAM, "classify", str(path), redirection])
        return subprocess.run(line, shell=True, capture_output=True, check=False)

    assert (shell(f"{SPAM} >&-").returncode, shell(f"{SPAM} 2>&-").returncode) == (0, 0)
    assert shell("<&-").returncode == 65
    assert shell("nothing-there 2>&-").returncode == 66


def test_a_signal_while_the_core_binds_numpy_waits_until_it_has():
    program = """
import signal, time
from numpy.lib import NumpyVersion
from deciban.cli.signals import Stopped, catch

class Version(str):
    def __len__(self):
        signal.raise_signal(signal.SIGTERM)
        return str.__len__(self)

catch()
try:
    print(NumpyVersion(Version("1.2.3")).major, flush=True)
    time.sleep(30)
except Stopped:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("1\nstopped\n", 0), done.stderr
