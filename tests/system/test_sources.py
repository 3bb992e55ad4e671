"""Which files `label=PATH` names, on trees as people have them."""

import os
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from deciban.mail.sources import Source, check_classes, find, kind_of, looks_like_mail

MAIL = b"Received: from a by b\nSubject: hello\n\nbody\n"
ENVELOPE = b"From ann@example.org  Thu Aug 22 12:36:23 2002\n"
MBOX = ENVELOPE + MAIL + b"\n" + ENVELOPE + MAIL


def tree(root, files):
    """`files` by path; a path that ends in "/" is an empty folder."""
    for path, content in files.items():
        target = root / path
        (target if path.endswith("/") else target.parent).mkdir(parents=True, exist_ok=True)
        if not path.endswith("/"):
            target.write_bytes(content)
    return root


def found(root, *arguments):
    """(label, path below `root`, kind) of each source."""
    sources = find([a.replace("ROOT", str(root)) for a in arguments])
    return [(s.label, os.path.relpath(s.path, root), s.kind) for s in sources]


def names(root, *arguments):
    return [path for _, path, _ in found(root, *arguments)]


def test_one_file_is_one_message_and_an_mbox_is_many(tmp_path):
    tree(tmp_path, {"a.eml": MAIL, "Inbox": MBOX, "dashed.mbox": b"From - Tue Oct 07 10:00:00 2008\n" + MAIL})
    assert found(tmp_path, "spam=ROOT/a.eml", "ham=ROOT/Inbox", "ham=ROOT/dashed.mbox") == [
        ("spam", "a.eml", "message"),
        ("ham", "Inbox", "mbox"),
        ("ham", "dashed.mbox", "mbox"),
    ]


def test_a_text_that_begins_with_the_word_from_is_no_mbox(tmp_path):
    tree(tmp_path, {"review.txt": b"From the first minute on, dull.\n\nFrom start to end.\n"})
    assert found(tmp_path, "neg=ROOT/review.txt") == [("neg", "review.txt", "message")]
    assert found(tmp_path, "neg=ROOT") == [("neg", "review.txt", "message")]


def test_label_is_split_at_the_first_equals_sign(tmp_path):
    tree(tmp_path, {"a=b.eml": MAIL})
    assert found(tmp_path, "spam=ROOT/a=b.eml") == [("spam", "a=b.eml", "message")]


def test_standard_input_has_a_label_too():
    assert find(["spam=-"]) == [Source("spam", "-", "message")]


def test_a_folder_per_class_hidden_folders_and_loose_files_aside(tmp_path):
    tree(tmp_path, {"spam/1": MAIL, "ham/1": MAIL, "ham/2": MAIL, ".git/x": b"", "README": b"read me"})
    assert found(tmp_path, "ROOT") == [
        ("ham", "ham/1", "message"),
        ("ham", "ham/2", "message"),
        ("spam", "spam/1", "message"),
    ]


def test_order_is_natural_depth_first_and_by_bytes(tmp_path):
    files = ["inmail.10", "inmail.9", "inmail.09", "B", "a", "a2/x", "a10/x", "é"]
    tree(tmp_path, dict.fromkeys(files, MAIL))
    expected = ["B", "a", "a2/x", "a10/x", "inmail.09", "inmail.9", "inmail.10", "é"]
    assert names(tmp_path, "m=ROOT") == expected


def test_known_extensions_rule_where_there_are_any(tmp_path):
    tree(tmp_path, {"1.eml": MAIL, "2.EML": MAIL, "deep/3.txt": b"text", "index": b"x", "notes.pdf": b"%PDF"})
    assert names(tmp_path, "m=ROOT") == ["1.eml", "2.EML", "deep/3.txt"]
    tree(tmp_path, {"bare/1.9af3": MAIL, "bare/cmds": b"mv a b", "bare/.hidden": MAIL, "bare/Inbox.msf": b"//"})
    assert names(tmp_path, "m=ROOT/bare") == ["bare/1.9af3", "bare/cmds"]


