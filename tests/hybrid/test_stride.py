"""The stride grows on the way and shrinks around the goal, within its bounds."""

from __future__ import annotations

from typing import Any

import pytest

import rocch
from rocch.hybrid.climb import Stride


def test_it_doubles_on_the_way_and_halves_on_reversal() -> None:
    first = Stride(0.1, 0.02, 0.3).moved(1)
    assert (first.step, first.last) == (0.1, 1)
    again = first.moved(1)
    assert again.step == 0.2
    assert again.moved(1).step == 0.3
    back = again.moved(-1)
    assert (back.step, back.last) == (0.1, -1)


def test_it_halves_when_calm_down_to_its_least() -> None:
    stride = Stride(0.1, 0.02, 0.2).moved(-1)
    steps = []
    for _ in range(4):
        stride = stride.calmed()
        steps.append(stride.step)
    assert steps == [0.05, 0.025, 0.02, 0.02]
    assert stride.last == -1


@pytest.mark.parametrize(
    "steps", [(0.1, 0.2, 0.3), (0.1, 0.05, 0.09), (0.1, 0, 0.2), (0.1, -1, 0.2), (2, 1, 3), ("a",)]
)
def test_unusable_steps_are_refused(steps: Any) -> None:
    with pytest.raises(rocch.InputError, match="step must"):
        Stride(*steps)
