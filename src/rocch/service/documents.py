"""The documents that answers hold, for the OpenAPI description.

Nothing is made of these at run time. Answers are written straight from plain data, because that is
fastest; the tests hold every answer against what stands here.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

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


class Point(Document):
    """Where the hybrid operates."""

    fpr: float
    tpr: float
    knob: float
    expected_cost: float | None
    words: str
    mix: list[MixedPoint]
    randomizing_gains: float


class Best(Document):
    """The best operating point for an aim."""

    point: Point
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
    conditions: dict[str, Any] | None
    criterion: dict[str, Any] | None
    randomize: bool
    tuning: Literal["off", "advise", "follow"]
    words: str


class ConditionsDocument(Document):
    """The aim in force, and those before it."""

    current: AimDocument
    history: list[AimDocument]
    total: int


class AimedDocument(Document):
    """A new aim, and where it operates."""

    current: AimDocument
    point: Point


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
