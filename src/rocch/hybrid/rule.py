"""A decision rule to carry away: in words, as JSON and as SQL, usable without this package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rocch.errors import bad_input, shown
from rocch.hybrid.coin import DIGITS, as_seed, hex_limit, key_texts, tosses
from rocch.hybrid.expression import Expression, Joined, expression_from
from rocch.inputs import as_array, as_columns, as_scores, check_length

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray

Dialect = Literal["duckdb", "postgresql", "spark"]
HASHES = {
    "duckdb": "sha256({})",
    "postgresql": "encode(sha256(convert_to({}, 'UTF8')), 'hex')",
    "spark": "sha2({}, 256)",
}
QUOTES = {"duckdb": '"', "postgresql": '"', "spark": "`"}
VERSION = 1


@dataclass(frozen=True, slots=True)
class Rule:
    """When to answer with the positive class.

    Attributes
    ----------
    mix
        Pairs of probability and expression: one, or two for a coin to choose between.
    positive, negative
        The labels to answer with.
    fpr, tpr
        The rates expected on rows like those that the hull was judged on.
    seed, row_key
        What the coin is made of, and the column of row keys, if one was named.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    >>> rule = model.at(rocch.NeymanPearson(max_fpr=0.05)).rule
    >>> print(rule)
    answer 1 when nb >= 0.9...
    >>> print(rule.to_sql())
    CASE WHEN "nb" >= 0.9... THEN 1 WHEN NOT ("nb" >= 0.9...) THEN 0 END
    """

    mix: tuple[tuple[float, Expression], ...]
    positive: Any
    negative: Any
    fpr: float
    tpr: float
    seed: int = 0
    row_key: str | None = None

    def __str__(self) -> str:
        return self.words

    @property
    def words(self) -> str:
        """The rule in plain words; thresholds have as few digits as decide alike."""
        texts = [f"answer {self.positive} {_when(expression)}" for _, expression in self.mix]
        if len(texts) == 1:
            return texts[0]
        return f"with probability {self.mix[0][0]:.6g} {texts[0]}, otherwise {texts[1]}"

    @property
    def models(self) -> tuple[str, ...]:
        """The models whose scores the rule needs."""
        return tuple(dict.fromkeys(name for _, part in self.mix for name in part.models))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data, with exact numbers."""
        mix = [{"probability": p, "alarm_when": part.to_dict()} for p, part in self.mix]
        coin = {
            "needed": len(mix) > 1,
            "seed": self.seed,
            "row_key": self.row_key,
            "made": "first 13 hex digits of sha256('<seed>:<key>') / 16**13; "
            "below the last part's probability the last part answers",
        }
        return {
            "rocch_rule": VERSION,
            "words": self.words,
            "positive": self.positive,
            "negative": self.negative,
            "mix": mix,
            "coin": coin,
            "expected": {"fpr": self.fpr, "tpr": self.tpr},
        }

    def to_json(self) -> str:
        """Return the rule as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rule:
        """Read a rule that `to_dict` wrote."""
        if not isinstance(data, dict) or data.get("rocch_rule") != VERSION:
            raise bad_input(
                "rule",
                f"be a rule of version {VERSION}",
                f"version {data.get('rocch_rule')!r}" if isinstance(data, dict) else repr(data),
                "Write it with Rule.to_dict or Rule.to_json.",
            )
        mix = tuple((p["probability"], expression_from(p["alarm_when"])) for p in data["mix"])
        return cls(
            mix,
            data["positive"],
            data["negative"],
            data["expected"]["fpr"],
            data["expected"]["tpr"],
            data["coin"]["seed"],
            data["coin"]["row_key"],
        )

    def to_sql(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        row_key: str | None = None,
        dialect: Dialect = "duckdb",
    ) -> str:
        """Return the rule as an SQL `CASE` over columns of scores.

        A row whose answer depends on a missing score gets NULL.

        Parameters
        ----------
        columns
            Names of the score columns by model; by default they are called as the models are. A
            model that outputs labels only has its labels there.
        row_key
            The column of row keys, which a rule with a coin needs.
        dialect
            How names are quoted and hashes are made. Without a coin, "duckdb" is standard SQL.
        """
        if dialect not in QUOTES:
            raise bad_input(
                "dialect", f"be one of {shown(QUOTES)}", repr(dialect), "Pick the closest."
            )
        names = dict(columns or {})
        quote = QUOTES[dialect]

        def column(model: str) -> str:
            return quote + names.get(model, model).replace(quote, quote * 2) + quote

        cases = [self._case(part, column) for _, part in self.mix]
        if len(cases) == 1:
            return cases[0]
        key = row_key or self.row_key
        if key is None:
            raise bad_input(
                "row_key",
                "name the column of row keys",
                "none",
                "The coin is made of it; row content cannot be hashed in SQL.",
            )
        text = f"concat('{self.seed}:', CAST({column(key)} AS {_text_type(dialect)}))"
        coin = f"substr({HASHES[dialect].format(text)}, 1, {DIGITS})"
        second = f"{coin} < '{hex_limit(self.mix[1][0])}'"
        return f"CASE WHEN {second} THEN {cases[1]} ELSE {cases[0]} END"

    def _case(self, part: Expression, column: Any) -> str:
        yes, no = _literal(self.positive), _literal(self.negative)
        condition = part.sql(column, yes)
        return f"CASE WHEN {condition} THEN {yes} WHEN NOT ({condition}) THEN {no} END"

    def decide(self, scores: Any, *, row_key: Any = None) -> np.ndarray[Any, Any]:
        """Decide rows from their scores: a mapping from model names, or a data frame.

        The same answers as the aimed classifier gives, where its models gave these scores.
        """
        batch = _Columns(scores, self)
        answers = [part.alarms(batch) for _, part in self.mix]
        if len(answers) == 1:
            return self.labels(answers[0])
        if row_key is None:
            raise bad_input(
                "row_key", "be given", "none", "This rule tosses a coin for each row's key."
            )
        coin = tosses(key_texts(row_key, len(batch)), as_seed(self.seed))
        return self.labels(np.where(coin < self.mix[1][0], answers[1], answers[0]))

    def labels(self, alarms: BoolArray) -> np.ndarray[Any, Any]:
        """Return alarms as labels."""
        return np.array([self.negative, self.positive])[alarms.astype(np.intp)]


class _Columns:
    """Scores that are at hand, as a batch."""

    def __init__(self, scores: Any, rule: Rule) -> None:
        self._columns = as_columns(scores)
        missing = [model for model in rule.models if model not in self._columns]
        if missing:
            raise bad_input(
                "scores",
                "have a column for each model of the rule",
                f"none for {shown(missing)}",
                f"The columns are: {shown(self._columns)}.",
            )
        self._positive = rule.positive
        self._rows = as_array(next(iter(self._columns.values())), "scores").size

    def __len__(self) -> int:
        return self._rows

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's column of scores."""
        return as_scores(self._column(model, rows), self._size(rows), argument=_place(model))

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return where a model's column of labels holds the positive one."""
        return np.asarray(self._column(model, rows) == self._positive, dtype=bool)

    def _column(self, model: str, rows: IntArray | None) -> np.ndarray[Any, Any]:
        values = as_array(self._columns[model], _place(model))
        check_length(values.size, self._rows, _place(model))
        return values if rows is None else values[rows]

    def _size(self, rows: IntArray | None) -> int:
        return self._rows if rows is None else rows.size


def _place(model: str) -> str:
    return f"scores[{model!r}]"


def _when(part: Expression) -> str:
    if isinstance(part, Joined):
        return f"when {part.words()[1:-1]}"
    return f"when {part.words()}" if part.models else part.words()


def _text_type(dialect: str) -> str:
    return "STRING" if dialect == "spark" else "VARCHAR"


def _literal(label: Any) -> str:
    if isinstance(label, bool):
        return str(label).upper()
    if isinstance(label, int | float):
        return repr(label)
    text = str(label).replace("'", "''")
    return f"'{text}'"
