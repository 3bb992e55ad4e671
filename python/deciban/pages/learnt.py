"""Facts of a model of texts, of a table, or of an estimator, its training data, and its certificate line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from deciban.data.classifier import Classifier

from ..conventions import percent
from ..evaluation.importance import Importance
from ..report.inventory import Inventory
from ..report.terminal import name
from .blocks import Bars, Facts, Opened, Paragraph, Section, Table
from .explained import bar
from .proof_words import translate_proof
from .words import Words

if TYPE_CHECKING:
    from ..report.table_inventory import ColumnFacts, TableInventory

_FACTORS = ("C", "alpha", "gamma", "dropout")
_MOST_COLUMNS = 40
_SHORT = 6  # lines of a list that no other stands beside
_MOST_CLASSES = 60  # with their counts, and
_MOST_EVIDENCE = 30  # with what speaks for them,
_OPEN_EVIDENCE = 4  # of which the others stand behind a line


def of_texts(found: Inventory, words: Words) -> Iterator[tuple[str, str]]:
    """Return the facts line by line, each with its heading."""
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
        likelihood, prior = (translate_proof(each, words.language) or each for each in (bayes["likelihood"], prior))
        return f"{called}: {likelihood}, alpha {bayes['alpha']:g}, {bayes['estimate']}, {prior}"
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
    """Return the facts line by line, each with its heading."""
    yield words("learnt.judges"), words("learnt.judges.table")
    called = words.known("model", found.model)
    given = _factors(found.parameters)
    if "layers" in found.parameters:
        given.append(f"{'-'.join(map(str, found.parameters['layers']))} {found.parameters['activation']}")
    yield words("learnt.model"), f"{called}: {', '.join(given)}" if given else called
    yield words("learnt.learnt"), words("learnt.n.table", n=f"{sum(found.classes.values()):,.10g}")
    if found.label is not None:
        yield words("learnt.label"), name(found.label)
    if not _are_told(found):
        left = len(found.columns) - _MOST_COLUMNS
        kinds = ", ".join(_column(each, words) for each in found.columns[:_MOST_COLUMNS])
        yield words("learnt.columns"), kinds + (words("learnt.more", n=f"{left:,}") if left > 0 else "")
    if found.ignored:
        yield (
            words("learnt.ignored"),
            ", ".join(f"{name(own)} ({why})" for own, why in list(found.ignored.items())[:10]),
        )
    if found.leaks:
        told = ", ".join(f"{name(own)} ({percent(error)})" for own, error in list(found.leaks.items())[:10])
        yield words("learnt.leaks"), words("learnt.leak", columns=told)
    yield words("learnt.missing"), words(f"learnt.missing.{'nothing' if found.model == 'naive-bayes' else 'mean'}")
    yield words("learnt.file"), words("learnt.bytes", bytes=f"{found.bytes:,}", digest=found.digest[:16])


def _are_told(found: TableInventory) -> bool:
    """Return whether it is known what any column tells of the class."""
    return any(each.bits is not None for each in found.columns)


def columns(found: TableInventory, words: Words) -> Iterator[Section]:
    """Return what kind each column is and what it tells of the class, the one that tells most first."""
    if not _are_told(found):
        return
    some = nsmallest(_MOST_COLUMNS, found.columns, key=lambda each: -(each.bits or 0.0))
    most = max(each.bits or 0.0 for each in some) or 1.0
    rows = [
        (
            _column(each, words),
            "–" if each.bits is None else f"{each.bits:.4f}",
            "for",
            round(100 * (each.bits or 0.0) / most),
        )
        for each in some
    ]
    how = Paragraph(words("columns.how", bits=f"{found.class_bits:.4f}"), dim=True)
    head, half = (words("columns.what"), words("evidence.bits")), max((len(rows) + 1) // 2, _SHORT)
    lists = [Bars("", head, some, at_least=100) for some in (rows[:half], rows[half:]) if some]
    left = len(found.columns) - len(rows)
    others = [Paragraph(words("columns.others", n=f"{left:,}"), dim=True)] if left else []
    yield Section("columns", words("columns"), [how, *lists, *others])


def _column(each: ColumnFacts, words: Words) -> str:
    many = "" if each.categories is None else f": {each.categories}"
    return f"{name(each.name)} ({words.known('kind', each.kind)}{many})"


def of_estimator(model: Classifier, words: Words) -> Iterator[tuple[str, str]]:
    """Return its name, its parameters where they are not the defaults, and its training data."""
    family = type(model)
    usual = family().get_params(deep=False)
    given = {key: value for key, value in model.get_params(deep=False).items() if repr(value) != repr(usual.get(key))}
    yield words("learnt.model"), name(f"{family.__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"[:400])
    proof = getattr(model, "certificate_", None)
    if proof is not None:
        yield words("learnt.learnt"), words("learnt.n.examples", n=f"{proof.n:,.10g}", d=f"{proof.d:,}")


def describe_training(facts: Sequence[tuple[str, str]], classes: Mapping[str, float], words: Words) -> Section:
    """Return the facts, and how many examples of each class there were."""
    n = sum(classes.values()) or 1.0
    rows = [(name(label), f"{count:,.10g}", percent(count / n)) for label, count in classes.items()]
    blocks: list[Any] = [Facts(facts)]
    if rows:
        blocks.append(Table([words("class"), words("examples"), words("part")], rows[:_MOST_CLASSES]))
    return Section("learnt", words("learnt"), [*blocks, *_others(len(rows) - _MOST_CLASSES, words)])


def goes_by(found: Importance, words: Words) -> Section:
    """Return the features that an estimator depends on over examples."""
    rows = []
    for each in found:
        told = name(each.feature) if isinstance(each.feature, str) else words("evidence.feature", n=each.feature)
        rows.append((told, name(each.label), f"{each.decibans:.1f}", "–" if each.bits is None else f"{each.bits:.3f}"))
    head = [words(f"evidence.{key}") for key in ("what", "speaks", "decibans", "bits")]
    how = Paragraph(words("evidence.mean", n=f"{found.n:,.10g}"), dim=True)
    return Section("evidence", words("evidence"), [how, Table(head, rows)])


def _others(n: int, words: Words) -> list[Paragraph]:
    """Return how many classes are left out, if any are."""
    return [Paragraph(words("learnt.others", n=f"{n:,}"), dim=True)] if n > 0 else []


def evidence(terms: Mapping[str, Sequence[tuple[str, float]]], words: Words) -> Section:
    """Return for each class the strongest evidence."""
    head = (words("evidence.what"), words("evidence.decibans"))
    bars = []
    for label, some in list(terms.items())[:_MOST_EVIDENCE]:
        most = max((abs(decibans) for _, decibans in some), default=0.0) or 1.0
        rows = [bar(term, decibans, most) for term, decibans in some]
        bars.append(Bars(words("evidence.for", label=name(label)), head, rows, words("evidence.none")))
    others = _others(len(terms) - _MOST_EVIDENCE, words)
    blocks: list[Any] = [Paragraph(words("evidence.how"), dim=True), *bars[:_OPEN_EVIDENCE]]
    if len(bars) > _OPEN_EVIDENCE:
        blocks.append(Opened(words("details.classes"), [*bars[_OPEN_EVIDENCE:], *others], shut=True))
    return Section("evidence", words("evidence"), blocks)


# Keys whose texts are the solver's own, in English.
_TEXTS = ("advice", "objective")
_FIGURES = (
    ("primal", ".10g"),
    ("dual", ".10g"),
    ("relative_gap", ".1e"),
    ("kkt_violation", ".1e"),
    ("iterations", ",d"),
    ("n", ",.10g"),
    ("d", ",d"),
    ("training_error", ".4g"),
    ("seed", "d"),
)


def facts(proof: Mapping[str, Any], words: Words) -> Facts:
    """Return the lines of a certificate, as a file's header keeps it, that have a value."""
    texts = {key: str(proof[key]) for key in _TEXTS if proof.get(key)}
    if proof.get("calibration"):
        texts["calibration"] = str(proof["calibration"]["how"])
    known = {key: translate_proof(text, words.language) for key, text in texts.items()}
    foreign = frozenset(words(f"proof.{key}") for key, text in known.items() if text is None)
    return Facts(list(_rows(proof, {key: known[key] or text for key, text in texts.items()}, words)), foreign)


