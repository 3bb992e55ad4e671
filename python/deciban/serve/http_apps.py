"""Which application answers at which socket of HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from socket import socket
from typing import Any

from starlette.applications import Starlette

from .api import Api
from .http_app import HttpApp
from .http_service import HttpService
from .keeping import Keeper
from .keeping_users import keep_of_all
from .live import LiveFilter, LiveModel
from .metrics import Metrics
from .page.app import page_routes
from .review import review_of
from .review_api import ReviewRoutes
from .rspamd import RspamdApp
from .server_options import ServerOptions
from .shared import Shared
from .user_filters import UserFilters
from .worker import Service


@dataclass(frozen=True)
class HttpApps:
    """The API, and the protocol of rspamd. Made before the workers are started, as their counters are shared."""

    known: LiveModel
    asks_always: bool
    keeper: Keeper | None = None
    users: UserFilters | None = None
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        if self.keeper is not None:
            self.keeper.count = self.metrics.count_kept

    def services(self, sockets: Mapping[str, list[socket]]) -> list[Service]:
        """Return what serves these sockets."""
        found: list[Service] = []
        if sockets["http"]:
            found.append(HttpService(sockets["http"], self.api))
        if sockets["rspamd"]:
            found.append(HttpService(sockets["rspamd"], self.rspamd))
        return found

    def api(self, shared: Shared, options: ServerOptions) -> Any:
        """Return the application of the API."""
        app = HttpApp(
            Api(self.known, self.keeper), shared, self.metrics, options.token, self.asks_always, users=self.users
        )
        review = review_of(self.known, self.keeper)
        app.routes = [*ReviewRoutes(app, review).routes(), *page_routes(app, self.known, review)]
        return app.build()

    def rspamd(self, shared: Shared, options: ServerOptions) -> Any:
        """Return the application of rspamd's protocol."""
        assert isinstance(self.known, LiveFilter)
        learns = options.allow_tell or options.token is not None
        known, users = keep_of_all(self.known, self.users, self.keeper, "rspamd")
        return Starlette(routes=RspamdApp(known, shared, options.token, learns, users).routes())
