"""Deciding the rows of one request: aim, evaluate, toss where a coin is needed, and say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from rocch.errors import InputError
from rocch.hybrid.coin import tosses
from rocch.hybrid.rule import ColumnBatch
from rocch.roc.question import Question
from rocch.service.columns import as_keys
from rocch.service.errors import ServiceError
from rocch.service.served import now

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.rule import Batch
    from rocch.service.in_force import InForce
    from rocch.service.schemas import DecideBody
    from rocch.service.served import AimedRule, Served

REQUEST = "request"
"""The source of an aim that came with the request itself."""


@dataclass(frozen=True, slots=True)
class Aimed:
    """A rule that decides, and whose aim it follows."""

    rule: AimedRule
    source: str
    aim_id: int | None
    words: str = ""

    @property
    def origin(self) -> dict[str, Any]:
        """Whose aim it is, as answers say."""
        return {"source": self.source, "id": self.aim_id}


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided for one request."""

    served: Served
    aimed: Aimed
    batch: Batch
    alarms: BoolArray
    keys: list[str] | None

    @property
    def rows(self) -> int:
        """How many rows were decided."""
        return self.alarms.size

    @property
    def alarmed(self) -> int:
        """How many of them alarmed."""
        return int(np.count_nonzero(self.alarms))

    def document(self) -> dict[str, Any]:
        """Return the answer."""
        coin = None if self.keys is None else {"seed": self.served.seed, "row_keys": self.keys}
        return {
            "decisions": self.served.hybrid.labels(self.alarms).tolist(),
            "rows": self.rows,
            "alarms": self.alarmed,
            "rule": self.aimed.rule.document,
            "coin": coin,
            "library": self.served.identity,
            "aim": self.aimed.origin,
            "decision_id": uuid4().hex,
            "decided_at": now(),
        }

    def scores(self) -> Mapping[str, FloatArray] | None:
        """Return columns of scores of all rows, as far as they are at hand."""
        if isinstance(self.batch, ColumnBatch):
            return self.batch.columns
        first = self.aimed.rule.rule.models[:1]  # the only one that is sure to have scored all rows
        return {name: self.batch.scores(name) for name in first}


def aim_by_fields(served: Served, fields: Mapping[str, Any], in_force: InForce) -> Aimed:
    """Return the rule for the question in a body; what it leaves open is as in force."""
    if not fields:
        return aim_at(served, Question(), None, in_force)
    return aim_at(served, Question.from_dict(fields), fields.get("randomize"), in_force)


def aim_at(served: Served, question: Question, coin: bool | None, in_force: InForce) -> Aimed:
    """Return the rule for a question; if it is empty, for the aim in force.

    `coin` is whether the request allows one, if it says so: that alone changes the aim in force.
    """
    if question:
        rule = served.aimed(question)
        return Aimed(rule, REQUEST, None, rule.question_words)
    source, words = in_force.source, in_force.words
    if coin is not None and coin != in_force.randomize:
        source = REQUEST
        words = f"{words}; by the request, {'a coin may choose' if coin else 'no coin'}"
    else:
        coin = in_force.randomize
    return Aimed(served.aimed(in_force.aim, randomize=coin), source, in_force.aim_id, words)


def decide(served: Served, body: DecideBody, aimed: Aimed) -> Decision:
    """Decide the rows of a request.

    Raises
    ------
    InputError
        If columns are missing, unknown, of unequal length or no numbers, or keys are missing.
    """
    batch = served.batch(scores=body.scores, features=body.features)
    rule, keys = aimed.rule, None
    if isinstance(batch, ColumnBatch):
        batch.need(rule.rule.models)
    given = None if body.row_keys is None else as_keys(body.row_keys, len(batch))
    if rule.needs_coin:
        keys = given
        if keys is None:
            raise InputError(
                "row_keys", "be sent", "none", "This rule tosses a coin for each row's key."
            )
    alarms = served.hybrid.alarms(batch, rule.mix, _Coins(keys or [], served.seed))
    return Decision(served, aimed, batch, alarms, keys)


class _Coins:
    """The coins of rows, by their keys."""

    def __init__(self, keys: list[str], seed: int) -> None:
        self.keys, self.seed = keys, seed

    def __call__(self, rows: IntArray) -> FloatArray:
        """Toss for some rows."""
        return tosses([self.keys[row] for row in rows.tolist()], self.seed)


def check_rows(body: DecideBody, most: int) -> None:
    """Refuse more rows than one request may have."""
    if body.rows > most:
        argument = "features" if body.scores is None else "scores"
        hint = "Send fewer rows at a time."
        error = InputError(argument, f"have at most {most} rows", body.rows, hint)
        raise ServiceError.of(413, "too_many_rows", error)
