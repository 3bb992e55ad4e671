"""What docs/compare.md says that could be wrong: each sentence beside what must be so of the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compare_cases import BAYES, LOGISTIC, LOOSE, Curves
from compare_efficiency import Efficiency

CLEAR = 2.0
"""Standard errors of the mean difference from which a difference counts."""


@dataclass(frozen=True)
class Claim:
    """A paragraph, with names of facts in braces, and what must hold for it to be said."""

    says: str
    holds: Callable[[Any], bool]


class UnfoundedError(Exception):
    """A claim that the numbers do not bear out; the text is the claim's."""


def told(claims: Sequence[Claim], found: Any) -> str:
    """The paragraphs, or an UnfoundedError: a page whose numbers say otherwise is not written."""
    for claim in claims:
        if not claim.holds(found):
            raise UnfoundedError(claim.says)
    return "\n\n".join(claim.says.strip() for claim in claims)


# --- learning curves ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """The curves of all problems, and the efficiencies."""

    curves: Mapping[str, Curves]
    efficiencies: Sequence[Efficiency]

    def less(self, name: str, model: str, other: str, *sizes: int) -> bool:
        """Whether `model` errs clearly less than `other` at each of these sizes."""
        return all(self.curves[name].apart(model, other, size) < -CLEAR for size in sizes)

    def alike(self, name: str, model: str, other: str, within: float, *sizes: int) -> bool:
        """Whether their mean errors differ by no more than `within`."""
        curves = self.curves[name]
        return all(abs(curves.share(model, size) - curves.share(other, size)) <= within for size in sizes)

    def crossing(self, name: str, first: str, then: str) -> int | None:
        """The size from which on `then` errs less on average; None where `first` does not begin better."""
        curves = self.curves[name]
        ahead = [curves.share(then, size) < curves.share(first, size) for size in curves.sizes]
        if ahead[0] or not ahead[-1]:
            return None
        return curves.sizes[max(place for place, better in enumerate(ahead) if not better) + 1]

    def facts(self) -> dict[str, Any]:
        """What the paragraphs name: errors by problem, model and size, and efficiencies by distance."""
        errors = {
            name: {
                model: {size: f"{100 * curves.share(model, size):.1f}\N{NO-BREAK SPACE}%" for size in curves.sizes}
                for model in curves.errors
            }
            for name, curves in self.curves.items()
        }
        return {
            **errors,
            "efficient": {
                int(each.distance): {"ratio": f"{each.ratio:.2f}", "theory": f"{each.theory:.2f}"}
                for each in self.efficiencies
                if each.distance == int(each.distance)
            },
            "crossing": {
                "normal": self.crossing("normal", BAYES, LOOSE),
                "news": self.crossing("news", BAYES, LOGISTIC),
            },
        }
