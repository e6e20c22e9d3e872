"""The question: all that can be known, believed, limited or sought.

Every surface takes it from here: options of the command line, bodies of HTTP requests and the
controls of a report are made of these fields, under these names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from rocch.errors import InputError, describe_type, renamed, unknown_option
from rocch.inputs import as_flag, as_number, is_number
from rocch.numbers import DECIMAL_COMMA, GROUPED, parse_interval, significant
from rocch.roc.belief import Belief
from rocch.roc.conditions import (
    COSTS,
    OBSERVED,
    Bounds,
    Conditions,
    Interval,
    prevalence_from_ratio,
)
from rocch.roc.criteria import (
    METRICS,
    Capacity,
    Constrained,
    Criterion,
    ErrorRate,
    ExpectedCost,
    LeastExpectedRegret,
    Maximize,
    MinimaxRegret,
    MinimumTpr,
    NeymanPearson,
    PredictedPositiveLimit,
)
from rocch.roc.knob import Knob
from rocch.roc.operating_point import ClassTotals

# What a field holds: a share of 1, an interval of shares, an interval, an interval that may have no
# upper end, a number, the name of a metric, yes or no; of many classes costs and shares by name.
Kind = Literal["share", "shares", "range", "ratio", "number", "metric", "flag", "costs", "priors"]
Group = Literal["balance", "costs", "belief", "limits", "goal"]
Value: TypeAlias = float | Interval | str | bool

# Beyond it, sums of costs could overflow.
MOST = 1e100


class QuestionField(NamedTuple):
    """A field of the question, as surfaces show it."""

    name: str
    kind: Kind
    unit: str
    help: str
    group: Group
    example: str
    # the field in a sentence, with the value in braces
    phrase: str

    @property
    def is_interval(self) -> bool:
        """Whether the field may be an interval."""
        return self.kind in ("shares", "range", "ratio")

    @property
    def is_share(self) -> bool:
        """Whether the field lies between 0 and 1, and may be written in percent."""
        return self.kind in ("share", "shares")

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the field."""
        number: dict[str, Any] = {"type": "number", "minimum": 0}
        if self.is_share:
            number["maximum"] = 1
        about = {"description": self.help}
        if self.kind == "metric":
            return {"enum": list(METRICS), **about}
        if self.kind == "flag":
            return {"type": "boolean", **about}
        if not self.is_interval:
            return {**number, **about}
        pair = {"type": "array", "prefixItems": [number, number], "minItems": 2, "maxItems": 2}
        kinds: list[dict[str, Any]] = [number, pair]
        if self.kind == "ratio":
            kinds.append({**pair, "prefixItems": [number, {"const": "inf"}]})
        if self.name == "prevalence":
            kinds.append({"const": OBSERVED})
        return {"anyOf": kinds, **about}


def _field(
    kind: Kind, group: Group, purpose: str, *, phrase: str, example: str, unit: str = ""
) -> Any:
    about = {"kind": kind, "unit": unit, "help": purpose, "group": group, "example": example}
    return field(default=False if kind == "flag" else None, metadata={**about, "phrase": phrase})


