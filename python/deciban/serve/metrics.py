"""Counters of all workers of a server, for Prometheus.

The workers count in files that they share (the multiprocess mode of prometheus-client); whoever asks one of them gets
the sums of all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from typing import Any

from ..files.system import flags, try_to_lock

_PREFIX, _LOCK = "deciban-metrics-", "lock"
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Metrics:
    """Requests by path and status, and how long they took. Made before the workers are started."""

    CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self) -> None:
        remove_leftovers(tempfile.gettempdir())
        self.folder = tempfile.mkdtemp(prefix=_PREFIX)
        self._lock = os.open(os.path.join(self.folder, _LOCK), flags("O_RDWR", "O_CREAT", "O_EXCL"), 0o600)
        try_to_lock(self._lock)  # for as long as the server lives
        self._requests: Any = None
        self._seconds: Any = None
        self._kept: Any = None

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        if self._requests is None:
            self._begin()
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def count_kept(self, outcome: str, n: int) -> None:
        """Count messages that were kept, or were not."""
        if self._requests is None:
            self._begin()
        self._kept.labels(outcome).inc(n)

    def _begin(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram, values

        # Counters look here for their folder. What they are was chosen when the module was imported, perhaps by
        # somebody else, and before there was a folder.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = self.folder
        values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        self._kept = Counter(
            "deciban_kept_messages",
            "Messages that were kept for review, or could not be.",
            ["outcome"],
            registry=registry,
        )
        self._requests = Counter(
            "deciban_requests", "Requests that were answered.", ["path", "status"], registry=registry
        )
        self._seconds = Histogram(
            "deciban_request_seconds",
            "Seconds from the header of a request to its answer.",
            ["path"],
            buckets=_SECONDS,
            registry=registry,
        )

    def expose(self) -> bytes:
        """Return the sums over all workers in the format of Prometheus."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=self.folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

    def remove(self) -> None:
        """Remove the files of the counters."""
        os.close(self._lock)
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_leftovers(folder: str) -> None:
    """Remove the counters of servers that were killed: those of this user that nobody has locked."""
    for name in os.listdir(folder):
        if name.startswith(_PREFIX):
            with suppress(OSError):
                _remove_unlocked(os.path.join(folder, name))


def _remove_unlocked(path: str) -> None:
    if hasattr(os, "geteuid") and os.lstat(path).st_uid != os.geteuid():
        return
    handle = os.open(os.path.join(path, _LOCK), flags("O_RDWR", "O_NOFOLLOW"))
    try:
        unused = try_to_lock(handle)
    finally:
        os.close(handle)
    if unused:
        shutil.rmtree(path)
