"""Draws the pictures of the API's pages anew, each from the class or function that it is of.

python docs/site_build/api_pictures/draw.py [NAME …]

They are kept in docs/site_build/api_pictures/drawn/: NAME.svg, and NAME.ko.svg where its words are in Korean; the site
is built from these, and fits no model.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).parents[1]))

from api_pictures import bars, curves, planes, reports
from api_pictures.compact import compact
from deciban.report import svg

FOLDER = Path(__file__).parent / "drawn"
CATALOGUE: dict[str, Callable[[], Figure]] = {**planes.PICTURES, **curves.PICTURES, **bars.PICTURES, **reports.PICTURES}
NAMES = (*CATALOGUE, *reports.IN_A_LANGUAGE)


def find_drawings(name: str) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Yield the files of a picture, each with what draws it."""
    if name in CATALOGUE:
        yield f"{name}.svg", CATALOGUE[name]
    else:
        yield f"{name}.svg", partial(reports.IN_A_LANGUAGE[name], "en")
        yield f"{name}.ko.svg", partial(reports.IN_A_LANGUAGE[name], "ko")


def draw(name: str) -> dict[str, str]:
    """Return the pictures of a name by their files."""
    return {file: compact(svg(drawing(), transparent=True)) for file, drawing in find_drawings(name)}


def main(names: Sequence[str]) -> None:
    """Write these pictures; all of them where none is named, and no other is left."""
    warnings.simplefilter("ignore")  # networks that are trained for a picture, not to the end
    for name in names or NAMES:
        for file, drawn in draw(name).items():
            (FOLDER / file).write_text(drawn, encoding="utf-8")
    kept = {file for name in NAMES for file, _ in find_drawings(name)}
    for path in FOLDER.glob("*.svg"):
        if path.name not in kept:
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
