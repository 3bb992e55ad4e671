"""The page of a server: both languages say the same things, nothing is said outside them, and what it counts is so."""

import re
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.pages.proof_words import KOREAN as PROOFS
from deciban.pages.words import CATALOGUES as REPORTS
from deciban.pages.words import OF_MESSAGES
from deciban.serve import page
from deciban.serve.kept import Kept
from deciban.serve.page import charts
from deciban.serve.page.app import _own_path
from deciban.serve.page.rendering import POLICY
from deciban.serve.page.session import SECONDS, Sessions
from deciban.serve.page.texts import CATALOGUES, NAMES, Texts, language_of
from deciban.serve.page.views import changed, consequences, error_over_time, histogram, towards
from deciban.verdict import Explanation, Term
from tiers import examples

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(page.__file__).parent
TEMPLATES = sorted((FOLDER / "templates").glob("*.html"))
TOKEN = "0123456789abcdef"
NOW = 1_800_000_000.0


def values(text):
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("language", CATALOGUES)
def test_every_language_says_the_same_things(language):
    english, own = CATALOGUES["en"], CATALOGUES[language]
    assert list(own) == list(english)
    assert language in NAMES
    for key, text in own.items():
        assert text.strip(), key
        assert values(text) == values(english[key]), key


def test_everything_that_can_be_said_is_said_somewhere():
    """By its key, or by a key that is put together there."""
    paths = [*TEMPLATES, *(each for each in FOLDER.glob("*.py") if not each.stem.endswith("_texts"))]
    sources = "".join(path.read_text() for path in paths)
    for key in CATALOGUES["en"]:
        above, first = key.rpartition(".")[0], key.partition(".")[0]
        together = (f'"{key}"', f'f"{above}.{{', f'("{above}." ~', f'known("{first}"', f'~ ".{key.rpartition(".")[2]}"')
        assert any(each in sources for each in together), key


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_hold_no_words(path):
    """But the names of keys, and a sign for lines that are left out."""
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
    for attribute in ("aria-label", "title", "placeholder", "alt"):
        assert not re.search(rf'\b{attribute}="[^"]*[^\W\d_][^"]*"', text), attribute
    spoken = re.sub(r"<[^>]*>", "", re.sub(r"<kbd[^>]*>.*?</kbd>", "", text))
    assert not re.search(r"[^\W\d_]", spoken), spoken


def test_korean_is_korean():
    allowed = {"Deciban", "dB", "deciban", "refresh", "token", "file", "keep", "threshold"}
    for key, text in CATALOGUES["ko"].items():
        spoken = re.sub(r"\bdeciban [a-z]+|--[a-z-]+|chmod go-w", "", text)  # what is typed has no language
        latin = set(re.findall("[A-Za-z]{2,}", re.sub(r"\{\w+\}", "", spoken)))
        assert latin <= allowed, key


def test_korean_terms_are_those_of_the_glossary():
    """And not others for the same, in any page."""
    glossary = (ROOT / "docs" / "reference" / "glossary.ko.md").read_text(encoding="utf-8")
    others = {
        "데시밴": "데시반",
        "문턱값": "임계값",
        "인증서": "증명서",
        "특성": "특징",
        "모델": "모형",
        "무의미": "공허",
    }
    spoken = " ".join(
        [*CATALOGUES["ko"].values(), *REPORTS["ko"].values(), *OF_MESSAGES["ko"].values(), *PROOFS.values()]
    )
    for other, term in others.items():
        assert term in glossary
        assert other not in spoken


@pytest.mark.parametrize("language", CATALOGUES)
def test_days_are_named(language):
    texts = Texts(language)
    assert texts.day(NOW, NOW) == texts("day.today")
    assert texts.day(NOW - 86400.0, NOW) == texts("day.yesterday")
    for back in (3, 300, 3000):
        named = texts.day(NOW - 86400.0 * back, NOW)
        assert re.search(r"\d", named)
        assert "{" not in named


@given(st.text(max_size=30), st.none() | st.text(max_size=5))
@examples(50)
def test_any_wish_has_a_language(accepted, chosen):
    assert language_of(accepted, chosen) in CATALOGUES


# --- sessions ----------------------------------------------------------------------------------------------


@given(st.text(max_size=80))
@examples(50)
def test_no_text_is_a_session(text):
    sessions = Sessions(TOKEN)
    assert not sessions.is_valid(text, NOW)
    assert not sessions.is_token(text)
    assert not sessions.is_csrf(sessions.begin(NOW), text)


def test_a_session_is_that_of_its_token_and_its_time():
    sessions, others = Sessions(TOKEN), Sessions(TOKEN + "x")
    session = sessions.begin(NOW)
    assert sessions.is_valid(session, NOW + SECONDS - 1.0)
    assert not sessions.is_valid(session, NOW + SECONDS + 1.0)
    assert not others.is_valid(session, NOW)
    assert TOKEN not in session
    assert sessions.begin(NOW) != session
    expires, rest = session.split(".", 1)
    assert not sessions.is_valid(f"{int(expires) + 1}.{rest}", NOW)
    for place in range(len(session)):
        broken = session[:place] + ("1" if session[place] == "0" else "0") + session[place + 1 :]
        assert not sessions.is_valid(broken, NOW)
    assert sessions.is_csrf(session, sessions.csrf(session))
    assert not sessions.is_csrf(sessions.begin(NOW), sessions.csrf(session))


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "\\evil", "/\\evil", "javascript:alert(1)", "", "/a\nb", "evil"]
)
def test_a_browser_is_sent_to_pages_of_ours_only(to):
    assert _own_path(to) == "/"
    assert _own_path("/messages/3?x=1") == "/messages/3?x=1"


