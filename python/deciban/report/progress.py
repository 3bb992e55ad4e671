"""A progress bar on stderr, for work that takes more than a moment; numbers of things and sizes as people read them."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress


_PATIENCE = 1.0  # seconds before there is anything to see


class Meter:
    """Told of bytes as they are read; draws on a terminal only, and only if the work goes on for a second.

    Without a known total it shows how much has been read.
    """

    def __init__(self, what: str, total: int | None, quiet: bool = False) -> None:
        self.what, self.total = what, total or None
        self.visible = not quiet and sys.stderr.isatty()
        self.done, self.started = 0, perf_counter()
        self.bar: Progress | None = None

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar away, if there is one."""
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, size: int) -> None:
        """Show that `size` more bytes were read."""
        self.done += size
        if not self.visible:
            return
        if self.bar is None:
            if perf_counter() - self.started < _PATIENCE:
                return
            self.bar = self._draw()
        self.bar.update(self.bar.task_ids[0], completed=min(self.done, self.total or self.done))

    def _draw(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task(self.what, total=self.total)
        bar.start()
        return bar


def format_count(n: int, what: str, many: str | None = None) -> str:
    """Format `1 message`, `2,000 messages`.

    >>> format_count(1, "class", "classes"), format_count(2000, "message")
    ('1 class', '2,000 messages')
    """
    return f"{n:,} {what if n == 1 else many or what + 's'}"


def format_size(count: float) -> str:
    """Format a number of bytes.

    >>> format_size(512), format_size(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    if count < 1000:
        return f"{int(count)} bytes"
    power = 1 if count < 999.5e3 else 2 if count < 999.5e6 else 3
    return f"{count / 1000**power:,.{2 if power == 3 else 0 if count / 1000**power >= 100 else 1}f} {'kMG'[power - 1]}B"
