"""Criteria, operating points and hulls as plain data, and back: nothing here runs foreign code."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rocch.arrays import AnyArray
from rocch.errors import InputError, describe_type
from rocch.hybrid.hybrid import Knob
from rocch.inputs import is_number
from rocch.kernels.moments import Piece
from rocch.roc import criteria, shapes
from rocch.roc.belief import Belief
from rocch.roc.belief_axis import Independent, SampledCases, Unit
from rocch.roc.conditions import Conditions, Interval
from rocch.roc.criteria import LinearLimit
from rocch.roc.curve import RocCurve
from rocch.roc.hull import Member, RocHull
from rocch.roc.operating_point import ClassTotals, OperatingPoint, RocPoint
from rocch.roc.shapes import Elicited

LONGEST_LABEL = 2**20
"""Bytes of a class's label."""
KNOWN = {
    kind.__name__: kind
    for kind in (
        Belief,
        Conditions,
        SampledCases,
        Elicited,
        Independent,
        Knob,
        LinearLimit,
        OperatingPoint,
        Piece,
        RocPoint,
        Unit,
        criteria.PredictedPositiveLimit,
        criteria.Capacity,
        criteria.Constrained,
        criteria.ErrorRate,
        criteria.ExpectedCost,
        criteria.LeastExpectedRegret,
        criteria.Maximize,
        criteria.MinimaxRegret,
        criteria.MinimumTpr,
        criteria.NeymanPearson,
        shapes.Atoms,
        shapes.BetaShape,
        shapes.Frozen,
        shapes.Straight,
    )
}
"""The only types that plain data can become."""


def to_plain(value: Any) -> Any:
    """Return a criterion, an operating point or a simple value as plain data."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, Interval):
        return {"interval": [to_plain(end) for end in value]}
    if type(value).__name__ in KNOWN and isinstance(value, KNOWN[type(value).__name__]):
        fields = {name: to_plain(getattr(value, name)) for name in _field_names(type(value))}
        return {"type": type(value).__name__, "fields": fields}
    if isinstance(value, tuple | list):
        return {"items": [to_plain(item) for item in value]}
    if isinstance(value, np.ndarray) and value.dtype == float and value.ndim == 1:
        return {"array": [to_plain(number) for number in value.tolist()]}
    if _is_scipys(value):
        given = [to_plain(tuple(value.args)), to_plain(tuple(value.kwds.items()))]
        return {"scipy": value.dist.name, "given": given}
    raise InputError(
        f"{describe_type(value)} cannot be saved as plain data. Use the package's own criteria; "
        "a metric must be one of the named ones."
    )


def from_plain(data: Any) -> Any:
    """Return what `to_plain` wrote."""
    match data:
        case {"float": str(text)}:
            return float(text)
        case {"interval": [low, high]}:
            return Interval(from_plain(low), from_plain(high))
        case {"array": list(numbers)}:
            return np.array([from_plain(number) for number in numbers], dtype=float)
        case {"scipy": str(name), "given": [args, options]}:
            return _from_scipy(name, from_plain(args), dict(from_plain(options)))
        case {"items": list(items)}:
            return tuple(from_plain(item) for item in items)
        case {"type": str(name), "fields": dict(fields)} if name in KNOWN:
            return _rebuilt(KNOWN[name], {key: from_plain(v) for key, v in fields.items()})
        case None | bool() | int() | float() | str():
            return data
    raise InputError(f"the data hold {data!r}, which this version cannot read.")


def labels_from_plain(classes: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Return the labels of classes, in the type that they had."""
    kind = np.dtype(classes["dtype"])
    if kind.itemsize > LONGEST_LABEL:
        raise InputError(f"labels of {kind.itemsize} bytes each are no labels.")
    return np.array([from_plain(label) for label in classes["labels"]], dtype=kind)


def _rebuilt(kind: type[Any], values: dict[str, Any]) -> Any:
    if kind is criteria.Constrained:
        goal = values["goal"]
        return kind(goal, *values["limits"][len(goal.limits) :])
    return kind(**{name: values[name] for name in _field_names(kind, given=True)})


def _field_names(kind: type[Any], *, given: bool = False) -> list[str]:
    """Return the names of an object's fields, or of those that it is made with."""
    if issubclass(kind, tuple):
        return list(kind._fields)  # type: ignore[attr-defined]
    return [f.name for f in dataclasses.fields(kind) if f.init or not given]


def _is_scipys(value: Any) -> bool:
    """Say whether a value is one of SciPy's own distributions, frozen."""
    name = getattr(getattr(value, "dist", None), "name", None)
    if name is None:
        return False
    from scipy import stats

    return isinstance(value.dist, type(getattr(stats, name, None)))


def _from_scipy(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return one of SciPy's continuous distributions, frozen; nothing else of SciPy's is called."""
    from scipy import stats

    found = getattr(stats, name, None)
    numbers = all(is_number(value) for value in (*args, *options.values()))
    if not isinstance(found, stats.rv_continuous) or not numbers:
        raise InputError(f"the data hold {name!r}, which is no continuous distribution of SciPy's.")
    return found(*args, **options)


def hull_to_plain(hull: RocHull) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return a hull as plain data and arrays: its members' vertices, and their full curves."""
    arrays: dict[str, AnyArray] = {}
    members = []
    for place, member in enumerate(hull.members):
        curve = member.curve()
        columns = {"false_positives": member.false_positives}
        columns["true_positives"] = member.true_positives
        if member.next_lower is not None:
            columns["thresholds"] = np.asarray(member.thresholds)
            columns["next_lower"] = member.next_lower
        if curve is not None:
            columns["curve_false_positives"] = curve.false_positives
            columns["curve_true_positives"] = curve.true_positives
            if curve.thresholds is not None:
                columns["curve_thresholds"] = curve.thresholds
        arrays |= {f"member-{place}-{name}": column for name, column in columns.items()}
        settings = None if member.scoring else to_plain(tuple(member.thresholds))
        members.append({"name": member.name, "scoring": member.scoring, "settings": settings})
    totals = dataclasses.asdict(hull.totals)
    totals["rows"] = None if hull.totals.rows is None else hull.totals.rows.hex()
    bounds = None if hull.slope_bounds is None else to_plain(hull.slope_bounds)
    return {"judged": totals, "members": members, "slope_bounds": bounds}, arrays


def hull_from_plain(data: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> RocHull:
    """Return what `hull_to_plain` wrote."""
    rows = data["judged"]["rows"]
    totals = ClassTotals(
        **{**data["judged"], "rows": None if rows is None else bytes.fromhex(rows)}
    )
    members = tuple(
        _member(member, place, arrays, totals) for place, member in enumerate(data["members"])
    )
    bounds = data["slope_bounds"]
    return RocHull(totals, members, None if bounds is None else from_plain(bounds))


def _member(
    data: Mapping[str, Any], place: int, arrays: Mapping[str, AnyArray], totals: ClassTotals
) -> Member:
    def column(name: str) -> Any:
        return arrays.get(f"member-{place}-{name}")

    settings = None if data["settings"] is None else from_plain(data["settings"])
    source = None
    if column("curve_false_positives") is not None:
        counts = column("curve_false_positives"), column("curve_true_positives")
        source = RocCurve(data["name"], totals, *counts, column("curve_thresholds"), settings)
    thresholds = column("thresholds") if data["scoring"] else settings or ()
    counts = column("false_positives"), column("true_positives")
    return Member(data["name"], data["scoring"], *counts, thresholds, column("next_lower"), source)
