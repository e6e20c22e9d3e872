"""What is sent back: the documents of responses, for the OpenAPI description.

Nothing is made of these at run time. Responses are written straight from plain data, because that
is fastest; the tests compare every response with what stands here. Each field has an example.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rocch.service.schemas import QuestionBody

# A number; JSON has no infinite ones, so these are texts.
Number = float | Literal["inf", "-inf"]
# A label of the model's.
Label = bool | int | float | str
# An element of the page: its tag, attributes and children.
Element = list[Any]
# From low to high.
Pair = tuple[float, float]


class Document(BaseModel):
    """What all documents have in common: every field is declared."""

    model_config = ConfigDict(extra="forbid")


def _like(example: Any, description: str | None = None) -> Any:
    """Return a field that is always sent, with an example."""
    return Field(examples=[example], description=description)


def _part(example: str, description: str) -> Any:
    """Return a field that is sent where there is such a thing."""
    return Field(None, examples=[example], description=description)


class ErrorDetail(Document):
    """What was wrong with a request."""

    code: str = _like("bad_input", "For programs.")
    message: str = _like(
        "scores.nb must be finite numbers; got null at position 3. Send one value per row.",
        "For people: what must be, what came, what to do.",
    )
    argument: str | None = _like("scores.nb", "The part of the request at fault.")
    requirement: str | None = _part("be finite numbers", "What the argument must be or do.")
    got: str | None = _part("null at position 3", "What came.")
    hint: str | None = _part("Send one value per row.", "What to do.")


class ErrorDocument(Document):
    """A request that was refused."""

    error: ErrorDetail


class ModelVersion(Document):
    """Which version of the model decided."""

    version: int = _like(7)
    sha256: str = _like("9f2c" + 60 * "0")


class AimSource(Document):
    """Whose aim it was."""

    source: Literal["request", "operator", "command line", "default", "tuner"] = _like("operator")
    id: int | None = _like(12)
    unconfirmed_since: str | None = _like(
        None,
        "When the record of aims was last read, if it cannot be reached; another aim may have been "
        "put in force since.",
    )


class Coin(Document):
    """What the coins were made of."""

    seed: int = _like(0)
    row_keys: list[str] = _like(["a", "17"])


RULE = _like(
    {
        "rocch_rule": 1,
        "words": "predict 1 when nb >= 0.6",
        "positive": 1,
        "negative": 0,
        "mix": [{"probability": 1.0, "alarm_when": {"model": "nb", "at_least": 0.6}}],
        "scores": {"nb": "decision_function"},
        "coin": {"needed": False, "seed": 0, "made": "..."},
        "expected": {"fpr": 0.05, "tpr": 0.8},
    },
    "As `rocch.hybrid.Rule.from_dict` reads it.",
)


class Decided(Document):
    """Decisions, and the rule that made them."""

    decisions: list[Label] = _like([0, 1], 'The labels, or "refer" where a person is to decide.')
    rows: int = _like(2)
    alarms: int = _like(1)
    referred: int = _like(0)
    rule: dict[str, Any] = RULE
    coin: Coin | None
    model: ModelVersion
    aim: AimSource
    decision_id: str = _like("0f9a5a3e0a5b4a0e9d3f6a1b2c3d4e5f")
    decided_at: str = _like("2026-03-02T09:15:00.123Z")


class MixedPoint(Document):
    """One of the points that a coin chooses between."""

    probability: float = _like(1.0)
    classifier: str = _like("nb")
    threshold: Number | str | None = _like(0.6)
    fpr: float = _like(0.05)
    tpr: float = _like(0.8)


class NewRowsRates(Document):
    """The rates to expect on new rows, with intervals, and the cases of a capacity's population."""

    tpr: float = _like(0.81)
    tpr_interval: tuple[float, float] = _like([0.74, 0.87])
    fpr: float = _like(0.09)
    fpr_interval: tuple[float, float] = _like([0.06, 0.12])
    prevalence: float | None = _like(0.3)
    precision: float | None = _like(0.79, "At this prevalence.")
    population: float | None = _like(None)
    found: float | None = _like(None, "The positives of the population that alarm.")
    missed: float | None = _like(None)
    false_alarms: float | None = _like(None)
    text: str = _like("on new rows expect a sensitivity (TPR) of 0.81 (95%: 0.74 to 0.87), ...")


