"""Costs in tables."""

from __future__ import annotations

import pytest

from rocch.cli.render_assign import aligned


@pytest.mark.parametrize(
    ("costs", "written"),
    [
        ([0.473, 0.43456], ["0.4730", "0.4346"]),
        ([0.00123456, 0], ["0.001235", "0.000000"]),
        ([12.3456, 1], ["12.35", "1.00"]),
        ([1234567.8], ["1,234,568"]),
        ([0.0, 0.0], ["0", "0"]),
    ],
)
def test_costs_share_their_decimals(costs: list[float], written: list[str]) -> None:
    assert aligned(costs) == written
