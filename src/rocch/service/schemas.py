"""The bodies of requests: what may be sent, and an example of each.

Columns are taken as they come and checked by `columns.py`, at once for a whole column; here stands
their shape. The fields of a question are those of `rocch.Question`, which checks them.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    create_model,
    model_validator,
)

from rocch.errors import InputError
from rocch.hybrid.climb import LEAST_PROPENSITY
from rocch.roc.question import Question
from rocch.roc.question_fields import QuestionField
from rocch.service.answers import json_text
from rocch.service.misfits import cut

ROWS = {"minItems": 1, "maxItems": 100_000}
"""Limits of a column; the document of a service states its own."""


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

COSTS: Any = {"prevalence": [0.1, 0.2], "false_positive": 1, "false_negative": 25}

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


def _checked(value: Any, about: QuestionField) -> Any:
    """Check a field as `Question` does: no bool or text is a number."""
    try:
        about.check(value)
    except InputError as error:
        got = cut(json_text(value))
        raise InputError(about.name, error.requirement, got, error.hint, **error.values) from None
    return value


def _field(about: QuestionField) -> Any:
    check = PlainValidator(partial(_checked, about=about))
    return Annotated[Any, check, WithJsonSchema(about.json_schema())], None


QuestionBody: Any = create_model(
    "Question",
    __doc__="What is known, believed, limited or sought. Intervals are [low, high].",
    __config__=ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [COSTS, {"max_fpr": 0.05}]}
    ),
    **{about.name: _field(about) for about in Question.fields()},
)
"""The fields of `rocch.Question`, each checked by it."""


class Asking(Body):
    """A body that may have a question."""

    question: QuestionBody | None = Field(
        default=None, description="What to aim at; without it, as is in force."
    )

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the question that were sent."""
        return {} if self.question is None else self.question.model_dump(exclude_unset=True)


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


class DecideBody(Rows, Asking):
    """Rows to be decided, and what to aim at; without it, the aim in force."""

    row_keys: RowKeys | None = Field(
        default=None,
        description="A key for each row, of which coins are made; needed where one is tossed.",
    )
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"scores": SCORES},
                {
                    "scores": SCORES,
                    "row_keys": ["a", 17],
                    "question": {**COSTS, "prevalence": 0.1, "max_fpr": 0.3, "randomize": True},
                },
            ]
        }
    )


class AimBody(Asking):
    """What to aim at from now on."""

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
                    "question": {**COSTS, "false_negative": [5, 10]},
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
