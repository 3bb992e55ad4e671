"""What a comparison found, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .comparison import Compared, Comparison


def statement(found: Comparison) -> str:
    """Who errs least, from whom it cannot be told, and who errs more."""
    if not found.rows:
        return "No model was finished."
    best = found[str(found.best)]
    said = [f"{best.model} errs least, {_error(best)}." if len(found.rows) > 1 else f"{best.model}: {_error(best)}."]
    if len(found.rows) == 1:
        return said[0]
    alike = found.not_distinguishable
    if alike:
        said.append(f"Not distinguishable from it {_is(alike)} {listed(alike)}; the simplest is {found.simplest}.")
    more = [row for row in found.rows if row.model not in (best.model, *alike)]
    said += [f"{each.model} errs more, by {_more(found, each)}." for each in more]
    if not more and len(found.rows) > 1:
        said.append("No difference is real.")
    said.append(f"By McNemar's exact test with Holm's rule over {_tests(found)}, level {100 * found.level:g} %.")
    return " ".join(said)


def _error(row: Compared) -> str:
    low, high = row.interval
    return f"{percent(row.error)} of {row.n:,} ({100 * low:.2f} to {percent(high)})"


def _more(found: Comparison, row: Compared) -> str:
    pair = found.pair(row.model, str(found.best))
    return f"{100 * abs(pair.difference):.2f} points ({probable(pair.p)})"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _tests(found: Comparison) -> str:
    return "one pair" if len(found.pairs) == 1 else f"{len(found.pairs)} pairs"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def percent(share: float) -> str:
    """A share in per cent with two decimals.

    >>> percent(0.0632)
    '6.32 %'
    """
    return f"{100 * share:.2f} %"


def probable(p: float) -> str:
    """A probability as people read it.

    >>> probable(0.0312), probable(1e-9)
    ('p = 0.031', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"
