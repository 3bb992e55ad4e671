"""What a server logs: lines of text, or an object of JSON a line; and a line for each request, where that is asked for.

No text of a message and no token is in any line: of an error that nobody expected only its type and its place are told,
as what it says may quote either.
"""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from secrets import token_hex
from time import perf_counter
from typing import Any

from ..json_text import json_line

FORMATS = ("text", "json")
_requests = logging.getLogger("deciban.requests")
_requests.setLevel(logging.CRITICAL)  # until they are asked for


class TextLines(logging.Formatter):
    """The message alone."""

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Return where an error came from, and its type."""
        kind, _, place = ei
        return "".join(traceback.format_tb(place)) + (kind.__name__ if kind else "")


class JsonLines(TextLines):
    """An object a line: the time, the level, the process, the message, and what a request has."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        about = {"time": time, "level": record.levelname.lower(), "process": record.process}
        about |= getattr(record, "request", None) or {"message": record.getMessage()}
        if record.exc_info:
            about["error"] = self.formatException(record.exc_info)
        return json_line(about)


def set_up_logs(level: int, log_format: str, log_requests: bool) -> None:
    """Log to standard error from now on, in one of `FORMATS`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)  # that its workers start and end is no news
    _requests.setLevel(logging.INFO if log_requests else logging.CRITICAL)


def logs_requests() -> bool:
    """Whether each request is logged."""
    return _requests.isEnabledFor(logging.INFO)


class RequestLog:
    """A request from when it came; `finish` logs it, with what is known of it by then.

    Parameters
    ----------
    protocol : str
        "http", "spamd", "rspamd" or "milter".
    what : str
        The command, or the path.
    request_id : str
        Its id; empty for a new one.

    Attributes
    ----------
    size : int
        Bytes of its message.
    verdict : str or None
        What the message was taken for, or what became of a lesson.
    score : float or None
        Its score.
    """

    size: int = 0
    verdict: str | None = None
    score: float | None = None

    def __init__(self, protocol: str, what: str, request_id: str = "") -> None:
        self._began, self._protocol, self._what, self._id = perf_counter(), protocol, what, request_id

    def finish(self, **more: object) -> None:
        """Log it."""
        if not logs_requests():
            return
        milliseconds = round(1e3 * (perf_counter() - self._began), 3)
        about: dict[str, Any] = {"id": self._id or token_hex(8), "protocol": self._protocol, "request": self._what}
        about |= {"verdict": self.verdict, "score": self.score, **more, "ms": milliseconds, "bytes": self.size}
        about = {name: value for name, value in about.items() if value is not None}
        shown = " ".join(f"{name}={value}" for name, value in about.items())
        _requests.info("request %s", shown, extra={"request": about})
