"""Where Deciban's time goes in a fit and a prediction: the functions that took most themselves, in seconds, as JSON."""

from __future__ import annotations

import cProfile
import json
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any

import timed
from matrix_read import matrix, named

SHOWN = 6


def steps(verb: str, work: Callable[[], Any]) -> tuple[Any, list[tuple[str, float]]]:
    """What `work` gives, and its largest shares."""
    profile = cProfile.Profile()
    result = profile.runcall(work)
    own = [(_called(*function), own_s) for function, (_, _, own_s, _, _) in pstats.Stats(profile).stats.items()]
    own.sort(key=lambda share: -share[1])
    rest = sum(own_s for _, own_s in own[SHOWN:])
    return result, [(f"{verb}: {name}", own_s) for name, own_s in [*own[:SHOWN], ("all else", rest)]]


def _called(path: str, _: int, name: str) -> str:
    return name if path == "~" else f"{Path(path).stem}.{name}"


folder, settings = timed.arguments()
X, y = matrix(folder, "train")
test, _ = matrix(folder, "test")
model = named(settings["estimator"])(**settings["parameters"])
model, found = steps("fit", lambda: model.fit(X, y))
if hasattr(model, "predict"):
    found += steps("predict", lambda: model.predict(test))[1]
print(json.dumps(found))
