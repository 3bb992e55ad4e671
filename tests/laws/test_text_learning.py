"""Learning text is +, unlearning −: the same model whatever the order, the pieces and the number of threads."""

import copy
import os
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from labelled_texts import TEXTS, content, fitted, labelled_texts, over_the_grid
from numpy.testing import assert_allclose

from deciban import NaiveBayes, TextClassifier, TextVectorizer, load, store
from deciban.text.counting import occurrences
from deciban.text.settings import TextSettings

SIZES = st.sampled_from([None, 2, 10_000])


@st.composite
def cuts(draw, data):
    """The rows of `data` in any order, cut into one to four pieces that each have a row."""
    order = draw(st.permutations(range(len(data))))
    ends = sorted(draw(st.sets(st.integers(1, len(data) - 1), max_size=3)))
    return [order[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


def first_word(data, rows):
    """Whether a text of the first piece has a word; without one there is no model yet."""
    return any(set(data.texts[i].split()) - {"!", "x" * 70} for i in rows)


@over_the_grid
@given(data=labelled_texts(), size=SIZES, draw=st.data())
def test_any_order_and_any_pieces_give_the_same_file(model, data, size, draw):
    """New labels and new words come with the pieces."""
    whole = fitted(model, data, max_features=size)
    pieces = [data.part(rows) for rows in draw.draw(cuts(data))]
    pieces.sort(key=lambda piece: not first_word(piece, range(len(piece))))
    grown = TextClassifier(**model, max_features=size)
    for texts, labels, _ in pieces:
        grown.partial_fit(texts, labels)
    assert content(grown) == content(whole)
    assert grown.classes_.tolist() == whole.classes_.tolist()


@over_the_grid
@given(data=labelled_texts(), size=SIZES, draw=st.data())
def test_models_add_in_any_order_to_the_model_of_all_texts(model, data, size, draw):
    pieces = draw.draw(cuts(data))
    assume(all(first_word(data, rows) for rows in pieces))
    parts = [TextClassifier(**model, max_features=size).partial_fit(*data.part(rows)[:2]) for rows in pieces]
    whole = fitted(model, data, max_features=size)
    before = [content(part) for part in parts]
    assert content(sum(parts)) == content(sum(parts[::-1])) == content(whole)
    assert [content(part) for part in parts] == before
    without = sum(parts).forget(*data.part(pieces[-1])[:2]) if len(pieces) > 1 else None
    if without is not None and len(without.classes_) == len({data.labels[i] for rows in pieces[:-1] for i in rows}):
        assert content(without) == content(sum(parts[:-1]))


@over_the_grid
@given(data=labelled_texts(), more=labelled_texts(least_classes=1), size=SIZES)
def test_what_is_learnt_and_forgotten_was_never_learnt(model, data, more, size):
    """`more` may have classes that `data` has not; they go with the last of their texts."""
    classifier = fitted(model, data, max_features=size)
    before = content(classifier)
    classifier.partial_fit(more.texts, more.labels)
    classifier.forget(more.texts, more.labels)
    assert content(classifier) == before


@over_the_grid
@given(data=labelled_texts(), size=SIZES)
def test_threads_do_not_show(model, data, size):
    alone, *others = (fitted(model, data, max_features=size, n_jobs=n) for n in (1, 2, 5))
    for other in others:
        assert content(other) == content(alone)
        assert (other.predict_proba(data.texts) == alone.predict_proba(data.texts)).all()


@over_the_grid
@given(data=labelled_texts(), size=SIZES, zero=TEXTS)
def test_weights_are_repetition(model, data, size, zero):
    rows = [i for i, weight in enumerate(data.weights) for _ in range(weight)]
    repeated = data.part(rows)
    weighted = TextClassifier(**model, max_features=size, calibration=None).fit(
        [*data.texts, zero], [*data.labels, data.labels[0]], [*data.weights, 0]
    )
    assert content(weighted) == content(fitted(model, repeated, max_features=size))


@over_the_grid
@given(data=labelled_texts())
def test_fractions_weigh_as_in_naive_bayes(model, data):
    weights = np.array(data.weights) / 7
    ours = TextClassifier(**model, max_features=None, calibration=None).fit(data.texts, data.labels, weights)
    binary = model["binary"] or model["likelihood"] == "bernoulli"
    rows = TextVectorizer(model["words"], max_features=None, hashed_bits=model["hashed_bits"], binary=binary)
    X = rows.fit_transform(data.texts)
    X = X[:, np.flatnonzero(X.sum(axis=0))]
    theirs = NaiveBayes(model["likelihood"]).fit(X, data.labels, weights)
    assert_allclose(ours.predict_joint_log_proba(data.texts), theirs.predict_joint_log_proba(X), rtol=1e-10, atol=1e-10)


@over_the_grid
@given(data=labelled_texts(), size=SIZES)
def test_a_file_and_a_pickle_hold_the_model(tmp_path_factory, model, data, size):
    known = fitted(model, data, max_features=size)
    path = tmp_path_factory.getbasetemp() / "known.deciban"
    known.save(path)
    assert path.read_bytes() == content(known)
    for again in (load(path), pickle.loads(pickle.dumps(known)), copy.deepcopy(known)):
        assert content(again) == content(known)
        assert again.explain(data.texts) == known.explain(data.texts)
        assert (again.predict_proba(data.texts) == known.predict_proba(data.texts)).all()
        assert content(again.partial_fit(data.texts, data.labels)) != content(known)
    assert set(os.listdir(path.parent)) & {"known.deciban"} == {"known.deciban"}


@over_the_grid
@given(data=labelled_texts(), more=labelled_texts(least_classes=1), size=SIZES)
def test_a_calibration_is_that_of_the_fit_and_no_update_changes_it(tmp_path_factory, model, data, more, size):
    """It depends on the weighted set of examples alone; beside it everything is as it is without."""
    known = fitted(model, data, max_features=size, calibration="affine")
    turned = TextClassifier(**model, max_features=size, n_jobs=2).fit(data.texts[::-1], data.labels[::-1])
    before, scaling = content(known), known.model_.scaling
    assert content(turned) == before
    path = tmp_path_factory.getbasetemp() / "calibrated.deciban"
    known.save(path)
    for again in (load(path), pickle.loads(pickle.dumps(known))):
        assert content(again) == before
        assert (again.predict_proba(data.texts) == known.predict_proba(data.texts)).all()
    counts = replace(known.model_, scaling=None)
    assert store.to_bytes(counts.header(), counts.arrays()) == content(fitted(model, data, max_features=size))
    again.partial_fit(more.texts, more.labels)
    assert scaling is None or again.model_.scaling.slope == scaling.slope
    assert content(again.forget(more.texts, more.labels)) == before


@over_the_grid
@given(data=labelled_texts())
def test_repeated_texts_calibrate_as_weighted_ones(model, data):
    weighted = TextClassifier(**model).fit(data.texts, data.labels, data.weights).model_.scaling
    times = [i for i, n in enumerate(data.weights) for _ in range(n)]
    repeated = TextClassifier(**model).fit([data.texts[i] for i in times], [data.labels[i] for i in times]).model_
    assert weighted == repeated.scaling


@over_the_grid
def test_a_refused_update_changes_nothing(model):
    known = TextClassifier(**model).fit(["a b", "b c", "c d"], ["x", "y", "y"])
    before = content(known)
    for wrong in (["a a a a a a a"], ["unheard"]):
        with pytest.raises(ValueError, match="cannot forget"):
            known.forget(wrong * 3, ["x"] * 3)
        assert content(known) == before


FRACTIONS = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7, 0.9, 1 / 3]), min_size=4, max_size=4)