class NewRows(Document):
    """What to expect on new rows: the cost per case, with an interval, or the rates."""

    on_evaluation_rows: float | None = _like(
        0.545, "What it costs on the evaluation rows; null where that is not known."
    )
    expected: float | None = _like(0.58)
    low: float | None = _like(0.47)
    high: float | None = _like(0.72)
    expected_range: tuple[float, float] | None = _like(
        None, "Where costs or prevalence are ranges; `expected` is then that in the middle."
    )
    confidence: float = _like(0.95)
    note: str = _like("", "Why there is no expected cost.")
    rates: NewRowsRates | None = _like(None, "Under limits, and for metrics.")


class Saving(Document):
    """What the rule saves against another one, with an interval."""

    baseline: str = _like("never alarming")
    cost: float = _like(1.0, "Of the other rule.")
    interval: tuple[float, float] = _like([1.0, 1.0])
    saves: float = _like(0.42)
    saves_interval: tuple[float, float] = _like([0.28, 0.53])
    cost_range: tuple[float, float] | None = _like(None, "Where costs or prevalence are ranges.")
    saves_range: tuple[float, float] | None = _like(None, "Where costs or prevalence are ranges.")
    text: str = _like("saves 0.42 per case against never alarming (95%: 0.28 to 0.53)")


class Savings(Document):
    """What the rule saves against today's practice."""

    on: Literal["new rows", "evaluation rows"] = _like(
        "new rows", "The rows that amounts are for; evaluation rows where a file has no rows."
    )
    per: str = _like("case", "What amounts are for: a case, or a month.")
    cases: float = _like(1, "The number of cases that amounts are for.")
    currency: str = _like("")
    confidence: float = _like(0.95)
    expected: float | None = _like(0.58, "The cost of the rule itself.")
    interval: tuple[float, float] | None = _like([0.47, 0.72])
    expected_range: tuple[float, float] | None = _like(
        None, "Where costs or prevalence are ranges; other amounts are then those in the middle."
    )
    baselines: list[Saving]
    note: str = _like("", "What is left out, and why.")


class Guarantee(Document):
    """What holds on new rows, and with which confidence."""

    confidence: float = _like(0.95)
    limits: list[str] = _like(["FPR <= 0.05"])
    bounds: list[float] = _like([0.048], "One-sided bounds of what is limited.")
    models: int = _like(3, "How many classifiers were considered.")
    level: float = _like(0.016666666666666666, "The chance of an error of each test.")
    is_exact: bool = _like(True)
    note: str = _like("", "Why it is not exact.")


class ReferralSide(Document):
    """One of the two settings that decide."""

    classifier: str = _like("nb")
    threshold: Number | str | None = _like(0.6)


class Referral(Document):
    """Which cases are referred to a person: those at which the two settings differ."""

    upper: ReferralSide
    lower: ReferralSide
    referred: float = _like(0.1, "The share of all cases that are referred.")
    referred_negatives: float = _like(0.08)
    referred_positives: float = _like(0.2)
    wrong_among_decided: float | None = _like(0.01, "Null where nothing is decided.")
    saves: float = _like(0.02, "Per case, against deciding every case.")


class Point(Document):
    """Where the hybrid operates; of rules that refer, the rates of cases decided positive."""

    fpr: float = _like(0.05)
    tpr: float = _like(0.8)
    knob: float = _like(0.425)
    expected_cost: float | None = _like(0.545, "Per case, at these rates.")
    cost_range: tuple[float, float] | None = _like(
        [0.545, 0.545], "The least and the largest within the question, per case, at these rates."
    )
    rates_are: Literal[
        "expected on new rows",
        "on the evaluation rows",
        "cross-fitted on the evaluation rows",
        "on the rows held out by check_size",
    ] = _like(
        "on the evaluation rows",
        "What rates, expected cost and counts are. Cross-fitted: each row is scored by stacks of "
        "other rows.",
    )
    aimed_for: Literal["new rows", "evaluation rows"] = _like(
        "evaluation rows",
        "Whether the rule is meant for new rows, or is the best on the evaluation rows.",
    )
    new_rows: NewRows
    savings: Savings | None
    words: str = _like("alarm when nb >= 0.6 (FPR 0.05, TPR 0.8, expected cost 0.545)")
    mix: list[MixedPoint]
    randomizing_gains: float = _like(0.0)
    guarantee: Guarantee | None
    referral: Referral | None


