"""What a model knows: its counts, its settings, its strongest evidence by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from ..conventions import DECIBANS_PER_NAT
from ..text.model import TextModel
from .terminal import Screen, colour_of, grid, name, percent, signed


class Evidence(NamedTuple):
    """A word that speaks for a class: decibans against the class it tells least from, and how often it occurs.

    `rate` is its occurrences per item of the class (the share of items with it, where words count once), `elsewhere`
    the largest such rate among the other classes.
    """

    term: str
    decibans: float
    rate: float
    elsewhere: float

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return self._asdict()


@dataclass(frozen=True)
class Inventory:
    """What `deciban inspect` tells."""

    kind: str
    model: str
    classes: dict[str, float]
    words: int
    dictionary: int
    occurrences: float
    dropped: int
    ledger: int
    settings: dict[str, Any]
    bayes: dict[str, Any]
    certificate: dict[str, Any]
    bytes: int
    digest: str
    evidence: dict[str, list[Evidence]]

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts rely on."""
        return {
            "kind": self.kind,
            "model": self.model,
            "classes": self.classes,
            "n": sum(self.classes.values()),
            "words": self.words,
            "dictionary": self.dictionary,
            "occurrences": self.occurrences,
            "dropped": self.dropped,
            "ledger": self.ledger,
            "settings": self.settings,
            "bayes": self.bayes,
            "certificate": self.certificate,
            "bytes": self.bytes,
            "digest": self.digest,
            "evidence": {label: [each.to_json() for each in terms] for label, terms in self.evidence.items()},
        }


def strongest(model: TextModel, top: int) -> dict[str, list[Evidence]]:
    """Per class the `top` words by what they add to an average item of the class: decibans · occurrences per item.

    Decibans alone would list words seen once; frequency alone, words that say nothing.
    """
    rows = model.dictionary()
    _, seen = model.counts(rows)
    W = _weights(model, len(rows))
    rates = seen.s / np.maximum(seen.n, 1)[:, None]
    result = {}
    for c, label in enumerate(model.classes):
        others = np.delete(np.arange(len(model.classes)), c)
        decibans = (W[:, c] - W[:, others].max(axis=1)) * DECIBANS_PER_NAT
        elsewhere = rates[others].max(axis=0)
        with np.errstate(invalid="ignore"):
            value = np.nan_to_num(decibans * rates[c])
        chosen = np.argsort(-value, kind="stable")[:top]
        chosen = chosen[value[chosen] > 0]
        names = _names(model, rows[chosen], chosen)
        columns = zip(names, decibans[chosen], rates[c][chosen], elsewhere[chosen], strict=True)
        result[str(label)] = [Evidence(word, *map(float, figures)) for word, *figures in columns]
    return result


def _weights(model: TextModel, words: int) -> NDArray[np.float64]:
    """(K, C) weights of the compiled score."""
    return np.frombuffer(model.compile().weights, "<f8").reshape(words, len(model.classes))


def _names(model: TextModel, rows: NDArray[np.int64], places: NDArray[np.intp]) -> list[str]:
    if model.settings.hashed_bits:
        return [f"bucket {j}" for j in places]
    return model.book.names(rows.tolist())


def inventory(found: Inventory, on: Screen) -> Iterator[Text]:
    """The report on a model."""
    for line in grid(list(_facts(found)), "l"):
        yield Text(line)
    for label, terms in found.evidence.items():
        yield Text()
        yield from _evidence(label, terms, found, on)


def _facts(found: Inventory) -> Iterator[tuple[str, str]]:
    n = sum(found.classes.values())
    items = "messages" if found.kind == "mail" else "texts"
    bayes = found.bayes
    yield "judges", "mail" if found.kind == "mail" else "plain text"
    yield (
        "model",
        f"naive Bayes: {bayes['likelihood']}, alpha {bayes['alpha']:g}, estimate {bayes['estimate']}, "
        f"class prior {bayes['class_prior']}",
    )
    by_class = ", ".join(f"{name(label)}: {count:,.10g}" for label, count in found.classes.items())
    yield "learnt", f"{n:,.10g} {items} ({by_class})"
    lost = f", {found.dropped:,} rare ones dropped" if found.dropped else ""
    yield "words", f"{found.words:,} distinct{lost}; {found.occurrences:,.10g} occurrences counted"
    yield "dictionary", _dictionary(found)
    yield "ledger", f"{found.ledger:,} {items} known by digest"
    proof = found.certificate
    advice = f"; {proof['advice']}" if proof["advice"] else ""
    gap = "" if proof["relative_gap"] is None else f"; relative gap {proof['relative_gap']:.1e}"
    yield "certificate", name(f"{proof['status']}{advice}{gap}; data {proof['digest'][:12]}")
    yield "file", f"{found.bytes:,} bytes, digest {found.digest[:16]}"


def _dictionary(found: Inventory) -> str:
    """What of a text the model weighs."""
    shortest, longest = found.settings["words"]
    runs = "words" if longest == 1 else f"runs of {shortest} to {longest} words"
    once = "each once per item" if found.settings["binary"] else "as often as they occur"
    if found.settings["hashed_bits"]:
        return f"{runs}, {once}, hashed into 2^{found.settings['hashed_bits']} buckets"
    most = found.settings["max_features"]
    chosen = "the most frequent, " if most is not None and found.words > most else "all "
    return f"{runs}, {once}; {chosen}{found.dictionary:,}, judge"


def _evidence(label: str, terms: Sequence[Evidence], found: Inventory, on: Screen) -> Iterator[Text]:
    colour = colour_of(label, list(found.classes))
    share = bool(found.settings.get("binary"))
    rate = percent if share else "{:.3g}".format
    header = (f"for {name(label)}", "decibans", "share of items" if share else "per item", "elsewhere")
    rows = [(name(t.term), signed(t.decibans, on), rate(t.rate), rate(t.elsewhere)) for t in terms]
    for number, line in enumerate(grid([header, *rows], "lrrr")):
        yield Text(line, style=f"bold {colour}" if number == 0 else "")
    if not terms:
        yield Text("  no word speaks for it", style="dim")
