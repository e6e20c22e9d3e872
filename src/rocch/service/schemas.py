"""The bodies of requests: what may be sent, and an example of each.

Columns and words are taken as they come and checked by those who use them (`columns.py`,
`aims.py`), at once for a whole column and in the house's words; here stands their shape.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from rocch.errors import InputError
from rocch.hybrid.climb import LEAST_PROPENSITY
from rocch.service.aims import CONDITIONS, CRITERION, NAMES, RANGES, RATIOS

NUMBER = {"type": "number"}
INTERVAL = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
OPEN_ABOVE = {
    "type": "array",
    "prefixItems": [NUMBER, {"const": "inf"}],
    "minItems": 2,
    "maxItems": 2,
}
"""An interval without an end: "at least so many times as bad"."""
ROWS = {"minItems": 1, "maxItems": 100_000}
"""Limits of a column; the document of a service states its own."""


def _word(name: str) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [NUMBER]
    if name in RANGES:
        kinds.append(INTERVAL)
    if name in RATIOS:
        kinds.append(OPEN_ABOVE)
    if name in NAMES:
        text = {"enum": [NAMES[name]]} if name == "prevalence" else {"type": "string"}
        kinds = [*kinds, text] if name == "prevalence" else [text]
    return {"anyOf": kinds} if len(kinds) > 1 else kinds[0]


def _words(names: tuple[str, ...], example: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "object",
            "properties": {name: _word(name) for name in names},
            "additionalProperties": False,
            "examples": [example],
        }
    )


def _columns(*kinds: str, example: dict[str, Any]) -> WithJsonSchema:
    column = {"type": "array", "items": {"type": list(kinds)}, **ROWS}
    return WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": column,
            "minProperties": 1,
            "examples": [example],
        }
    )


SCORES: Any = {"nb": [0.12, 0.94], "gbm": [0.3, 0.81]}

Conditions: TypeAlias = Annotated[
    dict[str, Any],
    _words(CONDITIONS, {"prevalence": [0.1, 0.2], "false_positive": 1, "false_negative": 25}),
]
Criterion: TypeAlias = Annotated[dict[str, Any], _words(CRITERION, {"max_fpr": 0.05})]
Scores: TypeAlias = Annotated[
    dict[str, list[Any]], _columns("number", "string", "boolean", example=SCORES)
]
Features: TypeAlias = Annotated[
    dict[str, list[Any]],
    _columns("number", "string", "boolean", "null", example={"age": [31, 64], "sex": ["f", "m"]}),
]
RowKeys: TypeAlias = Annotated[
    list[Any],
    WithJsonSchema(
        {"type": "array", "items": {"type": ["string", "integer"]}, **ROWS, "examples": [["a", 17]]}
    ),
]
Outcomes: TypeAlias = Annotated[
    list[Any],
    WithJsonSchema({"type": "array", "items": {"type": ["number", "string", "boolean"]}, **ROWS}),
]
Propensities: TypeAlias = Annotated[
    list[Any],
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "number", "minimum": LEAST_PROPENSITY, "maximum": 1},
            **ROWS,
        }
    ),
]
EventId: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Body(BaseModel):
    """What all bodies have in common: no unknown names, no texts where numbers are meant."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Rows(Body):
    """Rows, as columns of scores or of features."""

    scores: Scores | None = Field(
        default=None, description="Scores by classifier, one column each."
    )
    features: Features | None = Field(
        default=None, description="Features by name, or by position: '0', '1', ... Null is missing."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Rows:
        if (self.scores is None) == (self.features is None):
            got = "neither" if self.scores is None else "both"
            raise InputError(
                "scores, features", "be sent, one of the two", got, "Send one of them."
            )
        return self

    @property
    def rows(self) -> int:
        """The length of the longest column."""
        return max(map(len, (self.scores or self.features or {}).values()), default=0)


class DecideBody(Rows):
    """Rows to be decided, and what to aim at; without it, the aim in force."""

    row_keys: RowKeys | None = Field(
        default=None,
        description="A key for each row, of which coins are made; needed where one is tossed.",
    )
    conditions: Conditions | None = Field(default=None, description="Class balance and costs.")
    criterion: Criterion | None = Field(
        default=None, description="Limits, a metric, a belief or the knob."
    )
    randomize: bool | None = Field(default=None, description="Whether a coin may be tossed.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"scores": SCORES},
                {
                    "scores": SCORES,
                    "row_keys": ["a", 17],
                    "conditions": {"prevalence": 0.1, "false_positive": 1, "false_negative": 25},
                    "criterion": {"max_fpr": 0.3},
                    "randomize": True,
                },
            ]
        }
    )


class AimBody(Body):
    """What to aim at from now on."""

    conditions: Conditions | None = None
    criterion: Criterion | None = None
    randomize: bool = False
    tuning: Literal["off", "advise", "follow"] = Field(
        default="off", description="Whether feedback may turn the knob, or only advise to."
    )
    note: str = Field(default="", max_length=2000)
    by: str = Field(default="", max_length=200)
    replaces: int | None = Field(
        default=None, description="Refuse with 409 unless the aim with this id is in force."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "conditions": {
                        "prevalence": [0.1, 0.2],
                        "false_positive": 1,
                        "false_negative": [5, 10],
                    },
                    "note": "winter",
                    "by": "Ada",
                }
            ]
        }
    )


class OutcomesBody(Rows):
    """What decided rows turned out to be."""

    event_id: EventId
    kind: Literal["outcomes"]
    outcomes: Outcomes = Field(description="The labels, one for each row.")
    complete: bool | None = Field(
        default=None, description="True where the outcomes of all rows are known, alarmed or not."
    )
    propensities: Propensities | None = Field(
        default=None, description="How likely each row was to have its outcome known, otherwise."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "event_id": "2026-03-02/17",
                    "kind": "outcomes",
                    "scores": SCORES,
                    "outcomes": [0, 1],
                    "complete": True,
                }
            ]
        }
    )


class LoadBody(Body):
    """How many alarms there were, and how many could be handled."""

    event_id: EventId
    kind: Literal["load"]
    alarms: int = Field(ge=0, le=10**12)
    capacity: int = Field(ge=0, le=10**12)

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"event_id": "monday", "kind": "load", "alarms": 120, "capacity": 100}]
        }
    )


class QueueBody(Body):
    """A word from those who handle alarms."""

    event_id: EventId
    kind: Literal["too_many_alarms", "queue_not_filled"]
    times: int = Field(default=1, ge=1, le=1000)

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"event_id": "tuesday", "kind": "too_many_alarms"}]}
    )


FeedbackBody: TypeAlias = Annotated[
    OutcomesBody | LoadBody | QueueBody, Field(discriminator="kind")
]
"""Feedback of any kind."""

BODIES: dict[str, Any] = {
    "DecideBody": DecideBody,
    "AimBody": AimBody,
    "FeedbackBody": FeedbackBody,
}
"""All bodies, by the names under which they are described."""
