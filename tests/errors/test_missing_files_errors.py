"""Files that are not there or may not be read are errors of the system's own kinds, with a sentence of ours."""

import errno
import os
import pickle
import subprocess
import sys

import pytest

import deciban
from deciban.errors import NoInputError

LOADERS = [deciban.load, deciban.load_libsvm]


@pytest.mark.parametrize("load", LOADERS, ids=lambda load: getattr(load, "__qualname__", load))
@pytest.mark.parametrize("kind", [str, os.fspath])
def test_a_file_that_is_missing(load, kind, tmp_path):
    path = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as caught:
        load(kind(path))
    assert str(caught.value) == f"{path}: expected a file or a folder; there is none of that name."
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(path))
    assert isinstance(caught.value, NoInputError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert type(again) is type(caught.value)


@pytest.mark.parametrize("load", LOADERS, ids=lambda load: load.__qualname__)
def test_a_folder(load, tmp_path):
    with pytest.raises(IsADirectoryError) as caught:
        load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: expected a file; this is a folder. Name the file in it."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
@pytest.mark.parametrize("load", LOADERS, ids=lambda load: load.__qualname__)
def test_a_file_that_may_not_be_read(load, tmp_path):
    path = tmp_path / "secret"
    path.touch(mode=0)
    with pytest.raises(PermissionError, match=r"permission was denied\. Change its mode or its owner\.$"):
        load(path)


def test_the_kinds_of_refusals(tmp_path):
    from deciban.errors import unreadable

    denied = unreadable("secret", PermissionError(errno.EACCES, "Permission denied"))
    assert isinstance(denied, PermissionError)
    assert denied.errno == errno.EACCES
    assert str(denied) == "secret: expected to read it; permission was denied. Change its mode or its owner."


@pytest.mark.parametrize("name", ["missing", "folder"])
def test_the_command_ends_with_66(name, tmp_path):
    (tmp_path / "folder").mkdir()
    command = [sys.executable, "-m", "deciban", "inspect", name]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 66
    assert run.stderr.startswith(f"deciban: {name}: expected a file")
    assert "Errno" not in run.stderr
