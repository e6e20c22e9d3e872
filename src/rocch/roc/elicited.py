"""What experts say about costs and class balance, checked, and in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_array, as_number, as_weights, check_length, is_number
from rocch.roc import shapes, shaping

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.shapes import Scale, Shape

NAMED = "For example: Belief.miss_costs(5, 10, likely=9), or Belief.false_alarm_costs(2, 4)."

LARGEST = 1e9
"""The largest finite "times as bad": beyond it shares next to 1 would lose more than half of their
digits."""


class Elicited(NamedTuple):
    """The numbers an expert gave, on their scale: "times as bad" for misses, a ratio otherwise."""

    low: float
    high: float
    likely: float | None
    scale: Scale


def elicit(low: Any, high: Any, likely: Any, scale: Scale, on: Scale) -> Elicited:
    """Check an expert's numbers."""
    if on not in shapes.SCALES:
        raise bad_input("on", "be 'share', 'times' or 'ratio'", repr(on), "See Belief.miss_costs.")
    if high is None:
        if likely is not None:
            raise bad_input("high", "be given with likely", "nothing", "Name both bounds.")
        high = low
    for name, value in (("low", low), ("high", high), ("likely", likely)):
        wanted = name == "low" or value is not None
        if wanted and (not is_number(value) or value < 0):
            raise bad_input(name, "be a number, not negative", repr(value), NAMED)
    if likely is not None and math.isinf(likely):
        raise bad_input("likely", "be finite", repr(likely), "Name a value that is likely.")
    if math.isinf(low):
        raise bad_input("low", "be finite", repr(low), "Only the upper end may be open.")
    if low > high:
        raise bad_input(
            "low", "not exceed high", f"{low:g} and {high:g}", f"Write {high:g}, {low:g}."
        )
    if likely is not None and not low <= likely <= high:
        raise bad_input(
            "likely", f"lie between {low:g} and {high:g}", f"{likely:g}", "Widen the bounds."
        )
    _check_range(low, high, scale)
    return Elicited(float(low), float(high), None if likely is None else float(likely), scale)


def _check_range(low: float, high: float, scale: Scale) -> None:
    """Refuse finite ratios so large that doubles cannot tell their shares apart."""
    inverse = 1 / low if low else math.inf
    times = {"times": high, "ratio": inverse, "share": 1.0}[scale]
    if LARGEST < times < math.inf:
        raise bad_input(
            "high" if scale == "times" else "low",
            f"keep a miss within {LARGEST:g} times as bad as a false alarm, or leave it open",
            f"{times:g}",
            "An open end is infinity for misses, and 0 for false alarms.",
        )


def other_shapes(said: Elicited) -> dict[str, Shape]:
    """Return the usual shapes for three numbers, on each scale that has room for them."""
    ends = shapes.share_of(np.array(said[:2]), said.scale)
    low, high = sorted(ends.tolist())
    found: dict[str, Shape] = {"even on the share": shaping.uniform(low, high)}
    if said.likely is not None:
        top = float(shapes.share_of(np.float64(said.likely), said.scale))
        found["triangle on the share"] = shaping.triangle(low, top, high)
        found["all at the likely value"] = shaping.point(top)
        found["PERT beta on the share"] = _pert(low, top, high)
    open_end = {"times": high == 1, "ratio": low == 0}
    for on in ("times", "ratio"):
        scale = lies_on(on, said.scale)
        if low < high and not open_end[scale]:
            if said.likely is not None:
                found[f"triangle on the {_SCALE_NAME[on]}"] = shaping.from_bounds(
                    said[:2], said.likely, scale=said.scale, lie_on=scale
                )
            found[f"even on the {_SCALE_NAME[on]}"] = shaping.from_bounds(
                said[:2], None, scale=said.scale, lie_on=scale
            )
    return found


def lies_on(on: Scale, said: Scale) -> Scale:
    """Return the scale of the shapes for what an expert means by "times" and by "ratio".

    Shapes count in misses: how many times as bad as a false alarm one is. Who says how many times
    as bad a *false alarm* is means the inverse.
    """
    swapped: dict[Scale, Scale] = {"share": "share", "times": "ratio", "ratio": "times"}
    return swapped[on] if said == "ratio" else on


_SCALE_NAME: dict[Scale, str] = {"times": "times as bad", "ratio": "ratio"}


def _pert(low: float, top: float, high: float) -> Shape:
    """Return the beta distribution that project planners make of three points."""
    from scipy.stats import beta

    if low == high:
        return shaping.point(low)
    width = high - low
    peak = (top - low) / width
    return shapes.Frozen(beta(1 + 4 * peak, 5 - 4 * peak, low, width))


def spoken(said: Elicited) -> str:
    """Say the bounds, with a space after them."""
    if said.low == said.high:
        return f"{said.low:g} "
    return f"{said.low:g} or more " if math.isinf(said.high) else f"{said.low:g} to {said.high:g} "


def most_likely(said: Elicited) -> str:
    """Say the most likely value, if there is doubt."""
    return "" if said.likely is None or said.low == said.high else f", most likely {said.likely:g}"


def source(given: Any) -> str:
    """Say where a belief was taken from."""
    kind = getattr(getattr(given, "dist", None), "name", None)
    return f"SciPy's {kind}" if kind else f"a sample of {len(given)}"


def known_costs(**costs: float) -> list[float]:
    """Return costs that are known, by name; one of them must not be 0."""
    found = [as_number(cost, name, least=0) for name, cost in costs.items()]
    if not sum(found):
        raise bad_input(", ".join(costs), "not both be 0", "no costs", "Name one of them.")
    return found


def cost_columns(**given: Any) -> list[FloatArray]:
    """Return numbers and columns as columns of one length, none of them negative."""
    rows = max(np.size(values) for values in given.values())
    columns = []
    for name, values in given.items():
        column = np.full(rows, values) if is_number(values) else as_array(values, name)
        check_length(column.size, rows, name)
        columns.append(as_weights(column, rows, argument=name))
    return columns
