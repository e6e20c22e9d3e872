"""Combining classifiers: rules such as "gbm and nb" that extend the hull, found and confirmed.

Among thousands of combinations some extend any hull by luck. So one part of the rows finds them,
and another, not used to find them, must show a gain beyond its standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InfeasibleError, bad_input
from rocch.hybrid.combining.boolean_search import Budget, search
from rocch.hybrid.combining.confirm import Judge
from rocch.hybrid.combining.gain import ALL_SLOPES, as_slopes
from rocch.hybrid.combining.running_cost import as_costs, in_cheapest_order
from rocch.hybrid.combining.sample import DecidedSample
from rocch.hybrid.combining.split import rows_to_find
from rocch.inputs import as_number, as_rate
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.hybrid.combining.confirm import Combination

MOST_ROUNDS = 4
"""More would make rules of more than five parts, which nobody can explain."""


@dataclass(frozen=True, slots=True)
class Combinations:
    """What a search for combinations found, and what of it was confirmed.

    Attributes
    ----------
    found
        All combinations that extended the hull on the finding rows, simplest first.
    hull
        The joint hull on the confirming rows: the single models (those within the budget, if
        there is one) and the confirmed combinations, these as labelled points under their words.
    singles
        The hull of the single models alone on the confirming rows; None if none is affordable.
    """

    found: tuple[Combination, ...]
    hull: RocHull
    singles: RocHull | None

    @property
    def confirmed(self) -> tuple[Combination, ...]:
        """The combinations that hold a vertex of `hull` and gain more than their standard error."""
        return tuple(combination for combination in self.found if combination.confirmed)

    @property
    def rejected(self) -> tuple[Combination, ...]:
        """The others; each says why."""
        return tuple(combination for combination in self.found if not combination.confirmed)


def find_combinations(
    y_true: Any,
    scores: Any,
    *,
    find: Any = 0.5,
    pos_label: Any = None,
    sample_weight: Any = None,
    thresholds: int | None = None,
    rounds: int = 2,
    costs: Mapping[str, float] | None = None,
    budget: float | None = None,
    prevalence: float | None = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    standard_errors: float = 1.0,
    random_state: int = 0,
) -> Combinations:
    """Search for rules of several models that extend their hull, and confirm them on other rows.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        Labels and weights, as for `RocCurve.from_scores`.
    scores
        Names of models to their scores on these rows, best out of fold; Boolean alarms for a model
        that only labels. At least two models.
    find
        The rows to find with: a Boolean mask (choose it yourself to keep groups together, or to
        find in the past and confirm later), or a share to draw at random from each class. The
        other rows confirm.
    thresholds
        Thresholds of each model to combine: by default those at the vertices of its own hull on
        the finding rows. A number adds so many others, at even ranks (all, if there are no more):
        slower, and it can find what the vertices alone do not give.
    rounds
        How often what was found is combined with the single models again, 1 to 4. After one round
        a rule has two parts, after two up to three.
    costs, prevalence
        What one row costs each model (by default 1), and the share of positives where the rules
        will run (by default the observed one): for running costs and the order of the parts.
    budget
        The most that a rule may cost per row. Single models that cost more are left out of the
        hull, yet may be the later part of a chain.
    slopes
        Only gains at these slopes count: `conditions.slope_range`, for example.
    standard_errors
        How many standard errors a gain must exceed.
    random_state
        The seed for drawing a share.

    Returns
    -------
    Combinations

    Raises
    ------
    InputError
        If the data cannot be used, or too few rows of a class are left to find or to confirm with.
    InfeasibleError
        If nothing can be run within the budget.

    Notes
    -----
    The single models are given their best thresholds on the confirming rows themselves, the
    combinations keep those of the finding rows; so the comparison favours the single models.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.3
    >>> scores = {  # two symptoms, and only the ill have both
    ...     "fever": rng.normal(size=4000) + 2 * (y | (rng.random(4000) < 0.3)),
    ...     "cough": rng.normal(size=4000) + 2 * (y | (rng.random(4000) < 0.3)),
    ... }
    >>> result = rocch.find_combinations(y, scores, rounds=1)
    >>> print(f"{result.singles.auc:.3f} -> {result.hull.auc:.3f}")
    0.820 -> 0.883
    >>> print(result.confirmed[0].name, result.confirmed[0].gain)
    cough and fever 0.0197 +- 0.00655 at slope 0.337
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    if len(sample.models) < 2:
        raise bad_input("scores", "name at least two models", "one", "There is nothing to combine.")
    dear = as_costs(costs, sample.models)
    limit = None if budget is None else as_number(budget, "budget", least=0)
    prevalence = None if prevalence is None else as_rate(prevalence, "prevalence")
    finding = rows_to_find(find, sample.positive, random_state)
    finders, others = sample.part(finding, "find"), sample.part(~finding, "confirm")
    expressions = search(
        finders,
        thresholds=None if thresholds is None else _whole(thresholds, "thresholds", 1, None),
        rounds=_whole(rounds, "rounds", 1, MOST_ROUNDS),
        budget=None if limit is None else Budget(dear, limit, prevalence),
    )
    ordered = [in_cheapest_order(found, finders, dear, prevalence) for found in expressions]
    judge = Judge(
        others,
        Budget(dear, math.inf if limit is None else limit, prevalence),
        as_slopes(slopes),
        as_number(standard_errors, "standard_errors", least=0),
    )
    return _result(judge, judge.judged(ordered))


def _result(judge: Judge, found: Sequence[Combination]) -> Combinations:
    sample = judge.sample
    singles = [sample.curve(model) for model in judge.singles]
    added = [
        RocCurve.from_labels(
            sample.positive,
            combination.expression.alarms(sample),
            sample_weight=sample.weights,
            name=combination.words,
        )
        for combination in found
        if combination.confirmed
    ]
    if not singles and not added:
        raise InfeasibleError(
            f"nothing can be run for {judge.budget.most:g} per row: the cheapest model costs "
            f"{min(judge.budget.costs.values()):g}, and no chain was confirmed. Raise the budget."
        )
    hull = RocHull.of(*singles, *added)
    return Combinations(tuple(found), hull, RocHull.of(*singles) if singles else None)


def _whole(value: Any, argument: str, least: int, most: int | None) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        upper = "" if most is None else f" and at most {most}"
        raise bad_input(
            argument, f"be a whole number, at least {least}{upper}", repr(value), "See its default."
        )
    return int(value)
