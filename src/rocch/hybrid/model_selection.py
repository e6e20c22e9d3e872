"""Which models the hybrid keeps, and why it forgets the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.arrays import BoolArray
from rocch.errors import InfeasibleError, InputError
from rocch.hybrid.combine import Combinations, find_combinations
from rocch.hybrid.gain import (
    ALL_SLOPES,
    FEWEST,
    DecidedSample,
    Envelope,
    as_costs,
    as_slopes,
    envelope,
    gains,
)
from rocch.hybrid.rule import Expression
from rocch.inputs import as_number
from rocch.roc.conditions import Conditions
from rocch.roc.curve import auc
from rocch.roc.hull import RocHull

if TYPE_CHECKING:  # it loads scikit-learn, which pruning a library does not need
    from rocch.hybrid.training import OutOfFold

# --- Parsimony: as few models as lose nothing that the rows can show ------------------------------
#
# With many models some hold a vertex by luck alone. The one-standard-error rule keeps the simpler
# hull wherever the larger one's gain cannot be told from none.


def simplest_subset(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    costs: Mapping[str, float] | None = None,
    standard_errors: float = 1.0,
) -> tuple[str, ...]:
    """Return the few models whose hull is as good as that of all, within one standard error.

    Models are dropped one by one, always the one whose going costs least at its worst slope, as
    long as at no slope the hull of all models gains more than its standard error over the hull of
    those left. Of models that cost equally little to drop the dearest goes, then the last by name.
    One model always stays.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        Labels and weights, as for `RocCurve.from_scores`.
    scores
        Names of models to their scores on these rows, best out of fold; Boolean alarms for a model
        that only labels.
    slopes
        The slopes that matter: `conditions.slope_range`, for example.
    costs
        What one row costs each model to score.
    standard_errors
        How many standard errors of loss to accept; 0 drops only what holds no vertex alone.

    Returns
    -------
    tuple of str
        The names of the models to keep, sorted.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> scores = {"a": [1, 2, 4, 3, 5, 6], "again": [1, 2, 4, 3, 5, 6], "poor": [2, 1, 3, 3, 1, 2]}
    >>> rocch.hybrid.simplest_subset(y, scores)
    ('a',)
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    dear = as_costs(costs, sample.models)
    elimination = _Elimination(
        sample,
        {model: sample.decisions(sample.settings(model)) for model in sample.models},
        as_slopes(slopes),
        as_number(standard_errors, "standard_errors", least=0),
    )
    kept = tuple(sample.models)
    while len(kept) > 1:
        losses = elimination.losses(kept)
        if not losses:
            break
        least = min(losses.values())
        tied = [model for model, loss in losses.items() if loss == least]
        gone = max(tied, key=lambda model: (dear[model], model))
        kept = tuple(model for model in kept if model != gone)
    return kept


@dataclass(frozen=True, eq=False)
class _Elimination:
    """The rule by which a model may go."""

    sample: DecidedSample
    decisions: Mapping[str, BoolArray]
    slopes: tuple[float, float]
    standard_errors: float

    def losses(self, kept: Sequence[str]) -> dict[str, float]:
        """Return, for each model that may go, what the hull of all then gains at worst."""
        losses = {}
        for model in kept:
            rest = self._hull([other for other in kept if other != model])
            found = gains(self.sample, self._full, rest, self.slopes)
            if not any(gain.exceeds(self.standard_errors) for gain in found):
                losses[model] = max(gain.gain for gain in found)
        return losses

    @cached_property
    def _full(self) -> Envelope:
        return self._hull(self.decisions)

    def _hull(self, models: Iterable[str]) -> Envelope:
        return envelope(self.sample, np.concatenate([self.decisions[model] for model in models]))


# --- Which models the hybrid keeps, and why it forgets the others ---------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the user wants kept: see the parameters of `RocchClassifier`."""

    within: Conditions | None = None
    row_budget: float | None = None
    row_costs: Mapping[str, float] = field(default_factory=dict)
    parsimonious: bool = False
    combine: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """The hull of what is kept, and the reasons for the rest.

    Attributes
    ----------
    judged
        The rows that the hull was judged on; fewer than at first if some had to find combinations.
    hull
        The hull of the kept models, and of combinations of them.
    names
        The models to keep.
    discarded
        Why each of the others goes.
    expressions
        When to alarm, for the names on the hull that are combinations.
    combinations
        All that was found, if combinations were sought.
    """

    judged: OutOfFold
    hull: RocHull
    names: tuple[str, ...]
    discarded: dict[str, str]
    expressions: dict[str, Expression]
    combinations: Combinations | None