class Counts(Document):
    """What to expect of 1,000 cases, from low to high within the prevalence."""

    prevalence: list[float] = _like([0.1, 0.1])
    alarms: list[float] = _like([125.0, 125.0])
    hits: list[float] = _like([80.0, 80.0])
    misses: list[float] = _like([20.0, 20.0])
    false_alarms: list[float] = _like([45.0, 45.0])
    referred: list[float] = _like([0.0, 0.0])


class Line(Document):
    """A line on the hull, by its ends as pairs of FPR and TPR."""

    kind: Literal["iso", "limit"] = _like("iso")
    ends: list[tuple[float, float]] = _like([[0.0, 0.782], [0.6055555555555556, 1.0]])


class Drawing(Document):
    """What an aim looks like on the hull."""

    slopes: tuple[Number, Number] | None = _like([0.36, 0.36])
    lines: list[Line]
    touched: tuple[int, int] | None = _like(
        [1, 1], "The first and the last vertex that lines of equal cost touch."
    )
    words: str = _like("The aim has the slope 0.36: the dashed line.")


class Preview(Document):
    """What would change if the question were put in force, in words."""

    sentence: list[str | dict[str, str]] = _like(["Would move to: ", {"strong": "never alarm"}])
    comparison: list[tuple[str, str, str]] = _like([["Alarms", "110", "125"]])
    changes: list[tuple[str, str, str]] = _like([["Miss costs", "20", "25"]])
    coin: str | None = _like("Callers must send row_keys.")


class Best(Document):
    """The best operating point for a question."""

    question: QuestionBody | None = Field(description="As sent; null for the aim in force.")
    words: str = _like("10% positive, a false alarm costs 1, a miss costs 25")
    point: Point
    counts: Counts
    drawing: Drawing
    preview: Preview
    rule: dict[str, Any] = RULE
    model: ModelVersion
    aim: AimSource


class Vertex(Document):
    """A vertex of the hull."""

    fpr: float = _like(0.05)
    tpr: float = _like(0.8)
    knob: float = _like(0.425)
    classifier: str = _like("nb")
    threshold: Number | str | None = _like(0.6)
    lowest_score: Number | str | None = _like(0.62)
    classifiers: list[str] = _like(["nb"])
    false_positives: float = _like(45.0)
    true_positives: float = _like(80.0)
    rule: str = _like("alarm when nb >= 0.6")
    words: str = _like("nb at 0.6: FPR 5%, TPR 80%")
    details: list[Element] = _like([["div", {}, "alarm when nb >= 0.6"]])


class SlopeRange(Document):
    """The range of slopes in which a classifier is best."""

    classifier: str = _like("nb")
    low: Number = _like(0.0)
    high: Number = _like("inf")


class ClassTotals(Document):
    """How many evaluation rows of each class the hull is made of, or what weight of them."""

    negatives: float = _like(900)
    positives: float = _like(100)


class Hull(Document):
    """The hull that decisions come from."""

    model: ModelVersion
    vertices: list[Vertex]
    pictures: dict[str, list[Element]] = _like(
        {"legend": [["li", {}, "nb 3 marks"]]},
        "For the page: elements as lists of a tag, attributes and children.",
    )
    slope_ranges: list[SlopeRange]
    auc: float | None = _like(0.875)
    slope_bounds: tuple[Number, Number] | None = _like([0.0, "inf"])
    judged: ClassTotals


class Health(Document):
    """Whether the service decides as it should."""

    status: Literal["ok", "degraded"] = _like("ok")
    model_version: int = _like(7)
    problems: list[str] = _like([])


