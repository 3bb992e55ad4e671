"""The filter's file, whatever happens to the process that writes it: whole, and nothing that was learnt is lost."""

import fcntl
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

from deciban.errors import DataError, NoInputError, StorageError
from deciban.mail.filter import Filter, train_rows, updating
from deciban.text.model import DEFAULTS

FIRST = [f"Subject: first {label}\n\nall the first {label}\n" for label in ("ham", "spam")]


def message(i):
    return f"From: a{i}@example.org\nSubject: about {i % 3}\n\nwords of number {i}\n".encode()


@pytest.fixture
def path(tmp_path):
    """A file with a filter of two messages."""
    known, _ = train_rows([(FIRST, ["ham", "spam"])], *DEFAULTS["mail"])
    known.save(tmp_path / "mail.deciban")
    return tmp_path / "mail.deciban"


def learn(path, numbers, label="spam"):
    """Learn messages one update at a time."""
    for number in numbers:
        with updating(path) as update:
            update.filter, _ = update.filter.learn([message(number)], label)


def interrupted(path):
    """Ctrl-C after something was learnt, before it is written."""
    with updating(path) as update:
        update.filter, _ = update.filter.learn([message(1)], "spam")
        raise KeyboardInterrupt


def state(path):
    about = os.stat(path)
    return about.st_ino, about.st_mtime_ns, Path(path).read_bytes()


def run(script, path, *arguments, **options):
    """Run a script that knows `path`, and imports what it needs first."""
    head = "import sys, os\nfrom deciban.mail.filter import Filter, updating\nfrom deciban.errors import *\n"
    head += "path = sys.argv[1]\nknown = Filter.load(path)\n"
    command = [sys.executable, "-c", head + textwrap.dedent(script), str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def test_learning_what_is_known_leaves_the_file_alone(path):
    learn(path, [1])
    before = state(path)
    learn(path, [1])
    with updating(path) as update:
        update.filter, outcomes = update.filter.forget([message(2)])
    assert outcomes == ["not known"]
    with updating(path):
        pass
    assert state(path) == before


def test_learnt_and_forgotten_is_the_file_as_it_was(path):
    before = path.read_bytes()
    learn(path, range(5))
    learn(path, range(3), "ham")
    assert path.read_bytes() != before
    for number in [0, 1, 2, 0, 1, 2, 3, 4]:
        with updating(path) as update:
            update.filter, _ = update.filter.forget([message(number)])
    assert path.read_bytes() == before


def test_an_error_inside_an_update_leaves_the_file_alone(path):
    before = state(path)
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    with pytest.raises(DataError, match="one of the filter's labels"):
        learn(path, [1], "junk")
    assert state(path) == before
    learn(path, [1])  # and the lock is free


@pytest.mark.deep
def test_processes_that_learn_at_once_lose_nothing(path):
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=learn, args=(path, range(k, 20, 2))) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0]
    together = path.read_bytes()
    known, _ = train_rows([(FIRST, ["ham", "spam"])], *DEFAULTS["mail"])
    known.learn([message(i) for i in range(20)], "spam")[0].save(path)
    assert together == path.read_bytes()
    assert os.listdir(path.parent) == ["mail.deciban"]


