"""Decision rules in words, as JSON and as SQL."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_list
from rocch.hybrid.coin import DialectName, SqlWriter, as_seed, hex_limit, key_texts, tosses
from rocch.inputs import (
    as_array,
    as_columns,
    as_instance,
    as_label_array,
    as_scores,
    as_text,
    check_known,
    check_labels,
    check_length,
)
from rocch.roc.operating_point import OperatingPoint, RocPoint

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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"always" if self.alarm else "never": True}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Alarm where a model's score reaches a threshold."""

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
        exact = repr(self.threshold)
        if math.isinf(self.threshold):
            exact = sql.number("-Infinity" if self.threshold < 0 else "Infinity")
        return f"{sql.scores(self.model)} >= {exact}"

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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"model": self.model, "alarms": True}


@dataclass(frozen=True, slots=True)
class Joined:
    """Two parts; the second runs only where the first leaves the decision open."""

    first: Expression
    second: Expression

    word: ClassVar[str]  # between the parts
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {self.word: [self.first.to_dict(), self.second.to_dict()]}


@dataclass(frozen=True, slots=True)
class And(Joined):
    """Alarm where both parts do."""

    word = "and"
    settled = False


@dataclass(frozen=True, slots=True)
class Or(Joined):
    """Alarm where at least one part does."""

    word = "or"
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


@dataclass(frozen=True, slots=True)
class Stack:
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"intercept": self.intercept, "terms": [asdict(term) for term in self.terms]}

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL number."""
        parts = (repr(self.intercept), *(term.sql(sql, positive) for term in self.terms))
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

    def words(self) -> str:
        """Return plain words."""
        return f"{STACK} >= {self.written or repr(self.threshold)}, where {STACK} = {self.stack}"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Return an SQL condition, with the exact numbers."""
        return f"{self.stack.sql(sql, positive)} >= {self.threshold!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        stack = self.stack.to_dict()
        return {STACK: stack, "at_least": self.threshold, "written": self.written}


def log_odds(probability: float) -> float:
    """Return the log odds of a probability."""
    return math.log(probability / (1 - probability))


Expression: TypeAlias = Constant | AtLeast | Predicts | StackAtLeast | And | Or


def expression_at(point: RocPoint) -> Expression:
    """Return the expression of a ROC point."""
    name, threshold = point.classifier, point.deployed_threshold
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
    raise _not_written(repr(data))


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
        raise _not_written(repr(data)) from None
    return stack


class ColumnBatch:
    """Columns of scores, or of labels for models that only label.

    The positive one is the last of the classes.
    """

    def __init__(
        self, scores: Columns, needed: Iterable[str], classes: tuple[Label, Label]
    ) -> None:
        self.columns = as_columns(scores)
        self.need(needed)
        self._classes = classes
        self._rows = as_array(next(iter(self.columns.values())), "scores").size

    def __len__(self) -> int:
        return self._rows

    def need(self, models: Iterable[str]) -> None:
        """Refuse a batch that lacks a model's column."""
        missing = [model for model in models if model not in self.columns]
        if missing:
            raise InputError(
                "scores",
                "have a column for each model of the rule",
                f"none for {format_list(missing)}",
                "The columns are: {known}.",
                known=format_list(self.columns),
            )

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's column of scores."""
        values = self._column(model, rows)
        return as_scores(values, values.size, argument=_place(model))

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return where a model's column holds the positive label."""
        labels, place = self._column(model, rows), _place(model)
        check_labels(labels, self._classes, place, "hold labels of the two classes")
        return np.asarray(labels == self._classes[1], dtype=bool)

    def _column(self, model: str, rows: IntArray | None) -> AnyArray:
        self.need([model])
        values = as_array(self.columns[model], _place(model))
        check_length(values.size, self._rows, _place(model))
        return values if rows is None else values[rows]


def _place(model: str) -> str:
    return f"scores[{model!r}]"


