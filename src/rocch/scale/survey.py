"""The first pass: numbers of rows, ranges of scores, and checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dtypes import DType

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError, format_count, format_list
from rocch.inputs import LARGEST_EXACT_INTEGER, LARGEST_WEIGHT, SMALLEST_WEIGHT
from rocch.kernels.counting import unit_exponent
from rocch.labels import is_missing
from rocch.scale.engines import (
    Frame,
    as_doubles,
    collect,
    column_of,
    literal,
    missing,
    nan_is_greatest,
    read_errors,
    small_table,
)
from rocch.scale.table import (
    LABEL,
    POSITIVE,
    WEIGHT,
    GroupKey,
    ScoreTable,
    score_column,
    sorted_groups,
)

Facts = dict[str, AnyArray]

# A column with a value in positive rows, null in others.
HIT = "hit"
CLASSES = ("negatives", "positives")
DROP = "Correct or drop those rows, or set {drop_nulls}."

LONG_INTEGERS = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)
# Different decimals of at most this many digits are different doubles.
EXACT_DIGITS = 15
# The most decimals of many digits to compare between frames.
MOST_COMPARED = 2**16


@dataclass(frozen=True, slots=True)
class Survey:
    """Facts about a table from one scan.

    Attributes
    ----------
    groups
        The keys of groups, sorted; one empty key without groups.
    rows, positives
        Rows and positive rows of each group.
    weights
        Approximate weights of negatives and positives of each group.
    low, high
        The least and greatest finite score of each classifier, or 0; NaN if scores were not read.
    bounded
        Whether all scores of each classifier are finite.
    exponents
        The unit of weights in each group, as an exponent of two.
    rounded
        Whether weights of each group are rounded to units.
    both_classes
        Whether every group was checked to have both classes.
    """

    groups: tuple[GroupKey, ...]
    rows: IntArray
    positives: IntArray
    weights: FloatArray
    low: FloatArray
    high: FloatArray
    bounded: BoolArray
    exponents: tuple[int, ...]
    rounded: BoolArray
    both_classes: bool = False


@read_errors()
def survey(
    table: ScoreTable, *, both_classes: bool = True, headroom: int = 0, scores: bool = True
) -> Survey:
    """Scan a table once, and refuse unusable rows.

    Parameters
    ----------
    both_classes
        Whether every group must have both classes.
    headroom
        Bits to leave free in counts of rounded weights, for merging.
    scores
        Whether to read scores; labels alone take a fraction of the time.
    """
    table.check_objects()
    _check_distinct(table)
    indices = range(len(table.names) if scores else 0)
    every = [_collect_facts(table, frame, indices) for frame in table.frames]
    # groups of the engine that hold no row
    found = [{name: facts[name][facts["rows"] > 0] for name in facts} for facts in every]
    names = {name for each in found for name in each} - {*table.row_groups}
    facts = {name: np.concatenate([each[name] for each in found if name in each]) for name in names}
    if not facts["rows"].size:
        if both_classes:
            raise InputError("frame", "have at least one row", "none")
        return _empty_survey(table)
    _check_labels(table, facts, found)
    if scores:
        _check_scores(table, facts)
    groups, where = _find_groups(table, found)
    rows, positives = _sums(facts, "rows", where), _sums(facts, POSITIVE, where)
    exponents, rounded, weights = _weight_units(table, facts, where, headroom)
    if both_classes:
        _check_classes(table, groups, rows, positives)
        if table.is_weighted:
            _check_class_weights(facts, groups, where, exponents)
    ends = np.full((len(table.names), 2), np.nan)
    for index in indices:
        ends[index] = min(facts[f"low_{index}"]), max(facts[f"high_{index}"])
    bounded = np.isfinite(ends).all(axis=1)
    for index in np.flatnonzero(~bounded).tolist() if scores else ():
        ends[index] = _finite_ends(table, index)
    low, high = ends.T
    return Survey(
        groups, rows, positives, weights, low, high, bounded, exponents, rounded, both_classes
    )


def _empty_survey(table: ScoreTable) -> Survey:
    groups: tuple[GroupKey, ...] = () if table.by else ((),)
    ends = np.zeros(len(table.names))
    rows = np.zeros(len(groups), dtype=np.int64)
    weights = np.zeros((rows.size, len(CLASSES)))
    exponents = (0,) * rows.size
    return Survey(groups, rows, rows, weights, ends, ends, ends == 0, exponents, rows > 0)


def _collect_facts(table: ScoreTable, frame: Frame, scores: range) -> Facts:
    """Query all facts of a frame, by group.

    The sum of integer labels is the number of positives, unless some are negative.
    """
    columns = table.columns
    if columns.pos_label is None and frame.collect_schema()[columns.label].is_integer():
        label = nw.col(LABEL)
        totals = {"label_low": label.min(), "label_high": label.max(), "label_sum": label.sum()}
        facts = _query_facts(table, frame, scores, totals)
        if all(is_missing(low) or low >= 0 for low in facts["label_low"].tolist()):
            return facts | {POSITIVE: facts["label_sum"]}
        return _query_facts(table, frame, scores, totals | {POSITIVE: nw.col(HIT).count()})
    return _query_facts(table, frame, scores, {POSITIVE: nw.col(HIT).count()})


def _query_facts(table: ScoreTable, frame: Frame, scores: range, more: dict[str, nw.Expr]) -> Facts:
    rows = table.rows(frame)
    rows = rows.with_columns(nw.when(nw.col(POSITIVE)).then(1).alias(HIT))
    flags = _label_flags(table, frame)
    wanted: dict[str, nw.Expr] = {"rows": nw.len(), "label_seen": nw.col(LABEL).count(), **more}
    if table.is_weighted:
        flags |= _weight_flags()
        rows = rows.with_columns(**_class_weights())
        for each in CLASSES:
            wanted |= {f"largest_{each}": nw.col(each).max(), f"weight_{each}": nw.col(each).sum()}
    for index in scores:
        score = nw.col(score_column(index))
        wanted |= {f"low_{index}": score.min(), f"high_{index}": score.max()}
        wanted[f"seen_{index}"] = score.count()
        if not nan_is_greatest(frame):
            # NaN that is null, as in pandas, is not among the seen
            flags[f"nan_{index}"] = score.is_nan() & ~score.is_null()
    if flags:
        numbers = {name: nw.when(flag).then(1).otherwise(0) for name, flag in flags.items()}
        rows = rows.with_columns(**numbers)
    wanted |= {name: nw.col(name).sum() for name in flags}
    groups = table.row_groups
    return collect(rows.group_by(*groups).agg(**wanted) if groups else rows.select(**wanted))


def _label_flags(table: ScoreTable, frame: Frame) -> dict[str, nw.Expr]:
    """Return which labels are missing, not 0 or 1, or not -1 or 1."""
    label, kind = nw.col(LABEL), frame.collect_schema()[table.columns.label]
    flags = {"label_nan": label.is_nan() & ~label.is_null()} if kind.is_float() else {}
    if table.columns.pos_label is None and kind.is_numeric() and not kind.is_integer():
        zero, one, minus = (literal(value, kind, frame) for value in (0, 1, -1))
        other = label != one
        flags |= {"label_not_01": other & (label != zero), "label_not_11": other & (label != minus)}
    return flags


def _class_weights() -> dict[str, nw.Expr]:
    """Return each row's weight by class; clipped ones are refused later."""
    positive, nothing = nw.when(nw.col(POSITIVE)), nw.lit(0.0)
    weight = nw.col(WEIGHT).clip(upper_bound=LARGEST_WEIGHT)
    shares = positive.then(nothing).otherwise(weight), positive.then(weight).otherwise(nothing)
    return dict(zip(CLASSES, shares, strict=True))


