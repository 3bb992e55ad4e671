"""What a file keeps when it is replaced: what it is, whose it is and who may read it; nothing is left beside it."""

import errno
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from deciban import SVM, LogisticRegression, TextClassifier, save_libsvm
from deciban.errors import StorageError
from deciban.files import replacement
from deciban.files.locks import lock
from deciban.files.replacement import replace
from deciban.mail.filter import train_rows
from deciban.pages.page import Report
from deciban.text.model import DEFAULTS

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices and gives files away")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="extended attributes as Linux has them")
OTHER = 65534


# --- what is no regular file is never replaced -------------------------------------------------------------


def bound_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(kind, major, minor):
    def make(path):
        os.mknod(path, kind | 0o600, os.makedev(major, minor))

    return pytest.param(make, marks=as_root)


NODES = {
    "null": device(stat.S_IFCHR, 1, 3),
    "full": device(stat.S_IFCHR, 1, 7),
    "disk": device(stat.S_IFBLK, 1, 15),
    "pipe": os.mkfifo,
    "socket": bound_socket,
}
over_nodes = pytest.mark.parametrize("make", NODES.values(), ids=NODES)
X, Y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
SAVERS = {
    "estimator": lambda: LogisticRegression().fit(X, Y).save,
    "machine": lambda: SVM("linear").fit(X, Y).save,
    "libsvm": lambda: lambda path: save_libsvm(SVM("linear", calibration=None).fit(X, Y), path),
    "texts": lambda: TextClassifier("naive-bayes").fit(["free", "noon"], ["spam", "ham"]).save,
    "filter": lambda: train_rows([(["free", "noon"], ["spam", "ham"])], *DEFAULTS["text"])[0].save,
    "page": lambda: Report("title", "summary", []).save,
}


def identity(path):
    about = os.lstat(path)
    return about.st_ino, about.st_mode, about.st_rdev, about.st_uid, about.st_gid, about.st_nlink


@pytest.fixture(autouse=True)
def _hurry(monkeypatch):
    """Whoever is to read a pipe has less time to open it."""
    monkeypatch.setattr(replacement, "_READER", 0.2)


@pytest.mark.parametrize("saver", SAVERS)
@over_nodes
@pytest.mark.parametrize("linked", [False, True], ids=["itself", "link"])
def test_what_is_no_regular_file_stays_what_it_is(saver, make, linked, tmp_path):
    make(tmp_path / "node")
    save, path, before = SAVERS[saver](), tmp_path / "node", identity(tmp_path / "node")
    if linked:
        path = tmp_path / "link"
        path.symlink_to("node")
    if stat.S_ISCHR(before[1]) and os.minor(before[2]) == 3:
        save(path)
    else:
        with pytest.raises(StorageError, match=f"^{re.escape(str(path))}: "):
            save(path)
    assert identity(tmp_path / "node") == before
    assert sorted(os.listdir(tmp_path)) == ["link", "node"][not linked :]


@pytest.fixture
def examples(tmp_path):
    (tmp_path / "table.csv").write_text("x,y\n" + "".join(f"{i * i % 7},{'ab'[i % 2]}\n" for i in range(40)))
    (tmp_path / "texts.csv").write_text("t,y\n" + "".join(f"{'free noon'[: 4 + i]},{'ab'[i % 2]}\n" for i in range(40)))
    return tmp_path


TEXTS = ["texts.csv", "--text", "t", "--label", "y", "-q"]
TABLE = ["table.csv", "--label", "y", "--model", "naive-bayes", "-q"]
VERBS = {
    "train -o": ["train", *TEXTS, "-o", "NODE"],
    "train a table -o": ["train", *TABLE, "-o", "NODE"],
    "train --report": ["train", *TEXTS, "-o", "made.deciban", "--report", "NODE"],
    "train a table --report": ["train", *TABLE, "-o", "made.deciban", "--report", "NODE"],
    "evaluate --report": ["evaluate", "known.deciban", *TEXTS, "--report", "NODE"],
    "compare --report": [
        "compare",
        *TABLE[:3],
        "--models",
        "naive-bayes",
        "--folds",
        "2",
        "-q",
        "--report",
        "NODE",
    ],
    "learn": ["learn", "NODE", "--as", "a", "texts.csv"],
    "forget": ["forget", "NODE", "texts.csv"],
}


@pytest.mark.each_once
@pytest.mark.parametrize("verb", VERBS)
@over_nodes
def test_no_verb_replaces_what_is_no_regular_file(verb, make, examples, run):
    run("train", *TEXTS, "-o", "known.deciban")
    make(examples / "node")
    before, names = identity(examples / "node"), set(os.listdir(examples))
    done = run(*("node" if each == "NODE" else each for each in VERBS[verb]))
    assert done.returncode in (0, 64, 66, 74), done.stderr
    assert (done.returncode == 0) == (os.minor(before[2]) == 3 and verb not in ("learn", "forget")), done.stderr
    assert done.returncode == 0 or done.stderr.startswith("deciban: node: "), done.stderr
    assert identity(examples / "node") == before
    assert set(os.listdir(examples)) - {"made.deciban"} == names


