"""Pages: both languages say the same things, what is counted is what a threshold does, what is shown adds up."""

import re
from pathlib import Path
from string import Formatter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import TextClassifier, pages
from deciban.conventions import DECIBANS_PER_NAT
from deciban.evaluation.costs import Costs
from deciban.evaluation.evaluation import evaluate
from deciban.evaluation.judgements import Judgements
from deciban.evaluation.thresholds import cheapest
from deciban.pages import blocks
from deciban.pages.blocks import Figure, Section, Slider, Table
from deciban.pages.explained import places, terms_of, text_of
from deciban.pages.learnt import bounds
from deciban.pages.measured import Measured, Size, costs, find_positive, stops_of
from deciban.pages.page import Report, part
from deciban.pages.words import CATALOGUES, LANGUAGES, Words, words_in
from deciban.verdict import Explanation, Term, Verdict
from system.pages import checked

SCRIPT = "<script>alert(1)</script>"


def judgements(seed=0, N=120, C=2, classes=None):
    random = np.random.default_rng(seed)
    y = random.integers(C, size=N)
    s = random.normal(size=(N, C)) * 3.0
    s[np.arange(N), y] += 2.0
    log_p = s - np.logaddexp.reduce(s, axis=1, keepdims=True)
    return Judgements(tuple(classes or ("ham", "spam", "bulk", "list")[:C]), y, log_p)


@pytest.fixture
def plain(monkeypatch):
    """Figures are made, but not drawn: it is not their lines that are looked at."""
    monkeypatch.setattr(blocks, "inline", lambda drawn, says, prefix="": '<svg role="img"></svg>')


# --- words -------------------------------------------------------------------------------------------------


def values(text):
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language):
    english, own = CATALOGUES["en"], CATALOGUES[language]
    assert list(english) == list(own) or set(english) == set(own)
    for key, text in own.items():
        assert text.strip(), key
        assert values(text) == values(english[key]), key


def test_everything_that_can_be_said_is_said_somewhere():
    """By its key, by that of its family, or by a key that is put together there."""
    folder = Path(pages.__file__).parent
    paths = [*folder.glob("*.py"), *folder.glob("*.html"), *(folder.parent / "cli").glob("*.py")]
    sources = "".join(path.read_text() for path in paths if path.stem not in ("english", "korean", "summary_words"))
    for key in CATALOGUES["en"]:
        above = key.rpartition(".")[0]
        together = {f'"{key}"', f'"{above}"', f'f"{above}.{{', f'known("{key.partition(".")[0]}"'}
        assert any(each in sources for each in together) or key.startswith(blocks._DRAWN), key


def test_korean_pages_speak_korean(plain):
    """No word of English stands on a page but names, units and what a certificate quotes."""
    said = judgements(classes=("햄", "스팸"))
    words = Words("ko")
    measured = Measured.of(said, words("how.evaluated", judged="120"), sizes=[Size(10, 30, 120), Size(20, 20, 120)])
    page = checked(Report("제목", measured.claim(words), list(measured.sections(words)), words).html(), "ko")
    told = {word for language, text in page.spoken if language == "ko" for word in re.findall("[A-Za-z]{2,}", text)}
    assert told <= {"Deciban", "ROC", "dB", "nat", "alpha"}


