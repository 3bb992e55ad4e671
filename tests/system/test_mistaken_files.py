"""A file given by mistake in the place of a filter is refused by its first bytes: no verb waits for it or reads it."""

import json
import os
import socket
import subprocess
import sys

import pytest

import deciban
from deciban import store
from deciban.errors import DataError, NoInputError

SIZE = 3 << 30
VERBS = {
    "inspect": ["inspect", "FILE"],
    "classify": ["classify", "FILE", "mail.eml"],
    "explain": ["explain", "FILE", "mail.eml"],
    "evaluate": ["evaluate", "FILE", "spam=mail.eml", "ham=mail.eml"],
    "threshold": ["threshold", "FILE", "spam=mail.eml", "ham=mail.eml"],
    "review": ["review", "FILE", "mail.eml"],
    "learn": ["learn", "FILE", "--as", "spam", "mail.eml"],
    "forget": ["forget", "FILE", "mail.eml"],
}
LOADERS = {
    "load": "import deciban, sys\ntry: deciban.load(sys.argv[1])\nexcept Exception as e: sys.stderr.write(str(e))",
    "load_libsvm": "import deciban, sys\ntry: deciban.load_libsvm(sys.argv[1])\nexcept Exception as e: print(e)",
}
# What the process read and held at most, told when it has done its work.
MEASURE = """
import json, os, sys
about = dict(line.split(":", 1) for line in open("/proc/self/status"))
read = dict(line.split(":", 1) for line in open("/proc/self/io"))
print(json.dumps({"held": int(about["VmHWM"].split()[0]) << 10, "read": int(read["rchar"])}))
"""
COMMAND = """
import sys
from deciban.cli.deferred import defer_imports
defer_imports()
from deciban.cli import status
status(sys.argv[1:])
"""

FOREIGN = "expected a .deciban file, as `deciban train` writes it; this is something else."
MAIL = b"From a@example.org Mon Jan  1 00:00:00 2024\nSubject: x\n\nwords\n\n"
START = b'{"__metadata__":{"deciban":"{'


def sparse(path, start=b"", size=SIZE):
    """A file of so many bytes, zeros behind the first."""
    path.write_bytes(start)
    os.truncate(path, size)


def grown(path):
    """A model at the beginning of a file that goes on."""
    deciban.LogisticRegression().fit([[0.0], [1.0], [2.0]], [0, 1, 1]).save(path)
    os.truncate(path, SIZE)


LARGE = {
    "zeros": (sparse, FOREIGN),
    "a mailbox": (lambda path: sparse(path, MAIL * 1000), FOREIGN),
    "a tensor file": (lambda path: sparse(path, (100).to_bytes(8, "little") + b'{"weight":{"dtype"'), FOREIGN),
    "a header without end": (
        lambda path: sparse(path, (1 << 31).to_bytes(8, "little") + START),
        "expected a header of at most 100,000,000 bytes; this one has 2,147,483,648. The file is damaged, or not one "
        "that this program wrote; train again.",
    ),
    "a header that is too short": (lambda path: sparse(path, (3).to_bytes(8, "little") + START), FOREIGN),
    "a model that goes on": (
        grown,
        "expected a whole .deciban file; it is truncated or damaged (3,221,225,472 bytes).",
    ),
}


def bound_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(path):
    """A node like /dev/zero, which has no end."""
    try:
        os.mknod(path, 0o666 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


SPECIAL = {"pipe": (os.mkfifo, "a pipe"), "socket": (bound_socket, "a socket"), "device": (device, "a device")}


def measured(arguments, folder):
    """What a process says on standard error, how much memory it held and how much it read."""
    script, *arguments = arguments
    done = subprocess.run(
        [sys.executable, "-c", script + MEASURE, *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )
    return done.stderr, json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mail.eml").write_bytes(b"Subject: x\n\nwords\n")
    (tmp_path / "empty").touch()
    return tmp_path


@pytest.mark.deep
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("what", LARGE)
def test_no_verb_reads_a_large_file(verb, what, folder):
    make, said = LARGE[what]
    make(folder / "large")
    ask = lambda name: [COMMAND, *(name if each == "FILE" else each for each in VERBS[verb])]  # noqa: E731
    empty, large = measured(ask("empty"), folder), measured(ask("large"), folder)
    assert large[0] == f"deciban: large: {said}\n"
    assert large[1]["read"] - empty[1]["read"] < 1 << 18
    assert large[1]["held"] - empty[1]["held"] < 4 << 20
    assert large[1]["held"] < (50 if verb in ("classify", "explain") else 64) << 20  # the others compute with NumPy


@pytest.mark.parametrize("what", LARGE)
def test_load_reads_none_either(what, folder):
    make, said = LARGE[what]
    make(folder / "large")
    told, costs = measured([LOADERS["load"], "large"], folder)
    assert told == f"large: {said}"
    assert max(costs.values()) < 50 << 20


def test_a_large_file_is_no_model_of_libsvm(folder):
    sparse(folder / "large")
    sparse(folder / "small", size=100)
    few, many = (measured([LOADERS["load_libsvm"], name], folder)[1] for name in ("small", "large"))
    assert many["read"] - few["read"] < 1 << 18
    assert many["held"] - few["held"] < 8 << 20
    with pytest.raises(DataError, match="line 1: expected a LIBSVM model"):
        deciban.load_libsvm(folder / "large")


@pytest.mark.parametrize("load", [deciban.load, deciban.load_libsvm], ids=lambda load: load.__qualname__)
@pytest.mark.parametrize("what", SPECIAL)
def test_what_is_no_regular_file_is_refused_at_once(load, what, tmp_path):
    make, name = SPECIAL[what]
    make(tmp_path / "it")
    said = f"{tmp_path}/it: expected a regular file; this is {name}. Copy its content into a file first."
    with pytest.raises(NoInputError) as caught:
        load(tmp_path / "it")
    assert str(caught.value) == said


@pytest.mark.deep
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("what", ["pipe", "device"])
def test_no_verb_waits_for_a_pipe_or_reads_a_device(verb, what, folder):
    make, name = SPECIAL[what]
    make(folder / "it")
    told, costs = measured([COMMAND, *("it" if each == "FILE" else each for each in VERBS[verb])], folder)
    assert told == f"deciban: it: expected a regular file; this is {name}. Copy its content into a file first.\n"
    assert max(costs.values()) < 64 << 20


def test_a_header_that_could_not_be_read_is_not_written(tmp_path, monkeypatch):
    path, model = tmp_path / "model", deciban.LogisticRegression().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    model.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(store, "MOST_HEADER", 100)
    with pytest.raises(
        DataError, match=r"^Expected names .* of at most 100 bytes; these take [\d,]+\. Leave columns out"
    ):
        model.save(path)
    assert path.read_bytes() == before
    with pytest.raises(DataError, match="expected a header of at most 100 bytes"):
        deciban.load(path)
