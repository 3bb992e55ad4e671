"""What was learnt, from what: facts of a model of texts, of a table, or of an estimator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..evaluation.importance import Importance
from ..report.inventory import Inventory
from ..report.table_inventory import TableInventory, Told
from ..report.terminal import name, percent
from .blocks import Bars, Facts, Paragraph, Section, Table
from .explained import bar
from .words import Words

_FACTORS = ("C", "alpha", "gamma", "dropout")
_MOST_COLUMNS = 40
_MOST_CLASSES = 60  # with their counts, and
_MOST_EVIDENCE = 30  # with what speaks for them


def of_texts(found: Inventory, words: Words) -> Iterator[tuple[str, str]]:
    """Line by line, each with its heading."""
    kind = "mail" if found.kind == "mail" else "text"
    yield words("learnt.judges"), words(f"learnt.judges.{kind}")
    yield words("learnt.model"), _text_model(found, words)
    yield words("learnt.learnt"), words(f"learnt.n.{kind}", n=f"{sum(found.classes.values()):,.10g}")
    dropped = words("learnt.dropped", n=f"{found.dropped:,}") if found.dropped else ""
    seen = words("learnt.seen", words=f"{found.words:,}", occurrences=f"{found.occurrences:,.10g}")
    yield words("learnt.words"), seen + dropped
    yield words("learnt.dictionary"), _dictionary(found, words)
    yield words("learnt.file"), words("learnt.bytes", bytes=f"{found.bytes:,}", digest=found.digest[:16])


def _text_model(found: Inventory, words: Words) -> str:
    called = words.known("model", found.model)
    if found.bayes is not None:
        bayes = found.bayes
        prior = bayes["class_prior"] if isinstance(bayes["class_prior"], str) else words("learnt.given")
        return f"{called}: {bayes['likelihood']}, alpha {bayes['alpha']:g}, {bayes['estimate']}, {prior}"
    given = found.linear or found.kernel or found.network or {}
    units = [words("learnt.units", units="-".join(map(str, given["hidden"])) or "0")] if "hidden" in given else []
    told = ", ".join([*units, *_factors(given)])
    return f"{called}: {told}" if told else called


def _factors(given: Mapping[str, Any]) -> list[str]:
    return [f"{key} {given[key]:g}" for key in _FACTORS if given.get(key) is not None]


def _dictionary(found: Inventory, words: Words) -> str:
    shortest, longest = found.settings["words"]
    once = words("learnt.once" if found.settings["binary"] else "learnt.often")
    runs = words("learnt.single") if longest == 1 else words("learnt.runs", shortest=shortest, longest=longest)
    if found.settings["hashed_bits"]:
        named = found.bucket_words
        told = words("learnt.unnamed") if named is None else words("learnt.named", n=f"{named['kept']:,}")
        return f"{runs}, {once}, {words('learnt.hashed', bits=found.settings['hashed_bits'])} ({told})"
    return f"{runs}, {once}, {words('learnt.judge', n=f'{found.dictionary:,}')}"


def of_table(found: TableInventory, words: Words) -> Iterator[tuple[str, str]]:
    """Line by line, each with its heading."""
    yield words("learnt.judges"), words("learnt.judges.table")
    called = words.known("model", found.model)
    given = _factors(found.parameters)
    if "layers" in found.parameters:
        given.append(f"{'-'.join(map(str, found.parameters['layers']))} {found.parameters['activation']}")
    yield words("learnt.model"), f"{called}: {', '.join(given)}" if given else called
    yield words("learnt.learnt"), words("learnt.n.table", n=f"{sum(found.classes.values()):,.10g}")
    if found.label is not None:
        yield words("learnt.label"), name(found.label)
    kinds = (
        words("learnt.more", n=f"{len(found.columns) - _MOST_COLUMNS:,}") if len(found.columns) > _MOST_COLUMNS else ""
    )
    yield words("learnt.columns"), ", ".join(_column(each, words) for each in found.columns[:_MOST_COLUMNS]) + kinds
    if found.ignored:
        yield (
            words("learnt.ignored"),
            ", ".join(f"{name(own)} ({why})" for own, why in list(found.ignored.items())[:10]),
        )
    yield words("learnt.missing"), words(f"learnt.missing.{'nothing' if found.model == 'naive-bayes' else 'mean'}")
    yield words("learnt.file"), words("learnt.bytes", bytes=f"{found.bytes:,}", digest=found.digest[:16])


def _column(each: Told, words: Words) -> str:
    many = "" if each.categories is None else f": {each.categories}"
    return f"{name(each.name)} ({words.known('kind', each.kind)}{many})"


def of_estimator(model: Any, words: Words) -> Iterator[tuple[str, str]]:
    """Its name, its parameters where they are not those it comes with, what it learnt from."""
    family = type(model)
    usual = family().get_params(deep=False)
    given = {key: value for key, value in model.get_params(deep=False).items() if repr(value) != repr(usual.get(key))}
    yield words("learnt.model"), name(f"{family.__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"[:400])
    proof = getattr(model, "certificate_", None)
    if proof is not None:
        yield words("learnt.learnt"), words("learnt.n.examples", n=f"{proof.n:,.10g}", d=f"{proof.d:,}")


def learnt(facts: Sequence[tuple[str, str]], classes: Mapping[str, float], words: Words) -> Section:
    """The facts, and how many examples of each class there were."""
    n = sum(classes.values()) or 1.0
    rows = [(name(label), f"{count:,.10g}", percent(count / n)) for label, count in classes.items()]
    blocks: list[Any] = [Facts(facts)]
    if rows:
        blocks.append(Table([words("class"), words("examples"), words("part")], rows[:_MOST_CLASSES]))
    return Section("learnt", words("learnt"), [*blocks, *_others(len(rows) - _MOST_CLASSES, words)])


def goes_by(found: Importance, words: Words) -> Section:
    """What an estimator goes by over examples."""
    rows = []
    for each in found:
        told = name(each.feature) if isinstance(each.feature, str) else words("evidence.feature", n=each.feature)
        rows.append((told, name(each.label), f"{each.decibans:.1f}", "–" if each.bits is None else f"{each.bits:.3f}"))
    head = [words(f"evidence.{key}") for key in ("what", "speaks", "decibans", "bits")]
    how = Paragraph(words("evidence.mean", n=f"{found.n:,.10g}"), dim=True)
    return Section("evidence", words("evidence"), [how, Table(head, rows)])


def _others(n: int, words: Words) -> list[Paragraph]:
    """How many classes are left out, if any are."""
    return [Paragraph(words("learnt.others", n=f"{n:,}"), dim=True)] if n > 0 else []


def evidence(terms: Mapping[str, Sequence[tuple[str, float]]], words: Words) -> Section:
    """For each class what speaks most for it."""
    head = (words("evidence.what"), words("evidence.decibans"))
    blocks: list[Any] = [Paragraph(words("evidence.how"), dim=True)]
    for label, some in list(terms.items())[:_MOST_EVIDENCE]:
        most = max((abs(decibans) for _, decibans in some), default=0.0) or 1.0
        rows = [bar(term, decibans, most) for term, decibans in some]
        blocks.append(Bars(words("evidence.for", label=name(label)), head, rows, words("evidence.none")))
    blocks += _others(len(terms) - _MOST_EVIDENCE, words)
    return Section("evidence", words("evidence"), blocks)
