"""Bodies of requests: read within limits of size and time, and checked before they are used."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from rocch.errors import InputError, shown
from rocch.service.errors import ServiceError, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

__all__ = ["ServiceError", "read"]

LONGEST_CAME = 80
"""Characters of what came that a message shows."""
CLOSE = {"Connection": "close"}
"""For answers that come before the body has been read to its end."""


async def read(request: Request, model: Any) -> Any:
    """Return the body of a request as a model, or refuse it.

    Parameters
    ----------
    request
        The request, whose application has a service with its limits.
    model
        A pydantic model, or a union of them.

    Raises
    ------
    ServiceError
        With 408 if the body arrives too slowly, 413 if it is too large, 415 if it is no JSON by its
        own account, 400 if it is none in fact, and 422 if it does not fit the model.
    """
    _check_type(request)
    settings = request.app.state.service.settings
    try:
        async with asyncio.timeout(settings.read_seconds):
            content = await _within(request, settings.max_body)
    except TimeoutError:
        raise ServiceError(
            408,
            "timeout",
            f"the body must arrive within {settings.read_seconds:g} s; it did not. "
            "Send it at once, or in smaller parts.",
            headers=CLOSE,
        ) from None
    return parsed(content, model)


def parsed(content: bytes, model: Any) -> Any:
    """Return JSON as a model."""
    try:
        return _adapter(model).validate_json(content)
    except ValidationError as error:
        raise _refused(error) from None


@lru_cache(maxsize=64)
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _check_type(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = request.headers.get("content-encoding", "identity")
    if kind != "application/json" or coding != "identity":
        came = kind if coding == "identity" else f"{kind} in {coding}"
        raise ServiceError(
            415,
            "unsupported",
            f"the body must be application/json, not compressed; got {_cut(came) or 'none'}. "
            "Set the Content-Type.",
            headers=CLOSE,
        )


async def _within(request: Request, most: int) -> bytes:
    stated = request.headers.get("content-length", "0")
    if stated.isdecimal() and int(stated[:20]) > most:
        raise _too_large(most)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise _too_large(most)
        parts.append(part)
    return b"".join(parts)


def _too_large(most: int) -> ServiceError:
    return ServiceError(
        413,
        "too_large",
        f"the body must have at most {most} bytes; it has more. Send fewer rows at a time.",
        headers=CLOSE,
    )


def _refused(error: ValidationError) -> ServiceError:
    """Return the first thing that is wrong with a body, in the house's words."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return refusal(cause)
    if first["type"] == "json_invalid":
        reason = first["ctx"]["error"]
        return ServiceError(400, "bad_input", f"the body must be JSON; it is not: {reason}.")
    place = _path(first["loc"])
    message = first["msg"][:1].lower() + first["msg"][1:]
    came = "" if first["type"] == "missing" else f"; got {_came(first['input'])}"
    return ServiceError(
        422, "bad_input", f"{place or 'the body'} is wrong: {message}{came}.", place or None
    )


def _path(places: Sequence[str | int]) -> str:
    return _cut(".".join(map(str, places)))


def _came(value: Any) -> str:
    """Write what came; large things by their kind alone."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return _cut(shown([value]))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CAME else text[:LONGEST_CAME] + " ..."
