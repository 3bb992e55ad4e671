"""What a server is asked for, and which of it may change while it runs."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from ..errors import UsageError, escape, unreadable
from ..judging import UNSURE_BELOW
from .endpoints import Endpoint
from .milter_answers import Policy
from .shared import ServerLimits

CHANGEABLE = ("allow_tell", "token", "threshold", "policy", "limits", "level", "log_format", "log_requests")
"""What a server that runs changes at SIGHUP; anything else takes a restart."""
_SHORTEST = 16  # characters of a token


@dataclass(frozen=True)
class ServerOptions:
    """What is served where.

    `endpoints` by protocol; `token` is what HTTP clients show; `keep` is how many days messages are kept for review;
    whether `users` have filters of their own, and the URL of the `store` where they are kept, by default beside the
    filter; `level` and `log_format` are those of what is logged, and `log_requests` tells whether each request is.
    """

    endpoints: Mapping[str, Sequence[Endpoint]]
    allow_tell: bool = False
    token: str | None = None
    workers: int | None = None
    threshold: float = UNSURE_BELOW
    positive: str | None = None
    policy: Policy = field(default_factory=Policy)
    limits: ServerLimits = field(default_factory=ServerLimits)
    level: int = logging.INFO
    log_format: str = "text"
    log_requests: bool = False
    keep: float | None = None
    users: bool = False
    store: str | None = None

    def change_to(self, others: ServerOptions) -> tuple[ServerOptions, list[str]]:
        """Return the other options, but for what takes a restart, and the names of the options that do."""
        differ = [each.name for each in fields(self) if getattr(self, each.name) != getattr(others, each.name)]
        fixed = [name for name in differ if name not in CHANGEABLE]
        named = [name for name in fixed if name != "endpoints"]
        named += [name for name, at in self.endpoints.items() if [*at] != [*others.endpoints.get(name, ())]]
        return replace(others, **{name: getattr(self, name) for name in fixed}), [f"--{name}" for name in named]

    def require_protocols(self, served: Sequence[str]) -> None:
        """Raise UsageError for an option of a protocol that is not served."""
        if "milter" in served:
            return
        for name, score in (("reject", self.policy.reject_from), ("quarantine", self.policy.quarantine_from)):
            if score is not None:
                raise UsageError(f"--milter-{name}-from needs a milter; none is served. Add --milter, or leave it out.")


def read_token(path: str) -> str:
    """Return the token in a file; UsageError for one that is easily guessed."""
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error if isinstance(error, OSError) else OSError(str(error))) from error
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{escape(path)}: expected a token of {_SHORTEST} or more letters, digits and signs. "
            "Make one: openssl rand -hex 16."
        )
    return token
