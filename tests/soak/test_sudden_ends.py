"""Three hundred sudden ends of a process that stores feedback."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support import sudden_end

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.timeout(3600)
def test_three_hundred_sudden_ends(tmp_path: Path) -> None:
    place, moments = tmp_path / "service.sqlite", random.Random(300)  # noqa: S311 - no secret
    acknowledged: set[str] = set()
    for seed in range(300):
        acknowledged |= sudden_end.killed(place, seed, moments.randint(1, 60))
        if seed % 50 == 49:
            sudden_end.check(place, acknowledged, seed + 1)
