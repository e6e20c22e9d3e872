"""What to expect of a choice on new rows: its cost, its rates, the cases that it finds.

A choice seems best on the rows that made it: among many thresholds and models the luckiest
wins. So the whole procedure is repeated on four fifths of the rows, and the last fifth shows what
its choice does (cross-validation of frozen scores; no model is fitted again). Fewer rows choose
worse. Choices of half of the rows show by how much, and so what those of all rows do: the excess is
taken to be proportional to 1 / rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError, UndefinedError
from rocch.inputs import as_level, as_whole
from rocch.numbers import significant
from rocch.results import Record
from rocch.roc.conditions import Case, Interval
from rocch.roc.criteria import worst_regret
from rocch.roc.operating_point import OperatingPoint, Performance, RocPoint, end_name, midpoint
from rocch.roc.rate_intervals import bound_rate, class_rates, cost_interval
from rocch.rows import ScoredRows, cut_repeatedly, most_parts

# Repeats a procedure on training rows, and returns whether (or how often) test rows alarm.
Decide = Callable[[IntArray, IntArray], FloatArray | BoolArray]

# Rows are cut into this many parts, or two, and each part is left out in turn.
FIFTHS, HALVES = 5, 2

# How often rows are cut into fifths and halves. Hulls choose at little cost, so they cut rows up to
# `MOST_REPETITIONS` times, and fewer times where all choices would take more than `WORK` scores.
# (Between seeds, expected costs deviated by 1 to 4% with 20, under extreme costs by up to 15%.)
REPETITIONS, MOST_REPETITIONS, WORK = 5, 20, 10**8

# Alarms are returned for as many conditions at most.
FEW_CASES = 3

# As `WORK`, for choices that build a hull each time.
CHOICE_WORK = 3 * 10**7

NO_COSTS = "no costs were stated"
TOO_FEW_FOR_LIMITS = "without a fifth of the rows, nothing meets the limits"
NOT_KEPT = "the rows behind the hull were not kept, or differ between classifiers"

# Gains that differ by less, relative to the cost of all errors, are equal.
SAME_GAIN = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class NewRowsRates(Record):
    """The rates that a choice is expected to have on new rows, and the cases that it finds.

    Attributes
    ----------
    tpr, fpr
        What to expect.
    tpr_interval, fpr_interval
        Bounds for the true rates of the rule.
    prevalence
        That of the question, or else of the evaluation rows; None if it is a range.
    population
        The number of cases that a capacity is for; otherwise None.
    confidence
        That of each interval.
    """

    tpr: float
    tpr_interval: Interval
    fpr: float
    fpr_interval: Interval
    prevalence: float | None
    population: float | None = None
    confidence: float = 0.95

    @property
    def precision(self) -> float | None:
        """The share of positives among alarms; None without alarms or one prevalence."""
        if self.prevalence is None:
            return None
        return self._performance(self.prevalence).measure("precision")

    @property
    def found(self) -> float | None:
        """The expected number of positives in the population that alarm."""
        return self._count("true_positive_share")

    @property
    def missed(self) -> float | None:
        """The expected number of positives in the population that do not alarm."""
        return self._count("false_negative_share")

    @property
    def false_alarms(self) -> float | None:
        """The expected number of negatives in the population that alarm."""
        return self._count("false_positive_share")

    def _performance(self, prevalence: float) -> Performance:
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def _count(self, name: str) -> float | None:
        if self.population is None or self.prevalence is None:
            return None
        return self.population * float(getattr(self._performance(self.prevalence), name))

    def __str__(self) -> str:
        def write(rate: float) -> str:
            return significant(rate, 3)

        if self.tpr_interval.exact and self.fpr_interval.exact:
            tpr = f"a sensitivity (TPR) of {write(self.tpr)}"
        else:
            low, high = map(write, self.tpr_interval)
            level = f"{100 * self.confidence:.3g}%"
            tpr = f"a sensitivity (TPR) of {write(self.tpr)} ({level}: {low} to {high})"
        texts = [f"on new rows expect {tpr}", f"an FPR of {write(self.fpr)}"]
        if self.precision is not None and self.prevalence is not None:
            positive = f"{significant(100 * self.prevalence, 3)}% positive"
            texts.append(f"a precision of {write(self.precision)} at {positive}")
        rates = f"{', '.join(texts[:-1])} and {texts[-1]}"
        if self.population is None or self.found is None or self.missed is None:
            return rates
        positives = self.found + self.missed
        misses = write(self.missed)
        if not self.tpr_interval.exact:
            least, most = (write(positives * (1 - tpr)) for tpr in reversed(self.tpr_interval))
            misses += f" ({least} to {most})"
        return (
            f"{rates}; of {write(self.population)} cases with {write(positives)} positives it "
            f"finds {write(self.found)} and misses {misses}, with "
            f"{write(self.false_alarms or 0.0)} false alarms"
        )


@dataclass(frozen=True, slots=True, repr=False)
class NewRowsCost(Record):
    """What to expect of a choice on new rows: its cost per case, and its rates.

    Attributes
    ----------
    apparent
        The cost on the evaluation rows, which is too low; None if the criterion has no cost.
    expected, interval
        What to expect on new rows, and bounds for the true cost of the rule; None without rows.
    confidence
        That of the interval.
    resamples
        How often the procedure was repeated.
    note
        Why there is no expected cost.
    alarms
        How often each evaluation row alarms by choices that were made without it, if known.
    expected_range
        Where costs or class balance are ranges, the least and the greatest expectation within them;
        `apparent` and `expected` are then those in the middle, and `interval` bounds all of them.
    rates
        The TPR, FPR and precision to expect, and the cases that are found and missed.
    apparent_by
        What decided the evaluation rows, if that was not the choice itself.
    """

    apparent: float | None
    expected: float | None = None
    interval: Interval | None = None
    confidence: float = 0.95
    resamples: int = 0
    note: str = ""
    alarms: FloatArray | None = field(default=None, repr=False, compare=False)
    expected_range: Interval | None = None
    rates: NewRowsRates | None = None
    apparent_by: str = ""

    def __str__(self) -> str:
        if self.expected is None and self.rates is not None:
            return str(self.rates)
        by = f", by {self.apparent_by}" if self.apparent_by else ""
        seen = "" if self.apparent is None else f"{self.apparent:.3g} on the evaluation rows{by}"
        if self.expected is None or self.interval is None:
            return f"{seen}; " * bool(seen) + f"no expected cost on new rows: {self.note}"
        if self.interval.exact:
            return f"costs {self.expected:.3g} per case, on new rows as on the evaluation rows"
        low, high = self.interval
        if self.expected_range is not None:
            least, most = self.expected_range
            words = f"expected to cost {least:.3g} to {most:.3g} per case on new rows"
            if self.interval == self.expected_range:
                return words
            return f"{words} ({100 * self.confidence:.3g}%: {low:.3g} to {high:.3g})"
        return (
            f"expected to cost {self.expected:.3g} per case on new rows "
            f"({100 * self.confidence:.3g}%: {low:.3g} to {high:.3g}); {seen}"
        )


def estimate_new_rows_cost(
    rows: ScoredRows,
    case: Case,
    decide: Decide,
    *,
    apparent: float,
    confidence: float = 0.95,
    random_state: int = 0,
    repetitions: int = REPETITIONS,
) -> NewRowsCost:
    """Estimate what a procedure's choice costs on new rows, by repeated cross-validation.

    Parameters
    ----------
    rows
        Labels and scores. Groups are never split, nor are several entries of one row.
    case
        Prevalence and costs.
    decide
        Repeats the whole procedure (the choice of scorer, stack and threshold) on the row numbers
        of its first argument, and returns for those of the second whether, or how often, they
        alarm.
    apparent
        The cost per case of the choice on all rows.
    confidence
        Of the interval.
    random_state
        Decides how the rows are cut.
    repetitions
        How often the rows are cut into fifths, and into halves.
    """

    def decide_once(train: IntArray, test: IntArray) -> FloatArray:
        return np.array([decide(train, test)], dtype=float)

    (found,) = _estimate_costs(
        rows, [case], decide_once, [apparent], confidence, random_state, repetitions
    )
    return found


def _estimate_costs(
    rows: ScoredRows,
    cases: Sequence[Case],
    decide: Decide,
    apparent: Sequence[float],
    confidence: float,
    random_state: int,
    repetitions: int,
) -> list[NewRowsCost]:
    """Estimate costs under several conditions; `decide` returns a row of decisions for each."""
    level = as_level(confidence)
    count = as_whole(repetitions, "repetitions", least=1)
    if most_parts(rows, FIFTHS) < HALVES:
        return [_too_few(rows, cost, level) for cost in apparent]
    repeated = _Repeated(rows, decide, len(cases), count, random_state)
    found = [
        repeated.cost(place, case, seen, level)
        for place, (case, seen) in enumerate(zip(cases, apparent, strict=True))
    ]
    # the alarms under many conditions would take too much memory
    few = len(cases) <= FEW_CASES
    return found if few else [replace(each, alarms=None) for each in found]


def _too_few(rows: ScoredRows, apparent: float | None, confidence: float) -> NewRowsCost:
    kind = "row" if rows.groups is None else "group"
    note = f"it takes at least two {kind}s with each class to leave one out"
    return NewRowsCost(apparent, confidence=confidence, note=note)


class _Repeated:
    """Choices that were repeated on fifths and halves of the rows, and how often rows alarm."""

    def __init__(
        self, rows: ScoredRows, decide: Decide, choices: int, repetitions: int, random_state: int
    ) -> None:
        self.rows, self.parts, self.repetitions = rows, most_parts(rows, FIFTHS), repetitions
        generator = np.random.default_rng(random_state)
        self.fifths = _cross_validate(rows, decide, choices, self.parts, repetitions, generator)
        self.halves, self.resamples = None, self.parts * repetitions
        if self.parts > HALVES:
            with suppress(InfeasibleError):  # half of the rows may be too few for limits
                self.halves = _cross_validate(rows, decide, choices, HALVES, repetitions, generator)
                self.resamples += HALVES * repetitions

    def cost(self, place: int, case: Case, apparent: float, confidence: float) -> NewRowsCost:
        """Return what one of the choices costs."""
        alarms = self.fifths[place]
        cost, (low, high) = cost_interval(self.rows, alarms, case, confidence)
        expected = cost
        if self.halves is not None:
            # costs at 1, 1 / share and 2 times 1 / rows lie on a line
            excess = cost_interval(self.rows, self.halves[place], case, confidence)[0] - cost
            expected = max(cost - excess / (self.parts - 2), min(cost, apparent))
        bounds = Interval(min(low, expected), max(high, expected))
        return NewRowsCost(apparent, expected, bounds, confidence, self.resamples, alarms=alarms)


def _cross_validate(
    rows: ScoredRows,
    decide: Decide,
    cases: int,
    parts: int,
    repetitions: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Return how often each row alarms by choices that were made without it."""
    alarms = np.zeros((cases, len(rows)))
    for train, test in cut_repeatedly(rows, parts, repetitions, generator):
        alarms[:, test] += decide(train, test)
    return alarms / repetitions


