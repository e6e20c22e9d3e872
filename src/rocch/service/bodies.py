"""Bodies of requests: read within limits of size and time, and checked before they are used."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from rocch.service.errors import ServiceError
from rocch.service.misfits import cut, misfit

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["ServiceError", "read"]

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
        raise misfit(error, model) from None


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
            f"the body must be application/json, not compressed; got {cut(came) or 'none'}. "
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
