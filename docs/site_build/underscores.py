"""Underscores of formulas and names stay what they are: emphasis is told by asterisks alone."""

from __future__ import annotations

from markdown import Extension, Markdown
from markdown.inlinepatterns import SimpleTextInlineProcessor

_BEFORE_EMPHASIS = 65
"""Priority of the pattern: links and HTML are read before, emphasis after."""


class KeepUnderscores(Extension):
    """Take no underscore for the beginning of emphasis, so that x_ij and μ_{y_i} are shown as they are written."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (as Markdown has it)
        """Add the pattern that reads underscores as text."""
        md.inlinePatterns.register(SimpleTextInlineProcessor("(_+)"), "underscores", _BEFORE_EMPHASIS)
