"""Options of the server from a file, from the environment and from the command line, in that order of weight."""

import configparser
import json
import os
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import click
import pytest

from deciban.cli.group import VERBS
from deciban.cli.serve import command
from deciban.errors import DecibanError
from deciban.serve.server import PROTOCOLS
from deciban.serve.server_options import ServerOptions

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def options(monkeypatch, tmp_path):
    """A function that returns what the server is asked for by arguments, a file and variables."""
    found = []
    monkeypatch.setattr("deciban.serve.server.run_server", lambda path, chosen, read: found.append((chosen, read)) or 0)

    def asked(*arguments, file="", **variables):
        for name, value in variables.items():
            monkeypatch.setenv(f"DECIBAN_{name}", value)
        path = tmp_path / "deciban.toml"
        path.write_text(file)
        context = command.make_context("serve", ["f.deciban", "--config", str(path), *arguments])
        with context, pytest.raises(click.exceptions.Exit):
            command.invoke(context)
        return found.pop()[0]

    return asked


def at(chosen, name):
    return [str(each) for each in chosen.endpoints[name]]


def test_what_is_said_first_counts(options):
    assert options().workers is None
    file = (
        'workers = 3\nspamd = ["127.0.0.1:1", "127.0.0.1:2"]\nhttp = "/run/x"\nallow-tell = true\nthreshold = "20dB"\n'
    )
    chosen = options(file=file)
    assert (chosen.workers, chosen.allow_tell, chosen.threshold) == (3, True, 20.0)
    assert (at(chosen, "spamd"), at(chosen, "http")) == (["127.0.0.1:1", "127.0.0.1:2"], ["/run/x"])
    chosen = options(file=file, WORKERS="4", SPAMD="127.0.0.1:3 127.0.0.1:4")
    assert (chosen.workers, at(chosen, "spamd")) == (4, ["127.0.0.1:3", "127.0.0.1:4"])
    chosen = options("--workers", "5", "--spamd", "127.0.0.1:5", file=file)
    assert (chosen.workers, at(chosen, "spamd")) == (5, ["127.0.0.1:5"])


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("worker = 3", "expected one of the options"),
        ("workers", "expected TOML"),
        ("workers = [1, 2]", "expected one value of workers"),
        ("workers = true", "expected workers to be text or a number"),
        ("allow-tell = 1", "expected allow-tell to be true or false"),
        ("config = 'other'", "expected one of the options"),
        ("spamd = [[1]]", "expected spamd to be text or a number"),
        ("workers = 0", "not in the range"),
        ("[serve]\nworkers = 1", "expected one of the options"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(options, file, said):
    with pytest.raises((DecibanError, click.ClickException)) as error:
        options(file=file)
    assert said in getattr(error.value, "message", str(error.value))


def test_what_is_deployed_is_understood(options):
    chosen = options(file=(DEPLOY / "deciban.toml").read_text())
    assert isinstance(chosen, ServerOptions)
    assert at(chosen, "milter") == ["/run/deciban/milter"]
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(DEPLOY / "deciban.service")
    words = shlex.split(unit["Service"]["ExecStart"])
    assert words[1:3] == ["serve", "/var/lib/deciban/filter.deciban"]
    known = {name for each in command.params for name in each.opts}
    assert {word for word in words if word.startswith("--")} <= known
    sockets = configparser.RawConfigParser(strict=False)
    sockets.read(DEPLOY / "deciban.socket")
    assert sockets["Socket"]["filedescriptorname"] in PROTOCOLS
    assert tomllib.loads((DEPLOY / "deciban.toml").read_text())


CONTAINER = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")


def instructions(name):
    """What follows each instruction of a name in the container file."""
    return re.findall(rf"^{name} (.*)$", CONTAINER, flags=re.MULTILINE)


def test_the_container_file_copies_what_there_is_and_starts_what_it_installs(options):
    copied = [each.split() for each in instructions("COPY")]
    for *sources, _ in copied:
        if not sources[0].startswith("--from="):
            assert all((DEPLOY.parent / each).exists() for each in sources), sources
    assert ["--from=built", "/opt/deciban", "/opt/deciban"] in copied
    needed = {"Cargo.toml", "Cargo.lock", "pyproject.toml", "README.md", "LICENSE", "crates", "python", "man"}
    assert needed <= {each for words in copied for each in words}
    (entry,), (words,) = (list(map(json.loads, instructions(name))) for name in ("ENTRYPOINT", "CMD"))
    assert entry == ["/opt/deciban/bin/deciban", "serve", "/var/lib/deciban/filter.deciban"]
    (at,) = options(*words).endpoints["spamd"]
    assert instructions("EXPOSE") == [str(at.port)]
    assert f":{at.port} deciban" in CONTAINER
    assert at.port >= 1024  # as the user is another than root
    assert instructions("USER") == ["deciban"]


def test_the_container_is_the_command_too():
    (environment,) = instructions("ENV")
    path = dict(each.split("=", 1) for each in environment.split())["PATH"].split(":")
    (entry,) = map(json.loads, instructions("ENTRYPOINT"))
    assert path[0] == os.path.dirname(entry[0])
    extras = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r"EXTRAS=([\w,]+)", CONTAINER)
    assert {each for part in named for each in part.split(",")} <= set(extras)
    assert named[-1] == "serve"
    (line,) = re.findall(r"--entrypoint deciban deciban .*?(classify .*)", CONTAINER)
    assert line.split()[0] in VERBS


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no Debian")
def test_the_commands_of_the_container_file_are_known_to_debian():
    commands = [each.split()[0] for line in instructions("RUN") for each in line.split("&&")]
    assert {"apt-get", "python3", "useradd", "install", "rm"} <= {*commands}
    assert all(shutil.which(each) for each in commands if not each.startswith("/opt/deciban/"))
