"""Messages that a server keeps: no more than there is room for, the newest; never in the way of an answer."""

import os
import sqlite3
import stat
import threading
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import DataError, StorageError
from deciban.serve import keeping
from deciban.serve.keeping import Keeper, read_letterhead
from deciban.serve.kept import LISTS, Arrival, KeepLimits, KeptMessages, Query
from deciban.serve.rating import rate_verdict
from deciban.verdict import Verdict
from tiers import examples

NOW = 1_800_000_000.0
DAY = 86400.0


def arrival(name, decibans=-15.0, *, arrived=NOW, message=b"Subject: a\n\nb\n", is_unsure=False, protocol="spamd"):
    digest = name.encode().ljust(16, b"\0")
    score = 5.0 + (decibans - 10.0) / 4.34
    return Arrival(digest, arrived, protocol, "Ann", f"about {name}", score, decibans, score >= 5.0, is_unsure, message)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "f.deciban").write_bytes(b"")
    return str(tmp_path / "f.deciban")


def names(kept, query=Query()):  # noqa: B008 - it is never changed
    return [each.subject.removeprefix("about ") for each in kept.select(query)]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 50)), max_size=8), max_size=8),
    st.integers(1, 6),
    st.integers(20, 200),
)
@examples(10)
def test_the_newest_are_kept_and_no_more_than_there_is_room_for(tmp_path_factory, batches, most, most_bytes):
    path = tmp_path_factory.mktemp("kept") / "f.deciban"
    path.write_bytes(b"")
    kept = KeptMessages(str(path), limits=KeepLimits(30.0, most, most_bytes, 40))
    known: dict[str, int] = {}
    for batch in batches:
        kept.add([arrival(str(name), message=b"x" * size) for name, size in batch], NOW)
        for name, size in batch:
            known[str(name)] = known.pop(str(name), min(size, 40))
        while len(known) > most or sum(known.values()) > most_bytes:
            del known[next(iter(known))]
        assert names(kept) == [*known][::-1]
    for each in kept.select():
        assert len(kept.content(each.id)) == known[each.subject.removeprefix("about ")]
        assert kept.is_whole(each) == (each.size <= 40)
    if batches:
        with closing(sqlite3.connect(kept.where)) as database:
            counts = [database.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("messages", "contents")]
        assert counts == [len(known)] * 2