def test_an_mbox_in_a_folder_is_told_from_a_message_that_kept_its_envelope_line(tmp_path):
    long = ENVELOPE + MAIL + b"x" * 200_000 + b"\n\n" + ENVELOPE + MAIL
    tree(
        tmp_path,
        {
            "Inbox": MBOX,
            "Sent": MBOX.replace(b"\n", b"\r\n"),
            "long": long,
            "one": ENVELOPE + MAIL,
            "quoting": ENVELOPE + MAIL + b"\nFrom there it went on.\n",
            "zz": b"",
        },
    )
    assert [(path, kind) for _, path, kind in found(tmp_path, "m=ROOT")] == [
        ("Inbox", "mbox"),
        ("Sent", "mbox"),
        ("long", "mbox"),
        ("one", "message"),
        ("quoting", "message"),
        ("zz", "message"),
    ]


@pytest.mark.parametrize("before", range(65_400, 65_600, 7))
def test_the_second_message_is_found_wherever_a_read_ends(tmp_path, before):
    start = ENVELOPE + MAIL
    (tmp_path / "m").write_bytes(start + b"x" * (before - len(start)) + b"\n\n" + ENVELOPE + MAIL)
    assert found(tmp_path, "m=ROOT") == [("m", "m", "mbox")]


def test_mbox_by_name_counts_with_a_single_message_and_not_when_empty(tmp_path):
    tree(tmp_path, {"one.mbox": ENVELOPE + MAIL, "none.mbox": b"", "archive.txt": MBOX, "single.txt": MAIL})
    assert found(tmp_path, "m=ROOT") == [
        ("m", "archive.txt", "mbox"),
        ("m", "one.mbox", "mbox"),
        ("m", "single.txt", "message"),
    ]


def test_a_maildir_is_cur_and_new_whatever_the_names(tmp_path):
    tree(
        tmp_path,
        {
            "cur/1204680122.a:2,S": MAIL,
            "cur/99.b:2,": ENVELOPE + MAIL + b"\n" + ENVELOPE + MAIL,
            "new/5.c": MAIL,
            "tmp/6.d": MAIL,
            "cur/.dot": MAIL,
            "dovecot-uidlist": b"3 V1",
            ".Junk/cur/7.e": MAIL,
            "extra.eml": MAIL,
        },
    )
    expected = [
        ("m", "cur/99.b:2,", "message"),
        ("m", "cur/1204680122.a:2,S", "message"),
        ("m", "new/5.c", "message"),
    ]
    assert found(tmp_path, "m=ROOT") == expected
    tree(tmp_path, {".Junk/new/": b"", ".Junk/tmp/": b""})
    assert names(tmp_path, "spam=ROOT/.Junk") == [".Junk/cur/7.e"]


def test_maildirs_inside_a_folder_count_beside_files_with_extensions(tmp_path):
    tree(tmp_path, {"box/cur/1": MAIL, "box/new/": b"", "x.eml": MAIL, "stray": b"x"})
    assert names(tmp_path, "m=ROOT") == ["box/cur/1", "x.eml"]
    tree(tmp_path, {"other/box/cur/1.eml": MAIL, "other/box/new/": b"", "other/bare": MAIL})
    assert names(tmp_path, "m=ROOT/other") == ["other/bare", "other/box/cur/1.eml"]


def test_links_are_followed_and_loops_end(tmp_path):
    tree(tmp_path, {"spam/1": MAIL, "spam/deep/2": MAIL, "ham/3": MAIL, "elsewhere/4": MAIL})
    (tmp_path / "spam" / "loop").symlink_to(tmp_path)
    (tmp_path / "spam" / "deep" / "up").symlink_to(tmp_path / "spam")
    (tmp_path / "spam" / "itself").symlink_to(tmp_path / "spam" / "itself")
    (tmp_path / "spam" / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "ham" / "other").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "ham" / "file").symlink_to(tmp_path / "elsewhere" / "4")
    assert names(tmp_path, "spam=ROOT/spam") == [
        "spam/1",
        "spam/deep/2",
        "spam/loop/elsewhere/4",
        "spam/loop/ham/3",
        "spam/loop/ham/file",
    ]
    assert found(tmp_path, "spam=ROOT/spam", "ham=ROOT/ham", "other=ROOT/elsewhere") == [
        ("spam", "spam/1", "message"),
        ("spam", "spam/deep/2", "message"),
        ("ham", "ham/3", "message"),
        ("ham", "ham/file", "message"),
        ("other", "elsewhere/4", "message"),
    ]


