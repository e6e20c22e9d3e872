"""How a member of a surface answers new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input, kind_of, shown
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import as_posteriors

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import IntArray
    from rocch.multiclass.judged_members import JudgedMembers


def answers_of(surface: JudgedMembers, model: Any, place: int) -> Callable[[Any], IntArray]:
    """Return the function by which a member answers new rows, with the classes' places.

    `model` gives the posteriors of new rows for the member's parameters; the member's costs make
    answers of them (Everson and Fieldsend, equation 3).
    """
    if not callable(getattr(model, "posteriors_of", None)):
        raise bad_input(
            "model",
            "give posteriors of new rows by posteriors_of(parameters, X)",
            kind_of(model),
            "Pass the model that the surface was found with.",
        )
    if surface.costs is None:
        raise bad_input(
            "surface",
            "know the costs by which its members answer",
            "members that were given by their labels",
            "Show their own predict functions instead (from_classifiers).",
        )
    names = getattr(model, "parameter_names", surface.parameter_names)
    if tuple(names) != surface.parameter_names:
        raise bad_input(
            "model",
            f"have the surface's parameters ({shown(surface.parameter_names)})",
            shown(names),
            "Pass the model that it was found with; for a joined surface SeveralModels of the "
            "models under the same names, in the same order.",
        )
    parameters, costs = surface.parameters[place], surface.costs[place]

    def answer(X: Any) -> IntArray:
        posteriors = model.posteriors_of(parameters, X)
        return least_cost(
            as_posteriors(posteriors, surface.classes, argument="the model's posteriors"), costs
        )

    return answer
