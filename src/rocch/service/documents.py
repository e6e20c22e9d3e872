"""The documents that answers hold, for the OpenAPI description.

Nothing is made of these at run time. Answers are written straight from plain data, because that is
fastest; the tests hold every answer against what stands here.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rocch.service.schemas import QuestionBody

Number = float | Literal["inf", "-inf"]
"""A number; JSON has no infinite ones, so these are texts."""
Label = bool | int | float | str
"""A label of the model's."""


class Document(BaseModel):
    """What all documents have in common: nothing is left unsaid."""

    model_config = ConfigDict(extra="forbid")


class ErrorDetail(Document):
    """What was wrong with a request."""

    code: str = Field(description="For programs.")
    message: str = Field(description="For people: what must be, what came, what to do.")
    argument: str | None = Field(description="The part of the request at fault.")
    requirement: str | None = Field(None, description="What the argument must be or do.")
    got: str | None = Field(None, description="What came.")
    hint: str | None = Field(None, description="What to do.")


class ErrorDocument(Document):
    """A request that was refused."""

    error: ErrorDetail


class Library(Document):
    """Which export answered."""

    version: int
    sha256: str


class AimSource(Document):
    """Whose aim it was."""

    source: Literal["request", "operator", "command line", "default", "tuner"]
    id: int | None


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
    """Who wins where."""

    classifier: str
    low: Number
    high: Number


class JudgedRows(Document):
    """How many rows the hull was judged on."""

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
    judged: JudgedRows


class Health(Document):
    """Whether the service decides as it should."""

    status: Literal["ok", "degraded"]
    library_version: int
    problems: list[str]


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


class ConditionsDocument(Document):
    """The aim in force, and those before it."""

    current: AimDocument
    history: list[AimDocument]
    total: int


class AimedDocument(Document):
    """A new aim, and where it operates."""

    current: AimDocument
    point: Point
    message: str


class FeedbackAnswer(Document):
    """What became of feedback, which is on the disk by now."""

    event_id: str
    duplicate: bool
    reaction: dict[str, Any] | None
    stored_at: str


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
