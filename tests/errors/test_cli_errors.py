"""What the command says when something is wrong: one line on stderr, the exact words, the exit code of sysexits."""

import os
import pickle
import shutil
import signal

import pytest

import deciban
from deciban.cli import status
from system.command import HELD_OUT, SPAM, TRAIN, out, run, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model") / "filter.deciban")


@pytest.fixture
def here(tmp_path, model):
    """A folder to stand in, with a filter, so that messages name short paths."""
    shutil.copy(model, tmp_path / "f.deciban")
    return tmp_path


def said(code, *arguments, **more):
    """What the command says on its way out; always one line."""
    done = run(*arguments, **more)
    text = done.stderr.decode()
    assert done.returncode == code, text
    assert text.startswith("deciban: ")
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return text.removeprefix("deciban: ").rstrip("\n")


@pytest.fixture
def inside(capsys):
    """The command in this process: (exit code, stderr). Much quicker, where nothing is at stake but words."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def command(*arguments):
        code = status([str(argument) for argument in arguments])
        return code, capsys.readouterr().err

    yield command
    for number, handler in before.items():
        signal.signal(number, handler)


# --- the command line --------------------------------------------------------------------------------------


def test_a_verb_that_is_none():
    assert said(64, "clasify") == "Expected a command; got 'clasify'. Did you mean classify? See deciban --help."


def test_options_and_arguments():
    assert said(64, "classify") == "Missing argument 'FILTER'. See deciban classify --help."
    assert "No such option" in said(64, "classify", "--jsn", "f")
    assert said(64, "train", "x", "--words", "3,1") == (
        "Invalid value for '--words': expected N or N,M with 1 ≤ N ≤ M ≤ 5, such as 1,2 for words and pairs; "
        "came '3,1'. See deciban train --help."
    )
    assert "expected a number of words from 1, or all; came 'few'" in said(64, "train", "x", "--max-features", "few")
    assert "is not one of 'auto', 'naive-bayes'" in said(64, "train", "x", "--model", "oracle")
    for option, value in (("--alpha", "-1"), ("--alpha", "nan"), ("--hashed", "31"), ("--jobs", "0"), ("--seed", "-1")):
        assert option in said(64, "train", "x", option, value)


def test_a_label_that_the_filter_does_not_know(here):
    before = (here / "f.deciban").read_bytes()
    assert said(65, "learn", "f.deciban", "--as", "spm", SPAM, cwd=here) == (
        "expected one of the filter's labels, 'ham', 'spam'; got 'spm'. Did you mean 'spam'?"
    )
    assert said(64, "evaluate", "f.deciban", f"junk={SPAM}", cwd=here) == (
        "Expected labels that the filter knows, ham, spam; came junk. Write label=PATH with one of those."
    )
    assert (here / "f.deciban").read_bytes() == before


def test_forgetting_under_another_label_changes_nothing(here):
    before = (here / "f.deciban").read_bytes()
    assert "learnt as 'spam', not as 'ham'" in said(65, "forget", "f.deciban", "--as", "ham", TRAIN / "spam", cwd=here)
    assert said(65, "forget", "f.deciban", TRAIN / "ham", TRAIN / "spam", cwd=here) == (
        "Expected that something is left in the filter; this is all it knows. Delete its file instead."
    )
    assert (here / "f.deciban").read_bytes() == before


# --- what is to be read ------------------------------------------------------------------------------------


def test_paths_that_are_not_there_or_empty(here):
    (here / "Junk").mkdir()
    assert said(66, "train", "spam=Jnk", f"ham={TRAIN}/ham", cwd=here) == (
        "Jnk: expected a file or a folder; there is none of that name. Did you mean Junk?"
    )
    assert said(65, "train", "spam=Junk", f"ham={TRAIN}/ham", cwd=here) == (
        "Junk: expected messages for 'spam'; the folder has none. Files that end in .eml, .txt, .msg, .mbox, .mbx "
        "count; where there are none of those, all that are not hidden."
    )
    assert said(65, "classify", "f.deciban", "Junk", cwd=here).startswith("Junk: expected messages; the folder has")
    assert said(66, "classify", "f.decibn", cwd=here) == (
        "f.decibn: expected a file or a folder; there is none of that name. Did you mean f.deciban?"
    )
    (here / "zero.eml").touch()
    assert said(65, "classify", "f.deciban", "zero.eml", cwd=here) == "zero.eml: expected messages; the file is empty."
    assert said(65, "classify", "f.deciban", cwd=here) == "Expected a message on standard input; nothing came."
    assert said(64, "classify", "f.deciban", "/dev/zero", cwd=here) == (
        "/dev/zero: expected a file or a folder; this is a pipe or a device. "
        "To read from a pipe, write - and use standard input."
    )


def test_one_class_only(here):
    assert said(65, "train", f"spam={TRAIN}/spam", cwd=here) == (
        "Expected files of at least two classes; all 96 are 'spam'. "
        "Add another class as label=PATH, for example ham=Inbox.mbox."
    )
    assert said(65, "train", "spam=-", f"ham={TRAIN}/ham", "-o", "new.deciban", cwd=here) == (
        "Expected items of every class; 'spam' has none. Nothing was written."
    )
    assert not (here / "new.deciban").exists()


def test_a_file_that_may_not_be_read(here, inside, monkeypatch):
    """In this process, as another user, whom the modes of files concern even if the tests run as root."""
    (here / "secret.eml").write_bytes(SPAM.read_bytes())
    (here / "secret.eml").chmod(0)
    for folder in [here, *here.parents][:4]:
        folder.chmod(0o755)
    monkeypatch.chdir(here)
    inside("classify", "f.deciban", SPAM)  # everything is loaded before the user changes
    as_root = os.geteuid() == 0
    if as_root:
        os.seteuid(65534)
    try:
        told = inside("classify", "f.deciban", "secret.eml")
    finally:
        if as_root:
            os.seteuid(0)
    assert told == (
        66,
        "deciban: secret.eml: expected to read it; permission was denied. Change its mode or its owner.\n",
    )


def test_a_folder_that_may_not_be_written_or_is_not_there(here):
    assert said(74, "train", TRAIN, "-o", "no/f.deciban", cwd=here) == (
        f"no/f.deciban: expected a folder to write to; there is no {here}/no. Make it first."
    )
    assert said(64, "train", TRAIN, "-o", ".", cwd=here).startswith(".: expected the name of a file to write")


def test_nothing_but_a_filter_is_overwritten(here):
    (here / "thesis.txt").write_text("years of work")
    assert said(64, "train", TRAIN, "-o", "thesis.txt", cwd=here) == (
        "thesis.txt: expected a free name, or a filter to replace; this file is something else. "
        "Choose another name with -o, or remove the file."
    )
    shutil.copytree(TRAIN, here / "mail")
    message = next((here / "mail" / "ham").iterdir())
    assert said(64, "train", "mail", "-o", message, cwd=here).endswith(
        "expected another name to write to; this is one of the inputs."
    )
    assert (here / "thesis.txt").read_text() == "years of work"


# --- files that are no filters -----------------------------------------------------------------------------


def damaged(content):
    """What may come in place of a filter, and what is said of it."""
    size = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + size]
    newer = header.replace(b'\\"schema\\":1', b'\\"schema\\":9')
    assert newer != header
    foreign = "expected a .deciban file, as `deciban train` writes it; this is something else."
    altered = bytearray(content)
    altered[-20] ^= 1
    yield "newer", content[:8] + newer + content[8 + size :], "written by a newer version (schema 9"
    yield "short", content[:5000], "expected a whole .deciban file; it is truncated"
    yield "stub", content[:20], "truncated"
    yield "altered", bytes(altered), "its digest does not fit its content"
    yield "empty", b"", "expected a .deciban file; it is empty. Restore it from a backup, or train again."
    yield "pdf", b"%PDF-1.4\n" * 100, foreign
    yield "pickle", pickle.dumps([os.system] * 30), foreign
    yield "text", b"{}" * 50, ""
    yield "nul", bytes(1000), foreign


@pytest.mark.parametrize("verb", ["classify", "explain", "evaluate", "inspect", "learn", "forget"])
def test_files_that_are_no_filters(verb, here, monkeypatch, inside):
    monkeypatch.chdir(here)
    more = {"evaluate": [HELD_OUT], "inspect": [], "learn": [SPAM, "--as", "spam"]}.get(verb, [SPAM])
    for name, content, wanted in damaged((here / "f.deciban").read_bytes()):
        (here / name).write_bytes(content)
        code, told = inside(verb, name, *more)
        assert (code, told.count("\n")) == (65, 1)
        assert told.startswith(f"deciban: {name}: ")
        assert wanted in told
        assert (here / name).read_bytes() == content


# --- tables ------------------------------------------------------------------------------------------------


def test_tables(here):
    columns = ("--text", "text", "--label", "label", "-o", "m.deciban")
    (here / "t.csv").write_text("text,label\ngood,1\nbad,0\n")
    assert said(64, "train", "t.csv", cwd=here) == (
        "t.csv: expected the columns of this table. Add --label COLUMN, and --text COLUMN if it is the texts of one "
        "column that tell."
    )
    assert said(64, "train", "t.csv", "--text", "text", cwd=here) == (
        "Expected both --text COLUMN and --label COLUMN; --label is missing."
    )
    assert said(65, "train", "t.csv", "--text", "txt", "--label", "label", cwd=here) == (
        "t.csv, line 1: expected a column 'txt'; the columns are 'text', 'label'. Did you mean 'text'?"
    )
    (here / "r.csv").write_text("text,label\ngood,1\nbad,0,x\n")
    assert said(65, "train", "r.csv", *columns, cwd=here).startswith("r.csv, line 3: expected 2 fields, as in the")
    (here / "k.csv").write_bytes("text,label\n재미있다,1\n지루하다,0\n".encode("cp949"))
    assert "These bytes read as Korean: try --encoding cp949." in said(65, "train", "k.csv", *columns, cwd=here)
    out("train", "k.csv", *columns, "--encoding", "cp949", cwd=here)
    out("classify", "m.deciban", "k.csv", "--encoding", "cp949", cwd=here)
    deciban.TextClassifier("naive-bayes").fit(["good", "bad"], [1, 0]).save(here / "p.deciban")
    for verb, table in (("classify", "k.csv"), ("explain", "k.csv:1")):
        assert said(64, verb, "p.deciban", table, cwd=here) == (
            f"{table}: expected the column of the texts of this table. Add --text COLUMN."
        )
    assert said(64, "learn", "p.deciban", "k.csv", "--label", "label", cwd=here) == (
        "Expected the column of the texts of this table. Add --text COLUMN."
    )
    assert not (here / "model.deciban").exists()


# --- the program itself ------------------------------------------------------------------------------------


def test_an_error_of_the_program_is_one_line_and_a_traceback_on_demand(inside, monkeypatch, model):
    def broken(*_, **__):
        raise KeyError("of\nno use")

    monkeypatch.setattr("deciban.store.open_file", broken)
    assert inside("classify", model, SPAM) == (
        70,
        "deciban: an error of the program itself, KeyError: 'of\\nno use'. "
        "Please report it; DECIBAN_TRACEBACK=1 shows where it happened.\n",
    )
    monkeypatch.setenv("DECIBAN_TRACEBACK", "1")
    assert "Traceback (most recent call last)" in inside("classify", model, SPAM)[1]


@pytest.mark.parametrize(
    ("error", "code", "start"),
    [
        (MemoryError(), 70, "expected enough memory; there was not."),
        (OSError(5, "Input/output error", "box.mbox"), 74, "box.mbox: reading or writing broke off: Input/output"),
        (FileNotFoundError(2, "No such file", "gone.eml"), 66, "gone.eml: expected a file or a folder"),
        (PermissionError(13, "Permission denied", b"x.eml"), 66, "x.eml: expected to read it; permission"),
    ],
)
def test_errors_of_the_system(error, code, start, inside, monkeypatch, model):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr("deciban.store.open_file", broken)
    ended, told = inside("classify", model, SPAM)
    assert ended == code
    assert told.startswith(f"deciban: {start}")
