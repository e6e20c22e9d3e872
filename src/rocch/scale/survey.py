"""The first pass: how many rows there are, where their scores lie, and what is wrong with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from rocch.errors import bad_input, shown
from rocch.inputs import LARGEST_EXACT_INTEGER, is_missing
from rocch.kernels.weights import unit_exponent
from rocch.scale.engine import collected
from rocch.scale.table import LABEL, POSITIVE, WEIGHT, group_column, missing, score_column

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.scale.engine import AnyArray, Frame
    from rocch.scale.table import ScoreTable

MEND = "Mend or drop those rows, or pass drop_nulls=True."


@dataclass(frozen=True, slots=True)
class Survey:
    """What a plain scan tells about a table.

    Attributes
    ----------
    groups
        The groups' keys, sorted; one empty key where there are none.
    rows
        Rows in each group.
    low, high
        The least and greatest finite score of each classifier (0 where there is none).
    exponent
        The unit of weights, as an exponent of two.
    """

    groups: tuple[tuple[Any, ...], ...]
    rows: IntArray
    low: FloatArray
    high: FloatArray
    exponent: int = 0


def survey(table: ScoreTable, *, both_classes: bool = True) -> Survey:
    """Scan a table once, and refuse what cannot be used.

    Both classes must occur in every group, unless it is said that they need not.
    """
    found = [_facts(table, frame) for frame in table.frames]
    facts = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
    if not facts["rows"].size or not facts["rows"].sum():
        raise bad_input("frame", "have at least one row", "none", "Pass the judged rows.")
    facts = {name: column[facts["rows"] > 0] for name, column in facts.items()}
    _check_labels(table, facts)
    _check_scores(table, facts)
    exponent = 0 if table.weight is None else _weight_unit(table, facts)
    groups, rows, positives = _grouped(table, facts)
    if both_classes:
        _check_classes(table, groups, rows, positives)
    ends = [_ends(facts, index) for index in range(len(table.names))]
    low, high = (np.array(column) for column in zip(*ends, strict=True))
    return Survey(groups, rows, low, high, exponent)


def _facts(table: ScoreTable, frame: Frame) -> dict[str, AnyArray]:
    """Ask an engine for everything at once, by groups if there are any."""
    kind = frame.collect_schema()[table.label]
    sums, least, most = _label_flags(table, kind), {}, {}
    if table.weight is not None:
        weight = nw.col(WEIGHT)
        unusable = missing(weight, nw.Float64()) | (weight < 0) | (weight == math.inf)
        sums["weight_unusable"] = unusable
        sums["weight_in_parts"] = weight != weight.floor()
        most["weight"] = weight
    for index in range(len(table.names)):
        score = nw.col(score_column(index))
        finite = nw.when((score > -math.inf) & (score < math.inf)).then(score)
        sums[f"missing_{index}"] = missing(score, nw.Float64())
        least[f"low_{index}"] = most[f"high_{index}"] = finite
    groups = [group_column(index) for index in range(len(table.by))]
    flags = {name: nw.when(flag).then(1).otherwise(0) for name, flag in sums.items()}
    rows = table.rows(frame, with_label=True).select(*groups, POSITIVE, **flags, **least, **most)
    totals = {
        "rows": nw.len(),
        **{name: nw.col(name).sum() for name in (POSITIVE, *sums)},
        **{name: nw.col(name).min() for name in least},
        **{name: nw.col(name).max() for name in most},
    }
    asked = rows.group_by(*groups).agg(**totals) if groups else rows.select(**totals)
    return collected(asked)


def _label_flags(table: ScoreTable, kind: Any) -> dict[str, nw.Expr]:
    label = nw.col(LABEL)
    flags = {"label_missing": missing(label, kind)}
    if table.pos_label is None and kind.is_numeric():
        flags["label_zero"], flags["label_minus"] = label == 0, label == -1
        flags["label_odd"] = ~((label == 0) | (label == 1) | (label == -1))
    return flags


def _check_labels(table: ScoreTable, facts: dict[str, AnyArray]) -> None:
    count = {name: int(column.sum()) for name, column in facts.items() if name[:5] == "label"}
    if count["label_missing"]:
        raise bad_input(
            "label",
            "have no missing values",
            f"{count['label_missing']} null or NaN in {table.label!r}",
            MEND,
        )
    both = count.get("label_zero", 0) and count.get("label_minus", 0)
    if count.get("label_odd", 0) or both:
        raise bad_input(
            "label",
            "hold truth values, 0 and 1, or -1 and 1",
            f"other values in {table.label!r}",
            "Name the positive class with pos_label.",
        )


def _check_scores(table: ScoreTable, facts: dict[str, AnyArray]) -> None:
    for index, (name, column) in enumerate(table.scores.items()):
        gone = int(facts[f"missing_{index}"].sum())
        if gone:
            raise bad_input(
                f"scores[{name!r}]",
                "have no missing values",
                f"{gone} null or NaN in {column!r}",
                MEND,
            )
        whole = any(frame.collect_schema()[column].is_integer() for frame in table.frames)
        if whole and max(map(abs, _ends(facts, index))) > LARGEST_EXACT_INTEGER:
            raise bad_input(
                f"scores[{name!r}]",
                "be integers below 2**53 in size, or floats",
                "larger integers, which doubles cannot tell apart",
                "Rank them first.",
            )


def _weight_unit(table: ScoreTable, facts: dict[str, AnyArray]) -> int:
    if facts["weight_unusable"].sum():
        raise bad_input(
            "weight",
            "be finite and not negative",
            f"{int(facts['weight_unusable'].sum())} others in {table.weight!r}",
            "Use 0 to leave a row out.",
        )
    largest, rows = float(facts["weight"].max()), int(facts["rows"].sum())
    if not largest:
        raise bad_input("weight", "leave both classes some weight", "0 in all rows", "Mend it.")
    return unit_exponent(largest, rows, whole=not facts["weight_in_parts"].sum())


def _grouped(
    table: ScoreTable, facts: dict[str, AnyArray]
) -> tuple[tuple[tuple[Any, ...], ...], IntArray, IntArray]:
    """Return the groups' keys, sorted, with rows and positives of each."""
    columns = [facts[group_column(index)].tolist() for index in range(len(table.by))]
    keys = list(zip(*columns, strict=True)) if columns else [()] * facts["rows"].size
    if any(is_missing(part) for key in keys for part in key):
        raise bad_input("by", "have no missing values", f"some in {shown(table.by)}", MEND)
    groups = tuple(sorted(set(keys)))
    place = {key: index for index, key in enumerate(groups)}
    where = np.array([place[key] for key in keys])
    rows, positives = (
        np.bincount(where, weights=facts[name].astype(np.float64)).astype(np.int64)
        for name in ("rows", POSITIVE)
    )
    return groups, rows, positives


def _check_classes(
    table: ScoreTable, groups: tuple[tuple[Any, ...], ...], rows: IntArray, positives: IntArray
) -> None:
    for key, all_rows, hits in zip(groups, rows.tolist(), positives.tolist(), strict=True):
        if hits in (0, all_rows):
            which = "positive" if hits else "negative"
            where = f" of group {shown(key)}" if key else ""
            raise bad_input(
                "label" if table.pos_label is None else "label, pos_label",
                "hold both classes",
                f"{all_rows} rows{where} that are all {which}",
                "A ROC curve needs at least one row of each class.",
            )


def _ends(facts: dict[str, AnyArray], index: int) -> tuple[float, float]:
    lows = [low for low in facts[f"low_{index}"].tolist() if not is_missing(low)]
    highs = [high for high in facts[f"high_{index}"].tolist() if not is_missing(high)]
    return (float(min(lows)), float(max(highs))) if lows else (0.0, 0.0)
