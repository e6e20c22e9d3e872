"""What the page of a report on several classes shows before a script runs, as texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rocch.numbers import fixed, money, per_100, significant
from rocch.report.many_classes.summary import ManyClassesSummary, Model
from rocch.report.many_classes.texts import TEXTS
from rocch.report.many_classes.words import cost_note, label, relative, rule_of, use
from rocch.report.words import counted, percent

# With more classes the costs of single errors have no room; those of classes do.
MOST_IN_GRID = 12
MOST_PANELS = 12
# Tables have a column for the misses of each of this many classes.
FEW = 6


def multiclass_view(summary: ManyClassesSummary) -> dict[str, Any]:
    """Return what the template shows besides the summary itself."""
    names = [each.name for each in summary.classes]
    member, models = summary.answer.member, _names(summary)
    head = use(summary.members, member, models, summary.question)
    costs = summary.members.costs[member]
    rule = rule_of(summary.members, member, models, tuple(names))
    return {
        "wide": len(names) > FEW,
        "grid": len(names) <= MOST_IN_GRID,
        "spatial": summary.surface is not None and len(names) >= 3,
        "few": names if len(names) <= FEW else [],
        "groups": [
            f"{names[start]} to {names[min(start + MOST_PANELS, len(names)) - 1]}"
            for start in range(0, len(names), MOST_PANELS)
        ],
        "headline": (head, summary.answer.sentence.removeprefix(head)),
        "facts": _facts(summary),
        "per_1000": _per_1000(summary),
        "rule_kind": summary.members.kind[member],
        "own_costs": _own_costs(names, costs or (0.0,) * len(names) ** 2),
        "rule": {"words": summary.answer.rule, "python": rule.to_python(), "sql": rule.to_sql()},
        "judged": [_judged(model, names) for model in summary.models if model.confusion],
        "dominated": _dominated(summary),
        "appendix": _appendix(summary),
    }


def rows_of_1000(number: float) -> str:
    """Write how many of 1,000 rows: whole numbers from 10 on, one decimal below.

    Examples
    --------
    >>> from rocch.report.multiclass_view import rows_of_1000
    >>> rows_of_1000(0), rows_of_1000(3.14), rows_of_1000(9.97)
    ('0', '3.1', '10')
    """
    return fixed(number, 0 if number >= 9.95 or number == 0 else 1)


def _names(summary: ManyClassesSummary) -> tuple[str, ...]:
    return tuple(model.name for model in summary.models)


def _facts(summary: ManyClassesSummary) -> dict[str, str]:
    found, members, models = summary.answer, summary.members, _names(summary)
    facts = {
        "cost": money(100 * found.cost),
        "cost-note": cost_note(found),
        "wrong": per_100(found.error_rate),
        "always": money(100 * found.always_cost),
        "always-note": label(members, found.always, models, summary.question),
    }
    if found.plain is not None and found.plain_cost is not None:
        best = {"model": models[members.model[found.plain]]}
        facts |= {
            "plain": money(100 * found.plain_cost),
            "plain-note": TEXTS["best_model"].fill(best),
        }
    return facts


def _matrix(
    names: Sequence[str], texts: Sequence[Sequence[str]], heats: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    """Return a square table; errors are tinted by their heat, from 0 to 1."""
    kinds = [
        ["hit" if k == j else "wrong" if heat > 0 else "none" for j, heat in enumerate(row)]
        for k, row in enumerate(heats)
    ]
    return [
        {
            "name": name,
            "cells": [
                {"text": text, "kind": kind, "heat": round(6 + 54 * heat)}
                for text, kind, heat in zip(*row, strict=True)
            ],
        }
        for name, *row in zip(names, texts, kinds, heats, strict=True)
    ]


def _per_1000(summary: ManyClassesSummary) -> list[dict[str, Any]]:
    found = summary.answer
    totals = [sum(row) or 1.0 for row in found.per_1000]
    heats = [
        [number / total for number in row]
        for row, total in zip(found.per_1000, totals, strict=True)
    ]
    texts = [list(map(rows_of_1000, row)) for row in found.per_1000]
    rows = _matrix([each.name for each in summary.classes], texts, heats)
    return [
        {**row, "missed": percent(missed)}
        for row, missed in zip(rows, found.miss_rates, strict=True)
    ]


def _own_costs(names: Sequence[str], costs: tuple[float, ...]) -> list[dict[str, Any]]:
    size, most = len(names), max(costs) or 1.0
    texts, heats = relative(costs), [0.6 * cost / most for cost in costs]
    starts = range(0, size * size, size)
    return _matrix(
        names, [texts[at : at + size] for at in starts], [heats[at : at + size] for at in starts]
    )


def _judged(model: Model, names: Sequence[str]) -> dict[str, Any]:
    """Return the confusion matrix of a model's most likely classes, and its calibration."""
    counts = model.confusion or ()
    worst = significant(max(model.calibration or (0.0,)), 2)
    texts = [list(map(counted, row)) for row in counts]
    heats = [[count / (sum(row) or 1) for count in row] for row in counts]
    return {
        "name": model.name,
        "rows": _matrix(names, texts, heats),
        "calibration": f"The probabilities are off by {worst} on average for the worst calibrated "
        "class.",
    }


def _dominated(summary: ManyClassesSummary) -> str:
    if summary.surface is None or summary.surface.dominated is None:
        return ""
    share, error = summary.surface.dominated.value, summary.surface.dominated.standard_error
    kind = "every kind of error" if summary.surface.objectives == "rates" else "the miss rates"
    return (
        f"The surface dominates {percent(share)} (standard error {percent(error)}) of what lies "
        f"below random predictions, trading off {kind}: its G."
    )


def _appendix(summary: ManyClassesSummary) -> str:
    shown = 0 if summary.surface is None else summary.surface.shown
    every = 0 if summary.surface is None else summary.surface.members
    kept = f" (kept of {counted(every)})" if shown < every else ""
    return (
        f"{counted(len(summary.members.model))} ways to predict are in this file: "
        f"{counted(shown)} members of the surface{kept}, plain rules, and single predictions. "
        "The cheapest for what the controls say:"
    )
