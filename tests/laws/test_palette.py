"""The palette: colours that colour-blind readers tell apart, text that can be read, the same in every style sheet."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import deciban
from deciban.report.palette import COLOURS, IN_THE_DARK, INK, PAPER, TONES, variables

PACKAGE = Path(deciban.__file__).parent
ROOT = Path(__file__).parents[2]

# Machado, Oliveira & Fernandes, IEEE Transactions on Visualization and Computer Graphics 15 (2009), severity 1.
VISIONS = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    """Linear RGB of a colour such as #0072b2."""
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast of WCAG 2."""
    dark, light = sorted(float(XYZ[1] @ linear(each)) for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(colour, vision):
    """CIE L*a*b* of a colour as it is seen."""
    seen = XYZ @ np.clip(np.array(VISIONS[vision]) @ linear(colour), 0.0, 1.0) / XYZ.sum(axis=1)
    f = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("colours", [(*COLOURS, INK), (*IN_THE_DARK, TONES["ink"].dark)], ids=["light", "dark"])
def test_any_two_colours_are_told_apart(colours, vision):
    assert min(np.linalg.norm(lab(a, vision) - lab(b, vision)) for a, b in combinations(colours, 2)) >= 15.0


def test_the_measure_of_the_test_finds_colours_that_are_not_told_apart():
    """Red and green of one lightness, as they are seen without the cones for red."""
    assert np.linalg.norm(lab("#d55e00", "protanopia") - lab("#8a7a00", "protanopia")) < 5.0
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark", "printed"])
def test_text_can_be_read_and_marks_can_be_seen(scheme):
    tones = {key: getattr(tone, scheme) for key, tone in TONES.items()}
    classes = IN_THE_DARK if scheme == "dark" else COLOURS
    for ground in ("paper", "panel", "soft"):
        for text in ("ink", "dim", "blue", "orange"):
            assert contrast(tones[text], tones[ground]) >= 4.5, (text, ground)
    assert contrast(tones["field"], tones["paper"]) >= 3.0
    assert min(contrast(colour, tones["panel"]) for colour in classes) >= 3.0
    assert contrast(INK, PAPER) >= 15.0


def declared(css):
    """The custom properties of a style sheet: those for light pages, then those for dark ones."""
    found = {}
    for key, value in re.findall(r"--([\w-]+):\s*([^;]+);", css):
        found.setdefault(key, []).append(value.strip())
    return found


def test_a_page_has_the_whole_palette():
    found = declared(variables())
    for key, tone in TONES.items():
        assert found[key] == list(tone)
    for c, pair in enumerate(zip(COLOURS, IN_THE_DARK, COLOURS, strict=True)):
        assert found[f"class-{c}"] == list(pair)


SHEETS = {
    "server": (PACKAGE / "serve" / "page" / "static" / "page.css", {"spam": "orange", "ham": "blue"}),
    "site": (
        ROOT / "docs" / "assets" / "site.css",
        {"site-for": "orange", "site-against": "blue", "site-ink": "ink", "site-dim": "dim"},
    ),
}
SHARED = ("paper", "panel", "soft", "ink", "dim", "rule", "field")


@pytest.mark.parametrize("name", SHEETS)
def test_style_sheets_that_stand_alone_have_the_same_colours(name):
    path, renamed = SHEETS[name]
    found = declared(path.read_text(encoding="utf-8"))
    names = {key: key for key in SHARED if key in found} | renamed
    assert len(names) == len(renamed) + (len(SHARED) if name == "server" else 0)
    for own, key in names.items():
        assert found[own][:2] == [TONES[key].light, TONES[key].dark], own


def test_pictures_on_the_site_have_the_colours_of_classes():
    path, _ = SHEETS["site"]
    found = declared(path.read_text(encoding="utf-8"))
    for c, pair in enumerate(zip(COLOURS, IN_THE_DARK, strict=True)):
        assert tuple(found[f"class-{c}"]) == pair


def test_sheets_of_reports_and_of_the_course_have_no_colours_of_their_own():
    for path in (*(PACKAGE / "pages").glob("*.css"), ROOT / "docs" / "course" / "course.css"):
        css = re.sub(r"var\(--[\w-]+, [^)]*\)", "", path.read_text(encoding="utf-8"))
        assert not re.findall(r"#[0-9a-f]{3,8}\b|rgba?\(", css), path.name
        for side, fallback in re.findall(r"var\(--(bar|other), (#\w+)\)", path.read_text(encoding="utf-8")):
            assert fallback == TONES[{"bar": "blue", "other": "orange"}[side]].light
