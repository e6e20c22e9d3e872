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
from rocch.scale.engine import collected, nan_is_greatest
from rocch.scale.table import LABEL, POSITIVE, WEIGHT, group_column, missing, score_column

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
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
    bounded
        Whether it has no infinite ones.
    exponent
        The unit of weights, as an exponent of two.
    """

    groups: tuple[tuple[Any, ...], ...]
    rows: IntArray
    low: FloatArray
    high: FloatArray
    bounded: BoolArray
    exponent: int = 0


def survey(table: ScoreTable, *, both_classes: bool = True) -> Survey:
    """Scan a table once, and refuse what cannot be used.

    Both classes must occur in every group, unless it is said that they need not.
    """
    found = [_facts(table, frame) for frame in table.frames]
    names = {name for each in found for name in each}
    facts = {
        name: np.concatenate([each[name][each["rows"] > 0] for each in found if name in each])
        for name in names
    }
    if not facts["rows"].size:
        raise bad_input("frame", "have at least one row", "none", "Pass the judged rows.")
    _check_labels(table, facts)
    _check_scores(table, facts)
    exponent = 0 if table.weight is None else _weight_unit(table, facts)
    groups, rows, positives = _grouped(table, facts)
    if both_classes:
        _check_classes(table, groups, rows, positives)
    ends = np.array([_ends(facts, index) for index in range(len(table.names))])
    bounded = np.isfinite(ends).all(axis=1)
    for index in np.flatnonzero(~bounded).tolist():
        ends[index] = _finite_ends(table, index)
    return Survey(groups, rows, ends[:, 0], ends[:, 1], bounded, exponent)


def _facts(table: ScoreTable, frame: Frame) -> dict[str, AnyArray]:
    """Ask an engine for everything at once, by groups if there are any."""
    rows = table.rows(frame, with_label=True)
    flags = _label_flags(table, frame) | _weight_flags(table)
    wanted: dict[str, nw.Expr] = {"rows": nw.len(), POSITIVE: nw.col(POSITIVE).sum()}
    wanted |= _label_totals(table, frame)
    if table.weight is not None:
        wanted["weight"] = nw.col(WEIGHT).max()
    for index in range(len(table.names)):
        score = nw.col(score_column(index))
        wanted |= {f"low_{index}": score.min(), f"high_{index}": score.max()}
        wanted[f"seen_{index}"] = score.count()
        if not nan_is_greatest(frame):
            # where NaN is null, as in pandas, it was not counted as seen either
            flags[f"nan_{index}"] = score.is_nan() & ~score.is_null()
    if flags:
        numbers = {name: nw.when(flag).then(1).otherwise(0) for name, flag in flags.items()}
        rows = rows.with_columns(**numbers)
    wanted |= {name: nw.col(name).sum() for name in flags}
    groups = [group_column(index) for index in range(len(table.by))]
    return collected(rows.group_by(*groups).agg(**wanted) if groups else rows.select(**wanted))


def _label_flags(table: ScoreTable, frame: Frame) -> dict[str, nw.Expr]:
    """Say which labels are missing, and which are neither 0 nor 1, or neither -1 nor 1."""
    label, kind = nw.col(LABEL), frame.collect_schema()[table.label]
    flags = {"label_nan": label.is_nan() & ~label.is_null()} if kind.is_float() else {}
    if table.pos_label is None and kind.is_numeric() and not kind.is_integer():
        flags |= {"label_not_01": label * label != label, "label_not_11": label * label != 1}
    return flags


def _label_totals(table: ScoreTable, frame: Frame) -> dict[str, nw.Expr]:
    """Ask for totals; of whole numbers they say without flags, and faster, which values occur."""
    label, totals = nw.col(LABEL), {"label_seen": nw.col(LABEL).count()}
    if table.pos_label is None and frame.collect_schema()[table.label].is_integer():
        totals |= {"label_low": label.min(), "label_high": label.max(), "label_sum": label.sum()}
    return totals


def _weight_flags(table: ScoreTable) -> dict[str, nw.Expr]:
    if table.weight is None:
        return {}
    weight = nw.col(WEIGHT)
    unusable = missing(weight, nw.Float64()) | (weight < 0) | (weight == math.inf)
    return {"weight_unusable": unusable, "weight_in_parts": weight != weight.floor()}


def _check_labels(table: ScoreTable, facts: dict[str, AnyArray]) -> None:
    rows = _total(facts, "rows")
    gone = rows - _total(facts, "label_seen") + _total(facts, "label_nan")
    if gone:
        raise bad_input(
            "label", "have no missing values", f"{gone} null or NaN in {table.label!r}", MEND
        )
    if "label_sum" in facts:
        ends = min(facts["label_low"]), max(facts["label_high"])
        hits = _total(facts, POSITIVE)
        minus = hits - _total(facts, "label_sum")
        fine = ends[1] <= 1 and (ends[0] >= 0 or (ends[0] == -1 and minus + hits == rows))
    else:
        fine = not (_total(facts, "label_not_01") and _total(facts, "label_not_11"))
    if not fine:
        raise bad_input(
            "label",
            "hold truth values, 0 and 1, or -1 and 1",
            f"other values in {table.label!r}",
            "Name the positive class with pos_label.",
        )


def _total(facts: dict[str, AnyArray], name: str) -> int:
    return sum(map(int, facts[name])) if name in facts else 0


def _check_scores(table: ScoreTable, facts: dict[str, AnyArray]) -> None:
    for index, (name, column) in enumerate(table.scores.items()):
        high = [end for end in facts[f"high_{index}"].tolist() if end is not None]
        gone = (
            _total(facts, "rows") - _total(facts, f"seen_{index}") + _total(facts, f"nan_{index}")
        )
        if gone or any(math.isnan(end) for end in high):
            some = f"{gone} null or NaN" if gone else "NaN"
            raise bad_input(
                f"scores[{name!r}]", "have no missing values", f"{some} in {column!r}", MEND
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
    if _total(facts, "weight_unusable"):
        raise bad_input(
            "weight",
            "be finite and not negative",
            f"{_total(facts, 'weight_unusable')} others in {table.weight!r}",
            "Use 0 to leave a row out.",
        )
    largest, rows = float(max(facts["weight"])), _total(facts, "rows")
    if not largest:
        raise bad_input("weight", "leave both classes some weight", "0 in all rows", "Mend it.")
    return unit_exponent(largest, rows, whole=not _total(facts, "weight_in_parts"))


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
    return float(min(facts[f"low_{index}"])), float(max(facts[f"high_{index}"]))


def _finite_ends(table: ScoreTable, index: int) -> tuple[float, float]:
    """Return the least and greatest finite score of a classifier that also has infinite ones."""
    score = nw.col(score_column(index))
    finite = (score > -math.inf) & (score < math.inf)
    ends = {"low": score.min(), "high": score.max()}
    found = [
        collected(table.rows(frame).select(score).filter(finite).select(**ends))
        for frame in table.frames
    ]
    lows = [each["low"][0] for each in found if not is_missing(each["low"][0])]
    highs = [each["high"][0] for each in found if not is_missing(each["high"][0])]
    return (float(min(lows)), float(max(highs))) if lows else (0.0, 0.0)