def _weight_flags() -> dict[str, nw.Expr]:
    weight = nw.col(WEIGHT)
    return {
        "weight_missing": missing(weight, nw.Float64()),
        "weight_unusable": (weight < 0) | (weight == math.inf),
        "weight_beyond": ((weight > 0) & (weight < SMALLEST_WEIGHT))
        | ((weight > LARGEST_WEIGHT) & (weight < math.inf)),
        "weight_in_parts": weight != weight.floor(),
    }


def _missing_values(argument: str, requirement: str, number: int, column: str) -> InputError:
    return InputError(argument, requirement, f"{number} null or NaN in {column!r}", DROP)


def _check_labels(table: ScoreTable, facts: Facts, found: Sequence[Facts]) -> None:
    """Refuse missing labels, and labels that are not two classes in all frames."""
    label = table.columns.label
    absent = _total(facts, "rows") - _total(facts, "label_seen") + _total(facts, "label_nan")
    if absent:
        raise _missing_values("label", "have no missing labels", absent, label)
    not_01, not_11 = map(sum, zip(*map(_count_other_labels, found), strict=True))
    if not_01 and not_11:
        raise InputError(
            "label",
            "hold booleans, 0 and 1, or -1 and 1",
            f"other values in {label!r}",
            "Name the positive class with {pos_label}.",
        )


