"""What the command tells of when to believe a model: in JSON, in `inspect`, after a choice."""

import json

import numpy as np
import pytest

import deciban
from deciban.certificates.bound import NAMES


def proof_of(path):
    """The certificate of the model in a file, as Python has it."""
    return deciban.load(path).certificate_


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 250)
    jobs = np.where(random.random(250) < 0.3, "농부", "clerk")
    rows = [f"{random.normal(1.5 * k):.3f},{job},{'예' if k else 'no'}" for k, job in zip(y, jobs, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,job,buys", *rows, ""]), encoding="utf-8")
    return "t.csv"


@pytest.mark.parametrize("model", ["naive-bayes", "svm", "discriminant"])
def test_a_model_of_a_table_tells_its_bounds(model, table, run, out, tmp_path):
    told = json.loads(run("train", table, "--label", "buys", "--model", model, "-o", "m.deciban", "--json").stdout)
    proof = told["certificate"]
    assert [each["name"] for each in proof["bounds"]] == list(NAMES)
    assert json.loads(out("inspect", "m.deciban", "--json"))["certificate"] == proof
    said = out("inspect", "m.deciban")
    assert "\nbounds       " in said
    assert f"\ncalibration  {proof['calibration']['how']}" in said
    if model != "naive-bayes":
        applied = {each["name"]: each["applies"] for each in proof["bounds"]}
        assert applied == {**dict.fromkeys(NAMES, False), "vc": True, "held-out": True}
    assert proof_of(tmp_path / "m.deciban").to_json() == proof


def test_a_choice_is_in_the_certificate(table, run, out, tmp_path):
    told = json.loads(run("train", table, "--label", "buys", "-o", "m.deciban", "--json").stdout)
    tried = next(each for each in told["tried"] if each["model"] == told["model"])
    bound = told["certificate"]["bounds"][-1]
    assert (tried["n"] + tried["learnt"], bound["name"]) == (250, "held-out")
    assert tried["error"] < bound["value"] < 1.0
    assert "the best of 4 tried" in out("inspect", "m.deciban")
    assert proof_of(tmp_path / "m.deciban").to_json() == told["certificate"]


def test_what_an_earlier_version_wrote_is_inspected(table, run, out, tmp_path):
    run("train", table, "--label", "buys", "--model", "svm", "-o", "m.deciban")
    stored = deciban.store.read(tmp_path / "m.deciban", tables=True)
    header = {key: value for key, value in stored.header.items() if key not in ("schema", "digest")}
    for damage in (None, 3, [{"name": "vc"}]):
        proof = dict(header["certificate"])
        del proof["bounds"], proof["calibration"]
        proof = proof if damage is None else {**proof, "bounds": damage}
        arrays = {key: tensor.array() for key, tensor in stored.tensors.items()}
        deciban.store.write(tmp_path / "old.deciban", {**header, "certificate": proof}, arrays)
        said = out("inspect", "old.deciban")
        assert "certificate  converged" in said
        assert "calibration" not in said
        assert out("classify", "old.deciban", table).count("t.csv:") == 250
