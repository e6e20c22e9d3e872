"""When a rule alarms: conditions on models' scores and labels, in words, SQL and Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, get_args

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError
from rocch.hybrid.coin import SqlWriter
from rocch.inputs import as_text
from rocch.results import Table, Tabular, collect
from rocch.roc.operating_point import RocPoint

# The version of rules as plain data.
VERSION = 1

# Parts of an expression run from left to right, each only on rows that are still undecided. So a
# cheap model saves runs of an expensive one.


class Batch(Protocol):
    """Rows to decide, and the models that score them."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores on some or all rows."""

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return where a model's labels are positive."""


@dataclass(frozen=True, slots=True)
class Constant:
    """Never or always alarm."""

    alarm: bool

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return ()

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return np.full(len(batch) if rows is None else rows.size, self.alarm)

    def words(self) -> str:
        """Return plain words."""
        return "always" if self.alarm else "never"

    def sql(self, sql: SqlWriter, positive: str) -> str:  # noqa: ARG002 - it needs none
        """Return an SQL condition."""
        return "1 = 1" if self.alarm else "1 = 0"

    def python(self, positive: Label) -> str:  # noqa: ARG002 - as above
        """Return a Python condition on a data frame `rows`."""
        return f"np.{'ones' if self.alarm else 'zeros'}(len(rows), dtype=bool)"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"always" if self.alarm else "never": True}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Alarm where a model's score reaches a threshold, which stands last in every text."""

    model: str
    threshold: float
    # the threshold with fewer digits, if they decide the same; for words only
    written: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return (self.model,)

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return np.asarray(batch.scores(self.model, rows) >= self.threshold)

    def words(self) -> str:
        """Return plain words."""
        return f"{self.model} >= {self.written or repr(self.threshold)}"

    def sql(self, sql: SqlWriter, positive: str) -> str:  # noqa: ARG002 - scores, not labels
        """Return an SQL condition, with the exact threshold."""
        return f"{sql.scores(self.model)} >= {sql.number(self.threshold)}"

    def python(self, positive: Label) -> str:  # noqa: ARG002 - as above
        """Return a Python condition, with the exact threshold."""
        return f"rows[{self.model!r}] >= {python_number(self.threshold)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"model": self.model, "at_least": self.threshold, "written": self.written}