def test_the_policy_allows_nothing_but_files_of_ours():
    allowed = {each.split()[0]: each.split()[1:] for each in POLICY.split("; ")}
    assert allowed.pop("img-src") == ["'self'", "data:"]
    assert allowed.pop("default-src") == allowed.pop("base-uri") == allowed.pop("frame-ancestors") == ["'none'"]
    assert set(map(tuple, allowed.values())) == {("'self'",)}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_hold_no_script_and_no_style(path):
    text = path.read_text()
    assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:|<iframe|<object", text)
    assert all("src=" in each for each in re.findall("<script[^>]*>", text))
    if path.stem not in ("model",):  # whose blocks are made of escaped parts
        assert "|safe" not in text


# --- the threshold -----------------------------------------------------------------------------------------


def kept(decibans, label=None):
    return Kept(1, 1, b"", NOW, 1, "http", "", "", 1, 0.0, decibans, False, False, label, None)


MESSAGES = st.lists(
    st.builds(kept, st.floats(-80.0, 80.0), st.sampled_from([None, "ham", "spam"])), min_size=1, max_size=30
)
DECIBANS = st.floats(-60.0, 60.0)


@given(MESSAGES, DECIBANS, DECIBANS)
@examples(30)
def test_what_changes_is_the_difference_of_what_is_spam(found, used, at):
    more, less = changed(found, used, at)
    before, after = consequences(found, used, "spam"), consequences(found, at, "spam")
    assert after.spam - before.spam == len(more) - len(less)
    assert not (more and less)
    assert all((each.decibans >= at) != (each.decibans >= used) for each in more + less)


@given(MESSAGES, DECIBANS)
@examples(30)
def test_errors_are_those_of_labelled_messages(found, at):
    own = consequences(found, at, "spam")
    assert own.spam == sum(each.decibans >= at for each in found)
    assert own.false_positives == sum(each.decibans >= at and each.label == "ham" for each in found)
    assert own.false_negatives == sum(each.decibans < at and each.label == "spam" for each in found)
    assert own.cost == pytest.approx(own.false_positives * 10.0 ** (at / 10.0) + own.false_negatives)


@given(MESSAGES)
@examples(20)
def test_a_histogram_has_every_message_once(found):
    stacks = histogram(found, "spam")
    assert sum(each.total for each in stacks) == len(found)
    for kind, label in (("spam", "spam"), ("ham", "ham"), ("none", None)):
        assert sum(dict(each.counts)[kind] for each in stacks) == sum(each.label == label for each in found)


@given(st.lists(st.booleans(), max_size=400))
@examples(30)
def test_the_error_over_time_ends_with_the_share_of_the_last_labels(wrong):
    labelled = [(NOW + k, "spam", "ham" if each else "spam", 3.0) for k, each in enumerate(wrong)]
    shares = error_over_time(labelled)
    assert len(shares) <= 200
    if wrong:
        assert shares[-1] == sum(wrong[-50:]) / len(wrong[-50:])


@given(st.lists(st.tuples(st.text(max_size=5), st.floats(-50, 50)), max_size=8), st.floats(-5, 5), st.booleans())
@examples(20)
def test_evidence_towards_a_class_adds_up(terms, prior, is_spam):
    total = prior + sum(decibans for _, decibans in terms)
    why = Explanation(
        "spam" if is_spam else "ham", "ham" if is_spam else "spam", 0.5, total, prior, [Term(w, d, 1) for w, d in terms]
    )
    own = towards(why, "spam")
    sign = 1.0 if is_spam else -1.0
    assert own.label == "spam"
    assert own.decibans == sign * total
    assert own.prior_decibans + sum(term.decibans for term in own.terms) == pytest.approx(own.decibans)


@given(st.floats(allow_nan=False), st.floats(-100, 100), st.none() | st.tuples(st.floats(-90, 90), st.floats(-90, 90)))
@examples(20)
def test_pictures_stay_in_their_frame(decibans, threshold, interval):
    svg = charts.Scale(decibans, interval, threshold, "spam", 'a "quoted" <b>', "<mark>").svg()
    places = [float(each) for each in re.findall(r'\b(?:x1|x2|cx|x)="([-\d.]+)%"', svg)]
    assert places
    assert all(0.0 <= each <= 100.0 for each in places)
    assert "<b>" not in svg
    assert "<mark>" not in svg
    stacks = [charts.Stack("a", [("spam", 3), ("ham", 0)]), charts.Stack("b", [("spam", 0), ("ham", 9)])]
    assert charts.columns(stacks, "says", [(50.0, "<x>")]).count("<rect") == 2
    assert charts.columns([], "says", []).count("<rect") == 0
    assert charts.curve([0.5], "says", "a", "b", "c").count("<circle") == 1
