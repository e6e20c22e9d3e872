"""What a service answers when it cannot do as asked: a status, a code, and a message."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

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
from rocch.service.answers import answer, json_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response


class ConflictError(InputError):
    """A change that was meant for another state than the present one."""


LOG = logging.getLogger("rocch.service")
NOT_STORED = (
    "the service cannot read or write its files; nothing was changed. Try again, and tell its "
    "operator: the log says why."
)
# Characters of a message, and of a value in it; what came may be long, and is not echoed in full.
LONGEST_MESSAGE, LONGEST_VALUE = 1000, 200

ANSWERS: dict[type[RocchError], tuple[int, str]] = {
    ConflictError: (409, "conflict"),
    InfeasibleError: (422, "infeasible"),
    GuaranteeError: (422, "no_guarantee"),
    UndefinedError: (422, "undefined"),
    AssumptionError: (422, "assumption"),
    StorageError: (503, "unavailable"),
}
"""Statuses and codes of errors that are not simply bad input."""


# Fields of requests that have other names than the arguments that they become.
FIELDS = {"position": "knob", "row_key": "row_keys"}


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
        return _cut(text, LONGEST_VALUE)


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
        Further headers of the answer.
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
    def of(cls, status: int, code: str, error: RocchError) -> Self:
        """Return an error of the package, worded for senders of requests."""
        parts = error.to_dict(REQUEST)
        argument = parts.pop("argument", None)
        return cls(status, code, error.to_text(REQUEST), argument, parts=parts)

    def answer(self) -> Response:
        """Return the answer that says so."""
        document = error_document(self.code, self.message, self.argument, **self.parts)
        return answer(document, self.status, self.headers)


def error_document(
    code: str, message: str, argument: str | None = None, **parts: str
) -> dict[str, Any]:
    """Return an error as all answers write it."""
    message = _cut(message, LONGEST_MESSAGE)
    return {"error": {"code": code, "message": message, "argument": argument, **parts}}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + " ..."


def refusal(error: RocchError) -> ServiceError:
    """Return an error of the package as a refusal of the request that met it."""
    known = (ANSWERS[kind] for kind in ANSWERS if isinstance(error, kind))
    status, code = next(known, (422, "bad_input"))
    if isinstance(error, StorageError):  # its words name places on the server's disk
        LOG.error("%s", error)
        return ServiceError(status, code, NOT_STORED)
    return ServiceError.of(status, code, error)
