"""Evidence as bars to two sides of a line."""

from __future__ import annotations

from rich.text import Text

from .terminal import Screen


def bar(value: float, most: float, half: int, on: Screen, colours: tuple[str, str], many: bool = False) -> Text:
    """A bar of value/most of `half` columns: to the right of the line in colours[0] if positive, else to the left.

    Half columns are drawn where Unicode can be; whatever is not zero shows at least a sliver. The sum of `many`
    pieces is shaded, and may be more than the bar has room for.
    """
    steps = 1 if on.ascii_only else 2
    length = min(round(abs(value) / most * half * steps), half * steps) if most > 0 else 0
    if value != 0:
        length = max(length, 1)
    whole, part = divmod(length, steps)
    full, sliver = on.pick("█", "+" if value > 0 else "-"), "▌" if value > 0 else "▐"
    if many:
        full, sliver = on.pick("░", "."), " "
    drawn = full * whole + sliver * part
    middle = on.pick("│", "|")
    if value < 0:
        left, right = " " * (half - whole - part) + drawn[::-1], " " * half
    else:
        left, right = " " * half, drawn + " " * (half - whole - part)
    line = Text(left, style=colours[1])
    line.append(middle, style="dim")
    line.append(right, style=colours[0])
    return line
