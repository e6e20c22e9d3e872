"""Responses as JSON, and what a service responds when it refuses a request."""

from __future__ import annotations

import json
import logging
import math
from typing import TYPE_CHECKING, Any, Self

from pydantic_core import to_json
from starlette.responses import Response

from rocch.errors import (
    AssumptionError,
    GuaranteeError,
    InfeasibleError,
    InputError,
    RocchError,
    StorageError,
    UndefinedError,
    Vocabulary,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

LOG = logging.getLogger("rocch.service")
NOT_STORED = (
    "the service cannot read or write its record. Try again, and inform its operator: the log says "
    "why. An event that was stored nevertheless counts once."
)
# A header: when to try again.
RETRY = {"Retry-After": "1"}
# Characters of a message, and of a value in it; what came may be long, and is not echoed in full.
LONGEST_MESSAGE, LONGEST_VALUE = 1000, 200
# Fields of requests that have other names than the arguments that they become.
FIELDS = {"position": "knob", "row_key": "row_keys"}


class ConflictError(InputError):
    """A change that was meant for another state of affairs than the present one."""


class NotTriedError(StorageError):
    """A record that is not used because it has just failed, which the log has said."""


# Statuses and codes of errors that are not simply bad input.
STATUSES: dict[type[RocchError], tuple[int, str]] = {
    ConflictError: (409, "conflict"),
    InfeasibleError: (422, "infeasible"),
    GuaranteeError: (422, "no_guarantee"),
    UndefinedError: (422, "undefined"),
    AssumptionError: (422, "assumption"),
    StorageError: (503, "unavailable"),
}


def json_response(
    document: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a document, which must hold plain data and no infinite numbers, as a response."""
    return Response(to_json(document), status, headers, media_type="application/json")


def plain(value: Any) -> Any:
    """Return a value as JSON knows it; infinite numbers become text.

    Examples
    --------
    >>> from rocch.service.errors import plain
    >>> plain({"low": 0.5, "high": float("inf"), "names": ("nb",)})
    {'low': 0.5, 'high': 'inf', 'names': ['nb']}
    """
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def json_text(value: Any) -> str:
    """Return a value as its sender wrote it, for messages: null, true, "text".

    Examples
    --------
    >>> from rocch.service.errors import json_text
    >>> json_text([None, True, "déjà", float("inf")])
    '[null, true, "déjà", "inf"]'
    """
    return json.dumps(plain(value), ensure_ascii=False, default=repr)


def shorten(text: str, most: int = 80) -> str:
    """Return a text, or the beginning of a long one."""
    return text if len(text) <= most else text[:most] + " ..."


class RequestVocabulary(Vocabulary):
    """The words of requests: names of fields, and values as JSON."""

    surface = "http"

    def name(self, argument: str) -> str:
        """Return what requests call an argument."""
        return FIELDS.get(argument, argument)

    def entry(self, argument: str, key: str) -> str:
        """Return the place of one entry in a body."""
        return self.name(argument) + "." + key.strip("'")

    def setting(self, argument: str, value: object) -> str:
        """Return a field with its value."""
        return f"{json_text(self.name(argument))}: {json_text(value)}"

    def interval(self, low: str, high: str) -> str:
        """Return an interval as JSON."""
        return f"[{low}, {high}]"

    def value(self, value: object) -> str:
        """Return a value, or the beginning of a long one."""
        text = json_text(value) if isinstance(value, bool) else super().value(value)
        return shorten(text, LONGEST_VALUE)


REQUEST = RequestVocabulary()


class ServiceError(Exception):
    """A request that is refused.

    Parameters
    ----------
    status, code
        The HTTP status, and a word for programs.
    message
        For people: what must be, what came, what to do.
    argument
        The part of the request at fault.
    parts
        The requirement, what came, and the hint, where there are such.
    headers
        Further headers of the response.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        argument: str | None = None,
        *,
        parts: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.argument = status, code, message, argument
        self.parts, self.headers = parts or {}, headers

    @classmethod
    def of(cls, error: RocchError, status: int = 422, code: str = "bad_input") -> Self:
        """Return an error of the package, worded for senders of requests."""
        status, code = next(
            (found for kind, found in STATUSES.items() if isinstance(error, kind)), (status, code)
        )
        if isinstance(error, StorageError):  # its words name places on the server's disk
            LOG.log(
                logging.DEBUG if isinstance(error, NotTriedError) else logging.ERROR, "%s", error
            )
            return cls(status, code, NOT_STORED, headers=RETRY)
        parts = error.to_dict(REQUEST)
        argument = parts.pop("argument", None)
        return cls(status, code, error.to_text(REQUEST), argument, parts=parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the error as all responses write it."""
        message = shorten(self.message, LONGEST_MESSAGE)
        about = {"code": self.code, "message": message, "argument": self.argument, **self.parts}
        return {"error": about}

    def to_response(self) -> Response:
        """Return the response that refuses."""
        return json_response(self.to_dict(), self.status, self.headers)