def test_old_ones_go(path):
    kept = KeptMessages(path, limits=KeepLimits(days=2.0))
    kept.add([arrival("a", arrived=NOW - 1.9 * DAY)], NOW - 1.9 * DAY)
    kept.add([arrival("b")], NOW)
    assert names(kept) == ["b", "a"]
    kept.add([arrival("c", arrived=NOW + DAY)], NOW + DAY)
    assert names(kept) == ["c", "b"]
    assert b"about a" not in Path(kept.where).read_bytes(), "nor does the file hold what was deleted"
    assert [(each.begins, each.ham) for each in kept.hours(NOW - 9 * DAY)][-1] == ((NOW + DAY) // 3600 * 3600, 1)


def test_a_message_that_comes_again_is_one_and_its_rating_before_the_label_stays(path):
    kept = KeptMessages(path)
    kept.add([arrival("a", 3.0, is_unsure=True), arrival("b")], NOW)
    kept.add([arrival("a", 4.0, is_unsure=True, protocol="milter")], NOW)
    [first, _] = kept.select()
    assert (first.times, first.decibans, first.protocol, first.label) == (2, 4.0, "milter", None)
    kept.label([first.digest, b"unknown"], "spam", NOW + 1.0)
    kept.add([arrival("a", 40.0)], NOW)
    again = kept.get(first.id)
    assert (again.times, again.decibans, again.is_unsure, again.label, again.labelled) == (
        3,
        4.0,
        True,
        "spam",
        NOW + 1,
    )
    kept.label([first.digest], None)
    assert kept.get(first.id).label is None
    assert kept.get(first.id).labelled is None


def test_lists(path):
    kept = KeptMessages(path, "junk")
    ratings = {"sure": 30.0, "doubt": 4.0, "more doubt": -1.0, "ham": -25.0, "wrong": -31.0, "right": 33.0}
    kept.add([arrival(name, d, is_unsure=abs(d) < 10) for name, d in ratings.items()], NOW)
    of = {each.subject.removeprefix("about "): each.digest for each in kept.select()}
    kept.label([of["wrong"], of["right"], of["more doubt"]], "junk")
    kept.label([of["sure"]], "ham")
    assert names(kept) == [*ratings][::-1]
    assert names(kept, Query("uncertain")) == ["doubt"]
    assert names(kept, Query("mislabelled")) == ["wrong", "sure"]
    kept.label([of["wrong"]], "junk")
    assert names(kept, Query("mislabelled")) == ["sure"], "whoever labels it so again has looked at it"
    kept.label([of["wrong"]], "ham")
    kept.label([of["wrong"]], "junk")
    assert names(kept, Query("mislabelled")) == ["wrong", "sure"], "another label is not a confirmation"
    assert names(kept, Query(verdict="unsure")) == ["more doubt", "doubt"]
    assert names(kept, Query(verdict="spam")) == ["right", "sure"]
    assert names(kept, Query(verdict="ham")) == ["wrong", "ham"]
    assert names(kept, Query(label="junk")) == ["right", "wrong", "more doubt"]
    assert names(kept, Query(label="")) == ["ham", "doubt"]
    assert names(kept, Query(text="ABOUT MORE")) == ["more doubt"]
    assert names(kept, Query(text="%")) == []
    assert names(kept, Query(protocol="http")) == []
    assert names(kept, Query(offset=1, limit=2)) == ["wrong", "ham"]
    assert [kept.count(Query(name)) for name in LISTS] == [6, 1, 2]
    [hour] = kept.hours(NOW)
    assert (hour.spam, hour.ham, hour.unsure) == (2, 2, 2)


def test_nothing_is_kept_until_something_is(path):
    kept = KeptMessages(path)
    kept.label([b"x" * 16], "spam")
    assert (kept.select(), kept.count(), kept.get(1), kept.content(1), kept.hours(0.0), kept.newest()) == (
        [],
        0,
        None,
        None,
        [],
        0,
    )
    assert not os.path.exists(kept.where)


def test_only_its_owner_reads_it(path):
    os.chmod(path, 0o644)
    kept = KeptMessages(path)
    kept.add([arrival("a")], NOW)
    assert stat.S_IMODE(os.stat(kept.where).st_mode) == 0o600


def add_many(path, start):
    for k in range(20):
        KeptMessages(path).add([arrival(f"{start + 10 * k + i}") for i in range(10)], NOW)


def test_many_processes_write_at_once(path):
    with get_context("spawn").Pool(3) as pool:
        pool.starmap(add_many, [(path, start) for start in (0, 1000, 2000)])
    kept = KeptMessages(path)
    assert kept.count() == 600
    assert len({each.seen for each in kept.select(Query(limit=1000))}) == 600


def test_what_is_no_database_of_ours_is_said(path):
    kept = KeptMessages(path)
    kept.add([arrival("a")], NOW)
    with closing(sqlite3.connect(kept.where)) as database:
        database.execute("PRAGMA user_version = 9")
    with pytest.raises(DataError, match=r"written by a newer version \(layout 9; this one reads up to 1\)"):
        kept.select()
    for name in (kept.where, f"{kept.where}-wal", f"{kept.where}-shm"):
        if os.path.exists(name):
            os.unlink(name)
    with open(kept.where, "wb") as file:
        file.write(b"no database" * 1000)
    with pytest.raises(DataError, match="expected the messages that a server keeps; it is damaged"):
        kept.select()
    with pytest.raises(DataError, match="Move it away: the filter needs nothing of it"):
        kept.add([arrival("a")], NOW)
    os.unlink(kept.where)
    os.mkdir(kept.where)
    with pytest.raises(StorageError, match="could not be read or written"):
        kept.add([arrival("a")], NOW)


# --- beside the answer -------------------------------------------------------------------------------------


def rating(decibans=-20.0):
    p = 1.0 / (1.0 + 10.0 ** (decibans / 10.0))
    return rate_verdict(Verdict("ham", "spam", {"ham": p, "spam": 1.0 - p}, -decibans, False, None), "spam")


@pytest.fixture
def counted():
    return {"kept": 0, "dropped": 0, "failed": 0}


@pytest.fixture
def keeper(path, counted):
    def count(outcome, n):
        counted[outcome] += n

    return Keeper(KeptMessages(path), lambda message: message[-16:].rjust(16, b"\0"), count)


def test_all_that_is_noted_is_kept_in_order(keeper, counted):
    for k in range(50):
        keeper.note(b"From: a@b\nSubject: about %d\n\n%d" % (k, k), rating(), "http")
    keeper.label(b"From: a@b\nSubject: about 7\n\n7", "spam")
    keeper.close()
    assert counted == {"kept": 50, "dropped": 0, "failed": 0}
    assert names(keeper.kept, Query(limit=100)) == [str(k) for k in range(50)][::-1]
    [labelled] = keeper.kept.select(Query(label="spam"))
    assert (labelled.subject, labelled.sender, labelled.protocol, labelled.score) == (
        "about 7",
        "a@b",
        "http",
        rating().score,
    )


def test_when_too_many_wait_some_are_dropped_and_counted(keeper, counted, monkeypatch):
    held = threading.Event()
    monkeypatch.setattr(type(keeper.kept), "add", lambda self, arrivals: held.wait(20))
    monkeypatch.setattr(keeping, "_MOST", 10)
    monkeypatch.setattr(keeping, "_MOST_BYTES", 500)
    for k in range(40):
        keeper.note(b"%d" % k, rating(), "http")
    assert counted["dropped"] == 30
    held.set()
    keeper.close()
    assert counted["kept"] == 10
    for size in (490, 490):
        keeper.note(b"x" * size, rating(), "http")
    assert counted["dropped"] >= 31


def test_what_cannot_be_written_is_said_once_and_harms_nothing(keeper, counted, caplog):
    os.mkdir(keeper.kept.where)
    for _ in range(3):
        keeper.note(b"x", rating(), "http")
        keeper.flush()
    keeper.close()
    assert counted == {"kept": 0, "dropped": 0, "failed": 3}
    [record] = caplog.records
    assert "messages are not kept: " in record.message


@given(st.binary(max_size=400), st.binary(max_size=400))
@examples(50)
def test_whatever_a_letterhead_says_is_printable_and_short(sender, subject):
    for message in (b"From: " + sender + b"\nSubject: " + subject + b"\n\nFrom: body\n", sender + subject):
        for each in read_letterhead(message):
            assert each.isprintable()
            assert len(each) <= 300 * 10
