"""The contents of a model: its counts, its settings, the most informative words, its strongest evidence by class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.text import Text

from ..certificates.certificate import describe_trust
from ..conventions import DECIBANS_PER_NAT, percent
from ..data.text_layout import ONLINE
from ..distributions import Counts
from ..features.information import BITS_PER_NAT, entropy
from ..text.encoder import rates as rates_of
from ..text.restoring import AnyText
from . import training_command
from .terminal import Screen, colour_of, fit, format_signed, grid, name


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
        """Return keys that scripts rely on."""
        return self._asdict()


class Telling(NamedTuple):
    """A word by what it tells of the class: its mutual information with the class, in bits.

    The event is that an item holds the word or, where words count as often as they occur, that the next word drawn
    from an item is this one. `label` is the class with the largest `rate`; `rate` and `elsewhere` are as in `Evidence`.
    """

    term: str
    bits: float
    label: str
    rate: float
    elsewhere: float

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return self._asdict()


@dataclass(frozen=True)
class Inventory:
    """The output of `deciban inspect`."""

    kind: str
    model: str
    classes: dict[str, float]
    words: int
    dictionary: int
    occurrences: float
    dropped: int
    ledger: int
    settings: dict[str, Any]
    bayes: dict[str, Any] | None
    linear: dict[str, Any] | None
    certificate: dict[str, Any]
    bytes: int
    digest: str
    class_bits: float
    information: list[Telling]
    evidence: dict[str, list[Evidence]]
    kernel: dict[str, Any] | None = None
    network: dict[str, Any] | None = None
    bucket_words: dict[str, int] | None = None
    uncounted: float = 0.0
    retired: int = 0
    origin: dict[str, str] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            "kind": self.kind,
            "model": self.model,
            "classes": self.classes,
            "n": sum(self.classes.values()),
            "words": self.words,
            "dictionary": self.dictionary,
            "occurrences": self.occurrences,
            "dropped": self.dropped,
            "uncounted": self.uncounted,
            "retired": self.retired,
            "bucket_words": self.bucket_words,
            "ledger": self.ledger,
            "settings": self.settings,
            "origin": self.origin,
            "bayes": self.bayes,
            "linear": self.linear,
            "kernel": self.kernel,
            "network": self.network,
            "certificate": self.certificate,
            "bytes": self.bytes,
            "digest": self.digest,
            "class_bits": self.class_bits,
            "information": [each.to_json() for each in self.information],
            "evidence": {label: [each.to_json() for each in terms] for label, terms in self.evidence.items()},
        }


def class_bits(model: AnyText) -> float:
    """Return the entropy of the class of an item, in bits."""
    return float(entropy(model.encoder.book.items)) * BITS_PER_NAT


def telling(model: AnyText, rows: NDArray[np.int64], seen: Counts, top: int) -> list[Telling]:
    """Return the `top` words with the most information on the class, of `rows` of the book, counted in `seen`."""
    told = model.encoder.information(seen)
    chosen = np.argsort(-told, kind="stable")[:top]
    chosen = chosen[told[chosen] > 0]
    rates = rates_of(seen)[:, chosen]
    labels = [str(model.classes[c]) for c in rates.argmax(axis=0)]
    rates.sort(axis=0)
    figures = zip(told[chosen] * BITS_PER_NAT, labels, rates[-1], rates[:-1].max(axis=0, initial=0.0), strict=True)
    names = model.encoder.names(rows[chosen])
    return [
        Telling(word, float(bits), label, float(rate), float(elsewhere))
        for word, (bits, label, rate, elsewhere) in zip(names, figures, strict=True)
    ]


def strongest(model: AnyText, rows: NDArray[np.int64], seen: Counts, top: int) -> dict[str, list[Evidence]]:
    """Return for each class the `top` words by their evidence in an average item: decibans · occurrences per item.

    Decibans alone would list words seen once; frequency alone, words that say nothing.
    """
    if len(model.classes) < 2:
        return {str(label): [] for label in model.classes}
    W = np.ascontiguousarray(model.compile().by_word().T)
    rates = rates_of(seen)
    against, elsewhere = _among_others(W), _among_others(rates)
    result = {}
    for c, label in enumerate(model.classes):
        decibans = (W[c] - against(c)) * DECIBANS_PER_NAT
        with np.errstate(invalid="ignore"):
            value = np.nan_to_num(decibans * rates[c])
        chosen = np.argsort(-value, kind="stable")[:top]
        chosen = chosen[value[chosen] > 0]
        names = model.encoder.names(rows[chosen])
        columns = zip(names, decibans[chosen], rates[c][chosen], elsewhere(c)[chosen], strict=True)
        result[str(label)] = [Evidence(word, *map(float, figures)) for word, *figures in columns]
    return result


def _among_others(values: NDArray[np.float64]) -> Callable[[int], NDArray[np.float64]]:
    """Return (K,), of values (C, K), the largest over the classes but c."""
    first = second = np.full(values.shape[1], -np.inf)
    for row in values:
        first, second = np.maximum(first, row), np.maximum(second, np.minimum(first, row))
    return lambda c: np.where(values[c] == first, second, first)


def inventory(found: Inventory, on: Screen) -> Iterator[Text]:
    """Return the report on a model."""
    for line in grid(list(facts(found)), "l"):
        yield Text(line)
    if found.evidence:
        yield Text()
        yield from _information(found, on)
    for label, terms in found.evidence.items():
        yield Text()
        yield from _evidence(label, terms, found, on)


def facts(found: Inventory) -> Iterator[tuple[str, str]]:
    """Return the facts about the model, line by line, each with its heading."""
    n = sum(found.classes.values())
    items = "messages" if found.kind == "mail" else "texts"
    yield "judges", "mail" if found.kind == "mail" else "plain text"
    yield "model", _model(found)
    by_class = ", ".join(f"{name(label)}: {count:,.10g}" for label, count in found.classes.items())
    yield "learnt", f"{n:,.10g} {items} ({by_class})"
    lost = f", {found.dropped:,} rare ones dropped" if found.dropped else ""
    gone = f", {found.retired:,} that gave way to others" if found.retired else ""
    missed = f", {found.uncounted:,.10g} not" if found.uncounted else ""
    yield "words", f"{found.words:,} distinct{lost}{gone}; {found.occurrences:,.10g} occurrences counted{missed}"
    yield "dictionary", _dictionary(found)
    yield "ledger", f"{found.ledger:,} {items} known by digest"
    proof = found.certificate
    advice = f"; {proof['advice']}" if proof["advice"] else ""
    gap = "" if proof["relative_gap"] is None else f"; relative gap {proof['relative_gap']:.1e}"
    yield "certificate", name(f"{proof['status']}{advice}{gap}; data {proof['digest'][:12]}")
    if found.kind == "mail":  # bounds are of examples drawn alike, as messages never are
        proof = {key: value for key, value in proof.items() if key not in ("bounds", "training_error")}
    yield from ((heading, name(text)) for heading, text in describe_trust(proof))
    again = training_command.of_texts(found)
    if again:
        yield "train anew", name(again)
    yield "file", f"{found.bytes:,} bytes, digest {found.digest[:16]}"


LINEAR_NAMES = {
    "nbsvm": "naive Bayes inside a logistic model (NBSVM)",
    "logistic": "logistic regression",
    "svm": "linear support vector machine",
    "perceptron": "perceptron",
    "least-squares": "least squares",
    "kernel-svm": "support vector machine, RBF kernel",
    "mlp": "multilayer perceptron",
    "online": "logistic regression learnt online",
    "discriminant": "Gaussian discriminant, one covariance",
    "naive-bayes": "naive Bayes",
}
_WEIGHTED = {"idf": "words weighted by idf", "unit-idf": "words weighted by idf, items of one length"}


def _model(found: Inventory) -> str:
    """Describe the type of the model, with its parameters."""
    if found.bayes is not None:
        bayes = found.bayes
        return (
            f"naive Bayes: {bayes['likelihood']}, alpha {bayes['alpha']:g}, estimate {bayes['estimate']}, "
            f"class prior {bayes['class_prior']}"
        )
    if found.model == ONLINE:
        heard = "of headers and of content" if found.kind == "mail" else "of words"
        able = "; it learns on and forgets" if found.ledger else ""
        return f"logistic regression learnt online, {heard}{able}"
    given = found.linear or found.kernel or found.network or {}
    parts = [f"hidden units {'-'.join(map(str, given['hidden'])) or 'none'}"] if "hidden" in given else []
    parts += [f"{key} {given[key]:g}" for key in ("C", "alpha", "gamma", "dropout") if given.get(key) is not None]
    parts += [_WEIGHTED[given["weighting"]]] if given.get("weighting") in _WEIGHTED else []
    return f"{LINEAR_NAMES[found.model]}: {', '.join(parts)}; learnt at once, cannot learn on"


def _dictionary(found: Inventory) -> str:
    """Describe the features of a text."""
    shortest, longest = found.settings["words"]
    runs = "words" if longest == 1 else f"runs of {shortest} to {longest} words"
    once = "each once per item" if found.settings["binary"] else "as often as they occur"
    if found.settings["hashed_bits"]:
        return f"{runs}, {once}, hashed into 2^{found.settings['hashed_bits']} buckets, {_buckets(found)}"
    most = found.settings["max_features"]
    chosen = "the most frequent, " if most is not None and found.words > most else "all "
    return f"{runs}, {once}; {chosen}{found.dictionary:,}, judge"


def _buckets(found: Inventory) -> str:
    """Describe the names of hash buckets."""
    if found.bucket_words is None:
        return "whose words are not kept"
    lost = f" ({found.bucket_words['dropped']:,} rare ones dropped)" if found.bucket_words["dropped"] else ""
    return f"named after {found.bucket_words['kept']:,} words{lost}"


def _information(found: Inventory, on: Screen) -> Iterator[Text]:
    once = found.settings["binary"]
    header = ("tells the class", "bits" if once else "bits a word", "for", *_rate_header(found))
    digits = 4 if once else 6
    rate = _rate(found)
    rows = [
        (name(t.term), f"{t.bits:.{digits}f}", name(t.label), rate(t.rate), rate(t.elsewhere))
        for t in found.information
    ]
    for number, line in enumerate(grid(_narrow([header, *rows], on), "lrlrr")):
        yield Text(line, style="bold" if number == 0 else "")
    if found.information:
        yield Text(f"of {found.class_bits:.4f} bits in the class; what words tell overlaps", "dim")
    else:
        yield Text("  no word tells anything", style="dim")


def _evidence(label: str, terms: Sequence[Evidence], found: Inventory, on: Screen) -> Iterator[Text]:
    colour = colour_of(label, list(found.classes))
    rate = _rate(found)
    header = (f"for {name(label)}", "decibans", *_rate_header(found))
    rows = [(name(t.term), format_signed(t.decibans, on), rate(t.rate), rate(t.elsewhere)) for t in terms]
    for number, line in enumerate(grid(_narrow([header, *rows], on), "lrrr")):
        yield Text(line, style=f"bold {colour}" if number == 0 else "")
    if not terms:
        yield Text("  no word speaks for it", style="dim")


def _rate_header(found: Inventory) -> tuple[str, str]:
    return ("share of items" if found.settings["binary"] else "per item"), "elsewhere"


def _rate(found: Inventory) -> Callable[[float], str]:
    return percent if found.settings["binary"] else "{:.3g}".format


def _narrow(rows: list[tuple[str, ...]], on: Screen) -> list[tuple[str, ...]]:
    """Return the same rows with the first cells cut to what a line has room for."""
    others = sum(max(map(cell_len, column)) + 2 for column in list(zip(*rows, strict=True))[1:])
    room = max(on.width - others, 12)
    return [(fit(cell, room, on.pick("…", "...")).rstrip(), *rest) for cell, *rest in rows]
