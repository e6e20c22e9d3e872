"""Numbers for Prometheus, in a registry of the service's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters, which rise as things happen, and gauges, which are set when somebody looks."""

    def __init__(self) -> None:
        own: dict[str, Any] = {"registry": CollectorRegistry(), "namespace": "rocch"}
        self._registry: CollectorRegistry = own["registry"]
        self.requests = Counter("requests", "Requests answered.", ("route", "status"), **own)
        self.seconds = Histogram(
            "decide_seconds", "Time to decide a request, once it is read.", buckets=SECONDS, **own
        )
        self.rows = Counter("rows", "Rows decided.", **own)
        self.alarms = Counter("alarms", "Rows that alarmed.", **own)
        self.swaps = Counter("library_swaps", "New exports taken over.", **own)
        self._gauges = {
            name: Gauge(name, told, **own)
            for name, told in (
                ("library_version", "The export that decides."),
                ("library_pending", "1 while a newer export cannot be taken over."),
                ("aim_id", "The operator's aim in force; 0 while there is none."),
                ("feedback_events", "Events of feedback on record."),
                ("warnings", "Warnings shown on the page."),
            )
        }
        self._estimate = Gauge(
            "estimated_prevalence", "By the scores of late, where there is an estimate.", (), **own
        )
        self._registry.unregister(self._estimate)
        self._estimated = False

    def show(self, *, estimated_prevalence: float | None = None, **values: float) -> bytes:
        """Set the gauges and return everything as text; an estimate may be missing."""
        for name, value in values.items():
            self._gauges[name].set(value)
        self._show_estimate(estimated_prevalence)
        return generate_latest(self._registry)

    def _show_estimate(self, estimate: float | None) -> None:
        if (estimate is not None) != self._estimated:
            self._estimated = estimate is not None
            change = self._registry.register if self._estimated else self._registry.unregister
            change(self._estimate)
        if estimate is not None:
            self._estimate.set(estimate)


class Counting:
    """A layer that counts answers by route and status; pure ASGI."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                # what no route knows is one place, so that strangers cannot make many
                route = getattr(scope.get("route"), "path", "other")
                self.metrics.requests.labels(route, message["status"]).inc()
            await send(message)

        await self.app(scope, receive, counted)
