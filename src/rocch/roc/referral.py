"""Decisions that may be left to a person: predict positive, predict negative, or refer.

Two settings decide a case positive where both alarm and negative where neither does; they refer
the others. With two thresholds of one scorer these are the cases between them. Two settings of
different scorers refer the cases that one of them calls positive and the other negative.

A referred case costs r more than a correct decision. For one scorer the cost separates into a part
of each threshold, so both are tangent points of its hull, at the slopes (1 - p) (c_fp - r) / (p r)
and (1 - p) r / (p (c_fn - r)), where costs are those beyond a correct decision. Referring pays only
if 1 / r > 1 / c_fp + 1 / c_fn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError, renamed
from rocch.inputs import as_fraction, as_level, as_number, as_rate
from rocch.numbers import money, per_100
from rocch.results import Table, Tabular
from rocch.roc.conditions import COSTS, Case, Conditions, as_conditions
from rocch.roc.guarantee import Guarantee
from rocch.roc.new_rows import REPETITIONS, NewRowsCost, alarms_at, estimate_new_rows_cost
from rocch.roc.operating_point import EstimatedCost, OperatingPoint, RocPoint
from rocch.roc.question import Question
from rocch.roc.question_table import REFERRAL
from rocch.rows import ScoredRows

# Fractions with denominators up to this stand for the doubles that they round to: 1/6 is one sixth.
PLAIN_DENOMINATOR = 10**6

# How often a choice is repeated for one estimate on new rows, and the most scores to look at.
REPEATED_CHOICES, MOST_WORK = 7, 3 * 10**7

# What a question that refers cases may state.
QUESTION_FIELDS = {"prevalence", "negatives_per_positive", *COSTS, *REFERRAL, "confidence"}


@dataclass(frozen=True, slots=True, repr=False)
class Referral(EstimatedCost, Tabular):
    """When to decide and when to refer a case to a person, on the evaluation rows.

    Attributes
    ----------
    upper, lower
        The two settings: positive where both alarm, negative where neither does. They are two
        thresholds of one scorer, or one of each of two scorers.
    cost
        The cost of a referred case beyond that of a correct decision; None if none was stated,
        and then referred cases cost nothing.
    fpr, fnr
        The share of negatives that are decided positive, and of positives decided negative.
    referred_negatives, referred_positives
        The shares of both classes that are referred.
    prevalence
        That of the conditions.
    expected_cost
        Per case, referred ones included.
    plain
        The cheapest choice that decides every case.
    max_referred, max_wrong
        The limits: on the share of all cases that are referred, and on the share of wrong ones
        among those decided automatically (where nothing is decided, nothing is wrong).
    guarantee
        What holds on new rows, if `max_wrong` was given with a confidence.
    note
        A reservation, or why nothing is referred.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=2000) + 2 * y})
    >>> known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)
    >>> print(hull.refer(known, cost=0.2).rule())
    predict positive when nb >= 2.18156, negative when nb < -0.10366, refer otherwise
    """

    upper: RocPoint
    lower: RocPoint
    cost: float | None
    fpr: float
    fnr: float
    referred_negatives: float
    referred_positives: float
    prevalence: float
    expected_cost: float
    plain: OperatingPoint
    max_referred: float | None = None
    max_wrong: float | None = None
    guarantee: Guarantee | None = None
    note: str = ""

    @property
    def scorers(self) -> tuple[str, ...]:
        """The one or two classifiers that decide, without *never* and *always*."""
        names = (self.upper.classifier, self.lower.classifier)
        ends = (self.upper, self.lower)
        scoring = [
            name
            for name, point in zip(names, ends, strict=True)
            if point.threshold is not None or (point.fpr, point.tpr) not in ((0, 0), (1, 1))
        ]
        return tuple(dict.fromkeys(scoring))

    @property
    def referred(self) -> float:
        """The share of all cases that are referred."""
        p = self.prevalence
        return (1 - p) * self.referred_negatives + p * self.referred_positives

    @property
    def refers(self) -> bool:
        """Whether any case is referred."""
        return self.referred_negatives > 0 or self.referred_positives > 0

    @property
    def decided(self) -> float:
        """The share of all cases that are decided automatically."""
        return 1 - self.referred

    @property
    def wrong(self) -> float:
        """The share of all cases that are decided wrongly."""
        return (1 - self.prevalence) * self.fpr + self.prevalence * self.fnr

    @property
    def wrong_among_decided(self) -> float | None:
        """The share of wrong ones among the cases decided; None if nothing is decided."""
        return self.wrong / self.decided if self.decides else None

    @property
    def wrong_among_positive(self) -> float | None:
        """The share of negatives among cases decided positive; None if there are none."""
        false = (1 - self.prevalence) * self.fpr
        all_positive = false + self.prevalence * (1 - self.fnr - self.referred_positives)
        return false / all_positive if all_positive > 1e-15 else None

    @property
    def wrong_among_negative(self) -> float | None:
        """The share of positives among cases decided negative; None if there are none."""
        missed = self.prevalence * self.fnr
        all_negative = missed + (1 - self.prevalence) * (1 - self.fpr - self.referred_negatives)
        return missed / all_negative if all_negative > 1e-15 else None

    @property
    def decides(self) -> bool:
        """Whether any case is decided."""
        return self.referred_negatives < 1 or self.referred_positives < 1

    @property
    def saves(self) -> float:
        """What referring saves per case against the cheapest choice that decides every case."""
        return (self.plain.expected_cost or 0.0) - self.expected_cost if self.refers else 0.0

    def rule(self) -> str:
        """Return in words when to decide and when to refer."""
        if not self.refers:
            return f"refer nothing; {self.upper.rule()}"
        if not self.decides:
            return "refer every case"
        if len(self.scorers) > 1:
            both = f"{_alarm_words(self.upper)} and {_alarm_words(self.lower)}"
            return f"predict positive when {both}, negative when neither, refer otherwise"
        sides = []
        if self.upper.fpr or self.upper.tpr:
            sides.append(f"positive when {_alarm_words(self.upper)}")
        if self.lower.fpr < 1 or self.lower.tpr < 1:
            sides.append(f"negative when {_alarm_words(self.lower, quiet=True)}")
        return f"predict {', '.join(sides)}, refer otherwise"

    def __str__(self) -> str:
        rule = self.rule()
        texts = [f"{rule[0].upper()}{rule[1:]}."]
        if not self.decides:
            texts.append("Nothing is decided automatically, so nothing can be wrong.")
        elif self.refers:
            texts.append(
                f"On the evaluation rows, {per_100(self.referred)}% of all cases are referred, "
                f"and of those decided automatically {per_100(self.wrong_among_decided or 0)}% "
                "are wrong."
            )
        without = money(self.plain.expected_cost or 0.0)
        counted = "" if self.cost is not None else ", with nothing for those referred"
        if self.refers:
            texts.append(
                f"A case costs {money(self.expected_cost)}{counted}, against {without} if every "
                "case is decided."
            )
        else:
            texts.append(f"A case costs {without}.")
        if self.guarantee is not None:
            texts.append(str(self.guarantee))
        if self.note:
            texts.append(f"{self.note[0].upper()}{self.note[1:]}.")
        return " ".join(texts)

    def _columns(self) -> Table:
        """Return what becomes of the cases: shares of each class and of all, and of errors."""
        negatives = np.array([self.fpr, 0.0, self.referred_negatives])
        positives = np.array([0.0, self.fnr, self.referred_positives])
        negatives[1], positives[0] = 1 - negatives.sum(), 1 - positives.sum()
        return {
            "decision": ["positive", "negative", "referred"],
            "share_of_cases": (1 - self.prevalence) * negatives + self.prevalence * positives,
            "share_of_negatives": negatives,
            "share_of_positives": positives,
            "wrong": [self.wrong_among_positive, self.wrong_among_negative, None],
        }


def _alarm_words(point: RocPoint, *, quiet: bool = False) -> str:
    """Return when a setting alarms, or is quiet."""
    if isinstance(point.threshold, float):
        return f"{point.classifier} {'<' if quiet else '>='} {point.written_threshold}"
    setting = "" if point.threshold is None else f" at setting {point.threshold}"
    return f"{point.classifier}{setting} {'does not alarm' if quiet else 'alarms'}"


@dataclass(frozen=True, slots=True)
class ReferralOptions:
    """What a referral costs, and its limits; checked.

    Attributes
    ----------
    cost
        The cost of a referred case beyond that of a correct decision.
    max_referred
        The largest share of all cases to refer.
    max_wrong
        The largest share of wrong ones among those decided automatically.
    confidence
        With one, `max_wrong` holds on new rows.
    """

    cost: float | None = None
    max_referred: float | None = None
    max_wrong: float | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        if self.cost is None and self.max_referred is None and self.max_wrong is None:
            raise InputError(
                "cost",
                "be given, or {max_referred}, or {max_wrong}",
                "none of them",
                "Without them, every case would be referred or none.",
            )
        if self.cost is not None:
            hint = "It is what a referred case costs beyond a correct decision."
            object.__setattr__(self, "cost", as_number(self.cost, "cost", least=0, hint=hint))
        for name in ("max_referred", "max_wrong"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_rate(getattr(self, name), name))
        if self.confidence is None:
            return
        object.__setattr__(self, "confidence", as_level(self.confidence))
        if self.max_wrong is None:
            raise InputError("confidence", "be given with {max_wrong}", "no limit")
        if self.max_wrong == 1:
            hint = "At 1, all decisions may be wrong."
            raise InputError("max_wrong", "be below 1 to be guaranteed", 1, hint)

    @property
    def goes_by_cost(self) -> bool:
        """Whether the cost is the goal; otherwise it is to refer as few cases as possible."""
        return self.cost is not None or self.max_referred is not None


def read_question(
    given: Conditions | Question, **options: float | None
) -> tuple[Conditions, ReferralOptions]:
    """Return exact conditions and options of a question, or of conditions with options."""
    if not isinstance(given, Question):
        return as_conditions(given), ReferralOptions(**options)
    for name in (name for name, value in options.items() if value is not None):
        raise InputError(name, "be part of the question", "both", "Leave one of them out.")
    for name in given.given:
        if name not in QUESTION_FIELDS:
            hint = (
                "Referred cases go with the class balance, costs as numbers ({false_positive}, "
                "{false_negative}, {refer_cost}), {max_referred} and {max_wrong}."
            )
            got = repr(given.given[name])
            raise InputError(name, "be left out where cases are referred", got, hint)
    conditions = given.conditions
    if conditions is None:
        if given.refer_cost is not None:
            needs = "be given with {false_positive} and {false_negative}"
            raise InputError("refer_cost", needs, "no costs of errors")
        conditions = Conditions(prevalence=given.balance, false_positive=1, false_negative=1)
    with renamed(cost="refer_cost"):
        return conditions, ReferralOptions(
            given.refer_cost, given.max_referred, given.max_wrong, given.confidence
        )


def estimate_referral_cost(
    rows: ScoredRows | None,
    case: Case,
    chosen: Referral,
    choose: Callable[[ScoredRows], Referral],
) -> NewRowsCost:
    """Estimate what a referral costs on new rows: the choice is repeated on some of the rows.

    A referred negative counts as the part r / c_fp of an alarm, and a referred positive as the part
    1 - r / c_fn, so that decisions cost what alarms would.
    """
    alarm, miss = error_costs(case)
    r = chosen.cost or 0.0
    note = ""
    if rows is None:
        note = "the rows behind the hull were not kept, or differ between classifiers"
    elif r > min(alarm, miss):
        note = "it is estimated only where a referred case costs no more than the cheaper error"
    if rows is None or note:
        return NewRowsCost(chosen.expected_cost, note=note)
    parts = np.where(rows.positive, 1 - r / miss if miss else 0.0, r / alarm if alarm else 0.0)

    def decide(train: IntArray, test: IntArray) -> FloatArray:
        found = choose(rows.select(train))
        one, other = (alarms_at(point, rows, test) for point in (found.upper, found.lower))
        return np.where(one & other, 1.0, np.where(one | other, parts[test], 0.0))

    work = len(rows) * max(1, len(rows.scores)) * REPEATED_CHOICES
    repetitions = max(1, min(REPETITIONS, MOST_WORK // work))
    seen = chosen.expected_cost
    try:
        return estimate_new_rows_cost(rows, case, decide, apparent=seen, repetitions=repetitions)
    except InfeasibleError:
        return NewRowsCost(seen, note="on parts of the rows no two thresholds meet the limits")


def referral_slopes(case: Case, cost: float) -> tuple[float, float] | None:
    """Return the slopes at which the upper and the lower threshold touch the hull.

    None where referring cannot pay: 1 / r must exceed 1 / c_fp + 1 / c_fn.
    """
    alarm, miss = error_costs(case)
    if not can_pay(as_exact(alarm), as_exact(miss), as_exact(cost)):
        return None
    p = case.prevalence
    upper = math.inf if cost == 0 or p == 0 else (1 - p) * (alarm - cost) / (p * cost)
    lower = math.inf if p == 0 else (1 - p) * cost / (p * (miss - cost))
    return upper, lower


def error_costs(case: Case) -> tuple[float, float]:
    """Return what a false alarm and a miss cost beyond correct decisions."""
    return case.false_positive - case.true_negative, case.false_negative - case.true_positive


def can_pay(alarm: Fraction, miss: Fraction, cost: Fraction) -> bool:
    """Return whether a referred case may cost less than the cheaper decision."""
    return cost * (alarm + miss) < alarm * miss


def as_exact(value: float) -> Fraction:
    """Return a number as the fraction that it stands for: 0.1 is one tenth, 1 / 6 one sixth."""
    plain = Fraction(value).limit_denominator(PLAIN_DENOMINATOR)
    return plain if float(plain) == value else as_fraction(value)


def why_none(case: Case, cost: float) -> str:
    """Return why referring cannot pay."""
    alarm, miss = error_costs(case)
    cheaper, name = min((alarm, "a false alarm"), (miss, "a miss"))
    if cost >= cheaper:
        return (
            f"a referred case costs {cost:g}, no less than {name}, the cheaper error "
            f"({cheaper:g}), so none is referred"
        )
    most = alarm * miss / (alarm + miss)
    return (
        f"a referred case costs {cost:g}, and with these errors referring pays only below "
        f"{most:.4g}, so none is referred"
    )
