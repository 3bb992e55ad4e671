"""Models of texts as nodes: from the counts of their words on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.errors import DataError
from deciban.scores import AffineScore
from deciban.text.classifier import TextClassifier
from deciban.text.encoder import dictionary_of, pack
from deciban.text.minimised import MinimisedText
from deciban.text.model import TextModel

from .answers import Answers, Signature, name_places
from .formulas import claim
from .graph import Graph, Value
from .kernels import of_length_one
from .models import write_answers
from .scores import Rows, write_score


def token_counts(model: Any, texts: Iterable[str | bytes], dtype: Any = np.float32) -> NDArray[Any]:
    """Count the words of texts as the graph of a text model takes them.

    Parameters
    ----------
    model : TextClassifier
        The fitted model that `to_onnx` wrote.
    texts : iterable of str or bytes
        Texts.
    dtype : {"float32", "float64"}, default="float32"
        Type of the counts.

    Returns
    -------
    ndarray of shape (n_samples, n_words)
        How often each text has each word of the model, or each of its hash buckets.

    Raises
    ------
    DataError
        If the model is not one of texts that is written as ONNX.

    Examples
    --------
    >>> from deciban import TextClassifier
    >>> model = TextClassifier("naive-bayes", words=(1, 1)).fit(["buy now", "at noon"], ["spam", "ham"])
    >>> int(token_counts(model, ["buy buy lunch"]).sum())
    1
    """
    from scipy import sparse

    text = _text_of(model)
    hashes = _hashes(text)
    found = dictionary_of(text.encoder.settings, pack(hashes), None)
    ends, features, values = found.rows(texts)
    starts = np.concatenate([[0], ends])
    rows = sparse.csr_array((values, features, starts), shape=(len(ends), len(hashes)))
    return np.asarray(rows.toarray(), dtype=dtype)


def _text_of(model: Any) -> Any:
    """Return the model behind a text classifier; DataError for one that learns online."""
    found = model.model_ if isinstance(model, TextClassifier) else model
    if not isinstance(found, TextModel | MinimisedText):
        raise DataError(
            f"a text model of type {found.name!r} cannot be written as ONNX: it adapts to every message. Expected "
            "naive Bayes or a model learnt by minimising. Train with --model naive-bayes, or "
            "TextClassifier('naive-bayes')."
        )
    return found


def _hashes(text: Any) -> NDArray[np.uint64]:
    """Return (K,) the hashes of the words that are features, in their order."""
    if isinstance(text, TextModel):
        return text.encoder.features()[1]
    return np.asarray(text.encoder.book.parts()[0])


def signature_of_text(model: Any) -> Signature:
    """Return how the graph of a text model is called."""
    text = _text_of(model)
    encoder = text.encoder
    rows = encoder.features()[0] if isinstance(text, TextModel) else np.arange(len(encoder.book))
    return Signature(len(rows), encoder.names(rows), classes=text.classes)


@write_answers.register
def _(model: TextClassifier, g: Graph, x: Value) -> Answers:
    text = _text_of(model)
    encoder, score = text.encoder, text.scorer
    if encoder.settings.binary:
        x = g.truth(g("Greater", x, 0.0))
    if not isinstance(score, AffineScore):
        x = x if encoder.scale is None else g("Mul", x, encoder.scale)
        x = of_length_one(g, x) if encoder.of_length_one else x
    s = write_score(score, g, Rows(g, x))
    label = name_places(g, text.classes, g.largest(s))
    return Answers(s, len(text.classes), label, claim(g, s, model.served_.claims))
