"""deciban train --model: models that are minimised through every verb, and the choice among models."""

import json

import pytest

from deciban.data.text_layout import MINIMISED
from deciban.text.model_defaults import QUICKEST_FIRST
from system import command
from system.command import HELD_OUT, SPAM, TRAIN

COLUMNS = ("--text", "text", "--label", "label")


def table(path, n=130):
    rows = [f"good film {i} of {i % 7} reels,pos\nbad film {i} of {i % 5} reels,neg\n" for i in range(n)]
    path.write_text("text,label\n" + "".join(rows))
    return path


@pytest.fixture
def result(out):
    """What it prints, as JSON."""
    return lambda *arguments: json.loads(out(*arguments))


@pytest.mark.parametrize("model", MINIMISED)
def test_a_filter_of_mail_through_every_verb(model, tmp_path, run, out, result):
    path = tmp_path / "f.deciban"
    told = result("train", TRAIN, "-o", path, "--model", model, "--json", "--quiet")
    assert (told["model"], told["n"], told["classes"], told["tried"]) == (model, 192, {"ham": 96, "spam": 96}, [])
    assert told["certificate"]["n"] == 192
    found = result("evaluate", path, HELD_OUT, "--json")
    assert (found["n"], found["learnt"]) == (72, 0)
    assert found["error"] < (0.25 if model == "perceptron" else 0.2)  # which hangs on the order of the examples
    why = result("explain", path, SPAM, "--json")
    assert why["interval"] is None
    total = why["prior_decibans"] + sum(term["decibans"] for term in why["terms"])
    assert total == pytest.approx(why["decibans"], abs=1e-9 * (1 + sum(abs(t["decibans"]) for t in why["terms"])))
    assert result("classify", path, SPAM, "--json")["decibans"] == why["decibans"]
    line = out("classify", path, SPAM)
    assert " dB " in line
    assert " to " not in line
    knows = result("inspect", path, "--json", "--top", "3")
    assert (knows["model"], knows["bayes"], knows["ledger"]) == (model, None, 192)
    assert all(len(words) == 3 for words in knows["evidence"].values())
    text = out("inspect", path)
    assert "learnt at once, cannot learn on" in text
    assert "certificate" in text
    for verb in ("learn", "forget"):
        before = path.read_bytes()
        done = run(verb, path, SPAM, "--as", "spam")
        assert done.returncode == 65
        assert "expected a model that learns on and forgets; this one is '" + model in done.stderr
        assert path.read_bytes() == before


def test_the_order_of_files_and_the_way_they_are_named_change_no_byte(tmp_path, out):
    out("train", TRAIN, "-o", tmp_path / "a.deciban", "--model", "logistic")
    whole = (tmp_path / "a.deciban").read_bytes()
    out("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-o", tmp_path / "b.deciban", "--model", "logistic", "-j", 1)
    assert (tmp_path / "b.deciban").read_bytes() == whole


def test_options_reach_the_model(tmp_path, out, result):
    options = ("--model", "svm", "-C", "0.5", "--words", "1,2", "--counts", "--hashed", "10")
    out("train", TRAIN, "-o", tmp_path / "f", *options)
    told = result("inspect", tmp_path / "f", "--json")
    assert told["linear"] == {"C": 0.5, "alpha": None, "weighting": "idf"}
    assert told["settings"] | {"words": [1, 2], "binary": False, "hashed_bits": 10} == told["settings"]


def test_a_network_of_a_table_of_texts(tmp_path, out, result):
    options = ("--model", "mlp", "--words", "1,1", "--hashed", "10", "--json", "--quiet")
    told = result("train", table(tmp_path / "t.csv", 60), *COLUMNS, "-o", tmp_path / "f", *options)
    assert (told["model"], told["kind"], told["certificate"]["n"]) == ("mlp", "text", 120)
    (tmp_path / "asked.txt").write_text("a good film of reels")
    assert result("classify", tmp_path / "f", tmp_path / "asked.txt", "--json")["label"] == "pos"
    knows = result("inspect", tmp_path / "f", "--json")
    assert knows["network"] == {"hidden": [64], "dropout": 0.7, "epochs": 50, "weighting": "unit-idf"}
    assert "multilayer perceptron: hidden units 64, dropout 0.7, words weighted by idf" in out(
        "inspect", tmp_path / "f"
    )
    out("train", tmp_path / "t.csv", *COLUMNS, "-o", tmp_path / "f", "--model", "mlp", "--max-features", "all")
    assert result("inspect", tmp_path / "f", "--json")["settings"]["max_features"] == 1 << 20


def test_the_model_is_chosen_on_held_out_texts_and_told(tmp_path, run):
    table(tmp_path / "t.csv")
    arguments = ("train", *COLUMNS, "-o", "f.deciban", "--json", "--time-limit", "1000")
    done = run(*arguments, "t.csv")
    told = json.loads(done.stdout)
    assert [each["model"] for each in told["tried"]] == list(QUICKEST_FIRST)
    least = min(told["tried"], key=lambda each: each["log_loss"])["model"]
    said = done.stderr
    for each in told["tried"]:
        held = f"{100 * each['error']:.2f} ± {100 * each['standard_error']:.2f} % wrong of a fifth held out"
        assert f"Tried {each['model']}: {held}, log loss {each['log_loss']:.4f}, " in said
    chance = f"its log loss is that of {least}, the least, but for chance"
    why = "the least log loss" if told["model"] == least else chance
    assert f"Chose {told['model']}: {why}." in said
    whole = (tmp_path / "f.deciban").read_bytes()
    stdin = (tmp_path / "t.csv").read_bytes()
    from_stdin = command.result(*arguments, "-", "--format", "csv", input=stdin, cwd=tmp_path)
    assert [each["error"] for each in from_stdin["tried"]] == [each["error"] for each in told["tried"]]
    assert (tmp_path / "f.deciban").read_bytes() == whole
    done = run("train", "t.csv", *COLUMNS, "-o", "f.deciban", "--time-limit", "0")
    assert "No time for svm, logistic, nbsvm: --time-limit is 0 s." in done.stderr


def test_few_texts_are_learnt_by_naive_bayes_and_mail_online_untried(tmp_path, result):
    told = result("train", table(tmp_path / "t.csv", 99), *COLUMNS, "-o", tmp_path / "f", "--json", "--quiet")
    assert (told["n"], told["model"], told["tried"]) == (198, "naive-bayes", [])
    told = result("train", TRAIN, "-o", tmp_path / "f", "--json", "--quiet", "--model", "auto")
    assert (told["model"], told["tried"]) == ("online", [])


def test_an_option_of_another_model_is_refused(tmp_path, run):
    done = run("train", TRAIN, "--model", "svm", "--alpha", "2")
    assert done.returncode == 64
    assert done.stderr == (
        "deciban: Expected --alpha only with --model naive-bayes or nbsvm or least-squares; the model is svm.\n"
    )
    done = run("train", TRAIN, "-C", "2")
    takers = "nbsvm or logistic or svm or kernel-svm"
    assert f"Expected -C only with --model {takers}; the model is online." in done.stderr
    done = run("train", TRAIN, "--model", "logistic", "--likelihood", "bernoulli")
    assert "Expected --likelihood only with --model naive-bayes; the model is logistic." in done.stderr
    for option in (["--hashed", "12"], ["--counts"]):
        done = run("train", TRAIN, *option)
        assert f"Expected {option[0]} only with another --model; the model is online" in done.stderr
        assert done.returncode == 64
    assert list(tmp_path.iterdir()) == []
