"""The answer to a question about a hull; the page's `compute.js` gives the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rocch.report.aim import Decider
from rocch.report.savings import compare_baselines, from_savings
from rocch.report.summary import (
    Answer,
    Baseline,
    Choice,
    Counts,
    Holds,
    NewRows,
    NewRowsTable,
    OnRows,
    Part,
    Standing,
    finite_or_text,
)
from rocch.report.words import CLASS_NAMES, TEXTS, sentence
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.criteria import LinearLimit, MinimaxRegret
from rocch.roc.guarantee_search import rate_bounds
from rocch.roc.hull import RocHull
from rocch.roc.knob import Knob
from rocch.roc.new_rows import (
    FIFTHS,
    HALVES,
    MOST_REPETITIONS,
    WORK,
    NewRowsCost,
    join_rows,
    vertex_costs,
)
from rocch.roc.operating_point import ClassTotals, OperatingPoint, RocPoint, end_name
from rocch.roc.question import Question
from rocch.roc.savings import Savings
from rocch.rows import ScoredRows
from rocch.stats.bands import rate_interval
from rocch.stats.decisions import BestProbabilities

# Rounding errors leave a chance this small where there is none.
SMALLEST_CHANCE = 1e-12

# A regret that is this small a part of the cost is a rounding error.
NO_REGRET = 1e-12

# Shares of weights that differ by less are the same.
SAME_SHARE = 1e-9

# Expected costs on new rows are tabulated at this many shares of weights, evenly in log odds up to
# these, and more closely around what the question states, where people look first: it jumps where
# the choice changes. There are fewer, or the question's own share alone, where choices would look
# at more scores than `TABLE_WORK`, and none for more than `MOST_SCORES`.
NODES, MOST_LOG_ODDS = 33, 7.0
CLOSE_NODES, CLOSE_LOG_ODDS = 64, 1.5
FEWEST_NODES, TABLE_WORK, MOST_SCORES = 9, 15 * 10**7, 5 * 10**6


def answer(
    hull: RocHull,
    question: Question,
    *,
    decider: Decider | None = None,
    new_rows: NewRowsTable | None = None,
    why_not: str = "no_rows",
    names: tuple[str, str] = CLASS_NAMES,
    baselines: tuple[Baseline, ...] = (),
    estimated: Savings | None = None,
    expected: NewRowsCost | None = None,
) -> Answer:
    """Answer a question about a hull.

    Parameters
    ----------
    hull
        The classifiers.
    question
        What is known, believed, limited or sought.
    decider
        The fitted model of the hull, if there is one.
    new_rows
        Expected costs on new rows; see `tabulate_new_rows`.
    why_not
        The name of the text that says why there are none; empty where a model aims for new rows.
    names
        What the sentence calls the negative class and the positive one.
    baselines
        What may be done today.
    estimated
        What the choice costs and saves on new rows; by default it is looked up, as far as it is
        known, and else counted on the evaluation rows.
    expected
        What to expect of the choice on new rows where that is not tabulated: within limits.

    Examples
    --------
    >>> import rocch
    >>> from rocch.report.answer import answer
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> question = rocch.Question(prevalence=0.1, false_positive=1, false_negative=(1, 3))
    >>> print(answer(hull, question).sentence)
    Use nb at 0.6, the best choice on the evaluation rows. It catches 50 of 100 positives, raises 0 false alarms per 100 negatives and costs 50 to 150 per 1,000 cases. It is the best choice for every cost in your range.
    """  # noqa: E501 - the output of an example is one line
    resolved = question.resolve(hull.totals)
    decider = decider or Decider(hull)
    found, aimed = decider.choose(resolved)
    bare = Answer(
        parts=tuple(_part(hull, share, point, aimed=aimed) for share, point in found.mix),
        fpr=found.fpr,
        tpr=found.tpr,
        **_rate_intervals(decider.totals_of(found, aimed=aimed), found),
        **_rate_bounds(decider, resolved, found),
        objective=found.objective,
        value=found.value,
        also_best=tuple(_part(hull, 1.0, other) for other in found.also_best if resolved.is_exact),
        randomizing_gains=finite_or_text(found.randomizing_gains),
        per_1000=_per_1000(found, resolved, hull.totals),
    )
    known = conditions_of(resolved, hull.totals)
    full = bare if known is None else _with_costs(hull, resolved, known, found, bare)
    if aimed:
        full = _with_aim(hull, resolved, found, full)
    else:
        full = _with_new_rows(hull, resolved, full, new_rows, why_not)
    if expected is not None and full.new_rows is None:
        full = _with_expected(full, expected)
    if known is not None:
        cases = [known.expected_case] if isinstance(known, Belief) else list(known.corners())
        full = replace(full, savings=compare_baselines(full, cases, baselines))
    full = full if estimated is None else _with_estimates(full, estimated)
    return replace(full, sentence=sentence(full, resolved, names))


def conditions_of(question: Question, totals: ClassTotals) -> Conditions | Belief | None:
    """Return what a question states or believes about costs, with an observed prevalence."""
    known = question.belief or question.conditions
    return None if known is None else known.resolved(totals)


def prevalence_of(question: Question, totals: ClassTotals) -> Interval | None:
    """Return the prevalence of a question: stated, of its population, or else observed."""
    share = question.balance
    if isinstance(share, str):
        if question.positives is not None and question.negatives is not None:
            share = question.positives / (question.positives + question.negatives)
        elif totals.pooled:
            return None
        else:
            share = totals.prevalence
    return share if isinstance(share, Interval) else Interval(share, share)


def _part(hull: RocHull, share: float, point: RocPoint, *, aimed: bool = False) -> Part:
    end = end_name(point.fpr, point.tpr)
    # a threshold that no evaluation row reaches may be reached by a new one
    if end is not None and not (aimed and isinstance(point.threshold, float)):
        kind: Any = end
        return Part(share, kind, end, "", "", (), point.fpr, point.tpr)
    scoring = {member.name: member.scoring for member in hull.members}
    return Part(
        share,
        "scores" if aimed or scoring.get(point.classifier, True) else "labels",
        point.classifier,
        point.written_threshold,
        exact_threshold(point),
        tuple(dict.fromkeys(name for name in point.classifiers if name != point.classifier)),
        point.fpr,
        point.tpr,
    )


def exact_threshold(point: RocPoint) -> str:
    """Write the deployed threshold to its last digit; an empty text where it is no score."""
    threshold = point.threshold
    return repr(threshold) if isinstance(threshold, float) else ""


def _rate_intervals(totals: ClassTotals, found: OperatingPoint) -> dict[str, Any]:
    """Return intervals of both rates, where counts of rows stand behind them."""
    if totals.weighted or totals.pooled or found.randomized:
        return {}
    point = found.point
    counts = (point.false_positives, totals.negatives), (point.true_positives, totals.positives)
    fpr, tpr = (Interval(*rate_interval(k, n, method="wilson")) for k, n in counts)
    return {"fpr_interval": fpr, "tpr_interval": tpr}


def _rate_bounds(decider: Decider, question: Question, found: OperatingPoint) -> dict[str, Any]:
    """Return one-sided bounds of rates that are limited with a confidence."""
    limited = [name for name in ("max_fpr", "min_tpr") if name in question.given]
    if question.confidence is None or not limited or found.guarantee is None:
        return {}
    point = found.point
    counts = np.array([point.false_positives]), np.array([point.true_positives])
    high, low = rate_bounds(decider.certifying_hull, counts, found.guarantee.level)
    bounds = {"fpr_bound": float(high[0]), "tpr_bound": float(low[0])}
    if end_name(point.fpr, point.tpr) is not None:  # its rates are known
        bounds = {"fpr_bound": point.fpr, "tpr_bound": point.tpr}
    names = {"max_fpr": "fpr_bound", "min_tpr": "tpr_bound"}
    return {names[name]: bounds[names[name]] for name in limited}


def _per_1000(found: OperatingPoint, question: Question, totals: ClassTotals) -> Counts | None:
    prevalence = prevalence_of(question, totals)
    if prevalence is None:
        return None
    ends = [found.counts(cases=1000, prevalence=share) for share in prevalence]
    return Counts(**{name: Interval(*sorted((ends[0][name], ends[1][name]))) for name in ends[0]})


# ---- costs and regrets --------------------------------------------------------------------------


def _with_costs(
    hull: RocHull,
    question: Question,
    known: Conditions | Belief,
    found: OperatingPoint,
    bare: Answer,
) -> Answer:
    """Add what costs and regrets say."""
    low, high = map(finite_or_text, known.slope_range)
    limits, choices = _limits(question, hull.totals), _choices(hull, known)
    full = replace(bare, slopes=(low, high), choices=choices, cost=_cost(known, found))
    if question.is_exact:
        return full
    if isinstance(known, Belief):
        full = replace(full, expected_regret=found.value)
    if question.confidence is not None:  # against what is guaranteed too
        is_regret = isinstance(known, Conditions) and question.maximize is None
        worst_regret = found.value if is_regret else None
        scale = abs(full.cost.high) if full.cost else 1.0
        holds = worst_regret is not None and worst_regret <= NO_REGRET * scale
        full = replace(full, worst_regret=worst_regret)
        return replace(full, holds="throughout" if holds else "depends")
    if is_bounded(known):
        reachable = hull.reachable(limits, randomize=question.randomize)
        worst = MinimaxRegret(known).objective(hull.totals, lambda: reachable)
        full = replace(full, worst_regret=max(0.0, -float(worst.score(found.fpr, found.tpr))))
    places = [choice.vertex for choice in choices]
    rates = hull.fpr[places], hull.tpr[places]
    if any((limit.excess(*rates) > 0).any() for limit in limits):  # they forbid what could be best
        scale = abs(full.cost.high) if full.cost else 1.0
        regret = math.inf if full.worst_regret is None else full.worst_regret
        return replace(full, holds="throughout" if regret <= NO_REGRET * scale else "depends")
    if isinstance(known, Belief):
        chance = BestProbabilities.of(hull, known).of_point(found.mix[0][1])[0]
        full = replace(full, chance=chance, standings=believed_standings(hull, known))
    return replace(full, holds=_holds(hull, choices, full.parts[0]))


def is_bounded(known: Conditions | Belief) -> bool:
    """Whether all possible costs are finite, so that there is a worst regret."""
    return isinstance(known, Conditions) or known.bounded


def _limits(question: Question, totals: ClassTotals) -> tuple[LinearLimit, ...]:
    criterion = question.criterion
    return () if isinstance(criterion, Knob) else criterion.resolved(totals).limits


def _cost(known: Conditions | Belief, found: OperatingPoint) -> Interval:
    if isinstance(known, Belief):
        expected = float(found.expected_cost or 0.0)
        return Interval(expected, expected)
    costs = [float(case.cost(found.fpr, found.tpr)) for case in known.corners()]
    return Interval(min(costs), max(costs))


def _choices(hull: RocHull, known: Conditions | Belief) -> tuple[Choice, ...]:
    """Return every vertex that is best for part of the slopes, from the lowest to the highest."""
    low, high = known.slope_range
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    places = hull.best_for_stretch(low, high)
    regrets: list[float | None] = [None] * len(hull)
    chances: list[float | None] = [None] * len(hull)
    if low < high and is_bounded(known):
        worst = MinimaxRegret(known).objective(hull.totals, hull.reachable)
        regrets = list(-worst.score(hull.fpr, hull.tpr) + 0.0)
    if isinstance(known, Belief):
        masses = BestProbabilities.of(hull, known)
        ties = np.concatenate(([0.0], masses.ties, [0.0]))
        chances = np.minimum(masses.alone + ties[:-1] + ties[1:], 1.0).tolist()
    return tuple(
        Choice(
            i,
            max(low, min(edges[i + 1], high)),
            finite_or_text(min(high, max(edges[i], low))),
            None if regrets[i] is None else float(regrets[i] or 0.0),
            chances[i],
        )
        for i in reversed(places)
    )


def _holds(hull: RocHull, choices: tuple[Choice, ...], part: Part) -> Holds:
    """Return whether one setting, or the classifier to use, is best throughout."""
    if len(choices) == 1:
        return "throughout"
    names = [hull.vertices[choice.vertex].classifiers for choice in choices]
    return "threshold" if all(part.classifier in holders for holders in names) else "depends"


def believed_standings(hull: RocHull, belief: Belief) -> tuple[Standing, ...]:
    """Return how much of what is believed lies where each classifier wins, the most first."""
    rows = list(reversed(hull.slope_ranges()))
    edges = np.array([1 / (1 + row.high) for row in rows] + [1.0])
    upto = belief.cumulative_mass(edges[1:])
    masses: dict[str, float] = {}
    for row, mass in zip(rows, np.diff(upto, prepend=0.0).tolist(), strict=True):
        masses[row.classifier] = masses.get(row.classifier, 0.0) + max(0.0, mass)
    ranked = sorted(masses.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Standing(name, mass) for name, mass in ranked if mass > SMALLEST_CHANCE)


# ---- new rows -----------------------------------------------------------------------------------
# The expected cost on new rows depends on the weights of both errors alone: on the miss's share of
# them, and on their sum as a unit. So a table over shares answers every question.


def case_of(question: Question, totals: ClassTotals) -> Case | None:
    """Return the exact or expected conditions of a question without limits, if it has some."""
    criterion = question.resolve(totals).criterion
    if isinstance(criterion, Knob) or criterion.resolved(totals).limits:
        return None
    known = conditions_of(question, totals)
    if isinstance(known, Belief):
        return known.expected_case
    return known.case if known is not None and known.exact else None


def tabulate_new_rows(hull: RocHull, question: Question) -> tuple[NewRowsTable | None, str]:
    """Return expected costs on new rows over the shares of weights, and the question's own.

    Without such costs the table is None, and a text's name says why.
    """
    case = case_of(question, hull.totals)
    own = [] if case is None or not sum(case.weights) else [case.weights[1] / sum(case.weights)]
    rows = None if hull.totals.pooled else join_rows([member.rows for member in hull.members])
    if rows is None:
        return None, "no_rows"
    if len(rows) * len(rows.scores) > MOST_SCORES:
        return None, "many_rows"
    known = conditions_of(question, hull.totals)
    stated = None if known is None else known.slope_range
    apart = (s for s in _shares(rows, stated) if all(abs(s - mine) > SAME_SHARE for mine in own))
    grid = sorted({*apart, *own})
    if not grid:
        return None, "off_table"
    cases = [Case(share, 1.0, 1.0) for share in grid if 0 < share < 1]
    # conditions whose weights sum to 1, with this share of the misses
    errors = {"false_positive": 1, "false_negative": 1}
    best = [hull.best(Conditions(prevalence=case.prevalence, **errors)) for case in cases]
    found = vertex_costs(rows, cases, best)
    sure = [each for each in found if each.expected is not None and each.interval is not None]
    if not sure or len(sure) < len(found):
        return None, "few_rows"
    columns: Any = zip(*((each.expected, *(each.interval or ())) for each in sure), strict=True)
    return NewRowsTable(tuple(case.prevalence for case in cases), *columns), ""


def _shares(rows: ScoredRows, stated: tuple[float, float] | None) -> list[float]:
    """Return the shares of the table: fewer for much work, and none for too much.

    They are closer around slopes that are stated.
    """
    scores = len(rows) * len(rows.scores)
    once = max(1, min(WORK, MOST_REPETITIONS * (FIFTHS + HALVES) * scores))
    most = TABLE_WORK // once
    if most < FEWEST_NODES:
        return []
    wide = min(NODES, most if stated is None else max(FEWEST_NODES, most // 3))
    log_odds = np.linspace(-MOST_LOG_ODDS, MOST_LOG_ODDS, wide)
    if stated is not None and most > wide:
        with np.errstate(divide="ignore"):
            low, high = sorted(-np.log(stated))
        ends = np.array([low - CLOSE_LOG_ODDS, high + CLOSE_LOG_ODDS])
        low, high = np.clip(ends, -MOST_LOG_ODDS, MOST_LOG_ODDS).tolist()
        log_odds = np.append(log_odds, np.linspace(low, high, min(CLOSE_NODES, most - wide)))
    odds = np.exp(log_odds)
    return list(map(float, odds / (1 + odds)))


def _with_new_rows(
    hull: RocHull,
    question: Question,
    answer: Answer,
    table: NewRowsTable | None,
    why_not: str,
) -> Answer:
    case = case_of(question, hull.totals)
    if case is None:
        limited = bool(_limits(question, hull.totals))
        vague = why_not if table is None and why_not else "vague"
        note = "no_cost" if answer.cost is None else "bound" if limited else vague
        return replace(answer, new_rows_note=TEXTS[note])
    if answer.parts[0].kind in ("never", "always"):  # its rates are known
        cost = float(case.cost(answer.fpr, answer.tpr))
        return replace(answer, new_rows=NewRows(cost, cost, cost))
    if table is None:
        return replace(answer, new_rows_note=TEXTS[why_not])
    found = look_up(table, case)
    note = "" if found is not None else TEXTS["off_table"]
    return replace(answer, new_rows=found, new_rows_note=note)


def _with_aim(hull: RocHull, question: Question, found: OperatingPoint, answer: Answer) -> Answer:
    """Say what a choice that is aimed for new rows costs there, and what is best on these rows.

    Regrets and chances compare with the hull, and so speak of choices on the evaluation rows.
    """
    own = hull.best(question)
    return replace(
        answer,
        new_rows=NewRows.of(found.on_new_rows),
        on_rows=OnRows(_part(hull, *own.mix[0]), float(own.expected_cost or 0.0)),
        worst_regret=None,
        expected_regret=None,
        chance=None,
        holds="exact" if question.is_exact else "depends",
    )


def _with_estimates(answer: Answer, estimated: Savings) -> Answer:
    """Replace what was counted by what is estimated for new rows, where something is."""
    expected = NewRows.of(estimated.per(1))
    if expected is None:
        return answer
    savings = from_savings(estimated)
    return replace(answer, new_rows=expected, new_rows_note="", savings=savings)


def _with_expected(answer: Answer, expected: NewRowsCost) -> Answer:
    """Add the cost to expect on new rows if it is one number, and the rates."""
    cost = NewRows.of(expected) if expected.expected_range is None else None
    note = answer.new_rows_note if expected.rates is None else str(expected.rates)
    return replace(answer, new_rows=cost, new_rows_note=note)


def look_up(table: NewRowsTable, case: Case) -> NewRows | None:
    """Return the expected cost of a case by linear interpolation; None beyond the table."""
    alarm, miss = case.weights
    unit, base = alarm + miss, float(case.cost(0.0, 1.0))
    share = miss / unit
    if not table.share[0] - SAME_SHARE <= share <= table.share[-1] + SAME_SHARE:
        return None
    columns = (table.expected, table.low, table.high)
    expected, low, high = (
        base + unit * float(np.interp(share, table.share, column)) for column in columns
    )
    return NewRows(expected, low, high, slack=unit * _slack(table, share))


def _slack(table: NewRowsTable, share: float) -> float:
    """Return how far an interpolated cost may be off: as far as nodes nearby are from a line."""
    shares, costs = table.share, table.expected
    if any(abs(each - share) <= SAME_SHARE for each in shares):
        return 0.0
    place = sum(each < share for each in shares)
    near = range(max(1, place - 2), min(len(shares) - 1, place + 2))
    return max((_bend(shares, costs, i) for i in near), default=0.0)


def _bend(x: Sequence[float], y: Sequence[float], i: int) -> float:
    """Return how far a node lies from the line between its neighbors."""
    part = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1])
    return abs(y[i] - (y[i - 1] + part * (y[i + 1] - y[i - 1])))
