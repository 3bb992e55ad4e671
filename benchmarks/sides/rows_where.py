"""Where Deciban's time goes from texts to rows, step by step, in seconds, as JSON."""

from __future__ import annotations

import json
from time import perf_counter

import numpy as np
import timed
from matrix_read import made

from deciban._core import Grams
from deciban.features.tfidf import inverse_frequency, weigh
from deciban.text.analysis import analysis_of
from deciban.text.core_rows import csr_of

folder, settings = timed.arguments()
train, _ = timed.texts(folder, "train")
test, _ = timed.texts(folder, "test")
vectorizer = made(settings)
times, steps = [perf_counter()], []


def done(step: str) -> None:
    """A step has ended."""
    times.append(perf_counter())
    steps.append(step)


if vectorizer.hashed_bits is None:
    grams = Grams(analysis_of(vectorizer, vectorizer.words, 0).reader, train)
    done(f"fit: tokenise, sort, join ({len(grams):,} words and n-grams)")
    hashes, _, _ = grams.keep()
    done("fit: names and hashes of columns")
    X = csr_of(grams.rows(False), len(hashes))
    done(f"fit: rows ({X.nnz:,} values)")
    weigh(X, inverse_frequency(X), norm=vectorizer.norm)
    done("fit: weigh")
    del grams, X
vectorizer.fit(train)
done("again: fit without rows")
vectorizer.transform(test[:1])
done("predict: build the look-up")
vectorizer.transform(test)
done("predict: tokenise, hash, look up, sort, weigh")
print(json.dumps(list(zip(steps, np.diff(times).tolist(), strict=True))))
