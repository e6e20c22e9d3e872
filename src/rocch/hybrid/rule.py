"""Decision rules in words, as JSON, Python and SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_list
from rocch.hybrid.coin import DIGITS, DialectName, SqlWriter, as_seed, hex_limit, key_texts, tosses
from rocch.hybrid.expression import (
    VERSION,
    Expression,
    expression_at,
    expression_from,
    predict_when,
    unreadable_rule,
)
from rocch.inputs import (
    as_array,
    as_columns,
    as_instance,
    as_scores,
    as_text,
    check_known,
    check_length,
)
from rocch.labels import as_label_array, check_labels
from rocch.numbers import format_number
from rocch.results import Result
from rocch.roc.operating_point import OperatingPoint, RocPoint
from rocch.templates import Slot, Template

if TYPE_CHECKING:
    from rocch.hybrid.grouped_rule import GroupedRule
    from rocch.hybrid.multiclass_rule import MulticlassRule
    from rocch.hybrid.referral_rule import ReferralRule


# How the meaning of a column begins that holds probabilities of a model that is not known.
PROBABILITIES = "probabilities"

# Sums of probabilities may exceed 1 by rounding errors.
ROUNDING = 1e-9


class ColumnBatch:
    """Columns of scores, or of labels for models that only label.

    The positive one is the last of the classes. `meanings` says what columns must hold.
    """

    def __init__(
        self,
        scores: Columns,
        needed: Iterable[str],
        classes: tuple[Label, Label],
        meanings: Mapping[str, str] | None = None,
    ) -> None:
        self.columns = as_columns(scores)
        self.need(needed)
        self._classes, self._meanings = classes, meanings or {}
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
        found = as_scores(values, values.size, argument=_place(model))
        if means_probabilities(self._meanings.get(model, "")):
            check_probabilities(found, _place(model))
        return found

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


def means_probabilities(meaning: str) -> bool:
    """Whether a column of this meaning holds probabilities."""
    return meaning.startswith(("predict_proba", PROBABILITIES))


def check_probabilities(values: FloatArray, place: str) -> None:
    """Refuse a column with values outside 0 to 1; missing ones are refused elsewhere."""
    outside = np.flatnonzero((values < -ROUNDING) | (values > 1 + ROUNDING))
    if outside.size:
        first = int(outside[0])
        raise InputError(
            place,
            "be probabilities, from 0 to 1",
            f"{float(values[first]):.6g} at position {first}",
            "Send what the model's predict_proba returns, not a decision_function or percent.",
        )


def _place(model: str) -> str:
    return f"scores[{model!r}]"


@dataclass(frozen=True, slots=True, repr=False)
class Rule(Result):
    """When to predict the positive class.

    Attributes
    ----------
    mix
        Pairs of probability and expression: one, or two or three that a coin chooses from.
    positive, negative
        The labels to predict.
    fpr, tpr
        The rates to expect; those of the operating point that the rule was made of.
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
    >>> print(rule.to_python())
    import numpy as np
    <BLANKLINE>
    # rows with a missing score need a prediction of their own
    alarm = rows['nb'] >= 0.9...
    predictions = np.where(alarm, 1, 0)
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
        template = words_template(parts=len(self.mix))
        return self._fill(template, [predict_when(part, self.positive) for _, part in self.mix])

    @property
    def has_coin(self) -> bool:
        """Whether a coin chooses between expressions."""
        return len(self.mix) > 1

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The conditions of the rule."""
        return tuple(part for _, part in self.mix)

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.models))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with exact numbers."""
        mix = [{"probability": p, "alarm_when": part.to_dict()} for p, part in self.mix]
        coin = {
            "needed": self.has_coin,
            "seed": self.seed,
            "row_key": self.row_key,
            "made": "first 13 hex digits of sha256('<seed>:<key>') / 16**13; "
            "below the last part's probability the last part decides, and so on",
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

    @staticmethod
    def from_dict(
        data: Mapping[str, Any],
    ) -> Rule | ReferralRule | GroupedRule | MulticlassRule:
        """Read a rule of any kind from the result of its `to_dict`."""
        from rocch.hybrid.grouped_rule import GroupedRule
        from rocch.hybrid.multiclass_rule import MulticlassRule
        from rocch.hybrid.referral_rule import ReferralRule

        if isinstance(data, Mapping):
            for kind in (ReferralRule, GroupedRule, MulticlassRule):
                if kind.KEY in data:
                    return kind.from_dict(data)
        return Rule.for_two_classes(data)

    @classmethod
    def for_two_classes(cls, data: Mapping[str, Any]) -> Rule:
        """Read a rule that predicts one of two classes for every row."""
        version = data.get("rocch_rule") if isinstance(data, dict) else None
        if version != VERSION:
            got = f"version {version!r}" if isinstance(data, dict) else repr(data)
            raise unreadable_rule(got)
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
            raise unreadable_rule(f"one without {error}") from error
        shares = [share for share, _ in mix]
        if not 1 <= len(mix) <= MOST_PARTS or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
            raise unreadable_rule(f"parts with probabilities {shares}")
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
        coin = writer.coin(row_key or self.row_key, self.seed) if self.has_coin else None
        return self._fill(
            sql_template(yes, no, coin, len(self.mix)),
            [part.sql(writer, yes) for _, part in self.mix],
        )

    def to_python(self, *, row_key: str | None = None) -> str:
        """Return the rule as Python code on a data frame `rows` with a column for each model.

        Parameters
        ----------
        row_key
            The column of row keys for a coin: integers or text.
        """
        coin = None
        if self.has_coin:
            key = row_key or self.row_key
            if key is None:
                hint = "The coin is made of it."
                raise InputError("row_key", "name the column of row keys", "none", hint)
            coin = python_coin(key, self.seed)
        template = python_template(self.positive, self.negative, coin, len(self.mix))
        return self._fill(template, [part.python(self.positive) for _, part in self.mix])

    def _fill(self, template: Template, conditions: list[str]) -> str:
        if not self.has_coin:
            return template.fill({"condition": conditions[0]})
        shares = [share for share, _ in self.mix]
        texts = dict(zip(PARTS, conditions, strict=False))
        texts["first_probability"] = format_number(shares[0])
        texts["second_probability"] = format_number(shares[1])
        texts["limit"] = hex_limit(shares[1])
        if len(shares) == MOST_PARTS:
            texts["third_probability"] = format_number(shares[2])
            texts["third_limit"] = hex_limit(shares[2])
            texts["second_or_third_probability"] = format_number(shares[1] + shares[2])
            texts["limit"] = hex_limit(shares[1] + shares[2])
        return template.fill(texts)

    def column_names(self, columns: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the column of each model, by default of the same name."""
        return rename_columns(self.models, columns, "models of the rule")

    def decide(
        self, scores: Columns, *, row_key: ArrayLike | Sequence[Label] | None = None
    ) -> AnyArray:
        """Decide rows from scores, as a mapping from models or a data frame.

        `row_key` holds the row keys for a coin, by default the column named by the rule.
        """
        labels = self.negative, self.positive
        batch = ColumnBatch(scores, self.models, labels, self.scores)
        decisions = [part.alarms(batch) for _, part in self.mix]
        alarms = decisions[0]
        if self.has_coin:
            if row_key is None:
                row_key = batch.columns.get(self.row_key or "")
            if row_key is None:
                hint = "This rule tosses a coin for each row, made of a key such as its number."
                raise InputError("row_key", "hold the key of each row", "none", hint)
            coin = tosses(key_texts(row_key, len(batch)), as_seed(self.seed))
            alarms = choose_parts(coin, [share for share, _ in self.mix], decisions)
        return as_label_array([self.negative, self.positive])[alarms.astype(np.intp)]


def choose_parts(
    coin: FloatArray, shares: Sequence[float], decisions: Sequence[BoolArray]
) -> BoolArray:
    """Return the decision of the part that each coin chooses: the last where it is below its share.

    Otherwise it is the one before where the coin is below the sum of both, and so on.
    """
    chosen = decisions[0]
    for place, decision in enumerate(decisions[1:], start=1):
        chosen = np.where(coin < sum(shares[place:]), decision, chosen)
    return chosen


def rename_columns(
    names: Sequence[str], columns: Mapping[str, str] | None, what: str
) -> dict[str, str]:
    """Return the column of each name, by default the same name."""
    given = columns or {}
    check_known(given, names, "columns", what)
    named = {name: as_text(given[name], f"columns[{name!r}]") for name in given}
    return {name: named.get(name, name) for name in names}


# How rules are put together, for `Rule` itself and for pages. Without a coin there is one slot,
# `condition`. With one, the coin takes the `second` condition with `second_probability`, else the
# `first`; in SQL where its digits are below `limit`. A `third` one is taken where the coin is below
# `third_probability`, and the second where it is below `second_or_third_probability`; in SQL,
# below `third_limit` and `limit`.
PARTS = ("first", "second", "third")
MOST_PARTS = len(PARTS)


def words_template(*, parts: int) -> Template:
    """Return a rule in words; conditions are those of `predict_when`."""
    if parts == 1:
        return Template.of(Slot("condition"))
    pieces: list[str | Slot] = []
    for part in PARTS[: parts - 1]:
        pieces += ["with probability ", Slot(f"{part}_probability"), " ", Slot(part), ", "]
    return Template.of(*pieces, "otherwise ", Slot(PARTS[parts - 1]))


def python_template(positive: Label, negative: Label, coin: str | None, parts: int = 2) -> Template:
    """Return a rule in Python, with the lines that toss the coin if it has one."""
    missing = "# rows with a missing score need a prediction of their own"
    predictions = f"\npredictions = np.where(alarm, {positive!r}, {negative!r})"
    if coin is None:
        start = f"import numpy as np\n\n{missing}\nalarm = "
        return Template.of(start, Slot("condition"), predictions)
    limit = "second_probability" if parts == 2 else "second_or_third_probability"
    choice: list[str | Slot] = ["np.where(coin < ", Slot(limit), ", ", Slot("second"), ", "]
    choice += [Slot("first"), ")"]
    if parts == MOST_PARTS:
        last = Slot("third_probability"), ", ", Slot("third"), ", "
        choice = ["np.where(coin < ", *last, *choice, ")"]
    return Template.of(
        f"import hashlib\n\nimport numpy as np\n\n{missing}\n{coin}\n",
        "alarm = ",
        *choice,
        predictions,
    )


def python_coin(row_key: str, seed: int) -> str:
    """Return Python code that tosses the coins of rows, as `tosses` does."""
    digits = f'hashlib.sha256(f"{seed}:{{key}}".encode()).hexdigest()[:{DIGITS}]'
    return (
        "# the coin of a row follows from its key, a text or a whole number\n"
        f"tosses = [int({digits}, 16) for key in rows[{row_key!r}]]\n"
        f"coin = np.array(tosses) / 16**{DIGITS}"
    )


def sql_template(positive: str, negative: str, coin: str | None, parts: int = 2) -> Template:
    """Return a rule in SQL, whose labels and coin are SQL already."""

    def case(condition: str) -> list[str | Slot]:
        slot = Slot(condition)
        yes, no = f" THEN {positive} WHEN NOT (", f") THEN {negative} END"
        return ["CASE WHEN ", slot, yes, slot, no]

    if coin is None:
        return Template.of(*case("condition"))
    limit = Slot("limit")
    third: list[str | Slot] = []
    if parts == MOST_PARTS:
        third = [f"WHEN {coin} < '", Slot("third_limit"), "' THEN ", *case("third"), " "]
    return Template.of(
        "CASE ",
        *third,
        f"WHEN {coin} < '",
        limit,
        "' THEN ",
        *case("second"),
        f" WHEN {coin} >= '",
        limit,
        "' THEN ",
        *case("first"),
        " END",
    )
