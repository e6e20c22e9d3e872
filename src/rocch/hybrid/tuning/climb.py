"""The hill-climb: how evidence turns the knob, step by step.

The cost along the hull is convex in the knob's position: along the hull the share of the way that
goes up falls and the share that goes right rises, and each has one price. So there are no local
minima, and a setting that is better than both its neighbours is the best, to within a step.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from rocch.hybrid.knob import Knob, reach
from rocch.hybrid.tuning.evidence import Sides
from rocch.hybrid.tuning.stride import Stride
from rocch.hybrid.tuning.trial import Trial

if TYPE_CHECKING:
    from rocch.hybrid.tuning.options import TunerOptions
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint

WAYS = {-1: "left", 1: "right"}
PLENTY = 1000
"""Evidence beyond this is not written out."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a climb stands: all that a new piece of feedback changes."""

    position: float
    stride: Stride = field(default_factory=Stride)
    sides: Sides = field(default_factory=Sides)
    settled: tuple[int, ...] = ()
    """The ways that were looked at enough since the stride last changed."""
    trial: Trial = field(default_factory=Trial)

    @property
    def knob(self) -> Knob:
        """The setting in the middle, around which neighbours are compared."""
        return Knob(self.position)

    def anew(self, position: float, stride: Stride) -> State:
        """Return the state with no evidence yet and a new trial."""
        return State(position, stride, trial=self.trial.again())


class Step(NamedTuple):
    """What one piece of feedback led to."""

    state: State
    moved: float
    sides: Sides
    """The evidence when it was decided, before it started anew."""
    why: str


@dataclass(frozen=True, slots=True)
class Climb:
    """The rules of a climb along one hull; each method is a function of the state."""

    hull: RocHull
    options: TunerOptions

    def point(self, knob: Knob) -> OperatingPoint:
        """Return where a setting operates."""
        return knob.on(self.hull, randomise=self.options.randomise)

    def placed(self, knob: Knob) -> Knob:
        """Return where a knob stands on the hull: without randomising, at a vertex."""
        point = self.point(knob)
        return knob if self.options.randomise else Knob.of(point)

    def beside(self, state: State, way: int) -> Knob | None:
        """Return the setting one step to the left (-1) or right (1); None at the end."""
        by = way * state.stride.step
        return state.knob.neighbour(self.hull, by, randomise=self.options.randomise)

    def pair(self, state: State) -> dict[int, Knob]:
        """Return the two settings to try; at an end of the hull the knob's own is one of them."""
        return {way: self.beside(state, way) or state.knob for way in WAYS}

    def setting(self, state: State) -> Knob:
        """Return the setting to run now."""
        if not self.options.probe:
            return state.knob
        return self.pair(state)[state.trial.next_side(self.options.seed)]

    def turned(self, state: State, by: float, why: str) -> Step:
        """Turn by hand, as far as the hull goes."""
        low, high = reach(self.hull)
        aim = state.knob.turned(by).position
        target = self.placed(Knob(min(max(aim, low), high))).position
        after = state.anew(target, state.stride)
        return Step(after, target - state.position, state.sides, why)

    def weighed(self, state: State, new: Sides) -> Step:
        """Add to the evidence, and turn the knob if it suffices."""
        state = replace(state, sides=state.sides + new)
        way = state.sides.decided(self.options.alpha)
        target = self.beside(state, way) if way else None
        if target is None:
            why = self._why_staying(state.sides, way, new)
            return Step(self._settled(state), 0.0, state.sides, why)
        after = state.anew(target.position, state.stride.moved(way))
        moved = target.position - state.position
        return Step(after, moved, state.sides, self._why_moving(state.sides, way))

    def _settled(self, state: State) -> State:
        """Start a side's evidence anew after its window; look closer once both have had theirs."""
        options = self.options
        enough = {
            way for way in WAYS if state.sides.of_way(way).settled(options.alpha, options.window)
        }
        ends = {way for way in WAYS if self.beside(state, way) is None}
        settled = enough | ends | set(state.settled)
        if enough and settled == set(WAYS):
            return state.anew(state.position, state.stride.calmed())
        return replace(
            state, sides=state.sides.without(enough), settled=tuple(sorted(settled - ends))
        )

    def _why_moving(self, sides: Sides, way: int) -> str:
        return f"evidence {self._amount(sides.of_way(way).e_value)}, {self._needed} needed"

    def _why_staying(self, sides: Sides, way: int, new: Sides) -> str:
        if way:
            return f"the knob is at its {WAYS[way]} end"
        if new == Sides():
            return "nothing in it tells the neighbouring settings apart"
        return (
            f"evidence {self._amount(sides.left.e_value)} for left, "
            f"{self._amount(sides.right.e_value)} for right, "
            f"{self._needed} needed"
        )

    @property
    def _needed(self) -> str:
        return f"{2 / self.options.alpha:.3g}"

    def _amount(self, e_value: float) -> str:
        """Write evidence; far beyond what is needed more digits say nothing."""
        most = max(PLENTY, 2 / self.options.alpha)
        return f"{e_value:.3g}" if e_value <= most else f"more than {most:,.0f}"
