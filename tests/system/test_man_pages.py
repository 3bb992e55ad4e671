"""The manual pages are those of the commands, whole, and without a fault that a formatter of such pages finds."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deciban.cli.description import describe
from deciban.cli.group import VERBS

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import man_pages  # noqa: E402

sys.path.pop(0)
COMMANDS = list(describe().walk())
PAGES = sorted(man_pages.FOLDER.glob("*.1"))


def shown(path):
    """Return a page as text."""
    done = subprocess.run(["mandoc", "-Tutf8", "-Owidth=200", path], capture_output=True, text=True, check=True)
    return re.sub(".\x08", "", done.stdout)  # what is bold is printed twice


def test_what_is_there_is_what_would_be_written_anew(tmp_path):
    man_pages.write(tmp_path)
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert {path.name: path.read_text(encoding="utf-8") for path in PAGES} == made, "run make man"


def test_pages_of_commands_that_are_gone_are_removed(tmp_path):
    (tmp_path / "deciban-gone.1").write_text("")
    man_pages.write(tmp_path)
    assert len(list(tmp_path.iterdir())) == len(PAGES)


def test_every_command_has_a_page():
    assert {"deciban", *(f"deciban-{verb}" for verb in VERBS)} <= {path.stem for path in PAGES}
    assert len(COMMANDS) == len(PAGES)


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_no_fault():
    done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *PAGES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_groff_warns_of_nothing(path):
    done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z", path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("command", COMMANDS, ids=[each.name for each in COMMANDS])
def test_a_page_names_every_option_with_its_help(command):
    text = " ".join(shown(man_pages.FOLDER / f"{man_pages.page_name(command)}.1").split())
    for option in command.options:
        head = f"{', '.join(option.names)} {option.value}".strip()
        assert f"{head} {' '.join(option.help.split())}".replace("`", "") in text
    for block in command.help:
        assert " ".join(block.text.split()).replace("`", "") in text
