"""A backup is what there was at one moment, and what is restored is that, to the last bit."""

import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import threading
from contextlib import closing, contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import DataError, StorageError, UsageError
from deciban.files import archives
from deciban.files.archives import read_archive, write_archive
from deciban.mail import backups
from deciban.mail.backups import back_up, restore
from deciban.mail.sql_stores import store_at
from deciban.mail.users import Users, users_beside
from deciban.serve.kept import Arrival, KeptMessages
from deciban.serve.live import LiveFilter
from deciban.serve.user_filters import UserFilters
from stores import STORES, new_schema, postgresql
from system.command import HAM
from system.faults import KILLS, Fault, Process
from tiers import deep, examples

NAMES = ["ann@example.com", "@example.com", "bob"]
MESSAGES = [b"Subject: message %d\n\nwords of message %d, and of others\n" % (k, k) for k in range(6)]


@pytest.fixture(scope="module")
def server():
    """The URL of a PostgreSQL."""
    with postgresql() as url:
        yield url


@pytest.fixture
def new_url(request):
    """A function that returns the URL of a new store of a sort, None beside the filter."""
    return lambda sort: None if sort == "sqlite" else new_schema(request.getfixturevalue("server"))


def keep(path, *numbers):
    """Let a server have classified messages of these numbers."""
    text = "Subject: 안내 {0}\n\n본문 {0}\n"
    KeptMessages(str(path)).add(
        [
            Arrival(
                bytes([k] * 16),
                1.8e9 + k,
                "spamd",
                f"보낸이 {k}",
                f"안내 {k}",
                5.0,
                -k,
                k > 2,
                k == 1,
                text.format(k).encode(),
            )
            for k in numbers
        ],
        1.8e9,
    )


def kept_state(path):
    """All that is kept of messages, with their texts, and of the hours that had some."""
    kept = KeptMessages(str(path))
    return [*kept.contents(1_000)], kept.hours(0.0)


def teach(path, url):
    """Let all learn, and some users more; and let a server keep messages."""
    keep(path, 1, 2, 3, 4)
    KeptMessages(str(path)).label([bytes([2] * 16)], "spam", 1.9e9)
    filters = UserFilters(LiveFilter(str(path)), store_at(url, users_beside(path), str(path)))
    filters.shared.learn(MESSAGES[0], "spam", "all")
    for k, name in enumerate(NAMES):
        for message in MESSAGES[: k + 2]:
            filters.of(name).learn(message, "spam" if k else "ham", "a test")
    filters.of("bob").forget(MESSAGES[1], "")
    filters.close()


def state(path, url):
    """What a filter says to all and to users, and all that is kept of users and messages."""
    live = LiveFilter(str(path))
    filters = UserFilters(live, store_at(url, users_beside(path), str(path)))
    said = [repr(filters.of(name).explain(message)) for name in [None, *NAMES] for message in MESSAGES]
    kept = filters.ask(lambda users: [users.export(each.name, live.classes) for each in users.summaries()])
    filters.close()
    return said, kept, kept_state(path), path.read_bytes()


@pytest.mark.parametrize("to", STORES)
@pytest.mark.parametrize("of", STORES)
def test_what_is_restored_is_what_was_backed_up(of, to, own, run, out, tmp_path, new_url):
    url, other = new_url(of), new_url(to)
    run("snapshot", own, "first")
    out("canary", own, HAM)
    teach(own, url)
    run("snapshot", own, "second")
    before = state(own, url)
    made = back_up(str(own), "b", url)
    assert (made.users, made.snapshots, made.messages, made.has_journal) == (3, 2, 4, True)
    assert restore("b", str(tmp_path / "new.deciban"), other) == made
    assert state(tmp_path / "new.deciban", other) == before
    for verb, key in (("snapshot", "snapshots"), ("canary", "canaries")):
        listed = [json.loads(out(verb, path, "--list", "--json"))[key] for path in ("f.deciban", "new.deciban")]
        assert len(listed[0]) == len(listed[1]) == (2 if verb == "snapshot" else 1)
    # And over what has gone on since.
    filters = UserFilters(LiveFilter(str(own)), store_at(url, users_beside(own), str(own)))
    filters.shared.learn(MESSAGES[3], "spam", "")
    filters.of("carol").learn(MESSAGES[4], "spam", "")
    filters.close()
    keep(own, 3, 5)
    said, kept, messages, _ = state(own, url)
    assert (said == before[0], kept == before[1], messages == before[2]) == (False, False, False)
    restore("b", str(own), url, force=True)
    assert state(own, url) == before
    assert not [each for each in tmp_path.iterdir() if each.name.endswith(".part")]


