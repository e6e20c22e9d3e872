"""What kind of rule a member answers by, told from its costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocch.report.many_classes.question import CostQuestion


def is_plain(costs: tuple[float, ...] | None) -> bool:
    """Say whether costs treat all errors alike, so that the most likely class is the answer.

    Examples
    --------
    >>> from rocch.report.many_classes.rules import is_plain
    >>> is_plain((0, 1, 1, 0)), is_plain((0, 2, 1, 0)), is_plain(None)
    (True, False, False)
    """
    if costs is None:
        return False
    size = round(len(costs) ** 0.5)
    right = {cost for place, cost in enumerate(costs) if not place % (size + 1)}
    wrong = {cost for place, cost in enumerate(costs) if place % (size + 1)}
    return right == {0.0} and len(wrong) == 1


def is_asked(costs: tuple[float, ...], question: CostQuestion) -> bool:
    """Say whether a member answers by the very costs that are asked about."""
    return costs == tuple(cost for row in question.costs for cost in row)