def _count_other_labels(facts: Facts) -> tuple[int, int]:
    """Count labels that are not 0 or 1, and labels that are not -1 or 1."""
    if "label_sum" not in facts:
        return _total(facts, "label_not_01"), _total(facts, "label_not_11")
    rows, hits = _total(facts, "rows"), _total(facts, POSITIVE)
    if rows and not -1 <= min(facts["label_low"]) <= max(facts["label_high"]) <= 1:
        return rows, rows
    minus = hits - _total(facts, "label_sum")
    return minus, rows - hits - minus


def _total(facts: Facts, name: str) -> int:
    return sum(map(int, facts[name])) if name in facts else 0


def _check_scores(table: ScoreTable, facts: Facts) -> None:
    for index, (name, column) in enumerate(table.columns.scores.items()):
        high = [end for end in facts[f"high_{index}"].tolist() if end is not None]
        absent = (
            _total(facts, "rows") - _total(facts, f"seen_{index}") + _total(facts, f"nan_{index}")
        )
        if absent or any(math.isnan(end) for end in high):
            number = sum(_count_missing(frame, column) for frame in table.frames)
            argument = f"scores[{name!r}]"
            raise _missing_values(argument, "have no missing values (NaN)", number, column)


def _count_missing(frame: Frame, column: str) -> int:
    """Count nulls and NaN."""
    absent = missing(column_of(column, frame), frame.collect_schema()[column])
    found = collect(
        frame.select(absent=nw.when(absent).then(1).otherwise(0)).select(nw.col("absent").sum())
    )
    return 0 if is_missing(found["absent"][0]) else int(found["absent"][0])


def _check_weights(facts: Facts, column: str) -> None:
    absent, unusable, beyond = (
        _total(facts, f"weight_{each}") for each in ("missing", "unusable", "beyond")
    )
    if absent:
        raise _missing_values("weight", "be finite and not negative", absent, column)
    if unusable or beyond:
        raise InputError(
            "weight",
            "be finite and not negative"
            if unusable
            else f"be 0, or from {SMALLEST_WEIGHT:.2g} to {LARGEST_WEIGHT:.2g}",
            f"{format_count(unusable or beyond, 'other weight')} in {column!r}",
            "Use 0 to leave a row out."
            if unusable
            else "State weights in another unit; only their ratios count.",
        )


def _weight_units(
    table: ScoreTable, facts: Facts, where: IntArray, headroom: int
) -> tuple[tuple[int, ...], BoolArray, FloatArray]:
    """Return units, whether weights are rounded, and sums of weights, by group."""
    groups = int(where.max()) + 1
    if table.columns.weight is None:
        return (0,) * groups, np.zeros(groups, dtype=bool), np.zeros((groups, len(CLASSES)))
    _check_weights(facts, table.columns.weight)
    in_parts = _sums(facts, "weight_in_parts", where) > 0
    exponents = tuple(
        _weight_unit(facts, where == place, headroom, whole=not in_parts[place])
        for place in range(groups)
    )
    sums = [_sums(facts, f"weight_{each}", where, np.float64) for each in CLASSES]
    return exponents, in_parts | (np.array(exponents) != 0), np.column_stack(sums)


