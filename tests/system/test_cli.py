"""The command: what is judged, explained, evaluated, learnt and forgotten, as people and scripts see it."""

import json
import math
import re

import pytest

from system.command import HAM, HELD_OUT, KOREAN, SPAM, TRAIN, out, result, run, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model") / "filter.deciban")


def mbox(*paths):
    return b"".join(b"From x Mon Jan  1 00:00:00 2024\n" + path.read_bytes() + b"\n" for path in paths)


# --- the group ---------------------------------------------------------------------------------------------


def test_help_names_every_verb_and_each_verb_helps():
    said = out("--help")
    for verb in ("train", "classify", "explain", "evaluate", "inspect", "learn", "forget", "demo"):
        assert re.search(rf"^  {verb}\s+[A-Z]", said, re.MULTILINE)
        assert out(verb, "--help").startswith(f"Usage: deciban {verb}")
    assert out() == said


def test_version():
    from deciban import __version__

    assert out("--version") == f"deciban {__version__}\n"


# --- classify ----------------------------------------------------------------------------------------------


def test_one_line_a_message(model):
    line = out("classify", model, SPAM)
    assert re.fullmatch(r"spam +>?\d\.\d{4} +\d+\.\d dB +\+\d+ to \+\d+ +.*lottery-charity-grant\.eml\n", line)


def test_json_keys_and_what_they_mean(model):
    told = result("classify", model, SPAM, "--json")
    assert list(told) == ["source", "label", "probability", "decibans", "against", "unsure", "interval"]
    assert (told["source"], told["label"], told["against"], told["unsure"]) == (str(SPAM), "spam", "ham", False)
    assert math.isclose(sum(told["probability"].values()), 1)
    odds = told["decibans"] / 10
    assert math.isclose(told["probability"]["ham"], 1 / (1 + 10**odds), rel_tol=1e-9)
    low, high = told["interval"]
    assert 0 < low < high
    assert f"{low:+.0f} to {high:+.0f} " in out("classify", model, SPAM)


def test_file_and_standard_input_are_judged_alike(model):
    file = result("classify", model, SPAM, "--json")
    with SPAM.open("rb") as opened:
        for more in ({"input": SPAM.read_bytes()}, {"stdin": opened}, {"input": mbox(SPAM)}):
            assert result("classify", model, "--json", **more) == {**file, "source": "-"}
    assert result("classify", model, "-", "--json", input=SPAM.read_bytes())["source"] == "-"


def test_many_messages_are_lines_an_array_or_json_lines(model, tmp_path):
    box = tmp_path / "box.mbox"
    box.write_bytes(mbox(SPAM, KOREAN))
    lines = out("classify", model, HELD_OUT, box).splitlines()
    assert len(lines) == 74
    objects = [json.loads(line) for line in out("classify", model, HELD_OUT, box, "--jsonl").splitlines()]
    assert result("classify", model, HELD_OUT, box, "--json") == objects
    assert [each["source"] for each in objects[-2:]] == [f"{box}:1", f"{box}:2"]
    for line, each in zip(lines, objects, strict=True):
        assert line.split()[0] == each["label"] + "?" * each["unsure"]
        assert line.endswith(each["source"])


def test_one_message_of_a_mailbox_by_its_number(model, tmp_path):
    box = tmp_path / "box.mbox"
    box.write_bytes(mbox(SPAM, KOREAN))
    second = result("classify", model, f"{box}:2", "--json")
    assert second == {**result("classify", model, KOREAN, "--json"), "source": f"{box}:2"}
    assert run("classify", model, f"{box}:3").returncode == 66


def test_exit_code_tells_ham_spam_and_unsure(model):
    assert run("classify", model, HAM, "--exit-code").returncode == 0
    assert run("classify", model, SPAM, "--exit-code").returncode == 1
    assert run("classify", model, SPAM, "--exit-code", "--unsure-below", 1e6).returncode == 2
    assert run("classify", model, SPAM, "--unsure-below", 1e6).returncode == 0
    assert out("classify", model, SPAM, "--unsure-below", 1e6).startswith("spam?")


def test_korean_text_and_columns(tmp_path):
    table = "글,뜻\n" + "정말 재미있어요,좋음\n너무 지루해요,나쁨\n" * 5
    (tmp_path / "표.csv").write_text(table.encode().decode())
    out("train", tmp_path / "표.csv", "--text", "글", "--label", "뜻", "-o", tmp_path / "모델.deciban")
    said = out("classify", tmp_path / "모델.deciban", "--unsure-below", 0, input="재미있어요\n".encode())
    assert said.startswith("좋음? ")  # two texts are little to learn from
    assert "재미있어요" in out("explain", tmp_path / "모델.deciban", input="정말 재미있어요\n".encode())
    json_text = out("classify", tmp_path / "모델.deciban", "--json", input="재미있어요".encode())
    assert '"label": "좋음"' in json_text


# --- explain -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", [SPAM, KOREAN], ids=["english", "korean"])
def test_explanations_add_up_and_point_into_the_text(model, message):
    told = result("explain", model, message, "--json")
    judged = result("classify", model, message, "--json")
    assert judged.items() <= told.items()
    total = told["prior_decibans"] + math.fsum(term["decibans"] for term in told["terms"])
    assert math.isclose(total, told["decibans"], rel_tol=1e-9)
    placed = [term for term in told["terms"] if term["places"]]
    assert placed
    for term in placed:
        for start, end in term["places"]:
            word = told["text"][start:end].lower()
            assert word == term["term"].rpartition(":")[2] or ":" in term["term"] or " " in term["term"]


