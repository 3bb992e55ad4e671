"""Certificates and explanations as a notebook shows them."""

from __future__ import annotations

from typing import Any

from ..report.vector import lacking
from .explained import terms_of, text_of
from .proof import facts
from .report import part, styles
from .words import words_in


def of_certificate(certificate: Any) -> str | None:
    """HTML; None where Jinja2 is not installed, and the notebook shows the text."""
    if lacking("jinja2"):
        return None
    return _shown(facts(certificate.to_json(), words_in()))


def of_explanation(why: Any) -> str | None:
    """HTML of the terms and, where it is of a text, of the text with its evidence in place; None without Jinja2."""
    if lacking("jinja2"):
        return None
    words = words_in()
    return _shown(*([text_of(why, words)] if hasattr(why, "text") else []), terms_of(why, words))


def _shown(*blocks: Any) -> str:
    return f'<style>{styles("parts.css")}</style><div class="deciban">{"".join(map(part, blocks))}</div>'
