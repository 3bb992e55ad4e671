"""What is released: a wheel that needs no compiler, and a source from which it can be built."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from contextlib import suppress
from pathlib import Path
from runpy import run_path
from shutil import copytree

import pytest

from system.made_once import make_once

ROOT = Path(__file__).parents[2]
# Of the profile of the tests. Released it has 4 % more, as more is inlined, and so less than 6 MB. Two thirds are the
# core, each of whose loops is there for three generations of processors.
MOST_BYTES = 5_750_000

LICENCES = run_path(str(ROOT / "crates" / "licences.py"))

pytestmark = pytest.mark.deep


def build(folder, source, profile, **environment):
    """The wheel of a source, built as `pip install` builds it."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source]
    words += [f"--config-settings=build-args=--profile {profile}"]
    subprocess.run(words, check=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment})
    (wheel,) = Path(folder).glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Of this state of the project, compiled as the tests' extension was."""
    folder = make_once(tmp_path_factory, "wheel", lambda folder: build(folder, ROOT, "quick"))
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The sdist of this state, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    words = [sys.executable, "-m", "maturin", "sdist", "--out", folder]
    subprocess.run(words, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def environment_of(folder, wheel):
    """A fresh environment with the wheel; all that it needs but Deciban itself is that of the tests."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    alone = {"PATH": str(folder / "bin"), "HOME": str(folder)}  # neither cargo nor cc
    words = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", wheel]
    subprocess.run(words, check=True, env=alone)
    packages = Path(
        subprocess.check_output(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
        ).strip()
    )
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python, alone


def judges_the_sample(folder, wheel):
    python, alone = environment_of(folder, wheel)
    where = subprocess.check_output([python, "-c", "import deciban; print(deciban.__file__)"], text=True, env=alone)
    assert Path(where.strip()).is_relative_to(folder)
    command = folder / "bin" / "deciban"
    done = subprocess.run([command, "demo", "--json"], capture_output=True, text=True, env=alone, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert '"decibans"' in done.stdout


def test_the_wheel_judges_the_sample_where_there_is_no_compiler(wheel, tmp_path):
    judges_the_sample(tmp_path, wheel)


def test_the_wheel_is_small_and_of_every_python_from_3_11_on(wheel):
    assert wheel.stat().st_size < MOST_BYTES
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    tracked = subprocess.check_output(["git", "-C", ROOT, "ls-files", "python/deciban"], text=True).splitlines()
    wanted = {str(Path(name).relative_to("python")) for name in tracked}
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name and ".data/" not in name}
    assert held - {"deciban/_core.abi3.so"} == wanted
    assert "deciban/_core.abi3.so" in held


def test_the_wheel_holds_the_licences_of_all_that_is_linked(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {Path(name).name for name in names if "/licenses/" in name} >= {"LICENSE", "THIRD-PARTY.md"}


def test_a_wheel_can_be_built_from_the_source(source, tmp_path):
    """Not optimised, as what is built is the same; crates of others come from where the tests' extension was built."""
    target = tmp_path / "target"
    with suppress(FileNotFoundError):
        copytree(ROOT / "target" / "quick", target / "quick")
    ours = [f"--config profile.quick.package.deciban-{name}.opt-level=0" for name in ("core", "python")]
    built = build(tmp_path / "wheel", source, " ".join(["quick", *ours]), CARGO_TARGET_DIR=str(target))
    judges_the_sample(tmp_path / "fresh", built)


def test_the_licences_are_those_of_the_crates_that_are_linked():
    assert LICENCES["named"](LICENCES["PAGE"].read_text(encoding="utf-8")) == LICENCES["linked"]()
