"""A belief about shares: of the costs of all errors, or of the classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, shown
from rocch.inputs import as_number, as_whole
from rocch.multiclass.cost_matrix import CostMatrix

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True, init=False, eq=False)
class DirichletBelief:
    """A Dirichlet distribution over the costs of all errors, or over the shares of all classes.

    The ratios of the alphas say what is expected, their size how sure one is (Everson and
    Fieldsend, section 6). Costs are relative: they sum to 1, as in the paper.

    Parameters
    ----------
    alphas
        `{(truth, prediction): alpha}` for costs, with every error stated; `{class: alpha}` for
        shares of classes. All 1 is the uniform belief. An alpha of 0 means: certainly nothing.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.DirichletBelief.about({("ill", "well"): 9, ("well", "ill"): 1}, strength=20)
    >>> round(costs.mean["ill", "well"], 3)
    0.9
    >>> costs.sample(1000, seed=0).shape
    (1000, 2)
    """

    keys: tuple[Any, ...]
    alphas: FloatArray

    def __init__(self, alphas: Any) -> None:
        if not isinstance(alphas, Mapping):
            raise bad_input(
                "alphas",
                "map (truth, prediction), or classes, to numbers",
                kind_of(alphas),
                "For example: {('ill', 'well'): 9, ('well', 'ill'): 1}.",
            )
        numbers = [
            as_number(alpha, f"the alpha of {key!r}", least=0, do="1 is the uniform belief.")
            for key, alpha in alphas.items()
        ]
        if len(numbers) < 2 or not sum(numbers) > 0:
            raise bad_input(
                "alphas", "have two or more keys, and not only zeros", shown(numbers), "Add them."
            )
        _check_keys(tuple(alphas))
        array = np.array(numbers)
        array.flags.writeable = False
        object.__setattr__(self, "keys", tuple(alphas))
        object.__setattr__(self, "alphas", array)

    @classmethod
    def about(cls, expected: Any, *, strength: float) -> DirichletBelief:
        """Believe in expected costs or shares (in any unit), as surely as `strength` says.

        The standard deviation of a share s is sqrt(s (1 - s) / (strength + 1)).
        """
        belief = cls(expected)
        sure = as_number(strength, "strength", least=0, do="20 is fairly sure.")
        if not sure:
            raise bad_input("strength", "be above 0", "0", "20 is fairly sure.")
        scaled = belief.alphas / belief.alphas.sum() * sure
        return cls(dict(zip(belief.keys, scaled.tolist(), strict=True)))

    @property
    def mean(self) -> dict[Any, float]:
        """The expected share of each key."""
        shares = self.alphas / self.alphas.sum()
        return dict(zip(self.keys, shares.tolist(), strict=True))

    def sample(self, number: int, *, seed: int = 0) -> FloatArray:
        """Draw shares: one row for each draw, one column for each key in its order."""
        size = as_whole(number, "number", least=1, do="Draw at least once.")
        rng = np.random.default_rng(as_whole(seed, "seed", least=0, do="Any whole number will do."))
        shape = (size, len(self.keys))
        # gamma(a) is gamma(a + 1) u^(1/a); in logarithms even tiny alphas do not all become 0
        with np.errstate(divide="ignore"):
            logs = np.log(rng.standard_gamma(self.alphas + 1, shape))
            logs += np.log(rng.random(shape)) / self.alphas
        drawn: FloatArray = np.exp(logs - logs.max(axis=1, keepdims=True))
        drawn /= drawn.sum(axis=1, keepdims=True)
        return drawn

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DirichletBelief):
            return NotImplemented
        own, theirs = (dict(zip(b.keys, b.alphas.tolist(), strict=True)) for b in (self, other))
        return own == theirs

    def __hash__(self) -> int:
        return hash(frozenset(zip(self.keys, self.alphas.tolist(), strict=True)))

    def mean_costs(self, argument: str = "costs") -> CostMatrix:
        """Return the expected costs; least expected cost under this belief is that under them."""
        _check_pairs(self.keys, argument)
        return CostMatrix(self.mean)

    def cost_draws(self, classes: Classes, number: int, *, seed: int = 0) -> FloatArray:
        """Draw cost matrices in the order of the classes, right answers costing 0."""
        self.mean_costs().in_order(classes)
        draws = np.zeros((number, len(classes), len(classes)))
        for column, (truth, prediction) in zip(
            self.sample(number, seed=seed).T, self.keys, strict=True
        ):
            draws[:, classes.names.index(truth), classes.names.index(prediction)] = column
        return draws


def _check_keys(keys: tuple[Any, ...]) -> None:
    """Refuse beliefs that mix errors and classes, or speak of right answers."""
    pairs = [key for key in keys if isinstance(key, tuple) and len(key) == 2]
    if pairs and len(pairs) < len(keys):
        raise bad_input(
            "alphas",
            "be about errors or about classes",
            f"both: {shown(keys)}",
            "Make two beliefs.",
        )
    right = [pair for pair in pairs if pair[0] == pair[1]]
    if right:
        raise bad_input("alphas", "be about errors", shown(right), "Right answers cost nothing.")


def _check_pairs(keys: tuple[Any, ...], argument: str) -> None:
    if not all(isinstance(key, tuple) and len(key) == 2 for key in keys):
        raise bad_input(
            argument,
            "be a belief about errors, with (truth, prediction) as keys",
            f"keys {shown(keys)}",
            "A belief about classes is for priors.",
        )
