"""A trial: two neighbouring settings run in turn, when only a period's cost is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocch.hybrid.coin import tosses
from rocch.hybrid.tuning.feedback import trial

if TYPE_CHECKING:
    from rocch.hybrid.tuning.evidence import Sides

NONE_YET = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """What the two settings beside the knob's have cost so far in this round.

    The centre itself is not run: the difference between its two sides is twice as large, and says
    where to turn with two periods instead of three.

    Attributes
    ----------
    round
        How many trials came before; with the seed it decides who is first.
    left, right
        Total cost and number of cases on each side.
    compared, squares
        How many differences there were so far, and the sum of their squares.
    """

    round: int = 0
    left: tuple[float, float] = NONE_YET
    right: tuple[float, float] = NONE_YET
    compared: int = 0
    squares: float = 0.0

    def next_side(self, seed: int) -> int:
        """Return which side to run now: -1 or 1, in an order drawn by a coin."""
        first = -1 if tosses([f"trial:{self.round}"], seed)[0] < 0.5 else 1
        return first if self._cases(first) == 0 else -first

    def observed(self, side: int, total: float, cases: float) -> Trial:
        """Return the trial with one more cost; late ones of the same side are pooled."""
        before = self.left if side < 0 else self.right
        after = (before[0] + total, before[1] + cases)
        return replace(self, left=after) if side < 0 else replace(self, right=after)

    @property
    def complete(self) -> bool:
        """Whether both sides have been run."""
        return self.left[1] > 0 and self.right[1] > 0

    @property
    def difference(self) -> float:
        """By how much the left side cost more per case."""
        return self.left[0] / self.left[1] - self.right[0] / self.right[1]

    def finished(self) -> tuple[Trial, Sides]:
        """Return the next trial, and what this one says."""
        squares, compared = self.squares + self.difference**2, self.compared + 1
        said = trial(self.difference, (squares / compared) ** 0.5)
        return replace(self.again(), compared=compared, squares=squares), said

    def again(self) -> Trial:
        """Return a new trial, with what is known of typical differences."""
        return Trial(self.round + 1, compared=self.compared, squares=self.squares)

    def _cases(self, side: int) -> float:
        return (self.left if side < 0 else self.right)[1]