def test_a_pipe_takes_the_model_of_a_verb(examples, run):
    os.mkfifo(examples / "pipe")
    run("train", *TEXTS, "-o", "known.deciban")
    with subprocess.Popen(["cat", examples / "pipe"], stdout=subprocess.PIPE) as reader:
        done = run("train", *TEXTS[:-1], "-o", "pipe")
        if done.returncode:
            reader.kill()  # nobody has opened the pipe that it waits for
        assert reader.stdout.read() == (examples / "known.deciban").read_bytes(), done.stderr
    assert done.returncode == 0
    assert done.stderr.endswith("\nWrote the model to pipe.\n")
    assert run("train", *TEXTS, "-o", "pipe", "--report", "page.html").stderr == (
        "deciban: pipe: expected a file for the model, of which --report writes a page.\n"
    )


@pytest.mark.parametrize("path", ["/proc/self/oom_score_adj", "/proc/version", "/proc/new", "/sys/kernel/new"])
def test_the_system_keeps_no_files_in_its_own_folders(path, examples, run):
    done = run("train", *TEXTS, "-o", path)
    assert (done.returncode, done.stderr) == (
        64,
        f"deciban: {path}: expected the name of a file to write; the system keeps no files there.\n",
    )


def test_the_demonstration_replaces_nothing_but_a_filter(tmp_path, run):
    (tmp_path / "demo.deciban").write_text("years of work")
    done = run("demo", "--keep", ".")
    assert (done.returncode, done.stderr) == (
        64,
        "deciban: ./demo.deciban: expected a free name, or a filter to replace; this file is something else. "
        "Choose another name with --keep, or remove the file.\n",
    )
    assert (tmp_path / "demo.deciban").read_text() == "years of work"


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError) as caught:
        replace(tmp_path / "pipe", b"x")
    assert str(caught.value) == (
        f"{tmp_path}/pipe: could not be written: nobody reads this pipe. Start what reads it, and try again."
    )


