"""How the OpenAPI description tells of an operation: its body, its answers and every refusal."""

from __future__ import annotations

from typing import Any

from rocch.service.documents import ErrorDocument
from rocch.service.errors import error_document
from rocch.service.schemas import BODIES

COMPONENT = "#/components/schemas/{model}"

REFUSALS: dict[int, tuple[str, str, str, str | None]] = {
    400: ("What came is no JSON", "bad_input", "the body must be JSON; it is not: ...", None),
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
        "A body that is not JSON by its own account",
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
"""For each status: when it comes, and an example."""

OF_A_READER = (400, 401, 403, 422, 503)
"""Refusals of an operation without a body; 400 is a Host header that names another service."""
OF_A_BODY = (400, 401, 403, 408, 413, 415, 422, 503)
"""Refusals of an operation with one."""


def operation(
    summary: str,
    answer: Any,
    example: Any,
    *,
    body: Any = None,
    parameters: tuple[dict[str, Any], ...] = (),
    refusals: tuple[int, ...] = OF_A_READER,
    kind: str = "application/json",
    **more: Any,
) -> dict[str, Any]:
    """Return what a route's decorator is told.

    Parameters
    ----------
    summary
        One line.
    answer, example
        The document of the answer with status 200 (None: a text), and an example.
    body
        The model of the request's body, one of `BODIES`.
    parameters
        Parameters of the query, as OpenAPI writes them.
    refusals
        The statuses of other answers.
    kind
        The media type of the answer.
    more
        Further arguments of the decorator.
    """
    extra: dict[str, Any] = {"parameters": list(parameters)} if parameters else {}
    if body is not None:
        name = next(name for name, model in BODIES.items() if model is body)
        content = {"application/json": {"schema": {"$ref": COMPONENT.format(model=name)}}}
        extra["requestBody"] = {"required": True, "content": content}
    responses: dict[int, Any] = {200: _answered(answer, example, kind)}
    responses |= {status: _refusal(status) for status in refusals}
    return {
        "summary": summary,
        "response_model": None,
        "responses": responses,
        "openapi_extra": extra,
        **more,
    }


def _answered(answer: Any, example: Any, kind: str) -> dict[str, Any]:
    if answer is None:  # a text
        return {"content": {kind: {"schema": {"type": "string"}, "example": example}}}
    return {"model": answer, "content": {kind: {"example": example}}}


def _refusal(status: int) -> dict[str, Any]:
    when, code, message, argument = REFUSALS[status]
    shown = {"application/json": {"example": error_document(code, message, argument)}}
    return {"model": ErrorDocument, "description": when, "content": shown}
