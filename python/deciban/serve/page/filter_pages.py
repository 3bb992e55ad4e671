"""Pages of the filter: its threshold, how it does, what it is, and its snapshots."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from ...conventions import percent
from ...mail.health import Finding, Health, examine
from ...mail.history import History
from ...mail.journal import Journal
from ...mail.snapshots import roll_back, snapshots, take_snapshot
from ...mail.taught import read_solved
from ...report.terminal import name
from ..kept import Query
from ..live import LiveFilter
from ..review import Review
from . import charts
from .texts import Texts
from .views import Consequences, Views, changed, consequences, error_over_time, histogram, volume

if TYPE_CHECKING:
    from .app import Visit

_ALL = 100_000
_CHANGED = 30  # messages of those that would change
_DAYS = 30
_WORDS = 12
Handled = tuple[str, Callable[["Visit"], Awaitable[Response]], str]


@dataclass(frozen=True)
class FilterPages:
    """The pages of a filter."""

    known: LiveFilter
    review: Review | None
    _lock: Lock = field(default_factory=Lock)
    _card: dict[str, Any] = field(default_factory=dict)

    def handlers(self) -> list[Handled]:
        """Return what is shown at which path."""
        return [
            ("/threshold", self.threshold, "GET"),
            ("/trends", self.trends, "GET"),
            ("/model", self.model, "GET"),
            ("/snapshots", self.snapshots, "GET"),
            ("/snapshots", self.take, "POST"),
            ("/snapshots/{name}", self.confirm, "GET"),
            ("/snapshots/{name}", self.roll_back, "POST"),
        ]

    # --- threshold -----------------------------------------------------------------------------------------

    async def threshold(self, visit: Visit) -> Response:
        """Show what another threshold would do to the messages that are kept."""
        if self.review is None:
            return visit.render("off.html", title="threshold.title", page="threshold")
        at = _decibans(visit.query.get("at", ""), self.known.threshold)
        return visit.render("threshold.html", page="threshold", at=at, **await visit.run(partial(self._at, visit, at)))

    def _at(self, visit: Visit, at: float) -> dict[str, Any]:
        assert self.review is not None
        spam, texts, used = self.known.spam, visit.texts, self.known.threshold
        found = self.review.select(Query(limit=_ALL))
        views = Views(self.review, texts)
        more, less = changed(found, used, at)
        stops = [consequences(found, float(t), spam) for t in range(charts.LOWEST, charts.HIGHEST + 1)]
        marks = charts.threshold_mark(used, texts("threshold.now", threshold=f"{used:g}"), "used")
        marks += charts.threshold_mark(at, "", "chosen")
        labels = [
            (charts.place(t, charts.LOWEST, charts.HIGHEST), f"{t:g}".replace("-", "−")) for t in range(-40, 61, 20)
        ]
        says = texts("threshold.histogram", label=views.class_name(spam))
        shown = [*more[:_CHANGED], *less[:_CHANGED]]
        return {
            "views": views,
            "n": len(found),
            "labelled": {
                "ham": sum(each.label == self.known.ham for each in found),
                "spam": sum(each.label == spam for each in found),
            },
            "own": consequences(found, at, spam),
            "stops": json.dumps([_stop(each) for each in stops]),
            "chart": charts.columns(histogram(found, spam), says, labels, marks),
            "more": len(more),
            "less": len(less),
            "rows": [views.row(each) for each in shown],
            "used": used,
            "cost": _cost(at),
            "expected": _number(consequences(found, at, spam).cost),
        }

    # --- trends --------------------------------------------------------------------------------------------

    async def trends(self, visit: Visit) -> Response:
        """Show volume, error and drift over time."""
        return visit.render("trends.html", page="trends", **await visit.run(partial(self._trends, visit.texts)))

    def _trends(self, texts: Texts) -> dict[str, Any]:
        health = examine(self.known.path)
        return {
            "health": health,
            "volume": self._volume(texts),
            "error": self._error(texts, health),
            "slope": f"{health.drift.slope:.2f}",
            "is_steady": health.drift.slope == 1.0,
            "to_do": [_named(each, texts) for each in health.findings],
            "days": _DAYS,
        }

    def _volume(self, texts: Texts) -> dict[str, Any] | None:
        stacks = [] if self.review is None else volume(self.review, _DAYS)
        total = sum(each.total for each in stacks)
        if not total:
            return None
        sums = {kind: sum(dict(each.counts)[kind] for each in stacks) for kind in ("spam", "ham", "unsure")}
        told = {
            key: f"{n:,}" for key, n in {**sums, "total": total, "most": max(each.total for each in stacks)}.items()
        }
        says = texts("trends.volume.says", n=_DAYS, **told)
        width = 100.0 / len(stacks)
        labels = [((k + 0.5) * width, each.label) for k, each in enumerate(stacks) if k % 7 == (len(stacks) - 1) % 7]
        return {"chart": charts.columns(stacks, says, labels), "says": says, "sums": sums}

    def _error(self, texts: Texts, health: Health) -> dict[str, Any] | None:
        since = health.since
        if since is None or not since.n:
            return None
        with Journal.open(self.known.path, write=False) as journal:
            labelled = [] if journal is None else History(journal.connection).labelled()
        shares = error_over_time(labelled)
        rate = _share(since.errors / since.n)
        interval = None if health.error_interval is None else [_share(each) for each in health.error_interval]
        chart = None
        if len(shares) > 1:
            first, last = (texts.day(labelled[k][0]) for k in (0, -1))
            now = _share(shares[-1])
            says = texts("trends.error.says", window=min(50, len(labelled)), last=now)
            chart = charts.curve(shares, says, first, last, now)
        return {"since": since, "rate": rate, "interval": interval, "chart": chart}

    # --- model ---------------------------------------------------------------------------------------------

    async def model(self, visit: Visit) -> Response:
        """Show what the filter was trained on, and its certificate."""
        return visit.render("model.html", page="model", **await visit.run(partial(self._model, visit.texts)))

    def _model(self, texts: Texts) -> dict[str, Any]:
        from ...pages import learnt
        from ...pages.words import Words
        from ...report.filter_inventory import inventory_of

        with self._lock:
            version = self.known.snapshot.version
            if self._card.get("version") != version:
                found = inventory_of(read_solved(self.known.path), self.known.path, _WORDS)
                self._card.update(version=version, found=found)
            found = self._card["found"]
        words = Words(texts.language).about("mail")
        classes = {texts.known("class", label): count for label, count in found.classes.items()}
        names = [learnt.describe_training([*learnt.of_texts(found, words)], classes, words)]
        if found.certificate:
            names.append(learnt.certificate(found.certificate, words))
        evidence = {
            label: [(each.term, f"{each.decibans:.1f}", f"{each.rate:.2g}") for each in some]
            for label, some in found.evidence.items()
        }
        return {"sections": names, "evidence": evidence}

    # --- snapshots -----------------------------------------------------------------------------------------

    async def snapshots(self, visit: Visit) -> Response:
        """Show the snapshots."""
        notice = ""
        for key in ("taken", "rolled"):
            if key in visit.query:
                notice = visit.texts(f"snapshots.{key}", name=name(visit.query[key][:80]))
        found = await visit.run(partial(self._snapshots, visit.texts))
        return visit.render("snapshots.html", page="snapshots", notice=notice, **found)

    def _snapshots(self, texts: Texts) -> dict[str, Any]:
        found = snapshots(self.known.path)[::-1]
        return {"found": [(each.name, texts.moment(each.made), texts.size(each.size)) for each in found]}

    async def take(self, visit: Visit) -> Response:
        """Take a snapshot."""
        taken = await visit.teach(partial(take_snapshot, self.known.path))
        return visit.go("/snapshots", taken=taken.name)

    async def confirm(self, visit: Visit) -> Response:
        """Ask whether the filter is to return to a snapshot."""
        called = visit.request.path_params["name"]
        found = next(
            (each for each in await visit.run(partial(snapshots, self.known.path)) if each.name == called), None
        )
        if found is None:
            return visit.render("problem.html", 404, key="problem.missing", detail="")
        return visit.render("confirm.html", page="snapshots", name=called, made=visit.texts.moment(found.made))

    async def roll_back(self, visit: Visit) -> Response:
        """Return to a snapshot."""
        called = visit.request.path_params["name"]
        await visit.teach(partial(roll_back, self.known.path, called))
        await visit.run(self.known.follow)
        return visit.go("/snapshots", rolled=called)


def _decibans(text: str, default: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return default
    return min(max(value, charts.LOWEST), charts.HIGHEST) if value == value else default


def _named(found: Finding, texts: Texts) -> Finding:
    """Return a finding that calls classes by their names on the page, but in commands."""
    values = dict(found.values)
    if "labels" in values:
        values["labels"] = ", ".join(texts.known("class", each) for each in values["labels"].split(", "))
    elif "label" in values:
        values["label"] = texts.known("class", values["label"])
    return Finding(found.kind, values)


def _stop(each: Consequences) -> list[Any]:
    return [
        each.threshold,
        each.spam,
        each.false_positives,
        each.false_negatives,
        _number(each.cost),
        _cost(each.threshold),
    ]


def _share(share: float) -> str:
    return percent(share).replace(" ", "\u00a0")


def _cost(decibans: float) -> str:
    """Return odds as people read them.

    >>> _cost(10.0), _cost(-3.0), _cost(60.0), _cost(12.0)
    ('10', '0.5', '1,000,000', '16')
    """
    return _number(10.0 ** (decibans / 10.0))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10.0 or value == int(value) else f"{value:.1g}"
