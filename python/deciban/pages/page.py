"""Reports, each one HTML page that needs nothing beside itself; certificates and explanations in notebooks."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deciban.data.classifier import Classifier
from deciban.verdict import Explanation

from .. import __version__
from ..evaluation.evaluation import Evaluation
from ..evaluation.importance import Importance
from ..files.replacement import replace
from ..report import training_command
from ..report.inventory import Inventory
from ..report.palette import variables
from ..report.terminal import clean, name
from ..report.vector import lacking
from . import evaluated, learnt
from .blocks import Command, Facts, Figure, Paragraph, Section, Slider, Summary
from .explained import terms_of, text_of
from .learnt import certificate, facts
from .measured import Measured
from .summary import summarise
from .words import Words, words_in

if TYPE_CHECKING:
    from jinja2 import Environment

    from ..report.table_inventory import TableInventory


GENERATOR = f'<meta name="generator" content="deciban {__version__}">'
"""By this a page is known again before it is replaced."""


@dataclass(frozen=True)
class Report:
    """A title, what it comes down to in one sentence or a summary, and sections.

    In a notebook it shows itself; `save` writes it. The page loads nothing, runs one short script, which the policy in
    its head names by its hash, and says the same without it. ImportError without Jinja2 (`deciban[report]`).

    >>> from .blocks import Facts
    >>> report = Report("m", "", [Section("facts", "Facts", [Facts([("model", "a & b")])])])
    >>> html = report.html()
    >>> "a &amp; b" in html, html == report.html()
    (True, True)
    """

    title: str
    claim: str
    sections: Sequence[Section]
    words: Words = field(default_factory=Words)
    summary: Summary | None = None

    def html(self) -> str:
        """Return the page."""
        made = _environment()
        script = _read("slider.js").strip() if self._moves() else ""
        return made.get_template("page.html").render(
            page=self,
            generator=GENERATOR,
            policy=_policy(script),
            variables=variables(),
            styles=styles("parts.css", "page.css"),
            placed=list(_place(self.sections)),
            script=script,
            parts=made.get_template("parts.html").module,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, in one step."""
        replace(path, self.html().encode("utf-8", "backslashreplace"))

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, whose styles and script touch nothing around it."""
        style = "width: 100%; height: 42rem; border: 0"
        frame = f'<iframe title="{escape(name(self.title))}" style="{style}" sandbox="allow-scripts"'
        return f'{frame} srcdoc="{escape(self.html())}"></iframe>'

    def _moves(self) -> bool:
        return any(isinstance(block, Slider) for section in self.sections for block in section.blocks)


def _place(sections: Sequence[Section]) -> Iterator[tuple[Section, str]]:
    """Yield the sections with their width on a wide screen: two of `_HALVES` that follow each other stand side by
    side."""
    waiting: Section | None = None
    for section in sections:
        half = section.key in _HALVES
        if waiting is None and half:
            waiting = section
        elif waiting is not None:
            width = "half" if half else "whole"
            yield waiting, width
            yield section, width
            waiting = None
        else:
            yield section, "whole"
    if waiting is not None:
        yield waiting, "whole"


def _policy(script: str) -> str:
    """Return the policy that nothing may be loaded, and no script run but this one."""
    allowed = "default-src 'none'; style-src 'unsafe-inline'"
    if not script:
        return allowed
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{allowed}; script-src 'sha256-{hashed}'"


def _environment() -> Environment:
    missing = lacking("jinja2")
    if missing:
        raise ImportError(f"a page needs {missing}")
    return _make_environment()


@cache
def _make_environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_read), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(line=name, lines=clean)
    return made


@cache
def _read(file: str) -> str:
    return (files(__package__) / file).read_text(encoding="utf-8")


def styles(*names: str) -> str:
    """Return style sheets one after the other."""
    return "".join(map(_read, names))


def part(block: Any) -> str:
    """Return one block as HTML, for a page or a notebook."""
    made = _environment()
    return str(getattr(made.get_template("parts.html").module, block.part)(block))


TOP = 12
"""So many pieces of evidence are listed for each class."""

Terms = Mapping[str, Sequence[tuple[str, float]]]


@dataclass(frozen=True)
class Extras:
    """What else a page shows: how the model did on examples it had not learnt, or why that is not known; pictures, or
    why there is none; the command line that trained the model or, where that is not known, one that trains one like it;
    what an estimator depends on; the columns that alone tell the label; and whether the fit sought an optimum."""

    measured: Measured | str
    curves: Figure | None = None
    picture: Figure | str = ""
    command: str = ""
    training: str = ""
    goes_by: Importance | None = None
    leaks: Sequence[str] = ()
    seeks_optimum: bool = True


def of_texts(found: Inventory, extras: Extras, words: Words) -> Report:
    """Return the page of a model of mail or texts."""
    title = words("title.mail" if found.kind == "mail" else "title.text")
    facts = list(learnt.of_texts(found, words))
    terms = {label: [(each.term, each.decibans) for each in some] for label, some in found.evidence.items()}
    extras = changed(extras, training=training_command.of_texts(found))
    return _report(title, facts, found.classes, terms, found.certificate, extras, words)


def of_table(found: TableInventory, extras: Extras, words: Words) -> Report:
    """Return the page of a model of typed columns."""
    title = words("title.label", label=name(found.label)) if found.label else words("title.table")
    facts = list(learnt.of_table(found, words))
    terms = {label: [(each.term, each.decibans) for each in some] for label, some in found.evidence.items()}
    extras = changed(extras, training=training_command.of_table(found), leaks=tuple(found.leaks or ()))
    columns = learnt.columns(found, words)
    return _report(title, facts, found.classes, terms, found.certificate, extras, words, columns)


def of_estimator(model: Classifier, terms: Terms, extras: Extras, words: Words) -> Report:
    """Return the page of a fitted estimator."""
    proof = getattr(model, "certificate_", None)
    stored = {} if proof is None else proof.to_json()
    counts = {str(label): float(n) for label, n in stored.get("class_counts", {}).items()}
    facts = list(learnt.of_estimator(model, words))
    extras = changed(extras, seeks_optimum=getattr(model, "_seeks_optimum", lambda: True)())
    return _report(type(model).__name__, facts, counts, terms, stored, extras, words)


def _report(
    title: str,
    facts: Sequence[tuple[str, str]],
    classes: Mapping[str, float],
    terms: Terms,
    proof: Mapping[str, Any],
    extras: Extras,
    words: Words,
    more: Iterable[Section] = (),
) -> Report:
    measured = extras.measured
    summary = summarise(measured, proof if extras.seeks_optimum else {**proof, "status": ""}, extras.leaks, words)
    sections = [learnt.describe_training(facts, classes, words), *more]
    if isinstance(measured, str):
        sections.append(Section("error", words("error"), [Paragraph(measured)]))
    else:
        sections += measured.sections(words)
    sections += _pictures(extras, words)
    if extras.goes_by is not None:
        sections.append(learnt.goes_by(extras.goes_by, words))
    if terms:
        sections.append(learnt.evidence(terms, words))
    if proof:
        sections += [certificate(proof, words), _again(proof, extras, words)]
    return Report(title, summary.claim, _in_order(sections), words, summary)


def _pictures(extras: Extras, words: Words) -> Iterator[Section]:
    if extras.curves is not None:
        yield Section("epochs", words("epochs"), [extras.curves])
    if isinstance(extras.picture, Figure):
        yield Section("picture", words("picture"), [extras.picture])
    elif extras.picture:
        yield Section("picture", words("picture"), [Paragraph(extras.picture)])


def _again(proof: Mapping[str, Any], extras: Extras, words: Words) -> Section:
    """Return how to train the same model once more, and how to recognise it."""
    blocks: list[Any] = [Paragraph(words("again.how"))]
    if extras.command:
        blocks.append(Command(extras.command))
    elif extras.training:
        blocks += [Paragraph(words("again.typed")), Command(extras.training)]
    rows = [
        (words("proof.version"), name(proof.get("version", ""))),
        (words("proof.digest"), name(proof.get("digest", ""))),
    ]
    return Section("again", words("again"), [*blocks, Facts([row for row in rows if row[1]])])


_ORDER = (
    *("error", "confusion", "reliability", "curves", "costs", "learning", "picture", "epochs", "evidence", "samples"),
    *("columns", "learnt", "certificate", "again"),
)
_HALVES = ("confusion", "reliability", "learning", "picture", "epochs", "certificate", "again")


def _in_order(sections: Sequence[Section]) -> list[Section]:
    """Return the sections with the error first; those that are not named come last, in their order."""
    place = {key: number for number, key in enumerate(_ORDER)}
    return sorted(sections, key=lambda section: place.get(section.key, len(place)))


def of_certificate(certificate: Any) -> str | None:
    """Return HTML; None where Jinja2 is not installed, and the notebook shows the text."""
    if lacking("jinja2"):
        return None
    return _render(facts(certificate.to_json(), words_in()))


def of_explanation(why: Explanation) -> str | None:
    """Return HTML of the terms and, of a text, of the text with its evidence in place; None without Jinja2."""
    if lacking("jinja2"):
        return None
    words = words_in()
    return _render(*([text_of(why, words)] if hasattr(why, "text") else []), terms_of(why, words))


def of_evaluation(found: Evaluation) -> str | None:
    """Return HTML of the figures; None without Jinja2."""
    return None if lacking("jinja2") else _render(*evaluated.blocks(found, words_in()))


def _render(*blocks: Any) -> str:
    return f'<style>{styles("parts.css")}</style><div class="deciban">{"".join(map(part, blocks))}</div>'
