"""What the page on more than two classes shows before a script runs, as texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rocch.numbers import significant
from rocch.report.multiclass_figures import MOST_PANELS
from rocch.report.sections import rows_of_1000, yours_of
from rocch.report.summary import Model, MulticlassData
from rocch.report.words import (
    class_facts,
    class_on_rows,
    class_remark,
    class_use,
    counted,
    own_costs_note,
    percent,
    relative,
)

# With more classes the costs of single errors have no room; those of classes do.
MOST_IN_GRID = 12
# Tables have a column for the misses of each of this many classes.
FEW_CLASSES = 6


def multiclass_view(data: MulticlassData) -> dict[str, Any]:
    """Return what the template shows besides the summary itself."""
    names = [each.name for each in data.classes]
    models = [each.name for each in data.models]
    yours = yours_of(data)
    own = data.members.costs[data.answer.member]
    sentence = data.answer.sentence
    on_rows = class_on_rows(data.answer, data.members, models, names, yours)
    note = class_remark(data.answer.new_rows_note, on_rows)
    head = class_use(data.members, data.answer.member, models, names, yours)
    return {
        "wide": len(names) > FEW_CLASSES,
        "grid": len(names) <= MOST_IN_GRID,
        "spatial": data.surface is not None and len(names) >= 3,
        "few": names if len(names) <= FEW_CLASSES else [],
        "groups": [
            f"{names[start]} to {names[min(start + MOST_PANELS, len(names)) - 1]}"
            for start in range(0, len(names), MOST_PANELS)
        ],
        "headline": (head, sentence.removeprefix(head)),
        "facts": class_facts(data.answer, data.members, models, names, yours),
        "new_rows_remark": f"{note[:1].upper()}{note[1:]}." if note else "",
        "per_1000": _per_1000(data, names),
        "rule_kind": data.members.rule[data.answer.member],
        "own_note": own_costs_note(data.members, data.answer.member, yours),
        "own_costs": _own_costs(own or (0.0,) * len(names) ** 2, names),
        "judged": [_judged(model, names) for model in data.models if model.confusion],
        "dominated": _dominated(data),
        "appendix": _appendix(data),
    }


def _matrix(
    names: Sequence[str],
    rows: Sequence[Sequence[float]],
    texts: Sequence[Sequence[str]],
    whole: float = 0.0,
) -> list[dict[str, Any]]:
    """Return a square table; cells are tinted by their part of the row's sum, or of a whole."""
    return [
        {
            "name": name,
            "cells": [
                {
                    "text": text,
                    "kind": "hit" if k == j else "wrong" if number > 0 else "none",
                    "heat": round(6 + 48 * number / (whole or sum(row) or 1)),
                }
                for j, (number, text) in enumerate(zip(row, written, strict=True))
            ],
        }
        for k, (name, row, written) in enumerate(zip(names, rows, texts, strict=True))
    ]


def _per_1000(data: MulticlassData, names: Sequence[str]) -> list[dict[str, Any]]:
    numbers = data.answer.per_1000
    rows = _matrix(names, numbers, [list(map(rows_of_1000, row)) for row in numbers])
    return [
        {**row, "missed": percent(missed)}
        for row, missed in zip(rows, data.answer.miss_rates, strict=True)
    ]


def _own_costs(costs: tuple[float, ...], names: Sequence[str]) -> list[dict[str, Any]]:
    size, texts = len(names), relative(costs)
    starts = range(0, size * size, size)
    rows = [costs[at : at + size] for at in starts]
    written = [texts[at : at + size] for at in starts]
    return _matrix(names, rows, written, whole=(max(costs) or 1.0) / 0.6)


def _judged(model: Model, names: Sequence[str]) -> dict[str, Any]:
    """Return the confusion matrix of a model's most likely classes, and its calibration."""
    counts = model.confusion or ()
    worst = significant(max(model.calibration or (0.0,)), 2)
    return {
        "name": model.name,
        "rows": _matrix(names, counts, [list(map(counted, row)) for row in counts]),
        "calibration": f"The probabilities are off by {worst} on average for the worst calibrated "
        "class.",
    }


def _dominated(data: MulticlassData) -> str:
    if data.surface is None or data.surface.dominated is None:
        return ""
    share, error = data.surface.dominated.value, data.surface.dominated.standard_error
    kind = "every kind of error" if data.surface.objectives == "rates" else "the miss rates"
    return (
        f"The surface dominates {percent(share)} (standard error {percent(error)}) of what lies "
        f"below random predictions, trading off {kind}: its G."
    )


def _appendix(data: MulticlassData) -> str:
    shown, members = (0, 0) if data.surface is None else (data.surface.shown, data.surface.members)
    kept = f" (kept of {counted(members)})" if shown < members else ""
    return (
        f"{counted(len(data.members.model))} ways to predict are in this file: "
        f"{counted(shown)} members of the surface{kept}, rules by costs, and single classes. "
        "The cheapest for what the controls say:"
    )