def keep(judged: OutOfFold, wishes: Wishes) -> Kept:
    """Keep the fewest models that hold every vertex of the hull, alone or in combinations."""
    discarded: dict[str, str] = {}
    names = list(judged.scores)
    slopes = ALL_SLOPES
    if wishes.within is not None:
        slopes = wishes.within.resolved(judged.hull(names[:1]).totals).slope_range
    combinations = None
    if wishes.combine and len(names) > 1:
        judged, combinations = _combined(judged, slopes, wishes)
        whole = combinations.hull
    else:
        names = affordable(names, wishes.row_budget, wishes.row_costs, discarded)
        whole = judged.hull(names)
    confirmed = combinations.confirmed if combinations else ()
    expressions = {c.words: c.expression for c in confirmed}
    costs = {**wishes.row_costs, **{c.words: c.running_cost for c in confirmed}}
    simple = whole
    if wishes.parsimonious:
        simple = _simplest(judged, whole, expressions, slopes, costs if wishes.row_costs else None)
    hull = simple if wishes.within is None else simple.within(wishes.within)
    on_hull = cover(hull, costs if wishes.row_costs else {})
    needed = {m for n in on_hull for m in (expressions[n].models if n in expressions else (n,))}
    for name in names:
        if name not in needed:
            discarded[name] = _why_not(name, judged, (whole, simple, hull), on_hull)
    if on_hull:
        hull = _only(hull, on_hull)
    used = {name: part for name, part in expressions.items() if name in on_hull}
    order = tuple(name for name in judged.scores if name in needed)
    return Kept(judged, hull, order, discarded, used, combinations)


def _only(hull: RocHull, names: Iterable[str]) -> RocHull:
    """Return the hull of some of its members alone."""
    members = tuple(member for member in hull.members if member.name in set(names))
    return RocHull(hull.totals, members, hull.slope_bounds)


def cover(hull: RocHull, row_costs: Mapping[str, float]) -> frozenset[str]:
    """Return few names that hold every vertex between them, the cheaper of equals.

    First those that hold a vertex alone; then, as long as a vertex is left, whoever holds most of
    the rest.
    """
    left = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    chosen = {name for holders in left if len(holders) == 1 for name in holders}
    while left := [holders for holders in left if not holders & chosen]:
        held = {name: sum(name in h for h in left) for h in left for name in h}
        chosen.add(min(held, key=lambda name: (-held[name], row_costs.get(name, 0.0), name)))
    return frozenset(chosen)


def _simplest(
    judged: OutOfFold,
    whole: RocHull,
    expressions: Mapping[str, Expression],
    slopes: tuple[float, float],
    costs: Mapping[str, float] | None,
) -> RocHull:
    """Return the hull of the few members that lose no more than one standard error.

    Rows that were held out several times count once here: repeats are no further evidence.
    """
    sample = judged.once().sample
    answers = {
        member.name: expressions[member.name].alarms(sample)
        if member.name in expressions
        else sample.scores(member.name)
        for member in whole.members
    }
    if len(answers) < 2:
        return whole
    simple = simplest_subset(
        sample.positive,
        answers,
        sample_weight=sample.weights,
        slopes=slopes,
        costs=None if costs is None else {name: costs[name] for name in answers},
    )
    return _only(whole, simple)


def _combined(
    judged: OutOfFold, slopes: tuple[float, float], wishes: Wishes
) -> tuple[OutOfFold, Combinations]:
    """Find combinations on some rows; return the others, and what they confirm.

    Of rows that were held out several times the first time counts, so that no row both finds and
    confirms, and none confirms twice.
    """
    judged = judged.once()
    finding = _finding_rows(judged)
    _check_halves(judged, finding)
    combinations = find_combinations(
        judged.positive,
        dict(judged.scores),
        find=finding,
        sample_weight=judged.weights,
        costs=wishes.row_costs or None,
        budget=wishes.row_budget,
        slopes=slopes,
    )
    return judged.part(~finding), combinations


