"""The status of the service: its documents for the page and for programs, and its warnings."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from rocch.errors import InputError
from rocch.roc.conditions import OBSERVED, as_interval
from rocch.service.page import capitalize, expected_counts, make_page, make_preview
from rocch.service.pictures import draw_question
from rocch.service.served import evaluation_rows
from rocch.stats.bands import rate_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

    from rocch.roc.conditions import Interval
    from rocch.roc.operating_point import OperatingPoint
    from rocch.roc.question import Question
    from rocch.service.feedback import TunerStatus
    from rocch.service.monitor import PrevalenceNow
    from rocch.service.policy import Service
    from rocch.service.served import AimedRule, Served

# Of the intervals of promised and of observed rates. A warning comes when they do not meet; they
# are compared again and again.
CONFIDENCE = 0.99

GAUGES = {
    "library_version": "The export that decides.",
    "library_pending": "1 while a newer export cannot be taken over.",
    "aim_id": "The operator's aim in force; 0 while there is none.",
    "feedback_events": "Events of feedback on record.",
    "warnings": "Warnings shown on the page.",
    "estimated_prevalence": "By the scores of late, where there is an estimate.",
}


class Status:
    """One look at a service; all its parts are about the same export and policy.

    It reads the record and may estimate a prevalence, so it belongs in a thread.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.served = service.served
        self.policy = service.policy
        self.active = service.active_policy(self.served, self.policy)
        self.prevalence = service.monitor.prevalence(self.served)
        self.assumed = assumed_prevalence(self.served, self.served.rule_for(self.policy.question))
        self.tuner = service.tuner.status(self.served, self.policy)
        point = self.active.rule.point
        self.observed = service.store.observed_rates(
            library_version=self.served.version,
            aim_id=self.policy.id,
            fpr=point.fpr,
            tpr=point.tpr,
        )

    def warnings(self) -> list[dict[str, str]]:
        """Return the warnings, the most urgent first: a code for programs, a message for people."""
        service, rule = self._service, self.active.rule
        intervals = self.served.hybrid.rate_intervals(rule.point, CONFIDENCE)
        return [
            {"code": code, "message": message}
            for code, message in (
                *_problem_warnings(service),
                *_coin_warnings(rule),
                *prevalence_warnings(self.prevalence, self.assumed),
                *rate_warnings(rule.point, intervals, self.observed),
                *tuner_warnings(self.tuner),
            )
        ]

    def document(self, role: str, now: str) -> dict[str, Any]:
        """Return the status as plain data."""
        from rocch import __version__

        service, served, rule = self._service, self.served, self.active.rule
        document = {
            "role": role,
            "rocch": __version__,
            "now": now,
            "started_at": service.started_at,
            "library": {
                **served.identity,
                "exported_at": served.exported_at,
                "loaded_at": served.loaded_at,
                "note": served.note,
                "classifiers": served.classifiers,
                "judged": evaluation_rows(served.hull),
                "takes_features": served.takes_features,
                "pending": service.pending and service.pending._asdict(),
            },
            "aim": self.policy.to_dict(),
            "in_force": {
                "source": self.active.source,
                **rule_facts(served, rule, self.assumed),
                "sql": _sql(rule),
                "drawing": draw_question(served.hull, self.policy.question or rule.target),
            },
            "decisions": service.monitor.decisions(),
            "prevalence": {"assumed": self.assumed, **asdict(self.prevalence)},
            "feedback": {
                "events": service.store.count_events(),
                "recent": service.store.recent_feedback(),
                "observed": self.observed,
            },
            "tuner": self.tuner and self.tuner.to_dict(),
            "warnings": self.warnings(),
        }
        return document | {"page": make_page(document, self.policy.question)}


