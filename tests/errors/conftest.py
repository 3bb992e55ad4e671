"""What the tests of messages share."""

import signal

import pytest

from deciban.cli import status


@pytest.fixture
def complaint(capsys, tmp_path, monkeypatch):
    """What a command says that ends with this code, on stderr, and nothing on stdout; in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def inside(code, *arguments):
        capsys.readouterr()
        assert status(arguments) == code
        told = capsys.readouterr()
        assert told.out == ""
        return told.err.removeprefix("deciban: ").rstrip("\n")

    yield inside
    for number, handler in before.items():
        signal.signal(number, handler)