@dataclass(frozen=True, slots=True)
class Rule:
    """When to predict the positive class.

    Attributes
    ----------
    mix
        Pairs of probability and expression: one, or two that a coin chooses from.
    positive, negative
        The labels to predict.
    fpr, tpr
        Rates on the evaluation rows.
    seed, row_key
        The coin's seed and column of row keys.
    scores
        What each model's column must hold, such as "predict_proba, column 0".

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    >>> rule = model.at(rocch.NeymanPearson(max_fpr=0.05)).rule
    >>> print(rule)
    predict 1 when nb >= 0.9...
    >>> print(rule.to_sql())
    CASE WHEN "nb" >= 0.9... THEN 1 WHEN NOT ("nb" >= 0.9...) THEN 0 END
    """

    mix: tuple[tuple[float, Expression], ...]
    positive: Label
    negative: Label
    fpr: float
    tpr: float
    seed: int = 0
    row_key: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.words

    @property
    def words(self) -> str:
        """The rule in plain words."""
        texts = [f"predict {self.positive} {_when(expression)}" for _, expression in self.mix]
        if len(texts) == 1:
            return texts[0]
        return f"with probability {float(self.mix[0][0])!r} {texts[0]}, otherwise {texts[1]}"

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return tuple(dict.fromkeys(name for _, part in self.mix for name in part.models))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with exact numbers."""
        mix = [{"probability": p, "alarm_when": part.to_dict()} for p, part in self.mix]
        coin = {
            "needed": len(mix) > 1,
            "seed": self.seed,
            "row_key": self.row_key,
            "made": "first 13 hex digits of sha256('<seed>:<key>') / 16**13; "
            "below the last part's probability the last part decides",
        }
        return {
            "rocch_rule": VERSION,
            "words": self.words,
            "positive": self.positive,
            "negative": self.negative,
            "mix": mix,
            "scores": dict(self.scores),
            "coin": coin,
            "expected": {"fpr": self.fpr, "tpr": self.tpr},
        }

    def to_json(self) -> str:
        """Return JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rule:
        """Read the result of `to_dict`."""
        version = data.get("rocch_rule") if isinstance(data, dict) else None
        if version != VERSION:
            got = f"version {version!r}" if isinstance(data, dict) else repr(data)
            raise _not_written(got)
        try:
            mix = tuple((p["probability"], expression_from(p["alarm_when"])) for p in data["mix"])
            rule = cls(
                mix,
                data["positive"],
                data["negative"],
                data["expected"]["fpr"],
                data["expected"]["tpr"],
                data["coin"]["seed"],
                data["coin"]["row_key"],
                data["scores"],
            )
        except (KeyError, TypeError) as error:
            raise _not_written(f"one without {error}") from error
        shares = [share for share, _ in mix]
        if not 1 <= len(mix) <= 2 or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
            raise _not_written(f"parts with probabilities {shares}")
        return rule

    @classmethod
    def from_point(
        cls,
        point: OperatingPoint | RocPoint,
        *,
        positive: Label = True,
        negative: Label = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> Rule:
        """Return the rule of an operating point.

        Parameters
        ----------
        point
            A result of `RocHull.best`, or a vertex. Its classifiers become the models.
        positive, negative
            The labels to predict.
        row_key, seed
            For the coin, if the point needs one.

        Examples
        --------
        >>> import rocch
        >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
        >>> print(rocch.hybrid.Rule.from_point(hull.best(rocch.NeymanPearson(0)), positive="alarm"))
        predict alarm when nb >= 0.6
        """
        aimed = OperatingPoint.at_point(point) if isinstance(point, RocPoint) else point
        as_instance(aimed, OperatingPoint, "point", hint=Hint("For example: hull.best(...)."))
        if positive == negative:
            raise InputError("positive", "differ from {negative}", repr(positive))
        for _, place in aimed.mix:
            if isinstance(place.threshold, str):
                raise InputError(
                    "point",
                    "belong to classifiers that score, or that have one setting",
                    f"{place.classifier!r} at setting {place.threshold!r}",
                    "Give each setting a curve with its own name.",
                )
        mix = tuple((share, expression_at(place)) for share, place in aimed.mix)
        return cls(mix, positive, negative, aimed.fpr, aimed.tpr, as_seed(seed), row_key)

    def to_sql(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        row_key: str | None = None,
        dialect: DialectName = "standard",
    ) -> str:
        """Return the rule as an SQL `CASE` over columns of scores.

        Rows get NULL where a missing score or key leaves the decision open.

        Parameters
        ----------
        columns
            Score columns by model; by default named as the models.
        row_key
            The column of row keys for a coin: integers or text (7.0 and 7 toss differently).
        dialect
            Standard SQL (also SQLite) has no hashes, so no coins, and no NaN: replace it by NULL.
        """
        writer = SqlWriter.of(dialect, self.column_names(columns))
        yes, no = writer.label(self.positive), writer.label(self.negative)
        cases = []
        for _, part in self.mix:
            condition = part.sql(writer, yes)
            cases.append(f"CASE WHEN {condition} THEN {yes} WHEN NOT ({condition}) THEN {no} END")
        if len(cases) == 1:
            return cases[0]
        coin = writer.coin(row_key or self.row_key, self.seed)
        limit = hex_limit(self.mix[1][0])
        return (
            f"CASE WHEN {coin} < '{limit}' THEN {cases[1]} WHEN {coin} >= '{limit}' "
            f"THEN {cases[0]} END"
        )

    def column_names(self, columns: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the column of each model, by default of the same name."""
        return rename_columns(self.models, columns, "models of the rule")

    def decide(
        self, scores: Columns, *, row_key: ArrayLike | Sequence[Label] | None = None
    ) -> AnyArray:
        """Decide rows from scores, as a mapping from models or a data frame."""
        batch = ColumnBatch(scores, self.models, (self.negative, self.positive))
        decisions = [part.alarms(batch) for _, part in self.mix]
        alarms = decisions[0]
        if len(decisions) > 1:
            if row_key is None:
                hint = "This rule tosses a coin for each row's key."
                raise InputError("row_key", "be given", "none", hint)
            coin = tosses(key_texts(row_key, len(batch)), as_seed(self.seed))
            alarms = np.where(coin < self.mix[1][0], decisions[1], alarms)
        return as_label_array([self.negative, self.positive])[alarms.astype(np.intp)]


def rename_columns(
    names: Sequence[str], columns: Mapping[str, str] | None, what: str
) -> dict[str, str]:
    """Return the column of each name, by default the same name."""
    given = columns or {}
    check_known(given, names, "columns", what)
    return {name: as_text(given.get(name, name), f"columns[{name!r}]") for name in names}


def _not_written(got: str) -> InputError:
    hint = Hint("Write it with Rule.to_dict or Rule.to_json.")
    return InputError("rule", f"be a rule of version {VERSION}", got, hint)


def _when(part: Expression) -> str:
    if isinstance(part, Joined):
        return f"when {part.words()[1:-1]}"
    return f"when {part.words()}" if part.models else part.words()
