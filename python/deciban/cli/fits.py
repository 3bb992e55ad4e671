"""A progress bar on stderr while models are fitted one after the other: whose turn it is, and how many are left."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

from .epochs import PATIENCE

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress

    from ..evaluation.cross_validation import Fit


class Fits:
    """Told of each fit, as `CrossValidation` asks; draws on a terminal only, and only if it goes on for a second.

    with Fits(quiet) as fits:
        CrossValidation(labelled, learners, plan, callback=fits).run()
    """

    def __init__(self, quiet: bool = False) -> None:
        self.visible = not quiet and sys.stderr.isatty()
        self.started = perf_counter()
        self.bar: Progress | None = None

    def __enter__(self) -> Fits:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, fit: Fit) -> None:
        """Another fit is done."""
        if not self.visible:
            return
        if self.bar is None:
            if perf_counter() - self.started < PATIENCE:
                return
            self.bar = self._new(fit)
            self.bar.start()  # known by then, so that whatever comes, it is stopped
        self.bar.update(self.bar.task_ids[0], completed=fit.done, total=fit.total, told=told(fit))

    def _new(self, fit: Fit) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("Fitted"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.fields[told]}"))
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("", total=fit.total, completed=fit.done, told=told(fit))
        return bar


def told(fit: Fit) -> str:
    """Return whose fit it was, and the time.

    >>> from deciban.evaluation.cross_validation import Fit
    >>> told(Fit("svm", 1200, 3, 20, 7.2))
    'svm of 1,200, 7 s'
    """
    return f"{fit.model} of {fit.n:,}, {fit.seconds:.0f} s"