@pytest.mark.parametrize("sort", STORES)
def test_a_restore_that_fails_changes_nothing(sort, own, run, tmp_path, new_url, monkeypatch):
    url = new_url(sort)
    run("snapshot", own, "first")
    teach(own, url)
    back_up(str(own), "b", url)
    run("snapshot", own, "second")
    filters = UserFilters(LiveFilter(str(own)), store_at(url, users_beside(own), str(own)))
    filters.of("carol").learn(MESSAGES[4], "spam", "")
    filters.shared.learn(MESSAGES[5], "spam", "")
    filters.close()
    keep(own, 5)
    before, names = state(own, url), sorted(each.name for each in tmp_path.rglob("*.deciban*"))

    def full(*_):
        raise StorageError("no space is left.")

    monkeypatch.setattr(backups, "replace", full)
    for place in (str(own), "new.deciban"):
        with pytest.raises(StorageError, match=r"^no space is left\.$"):
            restore("b", place, url, force=True)
        assert state(own, url) == before
        assert sorted(each.name for each in tmp_path.rglob("*.deciban*") if each.name != "new.deciban.users") == names
    assert not [each for each in tmp_path.iterdir() if each.name.endswith(".part")]


def killed_at(kind, at, work):
    """A process that does `work` and is killed there: at a call that writes, or before a statement that begins or ends
    something in a database."""
    if kind in KILLS:
        return Process(work, Fault(kind, at))
    left, connect = [at], sqlite3.connect

    def trace(statement):
        if statement.startswith(("BEGIN", "COMMIT", "DELETE")):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def traced(*arguments, **more):
        connection = connect(*arguments, **more)
        connection.set_trace_callback(trace)
        return connection

    def inside():
        sqlite3.connect = traced
        return work()

    return Process(inside)


def kills(kind, work):
    """Do `work` in processes that are killed at one place after the other; yield after each, until one ends by itself.
    One that is to be killed after a call that fails is not."""
    at = 0
    while (ended := killed_at(kind, at, work).wait()).code is None or (kind in KILLS and ended.calls > at):
        yield at
        at += 1
    assert ended.code == 0


@pytest.mark.deep
@pytest.mark.parametrize("kind", [*KILLS, "before a statement"])
def test_after_a_restore_that_was_killed_nothing_is_learnt_before_the_next_one(
    kind, own, run, tmp_path, tmp_path_factory
):
    """But where all is as it was, or as it is to be."""
    run("snapshot", own, "first")
    teach(own, None)
    back_up(str(own), "b")
    wanted, names = state(own, None), sorted(each.name for each in tmp_path.iterdir())
    run("snapshot", own, "second")
    filters = UserFilters(LiveFilter(str(own)), store_at(None, users_beside(own), str(own)))
    filters.shared.learn(MESSAGES[5], "spam", "")
    filters.of("carol").learn(MESSAGES[4], "spam", "")
    filters.close()
    keep(own, 5)
    before, now, refused = state(own, None), tmp_path_factory.mktemp("now"), 0
    shutil.copytree(tmp_path, now, dirs_exist_ok=True)

    def again():
        restore("b", str(own), force=True)
        return 0

    for _ in kills(kind, again):
        try:
            LiveFilter(str(own)).learn(MESSAGES[5], "ham", "")
        except StorageError as error:
            assert str(error) == (  # noqa: PT017
                f"{own}: expected a filter, journal and users of one moment; a restore was broken off. Restore again: "
                f"deciban restore BACKUP {own} --force."
            )
            refused += 1
        else:
            LiveFilter(str(own)).learn(MESSAGES[5], "spam", "")
            assert state(own, None)[0] in (before[0], wanted[0])
        again()
        assert state(own, None) == wanted
        assert sorted(each.name for each in tmp_path.iterdir()) == names
        for path in tmp_path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(now, tmp_path, dirs_exist_ok=True)
    assert refused > 2


