"""What the service notices and shows: decisions, prevalence, warnings, and its status.

The scores of incoming rows, compared with the labeled rows behind the hull, tell today's
prevalence, provided that only the prevalence changed; that is tested each time.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import suppress
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from rocch.errors import InputError, RocchError, StorageError, format_count
from rocch.roc.conditions import OBSERVED, as_interval
from rocch.service.columns import feature_names
from rocch.service.errors import REQUEST
from rocch.service.feedback import tuner_status
from rocch.service.fleet import add_decisions, fleet_warnings
from rocch.service.page import capitalize, expected_counts, make_page, make_preview
from rocch.service.pictures import draw_question
from rocch.service.served import evaluation_rows
from rocch.stats.bands import rate_interval
from rocch.stats.prevalence import estimate_prevalence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from prometheus_client import Metric

    from rocch.arrays import FloatArray
    from rocch.roc.conditions import Interval
    from rocch.roc.curve import RocCurve
    from rocch.roc.operating_point import OperatingPoint
    from rocch.roc.question import Question
    from rocch.roc.savings import Baseline
    from rocch.service.feedback import TunerStatus
    from rocch.service.policy import Decision, Service
    from rocch.service.served import AimedRule, ServedModel
    from rocch.service.store import Store

MINUTES = 60
# Rows that are compared together: enough to tell a prevalence, few enough to follow it.
WINDOW = 5000
FEWEST_ROWS = 200
SECONDS_BETWEEN = 10.0
# Stricter than usual, because estimates and warnings are looked at again and again, all day long.
CONFIDENCE, SIGNIFICANCE = 0.99, 0.001
# Buckets of the histogram of decision times.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

GAUGES = {
    "model_version": "The version of the model that decides.",
    "model_pending": "1 while a newer version cannot be taken over.",
    "aim_id": "The operator's aim in force; 0 while there is none.",
    "record_reachable": "0 while the service's record cannot be reached.",
    "feedback_events": "Events of feedback on record.",
    "warnings": "Warnings shown on the page.",
    "audit_writable": "0 while decisions cannot be recorded, and are refused.",
    "audit_unshipped_bytes": "Bytes of this machine's audit that are not yet in the record.",
    "estimated_prevalence": "By the scores of late, where there is an estimate.",
    "workers": "Processes that serve together, and whose counters are added.",
}
# Where the workers of a service keep their counters, each in files of its own.
SHARED_COUNTERS = "PROMETHEUS_MULTIPROC_DIR"

NO_CURVE = (
    "nothing in this model scores rows and keeps its whole curve, with which scores of today "
    "could be compared"
)


class Activity:
    """Counts of decisions, in total and by the minute; its owner locks it.

    Times are seconds of a clock that never runs backwards. Counts of a minute are dropped an hour
    later.

    Examples
    --------
    >>> from rocch.service.monitor import Activity
    >>> activity = Activity()
    >>> activity.add(30.0, rows=10, alarms=2)
    >>> activity.add(65.0, rows=5, alarms=0)
    >>> activity.counts(70.0)["per_minute"][-2:]
    [10, 5]
    """

    def __init__(self) -> None:
        self.minute = 0
        self._rows, self._alarms = deque([0] * MINUTES, MINUTES), deque([0] * MINUTES, MINUTES)
        self._totals = {"total": 0, "alarms": 0, "referred": 0, "requests": 0}

    def add(self, time: float, *, rows: int, alarms: int, referred: int = 0) -> None:
        """Count one request."""
        self._advance(time)
        self._rows[-1] += rows
        self._alarms[-1] += alarms
        self._totals["total"] += rows
        self._totals["alarms"] += alarms
        self._totals["referred"] += referred
        self._totals["requests"] += 1

    def counts(self, time: float) -> dict[str, Any]:
        """Return rows, alarms and requests in total, and those of the last sixty minutes.

        The oldest minute comes first; the last one is not over yet.
        """
        self._advance(time)
        minutes = {"per_minute": list(self._rows), "alarms_per_minute": list(self._alarms)}
        return {**self._totals, **minutes}

    def _advance(self, time: float) -> None:
        minute = int(time // 60)
        passed = [0] * min(minute - self.minute, MINUTES)
        self._rows.extend(passed)
        self._alarms.extend(passed)
        self.minute = max(self.minute, minute)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceEstimate:
    """The prevalence of the last rows by the scores of a model.

    The interval holds every prevalence that the scores do not contradict. A problem says why there
    is no estimate, or why not to trust it.
    """

    estimated: float | None = None
    interval: tuple[float, float] | None = None
    rows: int = 0
    model: str | None = None
    problem: str | None = None


class Monitor:
    """Counts decisions and keeps the last scores; safe for several threads.

    The clock gives seconds that never run backwards; minutes begin as on the wall's clock.

    Examples
    --------
    >>> from rocch.service.monitor import Monitor
    >>> monitor = Monitor(clock=lambda: 0.0)
    >>> monitor.add(10, 3)
    >>> monitor.decisions()["alarms"]
    3
    """

    def __init__(self, *, clock: Callable[[], float] | None = None) -> None:
        started = time.time() - time.monotonic()
        self._clock = clock or (lambda: started + time.monotonic())
        self._lock, self._estimating = Lock(), Lock()
        self._activity = Activity()
        self._scores: dict[str, deque[float]] = {}
        self._version: int | None = None
        self._last: tuple[int, float, PrevalenceEstimate] | None = None

    def add(
        self,
        rows: int,
        alarms: int,
        scores: Mapping[str, FloatArray] | None = None,
        *,
        referred: int = 0,
        version: int | None = None,
    ) -> None:
        """Count a decided request, and keep the scores of models on all of its rows.

        Scores by another version than the one that decides are of no use.
        """
        now = self._clock()
        with self._lock:
            self._activity.add(now, rows=rows, alarms=alarms, referred=referred)
            if scores and self._is_current(version):
                for model, column in scores.items():
                    if column.dtype == np.float64:  # others are labels
                        last = self._scores.setdefault(model, deque(maxlen=WINDOW))
                        last.extend(column[-WINDOW:].tolist())

    def decisions(self) -> dict[str, Any]:
        """Return how much was decided, see `Activity.counts`."""
        return self.counts()[1]

    def counts(self) -> tuple[int, dict[str, Any]]:
        """Return the present minute, counted since 1970, and how much was decided until then."""
        with self._lock:
            counts = self._activity.counts(self._clock())
            return self._activity.minute, counts

    def prevalence(self, served: ServedModel) -> PrevalenceEstimate:
        """Return today's prevalence, estimated anew if the last time is long enough ago.

        Estimating takes a while, so it belongs in a thread. A second thread waits meanwhile and
        gets the same result.
        """
        with self._estimating:
            now, last = self._clock(), self._last
            if last and last[0] == served.version and now - last[1] < SECONDS_BETWEEN:
                return last[2]
            with self._lock:
                known = self._scores if self._is_current(served.version) else {}
                scores = {model: np.array(last) for model, last in known.items()}
            found = _estimate(served.reference_curves, scores)
            self._last = (served.version, now, found)
            return found

    def _is_current(self, version: int | None) -> bool:
        """Return whether a version's scores are of use: those of the one that took over last."""
        if self._version is None:
            self._version = version
        return version is None or version == self._version

    def replace_model(self, old: ServedModel, new: ServedModel) -> None:
        """Let a new version take over; scores of models with the same curve stay of use."""
        with self._estimating:
            before, now = old.reference_curves, new.reference_curves
            with self._lock:
                known = self._scores if self._is_current(old.version) else {}
                self._scores = {
                    model: scores
                    for model, scores in known.items()
                    if model in now and before.get(model) == now[model]
                }
                self._version = new.version


