"""Bodies of requests: read within limits of size and time, and checked before they are used.

What is read costs far more than its bytes where it consists of many names or lists: each unknown
name becomes an error with its place, and each list an object. So these are counted before anything
is made of them. Large bodies are taken apart in a thread, beside the answering of others.
"""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from rocch.service.errors import ServiceError
from rocch.service.misfits import cut, misfit

if TYPE_CHECKING:
    from starlette.requests import Request

    from rocch.service.policy import Service

__all__ = ["ServiceError", "read"]

CLOSE = {"Connection": "close"}
"""For answers that come before the body has been read to its end."""
MOST_NAMES = 2000
"""Names in a body beyond the columns that the export takes; of lists and objects there may be as
many. So many unknown names are refused within a few milliseconds."""
AT_ONCE = 256 * 1024
"""Bytes of a body that are taken apart within two milliseconds, whatever they are."""

TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?(?P<name>\s*+:)?|(?P<list>[\[{])', re.DOTALL)
"""Texts, which may be names, and beginnings of lists and objects outside them."""


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
    service: Service = request.app.state.service
    settings = service.settings
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
    most = MOST_NAMES + service.served.columns
    if len(content) <= AT_ONCE:
        return parsed(content, model, most)
    return await service.in_thread(lambda: parsed(content, model, most))


def parsed(content: bytes, model: Any, most: int = MOST_NAMES) -> Any:
    """Return JSON as a model, if it has no more names, and no more lists and objects, than most."""
    _check_few(content, most)
    try:
        return _adapter(model).validate_json(content)
    except ValidationError as error:
        raise misfit(error, model) from None


def _check_few(content: bytes, most: int) -> None:
    """Refuse a body with more names, or more lists and objects, than most."""
    if max(content.count(b":"), content.count(b"[") + content.count(b"{")) <= most:
        return  # in texts there may be such characters too, which takes far longer to know
    found = {"name": 0, "list": 0}
    for token in TOKENS.finditer(content):
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


@lru_cache(maxsize=64)
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _check_type(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = request.headers.get("content-encoding", "identity")
    if kind != "application/json" or coding != "identity":
        got = kind if coding == "identity" else f"{kind} in {coding}"
        raise ServiceError(
            415,
            "unsupported",
            f"the body must be application/json, not compressed; got {cut(got) or 'none'}. "
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
