"""A figure of Matplotlib as a small SVG: tenths of a point, lines without needless points, no groups around nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
LOSS = 0.15
"""Points that a line may move by."""
LETTERS = 9.0
"""Height of letters and of marks, in points."""
SIDE = 72
"""Points of the side of a hatch."""
NEEDLESS = re.compile(r"font-family:[^;]*;|stroke-dashoffset:0;|stroke-linejoin:round;")
DATA = "data"
"""How the gid of a text begins that is a word of the examples, and stays as it is in any language."""


def compact(drawn: str) -> str:
    """Return the same picture in fewer bytes."""
    root = ElementTree.fromstring(drawn)
    referred = [name for name in (each.get("id") for each in root.iter()) if name and f"#{name}" in drawn]
    names = {name: f"i{place}" for place, name in enumerate(referred)}
    width, (top, bottom) = root.get("viewBox", "").split()[2], _find_rows(root)
    width, top, height = map(_tenths, (width, top, bottom - top))
    size = f'viewBox="0 {top} {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="DejaVu Sans, sans-serif">'
    return "\n".join([head, *_grouped(_flatten(root, names)), "</svg>", ""])


def _find_rows(root: ElementTree.Element) -> tuple[float, float]:
    """Return from where to where down the page a picture has something, with room for letters."""
    hidden = {inner for each in root.iter(f"{SVG}defs") for inner in each.iter()}
    rows = list(_find_lines(root))
    tops, bottoms = [y - LETTERS for y in rows], [y + 0.4 * LETTERS for y in rows]
    for each in root.iter(f"{SVG}rect"):
        if each.get("height") and float(each.get("height", "")) > SIDE + 2:
            tops.append(float(each.get("y", "")) - 2.0)
            bottoms.append(float(each.get("y", "")) + float(each.get("height", "")) + 2.0)
    for each in root.iter(f"{SVG}use"):
        tops, bottoms = [*tops, float(each.get("y", "")) - LETTERS], [*bottoms, float(each.get("y", "")) + LETTERS]
    for each in set(root.iter(f"{SVG}path")) - hidden:
        if not each.get("clip-path") and not _is_bare(each):
            places = np.array(re.findall(r"-?\d+\.?\d*", each.get("d", "")), dtype=float)[1::2]
            tops, bottoms = [*tops, places.min() - 2.0], [*bottoms, places.max() + 2.0]
    height = float(root.get("viewBox", "").split()[3])
    return max(0.0, min(tops)), min(height, max(bottoms))


def _find_lines(parent: ElementTree.Element, down: float = 0.0) -> Iterator[float]:
    """Yield the places of the lines of text down the page."""
    for each in parent:
        moved = re.search(r"translate\(\S+ (\S+)\)", each.get("transform", ""))
        here = down + (float(moved[1]) if moved else 0.0)
        if each.tag == f"{SVG}text":
            yield here + float(each.get("y", "0"))
        yield from _find_lines(each, here)


def _flatten(parent: ElementTree.Element, names: dict[str, str], is_data: bool = False) -> Iterator[tuple[str, str]]:
    """Yield what is drawn, each after the attributes that its neighbours may share."""
    for each in parent:
        tag = each.tag.removeprefix(SVG)
        if tag in ("style", "metadata") or _is_bare(each):
            continue
        if tag == "g" and not {"style", "clip-path", "transform"} & set(each.attrib):
            yield from _flatten(each, names, is_data or each.get("id", "").startswith(DATA))
        elif tag == "defs":
            inner = "".join(_grouped(_flatten(each, names)))
            if inner:
                yield "", f"<defs>{inner}</defs>"
        else:
            yield _read_shared(each, names), _write(each, tag, names, is_data)


def _is_bare(element: ElementTree.Element) -> bool:
    """Return whether an element is a path with neither a colour nor a line."""
    style = element.get("style", "")
    return element.tag == f"{SVG}path" and not element.get("id") and "fill: none" in style and "stroke:" not in style


def _read_shared(element: ElementTree.Element, names: dict[str, str]) -> str:
    """Return the attributes of an element that others may have, too."""
    style = NEEDLESS.sub("", element.get("style", "").replace(": ", ":").replace("; ", ";"))
    parts = {"clip-path": element.get("clip-path"), "style": re.sub(r"(\d\.\d\d)\d+", r"\1", style)}
    return _rename("".join(f' {key}="{value}"' for key, value in parts.items() if value), names)


def _write(element: ElementTree.Element, tag: str, names: dict[str, str], is_data: bool) -> str:
    """Return an element with the attributes of its own."""
    own = {"lang": "en"} if is_data and tag == "text" else {}
    for key, value in element.attrib.items():
        if key == "id" and value in names:
            own["id"] = names[value]
        elif key == "d":
            own["d"] = _shorten_path(value)
        elif tag == "pattern" and key in ("width", "height"):
            own[key] = _tenths(SIDE / _count_tiles(element))
        elif key == LINK:
            own["href"] = _rename(value, names)
        elif key not in ("id", "style", "clip-path") and not value.startswith("rotate(-0 "):
            own[key] = re.sub(r"-?\d+\.\d+", lambda found: _tenths(found[0]), value)
    if tag == "pattern" and _count_tiles(element) > 1:
        element = _cut_tile(element)
    told = escape((element.text or "").strip("\n "), quote=False)
    inner = told + "".join(_grouped(_flatten(element, names)))
    head = f"<{tag}" + "".join(f' {key}="{value}"' for key, value in own.items())
    return f"{head}>{inner}</{tag}>" if inner else f"{head}/>"


def _read_marks(pattern: ElementTree.Element) -> dict[tuple[int, int], str]:
    """Return the closed curves of a hatch by their centres, in hundredths of a point."""
    path = pattern.find(f"{SVG}path")
    lines = re.findall(r"M[^M]*", "" if path is None else path.get("d", ""))
    marks = {}
    for line in filter(lambda line: "C" in line, lines):
        points = np.array(re.findall(r"-?\d+\.?\d*", line), dtype=float).reshape(-1, 2)
        marks[tuple(np.rint(50.0 * (points.min(axis=0) + points.max(axis=0))).astype(int).tolist())] = line
    return marks


def _count_tiles(pattern: ElementTree.Element) -> int:
    """Return how many equal tiles lie along the side of a hatch of small circles; 1 for any other."""
    centres = set(_read_marks(pattern))
    for count in (24, 12, 6, 4, 3, 2) if centres else ():
        step = round(100.0 * SIDE / count)
        moved = {(x + dx, y + dy) for x, y in centres for dx, dy in ((step, 0), (0, step))}
        if {each for each in moved if max(each) <= 100 * SIDE} <= centres:
            return count
    return 1


def _cut_tile(pattern: ElementTree.Element) -> ElementTree.Element:
    """Return a hatch of small circles with those of its first tile alone."""
    most = round(100.0 * SIDE / _count_tiles(pattern))
    path = pattern.find(f"{SVG}path")
    assert path is not None
    d = " ".join(line for centre, line in _read_marks(pattern).items() if max(centre) <= most)
    tile = ElementTree.Element(pattern.tag)
    tile.append(ElementTree.Element(path.tag, {**path.attrib, "d": d}))
    ground = pattern.find(f"{SVG}rect")
    if ground is not None and ground.get("fill") != "none":
        tile.insert(0, ground)
    return tile


def _rename(text: str, names: dict[str, str]) -> str:
    return re.sub(r"#(\w+)", lambda found: f"#{names.get(found[1], found[1])}", text)


def _grouped(parts: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Yield elements, neighbours with the same attributes within one group: of marks and texts, marks come first."""
    sorted_parts = (
        part
        for _, run in groupby(parts, key=lambda part: part[1].startswith(("<use", "<text")) and "clip" not in part[0])
        for part in sorted(run, key=lambda part: part[1].startswith("<text"))
    )
    for shared, run in groupby(sorted_parts, key=lambda part: part[0]):
        inner = [part for _, part in run]
        if shared and len(inner) > 1:
            yield f"<g{shared}>{''.join(inner)}</g>"
        else:
            yield from (re.sub(r"^<(\w+)", lambda found: found[0] + shared, part) for part in inner)  # noqa: B023


