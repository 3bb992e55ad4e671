"""deciban train --report and evaluate --report: a page that stands alone, of every model."""

import json
import re
import shlex

import polars
import pytest

from deciban.pages import blocks
from deciban.report import regions
from deciban.table_models.recipes import MODELS
from system.command import HELD_OUT, TRAIN
from system.pages import read
from system.test_cli_typed_tables import HEADER, people, write_csv

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Fewer points of the plane are asked about, and figures are made but not drawn: it is not the lines that are
    looked at."""
    monkeypatch.setattr(regions, "_STEPS", 31)
    monkeypatch.setattr(regions, "_MORE_STEPS", 31)
    monkeypatch.setattr(blocks, "inline", lambda drawn, says, prefix="": f'<svg role="img" id="{prefix}"></svg>')


@pytest.fixture
def table(tmp_path):
    """Two measurements, and labels that nobody should trust."""
    rows = [(150.0 + i + 9 * (i % 2), 50.0 + i % 7, ("예", SCRIPT)[i % 2]) for i in range(40)]
    return write_csv(tmp_path / "t.csv", rows, ("키", "a<b>&", "성별"))


def sections(page):
    return [value for name, value in page.attributes if name == "aria-labelledby"]


CLASSES = ("ham=PATH", "spam=PATH")
JUDGED = ["error", "confusion", "reliability", "curves", "costs"]
TRAINED = ["learnt", "certificate", "again"]
OF_TABLE = ["columns", *TRAINED]


@pytest.mark.parametrize("model", MODELS)
def test_a_page_of_every_model_of_a_table_stands_alone(model, run, table, tmp_path):
    done = run("train", table, "--label", "성별", "--model", model, "-o", "m.deciban", "--report", "r.html")
    assert done.returncode == 0, done.stderr
    assert "Wrote r.html." in done.stderr.splitlines()
    page = read(tmp_path / "r.html")
    assert {SCRIPT, "예", "Classifier of '성별'", "Certificate", "Reproduction"} <= set(page.texts)
    slow = model in ("kernel-svm", "mlp")  # is not learnt four times over
    epochs = ["epochs"] if model == "mlp" else []
    last = ["picture", *epochs, "evidence", "samples", *OF_TABLE]
    assert sections(page) == [*JUDGED, *([] if slow else ["learning"]), *last]
    (drawn,) = (text for text in page.texts if "over 키 and a<b>&" in text)
    assert "'예' (20" in drawn
    digest = run("inspect", "m.deciban", "--json").stdout.split('"digest": "')[2].split('"')[0]
    assert any(digest[:16] in text for text in page.texts)
    assert f"deciban train {table} --label '성별' --model {model} -o m.deciban --report r.html" in page.texts


@pytest.mark.parametrize("model", ["naive-bayes", "discriminant", "svm"])
def test_columns_of_all_kinds_are_drawn_along_their_components_or_it_is_said_why_not(model, run, tmp_path):
    write_csv(tmp_path / "t.csv", people(120))
    assert run("train", "t.csv", "--label", "buys", "--model", model, "--report", "r.html").returncode == 0
    said = " ".join(read(tmp_path / "r.html").texts)
    if model == "naive-bayes":
        assert "There is no picture of naive-bayes with categories" in said
    else:
        assert "through the mean of 6 features, along the 2 leading principal components" in said


def test_naive_bayes_of_numbers_and_a_single_column(run, tmp_path):
    rows = [(float(i), i % 3 + 0.5 * (i > 20), None if i == 3 else i % 4 / 3, "ab"[i > 20]) for i in range(40)]
    write_csv(tmp_path / "t.csv", rows, ("u", "v", "w", "y"))
    given = ("--label", "y", "--number", "u", "--report", "r.html")
    assert run("train", "t.csv", *given, "--model", "naive-bayes").returncode == 0
    assert "mean of 3 features" in " ".join(read(tmp_path / "r.html").texts)
    assert run("train", "t.csv", *given, "--model", "svm", "--ignore", "v", "--ignore", "w").returncode == 0
    assert "There is no picture of one column: regions need two features or more." in read(tmp_path / "r.html").texts


@pytest.mark.parametrize(("model", "language"), [("naive-bayes", "en"), ("logistic", "ko")])
def test_a_page_of_a_filter_of_mail_shows_mail_that_it_had_not_learnt(model, language, run, tmp_path):
    given = ("--model", model, "-o", "f.deciban", "--report", "r.html", "--language", language)
    assert run("train", TRAIN, *given).returncode == 0
    page = read(tmp_path / "r.html", language)
    assert sections(page) == [*JUDGED, "learning", "evidence", "samples", *TRAINED]
    title, heading = {"en": ("Mail filter", "for spam"), "ko": ("메일 필터", "spam 쪽 증거")}[language]
    assert {title, heading, "ham", "spam"} <= set(page.texts)
    assert page.tags.count("mark") > 5
    assert any(text.startswith(str(TRAIN)) and ".eml" in text for text in page.texts)
    claim = next(text for text in page.texts if "39" in text)
    assert "was not trained on" in claim or "학습하지 않은" in claim


def test_a_page_of_texts_escapes_their_words(run, tmp_path):
    texts = [f"{'gut' if i % 2 else '<img src=x onerror=alert(1)>'} 좋은 {i}" for i in range(40)]
    polars.DataFrame({"t": texts, "y": [SCRIPT if i % 2 else "b" for i in range(40)]}).write_csv(tmp_path / "t.csv")
    given = ("--text", "t", "--label", "y", "--model", "nbsvm")
    assert run("train", "t.csv", *given, "--report", "r.html").returncode == 0
    page = read(tmp_path / "r.html")
    assert {f"for {SCRIPT}", "for b", "No example was misclassified."} <= set(page.texts)
    assert "no errors" not in page.texts
    assert any(text.startswith("t.csv:") for text in page.texts)


def test_a_choice_among_models_is_told(run, tmp_path):
    write_csv(tmp_path / "t.csv", people(240))
    assert run("train", "t.csv", "--label", "buys", "--report", "r.html").returncode == 0
    said = " ".join(read(tmp_path / "r.html").texts)
    assert "Its type was chosen among 4 by another fifth of the same examples, which flatters a little." in said


def test_of_too_few_examples_none_are_held_out(run, tmp_path):
    for i, label in enumerate(("spam", "ham")):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1.eml").write_text(f"Subject: {i}\n\nhello {label}\n")
    assert run("train", "spam=spam", "ham=ham", "--report", "r.html").returncode == 0
    page = read(tmp_path / "r.html")
    assert sections(page) == ["error", "evidence", *TRAINED]
    assert any(text.startswith("Not measured: there are too few messages") for text in page.texts)


def test_a_report_is_replaced_by_equal_bytes_and_its_mode_kept(run, table, tmp_path):
    given = ("train", table, "--label", "성별", "--model", "least-squares", "--report", "r.html")
    assert run(*given).returncode == 0
    first = (tmp_path / "r.html").read_bytes()
    (tmp_path / "r.html").chmod(0o600)
    assert run(*given).returncode == 0
    assert (tmp_path / "r.html").read_bytes() == first
    assert (tmp_path / "r.html").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.deciban", "r.html", "t.csv"]


# --- evaluate ----------------------------------------------------------------------------------------------


@pytest.fixture
def filter_of_mail(run):
    assert run("train", TRAIN, "-o", "f.deciban", "-q").returncode == 0
    return "f.deciban"


def test_an_evaluation_of_mail_on_a_page(filter_of_mail, run, tmp_path):
    done = run("evaluate", filter_of_mail, HELD_OUT, "--threshold", "0.9", "--report", "r.html", "--json")
    found = json.loads(done.stdout)
    assert done.stderr.splitlines()[-1] == "Wrote r.html."
    page = read(tmp_path / "r.html")
    assert sections(page) == [*JUDGED, "evidence", "samples", *TRAINED]
    claim = f"Of {found['n']} messages that it was not trained on, it misclassified {found['errors']}:"
    assert any(text.startswith(claim) for text in page.texts)
    (row,) = (text for text in page.texts if "in use" in text)
    assert row == "+9.54 dB (90.0 %) · in use"
    assert f"deciban train {' '.join(CLASSES)} --kind mail --model online" in page.texts
    assert not any("deciban evaluate" in text for text in page.texts)


@pytest.mark.parametrize(("language", "word"), [("en", r"\bexamples\b"), ("ko", "예제")])
def test_a_page_about_mail_speaks_of_messages_and_of_no_bounds(filter_of_mail, run, tmp_path, language, word):
    proof = json.loads(run("inspect", filter_of_mail, "--json").stdout)["certificate"]
    solver = {proof["advice"], proof["objective"], proof["calibration"]["how"]}
    reports = ["train", TRAIN, "-o", "g.deciban"], ["evaluate", filter_of_mail, HELD_OUT]
    for given in reports:
        assert run(*given, "--report", "r.html", "--language", language).returncode == 0
        page = read(tmp_path / "r.html", language)
        told = [text for at, text in page.spoken if at == language and text not in solver]
        assert not [text for text in told if re.search(word, text.lower())]
        assert {"bound on the error", "오류율의 한계"}.isdisjoint(told)
    said = run("inspect", filter_of_mail).stdout
    assert "bounds" not in said
    assert f"train anew   deciban train {' '.join(CLASSES)} --kind mail --model online\n" in said


@pytest.mark.parametrize(
    "options",
    [
        ("--model", "naive-bayes"),
        ("--model", "naive-bayes", "--alpha", "0.3", "--counts", "--seed", "7"),
        ("--model", "svm", "-C", "3.0", "--words", "1,2"),
        ("--model", "logistic", "--hashed", "12", "--max-features", "500"),
    ],
)
def test_what_inspect_names_trains_the_same_model_again(run, tmp_path, options):
    assert run("train", TRAIN, "-o", "f.deciban", *options).returncode == 0
    (line,) = (line for line in run("inspect", "f.deciban").stdout.splitlines() if line.startswith("train anew"))
    _, verb, *given = shlex.split(line.removeprefix("train anew"))
    paths = [each.replace("PATH", f"{TRAIN}/{each.partition('=')[0]}") for each in given]
    assert run(verb, *paths, "-o", "g.deciban").returncode == 0
    assert (tmp_path / "f.deciban").read_bytes() == (tmp_path / "g.deciban").read_bytes()


@pytest.mark.parametrize("given", [(), ("--alpha", "0.3"), ("--alpha", "1.0")])
def test_what_inspect_names_trains_the_same_model_of_texts_again(run, tmp_path, given):
    """A pseudo-count that was given is said, and one that the texts chose is chosen again."""
    rows = [f"{'cheap loan' if i % 3 else 'lunch'} w{i % 7} w{i % 11},{'spam' if i % 3 else 'ham'}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["text,label", *rows]))
    columns = ("t.csv", "--text", "text", "--label", "label", "--model", "naive-bayes")
    assert run("train", *columns, *given, "-o", "f.deciban").returncode == 0
    (line,) = (line for line in run("inspect", "f.deciban").stdout.splitlines() if line.startswith("train anew"))
    assert ("--alpha" in line) == bool(given)
    _, verb, *again = shlex.split(line.removeprefix("train anew"))
    assert run(verb, *("t.csv" if each == "TABLE" else each for each in again), "-o", "g.deciban").returncode == 0
    assert (tmp_path / "f.deciban").read_bytes() == (tmp_path / "g.deciban").read_bytes()


def test_what_inspect_names_trains_the_same_model_of_a_table_again(run, table, tmp_path):
    given = ("--label", "성별", "--model", "logistic", "-C", "0.5", "--ignore", "키")
    assert run("train", table, *given, "-o", "f.deciban").returncode == 0
    (line,) = (line for line in run("inspect", "f.deciban").stdout.splitlines() if line.startswith("train anew"))
    _, verb, *given = shlex.split(line.removeprefix("train anew"))
    assert run(verb, *(table if each == "TABLE" else each for each in given), "-o", "g.deciban").returncode == 0
    assert (tmp_path / "f.deciban").read_bytes() == (tmp_path / "g.deciban").read_bytes()


def test_examples_on_a_page_are_right_and_wrong_by_the_threshold(filter_of_mail, run, tmp_path):
    given = ("evaluate", filter_of_mail, HELD_OUT, "--threshold", "999dB", "--report", "r.html", "--language")
    for language, told in (("en", "predicted ham (by the threshold; spam"), ("ko", "임계값에 따름, spam")):
        done = run(*given, language, "--json")
        page = read(tmp_path / "r.html", language)
        assert json.loads(done.stdout)["confusion"][1][1] == 0
        shown = [text for text in page.texts if told in text]
        assert shown
        assert not [text for text in shown if re.search(r"ham \(?[0-4]\.\d+ %", text)]


def test_an_evaluation_says_what_it_knew_and_what_it_never_met(filter_of_mail, run, tmp_path):
    assert run("evaluate", filter_of_mail, TRAIN, "--report", "r.html").returncode == 0
    page = read(tmp_path / "r.html")
    assert any("192 of them were among its training data, so the figures flatter." in text for text in page.texts)
    assert any(text.startswith("Of 192 labelled messages it misclassified ") for text in page.texts)
    rows = [("lunch at noon", "ham"), ("cheap pills", "spam"), ("what?", "odd")] * 3
    write_csv(tmp_path / "t.csv", rows, ("t", "y"))
    assert run("evaluate", filter_of_mail, "t.csv", "--text", "t", "--label", "y", "--report", "r.html").returncode == 0
    page = read(tmp_path / "r.html")
    assert "3 of the labels were not in the training data and count as errors: odd (3)." in page.texts


def test_an_evaluation_of_a_table_on_a_page(run, table, tmp_path):
    assert run("train", table, "--label", "성별", "--model", "svm", "-q").returncode == 0
    assert run("evaluate", "model.deciban", table, "--report", "r.html", "--language", "ko").returncode == 0
    page = read(tmp_path / "r.html", "ko")
    assert sections(page) == [*JUDGED, "evidence", "samples", *OF_TABLE]
    assert any(re.match(r".*t\.csv:\d+ · ", text) for text in page.texts)


def test_columns_are_told_by_what_they_tell_as_inspect_tells_it(run, tmp_path):
    write_csv(tmp_path / "people.csv", people())
    assert run("train", "people.csv", "--label", HEADER[-1], "--report", "r.html").returncode == 0
    told = json.loads(run("inspect", "model.deciban", "--json").stdout)["columns"]
    by_bits = sorted(told, key=lambda each: -each["bits"])
    texts = read(tmp_path / "r.html").texts
    lines = [k for k, text in enumerate(texts) if text.startswith(tuple(f"{each['name']} (" for each in by_bits))]
    names = [texts[k].partition(" (")[0] for k in lines]
    assert names == [each["name"] for each in by_bits]
    assert [texts[k + 1] for k in lines] == [f"{each['bits']:.4f}" for each in by_bits]


def test_of_very_many_columns_those_that_tell_most_are_told(run, tmp_path):
    names = [f"c{j}" for j in range(50)]
    rows = [[(i * (j % 10 + 1)) % 11 if j else i % 2 for j in range(50)] + ["ab"[i % 2]] for i in range(60)]
    write_csv(tmp_path / "wide.csv", rows, [*names, "label"])
    for language, others in (("en", "10 more columns tell less and are left out here."), ("ko", "열 10개는 생략")):
        words = ("wide.csv", "--label", "label", "--model", "naive-bayes", "--report", "r.html")
        assert run("train", *words, "--language", language).returncode == 0
        texts = read(tmp_path / "r.html", language).texts
        start = texts.index({"en": "bits", "ko": "비트"}[language])
        end = next(k for k, text in enumerate(texts) if others in text)
        lines = [text.partition(" (")[0] for text in texts[start:end] if text.partition(" (")[0] in names]
        assert len(lines) == 40
        assert lines[0] == "c0"


def test_a_language_is_of_a_page(filter_of_mail, run):
    for verb in (("train", TRAIN), ("evaluate", filter_of_mail, HELD_OUT)):
        done = run(*verb, "--language", "ko")
        assert done.returncode == 64
        assert done.stderr == "deciban: Expected --language only with --report, whose page it is of.\n"
