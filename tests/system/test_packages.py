"""The packages that the checks install are Debian's, and each has the program for which it is installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = re.findall(r"\|\| (?:missing|beside)\+=\((.*)\)", (ROOT / ".ci" / "run").read_text())
PACKAGES = sorted({name for line in NEEDED for name in line.split()})
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(shutil.which("apt-cache") is None, reason="no Debian"),
]


def known(package):
    """Whether there is a version of a package that could be installed; the test is skipped where no lists are there."""
    told = subprocess.run(
        ["apt-cache", "policy", "base-files", package], capture_output=True, text=True, check=True
    ).stdout
    if "http" not in told:
        pytest.skip("the lists of packages are not there: apt-get update")
    return re.search(rf"(?m)^{re.escape(package)}:\n  Installed: .*\n  Candidate: (?!\(none\))", told) is not None


def test_there_are_some():
    assert {"spamc", "postfix", "spamass-milter", "rspamd", "procmail", "maildrop", "miltertest"} <= {*PACKAGES}


@pytest.mark.parametrize("package", [*PACKAGES, "exim4-daemon-heavy"])
def test_a_package_is_known_to_debian(package):
    assert known(package)


def test_scripts_are_whole():
    for script in (".ci/run", "tests/system/unpack-exim"):
        done = subprocess.run(["bash", "-n", ROOT / script], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert (ROOT / script).stat().st_mode & 0o100
