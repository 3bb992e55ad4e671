"""`deciban threshold`, and verdicts that turn where it says: the same counts by every verb."""

import json
import random
import re
import shlex
import shutil

import numpy as np
import polars as pl
import pytest

from system.command import HELD_OUT, TRAIN

MODELS = ("naive-bayes", "logistic", "kernel-svm")


def write(path, n, seed):
    """Texts of two kinds that overlap, with a number that tells a little, too."""
    draw = random.Random(seed)
    words = [f"w{i}" for i in range(60)]
    rows = []
    for i in range(n):
        spam = i % 3 == 0
        weight = [3 if (j % 2 == 0) == spam else 2 for j in range(60)]
        rows.append(
            (" ".join(draw.choices(words, weight, k=14)), draw.gauss(1.5 * spam, 1.0), "스팸" if spam else "ham")
        )
    pl.DataFrame(rows, schema=["text", "size", "y"], orient="row").write_csv(path)


@pytest.fixture(params=[*MODELS, "typed"])
def judging(request, out, tmp_path):
    """A filter of that model, and what its verbs take besides: of texts, or of typed columns."""
    write(tmp_path / "train.csv", 240, 0)
    write(tmp_path / "test.csv", 240, 1)
    typed = request.param == "typed"
    how = ["--ignore", "text"] if typed else ["--text", "text"]
    model = "naive-bayes" if typed else request.param
    out("train", "train.csv", "--label", "y", *how, "--model", model, "-o", "f.deciban", "-q")
    return ([], ["--label", "y"]) if typed else (["--text", "text"], ["--text", "text", "--label", "y"])


def verdicts(out, *arguments):
    return [json.loads(line) for line in out("classify", "f.deciban", *arguments, "--jsonl").splitlines()]


def odds(verdict):
    """For the positive class, 스팸, which stands second."""
    return verdict["decibans"] * (1 if verdict["label"] == "스팸" else -1)


def test_the_command_that_it_tells_does_what_it_says(judging, out):
    text, label = judging
    told = json.loads(out("threshold", "f.deciban", "test.csv", *label, "--false-positives", "10%", "--json"))
    (found,) = told["rates"]
    assert (told["positive"], told["negative"], told["negatives"], told["positives"]) == ("스팸", "ham", 160, 80)
    assert found["held"]
    assert (found["negatives_needed"], found["allowed"], found["rate"], found["confidence"]) == (29, 9, 0.1, 0.95)
    words = shlex.split(found["command"])
    assert words[:4] == ["deciban", "classify", "f.deciban", "FILE"]
    called = [verdict["label"] for verdict in verdicts(out, "test.csv", *words[4:], *text)]
    truth = pl.read_csv("test.csv")["y"].to_list()
    pairs = list(zip(truth, called, strict=True))
    assert pairs.count(("ham", "스팸")) == found["above"] <= 9
    assert pairs.count(("스팸", "스팸")) == found["found"]
    judged = json.loads(out("evaluate", "f.deciban", "test.csv", *label, *words[4:], "--json"))
    assert judged["false_positives"]["errors"] == found["above"]
    assert judged["false_negatives"]["errors"] == 80 - found["found"]
    assert judged["threshold_decibans"] == found["decibans"]
    assert judged["threshold"] == pytest.approx(found["probability"])


def test_a_verdict_turns_at_the_threshold(judging, out):
    text, _ = judging
    plain = verdicts(out, "test.csv", *text, "--unsure-below", 0)
    for threshold, low, high in (("0.9", 9.5424, 9.5424), ("-3dB", -3.0, -3.0), ("0.2,7dB", -6.0206, 7.0)):
        for positive in ("스팸", "ham"):
            sign = 1 if positive == "스팸" else -1
            turned = verdicts(out, "test.csv", *text, f"--threshold={threshold}", "--positive", positive)
            for one, other in zip(plain, turned, strict=True):
                s = sign * odds(one)
                assert other.keys() == one.keys()
                assert (other["label"] == positive) == (s > high)
                assert sign * odds(other) == pytest.approx(s)
                assert other["probability"] == one["probability"]
                margin = s - high if s > high else low - s
                bar = high if s > high else -low
                unclear = other["interval"] is not None and other["interval"][0] <= bar
                assert other["unsure"] == (unclear or margin < (10.0 if low == high else 0.0))


def item(number, text):
    """What `explain` takes for that row of the table."""
    if not text:
        return f"test.csv:{number}"
    with open("one.txt", "w") as file:
        file.write(pl.read_csv("test.csv")["text"][number - 1])
    return "one.txt"


def test_evidence_sums_under_a_threshold(judging, out):
    text, _ = judging
    turned = verdicts(out, "test.csv", *text, "--threshold", "6dB")
    for number, verdict in enumerate(turned[:6], 1):
        why = json.loads(out("explain", "f.deciban", item(number, text), "--threshold", "6dB", "--json"))
        assert (why["label"], why["unsure"]) == (verdict["label"], verdict["unsure"])
        assert why["decibans"] == pytest.approx(verdict["decibans"])
        total = why["prior_decibans"] + sum(term["decibans"] for term in why["terms"])
        assert total == pytest.approx(verdict["decibans"], abs=1e-9)
    ham = next(number for number, verdict in enumerate(turned, 1) if odds(verdict) < -1.0)
    told = out("explain", "f.deciban", item(ham, text), "--threshold=-900dB").splitlines()[0]
    assert told.startswith("스팸 ")
    assert f"{odds(turned[ham - 1]):.1f} > -900 dB, the threshold" in told


