"""One vectoriser on the prepared texts: `fit_transform` of the training set is its fit, `transform` of the test set
what it predicts. Each side is woken first by a few texts.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import timed
from matrix_read import made

FEW = 200
PACKAGES = {"sklearn": "scikit-learn"}

folder, settings = timed.arguments()
train, _ = timed.texts(folder, "train")
test, _ = timed.texts(folder, "test")
vectorizer = made(settings)


def fit() -> Any:
    """The fitted vectoriser; the rows are held until it is done, as whoever asked for them would."""
    rows = vectorizer.fit_transform(train)
    assert rows.shape[0] == len(train)
    return vectorizer


vectorizer.fit_transform(train[:: max(1, len(train) // FEW)])
package = PACKAGES.get(root := settings["estimator"].partition(".")[0], root)
timed.measure(fit, lambda fitted: fitted.transform(test).nnz, None, {package: version(package)})
