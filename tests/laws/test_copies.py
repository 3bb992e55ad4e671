"""Near-duplicates: what is alike is found whatever the order, and is dealt into folds together."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from deciban.data.copies import ALIKE, FEW, Sketches, copies_of_rows
from deciban.data.folds import deal_grouped
from oracle.suspects import alike, resemblance


def groups(texts, kind="text", step=None):
    sketches = Sketches(kind, n_jobs=1)
    for start in range(0, len(texts), step or max(len(texts), 1)):
        sketches.add(texts[start : start + (step or len(texts))])
    return sketches.copies().group


def partition(group):
    return sorted(tuple(np.flatnonzero(group == each).tolist()) for each in np.unique(group))


def letters(n, seed=0, words=30):
    """Texts of random words, after each a copy with a word more and a text half of which is new."""
    draw = random.Random(seed)
    texts = []
    for i in range(n):
        own = [f"word{draw.randrange(2000)}" for _ in range(words)]
        texts += [
            " ".join(own),
            " ".join([*own, f"tail{i}"]),
            " ".join([*own[: words // 2], *(f"new{i}x{k}" for k in range(15))]),
        ]
    return texts


def test_copies_are_found_and_what_only_resembles_is_not():
    texts = letters(20)
    group = groups(texts)
    together = {pair for part in partition(group) for pair in [(i, j) for i in part for j in part if i < j]}
    assert {*alike(texts, 0.95)} <= together
    assert {*alike(texts, 0.9)} == {(i, i + 1) for i in range(0, 60, 3)} <= together
    assert all(resemblance(texts[i], texts[j]) > ALIKE - 0.15 for i, j in together)


def test_neither_the_order_nor_the_batches_of_texts_matter():
    texts = letters(20) + letters(5)
    order = np.random.default_rng(0).permutation(len(texts))
    group = groups(texts)
    assert (groups(texts, step=7) == group).all()
    assert (groups([texts[i] for i in order]) == group[order]).all()


def test_near_duplicates_of_near_duplicates_belong_together():
    words = [f"w{i}" for i in range(60)]
    chain = [" ".join(words[i : i + 40]) for i in range(0, 20, 2)]
    assert resemblance(chain[0], chain[-1]) < 0.5 < ALIKE < resemblance(chain[0], chain[1])
    assert len(set(groups(chain).tolist())) == 1


def test_letter_case_and_punctuation_make_no_difference_but_the_order_of_words_does():
    assert len(set(groups(["Free money, now!", "free money now"]).tolist())) == 1
    words = [f"w{i}" for i in range(20)]
    assert len(set(groups([" ".join(words), " ".join(sorted(words, key=hash))]).tolist())) == 2


def test_a_text_without_words_says_nothing():
    sketches = Sketches()
    sketches.add(["", "!", "one two"])
    found = sketches.copies()
    assert found.telling.tolist() == [False, False, True]
    assert Sketches().copies().group.shape == (0,)


def test_mail_is_compared_as_mail():
    head = "From: a@b.example\nSubject: {}\n\n"
    body = " ".join(f"word{i}" for i in range(80))
    messages = [
        (head.format("offer") + body).encode(),
        (head.format("offer") + body + " 1").encode(),
        b"Subject: x\n\nhi",
    ]
    group = groups(messages, "mail")
    assert group[0] == group[1] != group[2]


# --- rows --------------------------------------------------------------------------------------------------


def test_rows_equal_to_six_digits_are_copies_in_every_form():
    X = np.array(
        [[1.0, 0.0], [1.0 + 1e-9, -0.0], [1.001, 0.0], [1e-7, 5e12], [1.0000001e-7, 5e12], [1e-300, 0.0], [0, 0]]
    )
    expected = [(0, 1), (2,), (3, 4), (5, 6)]
    assert partition(copies_of_rows(X).group) == expected
    assert partition(copies_of_rows(sparse.csr_array(X)).group) == expected
    gaps = np.array([[np.nan, 1.0], [np.nan, 1.0], [1.0, np.nan]])
    assert partition(copies_of_rows(gaps).group) == [(0, 1), (2,)]


def test_where_rows_often_occur_again_that_says_nothing():
    few = np.repeat(np.arange(FEW + 90.0), [2] * (FEW - 8) + [1] * 98)[:, None]
    assert copies_of_rows(few).telling.all()
    assert not copies_of_rows(np.arange(400.0)[:, None] % 40).telling.any()


# --- folds -------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(2, 4))
def test_copies_share_a_fold_classes_are_in_proportion_and_the_order_does_not_matter(seed, folds, C):
    rng = np.random.default_rng(seed)
    group = rng.integers(60, size=90)
    y = rng.integers(C, size=60)[group]
    fold = deal_grouped(y, group, np.ones(90), folds, 7)
    assert all(len(np.unique(fold[group == each])) == 1 for each in group)
    held = [[len(np.unique(group[(fold == k) & (y == c)])) for k in range(folds)] for c in range(C)]
    assert all(max(each) - min(each) <= 1 for each in held)
    order = rng.permutation(90)
    assert (deal_grouped(y[order], group[order], np.ones(90), folds, 7) == fold[order]).all()
    renamed = rng.permutation(C)[y]
    assert (deal_grouped(renamed, group, np.ones(90), folds, 7) == fold).all()


@pytest.mark.parametrize("folds", [2, 5])
def test_another_seed_deals_otherwise(folds):
    y, group = np.arange(100) % 2, np.arange(100)
    first, same, other = (deal_grouped(y, group, np.ones(100), folds, seed) for seed in (1, 1, 2))
    assert (first == same).all()
    assert (first != other).any()
