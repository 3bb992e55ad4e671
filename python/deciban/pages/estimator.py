"""`model.report(X, y)`, for every classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deciban.threads import OnThreads

if TYPE_CHECKING:
    from .report import Report


class Reports(OnThreads):
    """A classifier that tells of itself on a page."""

    def report(self, X: Any = None, y: Any = None, *, language: str | None = None) -> Report:
        """A page: what was learnt, how well that is proven and, of examples X with labels y (N,) that were not learnt,
        how sure it is: errors with intervals, confusions, what a threshold costs, reliability, examples with evidence.

        In a notebook it shows itself; `report(…).save("page.html")` writes it. `language` is "en" or "ko", else that
        of LANG. Raises NotFittedError before `fit`, ImportError without Jinja2 and Matplotlib (`deciban[report]`),
        ValueError where X and y do not fit together or to the model.
        """
        from .judged import report

        return report(self, X, y, language)
