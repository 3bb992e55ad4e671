"""deciban evaluate --online: examples in the order in which they came, each judged by what was learnt before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from ..conventions import percent
from ..errors import UsageError, escape
from ..evaluation.online import Feedback, order_of_arrival, replay_rows, replay_texts
from ..evaluation.stages import Stage, missed_at, stages
from ..report.figures import evaluation
from ..report.terminal import console, grid, screen, write
from ..table_models.recipes import MODELS as TABLE_MODELS
from ..table_models.recipes import NAIVE_BAYES
from ..table_models.recipes import recipe as table_recipe
from ..tables.svmlight import LABEL
from ..text.recipes import recipe
from .evaluate import EvaluateOptions
from .labelled_items import LabelledItems, Wanted
from .models import default_recipe
from .output import print_json
from .table_training import read_rows
from .tabular import is_typed
from .train import is_table, kind_among, sources_of_classes

LOST = 0.001
"""The share of ham that may be lost where it is told how much spam is missed, as in the TREC spam track."""


def evaluate_online(
    examples: tuple[str, ...], given: dict[str, Any], asked: EvaluateOptions, as_json: bool, quiet: bool
) -> None:
    """Judge and learn examples one after the other, and print how that went."""
    of = _replay_rows if is_typed(examples, given) else _replay_texts
    model, classes, y, logs = of(examples, given, asked.seed, quiet)
    found = asked.of([classes[c] for c in y], logs, classes)
    way, missed = stages(logs, y), _missed(logs, y, found.positive, classes)
    if as_json:
        more = {"model": model, "missed_at_0.1_percent": missed, "stages": [each.to_json() for each in way]}
        print_json({**found.to_json(), "online": more})
        return
    on = console()
    write([*evaluation(found, screen(on)), *_tell(way, missed, str(found.positive), model)], on)


Replayed = tuple[str, list[str], NDArray[np.intp], NDArray[np.float64]]
"""The model, the classes C, and of the N examples as they came the class (N,) and log p(c | x) (N, C)."""


def _replay_texts(examples: tuple[str, ...], given: dict[str, Any], seed: int, quiet: bool) -> Replayed:
    table = is_table(examples, given)
    sources = [] if table else sources_of_classes(examples)
    kind = kind_among("auto", sources)
    learner = default_recipe(kind) if given["model"] in (None, "auto") else recipe(kind, given["model"], {})
    wanted = Wanted([learner], given["jobs"], quiet)
    items = LabelledItems.of_rows(examples[0], given, wanted) if table else LabelledItems.of_files(sources, wanted)
    corpus, *_ = items.distinct()
    order = order_of_arrival(len(corpus), corpus.times, seed)
    logs = replay_texts(corpus, learner, order, feedback_of(given["feedback"]), given["jobs"])
    return learner.model, [str(label) for label in corpus.classes], corpus.y[order], logs[order]


def _replay_rows(examples: tuple[str, ...], given: dict[str, Any], seed: int, quiet: bool) -> Replayed:
    model = NAIVE_BAYES if given["model"] in (None, "auto") else given["model"]
    if model not in TABLE_MODELS:
        raise UsageError(f"Expected --model {' or '.join(TABLE_MODELS)} for typed columns; came {model}.")
    learner = table_recipe(model, {}, seed)
    columns = {"ignore": (), "category": (), "number": ()}
    if len(examples) != 1:
        raise UsageError(f"Expected one table with --label; {len(examples)} arguments came.")
    label = given["label"] or LABEL
    rows, _ = read_rows(examples[0], label, {**given, **columns}, escape(examples[0]))
    order = order_of_arrival(len(rows), None, seed)
    logs = replay_rows(rows, learner, order, feedback_of(given["feedback"]), given["jobs"])
    return model, [str(label) for label in rows.classes], rows.y[order], logs[order]


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
        yield Text(f"At a false positive rate of 0.1 %, {percent(missed)} of {positive} is missed.")
    yield Text(f"By {model}, trained on the items before each:")
    rows = [
        (
            f"{each.first:,} to {each.last:,}",
            percent(each.error),
            f"{each.log_loss:.4f}",
            "" if each.one_minus_roca_percent is None else f"{each.one_minus_roca_percent:.4f} %",
        )
        for each in way
    ]
    header = ("items", "error", "log loss", "(1 − ROCA) so far")
    for number, line in enumerate(grid([header, *rows], "rrrr")):
        yield Text(line, style="dim" if number == 0 else "")
