"""One estimator on the prepared matrix: time fit and predict, keep the answer.

    python matrix_fit.py FOLDER SETTINGS ANSWER.npy

A class is a classifier, or a selector with `scores_`; a function gives the scores of features itself. A selector
predicts nothing: only its fit is told. Each side is woken first by a fit of a few rows.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import timed
from matrix_read import matrix, named

PACKAGES = {"sklearn": "scikit-learn", "sklearnex": "scikit-learn-intelex"}
FEW = 200

folder, settings = timed.arguments()
train, y = matrix(folder, "train")
test, truth = matrix(folder, "test")
what = named(settings["estimator"])
predicts = hasattr(what, "predict")
answers: list[Any] = []


def fit(X: Any = train, y: Any = y) -> Any:
    """The fitted model, or the scores."""
    if isinstance(what, type):
        return what(**settings["parameters"]).fit(X, y)
    return what(X, y, **settings["parameters"])


def wake() -> None:
    """Fit a few rows first, whatever comes of it: what a library loads and looks up once is not the price of a fit."""
    few = slice(None, None, max(1, train.shape[0] // FEW))
    with contextlib.suppress(ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(train[few], y[few])


def answer(model: Any) -> Any:
    """The test set's labels, or the scores of features."""
    answers.append(model.predict(test) if predicts else getattr(model, "scores_", model))
    return answers[-1]


package = PACKAGES.get(root := settings["estimator"].partition(".")[0], root)
expected = truth if predicts else np.zeros(train.shape[1])
wake()
with contextlib.redirect_stdout(io.StringIO()) as printed:
    timed.measure(fit, answer, [str(label) for label in expected], {package: version(package)})
np.save(sys.argv[3], answers[0])
said = json.loads(printed.getvalue())
if not predicts:
    said["numbers"] = {name: n for name, n in said["numbers"].items() if not name.startswith(("predict", "accuracy"))}
print(json.dumps(said))
