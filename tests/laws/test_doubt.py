"""How sure a text model is: the interval of a verdict is what the counts leave open, however one asks for it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_texts import TEXTS, Labelled, fitted, labelled_texts, over_the_grid
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri
from scipy.stats import t

from deciban import TextClassifier, TextVectorizer, load
from deciban.conventions import DECIBANS_PER_NAT
from deciban.text.widening import student_end
from tiers import examples

QUERIES = st.lists(TEXTS.map(lambda text: text + " unheard") | TEXTS | st.just(""), min_size=1, max_size=4)
FEW = examples(5)
# The correlation of what is wrong about two words of one item (crates/core/src/doubt.rs).
DEPENDENCE = 0.05
PRIORS = st.sampled_from(["empirical", "smoothed", "uniform"])


def of_two(data):
    """The same texts in two classes."""
    return Labelled(data.texts, [f"class {int(label[-1]) % 2}" for label in data.labels], data.weights)


TWO = labelled_texts().map(of_two)


def slope(known):
    """What its calibration multiplied the scores by."""
    return 1.0 if known.model_.scaling is None else known.model_.scaling.slope


def spread(a):
    """The variance of the log of the log-normal share with the mean and variance of a gamma variate of shape a."""
    return np.log1p(1.0 / a)


def agreed(s, n, binary):
    """How far examples agree about the class of a word, word by word."""
    N, p = n.sum(), n / n.sum()
    found = []
    for column in s.T:
        m = column.sum()
        if m >= 2:
            apart = sum((column[c] - m * p[c]) ** 2 for c in range(len(n))) / (m * (1 - sum(p**2)))
            found.append((apart - ((N - m) / (N - 1) if binary else 1)) / (m - 1))
    C = np.count_nonzero(n)
    return min(1.0, max(0.01, np.mean(found) * (N - C) / N)) if found and N > C >= 2 else 0.01


def varied(s, n, c):
    """The share of the words of an example of class c that it does not have in common with others of c alone."""
    if min(n[c], s[c].sum()) <= 0:
        return 1.0
    length, rest = s[c].sum() / n[c], n.sum() - n[c]
    within = sum(k * max(k - 1, 0) for k in s[c]) / (n[c] * (n[c] - 1)) if n[c] > 1 else 0.0
    others = s.sum(axis=0) - s[c]
    between = (s[c] @ others) / (n[c] * rest) * length / (others.sum() / rest) if min(rest, others.sum()) > 0 else 0.0
    apart = length - between
    return 1 - (min(1.0, max(0.0, (within - between) / apart)) if apart > 1e-9 * length else 0.0)


def widened(s, n, binary):
    """How many times as wide the interval of each class is."""
    free = [max((n[c] - 1) * (varied(s, n, c) if binary else 1) ** 2, 1) for c in range(len(n))]
    return np.array([t.ppf(0.975, nu) for nu in free]) / ndtri(0.975) / np.sqrt(agreed(s, n, binary))


def by_definition(likelihood, s, n, prior, alpha, x, label, against, binary=False):
    """The variance of log p(label | x) − log p(against | x) from counts s (C, K) of classes of n (C,) items."""
    words, alone, classes = np.zeros(s.shape[1]), 0.0, 0.0
    u = widened(s, n, binary or likelihood == "bernoulli") ** 2
    for c in (label, against):
        a = s[c] + alpha
        if likelihood == "multinomial":
            words += u[c] * spread(a)
            alone -= u[c] * x.sum() ** 2 * spread(a.sum())
        else:
            b = n[c] - s[c] + alpha
            words += u[c] * np.where(x > 0, spread(a), 0.0)
            alone += u[c] * (np.where(x > 0, 0.0, spread(b)).sum() - spread(a + b).sum())
        if prior != "uniform":
            classes += u[c] * spread(n[c] + (prior == "smoothed"))
    there = x if likelihood == "multinomial" else (x > 0).astype(float)
    squares = (there**2) @ words
    together = DEPENDENCE * ((there @ np.sqrt(words)) ** 2 - squares)
    return max(alone + squares, 0.0) + together + classes


def features(model, data, queries):
    """Counts (C, K) of the features that were seen, items (C,) of each class, and the queries as rows (N, K)."""
    binary = model["binary"] or model["likelihood"] == "bernoulli"
    rows = TextVectorizer(model["words"], max_features=None, hashed_bits=model["hashed_bits"], binary=binary)
    X = rows.fit(data.texts).transform(data.texts)
    seen = np.flatnonzero(X.sum(axis=0))
    classes, y = np.unique(data.labels, return_inverse=True)
    member = (y == np.arange(len(classes))[:, None]) * np.array(data.weights)
    return X[:, seen], member @ X[:, seen].toarray(), member.sum(axis=1), rows.transform(queries)[:, seen].toarray()


def first_two(scores):
    order = np.argsort(-scores, axis=1, kind="stable")
    return order[:, 0], order[:, 1]


def of_second_class(known, queries, level=0.95):
    """Intervals of two classes for the log-odds of the second, whichever won."""
    low, high = known.credible_interval(queries, level).T
    won = (known.predict(queries) == known.classes_[1])[:, None]
    return np.where(won, np.column_stack([low, high]), np.column_stack([-high, -low]))


# --- it is what it says ------------------------------------------------------------------------------------


@over_the_grid
@FEW
@given(data=labelled_texts(), queries=QUERIES, alpha=st.sampled_from([0.02, 0.5, 3.0]), prior=PRIORS)
def test_it_is_the_score_and_the_posterior_by_the_definition(model, data, queries, alpha, prior):
    known = TextClassifier(**{**model, "alpha": alpha}, class_prior=prior)
    known.fit(data.texts, data.labels, sample_weight=data.weights)
    _, s, n, Q = features(model, data, queries)
    scores = known.predict_joint_log_proba(queries)
    labels, rivals = first_two(scores)
    found = known.credible_interval(queries)
    for x, row, label, against, interval in zip(Q, scores, labels, rivals, found, strict=True):
        variance = by_definition(model["likelihood"], s, n, prior, alpha, x, label, against, model["binary"])
        half, odds = slope(known) * ndtri(0.975) * np.sqrt(variance), row[label] - row[against]
        assert_allclose(interval, [odds - half, odds + half], rtol=1e-6, atol=1e-6)


@over_the_grid
@FEW
@given(
    data=labelled_texts(),
    queries=QUERIES,
    alpha=st.floats(1e-3, 1e3),
    prior=PRIORS,
    estimate=st.sampled_from(["bayes", "map", "ml"]),
    level=st.floats(0.01, 0.999),
)
def test_it_contains_the_score(model, data, queries, alpha, prior, estimate, level):
    alpha = 1.0 + alpha if estimate == "map" else alpha
    known = TextClassifier(**{**model, "alpha": alpha}, class_prior=prior, estimate=estimate)
    try:
        known.fit(data.texts, data.labels, sample_weight=data.weights)
    except ValueError:  # a raw ratio of 0
        return
    scores = known.predict_joint_log_proba(queries)
    labels, rivals = first_two(scores)
    i = np.arange(len(queries))
    odds = scores[i, labels] - scores[i, rivals]
    low, high = known.credible_interval(queries, level).T
    assert (low <= odds).all()
    assert (odds <= high).all()
    for verdict in known.served_.judge(queries):
        assert verdict.interval[0] <= verdict.decibans <= verdict.interval[1]


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("weight", [0.25, 0.3, 1.0, 8190.0, 1e5, 3e9])
def test_counts_of_any_size_come_back_from_the_weights(likelihood, weight):
    texts, labels = ["a b", "a c", "b c d"], ["x", "y", "y"]
    known = TextClassifier(likelihood=likelihood, alpha=0.1, words=(1, 1), calibration=None)
    known.fit(texts, labels, sample_weight=[weight, weight, 2 * weight])
    s = weight * np.array([[1, 1, 0, 0], [1, 2, 3, 2]])
    n = weight * np.array([1, 3])
    (low, high), label = known.credible_interval(["a d"])[0], int(known.predict(["a d"])[0] == "y")
    x = np.array([1.0, 0, 0, 1])
    variance = by_definition(likelihood, s, n, "empirical", 0.1, x, label, 1 - label, True)
    assert_allclose((high - low) / 2, ndtri(0.975) * np.sqrt(variance), rtol=1e-7)


@over_the_grid
@FEW
@given(data=labelled_texts(), queries=QUERIES)
def test_a_verdict_shows_it_in_decibans_and_is_unsure_while_it_is_not_on_one_side(model, data, queries):
    known = fitted(model, data)
    intervals = known.credible_interval(queries) * DECIBANS_PER_NAT
    for below in (0.0, 10.0, 1e6):
        for verdict, interval in zip(known.served_.judge(queries, below), intervals, strict=True):
            reaching = min(interval[0], verdict.decibans), max(interval[1], verdict.decibans)
            assert_allclose(verdict.interval, reaching, rtol=1e-12, atol=1e-12)
            assert verdict.interval[0] <= verdict.decibans <= verdict.interval[1]
            assert verdict.unsure == (verdict.interval[0] <= 0 or verdict.decibans < below)
            assert verdict.to_json()["interval"] == list(verdict.interval)


@pytest.mark.parametrize("alpha", [1e-3, 0.02, 0.3, 1.0, 30.0])
def test_a_verdict_contains_its_score_where_words_are_many_and_rare(alpha):
    texts = [" ".join(f"{label}{i}" for i in range(200)) for label in ("spam", "ham")]
    known = TextClassifier(alpha=alpha, calibration=None).fit(texts, ["spam", "ham"])
    for verdict in known.served_.judge([*texts, " ".join(texts[0].split()[:20]), "unheard"]):
        assert verdict.interval[0] <= verdict.decibans <= verdict.interval[1]


def test_of_words_never_heard_only_the_classes_are_in_doubt():
    known = TextClassifier(calibration=None).fit(["a", "a", "a", "b"], ["x", "x", "x", "y"])
    half = ndtri(0.975) * np.sqrt(
        widened(np.array([[3, 0], [0, 1]]), np.array([3, 1]), True) ** 2 @ [spread(3), spread(1)]
    )
    assert_allclose(known.credible_interval(["unheard"]), [[np.log(3) - half, np.log(3) + half]])
    known.set_params(class_prior=[0.25, 0.75]).fit(["a", "b"], ["x", "y"])
    assert_allclose(known.credible_interval(["unheard"]), [[np.log(3), np.log(3)]])


def test_a_class_of_which_nothing_is_left_leaves_everything_open():
    known = TextClassifier().fit(["a", "b"], ["x", "y"]).forget(["b"], ["y"])
    assert_array_equal(known.credible_interval(["a"]), [[-np.inf, np.inf]])
    (verdict,) = known.served_.judge(["a"])
    assert (verdict.label, verdict.unsure, verdict.interval) == ("x", True, (-np.inf, np.inf))


# --- laws --------------------------------------------------------------------------------------------------


@over_the_grid
@FEW
@given(data=labelled_texts(), queries=QUERIES)
def test_any_way_of_asking_gives_the_same_bits(model, data, queries):
    known = fitted(model, data)
    many = known.credible_interval(queries)
    assert many.shape == (len(queries), 2)
    assert_array_equal(known.credible_interval([query.encode() for query in queries]), many)
    assert_array_equal(np.vstack([known.credible_interval([query]) for query in queries]), many)
    for n_jobs in (1, 2, 3):
        assert_array_equal(fitted(model, data, n_jobs=n_jobs).credible_interval(queries * 20), np.tile(many, (20, 1)))
    assert known.credible_interval([]).shape == (0, 2)


@over_the_grid
def test_what_is_saved_is_as_sure_when_it_is_loaded(model, tmp_path):
    texts, labels = ["free money", "free lunch", "lunch at noon", "noon"], ["spam", "spam", "ham", "ham"]
    for prior in ("empirical", "smoothed", "uniform", [0.3, 0.7]):
        known = TextClassifier(**{**model, "alpha": 1.5}, estimate="map", class_prior=prior).fit(texts, labels)
        known.save(tmp_path / "f")
        again = load(tmp_path / "f")
        assert_array_equal(again.credible_interval(texts), known.credible_interval(texts))


@over_the_grid
@FEW
@given(data=labelled_texts(), queries=QUERIES, levels=st.tuples(st.floats(0.01, 0.999), st.floats(0.01, 0.999)))
def test_a_higher_level_takes_more_room_about_the_same_centre(model, data, queries, levels):
    known = fitted(model, data)
    small, large = (known.credible_interval(queries, level) for level in sorted(levels))
    assert_allclose(small.mean(axis=1), large.mean(axis=1), rtol=1e-9, atol=1e-9)
    assert (np.diff(large, axis=1) >= np.diff(small, axis=1) - 1e-12).all()


@over_the_grid
@FEW
@given(data=TWO, queries=QUERIES)
def test_swapped_classes_swap_signs(model, data, queries):
    other = {"class 0": "class 1", "class 1": "class 0"}
    swapped = Labelled(data.texts, [other[label] for label in data.labels], data.weights)
    one, other = (of_second_class(fitted(model, each), queries) for each in (data, swapped))
    assert_allclose(one, -other[:, ::-1], rtol=1e-9, atol=1e-9)


@over_the_grid
@FEW
@given(data=labelled_texts(), times=st.sampled_from([4, 16, 100]))
def test_the_more_often_it_is_told_the_surer_it_is(model, data, times):
    """Of words that every class has and has not: those that a class never showed stay in doubt for ever. How far the
    scores are scaled, which more examples tell, too, is another matter."""
    labels = sorted(set(data.labels))
    texts = [*data.texts, *[" ".join(data.texts) for _ in labels], *["" for _ in labels]]
    labels = [*data.labels, *labels, *labels]
    known = TextClassifier(**model, calibration=None)
    widths = [
        np.diff(known.fit(texts, labels, sample_weight=[weight] * len(texts)).credible_interval(texts), axis=1)
        for weight in (1, times)
    ]
    assert (widths[1] <= widths[0] * 1.5 / np.sqrt(times) + 1e-6).all()


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, np.nan, "0.95", None, True])
def test_a_level_is_between_0_and_1(level):
    known = TextClassifier().fit(["a", "b"], ["x", "y"])
    with pytest.raises(ValueError, match="level must be a number between 0 and 1, got"):
        known.credible_interval(["a"], level)


def test_telling_how_sure_loads_no_numpy(tmp_path):
    TextClassifier().fit(["free money", "lunch"], ["spam", "ham"]).save(tmp_path / "f")
    script = (
        "import json, sys; from deciban import store; from deciban.text.served import ServedText; "
        f"(verdict,) = ServedText.from_stored(store.read({str(tmp_path / 'f')!r})).judge(['free']); "
        "assert not {'numpy', 'scipy', 'sklearn'} & set(sys.modules), 'loaded'; print(json.dumps(verdict.to_json()))"
    )
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    low, high = json.loads(said)["interval"]
    assert low < 0 < high


def test_after_ten_items_of_two_kinds_one_is_not_sure_of_a_word_seen_once():
    known = TextClassifier(alpha=0.02, calibration=None).fit(
        [f"word{i} x" for i in range(10)], [i % 2 for i in range(10)]
    )
    (verdict,) = known.served_.judge(["word3"])
    assert max(verdict.probability.values()) > 0.95
    assert verdict.decibans > 10
    assert verdict.unsure


def test_the_end_of_students_distribution_is_scipys():
    freedom = np.concatenate([np.linspace(1.0, 200.0, 800), np.geomspace(1.0, 1e12, 300), [1.0, 1.0]])
    assert_allclose(student_end(freedom), t.ppf(0.975, freedom), rtol=2e-12)