def test_a_pipe_whose_reader_has_seen_enough(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with (
        subprocess.Popen(["head", "-c", "1", tmp_path / "pipe"], stdout=subprocess.DEVNULL),
        pytest.raises(StorageError) as caught,
    ):
        replace(tmp_path / "pipe", bytes(1 << 22))
    assert str(caught.value) == (
        f"{tmp_path}/pipe: could not be written: whoever reads this pipe has closed it. It may have taken a part. "
        "Choose another place, or try again."
    )


# --- whose it is, and who may read it ----------------------------------------------------------------------

ACL, USER = "system.posix_acl_access", 0o4242


def acl(*entries):
    """An access control list as the system keeps it: version 2, then tag, permissions and id of each entry."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


UNDEFINED = 0xFFFFFFFF
LIST = acl((1, 6, UNDEFINED), (2, 4, USER), (4, 0, UNDEFINED), (16, 4, UNDEFINED), (32, 0, UNDEFINED))


def listed(path):
    """The entries of the access control list of a file, or None."""
    return os.getxattr(path, ACL) if ACL in os.listxattr(path) else None


@as_root
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o2664])
def test_owner_group_and_mode_are_kept(mode, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    os.chown(path, 4242, 4343)
    path.chmod(mode)
    replace(path, b"after")
    about = path.stat()
    assert (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) == (4242, 4343, mode)
    assert path.read_bytes() == b"after"


@on_linux
def test_extended_attributes_are_kept(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    try:
        os.setxattr(path, "user.note", b"\0of mine")
        os.setxattr(path, ACL, LIST)
    except OSError as error:
        pytest.skip(f"a file system without them: {error}")
    mode = path.stat().st_mode
    replace(path, b"after")
    assert os.getxattr(path, "user.note") == b"\0of mine"
    assert listed(path) == LIST
    assert path.stat().st_mode == mode


@on_linux
def test_what_the_folder_gives_to_new_files_is_not_given_to_a_file_that_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    path.chmod(0o640)
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", LIST)
    except OSError as error:
        pytest.skip(f"a file system without them: {error}")
    replace(path, b"after")
    assert listed(path) is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    replace(tmp_path / "new", b"new")
    (tmp_path / "plain").write_bytes(b"new")
    assert listed(tmp_path / "new") == listed(tmp_path / "plain") is not None


AS_ANOTHER = """
    import os, sys
    from deciban.files.replacement import replace
    path, groups = sys.argv[1], [int(each) for each in sys.argv[2].split(",")]
    os.setgroups(groups); os.setgid(65534); os.setuid(65534)
    replace(path, b"after")
"""


@as_root
@pytest.mark.parametrize(
    ("mode", "groups", "after"),
    [
        (0o664, [4343], (4343, 0o664)),  # a member of the group
        (0o666, [65534], (65534, 0o666)),
        (0o626, [65534], (65534, 0o622)),  # whom the mode calls the group are others now, and the other way about
        (0o602, [65534], (65534, 0o600)),
    ],
)
def test_who_may_not_give_it_away_keeps_the_group_or_takes_rights_away(mode, groups, after, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    os.chown(path, 4242, 4343)
    path.chmod(mode)
    for folder in [tmp_path, *tmp_path.parents][:4]:
        folder.chmod(0o777)
    script = textwrap.dedent(AS_ANOTHER)
    subprocess.run([sys.executable, "-c", script, str(path), ",".join(map(str, groups))], check=True)
    about = path.stat()
    assert (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) == (65534, *after)


@as_root
@on_linux
def test_a_list_whose_group_cannot_be_kept_leaves_the_owner_alone(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    os.chown(path, 4242, 4343)
    anyone = acl((1, 6, UNDEFINED), (2, 6, OTHER), (4, 4, UNDEFINED), (16, 6, UNDEFINED), (32, 4, UNDEFINED))
    try:
        os.setxattr(path, ACL, anyone)
    except OSError as error:
        pytest.skip(f"a file system without them: {error}")
    for folder in [tmp_path, *tmp_path.parents][:4]:
        folder.chmod(0o777)
    subprocess.run([sys.executable, "-c", textwrap.dedent(AS_ANOTHER), str(path), "65534"], check=True)
    assert (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode), listed(path)) == (OTHER, 0o600, None)


@pytest.mark.parametrize("there", [False, True])
def test_nobody_reads_more_of_the_temporary_file_than_of_the_other(there, tmp_path, monkeypatch):
    """Whatever is asked of the system, until the file has its name."""
    path, seen = tmp_path / "file", []
    if there:
        path.write_bytes(b"before")
        path.chmod(0o640)
    wanted = 0o640 if there else 0o666 & ~umask()

    def watching(call):
        def watched(*arguments, **more):
            try:
                return call(*arguments, **more)
            finally:
                for each in tmp_path.glob(".*.part"):
                    seen.append(stat.S_IMODE(each.stat().st_mode))

        return watched

    for name in ("open", "write", "fsync", "fchown", "fchmod", "link", "replace", "rename"):
        monkeypatch.setattr(os, name, watching(getattr(os, name)))
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask is of all threads"))
    replace(path, b"after")
    monkeypatch.undo()
    assert len(seen) >= 4
    assert all(mode & ~wanted == 0 for mode in seen), [oct(mode) for mode in seen]
    assert stat.S_IMODE(path.stat().st_mode) == wanted


def umask():
    return int(re.search(r"Umask:\s*(\d+)", Path("/proc/self/status").read_text())[1], 8)


# --- what is left beside it --------------------------------------------------------------------------------


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_are_not(tmp_path):
    path = tmp_path / "model"
    for name in ("model.0123abcd", "model.zz_zz_zz", "other.0123abcd", "model.0123abcd.part", "model.01"):
        (tmp_path / f".{name}.part").write_bytes(b"left")
    (tmp_path / ".model.notafile.part").mkdir()
    os.mkfifo(tmp_path / ".model.somepipe.part")
    (tmp_path / ".model.linklink.part").symlink_to("model")
    with (tmp_path / ".model.livingon.part").open("wb") as writer, lock(writer.name):
        replace(path, b"x")
        kept = {
            ".other.0123abcd.part", ".model.0123abcd.part.part", ".model.01.part", ".model.notafile.part",
            ".model.somepipe.part", ".model.linklink.part",
        }  # fmt: skip
        assert set(os.listdir(tmp_path)) == {"model", ".model.livingon.part", *kept}
    replace(path, b"y")
    assert set(os.listdir(tmp_path)) == {"model", *kept}


def test_a_file_whose_writer_died_between_its_two_names_keeps_one(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"x")
    os.link(path, tmp_path / ".model.0123abcd.part")
    with lock(path):
        replace(path, b"y")
    assert os.listdir(tmp_path) == ["model"]
    assert path.read_bytes() == b"y"


def test_the_longest_name_can_be_written(tmp_path):
    for name in ("n" * 255, "한" * 85):
        replace(tmp_path / name, b"x")
        replace(tmp_path / name, b"y")
        assert os.listdir(tmp_path) == [name]
        os.unlink(tmp_path / name)


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK])
def test_a_file_system_without_hard_links_will_do(code, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    replace(tmp_path / "model", b"x")
    assert os.listdir(tmp_path) == ["model"]


def test_who_makes_a_file_that_another_has_made_meanwhile_replaces_it_under_its_lock(tmp_path, monkeypatch):
    path, link = tmp_path / "model", os.link

    def late(*names):
        monkeypatch.setattr(os, "link", link)
        path.write_bytes(b"of another")
        path.chmod(0o600)
        link(*names)

    monkeypatch.setattr(os, "link", late)
    replace(path, b"mine")
    assert os.listdir(tmp_path) == ["model"]
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"mine", 0o600)


# --- locks -------------------------------------------------------------------------------------------------


def test_who_replaces_a_file_waits_for_whoever_updates_it(tmp_path):
    path, order = tmp_path / "model", []
    path.write_bytes(b"before")

    def write():
        replace(path, b"after")
        order.append("replaced")

    other = threading.Thread(target=write)
    with lock(path):
        other.start()
        other.join(0.2)
        order.append("updated")
        replace(path, b"updated")  # who holds it need not wait
    other.join(60)
    assert order == ["updated", "replaced"]
    assert path.read_bytes() == b"after"


WAIT = """
    import sys
    from deciban.files import locks
    locks.PATIENCE = 0.2
    try:
        with locks.lock(sys.argv[1]):
            pass
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_who_waits_for_long_is_told_what_for_and_can_be_interrupted(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"x")
    command = [sys.executable, "-c", textwrap.dedent(WAIT), str(path)]
    with lock(path):
        waiting = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = waiting.stderr.readline()
        waiting.send_signal(signal.SIGINT)
        try:
            ended = waiting.communicate(timeout=30)
        finally:
            waiting.kill()
    assert said == f"Waiting for {path}, which another process updates. Ctrl-C ends the wait.\n"
    assert ended == ("interrupted\n", "")


@pytest.mark.deep
@pytest.mark.parametrize("verb", ["learn", "train", "learn rows"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_verb_that_waits_for_a_file_says_so_and_can_be_interrupted(verb, number, code, examples, run):
    run("train", *(TABLE if verb == "learn rows" else TEXTS), "-o", "f.deciban")
    (examples / "text.txt").write_text("free lunch")
    before = identity(examples / "f.deciban")
    arguments = {
        "learn": ["learn", "f.deciban", "--as", "a", "text.txt"],
        "train": ["train", *TEXTS, "-o", "f.deciban"],
        "learn rows": ["learn", "f.deciban", "table.csv"],
    }[verb]
    command = [sys.executable, "-m", "deciban", *arguments]
    with lock(examples / "f.deciban"):
        waiting = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        told = waiting.stderr.readline()
        waiting.send_signal(number)
        try:
            ended = waiting.communicate(timeout=30)[1]
        finally:
            waiting.kill()
    assert told == "Waiting for f.deciban, which another process updates. Ctrl-C ends the wait.\n"
    assert (waiting.returncode, ended) == (code, "Interrupted: nothing was written.\n")
    assert identity(examples / "f.deciban") == before


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EBADF, errno.EIO, errno.EOPNOTSUPP])
def test_a_file_that_cannot_be_locked(code, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"x")

    def refuse(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(StorageError) as caught, lock(path):
        pass
    said = (
        f"{path}: could not be locked, so that others might change it at the same time: {os.strerror(code)}. "
        "Nothing was changed. Copy the file to a local disk, or let its file system have locks."
    )
    assert str(caught.value) == said
    if code == errno.EOPNOTSUPP:  # then nobody else can hold it
        replace(path, b"y")
        assert path.read_bytes() == b"y"
    else:
        with pytest.raises(StorageError) as caught:
            replace(path, b"y")
        assert str(caught.value) == said
    assert os.listdir(tmp_path) == ["model"]


def test_a_file_that_another_machine_replaces_is_looked_for_again(tmp_path, monkeypatch):
    import fcntl

    path, flock, codes = tmp_path / "model", fcntl.flock, [errno.ESTALE, errno.ESTALE]
    path.write_bytes(b"x")

    def stale(*arguments):
        if codes:
            raise OSError(codes.pop(), "Stale file handle")
        flock(*arguments)

    monkeypatch.setattr("fcntl.flock", stale)
    with lock(path) as is_there:
        assert is_there
        assert codes == []


def test_locks_are_on_writable_handles(tmp_path, monkeypatch):
    """Over NFS no other can be locked."""
    import fcntl

    flock, modes = fcntl.flock, []

    def watched(handle, how):
        modes.append(fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE)
        flock(handle, how)

    monkeypatch.setattr("fcntl.flock", watched)
    replace(tmp_path / "model", b"x")
    (tmp_path / ".model.0123abcd.part").touch()
    replace(tmp_path / "model", b"y")
    assert len(modes) >= 4
    assert set(modes) == {os.O_WRONLY}
