"""What a service answers when it cannot do as asked: a status, a code, and the house's message."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from rocch.errors import (
    AssumptionError,
    GuaranteeError,
    InfeasibleError,
    InputError,
    RocchError,
    StorageError,
    UndefinedError,
)
from rocch.service.answers import answer
from rocch.service.conflict import ConflictError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

LOG = logging.getLogger("rocch.service")
NOT_STORED = (
    "the service cannot read or write its files; nothing was changed. Try again, and tell its "
    "operator: the log says why."
)
LONGEST_MESSAGE = 1000
"""Characters of a message; what came may be long, and is not echoed in full."""

ANSWERS: dict[type[RocchError], tuple[int, str]] = {
    ConflictError: (409, "conflict"),
    InfeasibleError: (422, "infeasible"),
    GuaranteeError: (422, "no_guarantee"),
    UndefinedError: (422, "undefined"),
    AssumptionError: (422, "assumption"),
    StorageError: (503, "unavailable"),
}
"""Statuses and codes of errors that are not simply bad input."""


SAID = {
    "metric": "maximize",
    "position": "knob",
    "cases": "capacity",
    "cases, positives, negatives": "capacity, positives, negatives",
    "row_key": "row_keys",
}
"""Arguments that requests call otherwise than Python does."""


IN_PYTHON = {
    "Pass randomize=True": 'Send "randomize": true',
    "For example: 10, or (10, 20).": "For example: 10, or [10, 20].",
    "For example: 0.1, or (0.1, 0.2).": "For example: 0.1, or [0.1, 0.2].",
    "fix another unit: belief.with_unit(sum_of_costs=1).": "give the other cost as the unit.",
}
"""Advice that Python users get, and what senders of requests get instead."""


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
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.argument = status, code, message, argument
        self.headers = headers

    def answer(self) -> Response:
        """Return the answer that says so."""
        return answer(
            error_document(self.code, self.message, self.argument), self.status, self.headers
        )


def error_document(code: str, message: str, argument: str | None = None) -> dict[str, Any]:
    """Return an error as all answers write it, with at most so many characters."""
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + " ..."
    return {"error": {"code": code, "message": message, "argument": argument}}


def refusal(error: RocchError) -> ServiceError:
    """Return an error of the house as a refusal of the request that met it."""
    known = (ANSWERS[kind] for kind in ANSWERS if isinstance(error, kind))
    status, code = next(known, (422, "bad_input"))
    if isinstance(error, StorageError):  # its words name places on the server's disk
        LOG.error("%s", error)
        return ServiceError(status, code, NOT_STORED)
    argument, message = None, str(error)
    if isinstance(error, InputError) and error.argument is not None:
        argument = _sent_as(error.argument)
        message = error.to_text(_sent_as)
    for python, sent in IN_PYTHON.items():
        message = message.replace(python, sent)
    return ServiceError(status, code, message, argument)


def _sent_as(argument: str) -> str:
    """Return what requests call an argument."""
    return SAID.get(argument, argument)