@pytest.mark.deep
@pytest.mark.parametrize("kind", [*KILLS, "before a statement"])
def test_after_a_restore_to_a_new_name_that_was_killed_all_is_there_or_nothing_is_learnt(kind, own, run, tmp_path):
    run("snapshot", own, "first")
    teach(own, None)
    back_up(str(own), "b")
    wanted, new, refused = state(own, None), tmp_path / "new.deciban", 0
    names = {each.name for each in tmp_path.iterdir()}

    def again():
        restore("b", str(new), force=True)
        return 0

    for _ in kills(kind, again):
        if new.exists():
            try:
                LiveFilter(str(new)).learn(MESSAGES[5], "ham", "")
            except StorageError:
                refused += 1
            else:
                LiveFilter(str(new)).forget(MESSAGES[5], "")
                assert state(new, None)[:3] == wanted[:3]
        again()
        assert state(new, None) == wanted
        made = {each.name for each in tmp_path.iterdir()} - names
        assert made == {f"new.deciban{suffix}" for suffix in ("", ".journal", ".users", ".kept", ".snapshots")}
        for name in made:
            path = tmp_path / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert refused > 0


def test_a_filter_alone_is_backed_up_and_restored(own, out, run, tmp_path):
    assert out("backup", own, "b").startswith("Backed up a filter, 0 users, 0 snapshots, 0 messages: ")
    teach(own, None)
    assert run("restore", "b", own).returncode == 64
    assert out("restore", "b", own, "--force") == "Restored a filter, 0 users, 0 snapshots, 0 messages.\n"
    assert out("restore", "b", "new.deciban", "--json").startswith("{")
    assert own.read_bytes() == (tmp_path / "new.deciban").read_bytes()
    assert out("users", own) == "0 users.\n"
    assert len({repr(LiveFilter(path).explain(MESSAGES[0])) for path in ("f.deciban", "new.deciban")}) == 1


def test_a_backup_that_is_not_there_is_named(own, run):
    done = run("restore", "nothing", own, "--force")
    assert done.returncode == 66
    assert done.stderr.startswith("deciban: nothing: ")


def test_nothing_is_replaced_without_force(own, run, out, tmp_path):
    teach(own, None)
    out("backup", own, "b")
    done = run("backup", own, "b")
    assert done.returncode == 64
    assert done.stderr == "deciban: b: exists. Choose another name, or replace it: --force.\n"
    out("backup", own, "b", "--force")
    before = state(own, None)
    with pytest.raises(UsageError, match=r"f\.deciban: exists\. Restore to another name, or replace it: --force\."):
        restore("b", str(own))
    shutil.copy(users_beside(own), tmp_path / "new.deciban.users")
    with pytest.raises(UsageError, match=r"new\.deciban\.users: exists\."):
        restore("b", "new.deciban")
    assert state(own, None) == before


@pytest.mark.parametrize("seed", [*range(8), *deep(*range(8, 60))])
def test_a_damaged_backup_changes_nothing(seed, own, tmp_path):
    teach(own, None)
    back_up(str(own), "b")
    content, draw = bytearray((tmp_path / "b").read_bytes()), random.Random(seed)
    at = draw.randrange(len(content)) if seed % 2 else draw.randrange(400)
    if seed % 3:
        content[at] ^= 1 << draw.randrange(8)
    else:
        del content[at:]
    (tmp_path / "b").write_bytes(content)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(DataError, match=r"^b: (the backup is damaged: .*Nothing was restored|expected a backup)"):
        restore("b", "new.deciban")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/passwd", "snapshots/../x.deciban", "snapshots/.deciban", "snapshots/a/b.deciban", "filter2", "",
     "snapshots/a.deciban.users", "snapshots/x"],
)  # fmt: skip
def test_a_backup_names_no_file_of_its_own(name, own, tmp_path):
    (tmp_path / "evil").write_bytes(b"evil")
    write_archive("b", {"filter": str(own), name: str(tmp_path / "evil")})
    with pytest.raises(DataError) as caught:
        restore("b", "new.deciban")
    assert str(caught.value) == (
        f"b: the backup is damaged: it has a file {name!r}, which no backup has. Nothing was restored; take another "
        "copy."
    )
    assert not (tmp_path / "new.deciban").exists()


