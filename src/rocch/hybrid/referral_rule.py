"""Rules that may refer a case to a person: in words, as JSON, Python and SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rocch.arrays import AnyArray, BoolArray, Columns, IntArray, Label
from rocch.errors import Hint, InputError
from rocch.hybrid.coin import DialectName, SqlWriter
from rocch.hybrid.expression import (
    STACK,
    AtLeast,
    Batch,
    Constant,
    Expression,
    Predicts,
    StackAtLeast,
    expression_at,
    expression_from,
)
from rocch.hybrid.rule import ColumnBatch, python_template, rename_columns
from rocch.inputs import as_instance
from rocch.labels import as_label_array
from rocch.results import Result
from rocch.roc.operating_point import RocPoint
from rocch.roc.referral import Referral

VERSION = 1

# What is predicted for a case that a person is to decide.
REFER = "refer"


@dataclass(frozen=True, slots=True, repr=False)
class ReferralRule(Result):
    """When to predict positive, when negative, and when to refer a case to a person.

    Cases are decided positive where both conditions hold and negative where neither does; the
    others are referred. Decisions are the two labels or the word "refer".

    Attributes
    ----------
    upper, lower
        The conditions: two thresholds of one scorer, or conditions on two scorers.
    positive, negative
        The labels to predict; none of them may be called "refer".
    expected
        Shares of cases to expect, by name; those of the referral that the rule was made of.
    scores
        What each model's column must hold, such as "predict_proba, column 0".

    Examples
    --------
    >>> import rocch
    >>> y, scores = [0, 0, 1, 0, 1, 1], {"nb": [0, 0.25, 0.5, 0.75, 1, 1.25]}
    >>> known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    >>> referral = rocch.RocHull.from_scores(y, scores).refer(known, cost=0.1)
    >>> rule = rocch.hybrid.ReferralRule.from_referral(referral, positive="bad", negative="good")
    >>> print(rule)
    predict bad when nb >= 0.875, good when nb < 0.375, refer otherwise
    >>> rule.decide({"nb": [0.25, 0.5, 0.875]}).tolist()
    ['good', 'refer', 'bad']
    >>> for part in rule.to_sql().split(" WHEN "):
    ...     print(part)
    CASE
    "nb" >= 0.875 THEN 'bad'
    NOT ("nb" >= 0.375) THEN 'good'
    "nb" >= 0.375 AND NOT ("nb" >= 0.875) THEN 'refer' END
    """

    KEY: ClassVar[str] = "rocch_referral_rule"

    upper: Expression
    lower: Expression
    positive: Label
    negative: Label
    expected: Mapping[str, float] = field(default_factory=dict, hash=False)
    scores: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_words(self.positive, self.negative)

    @classmethod
    def from_referral(
        cls, referral: Referral, *, positive: Label = True, negative: Label = False
    ) -> ReferralRule:
        """Return the rule of a result of `RocHull.refer`."""
        hint = Hint("For example: hull.refer(conditions, cost=...).")
        as_instance(referral, Referral, "referral", hint=hint)
        upper, lower = (_as_expression(point) for point in (referral.upper, referral.lower))
        return cls(upper, lower, positive, negative, expected_shares(referral))

    def __str__(self) -> str:
        return self.words

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The conditions of the rule."""
        return self.upper, self.lower

    @property
    def has_coin(self) -> bool:
        """Whether a coin decides, which it never does here."""
        return False

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed."""
        return tuple(dict.fromkeys((*self.upper.models, *self.lower.models)))

    @property
    def has_two_scorers(self) -> bool:
        """Whether two scorers decide together; otherwise one has two thresholds."""
        upper, lower = self.parts
        return _scorer(upper) != _scorer(lower) and all(part.models for part in self.parts)

    @property
    def words(self) -> str:
        """The rule in plain words."""
        stacks = [part.stack for part in self.parts if isinstance(part, StackAtLeast)]
        where = f", where {STACK} = {stacks[0]}" if stacks else ""
        return f"{self._short_words()}{where}"

    def _short_words(self) -> str:
        yes, no = f"predict {self.positive}", str(self.negative)
        if self.upper == self.lower:
            if isinstance(self.upper, Constant):
                return f"predict {self.positive if self.upper.alarm else no}, refer nothing"
            return f"{yes} when {_words(self.upper)}, otherwise {no}, refer nothing"
        if self.has_two_scorers:
            return (
                f"{yes} when {_words(self.upper)} and {_words(self.lower)}, "
                f"{no} when {_opposite(self.upper)} and {_opposite(self.lower)}, refer cases that "
                f"one calls {self.positive} and the other {no}"
            )
        sides = []
        if self.upper != Constant(False):
            sides.append(f"{self.positive} when {_words(self.upper)}")
        if self.lower != Constant(True):
            sides.append(f"{no} when {_opposite(self.lower)}")
        return f"predict {', '.join(sides)}, refer otherwise" if sides else "refer every case"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with exact numbers."""
        return {
            self.KEY: VERSION,
            "words": self.words,
            "positive": self.positive,
            "negative": self.negative,
            "refer": REFER,
            "upper": self.upper.to_dict(),
            "lower": self.lower.to_dict(),
            "decide": "positive where upper and lower alarm, negative where neither does",
            "scores": dict(self.scores),
            "expected": dict(self.expected),
        }

    def to_json(self) -> str:
        """Return JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReferralRule:
        """Read the result of `to_dict`."""
        version = data.get(cls.KEY) if isinstance(data, dict) else None
        if version != VERSION:
            raise _not_written(f"version {version!r}" if isinstance(data, dict) else repr(data))
        try:
            upper, lower = (expression_from(data[side]) for side in ("upper", "lower"))
            labels = data["positive"], data["negative"]
            return cls(upper, lower, *labels, dict(data["expected"]), dict(data["scores"]))
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise _not_written(f"one without {error}") from error

    def to_sql(
        self, *, columns: Mapping[str, str] | None = None, dialect: DialectName = "standard"
    ) -> str:
        """Return the rule as an SQL `CASE` over columns of scores; decisions are texts.

        Rows get NULL where a missing score leaves the decision open.

        Parameters
        ----------
        columns
            Score columns by model; by default named as the models.
        dialect
            As for `Rule.to_sql`.
        """
        writer = SqlWriter.of(dialect, self.column_names(columns))
        labels = writer.label(self.positive)
        upper, lower = (part.sql(writer, labels) for part in self.parts)
        yes, no, refer = (
            writer.label(str(label)) for label in (self.positive, self.negative, REFER)
        )
        never, always = Constant(False), Constant(True)
        if self.upper == self.lower:
            if isinstance(self.upper, Constant):
                return yes if self.upper.alarm else no
            return _case((upper, yes), (f"NOT ({upper})", no))
        if self.has_two_scorers:
            both, one = f"{upper} AND {lower}", f"({upper} OR {lower})"
            referred = f"{one} AND NOT ({both})"
            return _case((both, yes), (f"NOT {one}", no), (referred, refer))
        if self.upper == never:
            return refer if self.lower == always else _case((f"NOT ({lower})", no), (lower, refer))
        if self.lower == always:
            return _case((upper, yes), (f"NOT ({upper})", refer))
        referred = f"{lower} AND NOT ({upper})"
        return _case((upper, yes), (f"NOT ({lower})", no), (referred, refer))

    def to_python(self) -> str:
        """Return the rule as Python code on a data frame `rows` with a column for each model."""
        upper, lower = (part.python(self.positive) for part in self.parts)
        if self.upper == self.lower:
            return python_template(self.positive, self.negative, None).fill({"condition": upper})
        return (
            "import numpy as np\n\n"
            "# rows with a missing score need a prediction of their own\n"
            f"upper = np.asarray({upper})\n"
            f"lower = np.asarray({lower})\n"
            f"predictions = np.full(len(rows), {REFER!r}, dtype=object)\n"
            f"predictions[upper & lower] = {self.positive!r}\n"
            f"predictions[~upper & ~lower] = {self.negative!r}"
        )

    def column_names(self, columns: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the column of each model, by default of the same name."""
        return rename_columns(self.models, columns, "models of the rule")

    def decide(self, scores: Columns) -> AnyArray:
        """Decide rows from scores, as a mapping from models or a data frame.

        The result holds texts if the labels are texts, else the labels and "refer" as objects.
        """
        labels = self.negative, self.positive
        return self.decide_batch(ColumnBatch(scores, self.models, labels, self.scores))

    def decide_batch(self, batch: Batch) -> AnyArray:
        """Decide the rows of a batch."""
        return as_label_array([self.negative, REFER, self.positive])[self.codes(batch)]

    def codes(self, batch: Batch) -> IntArray:
        """Return 2 where a row is decided positive, 0 where negative, 1 where it is referred."""
        upper = self.upper.alarms(batch)
        if self.upper == self.lower:
            return 2 * upper.astype(np.intp)
        if self.has_two_scorers:
            return upper.astype(np.intp) + self.lower.alarms(batch)
        lower: BoolArray = upper.copy()  # what is above the upper threshold is above the lower
        rest = np.flatnonzero(~upper)
        if rest.size:
            lower[rest] = self.lower.alarms(batch, rest)
        return upper.astype(np.intp) + lower