class StatusCollector(Collector):
    """The status of a service for Prometheus, made when it is collected."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """Yield the counters and gauges; the prevalence only if there is an estimate."""
        service, status = self._service, Status(self._service)
        decisions = service.monitor.decisions()
        yield CounterMetricFamily("rocch_rows", "Rows decided.", decisions["total"])
        yield CounterMetricFamily("rocch_alarms", "Rows that alarmed.", decisions["alarms"])
        values = {
            "library_version": status.served.version,
            "library_pending": service.pending is not None,
            "aim_id": status.policy.id or 0,
            "feedback_events": service.store.count_events(),
            "warnings": len(status.warnings()),
            "estimated_prevalence": status.prevalence.estimated,
        }
        for name, value in values.items():
            if value is not None:
                yield GaugeMetricFamily(f"rocch_{name}", GAUGES[name], value)


def best_document(service: Service, question: Question, randomize: bool | None) -> dict[str, Any]:
    """Return the best point for a question, and what it would change; for an empty one, today's.

    It may estimate costs on new rows, so it belongs in a thread.
    """
    served, policy = service.served, service.policy
    active = service.active_policy(served, policy)
    found = active.for_request(served, question, randomize)
    usual = assumed_prevalence(served, served.rule_for(policy.question))
    assumed = assumed_prevalence(served, found.rule) if question else usual
    now = rule_facts(served, active.rule, usual)
    then = rule_facts(served, found.rule, assumed or usual)
    stated = question or policy.question
    return {
        "question": question.to_dict() if question else None,
        "words": found.words,
        "point": then["point"],
        "counts": then["counts"],
        "drawing": draw_question(served.hull, stated or active.rule.target),
        "preview": make_preview(now, then, (policy.question, stated)),
        "rule": found.rule.document,
        "library": served.identity,
        "aim": found.origin,
    }


def rule_facts(
    served: Served, rule: AimedRule, assumed: tuple[float, float] | None
) -> dict[str, Any]:
    """Return a rule in words, its operating point, and what to expect of 1,000 cases."""
    point = rule.point_document
    rows = evaluation_rows(served.hull)
    observed = rows["positives"] / sum(rows.values())
    counts = expected_counts(point, assumed or (observed, observed))
    return {"rule": rule.words, "point": point, "counts": counts}


def assumed_prevalence(served: Served, rule: AimedRule) -> tuple[float, float] | None:
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
    if service.store.problem is not None:
        yield "record_failing", capitalize(service.store.problem)
    if service.pending is not None:
        yield (
            "export_pending",
            f"Export {service.pending.version} is not in service, and the one before goes on "
            f"deciding: {service.pending.problem}",
        )


def _coin_warnings(rule: AimedRule) -> Iterator[tuple[str, str]]:
    if rule.needs_coin:
        yield (
            "coin",
            "Decisions toss a coin: callers must send row_keys, and are refused (422) without.",
        )


def prevalence_warnings(
    now: PrevalenceNow, assumed: tuple[float, float] | None
) -> Iterator[tuple[str, str]]:
    """Yield warnings about today's prevalence, as codes and messages.

    Examples
    --------
    >>> from rocch.service.monitor import PrevalenceNow
    >>> from rocch.service.status import prevalence_warnings
    >>> today = PrevalenceNow(estimated=0.3, interval=(0.27, 0.33), rows=5000, model="nb")
    >>> [code for code, message in prevalence_warnings(today, (0.1, 0.2))]
    ['prevalence_left']
    """
    if now.interval is None:
        return
    if now.problem is not None:
        yield (
            "scores_do_not_fit",
            f"The last {now.rows:,} rows do not look like those that the export was judged on: "
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
    way = "right, to more alarms" if tuner.position > tuner.start else "left, to fewer alarms"
    turn = f"{abs(tuner.position - tuner.start):.3g} to the {way}"
    if tuner.at_end is not None:
        yield (
            "tuner_at_end",
            f"The tuner has turned the knob to its {tuner.at_end} end ({tuner.position:.3g}) and "
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
            f"Feedback speaks for another setting: turn the knob by {turn}, from "
            f"{tuner.start:.3g} to {tuner.position:.3g}.",
        )


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