def _estimate(curves: dict[str, RocCurve], scores: Mapping[str, FloatArray]) -> PrevalenceEstimate:
    """Estimate by the model of largest AUC among those with enough scores."""
    if not curves:
        return PrevalenceEstimate(problem=NO_CURVE)
    rows = {model: scores[model].size if model in scores else 0 for model in curves}
    enough = [model for model in curves if rows[model] >= FEWEST_ROWS]
    if not enough:
        most = max(rows.values())
        missing = f"{format_count(most, 'row')} with scores so far, {FEWEST_ROWS} are needed"
        return PrevalenceEstimate(rows=most, problem=missing)
    best = max(enough, key=lambda model: (curves[model].auc, model))
    curve = curves[best]
    try:
        found = estimate_prevalence(
            curve, scores[best], confidence=CONFIDENCE, significance=SIGNIFICANCE
        )
    except RocchError as error:
        return PrevalenceEstimate(rows=rows[best], model=best, problem=error.to_text(REQUEST))
    low, high = found.interval
    return PrevalenceEstimate(
        estimated=found.prevalence,
        interval=(low, high),
        rows=found.rows,
        model=best,
        problem=None if found.fits else f"by the scores of {best}, {found.verdict}",
    )


class Status:
    """One look at a service; all its parts are about the same model and policy.

    It reads the record and may estimate a prevalence, so it belongs in a thread. What only the
    record knows is None or empty while that cannot be reached.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.served, self.policy = service.in_force
        self.active = service.active_policy(self.served, self.policy)
        self.prevalence = service.monitor.prevalence(self.served)
        self.assumed = assumed_prevalence(self.served, self.served.rule_for(self.policy.question))
        self.tuner = tuner_status(service.store, self.served, self.policy)
        self.events: int | None = None
        self.recent: list[dict[str, Any]] = []
        self.observed: dict[str, Any] | None = None
        self.workers = service.fleet.workers()
        self.audit_lag = service.audit_lag.count()
        with suppress(StorageError):  # the store says so
            self._read_feedback(service.store)

    def _read_feedback(self, store: Store) -> None:
        point = self.active.rule.point
        self.observed = store.observed_rates(
            library_version=self.served.version,
            aim_id=self.policy.id,
            fpr=point.fpr,
            tpr=point.tpr,
        )
        self.recent, self.events = store.recent_feedback(), store.count_events()

    def warnings(self) -> list[dict[str, str]]:
        """Return the warnings, the most urgent first: a code for programs, a message for people."""
        service, rule = self._service, self.active.rule
        intervals = self.served.hybrid.rate_intervals(rule.point, CONFIDENCE)
        return [
            {"code": code, "message": message}
            for code, message in (
                *_problem_warnings(service),
                *fleet_warnings(self.workers),
                *_coin_warnings(rule),
                *prevalence_warnings(self.prevalence, self.assumed),
                *([] if rule.referral else rate_warnings(rule.point, intervals, self.observed)),
                *tuner_warnings(self.tuner),
            )
        ]

    def document(self, role: str, now: str, *, with_page: bool = False) -> dict[str, Any]:
        """Return the status as plain data, and what the page shows of it if asked."""
        from rocch import __version__

        service, served, rule = self._service, self.served, self.active.rule
        document = {
            "role": role,
            "rocch": __version__,
            "now": now,
            "started_at": service.started_at,
            "model": {
                **served.identity,
                "saved_at": served.saved_at,
                "loaded_at": served.loaded_at,
                "note": served.note,
                "classifiers": served.classifiers,
                "judged": evaluation_rows(served.hull),
                "takes_features": served.takes_features,
                "features": feature_names(served.hybrid) if served.takes_features else None,
                "pending": service.pending and service.pending._asdict(),
            },
            "aim": self.policy.to_dict(),
            "in_force": {
                "source": self.active.source,
                **rule_facts(served, rule, self.assumed),
                "sql": _sql(rule),
                "drawing": draw_question(served.hull, self.policy.question or rule.target),
            },
            "decisions": add_decisions(self.workers),
            "workers": [worker.to_dict(service.fleet.name) for worker in self.workers],
            "audit_lag": self.audit_lag,
            "prevalence": {"assumed": self.assumed, **asdict(self.prevalence)},
            "feedback": {
                "events": self.events,
                "recent": self.recent,
                "observed": self.observed,
            },
            "tuner": self.tuner and self.tuner.to_dict(),
            "warnings": self.warnings(),
        }
        if with_page:
            document["page"] = make_page(document, self.policy.question)
        return document


class Metrics(Collector):
    """Numbers for Prometheus, in a registry of the service's own.

    Some are counted as things happen, and added up over all workers. The status is made when it is
    collected, and is that of the worker that answers.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.registry = CollectorRegistry()
        self.registry.register(self)
        own: dict[str, Any] = {"registry": self.registry, "namespace": "rocch"}
        if service.settings.workers > 1 and SHARED_COUNTERS in os.environ:
            own["registry"] = None  # the files have these counters too
            MultiProcessCollector(self.registry)  # type: ignore[no-untyped-call]
        self.requests = Counter("requests", "Requests answered.", ("route", "status"), **own)
        self.seconds = Histogram(
            "decide_seconds", "Time to decide a request, once it is read.", buckets=SECONDS, **own
        )
        self.swaps = Counter("model_swaps", "New versions taken over.", **own)
        self._rows = Counter("rows", "Rows decided.", **own)
        self._alarms = Counter("alarms", "Rows that alarmed.", **own)
        self._referred = Counter("referred", "Rows referred to a person.", **own)

    def count(self, decision: Decision, seconds: float) -> None:
        """Count a decided request."""
        self.seconds.observe(seconds)
        self._rows.inc(decision.n_rows)
        self._alarms.inc(decision.n_alarms)
        if decision.referred is not None:
            self._referred.inc(decision.n_referred)

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges; the prevalence only if there is an estimate."""
        service, status = self._service, Status(self._service)
        values = {
            "model_version": status.served.version,
            "model_pending": service.pending is not None,
            "aim_id": status.policy.id or 0,
            "record_reachable": service.store.unreachable is None,
            "feedback_events": status.events,
            "warnings": len(status.warnings()),
            "audit_writable": service.can_audit,
            "audit_unshipped_bytes": status.audit_lag,
            "estimated_prevalence": status.prevalence.estimated,
            "workers": service.settings.workers,
        }
        for name, value in values.items():
            if value is not None:
                yield GaugeMetricFamily(f"rocch_{name}", GAUGES[name], value)


def best_document(
    service: Service, question: Question, randomize: bool | None, baseline: Baseline | None = None
) -> dict[str, Any]:
    """Return the best point for a question, and what it would change; for an empty one, today's.

    With `baseline`, its savings begin with those against this rule.
    It may estimate costs on new rows, so it belongs in a thread.
    """
    served, policy = service.in_force
    active = service.active_policy(served, policy)
    found = active.for_request(served, question, randomize)
    usual = assumed_prevalence(served, served.rule_for(policy.question))
    assumed = assumed_prevalence(served, found.rule) if question else usual
    now = rule_facts(served, active.rule, usual)
    then = rule_facts(served, found.rule, assumed or usual)
    stated = question or policy.question
    if baseline is not None:
        then["point"] = {**then["point"], "savings": found.rule.savings_against(baseline)}
    return {
        "question": question.to_dict() if question else None,
        "words": found.words,
        "point": then["point"],
        "counts": then["counts"],
        "drawing": draw_question(served.hull, stated or active.rule.target),
        "preview": make_preview(now, then, (policy.question, stated)),
        "rule": found.rule.document,
        "model": served.identity,
        "aim": found.to_dict(service.store.unconfirmed_since),
    }


def rule_facts(
    served: ServedModel, rule: AimedRule, assumed: tuple[float, float] | None
) -> dict[str, Any]:
    """Return a rule in words, its operating point, and what to expect of 1,000 cases."""
    point = rule.point_document
    rows = evaluation_rows(served.hull)
    observed = rows["positives"] / sum(rows.values())
    counts = expected_counts(point, assumed or (observed, observed))
    return {"rule": rule.words, "point": point, "counts": counts}


def assumed_prevalence(served: ServedModel, rule: AimedRule) -> tuple[float, float] | None:
    """Return the prevalence that a rule, or its question, assumes; None if neither needs one."""
    balance = rule.question.resolve(served.hull.totals).balance
    if balance == OBSERVED:  # where it is not needed
        balance = rule.point.prevalence
    if balance is None:
        return None
    low, high = as_interval(balance, "prevalence")
    return low, high


def _sql(rule: AimedRule) -> str | None:
    """Return the rule as SQL; None if it tosses a coin, which standard SQL cannot."""
    try:
        return rule.rule.to_sql()
    except InputError:
        return None


def _problem_warnings(service: Service) -> Iterator[tuple[str, str]]:
    if service.audit_problem is not None:
        yield "audit_failing", capitalize(service.audit_problem)
    if service.store.unreachable is not None:
        yield "record_unreachable", capitalize(service.store.unreachable)
    elif service.store.problem is not None:
        yield "record_failing", capitalize(service.store.problem)
    if service.aim_problem is not None:
        yield "aim_pending", capitalize(service.aim_problem)
    if service.pending is not None:
        yield (
            "version_pending",
            f"{capitalize(service.pending.name)} is not in service, and the one before goes on "
            f"deciding: {service.pending.problem}",
        )
    if service.source_problem is not None:
        yield "source_unreadable", capitalize(service.source_problem)


def _coin_warnings(rule: AimedRule) -> Iterator[tuple[str, str]]:
    if rule.needs_coin:
        yield (
            "coin",
            "Decisions toss a coin: callers must send row_keys, and are refused (422) without.",
        )


def prevalence_warnings(
    now: PrevalenceEstimate, assumed: tuple[float, float] | None
) -> Iterator[tuple[str, str]]:
    """Yield warnings about today's prevalence, as codes and messages.

    Examples
    --------
    >>> from rocch.service.monitor import PrevalenceEstimate
    >>> from rocch.service.monitor import prevalence_warnings
    >>> today = PrevalenceEstimate(estimated=0.3, interval=(0.27, 0.33), rows=5000, model="nb")
    >>> [code for code, message in prevalence_warnings(today, (0.1, 0.2))]
    ['prevalence_left']
    """
    if now.interval is None:
        return
    if now.problem is not None:
        yield (
            "scores_do_not_fit",
            f"The last {now.rows:,} rows do not look like those that the model was judged on: "
            f"{now.problem}. Its rates may not hold any more; judge it on newly labeled rows.",
        )
    elif assumed is not None and not _overlap(now.interval, assumed):
        low, high = assumed
        what, ends = (
            ("assumption", f"{low:.3g}")
            if low == high
            else (
                "interval",
                f"{low:.3g} to {high:.3g}",
            )
        )
        yield (
            "prevalence_left",
            f"The estimated prevalence left your {what}: {now.estimated:.3g} "
            f"({now.interval[0]:.3g} to {now.interval[1]:.3g}) by the scores of {now.model} on the "
            f"last {now.rows:,} rows, and you assumed {ends}.",
        )


def rate_warnings(
    point: OperatingPoint, intervals: tuple[Interval, Interval], observed: dict[str, Any] | None
) -> Iterator[tuple[str, str]]:
    """Yield warnings about rates that complete feedback contradicts."""
    if observed is None:
        return
    fpr = ("fpr", point.fpr, intervals[0], observed["negatives"])
    tpr = ("tpr", point.tpr, intervals[1], observed["positives"])
    for name, promised, expected, rows in (fpr, tpr):
        rate = observed[name]
        if rate is None:
            continue
        seen = rate_interval(min(rate * rows, rows), rows, confidence=CONFIDENCE)
        if not _overlap(seen, expected):
            yield (
                f"{name}_contradicted",
                f"Complete feedback contradicts the promised {name.upper()}: {rate:.3g} of "
                f"{rows:,} rows ({seen.low:.3g} to {seen.high:.3g}), and {promised:.3g} "
                f"({expected.low:.3g} to {expected.high:.3g}) was promised.",
            )


def tuner_warnings(tuner: TunerStatus | None) -> Iterator[tuple[str, str]]:
    """Yield warnings about where the tuner stands."""
    if tuner is None or tuner.position == tuner.start:
        return
    way = "more alarms" if tuner.position > tuner.start else "fewer alarms"
    turn = f"{abs(tuner.position - tuner.start):.3g}, to {way}"
    if tuner.at_end is not None:
        yield (
            "tuner_at_end",
            f"The tuner has turned the knob to the end with the {tuner.at_end} "
            f"({tuner.position:.3g}) and "
            "cannot follow feedback any further that way. Check costs and capacity.",
        )
    if tuner.broken_limit is not None:
        yield (
            "tuner_beyond_limit",
            f"Feedback speaks for turning the knob by {turn}, which would mean "
            f"{tuner.broken_limit}; so the setting stays at the aim's own.",
        )
    elif tuner.mode == "advise":
        yield (
            "tuner_advises",
            f"Feedback speaks for another setting: turn the knob by {turn}: from "
            f"{tuner.start:.3g} to {tuner.position:.3g}.",
        )


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