def _weight_unit(facts: Facts, mine: BoolArray, headroom: int, *, whole: bool) -> int:
    largest, rows = max(_largest_weights(facts, mine)), int(sum(facts["rows"][mine]))
    if not largest or (whole and not unit_exponent(largest, rows, whole=True)):
        return 0
    return unit_exponent(largest, rows, whole=whole) + headroom


def _largest_weights(facts: Facts, mine: BoolArray) -> list[float]:
    return [float(max(facts[f"largest_{each}"][mine])) for each in CLASSES]


def _check_class_weights(
    facts: Facts, groups: tuple[GroupKey, ...], where: IntArray, exponents: Sequence[int]
) -> None:
    """Refuse a class whose weights are all rounded to 0."""
    for place, (key, exponent) in enumerate(zip(groups, exponents, strict=True)):
        units = np.rint(np.ldexp(_largest_weights(facts, where == place), -exponent))
        if not units.all():
            raise InputError(
                "weight",
                "leave both classes some weight",
                f"zero for the {CLASSES[int(units.argmin())]}{_of_group(key)}, or too little "
                "beside the largest, so that it is rounded to zero",
                "A ROC curve needs at least one row of each class.",
            )


def _of_group(key: GroupKey) -> str:
    return f" of group {format_list(key)}" if key else ""


def _find_groups(
    table: ScoreTable, found: Sequence[Facts]
) -> tuple[tuple[GroupKey, ...], IntArray]:
    """Return the sorted keys of groups, and the group of each line of facts."""
    keys: list[GroupKey] = []
    for facts in found:
        columns = [facts[name].tolist() for name in table.row_groups]
        keys += zip(*columns, strict=True) if columns else [()] * facts["rows"].size
    if any(is_missing(part) for key in keys for part in key):
        raise InputError("by", "have no missing values", f"some in {format_list(table.by)}", DROP)
    groups = tuple(sorted_groups(keys, table.by))
    place = {key: index for index, key in enumerate(groups)}
    return groups, np.array([place[key] for key in keys])


def _sums(facts: Facts, name: str, where: IntArray, kind: type[Any] = np.int64) -> AnyArray:
    sums = np.zeros(int(where.max()) + 1, dtype=kind)
    np.add.at(sums, where, facts[name].astype(kind))
    return sums


def _check_classes(
    table: ScoreTable, groups: tuple[GroupKey, ...], rows: IntArray, positives: IntArray
) -> None:
    single = np.flatnonzero((positives == 0) | (positives == rows)).tolist()
    if not single:
        return
    first = single[0]
    count = int(rows[first])
    key, which = groups[first], "positive" if positives[first] else "negative"
    more = f" (and {format_count(len(single) - 1, 'more such group')})" if len(single) > 1 else ""
    raise InputError(
        "label" if table.columns.pos_label is None else "label, pos_label",
        "hold both classes",
        f"{format_count(count, 'row')}{_of_group(key)}, all {which}{more}",
        "A ROC curve needs at least one row of each class."
        + (" Leave such groups out." if key else ""),
    )


def _finite_ends(table: ScoreTable, index: int) -> tuple[float, float]:
    score = nw.col(score_column(index))
    finite = (score > -math.inf) & (score < math.inf)
    ends = {"low": score.min(), "high": score.max()}
    found = [
        collect(table.rows(frame).select(score).filter(finite).select(**ends))
        for frame in table.frames
    ]
    lows = [each["low"][0] for each in found if not is_missing(each["low"][0])]
    highs = [each["high"][0] for each in found if not is_missing(each["high"][0])]
    return (float(min(lows)), float(max(highs))) if lows else (0.0, 0.0)