_cost_field = partial(_field, "range", "costs")
_rate_field = partial(_field, "share", "limits", unit="%")
_cases_field = partial(_field, "number", "limits", unit="cases")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is known about costs and class balance, believed, limited or sought.

    Intervals are pairs (low, high). Fields that contradict each other or have no effect are refused
    when the criterion is made.

    Attributes
    ----------
    prevalence, negatives_per_positive
        The class balance, one of the two. "observed", the default, is that of the evaluation rows.
    false_positive, false_negative, true_positive, true_negative
        Costs: numbers or intervals.
    cost_ratio, likely
        A belief: how many times as bad as a false alarm a miss is, and the most likely value. One
        of the costs may be its unit; by default a false alarm costs 1.
    max_fpr, min_tpr, max_share
        Limits on FPR, TPR and the predicted-positive rate.
    capacity, positives, negatives, population
        The most cases that can be handled, and their population.
    maximize
        The name of a metric.
    knob
        A position along the hull; it stands alone.
    randomize
        Whether a coin may choose between two settings.

    Examples
    --------
    >>> import rocch
    >>> rocch.Question(max_fpr=0.05).criterion
    NeymanPearson(max_fpr=0.05)
    >>> question = rocch.Question.from_strings({"prevalence": "5-10 %", "cost_ratio": "10..40"})
    >>> print(question.describe())
    5 to 10 % positive, a miss is 10 to 40 times as bad as a false alarm
    >>> question.to_dict()
    {'prevalence': [0.05, 0.1], 'cost_ratio': [10.0, 40.0]}
    """

    prevalence: Bounds | str | None = _field(
        "shares",
        "balance",
        "Share of positives: 0.1, 5%, 0.1..0.2 or 'observed'.",
        phrase="{} % positive",
        example="0.05..0.1",
        unit="%",
    )
    negatives_per_positive: Bounds | None = _field(
        "range",
        "balance",
        "The same as negatives per positive: 5 or 4..6.",
        phrase="{} negatives per positive",
        example="4..6",
    )
    false_positive: Bounds | None = _cost_field(
        "Cost of a false alarm: 10 or 10..20.", phrase="a false alarm costs {}", example="10..20"
    )
    false_negative: Bounds | None = _cost_field(
        "Cost of a miss.", phrase="a miss costs {}", example="200..250"
    )
    true_positive: Bounds | None = _cost_field(
        "Cost of a hit, 0 by default.", phrase="a hit costs {}", example="1"
    )
    true_negative: Bounds | None = _cost_field(
        "Cost of a true negative, 0 by default.", phrase="a true negative costs {}", example="0.5"
    )
    cost_ratio: Bounds | None = _field(
        "ratio",
        "belief",
        "A belief: how many times as bad as a false alarm a miss is.",
        phrase="a miss is {} times as bad as a false alarm",
        example="5..10",
        unit="times",
    )
    likely: float | None = _field(
        "number",
        "belief",
        "The most likely cost ratio.",
        phrase="most likely {} times",
        example="9",
        unit="times",
    )
    max_fpr: float | None = _rate_field(
        "Limit on the false positive rate.",
        phrase="at most {} % of the negatives alarm",
        example="0.05",
    )
    min_tpr: float | None = _rate_field(
        "Least true positive rate.", phrase="at least {} % of the positives alarm", example="0.8"
    )
    max_share: float | None = _rate_field(
        "Limit on alarms, as a share of all cases.",
        phrase="at most {} % of all cases alarm",
        example="0.1",
    )
    capacity: float | None = _cases_field(
        "Most alarms that can be handled, out of a population.",
        phrase="at most {} alarms",
        example="100",
    )
    population: float | None = _cases_field(
        "The population as a number of cases, at the prevalence.",
        phrase="in a population of {}",
        example="1000",
    )
    positives: float | None = _cases_field(
        "The population's positives.", phrase="of which {} are positive", example="50"
    )
    negatives: float | None = _cases_field(
        "The population's negatives.", phrase="{} are negative", example="950"
    )
    maximize: str | None = _field(
        "metric",
        "goal",
        f"A metric: {', '.join(METRICS)}.",
        phrase="the highest {}",
        example="f1",
    )
    knob: float | None = _field(
        "share",
        "goal",
        "A position along the hull, from 0 (never alarm) to 1 (always).",
        phrase="the knob at {} %",
        example="0.3",
        unit="%",
    )
    randomize: bool = _field(
        "flag",
        "goal",
        "Allow a coin to choose between two settings.",
        phrase="a coin may choose",
        example="true",
    )

    def __post_init__(self) -> None:
        for each in self.given_fields:
            value = as_value(getattr(self, each.name), each)
            object.__setattr__(self, each.name, value)

    @classmethod
    @cache
    def fields(cls) -> tuple[QuestionField, ...]:
        """Return the fields, for surfaces that show or take them."""
        return tuple(QuestionField(name=each.name, **each.metadata) for each in fields(cls))

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of `to_dict`.

        Examples
        --------
        >>> import rocch
        >>> rocch.Question.json_schema()["properties"]["max_fpr"]["maximum"]
        1
        """
        return {
            "type": "object",
            "properties": {each.name: each.json_schema() for each in cls.fields()},
            "additionalProperties": False,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the result of `to_dict`; unknown names are refused."""
        if not isinstance(data, Mapping):
            raise InputError("question", "be an object with fields", describe_type(data))
        known = [each.name for each in cls.fields()]
        for name in data:
            if name not in known:
                raise unknown_option(str(name)[:80], known, "a question")
        return cls(**{name: value for name, value in data.items() if value is not None})

    @classmethod
    def from_strings(cls, texts: Mapping[str, str]) -> Self:
        """Read fields as people type them.

        Numbers may be written 5, 1e3, 1,000 or 1/6, shares also 5%, intervals 10..40 or 10-40, and
        the upper end of a cost ratio inf. The prevalence may be observed.
        """
        known = {each.name: each for each in cls.fields()}
        for name in texts:
            if name not in known:
                raise unknown_option(name[:80], known, "a question")
        return cls(**{name: parse_value(text, known[name]) for name, text in texts.items()})

    @classmethod
    def from_criterion(cls, criterion: object, *, randomize: bool = False) -> Self | None:
        """Return the question that a criterion answers; None where no fields can state it."""
        if isinstance(criterion, Question):
            return cls(**{**criterion.given, "randomize": criterion.randomize or randomize})
        found: dict[str, Any] | None = None
        match criterion:
            case Conditions() | ExpectedCost() | MinimaxRegret(Conditions()):
                stated = getattr(criterion, "conditions", criterion)
                found = {name: getattr(stated, name) for name in ("prevalence", *COSTS)}
                free = [name for name in COSTS[2:] if found[name] == (0, 0)]
                found = {name: value for name, value in found.items() if name not in free}
            case ErrorRate(prevalence):
                found = {"prevalence": prevalence, "false_positive": 1, "false_negative": 1}
            case NeymanPearson(max_fpr):
                found = {"max_fpr": max_fpr}
            case MinimumTpr(min_tpr):
                found = {"min_tpr": min_tpr}
            case PredictedPositiveLimit(rate):
                found = {"max_share": rate, "prevalence": criterion.prevalence}
            case Capacity(cases):
                of = {"positives": criterion.positives, "negatives": criterion.negatives}
                found = {"capacity": cases, **of}
            case Maximize(str(metric)):
                found = {"maximize": metric, "prevalence": criterion.prevalence}
            case Knob(position):
                found = {"knob": position}
        return None if found is None else cls(**found, randomize=randomize)

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are set, by name."""
        return {each.name: getattr(self, each.name) for each in self.given_fields}

    @property
    def given_fields(self) -> tuple[QuestionField, ...]:
        """The fields that are set."""
        return tuple(e for e in self.fields() if _is_given(getattr(self, e.name)))

    def __bool__(self) -> bool:
        """Whether anything but a coin is stated."""
        return bool(set(self.given) - {"randomize"})

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are set as plain data for JSON."""
        return {name: _plain(value) for name, value in self.given.items()}

    def describe(self) -> str:
        """Return the question in words."""
        return ", ".join(
            describe_field(each, getattr(self, each.name)) for each in self.given_fields
        )

    def resolve(self, totals: ClassTotals) -> Self:
        """Return the question with an observed prevalence replaced by that of these rows."""
        if self._balance != OBSERVED or not self._needs_balance:
            return self
        return replace(self, prevalence=totals.prevalence)

    @cached_property
    def balance(self) -> Any:
        """The class balance as a prevalence, or "observed"."""
        if self.prevalence is not None and self.negatives_per_positive is not None:
            raise _both("prevalence", "{negatives_per_positive}")
        return self._balance

    @property
    def _balance(self) -> Any:
        if self.negatives_per_positive is not None:
            return _simple(prevalence_from_ratio(self.negatives_per_positive))
        return OBSERVED if self.prevalence is None else self.prevalence

    @property
    def _needs_balance(self) -> bool:
        return not USES_BALANCE.isdisjoint(self.given)

    @cached_property
    def belief(self) -> Belief | None:
        """The belief about costs with its unit and the class balance, if any."""
        if self.cost_ratio is None:
            return None
        for name in ("true_positive", "true_negative", "maximize"):
            if name in self.given:
                raise InputError(
                    name,
                    "be left out beside {cost_ratio}, which compares a miss with a false alarm",
                    repr(getattr(self, name)),
                )
        low, high = _ends(self.cost_ratio)
        with renamed(low="cost_ratio", high="cost_ratio", miss="cost_ratio"):
            ratio = Belief.cost_ratio(low, high, likely=self.likely)
        return ratio.with_unit(**self._unit()).with_prevalence(self.balance)

    def _unit(self) -> dict[str, float]:
        names = [name for name in ("false_positive", "false_negative") if name in self.given]
        if not names:
            return {"false_positive": 1.0}
        if len(names) > 1:
            raise InputError(
                "cost_ratio",
                "be given with one cost, its unit",
                "two",
                "Leave {false_positive} or {false_negative} out.",
            )
        (name,) = names
        cost = getattr(self, name)
        if isinstance(cost, Interval):
            raise InputError(name, "be one number beside {cost_ratio}, whose unit it is", cost)
        return {name: cost}

    @cached_property
    def conditions(self) -> Conditions | None:
        """The class balance and costs, if costs are stated and no belief."""
        if self.cost_ratio is not None:
            return None
        missing = [n for n in ("false_positive", "false_negative") if getattr(self, n) is None]
        if len(missing) == 2:
            return None
        if missing:
            other = "false_negative" if missing == ["false_positive"] else "false_positive"
            raise InputError(missing[0], f"be given with {{{other}}}", "none")
        costs = {name: value for name, value in self.given.items() if name in COSTS}
        return Conditions(prevalence=self.balance, **costs)

    @property
    def is_exact(self) -> bool:
        """Whether costs and class balance are known exactly."""
        return self.belief is None and (self.conditions is None or self.conditions.exact)

    @cached_property
    def criterion(self) -> Criterion | Knob:
        """What "best" means by all fields together.

        Limits alone mean the most hits within them. Limits on alarms need the class balance as a
        number; `resolve` gives it.
        """
        self._check_used()
        if self.knob is not None:
            return self._as_knob()
        limits, goal = self._limits(), self._goal()
        if goal is None:
            if not limits:
                raise InputError(
                    "question",
                    "state what is known, believed, limited or sought",
                    "nothing" if not self else self.describe(),
                    "Give costs ({false_positive}, {false_negative}), a belief ({cost_ratio}), a "
                    "limit ({max_fpr}, {min_tpr}, {capacity}, {max_share}) or a metric "
                    "({maximize}).",
                )
            goal, *limits = limits
        return Constrained(goal, *limits) if limits else goal

    def _check_used(self) -> None:
        """Refuse fields that would have no effect."""
        for name, users in NEEDS.items():
            if name in self.given and users.isdisjoint(self.given):
                others = ", ".join(f"{{{user}}}" for user in sorted(users))
                others = others if len(users) == 1 else f"one of {others}"
                requirement = f"be given with {others} to have an effect"
                raise InputError(name, requirement, "it alone")

    def _as_knob(self) -> Knob:
        others = [name for name in self.given if name not in ("knob", "randomize")]
        if others:
            names = ", ".join(f"{{{name}}}" for name in others)
            raise InputError(
                "knob", f"stand alone, without {names}", "both", "It is a setting by itself."
            )
        return Knob(float(self.knob or 0))

    def _goal(self) -> Criterion | None:
        goal: Criterion | None = None
        if self.belief is not None:
            goal = LeastExpectedRegret(self.belief)
        elif self.conditions is not None:
            kind = ExpectedCost if self.conditions.exact else MinimaxRegret
            goal = kind(self.conditions)
        if self.maximize is None:
            return goal
        if goal is not None:
            raise _both("maximize", "costs")
        if isinstance(self.balance, Interval):
            raise InputError(
                "maximize",
                "be given with the class balance as one number",
                f"a prevalence of {self.balance.low:.4g} to {self.balance.high:.4g}",
            )
        return Maximize(self.maximize, prevalence=self.balance)

    def _limits(self) -> list[Criterion]:
        """Return the limits; those on alarms must hold at either end of the prevalence."""
        limits: list[Criterion] = []
        if self.max_fpr is not None:
            limits.append(NeymanPearson(self.max_fpr))
        if self.capacity is not None:
            with renamed(cases="capacity"):
                limits += [Capacity(self.capacity, **cases) for cases in self._cases()]
        if self.max_share is not None:
            for prevalence in self._prevalences("max_share"):
                limits.append(PredictedPositiveLimit(self.max_share, prevalence=prevalence))
        if self.min_tpr is not None:
            limits.append(MinimumTpr(self.min_tpr))
        return limits

    def _cases(self) -> Iterator[dict[str, float]]:
        if self.population is None:
            if self.positives is None or self.negatives is None:
                raise InputError(
                    "capacity",
                    "be given with {population}, or {positives} and {negatives}",
                    "it without them",
                )
            yield {"positives": self.positives, "negatives": self.negatives}
            return
        if self.positives is not None or self.negatives is not None:
            raise _both("population", "{positives} and {negatives}")
        if not self.population:
            raise InputError("population", "be more than 0", 0, "It is a number of cases.")
        for prevalence in self._prevalences("population"):
            positives = prevalence * self.population
            yield {"positives": positives, "negatives": self.population - positives}

    def _prevalences(self, name: str) -> list[float]:
        if isinstance(self.balance, str):
            raise InputError(
                name,
                "be given with the class balance as a number",
                "it without one",
                "Give {prevalence} or {negatives_per_positive}.",
            )
        return sorted(set(_ends(self.balance)))


USES_BALANCE = {
    *("cost_ratio", "false_positive", "false_negative"),
    *("maximize", "max_share", "population"),
}
# Fields that have an effect only beside one of these others.
NEEDS = {
    "positives": {"capacity"},
    "negatives": {"capacity"},
    "population": {"capacity"},
    "likely": {"cost_ratio"},
    "true_positive": {"false_positive", "false_negative"},
    "true_negative": {"false_positive", "false_negative"},
    "prevalence": USES_BALANCE,
    "negatives_per_positive": USES_BALANCE,
}


def as_value(value: Any, about: QuestionField) -> Value:
    """Return the value of a field, checked; equal bounds become one number."""
    name = about.name
    if about.kind == "flag":
        return as_flag(value, name)
    if about.kind == "metric":
        if not isinstance(value, str) or value not in METRICS:
            hint = f"The names are: {', '.join(METRICS)}."
            raise InputError(name, "be the name of a metric", repr(value), hint)
        return value
    if name == "prevalence" and isinstance(value, str) and value == OBSERVED:
        return OBSERVED
    ends = value if about.is_interval and isinstance(value, tuple | list) else (value, value)
    if about.kind == "ratio" and len(ends) == 2 and ends[1] == "inf":
        ends = (ends[0], math.inf)
    if len(ends) != 2 or not all(map(is_number, ends)):
        raise _not_a_value(about, repr(value))
    low, high = map(_as_float, ends)
    hint = _percent_hint(about, low, high)
    for end in {low, high}:
        if end == math.inf and about.kind == "ratio" and low < high:
            continue
        most = 1 if about.is_share else MOST if MOST < end < math.inf else None
        number: Any = int(end) if abs(end) < MOST and end == int(end) else end  # 5, not 5.0
        as_number(number, name, least=0, most=most, hint=hint)
    if low > high:
        raise InputError(name, "run from low to high", (low, high), "Swap the two.")
    return _simple(Interval(low, high))


def _percent_hint(about: QuestionField, low: float, high: float) -> str:
    if not about.is_share:
        return ""
    if not 1 < high <= 100:
        return "It is a share, from 0 to 1."
    percent = f"{low:g} %" if low == high else f"{low:g} to {high:g} %"
    share = f"{low / 100:g}" if low == high else f"{low / 100:g} to {high / 100:g}"
    return f"It is a share, so {percent} is {share}."


def parse_value(text: str, about: QuestionField) -> Any:
    """Read a field as people type it."""
    given = text.strip()
    if about.kind == "flag":
        answers = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if given.lower() not in answers:
            raise InputError(about.name, "be true or false", repr(text))
        return answers[given.lower()]
    if about.kind == "metric":
        return given.lower().replace("-", "_").replace(" ", "_")
    if about.name == "prevalence" and given.lower() == OBSERVED:
        return OBSERVED
    found = parse_interval(given, is_share=about.is_share)
    if found is None or (isinstance(found, tuple) and not about.is_interval):
        raise _not_a_value(about, repr(text), given)
    high = found[1] if isinstance(found, tuple) else found
    if about.is_share and "%" in given and high > 1:
        raise InputError(about.name, "be at most 100 %", repr(text))
    return found


def _not_a_value(about: QuestionField, got: str, typed: str | None = None) -> InputError:
    kinds = ["a number"]
    if about.is_interval:
        kinds.append("an interval")
    if about.name == "prevalence":
        kinds.append("'observed'")
    hint = f"For example: {about.example}." if typed is not None else ""
    if typed is not None and DECIMAL_COMMA.fullmatch(typed) and not GROUPED.fullmatch(typed):
        point = typed.replace(",", ".")
        hint = f"Write {f'0{point}' if point.startswith('.') else point}, with a point."
    *first, last = kinds
    kind = f"{', '.join(first)} or {last}" if first else last
    return InputError(about.name, f"be {kind}", got, hint)


def describe_field(about: QuestionField, value: Value) -> str:
    """Return a field with its value in words."""
    if value == OBSERVED and about.name == "prevalence":
        return "as many positives as in the evaluation rows"
    if isinstance(value, str):
        return about.phrase.format(value.replace("_", " "))
    if about.kind == "flag":
        return about.phrase
    factor = 100 if about.is_share else 1
    low, high = _ends(value)
    if math.isinf(high):
        return about.phrase.format(f"at least {significant(factor * low, 6)}")
    texts = [significant(factor * end, 6) for end in (low, high)]
    return about.phrase.format(texts[0] if texts[0] == texts[1] else " to ".join(texts))


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond all floats
        return math.inf


def _is_given(value: Any) -> bool:
    return value is not None and value is not False


def _ends(value: Any) -> Interval:
    return value if isinstance(value, Interval) else Interval(value, value)


def _simple(interval: Interval) -> float | Interval:
    return interval.low if interval.exact else interval


def _plain(value: Value) -> Any:
    if isinstance(value, Interval):
        return ["inf" if math.isinf(end) else end for end in value]
    return value


def _both(name: str, other: str) -> InputError:
    return InputError(name, f"be given without {other}", "both", "Leave one of them out.")