def _case(*branches: tuple[str, str]) -> str:
    """Return an SQL `CASE` of conditions and results."""
    return f"CASE {' '.join(f'WHEN {when} THEN {then}' for when, then in branches)} END"


def check_words(positive: Label, negative: Label) -> None:
    """Refuse labels that look like the decision to refer."""
    if positive == negative:
        raise InputError("positive", "differ from {negative}", repr(positive))
    if REFER in (positive, negative):
        raise InputError(
            "positive, negative",
            f"not be {REFER!r}, which stands for cases that a person is to decide",
            f"{positive!r} and {negative!r}",
            "Rename the class.",
        )


def expected_shares(referral: Referral) -> dict[str, float]:
    """Return the shares of a referral that its rule states."""
    names = ("fpr", "fnr", "referred_negatives", "referred_positives", "referred")
    return {name: getattr(referral, name) for name in names}


def _as_expression(point: RocPoint) -> Expression:
    if isinstance(point.threshold, str):
        raise InputError(
            "referral",
            "belong to classifiers that score, or that have one setting",
            f"{point.classifier!r} at setting {point.threshold!r}",
            "Give each setting a curve with its own name.",
        )
    return expression_at(point)


def _scorer(part: Expression) -> object:
    """Return what an expression compares with a threshold, or the expression itself."""
    if isinstance(part, StackAtLeast):
        return part.stack
    return part.model if isinstance(part, AtLeast) else part


def _words(part: Expression) -> str:
    return part.by_name.words() if isinstance(part, StackAtLeast) else part.words()


def _opposite(part: Expression) -> str:
    """Return when an expression does not alarm."""
    if isinstance(part, AtLeast | StackAtLeast):
        name = part.model if isinstance(part, AtLeast) else STACK
        return f"{name} < {part.written or repr(part.threshold)}"
    if isinstance(part, Predicts):
        return f"{part.model} does not alarm"
    return f"not {part.words()}"


def _not_written(got: str) -> InputError:
    hint = Hint("Write it with to_dict or to_json.")
    return InputError("rule", f"be a referral rule of version {VERSION}", got, hint)
