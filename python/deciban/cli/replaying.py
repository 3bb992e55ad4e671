"""deciban evaluate --online: examples in the order in which they came, each judged by what was learnt before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from ..conventions import percent
from ..errors import UsageError
from ..evaluation.stages import Stage, missed_at, stages
from ..report.figures import evaluation
from ..report.terminal import console, grid, screen, write
from ..scores import log_posterior
from ..text.recipes import recipe
from ..text.replay import Feedback, order_of_arrival, replay
from .evaluate import EvaluateOptions
from .labelled_items import LabelledItems, Wanted
from .models import default_recipe
from .output import print_json
from .train import is_table, kind_among, sources_of_classes

LOST = 0.001
"""The share of ham that may be lost where it is told how much spam is missed, as in the TREC spam track."""


def evaluate_online(
    examples: tuple[str, ...], given: dict[str, Any], asked: EvaluateOptions, as_json: bool, quiet: bool
) -> None:
    """Judge and learn examples one after the other, and print how that went."""
    table = is_table(examples, given)
    sources = [] if table else sources_of_classes(examples)
    kind = kind_among("auto", sources)
    model = given["model"]
    learner = default_recipe(kind) if model in (None, "auto") else recipe(kind, model, {})
    wanted = Wanted([learner], given["jobs"], quiet)
    items = LabelledItems.of_rows(examples[0], given, wanted) if table else LabelledItems.of_files(sources, wanted)
    corpus, *_ = items.distinct()
    order = order_of_arrival(corpus, asked.seed)
    scores = replay(corpus, learner, order, feedback_of(given["feedback"]), given["jobs"])
    logs, y = log_posterior(scores)[order], corpus.y[order]
    classes = [str(label) for label in corpus.classes]
    found = asked.of([classes[c] for c in y], logs, classes)
    way, missed = stages(logs, y), _missed(logs, y, found.positive, classes)
    if as_json:
        more = {"model": learner.model, "missed_at_0.1_percent": missed, "stages": [each.to_json() for each in way]}
        print_json({**found.to_json(), "online": more})
        return
    on = console()
    write([*evaluation(found, screen(on)), *_tell(way, missed, str(found.positive), learner.model)], on)


def _missed(logs: NDArray[np.float64], y: NDArray[np.intp], positive: Any, classes: list[str]) -> float | None:
    if positive is None:
        return None
    c = classes.index(str(positive))
    return missed_at(LOST, logs[:, c] - logs[:, 1 - c], y == c)


def feedback_of(value: str) -> Feedback:
    """Return when labels are known, from what `--feedback` says."""
    if value in ("always", "errors"):
        return Feedback(errors=value == "errors")
    if not value.isdigit() or len(value) > 9:
        raise UsageError(f"Expected --feedback always, errors or a number of items; came {value!r}.")
    return Feedback(delay=int(value))


def _tell(way: tuple[Stage, ...], missed: float | None, positive: str, model: str) -> Iterator[Text]:
    yield Text()
    if missed is not None:
        yield Text(f"At 0.1 % of the others lost, {percent(missed)} of {positive} is missed.")
    yield Text(f"Each was judged by {model} of those before it:")
    rows = [
        (
            f"{each.first:,} to {each.last:,}",
            percent(each.error),
            f"{each.log_loss:.4f}",
            "" if each.one_minus_roca_percent is None else f"{each.one_minus_roca_percent:.4f} %",
        )
        for each in way
    ]
    header = ("items", "error", "log loss", "(1 − ROCA) until then")
    for number, line in enumerate(grid([header, *rows], "rrrr")):
        yield Text(line, style="dim" if number == 0 else "")
