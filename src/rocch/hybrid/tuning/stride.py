"""The stride: how far to turn next."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rocch.errors import bad_input
from rocch.inputs import as_number


@dataclass(frozen=True, slots=True)
class Stride:
    """A step along the knob that grows on the way, and shrinks around the goal.

    It doubles when the knob is turned the same way again, halves when it is turned back, and
    halves when neither neighbour proved better, because then both may be too far away.
    """

    step: float = 0.1
    least: float = 0.02
    most: float = 0.2
    last: int = 0
    """The way of the last move: -1 left, 1 right, 0 none yet."""

    def __post_init__(self) -> None:
        for name in ("step", "least", "most"):
            argument = name if name == "step" else f"{name}_step"
            do = "It is a part of the knob's way from 0 to 1."
            value = as_number(getattr(self, name), argument, least=0, most=1, do=do)
            object.__setattr__(self, name, value)
        if not 0 < self.least <= self.step <= self.most:
            raise bad_input(
                "step",
                "lie between least_step, which is above 0, and most_step",
                f"{self.step:g}, {self.least:g} and {self.most:g}",
                "For example: step=0.1, least_step=0.02, most_step=0.2.",
            )

    def moved(self, way: int) -> Stride:
        """Return the stride after a move."""
        if self.last == 0:
            return replace(self, last=way)
        return self._scaled(2.0 if way == self.last else 0.5, way)

    def calmed(self) -> Stride:
        """Return the stride after both neighbours proved no better."""
        return self._scaled(0.5, self.last)

    def _scaled(self, factor: float, last: int) -> Stride:
        return replace(self, step=min(max(self.step * factor, self.least), self.most), last=last)
