"""The contents of a model of a table: its columns, its certificate, the values of strongest evidence for each class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from rich.text import Text
from scipy import sparse

from ..certificates.certificate import describe_trust
from ..conventions import DECIBANS_PER_NAT, percent
from ..features.information import BITS_PER_NAT, entropy
from ..scores import NetworkScore
from ..store import Stored
from ..table_models.naive_bayes import BayesTable
from ..table_models.served import ServedTable
from ..table_models.table_model import TableModel
from . import training_command
from .inventory import LINEAR_NAMES
from .terminal import Screen, colour_of, fit, format_signed, grid, name

Floats = NDArray[np.float64]


class ColumnEvidence(NamedTuple):
    """Evidence of values (m,) of columns, in nats: the column, which of its probes each is, and that for each class."""

    column: NDArray[np.intp]
    probe: int
    nats: Floats


def explain_columns(model: TableModel) -> Iterator[ColumnEvidence]:
    """Yield the evidence of the first probe of each column, then of the second, and so on.

    The nats (m, C) of a value are up to a number that is the same for all classes.
    """
    d = len(model.columns.names)
    rows: list[Floats] = []
    for j in range(d):
        for k, (_, x) in enumerate(model.probes(j)):
            if k == len(rows):
                rows.append(np.full((1, d), np.nan))
            rows[k][0, j] = x
    for k, row in enumerate(rows):
        yield _by_terms(model, row, k) if isinstance(model, BayesTable) else _by_features(model, row, k)


def _by_terms(model: TableModel, row: Floats, k: int) -> ColumnEvidence:
    """Return the terms of a score that is a sum over the columns."""
    features, C, d = model.features(row), len(model.classes), row.shape[1]
    nats = np.zeros((d, C))
    for c in range(1, C):
        found = model.scorer.terms(features, c, 0)
        column = found.feature[found.feature >= 0]
        np.add.at(nats[:, c], column, found.evidence[found.feature >= 0])
    there = np.flatnonzero(~np.isnan(row[0]))
    return ColumnEvidence(there, k, nats[there])


def _by_features(model: TableModel, row: Floats, k: int) -> ColumnEvidence:
    """Return the evidence by a score over features that are 0 where a column is missing: one row a feature."""
    features = sparse.csr_array(model.features(row))
    features.eliminate_zeros()
    m, D = len(features.data), features.shape[1]
    rows = sparse.csr_array((features.data, features.indices, np.arange(m + 1)), shape=(m, D))
    nats = model.scorer(rows) - model.scorer(sparse.csr_array((1, D)))
    column = np.asarray(model.column(features.indices), dtype=np.intp)
    return ColumnEvidence(column, k, np.asarray(nats))


# Columns that are listed.
_MOST = 40
# Of more columns than this, no row is made for each of their values.
_DENSE = 1 << 12
# What the parameters of a model are told as; those of all others as linear.
_SECTIONS = {"naive-bayes": "bayes", "kernel-svm": "kernel", "mlp": "network"}


class Value(NamedTuple):
    """A value of a column that speaks for a class: decibans against the class that it tells least from."""

    term: str
    decibans: float

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return self._asdict()


class ColumnFacts(NamedTuple):
    """Facts on a column: its number of categories, and its mutual information with the class in bits, where known."""

    name: str
    kind: str
    categories: int | None
    bits: float | None


@dataclass(frozen=True)
class TableInventory:
    """The output of `deciban inspect` for a model of a table."""

    model: str
    classes: dict[str, float]
    label: str | None
    columns: list[ColumnFacts]
    ignored: dict[str, str]
    parameters: dict[str, Any]
    certificate: dict[str, Any]
    bytes: int
    digest: str
    evidence: dict[str, list[Value]]
    class_bits: float = 0.0
    leaks: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: Stored, path: str, top: int) -> Self:
        """Make the inventory of the file at `path`, with `top` values a class."""
        served = ServedTable.from_stored(stored)
        model = served.model
        known, evidence = model.columns, strongest(model, top) if top else {}
        columns = [
            ColumnFacts(
                str(own), kind, None if labels is None else len(labels), None if told is None else told * BITS_PER_NAT
            )
            for own, kind, labels, told in zip(
                known.names, known.kinds, known.categories, model.information(), strict=True
            )
        ]
        return cls(
            model=model.name,
            classes={str(label): float(n) for label, n in zip(model.classes, model.items, strict=True)},
            label=served.origin.label,
            columns=columns,
            ignored=served.origin.ignored,
            parameters=_parameters_of(stored.header, model),
            certificate=stored.header["certificate"],
            bytes=os.path.getsize(path),
            digest=stored.header["digest"],
            evidence=evidence,
            class_bits=float(entropy(model.items)) * BITS_PER_NAT,
            leaks=served.origin.leaks,
        )

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            "kind": "table",
            "model": self.model,
            "classes": self.classes,
            "n": sum(self.classes.values()),
            "label": self.label,
            "columns": [each._asdict() for each in self.columns],
            "ignored": self.ignored,
            "leaks": self.leaks,
            _SECTIONS.get(self.model, "linear"): self.parameters,
            "certificate": self.certificate,
            "bytes": self.bytes,
            "digest": self.digest,
            "class_bits": self.class_bits,
            "evidence": {label: [each.to_json() for each in values] for label, values in self.evidence.items()},
        }


def _parameters_of(header: dict[str, Any], model: TableModel) -> dict[str, Any]:
    given: dict[str, Any] = next((header[section] for section in ("bayes", "linear", "coded") if section in header), {})
    score = model.scorer
    return {**given, "layers": list(score.network.sizes)} if isinstance(score, NetworkScore) else given


def strongest(model: TableModel, top: int) -> dict[str, list[Value]]:
    """Return for each class the `top` values by their evidence against the nearest rival, all else missing."""
    if len(model.columns.names) > _DENSE:
        return _strongest_of_many(model, top)
    probes = [(told, j, x) for j in range(len(model.columns.names)) for told, x in model.probes(j)]
    matrix = np.full((len(probes) + 1, len(model.columns.names)), np.nan)
    for i, (_, j, x) in enumerate(probes):
        matrix[i, j] = x
    scores = model.joint(matrix)
    said = scores[:-1] - scores[-1]
    found = {}
    for c, label in enumerate(model.classes):
        decibans = _above_rivals(said, c)
        chosen = np.argsort(-decibans, kind="stable")[:top]
        found[str(label)] = [Value(probes[i][0], float(decibans[i])) for i in chosen if decibans[i] > 0.0]
    return found


def _above_rivals(said: NDArray[np.float64], c: int) -> NDArray[np.float64]:
    """Return (m,) the decibans of each value for class c above those for its nearest rival."""
    others = np.delete(said, c, axis=1).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(others), said[:, c] - others, 0.0) * DECIBANS_PER_NAT


def _strongest_of_many(model: TableModel, top: int) -> dict[str, list[Value]]:
    """Return the same of very many columns."""
    found: dict[str, list[tuple[float, int, int]]] = {str(label): [] for label in model.classes}
    for column, probe, nats in explain_columns(model):
        for c, label in enumerate(model.classes):
            decibans = _above_rivals(nats, c)
            chosen = np.argsort(-decibans, kind="stable")[:top]
            more = [(-float(decibans[i]), int(column[i]), probe) for i in chosen if decibans[i] > 0.0]
            found[str(label)] = sorted([*found[str(label)], *more])[:top]
    return {
        label: [Value(model.probes(j)[probe][0], -less) for less, j, probe in values] for label, values in found.items()
    }


def table_inventory(found: TableInventory, on: Screen) -> Iterator[Text]:
    """Return the report on a model of a table."""
    for line in grid(list(facts(found)), "l"):
        yield Text(line)
    yield Text()
    yield from _columns(found)
    for label, values in found.evidence.items():
        yield Text()
        lines = [(f"for {name(label)}", "decibans")]
        lines += [(fit(name(each.term), on.width // 2).rstrip(), format_signed(each.decibans, on)) for each in values]
        for number, line in enumerate(grid(lines, "lr")):
            yield Text(line, style=f"bold {colour_of(label, list(found.classes))}" if number == 0 else "")
        if not values:
            yield Text("  no value speaks for it", style="dim")


def _columns(found: TableInventory) -> Iterator[Text]:
    """Return the columns, those with the most information on the class first."""
    rows = [("column", "kind", "labels", "bits")]
    for each in nsmallest(_MOST, found.columns, key=lambda each: -(each.bits or 0.0)):
        bits = "" if each.bits is None else f"{each.bits:.4f}"
        rows.append((fit(name(each.name), 40).rstrip(), each.kind, str(each.categories or ""), bits))
    for number, line in enumerate(grid(rows, "llrr")):
        yield Text(line, style="bold" if number == 0 else "")
    if len(found.columns) > _MOST:
        yield Text(f"and {len(found.columns) - _MOST:,} more columns", style="dim")
    unknown = sum(each.bits is None for each in found.columns)
    if unknown == len(found.columns) and found.model == "naive-bayes":
        yield Text("what these columns tell is not computed", style="dim")
    elif unknown == len(found.columns):
        yield Text("what columns tell is not kept in this file; train again to see it, in bits", style="dim")
    else:
        yield Text(f"of {found.class_bits:.4f} bits in the class; what columns tell overlaps", style="dim")


def facts(found: TableInventory) -> Iterator[tuple[str, str]]:
    """Return the facts about the model, line by line, each with its heading."""
    yield "judges", "rows of typed columns"
    yield "model", LINEAR_NAMES.get(found.model, found.model) + _parameters(found)
    by_class = ", ".join(f"{name(label)}: {count:,.10g}" for label, count in found.classes.items())
    of = "" if found.label is None else f", column '{name(found.label)}'"
    yield "learnt", f"{sum(found.classes.values()):,.10g} rows ({by_class}){of}"
    if found.ignored:
        yield "left out", ", ".join(f"{name(own)} ({why})" for own, why in list(found.ignored.items())[:10])
    if found.leaks:
        told = ", ".join(f"{name(own)} ({percent(error)} wrong)" for own, error in list(found.leaks.items())[:10])
        yield "leaks", f"each alone tells the label: {told}"
    yield (
        "missing",
        ("says nothing" if found.model == "naive-bayes" else "a number is the mean, a category none of its labels"),
    )
    proof = found.certificate
    advice = f"; {proof['advice']}" if proof["advice"] else ""
    gap = "" if proof["relative_gap"] is None else f"; relative gap {proof['relative_gap']:.1e}"
    yield "certificate", name(f"{proof['status']}{advice}{gap}; data {proof['digest'][:12]}")
    yield from ((heading, name(text)) for heading, text in describe_trust(proof))
    again = training_command.of_table(found)
    if again:
        yield "train anew", name(again)
    yield "file", f"{found.bytes:,} bytes, digest {found.digest[:16]}"


def _parameters(found: TableInventory) -> str:
    given = [f"{key} {found.parameters[key]:g}" for key in ("C", "alpha") if found.parameters.get(key) is not None]
    if "layers" in found.parameters:
        given += [f"{'-'.join(map(str, found.parameters['layers']))} {found.parameters['activation']}"]
    return f": {', '.join(given)}" if given else ""
