"""Members that suggest themselves, whatever the costs will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocch.report.many_classes.choices import Choices
    from rocch.report.many_classes.question import CostQuestion


def suggestions(choices: Choices, question: CostQuestion) -> dict[str, int]:
    """Return the places of members that suggest themselves, by what they are best at."""
    every = choices.as_surface()
    found = {
        "cheapest at these costs": every.best(question.cost_matrix, question.priors),
        "fewest errors": every.fewest_errors(),
        "all classes alike": every.knee(),
        "farthest from random": every.farthest_from_random(),
    }
    return {name: int(point.member.place or 0) for name, point in found.items()}
