"""Figures without a display: how they look, and as SVG whose text is text and whose bytes are always the same."""

from __future__ import annotations

import re
import warnings
from contextlib import AbstractContextManager
from html import escape
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any

from .palette import COLOURS, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTE = "missing-letters"
"""The gid of the line that says which letters no font here has: an SVG is drawn with its reader's fonts."""

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.formatter.use_mathtext": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.6,
    "axes.titlecolor": INK,
    "axes.titlesize": 9,
    "axes.unicode_minus": True,
    "figure.dpi": 100,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "hatch.linewidth": 0.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "savefig.dpi": 100,
    "svg.fonttype": "none",
    "svg.hashsalt": "deciban",
    "text.color": INK,
    "text.parse_math": False,
    "text.usetex": False,
    "xtick.color": INK,
    "xtick.labelsize": 8,
    "ytick.color": INK,
    "ytick.labelsize": 8,
}

_PLACES = re.compile(r"\s*(?:<path|<use|[MLCQ] )")

# What else a figure looks like is as Matplotlib comes.
_LOOKS = (
    *("axes.", "contour.", "figure.", "font.", "grid.", "hatch.", "image.", "legend.", "lines.", "markers.", "patch."),
    *("path.", "savefig.", "svg.", "text.", "xaxis.", "xtick.", "yaxis.", "ytick."),
)


def lacking(*modules: str) -> str:
    """Return which of the modules that pictures and pages need are missing, and how to install them; or nothing."""
    needed = {"matplotlib": "Matplotlib", "jinja2": "Jinja2"}
    absent = [needed[name] for name in modules or needed if find_spec(name) is None]
    are = "which are" if len(absent) > 1 else "which is"
    return f"{' and '.join(absent)}, {are} not installed: pip install 'deciban[report]'" if absent else ""


def need_matplotlib(what: str) -> None:
    """Raise ImportError where there is no Matplotlib."""
    missing = lacking("matplotlib")
    if missing:
        raise ImportError(f"{what} needs {missing}")


def use_style() -> AbstractContextManager[None]:
    """Return a context with the settings of figures, whatever those of the program around are."""
    from matplotlib import rc_context, rcParamsDefault

    looks: Any = {key: value for key, value in rcParamsDefault.items() if key.startswith(_LOOKS)}
    return rc_context({**looks, **_STYLE})


def svg(figure: Figure, *, transparent: bool = False) -> str:
    """Return a figure as an SVG document: text is text, and equal figures are equal bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    transparent : bool, default=False
        Whether the background is transparent.

    Returns
    -------
    str
        The document.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> _ = figure.text(0.5, 0.5, "<한글>")
    >>> drawn = svg(figure)
    >>> "&lt;한글&gt;" in drawn, drawn == svg(figure)
    (True, True)
    """
    need_matplotlib("svg")
    notes = figure.findobj(lambda artist: artist.get_gid() == NOTE)
    shown = [note.get_visible() for note in notes]
    file, nothing = StringIO(), dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with use_style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+")  # whoever reads the picture has other fonts
        for note in notes:
            note.set_visible(False)
        try:
            figure.savefig(file, format="svg", metadata=nothing, transparent=transparent)
        finally:
            for note, was in zip(notes, shown, strict=True):
                note.set_visible(was)
    return "".join(map(_shorten, file.getvalue().splitlines(keepends=True)))


def _shorten(line: str) -> str:
    """Return a line without spaces at its end and, where it has places, with hundredths of a point."""
    line = re.sub(r"[ \t]+\n", "\n", line)
    return re.sub(r"(\.\d\d)\d+", r"\1", line) if _PLACES.match(line) else line


def inline(figure: Figure, says: str, prefix: str = "") -> str:
    """Return the figure as an element of a page: it takes the page's colours and width, and `says` describes it.

    `prefix` tells its ids from those of other figures on the page.
    """
    drawn = svg(figure, transparent=True)
    drawn = drawn[drawn.index("<svg") :]
    head, rest = drawn.split(">", 1)
    head = re.sub(r' (?:width|height|version)="[^"]*"', "", head)
    rest = rest.replace(f": {INK}", ": currentColor").replace(f": {PAPER}", ": var(--paper)")
    rest = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{prefix}", rest)
    for c, colour in enumerate(COLOURS):
        rest = rest.replace(f": {colour}", f": var(--class-{c})")
    return f'{head} role="img" aria-label="{escape(says)}">{rest}'
