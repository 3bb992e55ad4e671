"""Models as files, for the laws of the store: whole ones, in parts, and what becomes of broken ones."""

import re
from functools import cache

import numpy as np
import pytest

from deciban import TextClassifier, store
from deciban.errors import DataError
from deciban.mail.filter import Filter
from deciban.mail.ledger import Ledger
from deciban.text.model import TextModel
from deciban.text.restoring import from_stored
from deciban.text.served import ServedText

MODELS = {
    "dictionary": {"likelihood": "multinomial", "max_features": 3, "words": (1, 2)},
    "whole": {"likelihood": "multinomial", "max_features": None, "words": (1, 1)},
    "bernoulli": {"likelihood": "bernoulli", "max_features": None, "words": (1, 1)},
    "hashed": {"likelihood": "bernoulli", "hashed_bits": 5},
    "linear": {"model": "logistic", "max_features": 4, "words": (1, 2)},
    "linear hashed": {"model": "nbsvm", "hashed_bits": 5},
    "machine": {"model": "kernel-svm", "max_features": 4, "words": (1, 2)},
    "network": {"model": "mlp", "max_features": 4, "words": (1, 2), "hidden_layer_sizes": (3,)},
}
over_models = pytest.mark.parametrize("name", MODELS)
TEXTS, LABELS = ["무료 free money", "free lunch", "lunch at noon", "회의 noon"], ["spam", "spam", "정상", "정상"]


@cache
def parts(name):
    """(header, arrays) of a model with a ledger."""
    known = TextClassifier(**MODELS[name]).fit(TEXTS, LABELS)
    reader = known.model_.encoder.settings.reader()
    digests = sorted(reader.digest(text) for text in TEXTS)
    ledger = Ledger.of(b"".join(digests), [0, 1, 0, 1])
    return known.model_.header(), {**known.model_.arrays(), **ledger.arrays()}


@cache
def whole(name):
    return store.to_bytes(*parts(name))


def use(stored):
    """Everything that is ever done with what a file holds."""
    served = ServedText.from_stored(stored)
    for text in ("free lunch unheard", "", "무료 x"):
        served.judge([text])
        served.explain(text)
    known = Filter(from_stored(stored), Ledger.from_stored(stored))
    if isinstance(known.model, TextModel):
        known.learn(["some more"], known.model.classes[0])[0].model.compile()
    else:
        known.model.compile().judge(["some more"])


def refusal(content):
    """What is said of bytes that are not a model."""
    with pytest.raises(DataError) as caught:
        use(store.parse(content, "some.deciban"))
    said = str(caught.value)
    assert re.fullmatch(r"[^\n]{20,400}", said), said
    return said


def refused_or_served(content):
    """It works, or it is refused; nothing else."""
    try:
        use(store.parse(content))
    except DataError:
        refusal(content)


def altered(header, arrays, values, kinds=()):
    """Files in which one tensor has another shape, is of another kind, or holds nothing but one of `values(array)`:
    its name, what stands there instead, and the bytes."""
    for key, array in arrays.items():
        forms = [array[:-1], np.concatenate([array, array]), array[::-1]]
        forms += [array.reshape(1, *array.shape), array.reshape(-1, 1)]
        forms += [array.astype(kind) for kind in (np.int64, np.float32, *kinds)]
        forms += [np.full_like(array, value) for value in (0, *values(array))]
        forms += [np.array(1.0), np.zeros(0, array.dtype), np.zeros((0, 3), array.dtype)]
        for other in forms:
            yield key, other, store.to_bytes(header, {**arrays, key: other})
