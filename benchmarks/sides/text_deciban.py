"""Deciban: TextClassifier with the problem's settings."""

from __future__ import annotations

from importlib.metadata import version

import timed

from deciban import TextClassifier

folder, settings = timed.arguments()
train, labels = timed.texts(folder, "train")
test, truth = timed.texts(folder, "test")
timed.measure(
    lambda: TextClassifier(**settings).fit(train, labels),
    lambda model: model.predict(test),
    truth,
    {"deciban": version("deciban"), "numpy": version("numpy")},
)
