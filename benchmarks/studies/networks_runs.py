"""The networks that networks.py trains: what they came to, and their pictures."""

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


def weights(model: MLPClassifier) -> int:
    """Return how many numbers were learnt, biases too."""
    return sum(each.size for each in [*model.coefs_, *model.intercepts_])


def moons() -> tuple[dict[str, Any], Pictures]:
    """Two boundaries."""
    data, models = cases.moons()
    found, pictures = {}, {}
    for model, name in zip(models, ("line", "moons"), strict=True):
        errors = {"learnt": 1 - model.score(data.X, data.y), "held_out": 1 - model.score(data.held, data.truth)}
        found[name] = {"weights": weights(model), "epochs": model.n_iter_, "error": errors}
        title = "no hidden layer" if name == "line" else "16 hidden units"
        pictures[f"networks-{name}.svg"] = decision_regions(model, data.X, data.y, names=["x₁", "x₂"], title=title)
    return {"moons": {"examples": len(data.y) + len(data.truth), **found}}, pictures


def digits(data: cases.Split, model: MLPClassifier) -> tuple[dict[str, Any], Pictures]:
    """Learning curves, and what was held out."""
    best = select_epoch(model.history_)
    shown = sorted({1, 2, 5, 10, 20, len(model.history_), best.epoch})
    keys = ("epoch", "loss", "error", "validation_error", "gradient_norms")
    linear = clone(model).set_params(hidden_layer_sizes=(), learning_rate=0.01).fit(data.X, data.y)
    wrong, of_linear = (int((each.predict(data.held) != data.truth).sum()) for each in (model, linear))
    known = {
        "examples": len(data.y) + len(data.truth),
        "epochs": [{key: getattr(model.history_[epoch - 1], key) for key in keys} for epoch in shown],
        "held": len(data.truth),
        "kept": best.epoch,
        "misread": wrong,
        "linear": of_linear,
        "gradient_length": model.certificate_.kkt_violation,
        "ending": tell_ending(model),
    }
    return {"digits": known}, {"networks-digits.svg": learning_curves(model, title="digits: 64-64-32-10, ReLU")}


def tell_ending(model: MLPClassifier) -> str:
    """Return how it ended, and what its certificate advises."""
    proof = model.certificate_
    return "; ".join(part for part in (proof.status, proof.advice) if part)


def vanishing(data: cases.Split) -> tuple[dict[str, Any], Pictures]:
    """The same depth with three activations."""
    models = {each.name: cases.deep(data, each.name) for each in layers.CATALOGUE}
    activations = {
        name: {"norms": model.history_[-1].gradient_norms, "error": 1 - model.score(data.held, data.truth)}
        for name, model in models.items()
    }
    logistic = models["logistic"]
    title = f"{cases.DEEP} layers of 32 logistic units"
    known = {"layers": cases.DEEP, "activations": activations, "ending": tell_ending(logistic)}
    return {"deep": known}, {"networks-vanishing.svg": learning_curves(logistic, title=title)}


def dying(data: cases.Split) -> dict[str, Any]:
    """The same steps on small numbers and on large ones; the share of dead units at first and in the end."""
    found: dict[str, Any] = {}
    for scale in (1.0, 16.0):
        model = cases.hot(data, scale)
        dead = [model.history_[place].dead[0] for place in (0, -1)]
        error = 1 - model.score(scale * data.held, data.truth)
        found[f"{scale:g}"] = {"dead": dead, "error": error, "ending": tell_ending(model)}
    return {"hot": found}


def why(data: cases.Split, model: MLPClassifier) -> tuple[dict[str, Any], Pictures]:
    """The first digit held out that was misread, and whose label is the runner-up."""
    wrong = np.flatnonzero(model.predict(data.held) != data.truth)
    explained = [(place, model.explain(data.held[place : place + 1])[0]) for place in wrong]
    place, found = next(each for each in explained if each[1].against == data.truth[each[0]])
    decibans = np.zeros(data.held.shape[1])
    for term in found.terms:
        decibans[term.feature] = term.decibans
    called, against = str(found.label), str(found.against)
    known: dict[str, Any] = {"called": called, "against": against}
    known |= {"prior": found.prior_decibans, "log_odds": found.decibans}
    for side, where in (("for", decibans > 0.0), ("against", decibans < 0.0)):
        known[f"pixels_{side}"] = {"n": int(where.sum()), "sum": decibans[where].sum()}
    return {"evidence": known}, {"networks-evidence.svg": evidence(data.held[place], decibans, called, against)}


def everything() -> tuple[dict[str, Any], Pictures]:
    """Return what the page tells, and all its pictures."""
    data = cases.digits()
    model = cases.reader(data)
    known, pictures = {**dying(data)}, {}
    for told_of, drawn in (moons(), digits(data, model), vanishing(data), why(data, model)):
        known |= told_of
        pictures |= drawn
    return known, pictures