def _rows(proof: Mapping[str, Any], texts: Mapping[str, str], words: Words) -> Iterator[tuple[str, str]]:
    """Yield the lines of a certificate; `texts` are in the language of the page, as far as it has them."""
    if proof.get("status"):
        yield words("proof.status"), words.known("status", str(proof["status"]).partition(":")[0])
    for key in _TEXTS:
        if key in texts:
            yield words(f"proof.{key}"), name(texts[key])
    for key, form in _FIGURES:
        if proof.get(key) is not None:
            yield words(f"proof.{key}"), format(proof[key], form)
    if "calibration" in texts:
        yield words("proof.calibration"), name(texts["calibration"])
    for key in ("digest", "version"):
        if proof.get(key):
            yield words(f"proof.{key}"), name(proof[key])


def bounds(proof: Mapping[str, Any], words: Words) -> Iterator[Any]:
    """Return the bounds on errors to come, with their conditions; nothing where a file has none."""
    found = proof.get("bounds") or ()
    if not found:
        return
    called = [words.known("bound", str(each["name"])) for each in found]
    rows = [(own, _describe_bound(each, words)) for own, each in zip(called, found, strict=True)]
    yield Table([words("bound"), words("bound.says")], rows, right=False)
    conditions = [(own, name(each["condition"])) for own, each in zip(called, found, strict=True) if each["condition"]]
    yield Opened(words("bound.conditions"), [Facts(conditions, frozenset(called))], shut=True)


def _describe_bound(bound: Mapping[str, Any], words: Words) -> str:
    value, excess = bound.get("value"), bound.get("excess")
    if not bound["applies"]:
        return words("bound.not")
    if bound.get("vacuous"):
        return words("bound.vacuous")
    if value is not None:
        return words("bound.value", value=f"{value:.4g}")
    return "–" if excess is None else words("bound.excess", value=f"{excess:.4g}")


def certificate(proof: Mapping[str, Any], words: Words) -> Section:
    """Return the section on the proof of the fit: how it ended, all values behind a line, and the bounds."""
    found = [] if words.mail else bounds(proof, words)  # which are of examples drawn alike, as messages never are
    rows = facts(proof, words)
    first = {words(f"proof.{key}") for key in ("status", "advice", "relative_gap", "kkt_violation", "iterations")}
    head = Facts([row for row in rows.rows if row[0] in first], rows.foreign)
    rest = Facts([row for row in rows.rows if row[0] not in first], rows.foreign)
    behind = [Opened(words("details.all"), [rest], shut=True)] if rest.rows else []
    return Section("certificate", words("certificate"), [head, *behind, *found])