@pytest.mark.deep
def test_a_process_that_is_killed_leaves_a_whole_file(path):
    script = """
        number = int(sys.argv[2])
        print("ready", flush=True)
        while True:
            number += 1
            text = f"From: a{number}@example.org\\nSubject: about {number % 3}\\n\\nwords of number {number}\\n"
            with updating(path) as update:
                update.filter, _ = update.filter.learn([text.encode()], "spam")
    """
    head = "import sys\nfrom deciban.mail.filter import updating\npath = sys.argv[1]\n"
    learnt = 0
    for attempt in range(8):
        command = [sys.executable, "-c", head + textwrap.dedent(script), str(path), str(1000 * attempt)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"ready\n"
            before = path.read_bytes()
            while path.read_bytes() == before and process.poll() is None:  # until the first update is written
                time.sleep(0.001)
            time.sleep(0.0037 * attempt)
            process.send_signal(signal.SIGKILL)
        known = Filter.load(path)
        assert len(known.ledger) > learnt
        learnt = len(known.ledger)
        learn(path, [50 + attempt])  # the lock died with the process
        learnt += 1
        assert len(Filter.load(path).ledger) == learnt


FULL = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        with updating(path) as update:
            update.filter, _ = update.filter.learn([b"Subject: x\\n\\nmore words\\n"], "spam")
    except StorageError as error:
        print(error)
"""


def test_a_full_disk_leaves_the_old_file(path):
    before = state(path)
    ended = run(FULL, path)
    assert ended.stdout == (
        f"{path}: could not be written: File too large. "
        "Nothing was changed; make room or choose another place, and try again.\n"
    ), ended.stderr
    assert state(path) == before
    assert os.listdir(path.parent) == ["mail.deciban"]


READ_ONLY = """
    import tempfile
    with tempfile.TemporaryDirectory() as other, updating(path):  # what is imported late may be out of reach then
        known.save(os.path.join(other, "f"))
    if os.getuid() == 0:
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
    try:
        with updating(path) as update:
            update.filter, _ = update.filter.learn([b"Subject: x\\n\\nmore words\\n"], "spam")
    except StorageError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("mode", "of_folder", "said"),
    [
        (
            0o666,
            0o555,
            "could not be written: Permission denied. Nothing was changed; you need the right to write in {folder}.",
        ),
        (
            0o444,
            0o777,
            "expected a file that you may write; you may not. Nothing was changed. Change its mode (chmod u+w), or do "
            "this as its owner.",
        ),
    ],
    ids=["folder", "file"],
)
def test_what_may_not_be_written_stays_as_it_is(mode, of_folder, said, path):
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, "mail.deciban")
        other.write_bytes(path.read_bytes())
        other.chmod(mode)
        before = state(other)
        os.chmod(folder, of_folder)
        try:
            ended = run(READ_ONLY, other)
        finally:
            os.chmod(folder, 0o755)
        assert ended.stdout == f"{other}: {said.format(folder=folder)}\n", ended.stderr
        assert state(other) == before
        assert os.listdir(folder) == ["mail.deciban"]


def test_places_that_cannot_be_written(path, tmp_path):
    known = Filter.load(path)
    for place in (tmp_path / "none" / "f", tmp_path / "mail.deciban" / "f", tmp_path):
        with pytest.raises(StorageError, match="could not be written"):
            known.save(place)
    assert os.listdir(tmp_path) == ["mail.deciban"]


def test_a_pipe_or_a_device_takes_the_file_and_stays_what_it_is(path, tmp_path):
    known, pipe = Filter.load(path), tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        known.save(pipe)
        assert reader.stdout.read() == path.read_bytes()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    known.save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert sorted(os.listdir(tmp_path)) == ["mail.deciban", "pipe"]


def test_what_is_not_there_cannot_be_updated(tmp_path):
    with pytest.raises(NoInputError, match="there is none of that name"), updating(tmp_path / "none"):
        pass
    (tmp_path / "broken").symlink_to(tmp_path / "none")
    with pytest.raises(NoInputError), updating(tmp_path / "broken"):
        pass


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_mode_is_kept(path, mode):
    path.chmod(mode)
    learn(path, [1])
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_mode_of_any_new_file(path, tmp_path, umask):
    before = os.umask(umask)
    try:
        Filter.load(path).save(tmp_path / "new.deciban")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.deciban").stat().st_mode) == 0o666 & ~umask


def test_a_link_stays_a_link(path, tmp_path):
    (tmp_path / "deep").mkdir()
    link = tmp_path / "deep" / "link.deciban"
    link.symlink_to("../mail.deciban")
    learn(link, [1])
    assert link.is_symlink()
    assert not path.is_symlink()
    assert link.read_bytes() == path.read_bytes()
    assert len(Filter.load(path).ledger) == 3
    assert sorted(os.listdir(tmp_path)) == ["deep", "mail.deciban"]


def test_who_waited_for_the_lock_sees_what_was_written_and_holds_the_new_file(path):
    """The lock is on a file that the update replaces: whoever waited must take the one that is there now."""
    script = """
        print("waiting", flush=True)
        with updating(path) as update:
            print(len(update.filter.ledger), flush=True)
            sys.stdin.readline()
    """
    head = "import sys\nfrom deciban.mail.filter import updating\npath = sys.argv[1]\n"
    command = [sys.executable, "-c", head + textwrap.dedent(script), str(path)]
    with updating(path) as update:
        other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert other.stdout.readline() == "waiting\n"
        time.sleep(0.3)
        assert other.poll() is None
        update.filter, _ = update.filter.learn([message(1)], "spam")
    with other:
        assert other.stdout.readline() == "3\n"
        with path.open("rb") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        other.stdin.write("\n")
    assert other.returncode == 0