@pytest.mark.parametrize("member", ["filter", "journal", "users", "messages"])
def test_a_backup_of_damaged_files_changes_nothing(member, own, tmp_path):
    teach(own, None)
    suffixes = {"filter": "", "journal": ".journal", "users": ".users", "messages": ".kept"}
    parts = {name: tmp_path / f"f.deciban{suffix}" for name, suffix in suffixes.items()}
    for path in [*parts.values()][1:]:
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (tmp_path / "damaged").write_bytes(b"deciban" * 1000)
    write_archive("b", {name: str(path) for name, path in {**parts, member: tmp_path / "damaged"}.items()})
    with pytest.raises(DataError, match=rf"^b: {member} is damaged: .* Nothing was restored\."):
        restore("b", "new.deciban")
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(("new", "."))]


def test_a_database_with_triggers_is_refused(own, tmp_path):
    teach(own, None)
    with closing(sqlite3.connect(users_beside(own), isolation_level=None)) as database:
        database.execute("CREATE TRIGGER t AFTER DELETE ON users BEGIN DELETE FROM user_lessons; END")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    write_archive("b", {"filter": str(own), "users": users_beside(own)})
    with pytest.raises(DataError, match=r"^b: users is damaged: a database has triggers or views\."):
        restore("b", "new.deciban")


@given(st.binary(max_size=200), st.booleans())
@examples(100)
def test_any_bytes_are_an_archive_or_an_error(tmp_path_factory, content, begins):
    folder = tmp_path_factory.mktemp("any")
    (folder / "b").write_bytes(archives._MAGIC * begins + content)
    with pytest.raises(DataError):
        read_archive(folder / "b", lambda name: str(folder / "x"))


def test_a_header_of_terabytes_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "b"
    path.write_bytes(archives._MAGIC + (1 << 62).to_bytes(8, "little") + bytes(40))
    with pytest.raises(DataError, match="its header is cut short"):
        read_archive(path, lambda name: None)


def test_a_backup_is_of_one_moment_while_others_teach(own, tmp_path):
    """Whatever moment it is: the lessons of the journal and of each user are the first so many, without a gap."""
    filters = UserFilters(LiveFilter(str(own)), store_at(None, users_beside(own), str(own)))
    ended = threading.Event()

    def go_on():
        for k in range(10_000):
            if ended.is_set():
                break
            message = b"Subject: m%d\n\nbody %d\n" % (k, k)
            filters.of("ann").learn(message, "spam", str(k))
            filters.of("bob").learn(message, "ham", str(k))
        filters.close()

    teacher = threading.Thread(target=go_on)
    teacher.start()
    try:
        for k in range(3):
            back_up(str(own), f"b{k}")
            restore(f"b{k}", f"n{k}.deciban")
            users = Users.connect(store_at(None, f"n{k}.deciban.users", f"n{k}.deciban"))
            counts = []
            for name in ("ann", "bob"):
                found = users.export(name, ["ham", "spam"])
                sources = [each["source"] for each in found["lessons"]] if found else []
                assert sources == [*map(str, range(len(sources)))]
                counts.append(len(sources))
            assert counts[0] - counts[1] in (0, 1)
            users.close()
    finally:
        ended.set()
        teacher.join()


def test_messages_stay_where_a_backup_has_none(own, tmp_path):
    """As one of a version has that did not hold them."""
    teach(own, None)
    back_up(str(own), "b", messages=False)
    keep(own, 5)
    before = kept_state(own)
    assert restore("b", str(own), force=True).messages == 0
    assert kept_state(own) == before
    os.rename(tmp_path / "f.deciban.kept", tmp_path / "new.deciban.kept")
    restore("b", str(tmp_path / "new.deciban"))  # nothing of it is there, and nothing of them is replaced
    assert kept_state("new.deciban") == before


def test_messages_are_left_out_on_request(own, out, tmp_path):
    teach(own, None)
    assert json.loads(out("backup", own, "b", "--json"))["messages"] == 4
    assert "0 messages" in out("backup", own, "c", "--without-messages")
    assert "본문 3".encode() in (tmp_path / "b").read_bytes()
    assert "본문 3".encode() not in (tmp_path / "c").read_bytes()
    keep(own, 5)
    before = kept_state(own)
    assert "0 messages" in out("restore", "b", own, "--force", "--without-messages")
    assert kept_state(own) == before
    assert "4 messages" in out("restore", "b", own, "--force")
    assert kept_state(own) != before


