"""The command that writes ONNX files: they answer as the command does."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest

import deciban
from deciban.export import token_counts
from system.command import HAM, SPAM, out, run

MAIL = [f"spam={SPAM.parent}", f"ham={HAM.parent}"]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A table whose rows are text, numbers and labels."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    jobs, buys = ("judge", "clerk", "clerk"), ("no", "yes", "yes", "no", "yes")
    rows = "".join(f"{20 + i * i % 17},{jobs[i % 3]},{buys[i % 5]}\n" for i in range(60))
    path.write_text("age,job,buys\n" + rows)
    return path


def answers_of(path, rows):
    """Return what onnxruntime answers, by the name of the output."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": rows}), strict=True))


@pytest.mark.parametrize("model", ["naive-bayes", "logistic", "kernel-svm", "mlp", "discriminant"])
def test_a_table(model, people, tmp_path):
    trained, made = tmp_path / "people.deciban", tmp_path / "people.onnx"
    assert run("train", people, "--label", "buys", "--model", model, "-o", trained, "-q").returncode == 0
    told = json.loads(out("export", trained, "-o", made, "--json"))
    assert told["outputs"] == ["label", "probabilities", "scores"]
    said = [json.loads(line) for line in out("classify", trained, people, "--jsonl").splitlines()]
    jobs = {"clerk": 0.0, "judge": 1.0}
    cells = [line.split(",") for line in people.read_text().splitlines()[1:]]
    rows = np.array([[float(age), jobs[job]] for age, job, _ in cells], dtype=np.float32)
    found = answers_of(made, rows)
    assert found["label"].tolist() == [each["label"] for each in said]
    known = json.loads({each.key: each.value for each in onnx.load(made).metadata_props}["classes"])
    wanted = [[each["probability"][label] for label in known] for each in said]
    np.testing.assert_allclose(found["probabilities"], wanted, atol=1e-5)


def test_a_filter_and_what_it_has_learnt_since(tmp_path):
    trained, made = tmp_path / "filter.deciban", tmp_path / "filter.onnx"
    assert run("train", *MAIL, "--model", "naive-bayes", "-o", trained, "-q").returncode == 0
    assert run("learn", trained, "--as", "ham", SPAM, "-q").returncode == 0
    assert run("export", trained, "-o", made).stderr.decode().startswith(f"Wrote {made}: ")
    said = json.loads(out("classify", trained, SPAM, "--jsonl"))
    run("refresh", trained)
    counts = token_counts(deciban.load(trained), [SPAM.read_bytes()])
    found = answers_of(made, counts)
    assert found["label"].tolist() == [said["label"]]
    np.testing.assert_allclose(found["probabilities"][0], [said["probability"][c] for c in ("ham", "spam")], atol=1e-5)


def test_only_its_own_files_are_replaced(people, tmp_path):
    trained = tmp_path / "people.deciban"
    run("train", people, "--label", "buys", "-o", trained, "-q")
    (tmp_path / "notes.txt").write_text("notes")
    done = run("export", trained, "-o", tmp_path / "notes.txt")
    assert done.returncode == 64
    assert b"expected a free name, or an ONNX file of a model to replace; this file is something else." in done.stderr
    for _ in range(2):
        assert run("export", trained, "-o", tmp_path / "people.onnx", "-q").returncode == 0


def test_a_model_that_learns_online_is_refused(tmp_path):
    trained = tmp_path / "filter.deciban"
    run("train", *MAIL, "-o", trained, "-q")
    done = run("export", trained, "-o", tmp_path / "filter.onnx")
    assert (done.returncode, done.stderr.decode()) == (
        65,
        "deciban: a text model of type 'online' cannot be written as ONNX: it adapts to every message. Expected naive "
        "Bayes or a model learnt by minimising. Train with --model naive-bayes, or TextClassifier('naive-bayes').\n",
    )
    assert not (tmp_path / "filter.onnx").exists()