def _check_halves(judged: OutOfFold, finding: BoolArray) -> None:
    """Refuse to combine where too few rows can find combinations, or confirm them."""
    counted = np.ones_like(finding) if judged.weights is None else judged.weights > 0
    for rows, purpose in ((finding, "find"), (~finding, "confirm")):
        hits = int(np.count_nonzero(rows & counted & judged.positive))
        others = int(np.count_nonzero(rows & counted)) - hits
        if min(hits, others) < FEWEST:
            raise InputError(
                "combine",
                f"be False unless {FEWEST} rows of each class find combinations, and {FEWEST} of "
                "each confirm them",
                f"{hits} positive and {others} negative rows to {purpose} with",
                "Collect more rows, or choose splits that hold both classes.",
            )


def _finding_rows(judged: OutOfFold) -> BoolArray:
    """Return the rows of the first splits, up to half of all; or half of a single one.

    Whole splits keep groups together; in time order the past finds and the later rows confirm. A
    single split is halved by groups, if there are some, or within each class.
    """
    folds, sizes = np.unique(judged.folds, return_counts=True)
    if folds.size > 1:
        first = np.cumsum(sizes) <= judged.rows.size / 2
        first[0] = True
        return np.isin(judged.folds, folds[first])
    if judged.groups is not None:
        names, sizes = np.unique(judged.groups, return_counts=True)
        return np.isin(judged.groups, names[np.cumsum(sizes) <= judged.rows.size / 2])
    finding = np.zeros(judged.rows.size, dtype=bool)
    for rows in (np.flatnonzero(judged.positive), np.flatnonzero(~judged.positive)):
        finding[rows[: rows.size // 2]] = True
    return finding


def affordable(
    names: list[str],
    budget: float | None,
    costs: Mapping[str, float],
    discarded: dict[str, str],
) -> list[str]:
    """Return the models within a budget per row, and note why the others are not."""
    if budget is None:
        return names
    for name in names:
        if costs[name] > budget:
            discarded[name] = f"costs {costs[name]:.3g} per row, above {budget:.3g}"
    cheap = [name for name in names if name not in discarded]
    if not cheap:
        least = min(names, key=lambda name: costs[name])
        raise InfeasibleError(
            f"no model runs within row_budget={budget:.3g}; the cheapest, {least!r}, costs "
            f"{costs[least]:.3g} per row. Raise the budget, or add a cheaper model."
        )
    return cheap


def _why_not(
    name: str, judged: OutOfFold, hulls: tuple[RocHull, RocHull, RocHull], kept: Iterable[str]
) -> str:
    """Say why a model goes, given the hulls of all, of the simplest few, and within the bounds."""
    whole, simple, hull = hulls
    if not _is_member(name, whole):
        return "costs more per row than the budget, and no chain within it was confirmed"
    if _worse_than_chance(judged, name):
        return "worse than chance: are its answers turned round?"
    if not _is_member(name, simple):
        return "gains no more than one standard error at any slope"
    places = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    if any(name in holders for holders in places):
        others = sorted(set().union(*(h for h in places if name in h)) & set(kept))
        return f"every vertex it holds is also held by {' or '.join(others)}"
    if any(name in vertex.classifiers for vertex in simple.vertices[1:-1]):
        return "holds a vertex only for conditions outside the bounds"
    return "holds no vertex of the hull: never the best, whatever the conditions"


def _is_member(name: str, hull: RocHull) -> bool:
    return any(member.name == name for member in hull.members)


def _worse_than_chance(judged: OutOfFold, name: str) -> bool:
    """Say whether a model ranks negatives above positives, by more than chance explains."""
    rows = judged.once()
    hits = int(np.count_nonzero(rows.positive))
    others = rows.positive.size - hits
    error = math.sqrt((hits + others + 1) / (12 * hits * others))  # of the rank sum, without ties
    return auc(rows.positive, rows.scores[name].astype(float)) < 0.5 - 2 * error
