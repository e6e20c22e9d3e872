"""Reactions: what a tuner did with each piece of feedback, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a tuner did with one piece of feedback.

    Attributes
    ----------
    feedback
        The method that was called.
    made_at
        The setting that the feedback is about; None where it speaks about every setting.
    counted
        Whether it was weighed; late feedback about a setting long left is not.
    moved
        How far the knob was turned: positive to the right, negative to the left, 0 if it stayed.
    position, step
        Where the knob stands now, and how far it would be turned next.
    for_left, for_right
        The evidence for either turn when this was decided, as e-values: by how much a bet on it
        would have multiplied its stake. A move needs 2 / alpha.
    why
        The reason, in words.
    """

    feedback: str
    made_at: float | None
    counted: bool
    moved: float
    position: float
    step: float
    for_left: float
    for_right: float
    why: str

    @property
    def direction(self) -> Literal["left", "right", "stayed"]:
        """Which way the knob was turned, if at all."""
        if self.moved == 0:
            return "stayed"
        return "right" if self.moved > 0 else "left"

    def __str__(self) -> str:
        did = (
            f"stayed at {self.position:.4g}"
            if self.moved == 0
            else f"turned {self.direction} by {abs(self.moved):.4g} to {self.position:.4g}"
        )
        return f"{did}: {self.why}"
