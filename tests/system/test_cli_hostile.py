"""What strangers send: junk, controls, strange names, loops, messages without end; the terminal sees none of it."""

import json
import os
import re
import shutil

import pytest

from system.command import SPAM, out, result, run, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model") / "filter.deciban")


@pytest.fixture
def here(tmp_path, model):
    """A folder to stand in, with a filter, so that names are short."""
    shutil.copy(model, tmp_path / "f.deciban")
    return tmp_path


def test_junk_is_judged_and_printed_harmlessly(here):
    junk = bytes(range(256)) * 20 + "\u202e\u0085\x9b31m".encode() + b"\x1b]0;owned\x07" * 3
    for message in (b"Subject: x\n\n" + junk, junk, b"\0" * 1000, b"From: \x1b[2J\n\n\x1b[31mred\n"):
        done = run("explain", "f.deciban", input=message, cwd=here)
        assert done.returncode == 0
        text = done.stdout.decode()
        assert all(c.isprintable() or c == "\n" for c in text)
        json_text = out("explain", "f.deciban", "--json", input=message, cwd=here)
        assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", json_text)
        json.loads(json_text)


NAMES = [b"a\nb.eml", b"\x1b[31mred.eml", b"\xff\xfe.eml", "한글.eml".encode(), b"-dash.eml", b"quo'te.eml"]


def test_strange_names_of_files(here):
    folder = os.fsencode(here / "weird")
    os.mkdir(folder)
    for name in NAMES:
        shutil.copy(os.fsencode(SPAM), os.path.join(folder, name))
    lines = out("classify", "f.deciban", "weird", cwd=here).splitlines()
    assert len(lines) == len(NAMES)
    assert {line[line.index("weird/") :] for line in lines} == {
        "weird/a\\nb.eml", "weird/\\x1b[31mred.eml", "weird/\\xff\\xfe.eml", "weird/한글.eml", "weird/-dash.eml",
        "weird/quo'te.eml",
    }  # fmt: skip
    found = {os.fsencode(each["source"]) for each in result("classify", "f.deciban", "weird", "--json", cwd=here)}
    assert found == {b"weird/" + name for name in NAMES}
    for name in NAMES:
        assert run("explain", "f.deciban", b"weird/" + name, cwd=here).returncode == 0
    done = run("classify", "f.deciban", b"we\n\x1b[31m\xff", cwd=here)
    assert done.returncode == 66
    assert done.stderr.startswith(b"deciban: we\\n\\x1b[31m\\xff: expected a file")


def test_a_loop_of_folders_ends(here):
    (here / "mail" / "in").mkdir(parents=True)
    shutil.copy(SPAM, here / "mail" / "in" / "x.eml")
    (here / "mail" / "in" / "again").symlink_to(here / "mail")
    assert out("classify", "f.deciban", "mail", cwd=here).count("\n") == 1


@pytest.mark.deep
def test_a_huge_message_costs_bounded_memory(here):
    import resource

    with open(here / "big.eml", "wb") as file:
        file.write(b"Subject: big\n\n")
        for _ in range(200):
            file.write(b"buy pills now\n" * 75_000)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # noqa: E731
    one = result("classify", "f.deciban", "big.eml", "--json", "-j", 1, cwd=here, preexec_fn=limit)
    with open(here / "big.eml", "rb") as file:
        two = result("classify", "f.deciban", "--json", "-j", 1, stdin=file, cwd=here, preexec_fn=limit)
    assert {**one, "source": "-"} == two