class Ready(Document):
    """That the service takes requests; one that ends, or cannot record them, responds with 503."""

    ready: Literal[True] = _like(True)
    model_version: int = _like(7)


class AimDocument(Document):
    """An aim, and where it came from."""

    id: int | None = _like(12)
    at: str = _like("2026-03-02T09:00:00.000Z")
    by: str = _like("Ada")
    note: str = _like("winter")
    source: Literal["operator", "command line", "default"] = _like("operator")
    question: QuestionBody
    words: str = _like("10% positive, a false alarm costs 1, a miss costs 25")
    tuning: Literal["off", "advise", "follow"] = _like("off")


class ConditionsDocument(Document):
    """The aim in force, and those before it."""

    current: AimDocument
    history: list[AimDocument]
    total: int = _like(1)


class RecordedDecision(Document):
    """A decided request as it was recorded."""

    decision_id: str = _like("0f9a5a3e0a5b4a0e9d3f6a1b2c3d4e5f")
    at: str = _like("2026-03-02T09:15:00.123Z")
    worker: str = _like("web-1/0")
    model_version: int = _like(7)
    aim_id: int | None = _like(12)
    record: dict[str, Any] = _like(
        {"decisions": [0, 1], "rows": 2, "alarms": 1, "role": "caller"}, "The line of the audit."
    )


class DecisionsDocument(Document):
    """Recorded decisions, the newest first."""

    decisions: list[RecordedDecision]
    more: bool = _like(True, "Whether there are earlier ones.")


class AimedDocument(Document):
    """A new aim, and where it operates."""

    current: AimDocument
    point: Point
    message: str = _like("Put in force: a miss costs 25. FPR 5%, TPR 80%.")


class FeedbackDocument(Document):
    """What became of feedback, which is on the disk by now."""

    event_id: str = _like("monday")
    duplicate: bool = _like(False)
    reaction: dict[str, Any] | None = _like(
        {"feedback": "load", "moved": -0.01, "words": "turned to fewer alarms, by 0.01 to 0.41"}
    )
    stored_at: str = _like("2026-03-02T17:00:00.000Z")


class PendingVersion(Document):
    """A newer version that cannot be taken over."""

    name: str = _like("version 8")
    problem: str = _like("its file is damaged")


class ServedModel(ModelVersion):
    """The model that decides."""

    saved_at: str = _like("2026-02-27T16:20:00.000Z")
    loaded_at: str = _like("2026-03-01T06:00:00.100Z")
    note: str = _like("spring models")
    classifiers: list[str] = _like(["gbm", "nb"])
    judged: ClassTotals
    takes_features: bool = _like(False)
    features: list[str] | None = _like(None, "Their names; null if it takes scores.")
    pending: PendingVersion | None


class RuleInForce(Document):
    """What decides now."""

    source: Literal["operator", "command line", "default", "tuner"] = _like("operator")
    point: Point
    counts: Counts
    drawing: Drawing
    rule: str = _like("predict 1 when nb >= 0.6")
    sql: str | None = _like('CASE WHEN "nb" >= 0.6 THEN 1 WHEN NOT ("nb" >= 0.6) THEN 0 END')


class DecisionCounts(Document):
    """How much all workers decided since their start, and in each of the last 60 minutes."""

    total: int = _like(5200)
    alarms: int = _like(1040)
    referred: int = _like(0)
    requests: int = _like(52)
    per_minute: list[int] = _like([2400, 2800])
    alarms_per_minute: list[int] = _like([480, 560])


class Prevalence(Document):
    """The prevalence that is assumed, and the one that the last scores show."""

    assumed: Pair | None = _like([0.1, 0.1])
    estimated: float | None = _like(0.16)
    interval: Pair | None = _like([0.14, 0.18])
    rows: int = _like(5000)
    model: str | None = _like("nb")
    problem: str | None = _like("no scores yet", "Why there is no estimate, or not a good one.")


class FeedbackEvent(Document):
    """An event, and what came of it."""

    at: str = _like("2026-03-01T17:00:01.234Z")
    event_id: str = _like("sunday")
    kind: str = _like("load")
    rows: int = _like(0)
    words: str = _like("stored, not weighed")
    moved: float = _like(0.0)


