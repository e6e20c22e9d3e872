"""The study of savings: a few samples of a small setting."""

from __future__ import annotations

import pytest

from studies.new_rows_cost import Setting
from studies.savings_coverage import by_hull, by_hybrid, study


@pytest.mark.parametrize("compare", [by_hull, by_hybrid])
def test_savings_are_compared_with_what_is_saved(compare: object) -> None:
    setting = Setting("two models", 40, 80, (1.5, 1.5))
    found = study(setting, 0, compare, 3)  # type: ignore[arg-type]
    assert len(found) == 3
    for outcomes in found.values():
        off, holds = outcomes.T
        assert abs(off).max() < 0.4
        assert holds.mean() > 0.5
