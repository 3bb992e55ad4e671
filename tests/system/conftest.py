"""The command as tests of the system run it where a process of its own would tell no more."""

import signal
from types import SimpleNamespace

import pytest

from deciban.cli import status


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