def test_the_language_is_that_of_the_environment():
    assert words_in(None, {"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}).language == "en"
    assert words_in(None, {"LC_MESSAGES": "ko_KR", "LANG": "en_GB"}).language == "ko"
    assert words_in("en", {"LANG": "ko_KR"}).language == "en"


# --- thresholds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("grain", [None, 0.1])
def test_the_counts_at_a_stop_are_those_of_an_evaluation_with_its_threshold(positive, grain):
    said = judgements(seed=positive, N=80)
    if grain:  # many examples stand exactly at a threshold
        p = np.clip(np.round(np.exp(said.log_p[:, 1]) / grain) * grain, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            said = Judgements(said.classes, said.y, np.log(np.column_stack([1.0 - p, p])))
    stops = stops_of(said, positive)
    assert [stop.threshold for stop in stops] == sorted({stop.threshold for stop in stops})
    labels = [said.classes[c] for c in said.y]
    for stop in stops[:: max(1, len(stops) // 12)]:
        found = evaluate(
            labels,
            np.exp(said.log_p),
            said.classes,
            scores=said.log_p,
            positive=said.classes[positive],
            decibans=stop.threshold,
        )
        assert (found.false_positives.errors, found.false_negatives.errors) == (
            stop.false_positives,
            stop.false_negatives,
        )


def slider_and_table(said, threshold):
    found = evaluate([said.classes[c] for c in said.y], np.exp(said.log_p), said.classes, threshold=threshold)
    (section,) = costs(said, found, Words())
    return (next(block for block in section.blocks if isinstance(block, of)) for of in (Slider, Table))


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_the_slider_reaches_every_score(plain, scale):
    said = judgements()
    odds = scale * said.log_odds(1)
    said = Judgements(said.classes, said.y, -np.logaddexp(0.0, np.column_stack([odds, -odds])))
    slider, _ = slider_and_table(said, 0.8)
    edges = np.unique(said.log_odds(1) * DECIBANS_PER_NAT)
    stops = np.array([stop.threshold for stop in slider.stops])
    assert (np.diff(stops) > 0.0).all()
    assert (np.diff(np.searchsorted(stops, edges)) > 0).all()
    assert stops[0] < edges[0] < edges[-1] <= stops[-1]


def test_of_very_many_scores_the_slider_keeps_all_that_can_be_cheapest(plain):
    said = judgements(N=9_000)
    stops = stops_of(said, 1)
    assert len(stops) < 3_000
    for price in (0.1, 1.0, 3.0, 10.0, 250.0):
        matrix = Costs.of(said.classes, {("ham", "spam"): price})
        paid = matrix.paid(said, cheapest(said, matrix).answers(said.log_p)).mean * len(said)
        assert min(price * stop.false_positives + stop.false_negatives for stop in stops) == pytest.approx(paid)


def test_the_table_has_the_threshold_in_use_and_the_cheapest_ones(plain):
    said = judgements()
    slider, table = slider_and_table(said, 0.8)
    assert slider.stops[slider.chosen].threshold == 6.02
    assert [row[0] for row in table.rows if "in use" in row[0]] == ["+6.02 dB (80.0 %) · in use"]
    for column, price in ((3, 1.0), (4, 10.0), (5, 100.0)):
        least = min(price * stop.false_positives + stop.false_negatives for stop in slider.stops)
        assert min(float(row[column].replace(",", "")) for row in table.rows) == round(least)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([0, 1], [0.0, 1.0]),
        ([0, 1], [1.0, 0.0]),
        ([0, 1, 1], [0.5, 0.5, 0.5]),
        ([1, 1], [0.2, 0.9]),
        ([0], [0.3]),
    ],
    ids=["certain", "certainly wrong", "no idea", "one class", "one example"],
)
def test_a_page_of_any_judgements(y, p, plain):
    p = np.array(p)
    with np.errstate(divide="ignore"):
        said = Judgements((SCRIPT, "b & c"), np.array(y), np.log(np.column_stack([1.0 - p, p])))
    language = LANGUAGES[len(y) % 2]
    words = Words(language)
    measured = Measured.of(said, "how")
    html = Report(SCRIPT, measured.claim(words), list(measured.sections(words)), words).html()
    assert SCRIPT in checked(html, language).texts


def test_of_many_classes_there_are_no_thresholds_but_all_else(plain):
    said = judgements(C=4, N=60)
    keys = [section.key for section in Measured.of(said, "how").sections(Words())]
    assert keys == ["error", "confusion", "curves", "reliability"]
    assert find_positive(said.classes) is None
    assert find_positive(("spam", "ham")) == "spam"
    assert find_positive((0, 1)) == 1


# --- examples ----------------------------------------------------------------------------------------------


@given(st.integers(0, 200), st.integers(2, 4))
def test_the_surest_errors_come_first_and_nothing_twice(seed, C):
    said = judgements(seed, N=40, C=C)
    chosen = places(said)
    assert len(chosen) == len(set(chosen))
    wrong = [place for place in chosen if said.errors[place]]
    assert chosen[: len(wrong)] == wrong
    assert len(wrong) == min(6, int(said.errors.sum()))
    top = np.sort(said.log_p, axis=1)
    lead = top[:, -1] - top[:, -2]
    assert sorted(lead[wrong], reverse=True) == list(lead[wrong])
    if wrong:
        assert max(lead[said.errors]) == lead[wrong[0]]


def example(text, words):
    terms = [
        Term(word, decibans, 1, tuple((m.start(), m.end()) for m in re.finditer(re.escape(word), text)))
        for word, decibans in words.items()
    ]
    total = sum(words.values()) + 0.25
    p = 1 / (1 + 10 ** (-total / 10))
    verdict = Verdict("spam", "ham", {"spam": p, "ham": 1 - p}, total, False, None)
    return Explanation.of_verdict(verdict, 0.25, tuple(sorted(terms, key=lambda term: -abs(term.decibans))), text)


@given(st.text(st.sampled_from("ab \n<&"), max_size=60))
def test_a_short_text_is_shown_whole_with_its_marks(text):
    shown = text_of(example(text, {"a": 9.0, "b": -4.0}), Words())
    lines = ["".join(piece.text for piece in line) for line in shown.lines if line is not None]
    if text.count("\n") < 5:
        assert [line for line in lines if line.strip()] == [line for line in text.split("\n") if line.strip()]
    for line in shown.lines:
        for piece in line or ():
            assert piece.side == {"a": "for", "b": "against"}.get(piece.text, "")


def test_long_lines_are_cut_between_their_marks():
    shown = text_of(example("x" * 900 + "a" + "y" * 900, {"a": 9.0}), Words())
    (line,) = shown.lines
    assert [piece.text for piece in line] == [" … " + "x" * 60, "a", "y" * 60 + " … "]


@given(st.lists(st.floats(-200.0, 200.0), min_size=1, max_size=30))
def test_what_is_printed_adds_up(decibans):
    told = {f"w{i}": each for i, each in enumerate(decibans)}
    rows = terms_of(example("", told), Words()).rows
    printed = [float(row[1].replace("−", "-")) for row in rows]
    assert printed[-1] == pytest.approx(sum(printed[:-1]), abs=0.051 * (len(rows) > 9) + 0.051 * len(rows))
    if len(decibans) > 8:
        assert printed[-1] == pytest.approx(sum(printed[:-1]), abs=1e-6)


# --- the page ----------------------------------------------------------------------------------------------

BLOCKS = {
    "paragraph": blocks.Paragraph(SCRIPT, dim=True),
    "claim": blocks.Paragraph(SCRIPT, claim=True),
    "facts": blocks.Facts([(SCRIPT, SCRIPT), ("a", "b")], frozenset("a")),
    "table": blocks.Table(["h", SCRIPT], [[SCRIPT, "1"]]),
    "bars": blocks.Bars(SCRIPT, ("h", "d"), [(SCRIPT, "+1.0", "for", 100), ("b", "−1.0", "against", 50)]),
    "no bars": blocks.Bars(SCRIPT, ("h", "d"), [], "nothing"),
    "figure": Figure('<svg role="img"></svg>', SCRIPT, SCRIPT),
    "passage": blocks.Passage([[blocks.Piece(SCRIPT, "for", 3, "+1"), blocks.Piece("\x1b\u202e")], None], "gap"),
    "opened": blocks.Opened(SCRIPT, [blocks.Paragraph(SCRIPT)], shut=True),
    "slider": blocks.Slider([blocks.Stop(1.5, -np.inf, 2.0, 1, 2)], 0, {"told": SCRIPT, "place": "'"}, dict.fromkeys(
        ("threshold", "price", "cheapest"), SCRIPT)),
    "command": blocks.Command(f"deciban '{SCRIPT}'\nb"),
}  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_whatever_a_block_holds_is_text(block):
    html = Report(SCRIPT, SCRIPT, [Section("key", SCRIPT, [block])]).html()
    page = checked(html)
    assert not {"\x1b", "\u202e"} & set(html)
    assert f"{SCRIPT}" in "".join(page.texts)
    assert html == Report(SCRIPT, SCRIPT, [Section("key", SCRIPT, [block])]).html()


def test_a_page_is_saved_and_shows_itself_in_a_frame(tmp_path):
    report = Report("m", "", [Section("key", "h", [blocks.Paragraph("좋은 \ud800")])])
    report.save(tmp_path / "r.html")
    assert "좋은" in (tmp_path / "r.html").read_text()
    frame = report._repr_html_()
    assert frame.startswith('<iframe title="m"')
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


# --- notebooks ---------------------------------------------------------------------------------------------

TEXTS = ["cheap pills now", "cheap loan now", "lunch at noon?", "see you at lunch"]


def test_certificates_and_explanations_show_themselves(monkeypatch):
    classifier = TextClassifier().fit(TEXTS, ["spam", "spam", "ham", "ham"])
    why = classifier.explain(["cheap <b>lunch"])[0]
    for shown, parts in (
        (classifier.certificate_, ("exact", classifier.certificate_.digest)),
        (evaluate(["ham", "spam", "news"], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]], ["ham", "spam"]), ("ham", "news")),
        (why, ("&lt;b&gt;", "cheap", f"{max(term.decibans for term in why.terms):+.1f}")),
    ):
        html = shown._repr_html_()
        bare = re.sub("<style>.*?</style>", "", html, flags=re.DOTALL)
        page = Report("m", "", [Section("key", "h", [Figure(bare, "")])]).html()
        checked(page)
        assert all(each in html for each in parts)
    monkeypatch.setattr("deciban.pages.page.lacking", lambda *names: "Jinja2")
    assert why._repr_html_() is None
    assert classifier.certificate_._repr_html_() is None


def test_what_is_translated_in_a_figure_is_its_words_alone():
    words, text = Words("ko"), '<text x="1">{}</text>'
    assert blocks.translate_words(text.format("support vectors: 12"), words) == text.format("서포트 벡터: 12")
    for label in ("lossless", "&lt;b&gt;", "a loss_b"):
        assert blocks.translate_words(text.format(label), words) == text.format(label)


def test_a_block_alone_is_markup():
    assert part(blocks.Facts([("a", "<")])).strip().startswith("<dl>")


@pytest.mark.parametrize("language", LANGUAGES)
def test_bounds_say_what_they_promise_or_that_they_promise_nothing(language):
    def bound(name, applies, value=None, excess=None, vacuous=""):
        return {"name": name, "applies": applies, "value": value, "excess": excess, "delta": 0.05, "vacuous": vacuous,
                "condition": f"because of <{name}>"}  # fmt: skip

    known = [bound("vc", True, 3.0, vacuous="> 1"), bound("held-out", True, 0.125), bound("compression", False)]
    proof = {"status": "converged", "bounds": [*known, bound("new", True, excess=0.25)], "training_error": 0.5}
    words = Words(language)
    table, conditions = bounds(proof, words)
    said = [row[1] for row in table.rows]
    assert ["0.125" in said[1], "0.25" in said[3]] == [True, True]
    assert said[0] == words("bound.vacuous")
    assert said[2] == words("bound.not")
    page = checked(Report("m", "", [Section("key", "h", [table, conditions])], words).html(), language)
    assert ("en", "because of <vc>") in page.spoken
    assert not list(bounds({"status": "converged"}, words))
