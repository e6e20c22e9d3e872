"""What may be sent: the bodies and queries of requests, and what is wrong with one that misfits.

Columns are taken as they come; `columns.py` checks their values, once, for the model that decides.
The fields of a question are those of `rocch.Question`, which checks them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

from fastapi.exceptions import RequestValidationError
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    create_model,
    model_validator,
)

from rocch.errors import InputError, RocchError
from rocch.hybrid.climb import LEAST_PROPENSITY
from rocch.roc.question import Question
from rocch.roc.question_fields import QuestionField
from rocch.service.errors import ServiceError, json_text, shorten
from rocch.service.store import LAST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Names in a body beyond the columns that the model takes; there may be as many lists and objects.
# Each unknown name becomes an error with its place and each list an object, which costs far more
# than its bytes; this many are refused within a few milliseconds.
MOST_NAMES = 2000
# Texts, which may be names, and beginnings of lists and objects outside them.
JSON_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?(?P<name>\s*+:)?|(?P<list>[\[{])', re.DOTALL)

# Texts that reach the record: PostgreSQL cannot store a NUL character.
STORABLE = r"^[^\x00]*$"

# What rows must be where they came in another shape.
COLUMN_MISFITS = {
    "dict_type": "be an object of columns",
    "list_type": "be a list with one value for each row",
}
COLUMNS_HINT = 'Two rows are sent as {"age": [31, 64], "income": [1200, 3400]}, for example.'

SCORES: Any = {"nb": [0.12, 0.94], "gbm": [0.3, 0.81]}
COSTS: Any = {"prevalence": [0.1, 0.2], "false_positive": 1, "false_negative": 25}


def _column(*types: str, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": list(types), **more}, "minItems": 1}


def _columns(*types: str, example: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": _column(*types),
            "minProperties": 1,
            "examples": [example],
        }
    )


Scores: TypeAlias = Annotated[
    dict[str, list[Any]], _columns("number", "string", "boolean", example=SCORES)
]
Features: TypeAlias = Annotated[
    dict[str, list[Any]],
    _columns("number", "string", "boolean", "null", example={"age": [31, 64], "sex": ["f", "m"]}),
]
RowKeys: TypeAlias = Annotated[
    list[Any], WithJsonSchema({**_column("string", "integer"), "examples": [["a", 17]]})
]
Outcomes: TypeAlias = Annotated[list[Any], WithJsonSchema(_column("number", "string", "boolean"))]
Propensities: TypeAlias = Annotated[
    list[Any], WithJsonSchema(_column("number", minimum=LEAST_PROPENSITY, maximum=1))
]
EventId: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=STORABLE)
]


def _check_field(value: Any, about: QuestionField) -> Any:
    """Check a field as `Question` does: no bool is a number."""
    try:
        about.check(value)
    except InputError as error:
        got = shorten(json_text(value))
        raise InputError(about.name, error.requirement, got, error.hint, **error.values) from None
    return value


def _field(about: QuestionField) -> Any:
    check = PlainValidator(partial(_check_field, about=about))
    return Annotated[Any, check, WithJsonSchema(about.json_schema())], None


def _typed_field(about: QuestionField) -> Any:
    """Return a field as people type it in a query."""
    is_flag = about.kind == "flag"
    schema = WithJsonSchema({"type": "boolean" if is_flag else "string"})
    example = about.example == "true" if is_flag else about.example
    return Annotated[str, schema], Field(None, description=about.help, examples=[example])


def _examples(*examples: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": list(examples)})


class Body(BaseModel):
    """What all bodies have in common: no unknown names, no texts where numbers are meant."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


# The fields of `rocch.Question`, each checked by it.
QuestionBody: Any = create_model(
    "Question",
    __doc__="What is known, believed, limited or sought. Intervals are [low, high]. Texts as on "
    'the command line, such as "5%" or "80..200", are read as well.',
    __config__=ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [COSTS, {"max_fpr": 0.05}]}
    ),
    **{about.name: _field(about) for about in Question.fields()},
)
# The same fields in a query.
QuestionQuery: Any = create_model(
    "QuestionQuery",
    __config__=ConfigDict(extra="forbid"),
    **{about.name: _typed_field(about) for about in Question.fields()},
)


class BestQuery(QuestionQuery):  # type: ignore[misc]
    """A question in a query, and what to compare its best point with."""

    baseline: str | None = Field(
        default=None,
        max_length=200,
        description="Today's rule: THRESHOLD, MODEL:THRESHOLD or MODEL. What is saved against it "
        "comes first in `point.savings`.",
        examples=["0.5"],
    )


class StatusQuery(BaseModel):
    """What to show beside the status."""

    page: bool = Field(default=False, description="Also the texts and pictures of the page.")
    model_config = ConfigDict(extra="forbid")


class HistoryQuery(BaseModel):
    """Which part of the history to show."""

    limit: int = Field(default=100, ge=1, le=1000, description="How many aims to show.")
    before: int = Field(
        default=LAST,
        ge=1,
        le=LAST,
        description="Show only aims with smaller ids: the oldest one seen leads to earlier ones.",
    )
    model_config = ConfigDict(extra="forbid")


class DecisionsQuery(BaseModel):
    """Which part of the recorded decisions to show."""

    limit: int = Field(
        default=100, ge=1, le=1000, description="How many to show, at most; fewer large ones."
    )
    before: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        pattern=STORABLE,
        description="Show only those before this id: the last one seen leads to earlier ones.",
    )
    model_config = ConfigDict(extra="forbid")


class QuestionHolder(Body):
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
    def _check_one_of_both(self) -> Rows:
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


