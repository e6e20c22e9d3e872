from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass import Classes
from rocch.report.many_classes.question import CostQuestion

CLASSES = Classes(("a", "b", "c"))
TOTALS = np.array([10, 20, 70])


def asked(**known: Any) -> CostQuestion:
    usual = {
        "classes": ("a", "b", "c"),
        "costs": ((0, 1, 2), (3, 0, 4), (5, 6, 0)),
        "shares": (0.2, 0.3, 0.5),
    }
    return CostQuestion(**(usual | known))


def test_costs_and_shares_become_plain_numbers() -> None:
    found = asked(costs=[[0, 1, 2], [3, 0, 4], np.array([5, 6, 0])], shares=[0.2, 0.3, 0.5])
    assert found == asked()
    assert all(type(cost) is float for row in found.costs for cost in row)


def test_without_costs_every_error_costs_one_at_the_observed_shares() -> None:
    found = CostQuestion.of(None, "observed", CLASSES, TOTALS)
    assert list(map(list, found.costs)) == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert found.shares == (0.1, 0.2, 0.7)


def test_costs_are_read_by_name_in_any_order() -> None:
    costs = rocch.CostMatrix({("c", "a"): 7}, classes=["c", "b", "a"], default=1)
    found = CostQuestion.of(costs, {"c": 0.5, "a": 0.25, "b": 0.25}, CLASSES, TOTALS)
    assert list(map(list, found.costs)) == [[0, 1, 1], [1, 0, 1], [7, 1, 0]]
    assert found.shares == (0.25, 0.25, 0.5)


def test_a_belief_counts_as_its_mean() -> None:
    belief = rocch.multiclass.DirichletBelief.about(dict.fromkeys(CLASSES.pairs, 1), strength=10)
    found = CostQuestion.of(belief, "observed", CLASSES, TOTALS)
    assert found.costs[0][1] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"costs": ((0, 1), (1, 0))}, "speak of 3 classes"),
        ({"shares": (0.5, 0.5)}, "speak of 3 classes"),
        ({"costs": 5}, "rows of numbers"),
        ({"costs": ((0, -1, 2), (3, 0, 4), (5, 6, 0))}, "'a' predicted as 'b'"),
        ({"costs": ((0, "x", 2), (3, 0, 4), (5, 6, 0))}, "'a' predicted as 'b'"),
        ({"costs": ((0, float("nan"), 2), (3, 0, 4), (5, 6, 0))}, "'a' predicted as 'b'"),
        ({"costs": ((2, 1, 2), (3, 0, 4), (5, 6, 0))}, "at least that of the right prediction"),
        ({"costs": ((0, 0, 0), (0, 0, 0), (0, 0, 0))}, "more expensive than the right prediction"),
        ({"costs": ((0, (1, 2), 2), (3, 0, 4), (5, 6, 0))}, "must be exact here"),
        ({"shares": (0.2, 0.3, 0.4)}, "sum to 1"),
        ({"shares": (-0.2, 0.7, 0.5)}, "0 to 1"),
        ({"classes": ("a", "a", "b")}, "'a' twice"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        asked(**wrong)


def test_bounds_are_refused_with_a_way_out() -> None:
    vague = rocch.CostMatrix({("a", "b"): (1, 5)}, classes=["a", "b", "c"], default=1)
    with pytest.raises(rocch.InputError, match=r"costs\.middle\(\)"):
        CostQuestion.of(vague, "observed", CLASSES, TOTALS)
    assert CostQuestion.of(vague.middle(), "observed", CLASSES, TOTALS).costs[0][1] == 3
