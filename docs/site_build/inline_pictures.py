"""Pictures that were drawn in the colours of all figures, within the pages that show them: in the colours of the page,
and, of Matplotlib, in fewer bytes."""

from __future__ import annotations

import re
from pathlib import Path

from api_figures import speak, take_colours
from api_pictures.compact import compact

from deciban.report.palette import PAPER

DOCS = Path(__file__).parents[1]
IMAGE = re.compile(r'<img alt="(?P<says>[^"]*)"[^>]* src="(?:\.\./)*(?P<file>(?:course/)?[\w-]+\.svg)"[^>]*>')
PIXELS = 4.0 / 3.0
"""Of a point, in which Matplotlib measures."""


def inline(html: str, language: str = "en") -> str:
    """Return the content of a page with such pictures of docs/, their labels in its language, in place of links to
    them; others stay as they are."""
    return IMAGE.sub(lambda found: _read(found, language), html)


def _read(found: re.Match[str], language: str) -> str:
    path = next((at for at in (DOCS / found["file"], DOCS / "course" / found["file"]) if at.exists()), None)
    drawn = path.read_text(encoding="utf-8") if path else ""
    has_raster = "<image" in drawn  # which has its own colours
    if path is None or PAPER not in drawn or (has_raster and language == "en"):
        return found[0]
    of_matplotlib = 'id="figure_1"' in drawn
    picture = speak(compact(drawn) if of_matplotlib else drawn, language)
    picture = picture if has_raster else take_colours(picture)
    picture = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{path.stem}-", picture)
    scale = PIXELS if of_matplotlib else 1.0
    width, height = (scale * float(each) for each in re.findall(r' (?:width|height)="([\d.]+)"', picture)[:2])
    head = f'<svg class="drawn" role="img" aria-label="{found["says"]}" data-search-exclude'
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return re.sub(r' width="[^"]*" height="[^"]*"', f" {size}", picture.replace("<svg", head, 1), count=1)
