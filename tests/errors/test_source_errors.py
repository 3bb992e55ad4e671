"""What is said when `label=PATH` names nothing that can be read: the exact words."""

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

from deciban.errors import (
    DataError,
    DecibanError,
    ForbiddenInputError,
    LoginError,
    NoInputError,
    NotFoundInputError,
    StorageError,
    UsageError,
    escape,
)
from deciban.mail.sources import Source, check_classes, find

MAIL = b"Received: from a by b\nSubject: hello\n\nbody\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to stand in, so that messages name short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(error, *arguments):
    with pytest.raises(error) as caught:
        find(arguments)
    assert type(caught.value) is error
    return str(caught.value)


def test_exit_codes_are_those_of_sysexits():
    codes = {
        kind: kind.exit_code for kind in (DecibanError, UsageError, DataError, NoInputError, StorageError, LoginError)
    }
    assert list(codes.values()) == [70, 64, 65, 66, 74, 77]
    assert all(issubclass(kind, DecibanError) for kind in codes)
    assert issubclass(DataError, ValueError)


def test_nothing_named():
    assert said(UsageError) == "Expected label=PATH, or a folder with one sub-folder per class; nothing came."


def test_an_empty_label_or_path():
    assert said(UsageError, "=Junk") == "'=Junk': expected label=PATH; the label is empty."
    assert said(UsageError, "spam=") == "'spam=': expected label=PATH; the path is empty."


def test_a_path_that_is_not_there(here):
    (here / "Junk").mkdir()
    assert said(NotFoundInputError, "spam=Jnk") == (
        "Jnk: expected a file or a folder; there is none of that name. Did you mean Junk?"
    )
    assert said(NotFoundInputError, "spam=far/away") == (
        "far/away: expected a file or a folder; there is none of that name."
    )
    assert said(NotFoundInputError, "spam=Junk/x\0y") == (
        "Junk/x\\x00y: expected a file or a folder; there is none of that name."
    )
    (here / "note").write_bytes(MAIL)
    assert said(NotFoundInputError, "spam=note/x") == "note/x: expected a file or a folder; there is none of that name."


def test_a_name_with_control_characters_or_odd_bytes_cannot_disturb_the_terminal():
    assert said(NotFoundInputError, "spam=/nowhere/\x1b[2J\udcff\n") == (
        "/nowhere/\\x1b[2J\\xff\\n: expected a file or a folder; there is none of that name."
    )
    assert escape("메일 é") == "메일 é"
    assert escape("\ud800\u202e") == "\\ud800\\u202e"


def test_a_file_without_a_label(here):
    (here / "a.eml").write_bytes(MAIL)
    assert said(UsageError, "a.eml") == (
        "a.eml: expected a label for this file. Write label=PATH, for example spam=a.eml."
    )
    assert said(UsageError, "-") == "'-': expected a label for standard input. Write label=-, for example spam=-."


def test_a_folder_without_classes_in_it(here):
    (here / "Junk").mkdir()
    (here / "Junk" / "1.eml").write_bytes(MAIL)
    assert said(UsageError, "Junk") == (
        "Junk: expected one sub-folder per class; this is a folder without sub-folders. "
        "If it is one class, write label=PATH, for example spam=Junk."
    )
    for box in ("cur", "new", "tmp"):
        (here / "Mail" / box).mkdir(parents=True)
    assert said(UsageError, "Mail") == (
        "Mail: expected one sub-folder per class; this is a Maildir. "
        "If it is one class, write label=PATH, for example spam=Mail."
    )


def test_an_empty_folder(here):
    (here / "Junk" / "deep").mkdir(parents=True)
    expected = (
        "Junk: expected messages for 'spam'; the folder has none. Files that end in "
        ".eml, .txt, .msg, .mbox, .mbx count; where there are none of those, all that are not hidden."
    )
    assert said(DataError, "spam=Junk") == expected
    (here / "Junk" / "Inbox.mbox").write_bytes(b"")
    assert said(DataError, "spam=Junk") == expected
    (here / "Corpus" / "spam").mkdir(parents=True)
    assert said(DataError, "Corpus").startswith("Corpus/spam: expected messages for 'spam'; the folder has none.")


def test_an_empty_file_and_an_mbox_that_is_none(here):
    (here / "Inbox").write_bytes(b"")
    assert said(DataError, "ham=Inbox") == "Inbox: expected messages; the file is empty."
    (here / "x.mbox").write_bytes(b"%PDF-1.4\nxx")
    assert said(DataError, "ham=x.mbox") == (
        "x.mbox: expected an mbox, which begins with \"From \"; it begins with b'%PDF-1.4\\nxx'. "
        "If it is one message, rename it to end in .eml."
    )


def test_a_pipe_or_a_device(here):
    os.mkfifo(here / "pipe")
    for path in ("pipe", "/dev/null"):
        assert said(UsageError, f"spam={path}") == (
            f"{path}: expected a file or a folder; this is a pipe or a device. "
            "To read from a pipe, write spam=- and use standard input."
        )


def test_one_path_under_two_labels(here):
    (here / "Junk").mkdir()
    (here / "same").symlink_to(here / "Junk")
    assert said(UsageError, "spam=Junk", "ham=same/") == (
        "same/: expected one label; it came as 'spam' and as 'ham'. Keep one of the two."
    )
    assert said(UsageError, "spam=-", "ham=-") == (
        "-: expected one label; it came as 'spam' and as 'ham'. Keep one of the two."
    )


def test_one_class_only():
    with pytest.raises(DataError) as caught:
        check_classes([Source("spam", "a", "message")] * 3)
    assert str(caught.value) == (
        "Expected files of at least two classes; all 3 are 'spam'. "
        "Add another class as label=PATH, for example ham=Inbox.mbox."
    )
    with pytest.raises(DataError) as caught:
        check_classes([])
    assert str(caught.value) == ("Expected files of at least two classes; no files came. Name them as label=PATH.")


@contextlib.contextmanager
def as_nobody():
    """Without root's power to read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("closed", ["Junk", "Junk/deep", "Junk/deep/1.eml"])
def test_what_may_not_be_read(closed):
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # so that nobody gets as far as the closed one
        path = Path(name, "Junk/deep/1.eml")
        path.parent.mkdir(parents=True)
        path.write_bytes(MAIL)
        Path(name, closed).chmod(0)
        try:
            with as_nobody():
                message = said(ForbiddenInputError, f"spam={name}/Junk")
        finally:
            Path(name, closed).chmod(0o755)
    assert message == (f"{name}/{closed}: expected to read it; permission was denied. Change its mode or its owner.")