@pytest.mark.parametrize("threshold", ["0.999", "-25dB", "-5dB,15dB", "1"])
@pytest.mark.parametrize("positive", ["스팸", "ham"])
def test_label_probability_and_threshold_never_contradict_each_other(judging, out, threshold, positive):
    text, _ = judging
    asked = ("test.csv", *text, f"--threshold={threshold}", "--positive", positive)
    lines = out("classify", "f.deciban", *asked).splitlines()
    for verdict, line in zip(verdicts(out, *asked), lines, strict=True):
        label, of, p, decibans, sign, end = re.match(r"(\S+) +(\S+) +(\S+) +(\S+) ([<>]) (\S+) dB ", line).groups()
        assert label == ("unsure" if verdict["unsure"] else verdict["label"])
        assert of == positive
        assert float(p.strip(">")) == pytest.approx(verdict["probability"][positive], abs=1.01e-4)
        assert float(decibans) * (verdict["probability"][positive] - 0.5) >= 0.0
        if label == positive:
            assert sign == ">"
        elif label != "unsure":
            assert sign == "<"
        if sign == ">":
            assert float(decibans) >= round(float(end), 1)


def test_costs(judging, out):
    text, label = judging
    asked = ("threshold", "f.deciban", "test.csv", *label, "--cost", "ham:스팸=9", "--unsure", "0.5")
    told = json.loads(out(*asked, "--json"))
    assert told["costs"] == [[0.0, 9.0], [1.0, 0.0]]
    assert list(told["answers"]) == ["most_probable_class", "by_the_costs", "cheapest_here"]
    own, best = told["answers"]["by_the_costs"], told["answers"]["cheapest_here"]
    assert own["decibans"] == pytest.approx(10 * np.log10(9))
    assert own["unsure"] == pytest.approx([0.0, 10 * np.log10(17)])
    assert (best["unsure"], best["undecided"]) == (None, 0)
    assert best["mean"] <= told["answers"]["most_probable_class"]["mean"]
    truth = pl.read_csv("test.csv")["y"].to_list()
    for answer in (own, best):
        words = shlex.split(answer["command"])[4:]
        found = verdicts(out, "test.csv", *words, *text)
        wrong = [(true, verdict["label"]) for true, verdict in zip(truth, found, strict=True)]
        assert wrong.count(("ham", "스팸")) == answer["false_positives"]
        if answer is best:
            assert wrong.count(("스팸", "ham")) == answer["false_negatives"]
        else:
            between = [own["unsure"][0] < odds(verdict) <= own["unsure"][1] for verdict in found]
            assert sum(between) == answer["undecided"]
    shown = out(*asked)
    assert "ham called 스팸" in shown
    assert "# by the costs" in shown
    assert "cheapest here" in shown
    assert "saves nothing" in out(*asked[:-1], "1.5")


def test_several_rates_for_people(judging, out):
    _, label = judging
    lines = out("threshold", "f.deciban", "test.csv", *label).splitlines()
    assert lines[0].split() == ["ham", "called", "스팸", "threshold", "bound", "here", "스팸", "found"]
    assert [line.split("  ")[0] for line in lines[1:8]] == [
        f"at most {rate} %" for rate in ("10.0", "5.00", "2.00", "1.00", "0.500", "0.200", "0.100")
    ]
    assert lines[3].endswith(" 0 of 160" + lines[3].split("0 of 160")[1])
    assert lines[4].endswith("needs 299 ham: 139 more")
    assert lines[7].endswith("needs 2,995 ham: 2,835 more")
    assert lines[9] == "Each bound holds with a confidence of 95.0 %, for what is like these 160 ham and 80 스팸."
    assert lines[-1].startswith("deciban classify f.deciban FILE --threshold ")
    on_average = out("threshold", "f.deciban", "test.csv", *label, "--on-average", "--positive", "ham")
    assert "Each rate is held on average over such sets of examples" in on_average
    assert on_average.rstrip().endswith(" --positive ham")


def test_mail_that_was_learnt_is_left_out(out, run, tmp_path):
    out("train", TRAIN, "-o", "f.deciban", "-q")
    for label in ("spam", "ham"):
        shutil.copytree(HELD_OUT / label, tmp_path / "new" / label)
    shutil.copy(min((TRAIN / "ham").iterdir()), tmp_path / "new" / "ham" / "known.eml")
    told = run("threshold", "f.deciban", "new", "--false-positives", "0.1", "--confidence", "0.9")
    assert told.stderr == "Left out: 1 of 73 were in the training data.\n"
    assert "confidence of 90.0 %, for what is like these 36 ham and 36 spam." in told.stdout
    assert "more, " in told.stdout
    assert " may be above the threshold, which is then lower." in told.stdout
    alone = run("threshold", "f.deciban", f"ham={HELD_OUT / 'ham'}", "--false-positives", "10%", "-q")
    assert (alone.returncode, alone.stderr) == (0, "")
    assert " 36 ham and 0 spam." in alone.stdout


def test_short_messages(out, data):
    """The bound that half of the messages give holds for the others."""
    frame = pl.read_parquet(data("sms.parquet")).unique("text", keep="first", maintain_order=True)
    frame = frame.sample(fraction=1.0, shuffle=True, seed=0)
    for name, start in (("train", 0), ("choose", 1700), ("check", 3400)):
        frame[start : start + 1700].write_csv(f"{name}.csv")
    columns = ("--text", "text", "--label", "label")
    out("train", "train.csv", *columns, "--model", "logistic", "-o", "f.deciban", "-q")
    (found,) = json.loads(out("threshold", "f.deciban", "choose.csv", *columns, "--false-positives", "0.5%", "--json"))[
        "rates"
    ]
    at = shlex.split(found["command"])[4:]
    judged = json.loads(out("evaluate", "f.deciban", "check.csv", *columns, *at, "--json"))
    assert judged["false_positives"]["rate"] <= 0.005
    assert 1 - judged["false_negatives"]["rate"] >= found["recall_interval"][0] - 0.05
