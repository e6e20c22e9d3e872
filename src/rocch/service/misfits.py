"""Bodies that do not fit their model: the first thing that is wrong, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from rocch.errors import InputError
from rocch.roc.question import Question
from rocch.service.answers import json_text
from rocch.service.errors import ServiceError, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import ValidationError

# What must be, by the kind of pydantic's error.
REQUIREMENTS = {
    "bool_type": "be true or false",
    "dict_type": "be an object",
    "finite_number": "be a finite number",
    "float_type": "be a number",
    "int_from_float": "be a whole number",
    "int_type": "be a whole number",
    "list_type": "be a list",
    "literal_error": "be {expected}",
    "model_attributes_type": "be an object",
    "model_type": "be an object",
    "string_too_long": "have at most {max_length} characters",
    "string_type": "be a text",
}

LONGEST_CAME = 80
"""Characters of what came that a message shows."""


def misfit(error: ValidationError, model: Any) -> ServiceError:
    """Return the refusal of a body that was to be a model, or one of a union of them.

    Examples
    --------
    >>> from pydantic import TypeAdapter, ValidationError
    >>> from rocch.service.misfits import misfit
    >>> from rocch.service.schemas import FeedbackBody
    >>> try:
    ...     TypeAdapter(FeedbackBody).validate_json('{"kind": "load", "event_id": null}')
    ... except ValidationError as error:
    ...     print(misfit(error, FeedbackBody))
    event_id must be a text; got null.
    """
    first: Any = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return refusal(cause)
    if first["type"] == "json_invalid":
        return ServiceError(400, "bad_input", f"the body must be JSON; it is not: {cause}.")
    if first["type"].startswith("union_tag"):
        place, known = "kind", [kind for member in _members(model) for kind in _kinds(member)]
    else:
        tag, places = _without_tag(first["loc"], model)
        place, known = cut(".".join(map(str, places))), _fields(model, tag, places)
    refused = refusal(InputError(place or "the body", *_explain(first, known)))
    refused.argument = place or None
    return refused


def cut(text: str) -> str:
    """Return what came, or the beginning of it."""
    return text if len(text) <= LONGEST_CAME else text[:LONGEST_CAME] + " ..."


def _explain(first: dict[str, Any], known: list[str]) -> tuple[str, str, str]:
    """Return what must be, what came, and what to do."""
    kind = first["type"]
    if kind == "missing":
        return "be sent", "none", "Add it."
    if kind == "extra_forbidden":
        got = _came(str(first["loc"][-1]))
        return f"be one of {', '.join(known)}", got, "Leave it out, or correct its name."
    if kind.startswith("union_tag"):
        sent = first["input"]
        got = _came(sent["kind"]) if "kind" in sent else "none"
        return f"be one of {', '.join(known)}", got, "Send one of them."
    got = _came(first["input"])
    if kind in REQUIREMENTS:
        return REQUIREMENTS[kind].format_map(first.get("ctx", {})), got, ""
    return "fit its schema", got, f"{first['msg']}."


def _without_tag(places: Sequence[Any], model: Any) -> tuple[Any, Sequence[Any]]:
    """Return the place of an error without the kind of a union's member, which is no place."""
    if isinstance(model, type) or not places:
        return None, places
    return places[0], places[1:]


def _fields(model: Any, tag: Any, places: Sequence[Any]) -> list[str]:
    """Return the fields of a model, of its question, or of the member of a union of this kind."""
    if len(places) > 1 and places[0] == "question":
        return [about.name for about in Question.fields()]
    fitting = (each for each in _members(model) if tag is None or tag in _kinds(each))
    return list(next(fitting).model_fields)


def _members(model: Any) -> tuple[Any, ...]:
    return (model,) if isinstance(model, type) else get_args(get_args(model)[0])


def _kinds(member: Any) -> tuple[str, ...]:
    return get_args(member.model_fields["kind"].annotation)


def _came(value: Any) -> str:
    """Write what came; large things by their kind alone."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return cut(json_text(value))
