"""One linear solver on the prepared matrix: how long it takes to come within 1e-3 and 1e-6 of the best objective.

    python linear_fit.py FOLDER SETTINGS

Settings: `solver` (below), `loss` ("logistic", "hinge", "squared_hinge", "l1": logistic with the L1 norm), `C`, `best`
(the least objective; None: say what this solver reaches) and `ladder`, tolerances from loose to tight: every one is a
cold fit of the same data in memory, conversions to the solver's own form included, until one comes within 1e-6 or takes
more than `MOST_S`. The time to 1e-3 is that of the quickest fit that came so close; infinity if none did.

    min over w   C Σ_i ℓ(y_i x_i·w) + Ω(w),      Ω(w) = ‖w‖²/2, or ‖w‖₁; no intercept, as not all of them have one
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import timed
from matrix_read import matrix

MOST_S = 20.0
CLOSE = (1e-3, 1e-6)

folder, settings = timed.arguments()
X, index = matrix(folder, "train")
y = np.where(index > 0, 1.0, -1.0)
loss, C = settings["loss"], settings["C"]
package, _, which = settings["solver"].partition(":")


def objective(w: Any) -> float:
    """P(w), by NumPy."""
    m = y * (X @ w)
    values = {
        "logistic": lambda: np.logaddexp(0.0, -m),
        "hinge": lambda: np.maximum(0.0, 1.0 - m),
        "squared_hinge": lambda: np.maximum(0.0, 1.0 - m) ** 2,
    }
    of_loss = values["logistic" if loss == "l1" else loss]()
    return float(C * of_loss.sum() + (np.abs(w).sum() if loss == "l1" else 0.5 * w @ w))


def deciban(tol: float) -> Any:
    """`solver="auto"`."""
    from deciban import LinearSVM, LogisticRegression

    if loss in ("logistic", "l1"):
        penalty = "l1" if loss == "l1" else "l2"
        model: Any = LogisticRegression(C=C, penalty=penalty, fit_intercept=False, tol=tol, max_iter=10_000)
    else:
        model = LinearSVM(C=C, loss=loss, fit_intercept=False, calibration=None, tol=tol, max_iter=10_000)
    return model.fit(X, y).coef_[0]


def liblinear(tol: float) -> Any:
    """The authors' own package; `which` is its -s."""
    from liblinear.liblinearutil import parameter, problem, train

    model = train(problem(y, X), parameter(f"-s {which} -c {C} -e {tol} -q"))
    sign = 1.0 if model.label[0] > 0 else -1.0
    return sign * np.array(model.w[: X.shape[1]])


def sklearn(tol: float) -> Any:
    """LogisticRegression by the solver `which`, or LinearSVC."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    if loss in ("logistic", "l1"):
        l1 = {"l1_ratio": 1.0} if loss == "l1" else {}
        model: Any = LogisticRegression(C=C, solver=which, tol=tol, fit_intercept=False, max_iter=10_000, **l1)
    else:
        model = LinearSVC(C=C, loss=loss, tol=tol, fit_intercept=False, max_iter=100_000, dual=which == "dual")
    return model.fit(X, y).coef_[0]


def cyanure(tol: float) -> Any:
    """Its `Classifier` with the solver that it chooses."""
    from cyanure.estimators import Classifier

    names = {"logistic": "logistic", "l1": "logistic", "squared_hinge": "sqhinge"}
    half = 0.5 if loss == "squared_hinge" else 1.0  # its squared hinge has a factor ½
    penalty = "l1" if loss == "l1" else "l2"
    strength = half / (C * len(y))
    model = Classifier(
        loss=names[loss],
        penalty=penalty,
        lambda_1=strength,
        tol=tol,
        fit_intercept=False,
        verbose=False,
        max_iter=2000,
    )
    return np.ravel(model.fit(X, y).get_weights())


def skglm(tol: float) -> Any:
    """Its proximal Newton method with working sets, compiled before the clock starts."""
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    solver = ProxNewton(tol=tol / len(y), fit_intercept=False, max_iter=50)
    rows = X.tocsc() if hasattr(X, "tocsc") else np.asfortranarray(X)
    return solver.solve(rows, y, Logistic(), L1(1.0 / (C * len(y))))[0]


SOLVERS = {
    "deciban": (deciban, "deciban"),
    "liblinear": (liblinear, "liblinear-official"),
    "sklearn": (sklearn, "scikit-learn"),
    "cyanure": (cyanure, "cyanure"),
    "skglm": (skglm, "skglm"),
}
solve, distribution = SOLVERS[package]
warnings.simplefilter("ignore")
everything = X, y
few = slice(None, None, max(1, len(y) // 200))
X, y = X[few], y[few]
solve(settings["ladder"][0])  # what is loaded and compiled once
X, y = everything
if settings["best"] is None:
    print(json.dumps({"best": min(objective(solve(tol)) for tol in settings["ladder"])}))
    sys.exit()
before = timed.reset_peak()
took = dict.fromkeys(CLOSE, float("inf"))
grown, reached = 0.0, float("inf")
for tol in settings["ladder"]:
    started = time.perf_counter()
    w = solve(tol)
    seconds = time.perf_counter() - started
    grown = grown or timed.status("VmHWM") - before  # of the first fit: later ones find memory that is held already
    reached = min(reached, objective(w) / settings["best"] - 1.0)
    for close in CLOSE:
        if reached <= close:
            took[close] = min(took[close], seconds)
    if reached <= CLOSE[-1] or seconds > MOST_S:
        break
numbers = {"to_1e-3_s": took[1e-3], "to_1e-6_s": took[1e-6], "came_to": reached, "fit_growth_mb": grown}
print(json.dumps({"numbers": numbers, "versions": {distribution: version(distribution)}}))
