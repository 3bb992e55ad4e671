"""The benchmark for GPUs runs alone, on the CPU too, and keeps what it found."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu.py"


def ran(*arguments):
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # its threads wait for each other where cores are busy
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=alone)


@pytest.mark.parametrize(("library", "problems"), [("numpy", ["mnist"]), ("array_api_strict", ["forest", "dense"])])
def test_it_keeps_what_it_found(library, problems, tmp_path):
    done = ran(*problems, "--small", "--library", library, "--records", tmp_path)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.iterdir()
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["device"]["library"] == library
    assert list(record["problems"]) == problems
    assert record["unfinished"] == {}
    assert min(record["rates_flops"].values()) > 0.0
    for entry in record["problems"].values():
        assert entry["device"]["status"] == "converged"
        assert entry["device"]["relative_gap"] <= 1e-4
        assert entry["agreement"]["agrees"]
        assert entry["agreement"]["same_digest"]
        assert entry["floor"]["fit_flop"] > 0.0
        (theirs,) = entry["scikit-learn"]
        assert theirs["status"] == "ended"
        assert theirs["accuracy"] == pytest.approx(entry["device"]["accuracy"], abs=0.02)


@pytest.mark.skipif(find_spec("cupy") is not None, reason="nothing is missing where CuPy is")
def test_it_says_what_is_missing(tmp_path):
    done = ran("--small", "--library", "cupy", "--records", tmp_path)
    assert done.returncode == 1
    assert done.stdout == "cupy is not installed: pip install cupy\n"
    assert not list(tmp_path.iterdir())