def _check_distinct(table: ScoreTable) -> None:
    """Refuse integers of at least 2**53 in size, and decimals that become equal doubles."""
    long: dict[str, list[Frame]] = {}
    for frame in map(table.complete_rows, table.frames):
        kinds = frame.collect_schema()
        for name, size in _sizes(table, frame).items():
            column = table.columns.scores[name]
            if not kinds[column].is_decimal():
                if size >= LARGEST_EXACT_INTEGER:
                    raise _not_distinct(name, "larger integers")
            elif size >= 10**EXACT_DIGITS:
                if _merges(column, frame):
                    raise _not_distinct(name, "numbers of more digits")
                long.setdefault(name, []).append(frame)
    for name, frames in long.items():
        if len(table.frames) > 1 and _merges_across(table, table.columns.scores[name], frames):
            raise _not_distinct(name, "numbers of more digits")


def _sizes(table: ScoreTable, frame: Frame) -> dict[str, float]:
    """Return the largest long integers, and decimals without their point."""
    schema, columns = frame.collect_schema(), table.columns.scores
    kinds = {name: schema[column] for name, column in columns.items()}
    long = {
        name: kind for name, kind in kinds.items() if kind.is_decimal() or kind in LONG_INTEGERS
    }
    if not long:
        return {}
    ends: dict[str, nw.Expr] = {}
    for index, (name, kind) in enumerate(long.items()):
        column = columns[name]
        whole = not kind.is_decimal()  # as doubles, long integers could look short
        values = column_of(column, frame) if whole else as_doubles(column, kind, frame)
        ends |= {f"low_{index}": values.min(), f"high_{index}": values.max()}
    found = collect(frame.select(**ends))
    return {
        name: max(_size(found[f"{end}_{index}"][0], kind) for end in ("low", "high"))
        for index, (name, kind) in enumerate(long.items())
    }


def _size(value: Any, kind: DType) -> float:
    if is_missing(value):
        return 0
    return abs(value) * 10.0 ** getattr(kind, "scale", 38) if kind.is_decimal() else abs(int(value))


def _merges(column: str, frame: Frame) -> bool:
    """Whether different decimals of a column become the same double."""
    found = collect(_with_texts(column, frame).select(nw.col("text", "double").n_unique()))
    return bool(found["double"][0] < found["text"][0])


def _merges_across(table: ScoreTable, column: str, frames: Sequence[Frame]) -> bool:
    """Whether different numbers of several frames become, or may become, equal doubles."""
    known: dict[float, Decimal] = {}
    for frame in frames:
        digits = nw.col("text").str.strip_chars("-0").str.len_chars()
        many = _distinct_numbers(_with_texts(column, frame).filter(digits > EXACT_DIGITS))
        if any(known.setdefault(double, value) != value for double, value in many):
            return True
        if len(known) > MOST_COMPARED:
            return True
    wanted = {"double": np.array(list(known))}
    return bool(known) and any(
        known[double] != value
        for frame in map(table.complete_rows, table.frames)
        for double, value in _distinct_numbers(
            _with_texts(column, frame).join(small_table(wanted, frame), on="double", how="inner")
        )
    )


def _with_texts(column: str, frame: Frame) -> Frame:
    """Return scores as doubles, and decimals also as texts."""
    kind = frame.collect_schema()[column]
    columns = {"double": as_doubles(column, kind, frame)}
    if kind.is_decimal():
        columns["text"] = column_of(column, frame).cast(nw.String)
    return frame.select(**columns)


def _distinct_numbers(pairs: Frame) -> list[tuple[float, Decimal]]:
    """Return distinct doubles with their numbers."""
    names = pairs.collect_schema().names()
    found = collect(pairs.group_by(*names).agg(rows=nw.len()).head(MOST_COMPARED + 1))
    doubles = found["double"].tolist()
    return list(zip(doubles, map(Decimal, found[names[-1]].tolist()), strict=True))


def _not_distinct(name: str, got: str) -> InputError:
    return InputError(
        f"scores[{name!r}]",
        "be integers below 2**53 in size, or numbers that stay distinct as doubles",
        f"{got}, which doubles cannot tell apart",
        "Rank them first, all rows together.",
    )
