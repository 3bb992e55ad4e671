"""Small sets of labelled texts for the laws, and the grid of text models over which every law holds."""

from typing import NamedTuple

import pytest
from hypothesis import strategies as st

from deciban import TextClassifier, store
from deciban.certificates.guarantees import defer
from tiers import pairwise

GRID = [
    {"likelihood": likelihood, "hashed_bits": bits, "binary": binary, "words": words, "alpha": 1.0}
    for likelihood, bits, binary, words in pairwise(
        ("multinomial", "bernoulli"), (None, 4), (False, True), ((1, 1), (1, 3))
    )
]
"""With 16 buckets, several words share one."""


def named(model):
    """What a model of the grid is called among the tests."""
    kind = "hashed" if model["hashed_bits"] else "dictionary"
    return f"{model['likelihood']}-{kind}-{'binary' if model['binary'] else 'counts'}-{model['words'][1]}"


over_the_grid = pytest.mark.parametrize("model", GRID, ids=named)

WORDS = [
    "free",
    "Free",
    "무료",
    "lunch",
    "a",
    "b",
    "東京都",
    "vi\u200bagra",
    "caf\u00e9",
    "x" * 70,
    "ㅋㅋ",
    "don't",
    "!",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join)


class Labelled(NamedTuple):
    """Texts, their labels, and whole weights ≥ 1."""

    texts: list
    labels: list
    weights: list

    def part(self, rows):
        """Some rows of it."""
        return Labelled(*([column[i] for i in rows] for column in self))

    def __len__(self):
        return len(self.texts)


@st.composite
def labelled_texts(draw, least_classes=2):
    """2 … 12 texts of 0 … 10 words; every one of 2 … 4 classes has a text, and there is a word somewhere."""
    C = draw(st.integers(least_classes, 4))
    N = draw(st.integers(max(2, C), 12))
    texts = draw(st.lists(TEXTS, min_size=N, max_size=N))
    texts[0] += " word"
    rest = draw(st.lists(st.integers(0, C - 1), min_size=N - C, max_size=N - C))
    labels = [f"class {c}" for c in [*range(C), *rest]]
    return Labelled(texts, labels, draw(st.lists(st.integers(1, 3), min_size=N, max_size=N)))


def fitted(model, data, **more):
    """A classifier of the grid that has learnt `data`, whose scores are those of the counts unless they are to be
    calibrated: a calibration is that of a fit, which counts do not tell."""
    return TextClassifier(**model, **{"calibration": None, **more}).fit(data.texts, data.labels)


def content(classifier, choice=True):
    """The bytes of its file; without its `choice` but for what that told of its errors."""
    model = classifier.model_ if choice else classifier.model_.with_choice(defer("held-out"))
    return store.to_bytes(model.header(), model.arrays())