def test_messages_of_another_filter_are_not_replaced_without_force(own, run, tmp_path):
    teach(own, None)
    back_up(str(own), "b")
    keep(own, 5)
    shutil.copy("f.deciban.kept", "new.deciban.kept")
    before = kept_state("new.deciban")
    done = run("restore", "b", "new.deciban")
    assert (done.returncode, done.stderr) == (
        64,
        "deciban: new.deciban.kept: exists. Restore to another name, or replace it: --force.\n",
    )
    assert kept_state("new.deciban") == before
    assert not (tmp_path / "new.deciban").exists()
    restore("b", "new.deciban", force=True)
    assert [each.digest[0] for each, _ in kept_state("new.deciban")[0]] == [4, 3, 2, 1]


def test_only_the_owner_may_read_messages(own, out, tmp_path):
    def rights(name):
        return stat.S_IMODE((tmp_path / name).stat().st_mode)

    out("backup", own, "b")
    (tmp_path / "b").chmod(0o644)
    teach(own, None)
    out("backup", own, "b", "--force")
    out("backup", own, "c")
    out("restore", "c", "new.deciban")
    assert [rights(name) for name in ("b", "c", "new.deciban.kept")] == [0o600] * 3
    os.unlink("f.deciban.kept")
    own.chmod(0o644)
    out("restore", "b", own, "--force")
    assert rights("f.deciban.kept") == 0o600
    assert kept_state(own) == kept_state("new.deciban")


def test_messages_that_one_may_not_read_are_named(own, run, tmp_path):
    (tmp_path / "f.deciban.kept").mkdir()
    done = run("backup", own, "b")
    assert (done.returncode, done.stderr) == (
        74,
        f"deciban: {own}.kept: expected a file that you may read: Is a directory. The messages that a server keeps are "
        "for its user alone: do this as that user, or leave them out: --without-messages.\n",
    )
    assert not (tmp_path / "b").exists()
    assert run("backup", own, "b", "--without-messages").returncode == 0


def test_a_backup_has_the_messages_of_one_moment_while_a_server_keeps_more(own):
    """The first so many, each with its text, and counted in its hour."""
    ended = threading.Event()

    def go_on():
        for k in range(5, 250):
            if ended.is_set():
                break
            keep(own, k)

    keep(own, *range(1, 5))
    server = threading.Thread(target=go_on)
    server.start()
    try:
        for k in range(5):
            count = back_up(str(own), f"b{k}").messages
            restore(f"b{k}", f"n{k}.deciban")
            found, hours = kept_state(f"n{k}.deciban")
            assert [each.digest[0] for each, _ in found] == [*range(count, 0, -1)]
            assert [text.decode().split()[-1] for _, text in found] == [str(n) for n in range(count, 0, -1)]
            assert sum(each.spam + each.ham + each.unsure for each in hours) == count >= 4
    finally:
        ended.set()
        server.join()


def test_a_server_goes_on_with_the_messages_that_were_restored(own):
    """It opens the database that it had, whatever was put there meanwhile."""
    keep(own, 1, 2)
    back_up(str(own), "b")
    keep(own, 3)
    with closing(sqlite3.connect(f"{own}.kept")) as server:
        server.execute("SELECT * FROM messages").fetchone()
        restore("b", str(own), force=True)
        assert server.execute("SELECT count(*) FROM messages").fetchone() == (2,)
    keep(own, 4)
    assert [each.digest[0] for each, _ in kept_state(own)[0]] == [4, 2, 1]


def test_what_fails_after_the_filter_was_replaced_leaves_the_note(own, run, monkeypatch):
    keep(own, 1)
    back_up(str(own), "b")
    teach(own, None)

    @contextmanager
    def failing(*_):
        yield
        raise StorageError("no space is left.")

    with monkeypatch.context() as patch:
        patch.setattr(backups, "replacing_kept", failing)
        assert run("restore", "b", own, "--force").stderr == "deciban: no space is left.\n"
    done = run("learn", own, "--as", "spam", HAM)
    assert (done.returncode, "a restore was broken off. Restore again" in done.stderr) == (74, True)
    restore("b", str(own), force=True)
    assert kept_state(own)[0][0][0].digest == bytes([1] * 16)


def test_a_store_that_cannot_be_reached_writes_no_backup(own, run, tmp_path):
    pytest.importorskip("psycopg")
    done = run("backup", own, "b", "--store", f"postgresql:///db?host={tmp_path}")
    assert done.returncode == 74
    assert not (tmp_path / "b").exists()