@dataclass(frozen=True, slots=True)
class Predicts:
    """Alarm where a model that only labels predicts the positive class."""

    model: str

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return (self.model,)

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return batch.alarms(self.model, rows)

    def words(self) -> str:
        """Return plain words."""
        return f"{self.model} alarms"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL condition on a column of labels."""
        return f"{sql.labels(self.model)} = {positive}"

    def python(self, positive: Label) -> str:
        """Return a Python condition on a column of labels."""
        return f"rows[{self.model!r}] == {positive!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"model": self.model, "alarms": True}


@dataclass(frozen=True, slots=True)
class Joined:
    """Two parts; the second runs only where the first leaves the decision open."""

    first: Expression
    second: Expression

    word: ClassVar[str]  # between the parts
    sign: ClassVar[str]  # the same for arrays
    settled: ClassVar[bool]  # the first part's decision that needs no second

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed, in order of evaluation."""
        return tuple(dict.fromkeys((*self.first.models, *self.second.models)))

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        alarms = self.first.alarms(batch, rows)
        still_open = np.flatnonzero(alarms != self.settled)
        if still_open.size:
            others = still_open if rows is None else rows[still_open]
            alarms = alarms.copy()
            alarms[still_open] = self.second.alarms(batch, others)
        return alarms

    def words(self) -> str:
        """Return plain words."""
        return f"({self.first.words()} {self.word} {self.second.words()})"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL condition."""
        first, second = (part.sql(sql, positive) for part in (self.first, self.second))
        return f"({first} {self.word.upper()} {second})"

    def python(self, positive: Label) -> str:
        """Return a Python condition."""
        first, second = (part.python(positive) for part in (self.first, self.second))
        return f"(({first}) {self.sign} ({second}))"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {self.word: [self.first.to_dict(), self.second.to_dict()]}


@dataclass(frozen=True, slots=True)
class And(Joined):
    """Alarm where both parts do."""

    word = "and"
    sign = "&"
    settled = False


@dataclass(frozen=True, slots=True)
class Or(Joined):
    """Alarm where at least one part does."""

    word = "or"
    sign = "|"
    settled = True


# What a model contributes to a stack: the log odds of its probability, its score, or its label.
TermKind = Literal["probability", "score", "label"]


@dataclass(frozen=True, slots=True)
class Term:
    """A model's part of a stack: weight times the log odds, the score, or 1 for an alarm.

    Probabilities and scores outside `low` to `high` count as these.
    """

    model: str
    kind: TermKind
    weight: float
    low: float
    high: float

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value, before the weight."""
        if self.kind == "probability":
            return log_odds(self.low), log_odds(self.high)
        return self.low, self.high

    def values(self, batch: Batch, rows: IntArray | None = None) -> FloatArray:
        """Return the values before the weight."""
        if self.kind == "label":
            return batch.alarms(self.model, rows).astype(np.float64)
        scores = batch.scores(self.model, rows)
        low, high = self.range
        if self.kind == "score":
            return np.clip(scores, low, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.log(scores / (1 - scores))
        return np.where(scores <= self.low, low, np.where(scores >= self.high, high, inner))

    def words(self) -> str:
        """Return plain words."""
        name = f"logit({self.model})" if self.kind == "probability" else self.model
        return f"{self.weight!r} {name}"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL number, NULL where the column is."""
        if self.kind == "label":
            label = sql.labels(self.model)
            value = f"CASE WHEN {label} = {positive} THEN 1 WHEN {label} <> {positive} THEN 0 END"
        else:
            score = sql.scores(self.model)
            inner = f"LN({score} / (1 - {score}))" if self.kind == "probability" else score
            least, most = map(repr, self.range)
            value = (
                f"CASE WHEN {score} <= {self.low!r} THEN {least} "
                f"WHEN {score} >= {self.high!r} THEN {most} ELSE {inner} END"
            )
        return f"{self.weight!r} * ({value})"

    def python(self, positive: Label) -> str:
        """Return a Python number."""
        column = f"rows[{self.model!r}]"
        if self.kind == "label":
            return f"{self.weight!r} * ({column} == {positive!r})"
        value = f"np.clip({column}, {self.low!r}, {self.high!r})"
        if self.kind == "probability":
            value = f"np.log({value} / (1 - {value}))"
        return f"{self.weight!r} * {value}"


@dataclass(frozen=True, slots=True, repr=False)
class Stack(Tabular):
    """The log odds of the positive class as a weighted sum of models.

    Attributes
    ----------
    intercept, terms
        The sum starts at the intercept and adds the terms from left to right.

    Examples
    --------
    >>> from rocch.hybrid import Stack, Term
    >>> print(Stack(-0.5, (Term("nb", "probability", 0.25, 0.0001, 0.9999),)))
    -0.5 + 0.25 logit(nb)
    """

    intercept: float
    terms: tuple[Term, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return tuple(term.model for term in self.terms)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each model."""
        return {term.model: term.weight for term in self.terms}

    def log_odds(self, batch: Batch, rows: IntArray | None = None) -> FloatArray:
        """Return the log odds of some rows, or of all."""
        total = np.full(len(batch) if rows is None else rows.size, self.intercept)
        for term in self.terms:
            total = total + term.weight * term.values(batch, rows)
        return total

    def __str__(self) -> str:
        return " + ".join((repr(self.intercept), *(term.words() for term in self.terms)))

    def _columns(self) -> Table:
        return collect(self.terms)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"intercept": self.intercept, "terms": [asdict(term) for term in self.terms]}

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL number."""
        parts = (repr(self.intercept), *(term.sql(sql, positive) for term in self.terms))
        return f"({' + '.join(parts)})"

    def python(self, positive: Label) -> str:
        """Return a Python number."""
        parts = (repr(self.intercept), *(term.python(positive) for term in self.terms))
        return f"({' + '.join(parts)})"


# The name of the stack on the hull.
STACK = "stack"


@dataclass(frozen=True, slots=True)
class StackAtLeast:
    """Alarm where the log odds of a stack reach a threshold."""

    stack: Stack
    threshold: float
    # as for `AtLeast`
    written: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return self.stack.models

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return np.asarray(self.stack.log_odds(batch, rows) >= self.threshold)

    @property
    def by_name(self) -> AtLeast:
        """The same with the stack's name alone, for words beside code that has the weights."""
        return AtLeast(STACK, self.threshold, self.written)

    def words(self) -> str:
        """Return plain words."""
        return f"{self.by_name.words()}, where {STACK} = {self.stack}"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL condition, with the exact numbers."""
        return f"{self.stack.sql(sql, positive)} >= {sql.number(self.threshold)}"

    def python(self, positive: Label) -> str:
        """Return a Python condition, with the exact numbers."""
        return f"{self.stack.python(positive)} >= {python_number(self.threshold)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        stack = self.stack.to_dict()
        return {STACK: stack, "at_least": self.threshold, "written": self.written}


def log_odds(probability: float) -> float:
    """Return the log odds of a probability."""
    return math.log(probability / (1 - probability))


def python_number(value: float) -> str:
    """Return a number as Python code."""
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"


Expression: TypeAlias = Constant | AtLeast | Predicts | StackAtLeast | And | Or


def expression_at(point: RocPoint) -> Expression:
    """Return the expression of a ROC point."""
    name, threshold = point.classifier, point.threshold
    if isinstance(threshold, float):
        return AtLeast(name, threshold, point.written_threshold)
    if point.fpr == point.tpr and point.fpr in (0, 1):
        return Constant(point.fpr == 1)
    return Predicts(name)


def expression_from(data: Mapping[str, Any]) -> Expression:
    """Read the result of `to_dict`."""
    match data:
        case {"never": True}:
            return Constant(False)
        case {"always": True}:
            return Constant(True)
        case {"model": str(model), "at_least": float(threshold), "written": str(written)}:
            return AtLeast(model, threshold, written)
        case {"model": str(model), "alarms": True}:
            return Predicts(model)
        case {"stack": dict(stack), "at_least": float(threshold), "written": str(written)}:
            return StackAtLeast(stack_from(stack), threshold, written)
        case {"and": [first, second]}:
            return And(expression_from(first), expression_from(second))
        case {"or": [first, second]}:
            return Or(expression_from(first), expression_from(second))
    raise unreadable_rule(repr(data))


def stack_from(data: Mapping[str, Any]) -> Stack:
    """Read a stack from plain data."""
    try:
        stack = Stack(data["intercept"], tuple(Term(**term) for term in data["terms"]))
        numbers = [stack.intercept, *(n for t in stack.terms for n in (t.weight, t.low, t.high))]
        known = all(term.kind in get_args(TermKind) for term in stack.terms)
        if not known or not all(isinstance(n, float) and math.isfinite(n) for n in numbers):
            raise ValueError
        for term in stack.terms:
            as_text(term.model, "model")
            _ = term.range  # refuses probabilities that have no log odds
    except (KeyError, TypeError, ValueError):
        raise unreadable_rule(repr(data)) from None
    return stack


def predict_when(part: Expression, positive: Label) -> str:
    """Return in words when an expression predicts the positive class."""
    if not part.models:
        return f"{part.words()} predict {positive}"
    words = part.words()[1:-1] if isinstance(part, Joined) else part.words()
    return f"predict {positive} when {words}"


def unreadable_rule(got: str) -> InputError:
    """Return the error for data that are no rule."""
    hint = Hint("Write it with Rule.to_dict or Rule.to_json.")
    return InputError("rule", f"be a rule of version {VERSION}", got, hint)
