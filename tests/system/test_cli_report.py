"""The terminal report, rendered from plain data: it fits the width, adds up, and is readable without colour."""

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from deciban.conventions import percent, sureness
from deciban.evaluation.evaluation import evaluate
from deciban.report.explanation import bar, contrast, explanation, highlight_terms, marks
from deciban.report.figures import evaluation
from deciban.report.terminal import Screen, clean, console, fit, format_signed, grid, screen, write
from deciban.verdict import Explanation, Term, Verdict

COLOURS = ("red", "green")


def text(lines):
    return "\n".join(line.plain for line in lines)


def verdict(label="spam", decibans=20.0, unsure=False):
    p = 1 / (1 + 10 ** (-decibans / 10))
    against = "ham" if label == "spam" else "spam"
    return Verdict(label, against, {label: p, against: 1 - p}, decibans, unsure, (decibans - 7.6, decibans + 7.6))


def example(message, words):
    """An explanation whose terms are `words` with their decibans, placed where they stand in the message."""
    terms = []
    for word, decibans in words.items():
        places, at = [], message.find(word)
        while at >= 0:
            places.append((at, at + len(word)))
            at = message.find(word, at + 1)
        terms.append(Term(word, decibans, len(places), tuple(places)))
    terms.sort(key=lambda term: -abs(term.decibans))
    total = sum(words.values()) + 1.0
    return Explanation.of_verdict(verdict(decibans=total), 1.0, tuple(terms), message)


def wide(found):
    return [line.cell_len for line in found]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_an_explanation_fits_the_width(width, ascii_only):
    message = "Subject: 무료 상품\n\n" + "무료 money 지금 바로 " * 60 + "\n" + "x" * 500
    found = example(message, {"무료": 12.3, "money": 5.0, "지금": -7.5, "바로": -0.02})
    lines = list(explanation(found, "a/rather/long/path.eml", Screen(width, False, ascii_only)))
    assert max(wide(lines)) <= width
    if ascii_only:
        drawn = [line.plain for line in lines if line.plain.rstrip().endswith(tuple("0123456789"))]
        assert all(c.isascii() or c in "무료지금바로상품" for line in drawn for c in line)


@given(st.lists(st.floats(-200, 200), min_size=1, max_size=40), st.integers(1, 40))
def test_what_is_printed_adds_up(decibans, top):
    terms = tuple(Term(f"w{i}", each, 1, ()) for i, each in enumerate(sorted(decibans, key=lambda d: -abs(d))))
    total = 3.3 + sum(decibans)
    found = Explanation.of_verdict(verdict(decibans=total), 3.3, terms, "")
    lines = text(explanation(found, "-", Screen(100), top=top)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("(prior)"))
    end = next(i for i, line in enumerate(lines) if line.startswith("total"))
    printed = [float(line.split()[-1].replace("−", "-")) for line in lines[start : end - 1]]
    assert round(sum(printed), 1) == float(lines[end].split()[-1].replace("−", "-")) == round(round(10 * total) / 10, 1)


def test_the_headline_shows_the_interval_and_breaks_where_it_is_full():
    def headline(width, ascii_only=False, **more):
        found = replace(example("", {"free": 2.0}), verdict=replace(verdict(decibans=3.0), **more))
        lines = text(explanation(found, "a/path.eml", Screen(width, False, ascii_only))).split("\n\n")[0]
        assert max(map(cell_len, lines.splitlines())) <= max(width, 40)
        return lines

    assert headline(80) == "spam   66.6 %   3.0 dB against ham   95 %: −5 to +11   a/path.eml"
    assert headline(60, ascii_only=True) == "spam   66.6 %   3.0 dB against ham   95 %: -5 to +11\na/path.eml"
    assert headline(40) == "spam   66.6 %   3.0 dB against ham\n95 %: −5 to +11   a/path.eml"
    assert headline(80, interval=(-np.inf, np.inf)) == "spam   66.6 %   3.0 dB against ham   a/path.eml"
    assert headline(80, unsure=True).startswith("spam  (unsure)   66.6 %")


def test_bars_stand_on_their_side_and_grow_with_the_evidence():
    on = Screen(80)
    assert bar(10, 10, 4, on, COLOURS).plain == "    │████"
    assert bar(-5, 10, 4, on, COLOURS).plain == "  ██│    "
    assert bar(-6.25, 10, 4, on, COLOURS).plain == " ▐██│    ".replace("▐██", "▐██")
    assert bar(0.001, 10, 4, on, COLOURS).plain == "    │▌   "
    assert bar(0, 10, 4, on, COLOURS).plain == "    │    "
    assert bar(25, 10, 4, on, COLOURS, many=True).plain == "    │░░░░"
    assert bar(-10, 10, 4, Screen(80, ascii_only=True), COLOURS).plain == "----|    "


@given(st.floats(-50, 50), st.floats(0.1, 50), st.integers(4, 40), st.booleans())
def test_every_bar_has_the_same_width(value, most, half, ascii_only):
    assert bar(value, most, half, Screen(80, ascii_only=ascii_only), COLOURS).cell_len == 2 * half + 1


def test_words_are_marked_in_place():
    message = "Subject: free lunch\n\nfree money for lunch"
    found = example(message, {"free": 9.0, "lunch": -4.0})
    plain = text(highlight_terms(message, found.terms, Screen(80), COLOURS))
    assert plain == "  Subject: [+free+] [-lunch-]\n\n  [+free+] money for [-lunch-]"
    lines = highlight_terms(message, found.terms, Screen(80, colour=True), COLOURS)
    assert text(lines) == "  Subject: free lunch\n\n  free money for lunch"
    styles = {lines[0].plain[span.start : span.end]: str(span.style) for span in lines[0].spans}
    assert styles == {"free": "bold reverse red", "lunch": "bold green"}


