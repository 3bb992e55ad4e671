"""The benchmark for GPUs runs alone, on the CPU too, and keeps what it found."""

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def ran(monkeypatch, capsys, tmp_path):
    """What the script returns and prints, with its records in `tmp_path`."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["gpu.py", *arguments, "--small", "--records", str(tmp_path)])
        return import_module("gpu").main(), capsys.readouterr().out

    return run


@pytest.mark.deep
@pytest.mark.parametrize("library", ["numpy", "array_api_strict"])
def test_it_keeps_what_it_found(library, ran, tmp_path):
    status, said = ran("forest", "--library", library)
    assert status == 0
    assert "\nforest: " in said
    (path,) = tmp_path.iterdir()
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["device"]["library"] == library
    assert record["unfinished"] == {}
    assert min(record["rates_flops"].values()) > 0.0
    (entry,) = record["problems"].values()
    assert entry["device"]["status"] == "converged"
    assert entry["device"]["relative_gap"] <= 1e-4
    assert entry["agreement"]["agrees"]
    assert entry["agreement"]["same_digest"]
    assert entry["floor"]["fit_flop"] > 0.0
    (theirs,) = entry["scikit-learn"]
    assert theirs["status"] == "ended"
    assert theirs["accuracy"] == pytest.approx(entry["device"]["accuracy"], abs=0.02)


@pytest.mark.skipif(find_spec("cupy") is not None, reason="nothing is missing where CuPy is")
def test_it_says_what_is_missing(ran, tmp_path):
    assert ran("--library", "cupy") == (1, "cupy is not installed: pip install cupy\n")
    assert not list(tmp_path.iterdir())


def test_the_simulated_problems_are_what_they_were(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    problems = {problem.name: problem for problem in import_module("gpu_problems").PROBLEMS}
    for name, width in (("forest", 54), ("dense", 2000)):
        (X, y), (Z, truth) = problems[name].parts(400, 100)
        again = problems[name].parts(400, 100)[0][0]
        assert X.shape == (400, width)
        assert Z.shape == (100, width)
        assert X.dtype == "float32"
        assert 0.3 < y.mean() < 0.7
        assert set(truth) == {0, 1}
        assert again.tobytes() == X.tobytes()
