"""A model as a page of its own: what was learnt, from what, how well that is proven, what it looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from .. import __version__
from ..trust.telling import trusted
from .inventory import Inventory
from .inventory import facts as facts_of_texts
from .table_inventory import TableInventory
from .table_inventory import facts as facts_of_table
from .terminal import Screen, name, percent, signed
from .vector import COLOURS, IN_THE_DARK, inline, lacking

GENERATOR = f'<meta name="generator" content="deciban {__version__}">'
"""By this a page is known again before it is replaced."""

# So many pieces of evidence are listed for each class.
TOP = 12


@dataclass(frozen=True)
class Picture:
    """A figure as an element of a page, and what it shows in words."""

    element: str
    says: str

    @classmethod
    def of(cls, figure: Any, prefix: str = "") -> Picture:
        """A figure that `decision_regions` or `learning_curves` has drawn; of two on a page one needs a prefix."""
        return cls(inline(figure, figure.get_label(), prefix), figure.get_label())


@dataclass(frozen=True)
class Page:
    """What stands on it: `facts` with headings, examples by class, the certificate, and evidence for each class.

    >>> page = Page("m", [("model", "a & b")], {"<x>": 3.0, "y": 1.0}, {"status": "optimal"})
    >>> html = page.html()
    >>> "a &amp; b" in html, "&lt;x&gt;" in html, html == page.html()
    (True, True, True)
    """

    title: str
    facts: Sequence[tuple[str, str]]
    classes: Mapping[str, float]
    certificate: Mapping[str, Any]
    evidence: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)
    picture: Picture | None = None
    no_picture: str = ""
    curves: Picture | None = None

    @classmethod
    def of_table(cls, found: TableInventory, title: str, picture: Picture | str, curves: Picture | None = None) -> Page:
        """Of a model of typed columns, with its picture or why there is none, and of a network how it learnt."""
        evidence = {label: [(each.term, each.decibans) for each in values] for label, values in found.evidence.items()}
        drawn, why = (picture, "") if isinstance(picture, Picture) else (None, picture)
        return cls(title, list(facts_of_table(found)), found.classes, found.certificate, evidence, drawn, why, curves)

    @classmethod
    def of_texts(cls, found: Inventory, title: str, curves: Picture | None = None) -> Page:
        """Of a model of mail or texts, and of a network how it learnt."""
        evidence = {label: [(each.term, each.decibans) for each in words] for label, words in found.evidence.items()}
        return cls(title, list(facts_of_texts(found)), found.classes, found.certificate, evidence, curves=curves)

    def html(self) -> str:
        """The page, which needs nothing beside itself; ImportError without Jinja2."""
        missing = lacking("jinja2")
        if missing:
            raise ImportError(f"a page needs {missing}")
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        template = made.from_string((files(__package__) / "page.html").read_text(encoding="utf-8"))
        return template.render(
            generator=Markup(GENERATOR),
            colours=list(zip(COLOURS, IN_THE_DARK, strict=True)),
            title=name(self.title),
            facts=[(heading, text) for heading, text in self.facts if heading not in _OF_CERTIFICATE],
            classes=self._classes(),
            certificate=list(_proof(self.certificate)),
            evidence=[(name(label), _bars(terms)) for label, terms in self.evidence.items()],
            curves=None if self.curves is None else (Markup(self.curves.element), self.curves.says),
            picture=None if self.picture is None else (Markup(self.picture.element), self.picture.says),
            no_picture=self.no_picture,
        )

    def _classes(self) -> list[tuple[str, str, str]]:
        n = sum(self.classes.values()) or 1.0
        return [(name(label), f"{count:,.10g}", percent(count / n)) for label, count in self.classes.items()]


def _bars(terms: Sequence[tuple[str, float]]) -> list[tuple[str, str, int]]:
    """Each term with its decibans, and how long its bar is, in per cent."""
    most = max((abs(decibans) for _, decibans in terms), default=0.0) or 1.0
    return [(name(term), signed(decibans, Screen()), round(100 * abs(decibans) / most)) for term, decibans in terms]


def _proof(proof: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines of a certificate that say something."""
    told = [("ended", proof.get("status", "")), ("what to do", proof.get("advice", ""))]
    told.append(("minimised", proof.get("objective", "")))
    for heading, key, form in (
        ("its value", "primal", ".10g"),
        ("nothing is below", "dual", ".10g"),
        ("relative gap", "relative_gap", ".1e"),
        ("largest KKT violation", "kkt_violation", ".1e"),
        ("iterations", "iterations", ",d"),
        ("features", "d", ",d"),
        ("data", "digest", ""),
    ):
        value = proof.get(key)
        told.append((heading, "" if value is None else format(value, form)))
    return [(heading, name(text)) for heading, text in (*told, *trusted(proof)) if text]


# Headings of facts that the certificate has itself.
_OF_CERTIFICATE = ("certificate", "bounds", "calibration", "")
