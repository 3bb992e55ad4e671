"""What docs/networks.md tells of the networks that it trains, and their pictures."""

from __future__ import annotations

from typing import Any

import networks_cases as cases
import numpy as np
from networks_pictures import evidence
from sklearn.base import clone

from deciban import MLPClassifier
from deciban.networks import layers
from deciban.networks.history import select_epoch
from deciban.report import decision_regions, learning_curves

Pictures = dict[str, Any]
"""Figures by the name of their file."""


def number(value: float, digits: int = 4) -> str:
    """With a minus that is one, and no −0."""
    told = f"{value:.{digits}f}"
    told = told.lstrip("-") if not told.strip("-0.") else told
    return told.replace("-", "−")


def share(wrong: float) -> str:
    """Of the whole."""
    return f"{100 * wrong:.1f}\N{NO-BREAK SPACE}%"


def weights(model: MLPClassifier) -> int:
    """How many numbers were learnt, biases too."""
    return sum(each.size for each in [*model.coefs_, *model.intercepts_])


def moons() -> tuple[dict[str, Any], Pictures]:
    """Two boundaries."""
    data, models = cases.moons()
    rows, pictures = [], {}
    for model, name, file in zip(
        models, ("a line: `hidden_layer_sizes=()`", "`hidden_layer_sizes=(16,)`"), ("line", "moons"), strict=True
    ):
        errors = " | ".join(share(1 - model.score(X, y)) for X, y in ((data.X, data.y), (data.held, data.truth)))
        rows.append(f"| {name} | {weights(model)} | {model.n_iter_} | {errors} |")
        told = "no hidden layer" if file == "line" else "16 hidden units"
        pictures[f"networks-{file}.svg"] = decision_regions(model, data.X, data.y, names=["x₁", "x₂"], title=told)
    known = {"moons": len(data.y) + len(data.truth), "moon_rows": "\n".join(rows)}
    return known, pictures


def digits(data: cases.Split, model: MLPClassifier) -> tuple[dict[str, Any], Pictures]:
    """Learning curves, and what was held out."""
    best = select_epoch(model.history_)
    shown = sorted({1, 2, 5, 10, 20, len(model.history_), best.epoch})
    rows = []
    for each in (model.history_[epoch - 1] for epoch in shown):
        errors = f"{each.loss:.3f} | {share(each.error)} | {share(each.validation_error or 0.0)}"
        norms = " | ".join(f"{norm:.2f}" for norm in each.gradient_norms)
        rows.append(f"| {each.epoch} | {errors} | {norms} |")
    linear = clone(model).set_params(hidden_layer_sizes=(), learning_rate=0.01).fit(data.X, data.y)
    n = len(data.truth)
    wrong, of_linear = (int((each.predict(data.held) != data.truth).sum()) for each in (model, linear))
    known = {
        "digits": f"{len(data.y) + n:,}",
        "epochs": "\n".join(rows),
        "held": n,
        "kept": best.epoch,
        "misread": wrong,
        "misread_share": share(wrong / n),
        "linear": of_linear,
        "linear_share": share(of_linear / n),
        "gradient_length": f"{model.certificate_.kkt_violation:.2g}",
        "ending": told(model),
    }
    return known, {"networks-digits.svg": learning_curves(model, title="digits: 64-64-32-10, ReLU")}


def told(model: MLPClassifier) -> str:
    """How it ended, and what its certificate advises."""
    proof = model.certificate_
    return "; ".join(part for part in (proof.status, proof.advice) if part)


def vanishing(data: cases.Split) -> tuple[dict[str, Any], Pictures]:
    """The same depth with three activations."""
    models = {each.name: cases.deep(data, each.name) for each in layers.CATALOGUE}
    rows = []
    for name, model in models.items():
        norms = " | ".join(f"{norm:.1g}" if norm < 0.1 else f"{norm:.2f}" for norm in model.history_[-1].gradient_norms)
        rows.append(f"| {name} | {norms} | {share(1 - model.score(data.held, data.truth))} |")
    logistic = models["logistic"]
    known = {
        "deep": {6: "six"}[cases.DEEP],
        "layer_titles": " | ".join([*map(str, range(1, cases.DEEP + 1)), "output"]),
        "layer_rules": " ---: |" * (cases.DEEP + 1),
        "deep_rows": "\n".join(rows),
        "deep_error": share(1 - logistic.score(data.held, data.truth)),
        "vanishing": told(logistic),
    }
    title = f"{cases.DEEP} layers of 32 logistic units"
    return known, {"networks-vanishing.svg": learning_curves(logistic, title=title)}


def dying(data: cases.Split) -> dict[str, Any]:
    """The same steps on small numbers and on large ones."""
    rows, last = [], None
    for scale in (1.0, 16.0):
        model = last = cases.hot(data, scale)
        dead = [100 * model.history_[place].dead[0] for place in (0, -1)]
        error = share(1 - model.score(scale * data.held, data.truth))
        rows.append(f"| 0 to {scale:g} | {dead[0]:.0f} % | {dead[1]:.0f} % | {error} |")
    return {"dead_rows": "\n".join(rows), "dying": told(last)}


def why(data: cases.Split, model: MLPClassifier) -> tuple[dict[str, Any], Pictures]:
    """The first digit held out that was misread, and whose label is the runner-up."""
    wrong = np.flatnonzero(model.predict(data.held) != data.truth)
    explained = [(place, model.explain(data.held[place : place + 1])[0]) for place in wrong]
    place, found = next(each for each in explained if each[1].against == data.truth[each[0]])
    decibans = np.zeros(data.held.shape[1])
    for term in found.terms:
        decibans[term.feature] = term.decibans
    called, against = str(found.label), str(found.against)
    known = {
        "truth": against,
        "called": called,
        "against": against,
        "prior": signed(found.prior_decibans),
        "log_odds": signed(found.decibans),
    }
    for side, where in (("for", decibans > 0.0), ("against", decibans < 0.0)):
        known |= {f"{side}_count": int(where.sum()), f"{side}_sum": signed(decibans[where].sum())}
    return known, {"networks-evidence.svg": evidence(data.held[place], decibans, called, against)}


def signed(decibans: float) -> str:
    """With its sign."""
    return f"{decibans:+.1f}".replace("-", "−")


def everything() -> tuple[dict[str, Any], Pictures]:
    """What the page tells, and all its pictures."""
    data = cases.digits()
    model = cases.reader(data)
    known, pictures = {**dying(data)}, {}
    for told_of, drawn in (moons(), digits(data, model), vanishing(data), why(data, model)):
        known |= told_of
        pictures |= drawn
    return known, pictures
