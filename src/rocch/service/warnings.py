"""What an operator should know before anything else, in plain words with numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rocch.stats.bands import rate_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.roc.conditions import Interval
    from rocch.service.events import Observed
    from rocch.service.monitor import PrevalenceNow
    from rocch.service.tuning import TunerNow

CONFIDENCE = 0.99
"""Of the intervals of promised and of observed rates, which must not meet before one warns: both
are looked at again and again."""


@dataclass(frozen=True, slots=True)
class Warned:
    """One warning: a code for programs, a message for people."""

    code: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The rates of the rule in force, and how well they are known from the judged rows."""

    fpr: float
    tpr: float
    fpr_interval: Interval
    tpr_interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that may call for a warning."""

    assumed: tuple[float, float] | None
    prevalence: PrevalenceNow
    promise: Promise
    observed: Observed | None = None
    tuner: TunerNow | None = None
    pending: tuple[int | None, str] | None = None
    """An export that cannot be taken into service: its version, and why."""
    audit: str | None = None
    """What is wrong with the audit record."""
    record: str | None = None
    """Why feedback and new aims cannot be kept."""
    coin: bool = False
    """Whether the rule in force mixes two thresholds by a coin."""


def warnings_of(situation: Situation) -> list[Warned]:
    """Return the warnings that a situation calls for, the most urgent first.

    Examples
    --------
    >>> from rocch.roc import Interval
    >>> from rocch.service.monitor import PrevalenceNow
    >>> from rocch.service.warnings import Promise, Situation, warnings_of
    >>> known = Promise(
    ...     fpr=0.1, tpr=0.8, fpr_interval=Interval(0.08, 0.12), tpr_interval=Interval(0.7, 0.9)
    ... )
    >>> today = PrevalenceNow(estimated=0.3, interval=(0.27, 0.33), rows=5000, model="nb", fits=True)
    >>> for warned in warnings_of(
    ...     Situation(assumed=(0.1, 0.2), prevalence=today, promise=known)
    ... ):
    ...     print(warned.message)
    The estimated prevalence left your interval: 0.3 (0.27 to 0.33) by the scores of nb on the last 5,000 rows, and you assumed 0.1 to 0.2.
    """  # noqa: E501 - the output of an example is one line
    return [
        *_of_file("audit_failing", situation.audit),
        *_of_file("record_failing", situation.record),
        *_of_export(situation.pending),
        *_of_coin(situation.coin),
        *_of_prevalence(situation.prevalence, situation.assumed),
        *_of_rates(situation.promise, situation.observed),
        *_of_tuner(situation.tuner),
    ]


def _of_file(code: str, problem: str | None) -> Iterator[Warned]:
    if problem is not None:
        yield Warned(code, problem[:1].upper() + problem[1:])


def _of_export(pending: tuple[int | None, str] | None) -> Iterator[Warned]:
    if pending is not None:
        version, problem = pending
        yield Warned(
            "export_pending",
            f"Export {version} is not in service, and the one before goes on deciding: {problem}",
        )


def _of_coin(coin: bool) -> Iterator[Warned]:
    if coin:
        yield Warned(
            "coin",
            "Decisions toss a coin: callers must send row_keys, and are refused (422) without.",
        )


def _of_prevalence(now: PrevalenceNow, assumed: tuple[float, float] | None) -> Iterator[Warned]:
    if now.interval is None or now.estimated is None:
        return
    if not now.fits:
        yield Warned(
            "scores_do_not_fit",
            f"The last {now.rows:,} rows do not look like those that the export was judged on: "
            f"{now.problem}. Its rates may not hold any more; judge it on newly labeled rows.",
        )
    elif assumed is not None and not _meet(now.interval, assumed):
        low, high = now.interval
        yield Warned(
            "prevalence_left",
            f"The estimated prevalence left your {_what(assumed)}: {now.estimated:.3g} "
            f"({low:.3g} to {high:.3g}) by the scores of {now.model} on the last {now.rows:,} "
            f"rows, and you assumed {_range(assumed)}.",
        )


def _of_rates(promise: Promise, observed: Observed | None) -> Iterator[Warned]:
    if observed is None:
        return
    fpr = ("FPR", promise.fpr, promise.fpr_interval, observed.false_positives, observed.negatives)
    tpr = ("TPR", promise.tpr, promise.tpr_interval, observed.true_positives, observed.positives)
    for name, promised, expected, hits, rows in (fpr, tpr):
        if not rows:
            continue
        seen = rate_interval(min(hits, rows), rows, confidence=CONFIDENCE)
        if not _meet(seen, expected):
            yield Warned(
                f"{name.lower()}_contradicted",
                f"Complete feedback contradicts the promised {name}: {hits / rows:.3g} of {rows:,} "
                f"rows ({seen.low:.3g} to {seen.high:.3g}), and {promised:.3g} "
                f"({expected.low:.3g} to {expected.high:.3g}) was promised.",
            )


def _of_tuner(tuner: TunerNow | None) -> Iterator[Warned]:
    if tuner is None or tuner.position == tuner.start:
        return
    way = "right, to more alarms" if tuner.position > tuner.start else "left, to fewer alarms"
    turned = f"{abs(tuner.position - tuner.start):.3g} to the {way}"
    if tuner.at_end is not None:
        yield Warned(
            "tuner_at_end",
            f"The tuner has turned the knob to its {tuner.at_end} end ({tuner.position:.3g}) and "
            "cannot follow feedback any further that way. Check costs and capacity.",
        )
    if tuner.beyond is not None:
        yield Warned(
            "tuner_beyond_limit",
            f"Feedback speaks for turning the knob by {turned}, which would mean {tuner.beyond}; "
            "so the setting stays at the aim's own.",
        )
    elif tuner.mode == "advise":
        yield Warned(
            "tuner_advises",
            f"Feedback speaks for another setting: turn the knob by {turned}, from "
            f"{tuner.start:.3g} to {tuner.position:.3g}.",
        )


def _meet(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _what(assumed: tuple[float, float]) -> str:
    return "assumption" if assumed[0] == assumed[1] else "interval"


def _range(assumed: tuple[float, float]) -> str:
    low, high = assumed
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
