"""Forward selection: models join one by one, as long as other rows confirm what each one adds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.hybrid.combining.gain import envelope, gains, strongest
from rocch.kernels.hull import grown, twice_area

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import IntArray
    from rocch.hybrid.combining.gain import Gain
    from rocch.hybrid.combining.sample import DecidedSample


class Step(NamedTuple):
    """What became of one model, in the order in which they were considered."""

    model: str
    kept: bool
    gain: Gain | None
    reason: str


@dataclass(frozen=True, eq=False)
class Forward:
    """The finding rows propose models by the area they add; the confirming rows decide."""

    finders: DecidedSample
    others: DecidedSample
    slopes: tuple[float, float]
    standard_errors: float

    def steps(self) -> list[Step]:
        """Consider all models; the first always stays, those that add nothing come last."""
        start = np.array([0, self.finders.totals[0]]), np.array([0, self.finders.totals[1]])
        left, hull = list(self._points), start
        kept: list[str] = []
        steps: list[Step] = []
        while left:
            areas = {model: twice_area(*grown(hull, *self._points[model])[0]) for model in left}
            idle = [model for model in left if areas[model] == twice_area(*hull)]
            if len(idle) == len(left) and kept:
                reason = "it adds nothing to those kept on the finding rows"
                return steps + [Step(model, False, None, reason) for model in left]
            best = min(left, key=lambda model: (-areas[model], model))
            step = self._confirmed(best, kept)
            steps.append(step)
            left.remove(best)
            if step.kept:
                kept.append(best)
                hull = grown(hull, *self._points[best])[0]
        return steps

    def _confirmed(self, model: str, kept: Sequence[str]) -> Step:
        if not kept:
            return Step(model, True, None, "the largest area on the finding rows")
        old = [setting for name in kept for setting in self.others.settings(name)]
        new = self.finders.settings(model)  # thresholds fitted to the judging rows would flatter it
        before, after = (envelope(self.others, self.others.decisions(s)) for s in (old, old + new))
        gain = strongest(gains(self.others, after, before, self.slopes), self.standard_errors)
        if gain is None:
            return Step(model, False, None, "it adds nothing to those kept on the confirming rows")
        if not gain.exceeds(self.standard_errors):
            return Step(model, False, gain, f"it gains only {gain}")
        return Step(model, True, gain, f"it gains {gain}")

    @cached_property
    def _points(self) -> dict[str, tuple[IntArray, IntArray]]:
        """False and true positives of every model's own vertices on the finding rows."""
        return {
            model: self.finders.count_all(self.finders.decisions(self.finders.settings(model)))
            for model in self.finders.models
        }