@over_the_grid
@given(weights=FRACTIONS, order=st.permutations(range(4)))
def test_fractions_are_forgotten_in_any_order_and_leave_no_word(model, weights, order):
    """Sums of fractions are rounded, so that what is left of nothing may be a little more, or less."""
    known = TextClassifier("naive-bayes", **model).fit(["a b", "c d"], ["x", "y"])
    before = known.model_
    texts, labels = ["e f", "e g", "e h", "e e"], ["x", "y", "x", "x"]
    known.partial_fit(texts, labels, weights)
    for i in order:
        known.forget([texts[i]], [labels[i]], [weights[i]])
    books = [(known.model_.encoder.book, before.encoder.book)]
    if model["hashed_bits"]:
        books.append((known.model_.encoder.words.book, before.encoder.words.book))
    for left, first in books:
        assert left.parts()[0].tolist() == first.parts()[0].tolist()
        assert_allclose(left.parts()[1], first.parts()[1], rtol=1e-12)


@pytest.mark.parametrize("hashed_bits", [None, 6], ids=["dictionary", "hashed"])
@given(texts=st.lists(st.lists(st.integers(0, 60), max_size=12), min_size=1, max_size=40), most=st.integers(2, 40))
def test_pruning_bounds_the_words_and_does_not_see_the_threads(hashed_bits, texts, most):
    """Beyond `max_words` the rarest go, those of equal counts together; what stays is counted in full."""
    settings = TextSettings(max_words=most, hashed_bits=hashed_bits)
    items = [" ".join(f"w{k}" for k in text) for text in texts]
    members = [i % 3 for i in range(len(items))]
    found = [occurrences(settings, items, members, 3, n_jobs=n) for n in (1, 2, 5)]
    found.append(occurrences(settings, items, members, 3, [1.0] * len(items)))
    books, dropped = [each.book for each in found], [each.dropped for each in found]
    assert books[0] == books[1] == books[2] == books[3]
    assert len({*dropped}) == len({each.uncounted for each in found}) == 1
    unbounded = occurrences(TextSettings(hashed_bits=hashed_bits), items, members, 3).book
    assert len(books[0]) + dropped[0] == len(unbounded)
    assert len(books[0]) <= most
    assert dropped[0] == 0 or len(unbounded) > most

    hashes, counts, *_ = unbounded.parts()
    totals = dict(zip(hashes.tolist(), counts.sum(axis=1).tolist(), strict=True))
    kept_hashes, kept_counts, *_ = books[0].parts()
    kept = dict(zip(kept_hashes.tolist(), kept_counts.sum(axis=1).tolist(), strict=True))
    assert kept.items() <= totals.items()
    gone = [n for word, n in totals.items() if word not in kept]
    assert not gone or max(gone) < min(kept.values(), default=np.inf)
    assert found[0].uncounted == sum(gone)
