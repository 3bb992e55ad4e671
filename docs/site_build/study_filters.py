"""How the templates of docs/studies/ show numbers: filters, and the few functions that their claims need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan, log
from typing import Any

NO_BREAK = "\N{NO-BREAK SPACE}"


def thousands(n: float) -> str:
    """Return a whole number, thousands apart: 12,345."""
    return f"{n:,.0f}"


def digits(value: float, places: int = 2) -> str:
    """Return a number with so many places: 1.50."""
    return f"{value:,.{places}f}"


def signed(value: float, places: int = 1) -> str:
    """Return a number with its sign, and the minus sign of typography: −1.5."""
    return f"{value:+.{places}f}".replace("-", "−")


def number(value: float, figures: int = 6) -> str:
    """Return a number with so many figures and the minus sign of typography: −0.5."""
    return f"{value:.{figures}g}".replace("-", "−")


def percent(share: float, places: int = 1) -> str:
    """Return a share in percent, not to be torn from its sign: 12.3 %."""
    return f"{100 * share:.{places}f}{NO_BREAK}%"


def share(value: float) -> str:
    """Return a share in percent, with a digit more where it is small: 12.3 %, 1.23 %."""
    return percent(value, 1 if value >= 0.0995 or value == 0 else 2)


def hundredths(share: float, places: int = 2) -> str:
    """Return a share in percent, without the sign: 12.34."""
    return f"{100 * share:.{places}f}"


def nats(loss: float | None, places: int = 3) -> str:
    """Return a log loss, without digits where it is large; nothing where a model has none."""
    if loss is None or isnan(loss):
        return ""
    return f"{loss:.{places}f}" if loss < 10 else f"{loss:,.0f}"


def ratio(times: float) -> str:
    """Return how many times, two digits, and no powers of ten."""
    return f"{times:.2g}" if times < 100 else f"{times:,.0f}"


def seconds(taken: float) -> str:
    """Return a time: 1.5 s, and 15 s."""
    return f"{taken:.0f} s" if taken >= 10 else f"{taken:.1f} s"


def listed(names: Iterable[str]) -> str:
    """Return names in a sentence; "none" of none."""
    *head, last = list(names) or ["none"]
    return f"{', '.join(head)} and {last}" if head else last


def table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = (f"| {' | '.join(map(str, row))} |" for row in rows)
    return "\n".join([f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *lines])


SHOW = (thousands, digits, number, signed, percent, share, hundredths, nats, ratio, seconds, listed)
FILTERS = {each.__name__: each for each in SHOW}
OF_LANGUAGES: dict[str, dict[str, Callable[..., str]]] = {
    "ko": {
        "listed": lambda names: ", ".join(names) or "없음",
        "seconds": lambda taken: seconds(taken).replace(" s", "초"),
    }
}
"""What is shown otherwise in another language."""
FUNCTIONS = {"abs": abs, "log": log, "max": max, "min": min, "all": all, "any": any}
