"""Messages that a mail program renames, moves or deletes between their listing and their reading."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from deciban.mail import folders, reading
from deciban.mail.sources import find, kind_of
from tiers import deep

N = 150  # of each label: more than are read at once


def write(path, label, number):
    words = "cheap pills" if label == "spam" else "lunch at noon"
    path.write_text(f"From: ann@example.org\nSubject: {label} {number}\n\n{words} number{number}\n")


def boxes(root, n=N):
    """A Maildir for each label: half of the messages in cur/, half in new/."""
    for label in ("spam", "ham"):
        for folder in ("cur", "new", "tmp"):
            (root / label / folder).mkdir(parents=True)
        for number in range(n):
            name = f"cur/{number}.M1P1.host:2,S" if number % 2 else f"new/{number}.M1P1.host"
            write(root / label / name, label, number)
    return f"spam={root / 'spam'}", f"ham={root / 'ham'}"


@pytest.fixture
def meanwhile(monkeypatch):
    """What happens between listing and reading."""

    made = reading.Files

    def install(act):
        def files(*arguments):
            act()
            return made(*arguments)

        monkeypatch.setattr(reading, "Files", files)

    return install


def rename_all(root):
    """Another flag for what is in cur/, and cur/ for what is in new/."""
    for path in [*root.glob("*/cur/*"), *root.glob("*/new/*")]:
        path.rename(path.parent.parent / "cur" / f"{path.name.partition(':')[0]}:2,FS")


@pytest.mark.parametrize("more", [(), ("--model", "logistic")])
def test_a_message_that_is_renamed_is_read_once(run, tmp_path, meanwhile, more):
    examples = boxes(tmp_path)
    before = json.loads(run("train", *examples, "-o", "before.deciban", "--json", *more).stdout)
    meanwhile(lambda: rename_all(tmp_path))
    done = run("train", *examples, "-o", "after.deciban", "--json", *more)
    after = json.loads(done.stdout)
    assert (after["n"], after["classes"], after["vanished"]) == (2 * N, {"ham": N, "spam": N}, 0)
    assert {**after, "output": 0, "seconds": 0, "certificate": 0}.keys() == before.keys()
    assert after["duplicates"] == 0
    assert "moved away" not in done.stderr
    assert (tmp_path / "after.deciban").read_bytes() == (tmp_path / "before.deciban").read_bytes()


def delete_some(root, pattern="*.M1P1.host*"):
    """Three messages of either label."""
    for label in ("spam", "ham"):
        for path in sorted((root / label).rglob(pattern))[:3]:
            path.unlink()


def test_what_vanished_is_counted_by_every_verb(run, tmp_path, meanwhile):
    examples = boxes(tmp_path)
    assert run("train", *examples, "-o", "f.deciban").returncode == 0
    meanwhile(lambda: delete_some(tmp_path))
    told = "6 messages were moved away before being read, and left out."
    left = 2 * N
    for model in ((), ("--model", "nbsvm")):
        left -= 6
        done = run("train", *examples, "-o", "g.deciban", "--json", *model)
        assert (json.loads(done.stdout)["n"], json.loads(done.stdout)["vanished"]) == (left, 6)
        assert told in done.stderr
    left -= 6
    done = run("evaluate", "f.deciban", *examples, "--json")
    assert (json.loads(done.stdout)["n"], json.loads(done.stdout)["vanished"]) == (left, 6)
    assert told in done.stderr
    for verb in ("suspects", "compare"):
        done = run(verb, *examples, *(("--sizes", "none", "--models", "naive-bayes") if verb == "compare" else ()))
        assert (done.returncode, told in done.stderr) == (0, True), done.stderr
    for verb in (("classify", "f.deciban"), ("learn", "f.deciban", "--as", "spam"), ("forget", "f.deciban")):
        for form in ("", "--json"):
            done = run(*verb, tmp_path / "spam", *filter(None, [form]))
            assert (done.returncode, told.replace("6", "3") in done.stderr) == (0, True), (verb, done.stderr)
        if verb[0] != "classify":
            found, left = json.loads(done.stdout), len(list((tmp_path / "spam").glob("*/*.host*")))
            assert (found["n"], found["vanished"]) == (left, 3)
    quiet = run("train", *examples, "-o", "g.deciban", "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_files_that_vanish_from_a_plain_folder_are_counted_and_one_that_is_named_is_an_error(run, tmp_path, meanwhile):
    for label in ("spam", "ham"):
        (tmp_path / label).mkdir()
        for number in range(10):
            write(tmp_path / label / f"{number}.eml", label, number)
    meanwhile(lambda: delete_some(tmp_path, "*.eml"))
    examples = (f"spam={tmp_path / 'spam'}", f"ham={tmp_path / 'ham'}")
    done = run("train", *examples, "-o", "f.deciban", "--json")
    assert (json.loads(done.stdout)["n"], json.loads(done.stdout)["vanished"]) == (14, 6)
    one = tmp_path / "one.eml"
    write(one, "spam", 0)
    meanwhile(one.unlink)
    done = run("classify", "f.deciban", one)
    assert done.returncode == 66
    assert done.stderr.startswith(f"deciban: {one}: expected a file or a folder; there is none of that name.")
    meanwhile(lambda: shutil.rmtree(tmp_path / "spam"))
    done = run("train", *examples, "-o", "g.deciban")
    assert done.returncode == 65
    assert "Expected items of every class; 'spam' has none." in done.stderr
    assert not (tmp_path / "g.deciban").exists()


def test_a_message_that_moves_while_the_folder_is_listed_is_there_once(tmp_path, monkeypatch):
    boxes(tmp_path, 20)
    real, calls = folders.scan, []

    def scan(path):
        entries = real(path)
        calls.append(path)
        rename_all(tmp_path)  # after new/ was listed, before cur/ is
        return entries

    monkeypatch.setattr(folders, "scan", scan)
    found = folders.messages(str(tmp_path / "spam"))
    assert len(found) == 20
    assert len({os.path.basename(path).partition(":")[0] for path in found}) == 20
    assert len(calls) > 2


def test_two_files_with_one_unique_part_are_two(tmp_path):
    boxes(tmp_path, 2)
    write(tmp_path / "spam" / "cur" / "1.M1P1.host:2,F", "spam", 9)
    assert len(folders.messages(str(tmp_path / "spam"))) == 3


def test_a_maildir_whose_first_messages_have_moved_is_mail(tmp_path):
    sources = find(boxes(tmp_path, 30))
    rename_all(tmp_path)
    assert kind_of(sources) == "mail"


_FLAGS = """
import itertools, os, sys
for flags in itertools.cycle(["S", "RS", "FS", "PS"]):
    for label in ("spam", "ham"):
        for folder in ("cur", "new"):
            for name in os.listdir(f"{sys.argv[1]}/{label}/{folder}"):
                new = f"{sys.argv[1]}/{label}/cur/{name.partition(':')[0]}:2,{flags}"
                os.rename(f"{sys.argv[1]}/{label}/{folder}/{name}", new)
"""


@pytest.mark.parametrize("n", [100, *deep(2000)])
def test_a_program_that_renames_all_the_time_costs_no_message(run, tmp_path, n):
    examples = boxes(tmp_path, n)
    with subprocess.Popen([sys.executable, "-c", _FLAGS, str(tmp_path)]) as renames:
        try:
            for _ in range(3):
                done = run("train", *examples, "-o", "f.deciban", "--json")
                assert done.returncode == 0, done.stderr
                found = json.loads(done.stdout)
                assert found["n"] + found["vanished"] >= 2 * n
                assert (found["n"], found["duplicates"]) == (2 * n - found["vanished"], 0)
                assert found["vanished"] <= n // 50
        finally:
            renames.kill()
