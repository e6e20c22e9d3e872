"""What kind of rule a member answers by, told from its costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.hybrid.multiclass_rule import errors_cost_alike

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
    return costs is not None and errors_cost_alike(costs)


def is_asked(costs: tuple[float, ...], question: CostQuestion) -> bool:
    """Say whether a member answers by the very costs that are asked about."""
    return costs == tuple(cost for row in question.costs for cost in row)