def test_where_marks_overlap_the_stronger_has_the_place():
    pair, first, second = ((0, 3),), ((0, 1), (4, 5)), ((2, 3),)
    terms = [Term("a b", 9.0, 1, pair), Term("a", 5.0, 2, first), Term("b", 1.0, 1, second)]
    assert [tuple(mark) for mark in marks(terms)] == [(0, 3, 9.0), (4, 5, 5.0)]


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(1, 9), st.floats(-9, 9)), max_size=8))
def test_any_text_with_any_places_is_shown_whole_and_harmless(message, places):
    terms = [Term("w", d, 1, ((s, min(s + n, len(message))),)) for s, n, d in places if s < len(message)]
    for whole in (True, False):
        shown = text(highlight_terms(message, terms, Screen(80), COLOURS, whole))
        assert all(c.isprintable() or c == "\n" for c in shown)
    letters = [c for c in message if c.isalnum()]
    bare = text(highlight_terms(message, [], Screen(80), COLOURS, whole=True))
    assert [c for c in bare if c in set(letters)][: len(letters)] or not letters


def test_long_messages_are_cut_but_not_where_the_evidence_is():
    body = "\n".join(f"line {i}" for i in range(400))
    message = f"Received: x\nX-Other: y\nSubject: hello\n\n{body}\nfinally pills\n"
    found = example(message, {"pills": 9.0})
    shown = text(highlight_terms(message, found.terms, Screen(80), COLOURS))
    assert "Subject: hello" in shown
    assert "[+pills+]" in shown
    assert "Received" not in shown
    assert "⋮" in shown
    assert len(shown.splitlines()) < 40
    assert "line 200" in text(highlight_terms(message, found.terms, Screen(80), COLOURS, whole=True))


def test_a_stranger_cannot_steer_the_terminal():
    hostile = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp.exe\u200b\r\nx\rover\ud800" + "a" + "\u0301" * 50
    safe = clean(hostile)
    assert all(c.isprintable() or c == "\n" for c in safe)
    assert safe.count("\u0301") == 3
    assert "\\x1b[2J" in safe
    stream = io.StringIO()
    found = Explanation.of_verdict(verdict(), 20.0, (Term("\x1b[31m", 0.0, 1, ((0, 3),)),), hostile)
    write(explanation(found, "\x1b]0;x\x07", Screen(80)), console(stream))
    assert "\x1b" not in stream.getvalue()
    assert "\x07" not in stream.getvalue()


def test_columns_line_up_whatever_the_script():
    lines = grid([["a", "한글", "1"], ["bcd", "x", "1,000"]], "lrr")
    assert lines == ["a    한글      1", "bcd     x  1,000"]
    assert cell_len(fit("한글날 휴무", 7)) == 7
    assert fit("한글날 휴무", 7) == "한글날…"
    assert fit("ab", 4) == "ab  "


def test_numbers_never_claim_certainty():
    on = Screen()
    assert [format_signed(v, on) for v in (3.04, -3.04, -0.04, 0.0)] == ["+3.0", "−3.0", "0.0", "0.0"]
    assert [percent(p) for p in (0, 0.000001, 0.0123, 0.1, 0.9999, 0.9999999, 1)] == [
        "0 %", "<0.001 %", "1.23 %", "10.0 %", "99.99 %", ">99.99 %", "100 %",
    ]  # fmt: skip
    assert sureness(1.0) == ">99.99 %"


def test_colour_follows_the_terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    assert screen(console(io.StringIO())) == Screen(100, False, False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert screen(console(io.StringIO())).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not screen(console(io.StringIO())).colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not screen(console(io.StringIO())).colour


def test_an_evaluation_shows_its_intervals_and_confusions():
    labels = ["ham"] * 90 + ["spam"] * 10
    p = np.where(np.arange(100) < 88, 0.1, 0.9)
    found = evaluate(labels, np.column_stack([1 - p, p]), ["ham", "spam"], positive="spam")
    said = text(evaluation(found, Screen(80)))
    for part in (
        "2.00 %",
        "0.243 to 7.04 %",
        "2 of 100",
        "2 of 90 ham called spam",
        "threshold 0.5",
        "(1 − ROCA)",
        "88     2",
    ):
        assert part in said
    assert max(wide(evaluation(found, Screen(80)))) <= 80


def test_many_classes_are_numbered_or_listed():
    classes = [f"a.long.name.of.group.{i}" for i in range(12)]
    labels = classes * 3
    p = np.full((36, 12), 0.02)
    p[np.arange(36), [i % 12 if i else 5 for i in range(36)]] = 0.78
    found = evaluate(labels, p, classes)
    numbered = text(evaluation(found, Screen(100)))
    assert "12 a.long.name.of.group.11" in numbered
    assert "1  a.long.name.of.group.0 called a.long.name.of.group.5" in text(evaluation(found, Screen(50)))


def test_a_correction_reads_from_left_to_right():
    line = contrast(verdict("ham", 9.0), verdict("spam", 12.5), Screen(80), ["ham", "spam"])
    assert line.plain == "ham 88.8 %, 9.0 dB  →  spam 94.7 %, 12.5 dB"
