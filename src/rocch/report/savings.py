"""What a recommendation saves against today's practice, as far as a report knows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocch.arrays import BoolArray
from rocch.hybrid.expression import STACK
from rocch.hybrid.hybrid import STACK_AT_HALF
from rocch.report.aim import Decider
from rocch.report.summary import Answer, Baseline, Compared, NewRows
from rocch.roc.conditions import Case, Interval
from rocch.roc.operating_point import ALWAYS, NEVER
from rocch.roc.savings import HALF, Comparison, Saving, Savings, probable_defaults
from rocch.rows import ScoredRows

TRIVIAL = {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}


def find_baselines(
    decider: Decider, today: Any = None, model: str | None = None
) -> tuple[Baseline, ...]:
    """Return what may be done today, with its rates on the evaluation rows.

    That is today's rule if it is given, each classifier at the threshold of its `predict`, never
    and always alarming.

    Parameters
    ----------
    decider
        The classifiers.
    today
        Today's rule, as `OperatingPoint.savings` takes it.
    model
        The classifier of a threshold that is given alone.
    """
    rows, hybrid = decider.rows, decider.hybrid
    found, present = [], None
    if today is not None:
        no_cost: Any = None  # a rule is read without any
        rule = Comparison(no_cost, no_cost, rows, model, defaults=_defaults(rows, hybrid))
        name, present = rule.read_baseline(today, None)
        found.append(_baseline(name, "", rows, present))
    for name, threshold in _defaults(rows, hybrid).items():
        words = STACK_AT_HALF if name == STACK else f"{name} at threshold {threshold:g}"
        scores: Any = None if rows is None else rows.scores[name]
        if present is None or not np.array_equal(present, scores >= threshold):
            found.append(_baseline(words, name, rows, scores >= threshold))
    found += [Baseline(f"{name} alarming", "", *rates) for name, rates in TRIVIAL.items()]
    return tuple(found)


def _defaults(rows: ScoredRows | None, hybrid: Any) -> dict[str, float]:
    """Return the thresholds at which `predict` decides."""
    if rows is None:
        return {}
    if hybrid is None:
        return probable_defaults(rows)
    found = {
        name: HALF if part.kind == "probability" else 0.0
        for name, part in hybrid.components.items()
        if part.scoring and name in rows.scores
    }
    return found | ({STACK: 0.0} if STACK in rows.scores else {})  # log odds


def _baseline(name: str, classifier: str, rows: ScoredRows | None, alarms: BoolArray) -> Baseline:
    if rows is None:
        raise RuntimeError("a rule needs rows")
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    rates = (
        float(np.average(alarms[of], weights=weights[of])) for of in (~rows.positive, rows.positive)
    )
    return Baseline(name, classifier, *rates)


def compare_baselines(
    answer: Answer, cases: list[Case], baselines: tuple[Baseline, ...]
) -> tuple[Compared, ...]:
    """Return what an answer saves, by looking up rates; a page does the same.

    Baselines have known rates. With one case, the answer costs what is expected of it on new rows;
    with several, the least and the greatest saving are of the evaluation rows.
    """
    used = {part.classifier for part in answer.parts}
    fitting = [each for each in baselines if each.classifier in ("", *used)]
    order = sorted(fitting, key=lambda each: _mean_cost(cases, each) if _is_trivial(each) else -1.0)
    compared = (_compared(answer, cases, each) for each in order)
    return tuple(each for each in compared if each.saves != (0, 0))


def _is_trivial(baseline: Baseline) -> bool:
    return not baseline.classifier and (baseline.fpr, baseline.tpr) in TRIVIAL.values()


def _mean_cost(cases: list[Case], baseline: Baseline) -> float:
    return sum(float(case.cost(baseline.fpr, baseline.tpr)) for case in cases) / len(cases)


def _compared(answer: Answer, cases: list[Case], baseline: Baseline) -> Compared:
    costs = [float(case.cost(baseline.fpr, baseline.tpr)) for case in cases]
    cost = Interval(min(costs), max(costs))
    expected: NewRows | None = answer.new_rows
    if expected is None or len(cases) > 1:
        own = [float(case.cost(answer.fpr, answer.tpr)) for case in cases]
        saved = [mine - chosen for mine, chosen in zip(costs, own, strict=True)]
        middle = sum(saved) / len(saved)
        return Compared(baseline.name, cost, Interval(min(saved), max(saved)), middle, None)
    saves = cost.low - expected.expected
    bounds = None
    if _is_trivial(baseline) and expected.low < expected.high:
        bounds = Interval(cost.low - expected.high, cost.low - expected.low)
    same = Interval(saves, saves)
    return Compared(baseline.name, cost, same, saves, bounds, slack=expected.slack)


def from_savings(savings: Savings) -> tuple[Compared, ...]:
    """Return what is known of savings on new rows, per case."""
    return tuple(map(_from_saving, savings.per(1).rows))


def _from_saving(row: Saving) -> Compared:
    cost = row.cost_range or Interval(row.cost, row.cost)
    saves = row.saves_range or Interval(row.saves, row.saves)
    bounds = None if row.saves_interval == saves else row.saves_interval
    return Compared(row.baseline, cost, saves, row.saves, bounds, alike=row.alike)
