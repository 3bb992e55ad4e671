"""A progress bar on stderr while a network learns: the epoch, and how wrong it is."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress

    from ..networks.history import Epoch

PATIENCE = 1.0  # seconds before there is anything to see


class Epochs:
    """Told of each epoch, as `MLPClassifier.watched_by` asks; draws on a terminal only, if it goes on for a second.

    with Epochs(quiet) as epochs:
        model = recipe.learn(rows, watch=epochs)
    """

    def __init__(self, quiet: bool = False) -> None:
        self.visible = not quiet and sys.stderr.isatty()
        self.started = perf_counter()
        self.bar: Progress | None = None

    def __enter__(self) -> Epochs:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, epoch: Epoch, most: int) -> None:
        """Another epoch is done; there are `most` at most."""
        if not self.visible:
            return
        if self.bar is None:
            if perf_counter() - self.started < PATIENCE:
                return
            self.bar = self._new(epoch, most)
            self.bar.start()  # known by then, so that whatever comes, it is stopped
        self.bar.update(self.bar.task_ids[0], completed=epoch.epoch, told=told(epoch))

    def _new(self, epoch: Epoch, most: int) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("Epoch"), MofNCompleteColumn(), BarColumn(), TextColumn("{task.fields[told]}"))
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("", total=most, completed=epoch.epoch, told=told(epoch))
        return bar


def told(epoch: Epoch) -> str:
    """Return what is wrong of the examples held out, of those learnt from where there are none; and the time.

    >>> from deciban.networks.history import Epoch
    >>> told(Epoch(3, 0.4, 0.11, 0.5, 0.1234, 0.001, (), (), (), 1.0))
    'validation error 12.34 %, 1 s'
    """
    named, error = "validation error", epoch.validation_error
    if error is None:
        named, error = "error", epoch.error
    return f"{named} {100.0 * error:.2f} %, {epoch.seconds:.0f} s"
