"""Laws of explanations, over every model that explains itself: evidence sums, and all are asked in the same way."""

import json
from itertools import permutations

import numpy as np
import pytest

from deciban._core import Reader
from deciban.conventions import DECIBANS_PER_NAT
from laws.explained import MODELS, explained, over


def total_of(why):
    return why.prior_decibans + sum(term.decibans for term in why.terms)


def size_of(why):
    """What 1e-9 is of: sums of large terms round."""
    return max(1.0, abs(why.prior_decibans) + sum(abs(term.decibans) for term in why.terms))


@over
def test_terms_and_prior_sum_to_the_log_odds_of_the_two_most_probable_classes(name, C):
    model, items = explained(name, C)
    p = model.predict_proba(items)
    classes = list(getattr(model, "classes_", getattr(model, "classes", None)))
    for i, why in enumerate(model.explain(items)):
        assert abs(total_of(why) - why.decibans) <= 1e-9 * size_of(why)
        assert why.decibans >= 0.0
        first, second = p[i, classes.index(why.label)], p[i, classes.index(why.against)]
        assert why.label == model.predict(items)[i]
        assert (first, second) == tuple(np.sort(p[i])[::-1][:2])
        assert why.probability == pytest.approx(first, rel=1e-9)
        assert why.decibans == pytest.approx(DECIBANS_PER_NAT * np.log(first / second), rel=1e-9, abs=1e-6)


@over
def test_any_two_classes_differ_by_their_log_odds(name, C):
    model, items = explained(name, C)
    classes = list(getattr(model, "classes_", getattr(model, "classes", None)))
    p = model.predict_proba(items)
    for a, b in permutations(classes, 2):
        for i, why in enumerate(model.explain(items, pair=(a, b))):
            odds = np.log(p[i, classes.index(a)]) - np.log(p[i, classes.index(b)])
            assert why.decibans == pytest.approx(DECIBANS_PER_NAT * odds, rel=1e-9, abs=1e-9 * size_of(why))
            assert abs(total_of(why) - why.decibans) <= 1e-9 * size_of(why)


@over
def test_both_sides_are_there_the_strongest_first(name, C):
    model, items = explained(name, C)
    for why in model.explain(items):
        sizes = [abs(term.decibans) for term in why.terms]
        assert sizes == sorted(sizes, reverse=True)
        for_, against = why.for_label(), why.against_label()
        assert all(term.decibans > 0.0 for term in for_)
        assert all(term.decibans < 0.0 for term in against)
        assert len(for_) + len(against) == sum(size > 0.0 for size in sizes)
        assert why.for_label(2) == for_[:2]
        assert why.against_label(0) == []
        assert str(why).startswith(f"{why.label} ")
        assert len(str(why).splitlines()) == 1
        told = json.loads(json.dumps(why.to_json()))
        assert (told["label"], told["against"], len(told["terms"])) == (why.label, why.against, len(why.terms))
        assert all(isinstance(term.x, float) for term in why.terms)


@over
def test_any_two_classes_are_weighed_and_turn_around(name, C):
    model, items = explained(name, C)
    classes = [str(c) for c in getattr(model, "classes_", getattr(model, "classes", None))]
    items = items[:2]
    weighed = {(a, b): model.explain(items, pair=(a, b)) for a in classes for b in classes if a != b}
    for i, why in enumerate(model.explain(items)):
        assert weighed[why.label, why.against][i] == why
        for (a, b), found in weighed.items():
            one, other = found[i], weighed[b, a][i]
            assert (one.label, one.against) == (a, b)
            assert abs(total_of(one) - one.decibans) <= 1e-9 * size_of(one)
            assert one.decibans == pytest.approx(-other.decibans, rel=1e-9, abs=1e-9)
            mine, theirs = ({term.feature: term.decibans for term in each.terms} for each in (one, other))
            assert mine == pytest.approx({k: -v for k, v in theirs.items()}, rel=1e-9, abs=1e-9 * size_of(one))
        if C == 3:
            a, b, c = classes
            through = weighed[a, b][i].decibans + weighed[b, c][i].decibans
            assert through == pytest.approx(weighed[a, c][i].decibans, rel=1e-9, abs=1e-6)


TEXTS = [name for name in MODELS if name.startswith(("text", "mail"))]


@pytest.mark.parametrize("name", TEXTS)
def test_places_hold_the_words_that_they_name(name):
    model, items = explained(name, 2)
    reader = Reader("text", model.model_.encoder.settings.words)
    read = 0
    for why in model.explain(items):
        for term in why.terms:
            assert bool(term.places) == bool(term.count) or name.startswith("mail")
            for start, end in term.places:
                assert 0 <= start < end <= len(why.text)
                if ":" not in term.term:
                    assert term.term in reader.tokens(why.text[start:end])
                    read += 1
    assert read > 5


def test_the_doubt_of_a_verdict_turns_around_with_its_classes():
    model, items = explained("text naive-bayes", 3)
    for why in model.explain(items):
        low, high = why.verdict.interval
        (turned,) = model.explain(items[:1], pair=(why.against, why.label))
        assert turned.verdict.probability == model.explain(items[:1])[0].verdict.probability
        assert low <= high
    (first,) = model.explain(items[:1])
    (turned,) = model.explain(items[:1], pair=(first.against, first.label))
    low, high = first.verdict.interval
    assert turned.verdict.interval == pytest.approx((-high, -low), rel=1e-12)
    (third,) = {*model.classes_.tolist()} - {first.label, first.against}
    assert model.explain(items[:1], pair=(first.label, third))[0].verdict.interval is None