def test_the_column_of_a_report_adds_up(model):
    for options in ((), ("--top", 3), ("--all",)):
        lines = out("explain", model, SPAM, *options).splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("(prior)"))
        end = next(i for i, line in enumerate(lines) if line.startswith("total"))
        numbers = [float(line.split()[-1].replace("−", "-")) for line in lines[start : end - 1]]
        total = float(lines[end].split()[-1])
        assert round(sum(numbers), 1) == total
        assert f"{total:.1f} dB against ham" in lines[0]


# --- evaluate, inspect -------------------------------------------------------------------------------------


def test_evaluate_agrees_with_classify(model):
    told = result("evaluate", model, HELD_OUT, "--json")
    judged = result("classify", model, HELD_OUT, "--json")
    wrong = sum(f"/{each['label']}/" not in each["source"] for each in judged)
    assert (told["n"], told["errors"], told["learnt"]) == (72, wrong, 0)
    assert told["interval"][0] <= told["error"] <= told["interval"][1]
    assert sum(map(sum, told["confusion"])) == 72
    assert told["positive"] == "spam"
    assert math.isclose(told["one_minus_roca_percent"], 100 * (1 - told["roc_area"]), abs_tol=1e-9)
    said = out("evaluate", model, HELD_OUT)
    assert f"{wrong} of 72" in said
    assert "false positives" in said


def test_positive_and_threshold_move_the_errors(model):
    strict = result("evaluate", model, HELD_OUT, "--threshold", 1, "--json")
    assert strict["false_positives"]["errors"] == 0
    turned = result("evaluate", model, HELD_OUT, "--positive", "ham", "--json")
    usual = result("evaluate", model, HELD_OUT, "--json")
    assert turned["false_negatives"]["errors"] == usual["false_positives"]["errors"]


@pytest.mark.parametrize("name", ["online", "naive-bayes"])
def test_inspect_tells_what_was_learnt(name, tmp_path):
    model = trained(tmp_path / "f.deciban", "--model", name)
    told = result("inspect", model, "--json", "--top", 5)
    assert (told["kind"], told["classes"], told["ledger"]) == ("mail", {"ham": 96, "spam": 96}, 192)
    assert told["bytes"] == model.stat().st_size
    for label, words in told["evidence"].items():
        other = "spam" if label == "ham" else "ham"
        assert len(words) == 5
        assert all(word["decibans"] > 0 for word in words)
        assert name == "online" or all(word["rate"] > word["elsewhere"] for word in words)
        values = [word["decibans"] * word["rate"] for word in words]
        assert values == sorted(values, reverse=True)
        assert not {w["term"] for w in words} & {w["term"] for w in told["evidence"][other]}
    said = out("inspect", model)
    assert "192 messages (ham: 96, spam: 96)" in said


# --- learn, forget -----------------------------------------------------------------------------------------


def test_learn_then_forget_is_the_same_file(tmp_path):
    path = trained(tmp_path / "f.deciban")
    before = path.read_bytes()
    told = result("learn", path, "--as", "ham", SPAM, "--json")
    assert (told["n"], told["outcomes"]) == (1, {"learnt": 1})
    assert (told["before"]["label"], told["after"]["label"]) == ("spam", "ham")
    assert "Already known as ham: 1 item" in out("learn", path, "--as", "ham", input=SPAM.read_bytes())
    assert result("learn", path, "--as", "spam", HELD_OUT / "spam", "--json")["outcomes"] == {
        "relabelled": 1,
        "learnt": 35,
    }
    assert path.read_bytes() != before
    assert "Forgot 36 items." in out("forget", path, "--as", "spam", HELD_OUT / "spam")
    assert result("forget", path, HELD_OUT / "spam", "--json")["outcomes"] == {"forgotten": 1, "not known": 35}
    assert path.read_bytes() == before


def test_learning_is_training_with_more(tmp_path):
    path = trained(tmp_path / "f.deciban")
    out("learn", path, "--as", "spam", HELD_OUT / "spam")
    out("learn", path, "--as", "ham", HELD_OUT / "ham", "-q")
    ways = (f"{label}={folder}/{label}" for label in ("ham", "spam") for folder in (TRAIN, HELD_OUT))
    out("train", *ways, "-o", tmp_path / "g.deciban")
    assert path.read_bytes() == (tmp_path / "g.deciban").read_bytes()


def test_a_class_of_which_all_was_forgotten_wins_nothing(tmp_path):
    path = trained(tmp_path / "f.deciban")
    out("forget", path, TRAIN / "spam")
    told = result("classify", path, SPAM, "--json")
    assert (told["label"], told["decibans"], told["unsure"], told["interval"]) == ("ham", None, True, [None, None])
    assert "The filter knows no spam" in out("explain", path, SPAM)
    out("learn", path, "--as", "spam", TRAIN / "spam")
    assert path.read_bytes() == trained(tmp_path / "g.deciban").read_bytes()


# --- demo --------------------------------------------------------------------------------------------------


def test_the_demo_shows_everything_and_leaves_nothing(tmp_path):
    said = out("demo", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    for part in ("1. Learn", "2. Judge", "3. Explain", "4. Correct", "byte for byte", "deciban train spam=PATH"):
        assert part in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.deep
def test_the_demo_may_be_kept(tmp_path):
    told = result("demo", "--keep", tmp_path / "demo", "--json")
    assert told["correct"]["same_file_after_forget"] is True
    assert told["correct"]["after"]["label"] == told["correct"]["label"]
    kept = tmp_path / "demo" / "demo.deciban"
    assert kept.read_bytes() == trained(tmp_path / "f.deciban").read_bytes()