def join_rows(parts: Sequence[ScoredRows | None]) -> ScoredRows | None:
    """Return the scores of several classifiers as one; None if one of them has no rows."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return replace(known[0], scores={name: s for part in known for name, s in part.scores.items()})


def changed_rows(got: str) -> InputError:
    """Return the error for arrays that were changed after a hull was built from them."""
    return InputError(
        "scores and labels",
        "stay as they were when the hull was built from them",
        got,
        "Build the hull again, or pass copies.",
    )


def _known_cost(case: Case, best: OperatingPoint, confidence: float) -> NewRowsCost:
    """Return what never or always alarming costs; its rates are known."""
    cost = float(case.cost(best.fpr, best.tpr))
    return NewRowsCost(cost, cost, Interval(cost, cost), confidence)


def estimate_choice(
    rows: ScoredRows | None,
    best: OperatingPoint,
    choose: Callable[[ScoredRows], OperatingPoint],
    cases: Sequence[Case] = (),
    *,
    note: str = NO_COSTS,
    confidence: float = 0.95,
    random_state: int = 0,
    repetitions: int | None = None,
) -> NewRowsCost:
    """Estimate the rates of any choice on new rows, and its cost if there are conditions.

    Parameters
    ----------
    rows
        Labels and scores; None if they were not kept.
    best
        The choice on all rows.
    choose
        Makes the choice on some of the rows.
    cases
        Exact conditions, or the corners of ranges.
    note
        Why there is no cost, without conditions.
    confidence
        Of each interval.
    random_state
        Decides how the rows are cut.
    repetitions
        How often the rows are cut into fifths, and into halves.
    """
    seen = [float(case.cost(best.fpr, best.tpr)) for case in cases]
    nothing = NewRowsCost(float(np.mean(seen)) if seen else None, confidence=confidence, note=note)
    prevalence = best.prevalence
    if prevalence is None and best.prevalence_range is None and rows is not None:
        negatives, positives = rows.totals
        prevalence = positives / (negatives + positives)
    if best.is_trivial:
        costs = [_known_cost(case, best, confidence) for case in cases]
        ends = [(rate, Interval(rate, rate)) for rate in (best.tpr, best.fpr)]
        rates = NewRowsRates(*ends[0], *ends[1], prevalence, best.population, confidence)
        return replace(join_corners(costs) if costs else nothing, rates=rates)
    if rows is None:
        return replace(nothing, note=NOT_KEPT)
    if most_parts(rows, FIFTHS) < HALVES:
        return _too_few(rows, nothing.apparent, confidence)
    known = rows
    promised: list[tuple[float, float]] = []
    _check_rates(rows, best)

    def decide(train: IntArray, test: IntArray) -> FloatArray:
        found = choose(known.select(train))
        promised.append((found.fpr, found.tpr))
        return _alarms_of(found, known, test)[np.newaxis]

    work = max(1, rows.size * (FIFTHS + HALVES))
    count = repetitions or max(1, min(REPETITIONS, CHOICE_WORK // work))
    try:
        repeated = _Repeated(rows, decide, 1, count, random_state)
    except (InfeasibleError, UndefinedError):
        return replace(nothing, note=TOO_FEW_FOR_LIMITS)
    (fpr, fpr_bounds), (tpr, tpr_bounds) = _expected_rates(repeated, best, promised, confidence)
    rates = NewRowsRates(tpr, tpr_bounds, fpr, fpr_bounds, prevalence, best.population, confidence)
    if not cases:
        return replace(nothing, rates=rates, resamples=repeated.resamples)
    pairs = zip(cases, seen, strict=True)
    costs = [repeated.cost(0, case, cost, confidence) for case, cost in pairs]
    return replace(join_corners(costs), rates=rates)


def _expected_rates(
    repeated: _Repeated,
    best: OperatingPoint,
    promised: Sequence[tuple[float, float]],
    confidence: float,
) -> list[tuple[float, Interval]]:
    """Return FPR and TPR to expect, with intervals.

    Choices have better rates on the rows that made them, those `promised`, than on others. The
    mean difference is what the rates of the choice on all rows are off. None is expected to be
    better than on the evaluation rows.
    """
    shown = class_rates(repeated.rows, repeated.fifths[0])
    cut = repeated.resamples if repeated.halves is None else repeated.parts * repeated.repetitions
    off = np.mean(promised[:cut], axis=0) - [rate for rate, *_ in shown]
    if repeated.halves is not None:
        by_halves = class_rates(repeated.rows, repeated.halves[0])
        more = np.mean(promised[cut:], axis=0) - [rate for rate, *_ in by_halves]
        off -= (more - off) / (repeated.parts - 2)  # as for the cost
    expected = max(best.fpr - off[0], best.fpr), min(best.tpr - off[1], best.tpr)
    found = []
    for value, (_, trials, spread) in zip(expected, shown, strict=True):
        rate = min(max(float(value), 0.0), 1.0)
        found.append((rate, bound_rate(rate, trials, spread, confidence)))
    return found


def _alarms_of(choice: OperatingPoint, rows: ScoredRows, test: IntArray) -> FloatArray:
    """Return how often rows alarm by a choice, more than once only with a coin."""
    shares = [share * alarms_at(point, rows, test) for share, point in choice.mix]
    return np.asarray(np.sum(shares, axis=0), dtype=float)


def alarms_at(point: RocPoint, rows: ScoredRows, test: IntArray) -> BoolArray:
    """Return which rows alarm at a setting."""
    if end_name(point.fpr, point.tpr) is not None:
        return np.full(test.size, point.fpr == 1)
    column = rows.scores[point.classifier][test]
    threshold = point.threshold
    return np.asarray(column >= threshold if isinstance(threshold, float) else column, dtype=bool)


def _check_rates(rows: ScoredRows, best: OperatingPoint) -> None:
    """Refuse rows on which a choice has other rates: they have changed."""
    alarms = _alarms_of(best, rows, np.arange(len(rows)))
    weights = np.ones(len(rows)) if rows.units[0] is None else rows.units[0]
    for members, rate in ((~rows.positive, best.fpr), (rows.positive, best.tpr)):
        found = float(np.average(alarms[members], weights=weights[members]))
        if not math.isclose(found, rate, rel_tol=1e-9, abs_tol=1e-12):
            raise changed_rows("changed ones")


def vertex_cost(
    rows: ScoredRows | None,
    case: Case,
    best: OperatingPoint,
    *,
    confidence: float = 0.95,
    random_state: int = 0,
    repetitions: int | None = None,
) -> NewRowsCost:
    """Estimate what the cheapest vertex of the joint hull of all rows costs on new rows."""
    (found,) = vertex_costs(
        rows,
        [case],
        [best],
        confidence=confidence,
        random_state=random_state,
        repetitions=repetitions,
    )
    return found


def vertex_costs(
    rows: ScoredRows | None,
    cases: Sequence[Case],
    best: Sequence[OperatingPoint],
    *,
    confidence: float = 0.95,
    random_state: int = 0,
    repetitions: int | None = None,
) -> list[NewRowsCost]:
    """Estimate the same under several conditions, each with its cheapest vertex, in one go."""
    seen = [float(case.cost(each.fpr, each.tpr)) for case, each in zip(cases, best, strict=True)]
    found = [
        _known_cost(case, each, confidence) for case, each in zip(cases, best, strict=True)
    ]  # of never and always
    unknown = [i for i, each in enumerate(best) if end_name(each.fpr, each.tpr) is None]
    if rows is None:
        for i in unknown:
            found[i] = NewRowsCost(seen[i], confidence=confidence, note=NOT_KEPT)
        return found
    if not unknown:
        return found
    choose = HullProcedure(rows, *(cases[i] for i in unknown))
    choose.check([seen[i] for i in unknown])
    estimates = _estimate_costs(
        rows,
        [cases[i] for i in unknown],
        choose,
        [seen[i] for i in unknown],
        confidence,
        random_state,
        repetitions or choose.repetitions,
    )
    for i, estimate in zip(unknown, estimates, strict=True):
        found[i] = estimate
    return found


def vertex_cost_beside(
    rows: ScoredRows, case: Case, best: OperatingPoint, defaults: Mapping[str, float]
) -> tuple[NewRowsCost, NewRowsCost, FloatArray]:
    """Estimate what the cheapest vertex costs, and what its model does at its default threshold.

    The third result is how often each row alarms by both. Models are chosen for either cost: the
    default threshold of a model that was lucky on these rows seems too good as well.
    """
    choose = HullProcedure(rows, case)
    seen = float(case.cost(best.fpr, best.tpr))
    choose.check([seen])
    default = np.asarray(rows.scores[best.classifier], dtype=float) >= defaults[best.classifier]
    rates = (count / total for count, total in zip(rows.count(default), rows.totals, strict=True))
    apparent = [seen, float(case.cost(*rates)), 0.0]
    decide = choose.beside(defaults, best.classifier)
    cost, beside, both = _estimate_costs(
        rows, [case] * 3, decide, apparent, 0.95, 0, choose.repetitions
    )
    if both.alarms is None:  # too few rows
        return cost, beside, np.zeros(len(rows))
    return cost, beside, both.alarms


@dataclass(frozen=True, slots=True)
class CornerCost:
    """What a choice costs at one corner of ranges of conditions, beside its default threshold.

    `default` is what the model of the choice costs at its default threshold, with how often each
    row alarms by both; None if it has none.
    """

    case: Case
    cost: NewRowsCost
    default: tuple[NewRowsCost, FloatArray] | None = None


def regret_costs(
    rows: ScoredRows | None,
    corners: Sequence[Case],
    best: OperatingPoint,
    defaults: Mapping[str, float],
) -> list[CornerCost]:
    """Estimate what the choice with the least worst regret costs at the corners of its ranges."""
    level = 0.95
    seen = [float(case.cost(best.fpr, best.tpr)) for case in corners]
    if best.is_trivial:
        return [CornerCost(case, _known_cost(case, best, level)) for case in corners]
    if rows is None:
        lost = [NewRowsCost(cost, confidence=level, note=NOT_KEPT) for cost in seen]
        return [CornerCost(*each) for each in zip(corners, lost, strict=True)]
    if most_parts(rows, FIFTHS) < HALVES:
        few = [_too_few(rows, cost, level) for cost in seen]
        return [CornerCost(*each) for each in zip(corners, few, strict=True)]
    choose = RegretProcedure(rows, *corners)
    choose.check([best.value])
    if best.classifier not in defaults:
        repeated = _Repeated(rows, choose, 1, choose.repetitions, 0)
        return [
            CornerCost(case, repeated.cost(0, case, cost, level))
            for case, cost in zip(corners, seen, strict=True)
        ]
    decide = choose.beside(defaults, best.classifier)
    repeated = _Repeated(rows, decide, 3, choose.repetitions, 0)
    at_default = np.asarray(rows.scores[best.classifier], dtype=float) >= defaults[best.classifier]
    counts = zip(rows.count(at_default), rows.totals, strict=True)
    fpr, tpr = (count / total for count, total in counts)
    found = []
    for case, cost in zip(corners, seen, strict=True):
        default = repeated.cost(1, case, float(case.cost(fpr, tpr)), level)
        both = default, repeated.fifths[2]
        found.append(CornerCost(case, repeated.cost(0, case, cost, level), both))
    return found


def join_corners(costs: Sequence[NewRowsCost]) -> NewRowsCost:
    """Return the costs at the corners of ranges as one.

    Costs are linear in each of prevalence and costs, so their mean is the cost in the middle.
    """
    first, *others = costs
    known = [(each.expected, each.interval) for each in costs]
    pairs = [(cost, bounds) for cost, bounds in known if cost is not None and bounds is not None]
    if not others or len(pairs) < len(costs):
        return first if not others else replace(first, apparent=None)
    expected, intervals = zip(*pairs, strict=True)
    return replace(
        first,
        apparent=float(np.mean([each.apparent for each in costs])),
        expected=float(np.mean(expected)),
        interval=outer_bounds(intervals),
        expected_range=Interval(min(expected), max(expected)),
    )


def outer_bounds(intervals: Sequence[Interval]) -> Interval:
    """Return the interval from the lowest to the highest bound."""
    return Interval(min(each.low for each in intervals), max(each.high for each in intervals))


class HullProcedure:
    """The choice of the cheapest vertex of the joint hull, repeated on some of the rows.

    It is made for each of several conditions. Scores are sorted once; choices take O(rows x models
    x conditions).
    """

    def __init__(self, rows: ScoredRows, *cases: Case) -> None:
        self.rows, self.cases = rows, cases
        self.alarm, self.miss = np.array([case.weights for case in cases]).T
        self._orders = []
        for name in sorted(rows.scores):
            scores = np.asarray(rows.scores[name], dtype=np.float64)
            order = np.argsort(-scores, kind="stable")
            falling = scores[order]
            ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
            self._orders.append((scores, order, ends))

    def check(self, costs: Sequence[float]) -> None:
        """Refuse rows on which the choices cost something else: they have changed."""
        every = np.arange(len(self.rows))
        for alarms, case, seen in zip(self(every, every), self.cases, costs, strict=True):
            counts = zip(self.rows.count(alarms), self.rows.totals, strict=True)
            cost = float(case.cost(*(count / total for count, total in counts)))
            slack = SAME_GAIN * sum(case.weights)
            if not math.isclose(cost, seen, rel_tol=1e-9, abs_tol=slack):
                raise changed_rows("changed ones")

    @property
    def repetitions(self) -> int:
        """How often rows are cut into parts, by the amount of work."""
        scores = max(1, len(self.rows) * len(self.rows.scores))
        return max(1, min(MOST_REPETITIONS, WORK // ((FIFTHS + HALVES) * scores)))

    def __call__(self, train: IntArray, test: IntArray) -> BoolArray:
        """Choose on training rows, and return which test rows alarm, a row for each condition."""
        present, chosen = self._choose(train)
        found = {each: self._apply(present, *each, test) for each in set(chosen)}
        return np.array([found[each] for each in chosen])

    def beside(
        self, defaults: Mapping[str, float], fallback: str
    ) -> Callable[[IntArray, IntArray], BoolArray]:
        """Return a procedure that also applies the default threshold of the chosen model.

        It returns the alarms of the choice, those of the default, and those of both, under one
        condition. Where the choice has no default, that of the `fallback` is applied.
        """
        names = sorted(self.rows.scores)

        def decide(train: IntArray, test: IntArray) -> BoolArray:
            present, ((model, place),) = self._choose(train)
            name = names[model] if model >= 0 and names[model] in defaults else fallback
            alarms = self._apply(present, model, place, test)
            default = self._orders[names.index(name)][0][test] >= defaults[name]
            return np.array([alarms, default, alarms & default])

        return decide

    def _choose(self, train: IntArray) -> tuple[IntArray, list[tuple[int, int]]]:
        """Return the training rows' units, and the model and place of each condition's choice."""
        present, negatives, positives = self._present(train)
        miss, alarm = self.miss[:, None] / positives, self.alarm[:, None] / negatives
        slack = SAME_GAIN * (self.alarm + self.miss)
        # the best so far, at first never alarming: gain, false positives, model and place
        gain, fewest = np.zeros(slack.size), np.zeros(slack.size, dtype=np.int64)
        model, place = np.full(slack.size, -1), np.zeros(slack.size, dtype=np.int64)
        for number, (false, hits) in enumerate(self._counts(present)):
            gains = hits * miss - false * alarm
            top = gains.max(axis=1)
            first = np.argmax(gains >= (top - slack)[:, None], axis=1)
            better = top > gain + slack
            better |= (top >= gain - slack) & (false[first] < fewest)
            gain, fewest = np.where(better, top, gain), np.where(better, false[first], fewest)
            model, place = np.where(better, number, model), np.where(better, first, place)
        return present, list(zip(model.tolist(), place.tolist(), strict=True))

    def _present(self, train: IntArray) -> tuple[IntArray, int, int]:
        """Return the units of training rows, 0 of others, and the totals of both classes."""
        units = self.rows.units[0]
        present = np.zeros(len(self.rows), dtype=np.int64)
        present[train] = 1 if units is None else units[train]
        positives = int(present[self.rows.positive].sum())
        return present, int(present.sum()) - positives, positives

    def _counts(self, present: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Count false and true positives at the places of each model."""
        for _, order, ends in self._orders:
            drawn = present[order]
            hits = np.cumsum(drawn * self.rows.positive[order])[ends]
            yield np.cumsum(drawn)[ends] - hits, hits

    def _apply(self, present: IntArray, model: int, place: int, test: IntArray) -> BoolArray:
        if model < 0:
            return np.zeros(test.size, dtype=bool)
        scores, order, ends = self._orders[model]
        drawn = present[order] > 0
        after = ends[place] + 1
        if not drawn[after:].any():
            return np.ones(test.size, dtype=bool)
        lowest = after - 1 - int(np.argmax(drawn[:after][::-1]))
        next_lower = after + int(np.argmax(drawn[after:]))
        threshold = midpoint(float(scores[order[lowest]]), float(scores[order[next_lower]]))
        return np.asarray(scores[test] >= threshold)


