"""Cost matrices drawn at random from a Dirichlet distribution (Everson and Fieldsend, eq. 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import is_number
from rocch.multiclass.dirichlet import DirichletBelief

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass.classes import Classes

WIDE_ENOUGH = 0.02
"""Smaller alphas can draw gammas that are all zero in doubles, and costs need a sum."""


@dataclass(frozen=True, slots=True, eq=False)
class CostDraws:
    """Costs that sum to 1, nothing for a right answer; alphas say which are believed large."""

    alphas: FloatArray
    """Truths by answers; the diagonal is 0."""

    @classmethod
    def of(cls, alphas: Any, classes: Classes) -> CostDraws:
        """Read alphas: None (all are 1), a number, by pair, or a belief."""
        given = 1.0 if alphas is None else alphas
        if isinstance(given, DirichletBelief):
            given.mean_costs("alphas").in_order(
                classes, "alphas"
            )  # every error, and no other class
            given = dict(zip(given.keys, given.alphas.tolist(), strict=True))
        if isinstance(given, Mapping):
            matrix = _by_pair(given, classes)
        elif is_number(given):
            matrix = np.full((len(classes), len(classes)), _alpha(given, "alphas"))
        else:
            raise bad_input(
                "alphas",
                "be a number, map pairs (truth, prediction) to numbers, or be a DirichletBelief",
                kind_of(given),
                "A bare matrix could be transposed. For example: {('cat', 'dog'): 5.0}.",
            )
        np.fill_diagonal(matrix, 0)
        matrix.flags.writeable = False
        return cls(matrix)

    def draw(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return so many cost matrices; of several the first has equal costs.

        That is Everson and Fieldsend's draw but for the first. Without it, the plain answers of a
        model, which are those at equal costs, would never be found.
        """
        classes = len(self.alphas)
        wrong = ~np.eye(classes, dtype=bool)
        shapes = self.alphas[wrong]
        size = (number, shapes.size)
        # gammas of shape 1 are exponentials, which are drawn much faster
        plain = bool((shapes == 1).all())
        drawn = rng.standard_exponential(size) if plain else rng.standard_gamma(shapes, size)
        costs = np.zeros((number, classes, classes))
        costs[:, wrong] = drawn / drawn.sum(axis=1, keepdims=True)
        if number > 1:
            costs[0, wrong] = 1 / shapes.size
        return costs


def _by_pair(alphas: Mapping[Any, Any], classes: Classes) -> FloatArray:
    matrix = np.ones((len(classes), len(classes)))
    for pair, alpha in alphas.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise bad_input(
                "alphas",
                "have pairs (truth, prediction) as keys",
                repr(pair),
                "For example: {('cat', 'dog'): 5.0}.",
            )
        truth, answer = (classes.place(name, "alphas") for name in pair)
        if truth == answer:
            raise bad_input(
                "alphas",
                "be given for wrong answers only",
                repr(pair),
                "Right answers cost nothing.",
            )
        matrix[truth, answer] = _alpha(alpha, f"alphas[{pair!r}]")
    return matrix


def _alpha(alpha: Any, argument: str) -> float:
    if not is_number(alpha) or not WIDE_ENOUGH <= alpha <= 1e6:
        raise bad_input(
            argument,
            f"be a number from {WIDE_ENOUGH:g} to 1e6",
            repr(alpha),
            "Alphas are in the ratio of the expected costs; larger ones vary less.",
        )
    return float(alpha)
