"""deciban evaluate --online: what came is judged, then learnt."""

import pytest

from system.command import TRAIN, out, result, run

SOURCES = (f"spam={TRAIN}/spam", f"ham={TRAIN}/ham")


def test_a_stream_is_told_stage_by_stage():
    told = result("evaluate", "--online", *SOURCES, "--json")
    assert (told["n"], told["online"]["model"], told["classes"]) == (192, "online", ["ham", "spam"])
    assert [(each["first"], each["last"]) for each in told["online"]["stages"]] == [
        *((1, 20), (21, 50), (51, 100), (101, 192)),
    ]
    assert told["online"]["stages"][-1]["one_minus_roca_percent"] == pytest.approx(told["one_minus_roca_percent"])
    assert told["log_loss"] < 0.69
    assert 0.0 <= told["online"]["missed_at_0.1_percent"] <= 1.0
    assert "By online, trained on the items before each:" in out("evaluate", "--online", *SOURCES)


@pytest.mark.parametrize("feedback", ["always", "errors", "30"])
def test_other_models_and_feedback_are_judged_too(feedback):
    told = result("evaluate", "--online", *SOURCES, "--json", "--model", "naive-bayes", "--feedback", feedback)
    assert (told["n"], told["online"]["model"]) == (192, "naive-bayes")
    assert told["error"] < 0.5


def test_a_column_of_texts_is_judged_too(tmp_path):
    rows = "".join(f"{word} {n},{label}\n" for n in range(60) for word, label in (("cheap", "spam"), ("lunch", "ham")))
    (tmp_path / "t.csv").write_text("text,label\n" + rows)
    told = result(*("evaluate", "--online", "t.csv", "--text", "text", "--label", "label", "--json"), cwd=tmp_path)
    assert (told["n"], told["online"]["model"]) == (120, "naive-bayes")
    assert told["error"] < 0.1


def test_typed_columns_are_judged_too(tmp_path):
    rows = "".join(f"{n % 7},{'ab'[n % 2]},{'no' if n % 2 else 'yes'}\n" for n in range(80))
    (tmp_path / "t.csv").write_text("size,kind,buys\n" + rows)
    told = result("evaluate", "--online", "t.csv", "--label", "buys", "--json", cwd=tmp_path)
    assert (told["n"], told["online"]["model"]) == (80, "naive-bayes")
    assert told["error"] < 0.1
    told = result("evaluate", "--online", "t.csv", "--label", "buys", "--model", "logistic", "--json", cwd=tmp_path)
    assert told["online"]["model"] == "logistic"
    (tmp_path / "t.svm").write_text("".join(f"{n % 2} 1:{n % 2} 2:{n % 5}\n" for n in range(40)))
    assert result("evaluate", "--online", "t.svm", "--json", cwd=tmp_path)["n"] == 40
    done = run("evaluate", "--online", "t.csv", "--label", "buys", "--model", "nbsvm", cwd=tmp_path)
    assert done.returncode == 64
    assert "typed columns" in done.stderr.decode()


def test_what_makes_no_sense_is_refused():
    for arguments, said in (
        (("--online",), "Missing argument 'FILTER LABEL=PATH...|FOLDER|TABLE'"),
        (("f.deciban",), "Missing argument 'LABEL=PATH...|FOLDER|TABLE'"),
        (("--online", "--feedback", "often", *SOURCES), "Expected --feedback always, errors or a number of items"),
        (("--online", "--report", "r.html", *SOURCES), "Expected --report without --online."),
        (("--model", "svm", "f.deciban", *SOURCES), "Expected --model only with --online."),
        (("--feedback", "errors", "f.deciban", *SOURCES), "Expected --feedback only with --online."),
    ):
        done = run("evaluate", *arguments)
        assert done.returncode == 64
        assert said in done.stderr.decode()
