"""What a report on many classes can recommend: members of a surface, rules, and single classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.hybrid.multiclass_rule import RuleKind, errors_cost_alike
from rocch.kernels import assignment
from rocch.kernels.engine import engine_for
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import Objectives
from rocch.multiclass.models import KnownProbabilities
from rocch.multiclass.search import SurfaceSearch
from rocch.multiclass.surface import RocSurface
from rocch.multiclass.views import even_sample
from rocch.report.summary import Members

# Up to this many classes every kind of error is traded off, up to this many their miss rates. With
# more, next to nothing dominates anything, and a front would say nothing.
MOST_RATES, MOST_MISSES = 4, 12

# The search of a surface: draws of costs per generation, the most generations, the most costs that
# are weighed by probabilities (which takes a few seconds), and the most members.
DRAWS, LEAST_DRAWS, MOST_GENERATIONS = 100, 10, 150
MOST_WORK, MOST_SEARCHED = 1_500_000_000, 12_000

# The most members, and counts, that a page carries.
MOST_MEMBERS, MOST_CELLS = 3_000, 60_000

# Random costs that decide which members a page keeps, and how many are compared at once.
RANDOM_COSTS, AT_ONCE = 4_000, 2_000_000

# Costs are tried with this many digits. Beyond this many rows times members it would take too long,
# and all digits are kept.
DIGITS = (2, 3, 4, 6)
MOST_PREDICTIONS = 100_000_000

# The most parameters of a model in a text; a network's weights mean nothing to a reader.
MOST_LISTED = 3


def search_surface(
    probabilities: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    *,
    generations: int | None = None,
    seed: int = 0,
) -> RocSurface | None:
    """Search the joint surface of models; None where there are too many classes for one.

    Parameters
    ----------
    probabilities, truths, classes
        Each model's probabilities of the evaluation rows, and these rows' classes as places.
    generations
        How often a model meets new costs; by default as often as a few seconds allow.
    seed
        The same seed finds the same surface.
    """
    if len(classes) > MOST_MISSES:
        return None
    objectives: Objectives = "rates" if len(classes) <= MOST_RATES else "misses"
    once = truths.size * len(classes) ** 2  # what one draw of costs takes
    draws = int(np.clip(MOST_WORK // (2 * once * len(probabilities)), LEAST_DRAWS, DRAWS))
    allowed = min(MOST_GENERATIONS, MOST_WORK // (draws * once))
    labels = np.array(classes.names, dtype=object)[truths]
    search = SurfaceSearch(
        KnownProbabilities(probabilities, classes),
        labels,
        classes=classes,
        objectives=objectives,
        draws=draws,
        seed=seed,
    )
    return search.run(allowed if generations is None else generations, most_members=MOST_SEARCHED)


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """What can be chosen, in columns as in `Members`, but as arrays and before it is reduced.

    Attributes
    ----------
    costs
        NaN throughout for what predicts by itself.
    rules
        The number of rules, which stand first; their costs are those that they are named after.
    """

    classes: Classes
    models: tuple[str, ...]
    model: IntArray
    place: IntArray
    counts: IntArray
    costs: FloatArray
    settings: tuple[str, ...]
    rules: int

    @classmethod
    def of(
        cls,
        surface: RocSurface | None,
        rules: RocSurface | None,
        classes: Classes,
        totals: IntArray,
    ) -> Self:
        """Put rules first, so that of equals the simplest is taken; single classes come last."""
        known = [part for part in (rules, surface) if part is not None]
        models = tuple(dict.fromkeys(name for part in known for name in part.models))
        parts = [_of_surface(part, models, on_surface=part is surface) for part in known]
        columns = zip(*parts, _single_classes(totals), strict=True)
        model, place, counts, costs, settings = (list(column) for column in columns)
        return cls(
            classes,
            models,
            np.concatenate(model),
            np.concatenate(place),
            np.concatenate(counts),
            np.concatenate(costs),
            tuple(text for part in settings for text in part),
            0 if rules is None else len(rules),
        ).distinct()

    def __len__(self) -> int:
        return len(self.model)

    def at(self, places: Iterable[int]) -> Self:
        """Keep some of them, in order."""
        kept = np.array(sorted(places), dtype=np.int64)
        return type(self)(
            self.classes,
            self.models,
            self.model[kept],
            self.place[kept],
            self.counts[kept],
            self.costs[kept],
            tuple(self.settings[place] for place in kept),
            int((kept < self.rules).sum()),
        )

    def distinct(self) -> Self:
        """Keep the first of those that are the same model with the same counts.

        A rule that is also a member of the surface takes its place there.
        """
        first: dict[tuple[int, bytes], int] = {}
        place = self.place.copy()
        for each, (model, counts) in enumerate(zip(self.model, self.counts, strict=True)):
            kept = first.setdefault((int(model), counts.tobytes()), each)
            place[kept] = max(place[kept], place[each])
        return replace(self, place=place).at(first.values())

    def as_surface(self) -> RocSurface:
        """Return them as a surface; some may dominate others."""
        names = tuple(self.models[place] if place >= 0 else "" for place in self.model)
        nothing = np.empty((len(self), 0))
        return RocSurface(self.classes, self.counts, names, nothing, (), None)

    @property
    def predicted(self) -> IntArray:
        """How often all models together predict each class."""
        return np.asarray(self.counts[self.model >= 0].sum(axis=(0, 1)))

    def columns(self) -> Members:
        """Return them as in a summary."""
        flat = self.costs.reshape(len(self), -1)
        costs = [None if np.isnan(row[0]) else tuple(row.tolist()) for row in flat]
        counts = self.counts.reshape(len(self), -1).tolist()
        return Members(
            tuple(self.model.tolist()),
            tuple(self.place.tolist()),
            tuple(map(tuple, counts)),
            tuple(costs),
            tuple(map(_rule_kind, self.model.tolist(), costs)),
            self.settings,
        )


Columns = tuple[IntArray, IntArray, IntArray, FloatArray, list[str]]


def _of_surface(part: RocSurface, models: tuple[str, ...], *, on_surface: bool) -> Columns:
    number = len(part)
    model = np.array([models.index(name) for name in part.models], dtype=np.int64)
    place = np.arange(number) if on_surface else np.full(number, -1)
    costs = np.full(part.counts.shape, np.nan) if part.costs is None else part.costs
    settings = [_settings(part, place) for place in range(number)]
    return model, place, part.counts, costs, settings


def _settings(part: RocSurface, place: int) -> str:
    parameters = part.parameters_of(place)
    few = parameters if len(parameters) <= MOST_LISTED else {}
    return ", ".join(f"{name} {value:.4g}" for name, value in few.items())


def _single_classes(totals: IntArray) -> Columns:
    """Return every class as the prediction of all rows."""
    size = len(totals)
    counts = np.zeros((size, size, size), dtype=np.int64)
    counts[range(size), :, range(size)] = totals
    costs = np.full(counts.shape, np.nan)
    return -1 - np.arange(size), np.full(size, -1), counts, costs, [""] * size


def _rule_kind(model: int, costs: tuple[float, ...] | None) -> RuleKind:
    if model < 0:
        return "always"
    if costs is None:
        return "own_predictions"
    return "most_likely_class" if errors_cost_alike(costs) else "least_expected_cost"


# ---- which choices a page keeps -----------------------------------------------------------------


def choose_kept(choices: Choices, needed: Iterable[int]) -> list[int]:
    """Return the places that a page keeps when there are more than it can carry, sorted.

    These are the needed ones, all rules and single classes; then the members that are
    cheapest for some of 4,000 random costs, since only they can be recommended; then others, evenly
    from the fewest errors to the most, since they show the trade-off.
    """
    most = min(MOST_MEMBERS, MOST_CELLS // len(choices.classes) ** 2)
    if len(choices) <= most:
        return list(range(len(choices)))
    single = np.flatnonzero(choices.model < 0).tolist()
    first = dict.fromkeys([*needed, *range(choices.rules), *single])
    for place in random_winners(choices):
        if len(first) < most:
            first.setdefault(place)
    room = max(most - len(first), 0)
    spread = even_sample(choices.as_surface(), room).tolist() if room else []
    return sorted({*first, *spread})


def random_winners(choices: Choices) -> list[int]:
    """Return the places that are cheapest for random costs, the most frequent winners first."""
    size = len(choices.classes)
    rng = np.random.default_rng(0)
    totals = choices.counts[0].sum(axis=1)
    rates = (choices.counts / totals[:, None])[:, ~np.eye(size, dtype=bool)].T
    wins = np.zeros(len(choices), dtype=np.int64)
    for number in _batches(len(choices)):
        costs = rng.standard_exponential((number, size * (size - 1)))
        wins += np.bincount((costs @ rates).argmin(axis=1), minlength=len(choices))
    order: IntArray = np.argsort(-wins, kind="stable")
    return [int(place) for place in order if wins[place]]


def _batches(members: int) -> Iterator[int]:
    """Split the draws so that each part's costs of all members fit into little memory."""
    step, left = max(1, AT_ONCE // members), RANDOM_COSTS
    while left > 0:
        yield min(step, left)
        left -= step


# ---- costs in as few digits as decide alike on the evaluation rows ------------------------------


def shorten_costs(
    choices: Choices, probabilities: Mapping[str, FloatArray], truths: IntArray
) -> Choices:
    """Shorten the costs by which members of the surface predict, where their counts stay the same.

    They are written as parts of the largest, which changes no prediction. Rules keep the costs that
    they are named after.
    """
    if truths.size * len(choices) > MOST_PREDICTIONS:
        return choices
    costs = choices.costs.copy()
    searched = (choices.place >= 0) & (np.arange(len(choices)) >= choices.rules)
    searched &= ~np.isnan(costs[:, 0, 0])
    for model, name in enumerate(choices.models):
        if name in probabilities:
            own = np.flatnonzero(searched & (choices.model == model))
            costs[own] = _shortened(costs[own], choices.counts[own], probabilities[name], truths)
    return replace(choices, costs=costs)


def _shortened(
    costs: FloatArray, counts: IntArray, probabilities: FloatArray, truths: IntArray
) -> FloatArray:
    short, left = costs.copy(), np.arange(len(costs))
    for digits in DIGITS:
        if not left.size:
            break
        parts = costs[left] / costs[left].max(axis=(1, 2), keepdims=True)
        tried = _rounded(parts, digits)
        count = engine_for(assignment, truths.size * left.size).count_draws
        found = count(probabilities, truths, tried, costs.shape[1])
        same = (found == counts[left]).all(axis=(1, 2))
        short[left[same]] = tried[same]
        left = left[~same]
    return short


def _rounded(values: FloatArray, digits: int) -> FloatArray:
    """Round to significant digits, as they are written."""
    texts = [f"{value:.{digits - 1}e}" for value in values.ravel().tolist()]
    return np.array([float(text) for text in texts]).reshape(values.shape)
