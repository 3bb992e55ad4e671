"""The command as tests of the system run it where a process of its own would tell no more."""

import shutil
import signal
import subprocess
from types import SimpleNamespace

import pytest

from deciban.cli import status
from system.command import TRAIN
from system.course import open_modules


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """The command in this process, which is much quicker, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def inside(*arguments):
        capsys.readouterr()
        code = status([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=told.out, stderr=told.err)

    yield inside
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def out(run):
    """What it prints; it must succeed."""

    def inside(*arguments):
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return inside


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A filter of the training part of the sample mailbox, which nobody changes."""
    path = tmp_path_factory.mktemp("filter") / "f.deciban"
    assert status(["train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", str(path)]) == 0
    return path


@pytest.fixture
def own(trained, run, tmp_path):
    """A copy of it, in the folder where commands run."""
    shutil.copy(trained, tmp_path / "f.deciban")
    return tmp_path / "f.deciban"


@pytest.fixture(scope="module")
def course_page():
    """An empty page from which the modules of the course are called."""
    with open_modules() as page:
        yield page


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate of localhost that nobody has signed, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    paths = folder / "certificate.pem", folder / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost", "-out", str(paths[0]), "-keyout", str(paths[1])]
    subprocess.run(words, check=True, capture_output=True)
    return paths