def _shorten_path(d: str) -> str:
    """Return a path in tenths, each of its lines relative to the last point; curves, of marks, in hundredths."""
    if re.search("[CQ]", d):
        return " ".join(re.sub(r"-?\d+\.?\d*", lambda found: _trim(f"{float(found[0]):.2f}"), d).split())
    lines = []
    for line in re.findall(r"M[^M]*", d):
        points = np.array(re.findall(r"-?\d+\.?\d*", line), dtype=float).reshape(-1, 2)
        places = np.rint(10.0 * simplify(points)).astype(int)
        steps = [step for step in np.diff(places, axis=0) if step.any()] or [(0, 0)] * (len(places) > 1)
        told = f"M{_join(places[0])}" + (f"l{' '.join(map(_join, steps))}" if len(steps) else "")
        lines.append(told.replace(" -", "-") + ("z" if "z" in line else ""))
    return "".join(lines)


def _join(tenths: NDArray[np.int64] | tuple[int, int]) -> str:
    return " ".join(_tenths(each / 10.0) for each in tenths)


def _tenths(value: str | float) -> str:
    return _trim(f"{float(value):.1f}")


def _trim(number: str) -> str:
    short = number.rstrip("0").rstrip(".") if "." in number else number
    return "0" if short in ("-0", "0", "") else re.sub(r"^(-?)0\.", r"\1.", short)


def simplify(points: NDArray[np.float64], loss: float = LOSS) -> NDArray[np.float64]:
    """Return the points of a line that it needs to be within a distance of all of them (Douglas & Peucker 1973)."""
    kept = np.zeros(len(points), dtype=bool)
    kept[[0, -1]] = True
    pieces = [(0, len(points) - 1)]
    while pieces:
        first, last = pieces.pop()
        if last - first < 2:
            continue
        between, along = points[first + 1 : last] - points[first], points[last] - points[first]
        share = np.clip(between @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        apart = np.hypot(*(between - share[:, None] * along).T)
        far = first + 1 + int(np.argmax(apart))
        if apart.max() > loss:
            kept[far] = True
            pieces += [(first, far), (far, last)]
    return points[kept]
