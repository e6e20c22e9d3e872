"""The status: everything that an operator wants to see, in one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rocch.errors import InputError
from rocch.roc.conditions import OBSERVED, as_interval
from rocch.service.drawing import draw_aim
from rocch.service.page_facts import page_of
from rocch.service.served import judged_rows
from rocch.service.steering import own_rule
from rocch.service.warnings import CONFIDENCE, Promise, Situation, Warned, warnings_of
from rocch.service.wording import counts_of

if TYPE_CHECKING:
    from rocch.roc.question import Question
    from rocch.service.aim_record import AimRecord
    from rocch.service.events import Observed
    from rocch.service.in_force import Aiming
    from rocch.service.monitor import Monitor, PrevalenceNow
    from rocch.service.records import Records
    from rocch.service.served import AimedRule, Served
    from rocch.service.tuning import Tuning


class Watched(Protocol):
    """The parts of a service that its status speaks about."""

    started_at: str
    served: Served
    records: Records
    monitor: Monitor
    tuning: Tuning
    aiming: Aiming

    @property
    def pending(self) -> dict[str, Any] | None:
        """An export that cannot be taken into service: its version, and the problem."""

    @property
    def audit_problem(self) -> str | None:
        """What is wrong with the audit record."""


class Status:
    """One look at a service; all its parts speak about the same export and aim.

    It reads the record and may estimate a prevalence, so it is made in a thread of its own.
    """

    def __init__(self, service: Watched) -> None:
        self._service = service
        self.served: Served = service.served
        self.aim: AimRecord = service.aiming.record
        self.in_force = service.aiming.in_force(self.served, self.aim)
        self.rule: AimedRule = self.served.aimed(
            self.in_force.aim, randomize=self.in_force.randomize
        )
        self.prevalence: PrevalenceNow = service.monitor.prevalence(self.served)
        own = own_rule(self.served, self.aim)
        self.assumed = assumed_prevalence(self.served, self.aim.question, own)
        self.tuner = service.tuning.standing(self.served, self.aim)
        self.observed: Observed | None = service.records.observed(
            library_version=self.served.version,
            aim_id=self.aim.id,
            fpr=self.rule.point.fpr,
            tpr=self.rule.point.tpr,
        )

    def warnings(self) -> list[Warned]:
        """Return what calls for attention."""
        point = self.rule.point
        fpr, tpr = self.served.hybrid.rate_intervals(point, CONFIDENCE)
        pending = self._service.pending
        return warnings_of(
            Situation(
                assumed=self.assumed,
                prevalence=self.prevalence,
                promise=Promise(fpr=point.fpr, tpr=point.tpr, fpr_interval=fpr, tpr_interval=tpr),
                observed=self.observed,
                tuner=self.tuner,
                pending=None if pending is None else (pending["version"], pending["problem"]),
                audit=self._service.audit_problem,
                record=self._service.records.problem,
                coin=self.rule.needs_coin,
            )
        )

    def document(self, role: str, now: str) -> dict[str, Any]:
        """Return the status as plain data."""
        from rocch import __version__

        service = self._service
        document = {
            "role": role,
            "rocch": __version__,
            "now": now,
            "started_at": service.started_at,
            "library": _library(self.served, service.pending),
            "aim": self.aim.to_dict(),
            "in_force": {
                "source": self.in_force.source,
                **rule_facts(self.served, self.rule, self.assumed),
                "sql": _sql(self.rule),
                "drawing": draw_aim(self.served.hull, self.aim.question or self.in_force.aim),
            },
            "decisions": service.monitor.decisions().to_dict(),
            "prevalence": _prevalence(self.prevalence, self.assumed),
            "feedback": {
                "events": service.records.events(),
                "recent": service.records.recent_feedback(),
                "observed": _observed(self.observed),
            },
            "tuner": None if self.tuner is None else self.tuner.to_dict(),
            "warnings": [warned.to_dict() for warned in self.warnings()],
        }
        return document | {"page": page_of(document, self.aim.question)}


def rule_facts(
    served: Served, rule: AimedRule, assumed: tuple[float, float] | None
) -> dict[str, Any]:
    """Return a rule in words, where it operates, and what to expect of 1,000 cases."""
    point = rule.point_document
    rows = judged_rows(served.hull)
    observed = rows["positives"] / sum(rows.values())
    counts = counts_of(point, assumed or (observed, observed))
    return {"rule": rule.words, "point": point, "counts": counts}


def assumed_prevalence(
    served: Served, question: Question, rule: AimedRule
) -> tuple[float, float] | None:
    """Return the prevalence that a question, or its rule, assumes; None where neither needs one."""
    balance = question.resolve(served.hull.totals).balance
    if balance == OBSERVED:  # where it is not needed
        balance = rule.point.prevalence
    if balance is None:
        return None
    low, high = as_interval(balance, "prevalence")
    return low, high


def _library(served: Served, pending: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "version": served.version,
        "sha256": served.sha256,
        "exported_at": served.exported_at,
        "loaded_at": served.loaded_at,
        "note": served.note,
        "classifiers": served.classifiers,
        "judged": judged_rows(served.hull),
        "takes_features": served.takes_features,
        "pending": pending,
    }


def _sql(rule: AimedRule) -> str | None:
    """Return the rule as SQL; None where it tosses a coin, which standard SQL cannot."""
    try:
        return rule.rule.to_sql()
    except InputError:
        return None


def _prevalence(now: PrevalenceNow, assumed: tuple[float, float] | None) -> dict[str, Any]:
    return {
        "assumed": None if assumed is None else list(assumed),
        "estimated": now.estimated,
        "interval": None if now.interval is None else list(now.interval),
        "rows": now.rows,
        "model": now.model,
        "problem": now.problem,
    }


def _observed(observed: Observed | None) -> dict[str, Any] | None:
    if observed is None:
        return None
    return {
        "rows": observed.negatives + observed.positives,
        "negatives": observed.negatives,
        "positives": observed.positives,
        "fpr": observed.fpr,
        "tpr": observed.tpr,
    }
