"""A filter is refreshed beside its server; what was not done when that ended is due at the next start."""

import shutil
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from deciban.mail.journal import Journal
from deciban.mail.teaching import is_due
from deciban.serve.live import LiveFilter
from system.command import HAM, KOREAN, TRAIN, run
from system.serving import serving, until
from system.test_serve import DID, score_of, tell

LESSONS = [b"Subject: lesson %d\n\nword%d word%d again\n" % (k, k, k + 1) for k in range(30)]


def waiting(path):
    """How many lessons the file of a filter does not have yet."""
    with Journal.open(path, write=False) as journal:
        return journal.waiting()


def refreshing(path):
    """The process that refreshes a filter, if there is one."""
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            words = (each / "cmdline").read_bytes().split(b"\0")
            if b"refresh" in words and str(path).encode() in words:
                return int(each.name)
    return None


def test_many_lessons_and_lessons_that_change_the_file_are_due(own):
    assert not is_due(str(own))
    known = next((TRAIN / "ham").iterdir())
    assert run("learn", own, "--as", "ham", HAM).returncode == 0
    assert not is_due(str(own))
    shutil.copy(own, own.with_name("g.deciban"))
    other = own.with_name("g.deciban")
    taught = LiveFilter(str(other))
    assert taught.learn(known.read_bytes(), "spam", "a test") == "relabelled"
    assert is_due(str(other))
    assert run("refresh", other).returncode == 0
    assert not is_due(str(other))
    taught = LiveFilter(str(own))
    taught.teach([*LESSONS], "spam", "a test")
    assert is_due(str(own))


def test_a_model_without_a_journal_is_never_due(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    assert run("train", tmp_path / "t.csv", "--label", "y", "-o", tmp_path / "t.deciban").returncode == 0
    assert not is_due(str(tmp_path / "t.deciban"))


@pytest.mark.deep
def test_a_refresh_that_the_end_of_the_server_broke_off_is_done_after_the_next_start(own, tmp_path):
    at, before = tmp_path / "s", own.read_bytes()
    with serving(own, at, "--allow-tell", "--workers", 2) as process:
        for lesson in LESSONS:
            assert tell(at, lesson, Message_class="spam", Set="local") == DID
        until(lambda: refreshing(own), process)
        broken_off = refreshing(own)
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert not Path(f"/proc/{broken_off}").exists()
        assert own.read_bytes() == before
        assert waiting(own) == len(LESSONS)
    names = {each.name for each in tmp_path.iterdir()}
    assert not any(name.endswith((".tmp", ".part")) for name in names), names
    with serving(own, at, "--workers", 2) as process:
        score = score_of(at, KOREAN.read_bytes())
        until(lambda: waiting(own) == 0, process)
        assert own.read_bytes() != before
        until(lambda: not refreshing(own))
        assert abs(score_of(at, KOREAN.read_bytes()) - score) < 1.0
    assert "refreshing the filter failed" not in process.said