class RegretProcedure(HullProcedure):
    """The choice of the least worst regret over all conditions, repeated on some of the rows.

    It looks at all thresholds, as `RocHull.best(MinimaxRegret(...))` does without a coin.
    """

    def check(self, costs: Sequence[float]) -> None:
        """Refuse rows on which the choice has another worst regret: they have changed."""
        regret, _, _ = self._least(*self._present(np.arange(len(self.rows))))
        (seen,) = costs
        slack = SAME_GAIN * float(np.max(self.alarm + self.miss))
        if not math.isclose(regret, seen, rel_tol=1e-9, abs_tol=slack):
            raise changed_rows("changed ones")

    @property
    def repetitions(self) -> int:
        """How often rows are cut into parts, by the amount of work."""
        scores = max(1, len(self.rows) * len(self.rows.scores) * len(self.cases))
        return max(1, min(MOST_REPETITIONS, WORK // ((FIFTHS + HALVES) * scores)))

    def _choose(self, train: IntArray) -> tuple[IntArray, list[tuple[int, int]]]:
        present, negatives, positives = self._present(train)
        _, model, place = self._least(present, negatives, positives)
        return present, [(model, place)]

    def _least(self, present: IntArray, negatives: int, positives: int) -> tuple[float, int, int]:
        """Return the least worst regret, and the model and place that reach it."""
        paths = [
            (np.append(0, false) / negatives, np.append(0, hits) / positives)
            for false, hits in self._counts(present)
        ]
        worst = worst_regret(self.cases, paths)
        found = []
        for number, (fpr, tpr) in enumerate(paths):
            regret = worst(fpr, tpr)
            equal = np.flatnonzero(regret == regret.min())
            first = int(equal[np.lexsort((-tpr[equal], fpr[equal]))[0]])
            found.append((float(regret[first]), fpr[first], -tpr[first], number, first))
        regret, _, _, number, first = min(found)
        return regret, number if first else -1, max(first - 1, 0)  # the first place: never
