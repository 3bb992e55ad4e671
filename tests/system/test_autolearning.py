"""A filter teaches itself only what it is certain of, in balance, and all of that can be taken back."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.mail.autolearning import BALANCE, Autolearning
from deciban.mail.filter import Filter
from deciban.mail.journal import Journal
from deciban.verdict import Verdict
from system.command import HAM, HELD_OUT, SPAM, TRAIN

HELD = {label: sorted((HELD_OUT / label).iterdir()) for label in ("spam", "ham")}
VERDICTS = st.builds(
    lambda label, decibans, unsure: Verdict(label, "ham", {}, decibans, unsure, None),
    st.sampled_from(["ham", "spam", "news"]),
    st.floats(0.0, 60.0),
    st.booleans(),
)


@given(
    st.fixed_dictionaries(dict.fromkeys(["ham", "spam", "news"], st.integers(1, 60))), st.lists(VERDICTS, max_size=99)
)
def test_doubt_teaches_nothing_and_no_class_outgrows_the_others_or_what_people_labelled(known, verdicts):
    own = Autolearning(30.0, Counter(known))
    for each in verdicts:
        if own.judge(each) == "learnt":
            assert each.decibans >= 30.0
            assert not each.unsure
            own.learn(each)
    for label, n in own.known.items():
        assert own.automatic[label] <= known[label] == n - own.automatic[label]
        assert n == known[label] or n <= BALANCE * min(own.known.values()) + 1.0


def test_what_is_certain_is_learnt_as_if_it_had_been_labelled_so(own, out):
    told = json.loads(out("learn", "f.deciban", "--auto", "--at-least", "10", *HELD["spam"], *HELD["ham"], "--json"))
    assert told["n"] == 72
    assert told["outcomes"]["learnt"] > 10 < told["outcomes"]["unsure"]
    out("refresh", "f.deciban")
    labels = Filter.load(own).ledger.in_force()[1]
    content = own.read_bytes()
    again = json.loads(out("learn", "f.deciban", "--auto", "--at-least", "10", *HELD["spam"], *HELD["ham"], "--json"))
    assert again["outcomes"]["already known"] == told["outcomes"]["learnt"]
    found = json.loads(out("reset", "f.deciban", "--automatic", "--json"))
    assert found["n"] == told["outcomes"]["learnt"] + again["outcomes"].get("learnt", 0)
    assert (len(labels), len(Filter.load(own).ledger)) == (192 + told["outcomes"]["learnt"], 192)
    assert own.read_bytes() != content


def test_a_small_filter_is_never_certain_enough(own, out):
    told = json.loads(out("learn", "f.deciban", "--auto", *HELD["spam"], "--json"))
    assert told["outcomes"] == {"unsure": 36}
    assert out("learn", "f.deciban", "--auto", HELD["ham"][0]).startswith("Not certain: 1 item; nothing was learnt")


def test_a_person_has_the_last_word(own, out):
    """A label that was confirmed, or put right, is no longer one that the filter gave."""
    out("learn", "f.deciban", "--auto", "--at-least", "10", *HELD["spam"])
    told = json.loads(out("doctor", "f.deciban", "--json"))
    assert told["since"]["n"] == 0  # its own labels say nothing of how good it is
    digest_of = Filter.load(own).model.encoder.settings.reader().digest
    with Journal.open(own, write=False) as journal:
        automatic = {digest for digest, _ in journal.automatic()}
    right, confirmed, *others = (each for each in HELD["spam"] if digest_of(each.read_bytes()) in automatic)
    assert out("learn", "f.deciban", right, "--as", "ham").startswith("Relabelled 1 item as ham.")
    assert "Already known as spam" in out("learn", "f.deciban", confirmed, "--as", "spam")
    out("learn", "f.deciban", "--auto", "--at-least", "10", right, confirmed)
    for solved in (False, True):
        if solved:
            out("refresh", "f.deciban")
        assert json.loads(out("reset", "f.deciban", "--automatic", "--dry-run", "--json"))["n"] == len(others) + 1
    out("reset", "f.deciban", "--automatic")
    known = Filter.load(own)
    labels = [known.ledger.label(digest_of(each.read_bytes())) for each in (right, confirmed, others[0])]
    assert [None if label is None else known.model.classes[label] for label in labels] == ["ham", "spam", None]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--auto", "--as", "spam", SPAM), "Expected --as LABEL or --auto; both came."),
        (("--at-least", "20", "--as", "spam", SPAM), "Expected --at-least with --auto; it came without."),
        (("--auto", "--at-least", "5", SPAM), "is not in the range"),
    ],
)
def test_what_makes_no_sense_is_refused(own, run, arguments, said):
    before = own.read_bytes()
    done = run("learn", "f.deciban", *arguments)
    assert (done.returncode, said in done.stderr) == (64, True), done.stderr
    assert own.read_bytes() == before


def test_other_models_do_not_teach_themselves(run, out):
    out("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", "nb.deciban", "--model", "naive-bayes")
    done = run("learn", "nb.deciban", "--auto", HAM)
    assert done.returncode == 64
    assert "expected a filter of the default model of mail for --auto; this one is 'naive-bayes'" in done.stderr
