"""What is sent back: the documents of responses, with examples, for the OpenAPI description.

Nothing is made of these at run time. Responses are written straight from plain data, because that
is fastest; the tests compare every response with what stands here. Examples leave out what may be
null, because FastAPI leaves nulls out of a description.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rocch import __version__
from rocch.service.errors import ServiceError
from rocch.service.schemas import QuestionBody

# A number; JSON has no infinite ones, so these are texts.
Number = float | Literal["inf", "-inf"]
# A label of the model's.
Label = bool | int | float | str


class Document(BaseModel):
    """What all documents have in common: every field is declared."""

    model_config = ConfigDict(extra="forbid")


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


class ErrorDetail(Document):
    """What was wrong with a request."""

    code: str = Field(description="For programs.")
    message: str = Field(description="For people: what must be, what came, what to do.")
    argument: str | None = Field(None, description="The part of the request at fault.")
    requirement: str | None = Field(None, description="What the argument must be or do.")
    got: str | None = Field(None, description="What came.")
    hint: str | None = Field(None, description="What to do.")


class ErrorDocument(Document):
    """A request that was refused."""

    error: ErrorDetail


class Library(Document):
    """Which export decided."""

    version: int
    sha256: str


class AimSource(Document):
    """Whose aim it was."""

    source: Literal["request", "operator", "command line", "default", "tuner"]
    id: int | None


LIBRARY: dict[str, Any] = {"version": 7, "sha256": "9f2c" + 60 * "0"}
OPERATOR: dict[str, Any] = {"source": "operator", "id": 12}
RULE: dict[str, Any] = {
    "rocch_rule": 1,
    "words": "predict 1 when nb >= 0.6",
    "positive": 1,
    "negative": 0,
    "mix": [{"probability": 1.0, "alarm_when": {"model": "nb", "at_least": 0.6, "written": "0.6"}}],
    "scores": {"nb": "decision_function"},
    "coin": {"needed": False, "seed": 0, "made": "..."},
    "expected": {"fpr": 0.05, "tpr": 0.8},
}


class Coin(Document):
    """What the coins were made of."""

    seed: int
    row_keys: list[str]


class Decided(Document):
    """Decisions, and the rule that made them."""

    decisions: list[Label]
    rows: int
    alarms: int
    rule: dict[str, Any]
    coin: Coin | None
    library: Library
    aim: AimSource
    decision_id: str
    decided_at: str
    model_config = _example(
        decisions=[0, 1],
        rows=2,
        alarms=1,
        rule=RULE,
        coin={"seed": 0, "row_keys": ["a", "17"]},
        library=LIBRARY,
        aim=OPERATOR,
        decision_id="0f9a5a3e0a5b4a0e9d3f6a1b2c3d4e5f",
        decided_at="2026-03-02T09:15:00.123Z",
    )


class MixedPoint(Document):
    """One of the points that a coin chooses between."""

    probability: float
    classifier: str
    threshold: Number | str | None
    fpr: float
    tpr: float


class NewRows(Document):
    """What the rule is expected to cost per case on new rows, with an interval."""

    expected: float | None
    low: float | None
    high: float | None
    confidence: float
    note: str = Field(description="Why there is no expectation.")


class Point(Document):
    """Where the hybrid operates."""

    fpr: float
    tpr: float
    knob: float
    expected_cost: float | None = Field(description="Per case, on the evaluation rows.")
    aimed_for: Literal["new rows", "evaluation rows"] = Field(
        description="Whether the rule is meant for new rows, or is the best on the evaluation rows."
    )
    new_rows: NewRows
    words: str
    mix: list[MixedPoint]
    randomizing_gains: float


class Counts(Document):
    """What to expect of 1,000 cases, from low to high within the prevalence."""

    prevalence: list[float]
    alarms: list[float]
    hits: list[float]
    misses: list[float]
    false_alarms: list[float]


class Line(Document):
    """A line on the hull, by its ends as pairs of FPR and TPR."""

    kind: Literal["iso", "limit"]
    ends: list[tuple[float, float]]


class Drawing(Document):
    """What an aim looks like on the hull."""

    slopes: tuple[Number, Number] | None
    lines: list[Line]
    touched: tuple[int, int] | None = Field(
        description="The first and the last vertex that lines of equal cost touch."
    )
    words: str


class Preview(Document):
    """What would change if the question were put in force, in words."""

    sentence: list[str | dict[str, str]]
    comparison: list[tuple[str, str, str]]
    changes: list[tuple[str, str, str]]
    coin: str | None


POINT: dict[str, Any] = {
    "fpr": 0.05,
    "tpr": 0.8,
    "knob": 0.425,
    "expected_cost": 0.545,
    "aimed_for": "evaluation rows",
    "new_rows": {"expected": 0.58, "low": 0.47, "high": 0.72, "confidence": 0.95, "note": ""},
    "words": "alarm when nb >= 0.6 (FPR 0.05, TPR 0.8, expected cost 0.545)",
    "mix": [{"probability": 1.0, "classifier": "nb", "threshold": 0.6, "fpr": 0.05, "tpr": 0.8}],
    "randomizing_gains": 0.0,
}
COUNTS = {
    "prevalence": [0.1, 0.1],
    "alarms": [125.0, 125.0],
    "hits": [80.0, 80.0],
    "misses": [20.0, 20.0],
    "false_alarms": [45.0, 45.0],
}
DRAWING: dict[str, Any] = {
    "slopes": [0.36, 0.36],
    "lines": [{"kind": "iso", "ends": [[0.0, 0.782], [0.6055555555555556, 1.0]]}],
    "touched": [1, 1],
    "words": "Each mark is a vertex of the hull; the ring is where it operates. The aim has the "
    "slope 0.36: the dashed line.",
}
QUESTION = {"prevalence": 0.1, "false_positive": 1.0, "false_negative": 25.0}
QUESTION_WORDS = "10 % positive, a false alarm costs 1, a miss costs 25"


class Best(Document):
    """The best operating point for a question."""

    question: QuestionBody | None = Field(description="As sent; null for the aim in force.")
    words: str
    point: Point
    counts: Counts
    drawing: Drawing
    preview: Preview
    rule: dict[str, Any]
    library: Library
    aim: AimSource
    model_config = _example(
        question=QUESTION,
        words=QUESTION_WORDS,
        point=POINT,
        counts=COUNTS,
        drawing=DRAWING,
        preview={
            "sentence": ["It would stay where it is: ", {"strong": RULE["words"]}, "."],
            "comparison": [],
            "changes": [["Miss costs", "20", "25"]],
            "coin": "Callers must send row_keys.",
        },
        rule=RULE,
        library=LIBRARY,
        aim=OPERATOR,
    )


class Vertex(Document):
    """A vertex of the hull."""

    fpr: float
    tpr: float
    knob: float
    classifier: str
    threshold: Number | str | None
    deployed_threshold: Number | str | None
    classifiers: list[str]
    false_positives: float
    true_positives: float
    rule: str
    words: str
    details: list[list[Any]]


class SlopeRange(Document):
    """The range of slopes in which a classifier is best."""

    classifier: str
    low: Number
    high: Number


class ClassTotals(Document):
    """How many evaluation rows of each class the hull is made of."""

    negatives: float
    positives: float


class Hull(Document):
    """The hull that decisions come from."""

    library: Library
    vertices: list[Vertex]
    pictures: dict[str, list[list[Any]]] = Field(
        description="For the page: elements as lists of a tag, attributes and children."
    )
    slope_ranges: list[SlopeRange]
    auc: float | None
    slope_bounds: tuple[Number, Number] | None
    judged: ClassTotals
    model_config = _example(
        library=LIBRARY,
        vertices=[
            {
                "fpr": 0.05,
                "tpr": 0.8,
                "knob": 0.425,
                "classifier": "nb",
                "threshold": 0.62,
                "deployed_threshold": 0.6,
                "classifiers": ["nb"],
                "false_positives": 45.0,
                "true_positives": 80.0,
                "rule": "alarm when nb >= 0.6",
                "words": "nb at 0.6: FPR 5 %, TPR 80 %",
                "details": [["div", {}, "alarm when nb >= 0.6"]],
            }
        ],
        pictures={"legend": [["li", {}, "nb 3 marks"]]},
        slope_ranges=[{"classifier": "nb", "low": 0.0, "high": "inf"}],
        auc=0.875,
        slope_bounds=[0.0, "inf"],
        judged={"negatives": 900, "positives": 100},
    )


class Health(Document):
    """Whether the service decides as it should."""

    status: Literal["ok", "degraded"]
    library_version: int
    problems: list[str]
    model_config = _example(status="ok", library_version=7, problems=[])


class AimDocument(Document):
    """An aim, and where it came from."""

    id: int | None
    at: str
    by: str
    note: str
    source: Literal["operator", "command line", "default"]
    question: QuestionBody
    words: str
    tuning: Literal["off", "advise", "follow"]


AIM: dict[str, Any] = {
    "id": 12,
    "at": "2026-03-02T09:00:00.000Z",
    "by": "Ada",
    "note": "winter",
    "source": "operator",
    "question": QUESTION,
    "words": QUESTION_WORDS,
    "tuning": "off",
}


class ConditionsDocument(Document):
    """The aim in force, and those before it."""

    current: AimDocument
    history: list[AimDocument]
    total: int
    model_config = _example(current=AIM, history=[AIM], total=1)


class AimedDocument(Document):
    """A new aim, and where it operates."""

    current: AimDocument
    point: Point
    message: str
    model_config = _example(
        current=AIM, point=POINT, message=f"Put in force: {QUESTION_WORDS}. FPR 5 %, TPR 80 %."
    )


class FeedbackDocument(Document):
    """What became of feedback, which is on the disk by now."""

    event_id: str
    duplicate: bool
    reaction: dict[str, Any] | None
    stored_at: str
    model_config = _example(
        event_id="monday",
        duplicate=False,
        reaction={"feedback": "load", "moved": -0.01, "words": "turned left by 0.01"},
        stored_at="2026-03-02T17:00:00.000Z",
    )


class StatusDocument(BaseModel):
    """Everything that the page shows."""

    role: Literal["viewer", "operator"]
    rocch: str
    now: str
    started_at: str
    library: dict[str, Any]
    aim: AimDocument
    in_force: dict[str, Any]
    decisions: dict[str, Any]
    prevalence: dict[str, Any]
    feedback: dict[str, Any]
    tuner: dict[str, Any] | None
    warnings: list[dict[str, str]]
    page: dict[str, Any] = Field(
        description="Texts, lists and marks by the elements of the page that show them."
    )
    model_config = _example(
        role="operator",
        rocch=__version__,
        now="2026-03-02T09:00:00.000Z",
        started_at="2026-03-01T06:00:00.000Z",
        library={
            **LIBRARY,
            "exported_at": "2026-02-27T16:20:00.000Z",
            "loaded_at": "2026-03-01T06:00:00.100Z",
            "note": "spring models",
            "classifiers": ["gbm", "nb"],
            "judged": {"negatives": 4200, "positives": 800},
            "takes_features": False,
            "pending": {"version": 8, "problem": "its file is damaged"},
        },
        aim=AIM,
        in_force={
            "source": "operator",
            "point": POINT,
            "counts": COUNTS,
            "drawing": DRAWING,
            "rule": RULE["words"],
            "sql": 'CASE WHEN "nb" >= 0.6 THEN 1 WHEN NOT ("nb" >= 0.6) THEN 0 END',
        },
        decisions={
            "total": 5200,
            "alarms": 1040,
            "requests": 52,
            "per_minute": [0] * 58 + [2400, 2800],
            "alarms_per_minute": [0] * 58 + [480, 560],
        },
        prevalence={
            "assumed": [0.1, 0.1],
            "estimated": 0.16,
            "interval": [0.14, 0.18],
            "rows": 5000,
            "model": "nb",
            "problem": "",
        },
        feedback={
            "events": 1,
            "recent": [
                {
                    "at": "2026-03-01T17:00:01.234Z",
                    "event_id": "sunday",
                    "kind": "load",
                    "rows": 0,
                    "words": "stored, not weighed",
                    "moved": 0.0,
                }
            ],
            "observed": {
                "rows": 3000,
                "negatives": 2700,
                "positives": 300,
                "fpr": 0.06,
                "tpr": 0.79,
            },
        },
        tuner={"mode": "follow", "position": 0.52, "setting": 0.52, "step": 0.02, "moves": []},
        warnings=[
            {
                "code": "prevalence_left",
                "message": "The estimated prevalence left your assumption: 0.16 (0.14 to 0.18) by "
                "the scores of nb on the last 5000 rows, and you assumed 0.1.",
            }
        ],
        page={
            "title": "(1) rocch service",
            "parts": {
                "sentence": ["Predict 1 when nb >= 0.6."],
                "facts": [["dt", {}, "Hits (TPR)"], ["dd", {}, "80 %"]],
            },
        },
    )


METRICS = {
    "content": {
        "text/plain": {
            "schema": {"type": "string"},
            "example": "# HELP rocch_rows_total Rows decided.\n# TYPE rocch_rows_total counter\n",
        }
    }
}

# For each status of a refusal: when it comes, and an example.
REFUSALS = {
    400: ("No JSON, or another Host", "bad_input", "the body must be JSON; it is not: ...", None),
    401: (
        "No token, or a wrong one",
        "not_authorized",
        "the token must be one of this service's; got none. "
        "Send it as Authorization: Bearer TOKEN.",
        None,
    ),
    403: (
        "The token of a role that may not do this",
        "forbidden",
        "the token must be of the operator; got that of the viewer. Use the other one.",
        None,
    ),
    408: (
        "The body took too long",
        "timeout",
        "the body must arrive within 10 s; it did not. Send it at once, or in smaller parts.",
        None,
    ),
    409: (
        "Something else is in force by now, or another event had this id",
        "conflict",
        "replaces must be the aim in force; got 11, but 12 is in force.",
        "replaces",
    ),
    413: (
        "Too many bytes, or too many rows",
        "too_many_rows",
        "scores must have at most 100000 rows; got 100001. Send fewer rows at a time.",
        "scores",
    ),
    415: (
        "A body that does not call itself JSON",
        "unsupported",
        "the body must be application/json, not compressed; got text/plain. Set the Content-Type.",
        None,
    ),
    422: (
        "Something that makes no sense, or cannot be met",
        "bad_input",
        "scores.nb must be finite numbers; got null at position 3. Send one value per row.",
        "scores.nb",
    ),
    503: (
        "Too busy, too slow, or unable to record what it did",
        "unavailable",
        "there are 64 requests under way already. Try again.",
        None,
    ),
}


def describe_refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the refusals of an operation, as FastAPI takes them for `responses`."""
    described: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        when, code, message, argument = REFUSALS[status]
        example = ServiceError(status, code, message, argument).to_dict()
        content = {"application/json": {"example": example}}
        described[status] = {"model": ErrorDocument, "description": when, "content": content}
    return described


# Refusals of operations: without parameters, with a query, and with a body.
PLAIN_REFUSALS = describe_refusals(400, 401, 403, 503)
QUERY_REFUSALS = describe_refusals(400, 401, 403, 422, 503)
BODY_REFUSALS = describe_refusals(400, 401, 403, 408, 413, 415, 422, 503)
CHANGE_REFUSALS = BODY_REFUSALS | describe_refusals(409)