class DecideBody(Rows, QuestionHolder):
    """Rows to be decided, and what to aim at; without it, the aim in force."""

    row_keys: RowKeys | None = Field(
        default=None,
        description="A key for each row, of which coins are made; needed where one is tossed.",
    )
    model_config = _examples(
        {"scores": SCORES},
        {
            "scores": SCORES,
            "row_keys": ["a", 17],
            "question": {**COSTS, "prevalence": 0.1, "max_fpr": 0.3, "randomize": True},
        },
    )


class AimBody(QuestionHolder):
    """What to aim at from now on."""

    tuning: Literal["off", "advise", "follow"] = Field(
        default="off", description="Whether feedback may turn the knob, or only advise to."
    )
    note: str = Field(default="", max_length=2000, pattern=STORABLE)
    by: str = Field(default="", max_length=200, pattern=STORABLE)
    replaces: int | None = Field(
        default=None, description="Refuse with 409 unless the aim with this id is in force."
    )
    model_config = _examples(
        {"question": {**COSTS, "false_negative": [5, 10]}, "note": "winter", "by": "Ada"}
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
    model_config = _examples(
        {
            "event_id": "2026-03-02/17",
            "kind": "outcomes",
            "scores": SCORES,
            "outcomes": [0, 1],
            "complete": True,
        }
    )


class LoadBody(Body):
    """How many alarms there were, and how many could be handled."""

    event_id: EventId
    kind: Literal["load"]
    alarms: int = Field(ge=0, le=10**12)
    capacity: int = Field(ge=0, le=10**12)
    model_config = _examples({"event_id": "monday", "kind": "load", "alarms": 120, "capacity": 100})


class QueueBody(Body):
    """A complaint of those who handle alarms."""

    event_id: EventId
    kind: Literal["too_many_alarms", "queue_not_filled"]
    times: int = Field(default=1, ge=1, le=1000)
    model_config = _examples({"event_id": "tuesday", "kind": "too_many_alarms"})


# Feedback of any kind.
FeedbackBody: TypeAlias = Annotated[
    OutcomesBody | LoadBody | QueueBody, Field(discriminator="kind")
]
# Its kinds, with the names that a body of each may have.
KINDS: dict[str, Iterable[str]] = {
    kind: member.model_fields
    for member in (OutcomesBody, LoadBody, QueueBody)
    for kind in get_args(member.model_fields["kind"].annotation)
}


def parse_body(content: bytes, adapter: TypeAdapter[Any], most: int = MOST_NAMES) -> Any:
    """Return JSON as a model, if it has no more names, and no more lists and objects, than most.

    Raises
    ------
    ServiceError
        If it has more.
    RequestValidationError
        If it does not fit the model; the first misfit is described.
    """
    _check_few(content, most)
    try:
        return adapter.validate_json(content)
    except ValidationError as error:
        first: Any = error.errors(include_url=False)[0]
        raise RequestValidationError([{**first, "loc": ("body", *first["loc"])}]) from None


def _check_few(content: bytes, most: int) -> None:
    """Refuse a body with more names, or more lists and objects, than most."""
    if max(content.count(b":"), content.count(b"[") + content.count(b"{")) <= most:
        return  # texts may contain such characters too, which takes far longer to find out
    found = {"name": 0, "list": 0}
    for token in JSON_TOKENS.finditer(content):
        if token.lastgroup is None:
            continue
        found[token.lastgroup] += 1
        if found[token.lastgroup] > most:
            raise ServiceError(
                422,
                "bad_input",
                f"the body must have at most {most} names, and as many lists and objects; it has "
                "more. Leave out what this service does not know.",
            )


def explain_misfit(misfit: Any, known: Iterable[str]) -> ServiceError:
    """Return the refusal of a request that does not fit, in pydantic's words.

    Parameters
    ----------
    misfit
        One of the errors of a `RequestValidationError`.
    known
        The names that the body or the query may have.
    """
    kind, (_, *places), context = misfit["type"], misfit["loc"], misfit.get("ctx", {})
    cause = context.get("error")
    explained: tuple[str, str, str]  # what must be, what came, what to do
    if isinstance(cause, RocchError):
        return ServiceError.of(cause)
    if kind == "json_invalid":
        return ServiceError(400, "bad_input", f"the body must be JSON; it is not: {cause}.")
    if kind == "extra_forbidden":
        inner = {"question": QuestionBody.model_fields, **KINDS}
        known = inner.get(places[-2], known) if len(places) > 1 else known
        requirement, got = f"be one of {', '.join(known)}", json_text(shorten(places[-1]))
        explained = (requirement, got, "Leave it out, or correct its name.")
    elif kind == "missing":
        explained = ("be sent", "none", "Add it.")
    elif kind.startswith("union_tag"):
        places, sent = ["kind"], misfit["input"]
        got = _describe(sent["kind"]) if "kind" in sent else "none"
        explained = (f"be one of {', '.join(KINDS)}", got, "Send one of them.")
    elif kind in COLUMN_MISFITS and places and places[0] in ("scores", "features"):
        explained = (COLUMN_MISFITS[kind], _describe(misfit["input"]), COLUMNS_HINT)
    elif kind == "string_pattern_mismatch":
        got = _describe(misfit["input"])
        explained = ("be text without NUL characters", got, "Leave them out.")
    else:
        requirement = misfit["msg"].partition(" should ")[2] or "be valid"
        explained = (requirement, _describe(misfit["input"]), "")
    place = _join(places)
    refused = ServiceError.of(InputError(place or "the body", *explained))
    refused.argument = place or None
    return refused


def _join(places: Sequence[Any]) -> str:
    """Return a place in a body; the kind of feedback, which comes first, is no place."""
    is_kind = len(places) > 1 and places[0] in KINDS
    return shorten(".".join(map(str, places[1:] if is_kind else places)))


def _describe(value: Any) -> str:
    """Return what came; large things by their kind alone."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return shorten(json_text(value))
