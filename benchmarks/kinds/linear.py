"""Linear problems: each side is a fresh process that fits one objective on the same matrix, tighter and tighter."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import environment
from measure import Numbers, Side
from problems import Problem

from kinds import Contest, Share
from kinds.matrix import said

SIDES = environment.HERE / "sides"


def estimator(loss: str, C: float) -> dict[str, Any]:
    """Our estimator of the objective, for whoever asks where its time goes."""
    shared = {"C": C, "fit_intercept": False, "tol": 1e-3}
    if loss in ("logistic", "l1"):
        return {
            "estimator": "deciban.LogisticRegression",
            "parameters": {**shared, "penalty": "l1" if loss == "l1" else "l2"},
        }
    return {"estimator": "deciban.LinearSVM", "parameters": {**shared, "loss": loss, "calibration": None}}


def contest(problem: Problem, folder: Path) -> Contest:
    """Make the matrix once, and look for the best objective, for all sides."""
    rivals = environment.rivals_python()
    options = problem.options
    sizes = said(
        [sys.executable, SIDES / "matrix_prepare.py", options["matrix"], environment.data(problem.data), folder]
    )
    asked = {"loss": options["loss"], "C": options["C"]}
    versions: dict[str, str] = {}

    def run(python: str, **settings: object) -> dict[str, dict[str, float]]:
        return said([python, SIDES / "linear_fit.py", folder, json.dumps({**asked, **settings})])

    best = run(sys.executable, solver="deciban", ladder=[1e-9], best=None)["best"]

    def side(name: str, settings: dict[str, object]) -> Side:
        python = sys.executable if name == "deciban" else rivals

        def once() -> Numbers:
            came = run(python, **settings, best=best)
            versions.update(came["versions"])
            return came["numbers"]

        return Side(name, once)

    def where() -> list[Share]:
        settings = json.dumps(estimator(options["loss"], options["C"]))
        return [tuple(step) for step in said([sys.executable, SIDES / "matrix_where.py", folder, settings])]

    sides = [side(name, settings) for name, settings in problem.sides.items()]
    return Contest(sides, sizes["bytes"], sizes["items"], versions, where, (f"best objective {best:.10g}",))