class ObservedRates(Document):
    """The rates of complete outcomes."""

    rows: int = _like(3000)
    negatives: int = _like(2700)
    positives: int = _like(300)
    fpr: float | None = _like(0.06)
    tpr: float | None = _like(0.79)


class RecentFeedback(Document):
    """How much feedback there is, and the last of it."""

    events: int | None = _like(1, "Null while the record cannot be reached.")
    recent: list[FeedbackEvent]
    observed: ObservedRates | None


class TunerDocument(Document):
    """Where feedback turned the knob, and what is in force of it."""

    mode: Literal["advise", "follow"] = _like("follow")
    position: float = _like(0.52)
    setting: float = _like(0.52)
    step: float = _like(0.02)
    moves: list[dict[str, Any]] = _like(
        [{"at": "2026-03-01T17:00:01.234Z", "from": 0.5, "to": 0.52, "why": "too many misses"}]
    )


class ServiceWarning(Document):
    """What calls for attention."""

    code: str = _like("prevalence_left")
    message: str = _like("The estimated prevalence left your assumption: 0.16 (0.14 to 0.18).")


class WorkerDocument(Document):
    """One of the processes that decide."""

    name: str = _like("web-1/0")
    at: str = _like("2026-03-02T08:59:59.500Z", "When it was heard of.")
    model_version: int = _like(7)
    aim_id: int | None = _like(12)
    is_this: bool = _like(True, "Whether it gave this answer.")
    problems: list[str] = _like([])


class StatusDocument(Document):
    """What the service does, and what it noticed."""

    role: Literal["viewer", "operator"] = _like("operator")
    rocch: str = _like("0.1.0")
    now: str = _like("2026-03-02T09:00:00.000Z")
    started_at: str = _like("2026-03-01T06:00:00.000Z")
    model: ServedModel
    aim: AimDocument
    in_force: RuleInForce
    decisions: DecisionCounts
    workers: list[WorkerDocument]
    audit_lag: int | None = _like(
        None, "Bytes of this machine's audit that are not yet in the record; null if it keeps none."
    )
    prevalence: Prevalence
    feedback: RecentFeedback
    tuner: TunerDocument | None
    warnings: list[ServiceWarning]
    page: dict[str, Any] = Field(
        default={},
        examples=[
            {"title": "(1) rocch service", "parts": {"sentence": ["Predict 1 when nb >= 0.6."]}}
        ],
        description="With `page=true`: texts, lists and marks by the elements of the page.",
    )


METRICS = {
    "content": {
        "text/plain": {
            "schema": {"type": "string"},
            "example": "# HELP rocch_rows_total Rows decided.\n# TYPE rocch_rows_total counter\n",
        }
    }
}
# When each refusal comes, with its codes.
REFUSALS = {
    400: "The body is no JSON (bad_input), or the Host header names another service (bad_host)",
    401: "No token, or a wrong one (not_authorized)",
    403: "The token of a role that may not do this (forbidden)",
    404: "Nothing of this kind is kept (not_found)",
    408: "The body took too long to arrive (timeout)",
    409: "Something else is in force by now, or another event had this id (conflict)",
    413: "Too many bytes (too_large), or too many rows (too_many_rows)",
    415: "A body that is not sent as JSON, or is compressed (unsupported)",
    422: "Something that makes no sense (bad_input), or cannot be met (infeasible and others)",
    503: "Too busy, ending, or without its record (unavailable), too slow (timeout), or unable to "
    "record decisions (audit_failed)",
}


def describe_refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the refusals of an operation, as FastAPI takes them for `responses`."""
    return {
        status: {"model": ErrorDocument, "description": REFUSALS[status]} for status in statuses
    }


# Refusals of operations: without parameters, with a query, with a body, and of changes.
PLAIN_REFUSALS = describe_refusals(400, 401, 403, 503)
QUERY_REFUSALS = describe_refusals(400, 401, 403, 422, 503)
BODY_REFUSALS = describe_refusals(400, 401, 403, 408, 413, 415, 422, 503)
CHANGE_REFUSALS = BODY_REFUSALS | describe_refusals(409)
