"""Where Deciban's time goes in a fit and a prediction, step by step, in seconds, as JSON."""

from __future__ import annotations

import json
from time import perf_counter

import numpy as np
import timed

from deciban import TextClassifier
from deciban.text.counting import occurrences
from deciban.text.model import TextModel
from deciban.text.parameters import recipe_of

folder, settings = timed.arguments()
train, labels = timed.texts(folder, "train")
test, _ = timed.texts(folder, "test")
classifier = TextClassifier(**settings)
recipe = recipe_of(classifier, "naive-bayes")
read, bayes = recipe.settings, recipe.learner

times = [perf_counter()]
classes, members = np.unique(labels, return_inverse=True)
members = members.tolist()
times.append(perf_counter())
seen = occurrences(read, train, members, len(classes))
times.append(perf_counter())
served = TextModel.of(read, bayes, classes.tolist(), seen).compile()
times.append(perf_counter())
served.dictionary  # noqa: B018 (built on first use)
times.append(perf_counter())
scores = served.scores(test)
times.append(perf_counter())
classes[scores.argmax(axis=1)]
times.append(perf_counter())

steps = (
    "fit: labels to classes",
    f"fit: tokenise, hash, count ({len(seen.book):,} words)",
    f"fit: choose the dictionary, weights ({len(served.hashes) // 8:,} words)",
    "predict: build the look-up",
    "predict: tokenise, hash, look up, add",
    "predict: scores to labels",
)
print(json.dumps(list(zip(steps, np.diff(times).tolist(), strict=True))))
