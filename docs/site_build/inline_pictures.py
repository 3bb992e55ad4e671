"""Pictures that Matplotlib drew, within the pages that show them: in the colours of the page, and in fewer bytes."""

from __future__ import annotations

import re
from pathlib import Path

from api_figures import take_colours
from api_pictures.compact import compact

DOCS = Path(__file__).parents[1]
IMAGE = re.compile(r'<img alt="(?P<says>[^"]*)" src="(?:\.\./)*(?P<file>[\w-]+\.svg)"[^>]*>')
PIXELS = 4.0 / 3.0
"""Of a point."""


def inline(html: str) -> str:
    """Return the content of a page with such pictures of docs/ in place of links to them; others stay as they are."""
    return IMAGE.sub(_read, html)


def _read(found: re.Match[str]) -> str:
    path = DOCS / found["file"]
    drawn = path.read_text(encoding="utf-8") if path.exists() else ""
    if 'id="figure_1"' not in drawn or "<image" in drawn:  # a raster has its own colours
        return found[0]
    picture = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{path.stem}-", take_colours(compact(drawn)))
    width, height = (PIXELS * float(each) for each in re.findall(r' (?:width|height)="([\d.]+)"', picture)[:2])
    head = f'<svg class="drawn" role="img" aria-label="{found["says"]}" data-search-exclude'
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return re.sub(r' width="[^"]*" height="[^"]*"', f" {size}", picture.replace("<svg", head, 1), count=1)