def test_what_one_label_names_is_left_out_of_the_others_folder(tmp_path):
    tree(tmp_path, {"Mail/Junk/1": MAIL, "Mail/Inbox": MBOX, "Mail/Spam": MBOX, "Mail/Sent/2": MAIL})
    (tmp_path / "Mail" / "link").symlink_to(tmp_path / "Mail" / "Spam")
    assert found(tmp_path, "ham=ROOT/Mail", "spam=ROOT/Mail/Junk", "spam=ROOT/Mail/Spam") == [
        ("ham", "Mail/Inbox", "mbox"),
        ("ham", "Mail/Sent/2", "message"),
        ("spam", "Mail/Junk/1", "message"),
        ("spam", "Mail/Spam", "mbox"),
    ]


def test_a_path_named_twice_with_one_label_counts_once(tmp_path):
    tree(tmp_path, {"a/1": MAIL})
    assert names(tmp_path, "m=ROOT/a", "m=ROOT/a") == ["a/1"]


def test_names_that_are_not_utf_8_work(tmp_path):
    folder = os.path.join(os.fsencode(tmp_path), b"\xff\xfe")
    os.mkdir(folder)
    with open(os.path.join(folder, b"caf\xe9.eml"), "wb") as file:
        file.write(MAIL)
    [source] = find([str(tmp_path)])
    assert os.fsencode(source.path) == os.path.join(folder, b"caf\xe9.eml")
    assert os.fsencode(source.label) == b"\xff\xfe"
    assert Path(source.path).read_bytes() == MAIL


def test_a_pipe_in_a_folder_is_never_opened(tmp_path):
    tree(tmp_path, {"1": MAIL})
    os.mkfifo(tmp_path / "pipe")
    assert names(tmp_path, "m=ROOT") == ["1"]


def test_folders_deeper_than_pythons_stack(tmp_path):
    depth = 1500
    folders = [tmp_path / "d"]
    for _ in range(depth - 1):
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    message = folders[-1] / "1"
    message.write_bytes(MAIL)
    try:
        assert names(tmp_path, "m=ROOT") == ["d/" * depth + "1"]
    finally:  # pytest's own cleaning up would run out of stack
        message.unlink()
        for folder in reversed(folders):
            folder.rmdir()


# --- what kind, and how many classes -----------------------------------------------------------------------


def test_the_majority_decides_over_labels_in_turn(tmp_path):
    tree(tmp_path, {f"a/{i}.txt": b"plain words" for i in range(30)})
    tree(tmp_path, {"b/1.txt": MAIL, "b/2.eml": b"odd", "b/3.txt": b"plain"})
    sources = find([str(tmp_path)])
    assert kind_of(sources) == "text"
    assert kind_of([s for s in sources if s.label == "b"]) == "mail"
    assert kind_of([*sources[:1], *[s for s in sources if s.label == "b"]]) == "mail"  # two against two
    assert kind_of([]) == kind_of(find(["a=-"])) == "mail"


def test_two_classes_pass(tmp_path):
    check_classes([Source("ham", "a", "message"), Source("spam", "b", "mbox")])


# --- the module, and real mail -----------------------------------------------------------------------------


def test_importing_loads_nothing_heavy():
    code = "import sys, deciban.mail.sources; print(*{'numpy', 'polars', 'scipy', 'sklearn'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


@pytest.fixture(scope="module")
def unpacked(data, tmp_path_factory):
    def unpack(name):
        folder = tmp_path_factory.mktemp("corpus")
        with tarfile.open(data(name)) as archive:
            archive.extractall(folder, filter="data")
        return folder

    return unpack


def test_the_spamassassin_corpus(unpacked):
    root = unpacked("spamassassin.tar.xz") / "spamassassin"
    sources = find([str(root)])
    assert Counter(s.label for s in sources) == {
        "easy-ham-1": 2500,
        "easy-ham-2": 1400,
        "hard-ham-1": 250,
        "spam-1": 500,
        "spam-2": 1396,
    }
    assert {s.kind for s in sources} == {"message"}
    assert sum(looks_like_mail(Path(s.path).read_bytes()) for s in sources) == len(sources)
    assert kind_of(sources) == "mail"


def test_the_trec_corpus_comes_in_order_of_arrival(unpacked):
    sources = find([f"all={unpacked('trec07p-head.tar.xz')}/trec07p-head/data"])
    assert [int(s.path.rpartition(".")[2]) for s in sources] == list(range(1, 10_001))
    assert {s.kind for s in sources} == {"message"}
