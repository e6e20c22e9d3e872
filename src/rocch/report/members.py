"""What a report on many classes can recommend: members of a surface, rules, and single classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Self

import numpy as np

from rocch.arrays import AnyArray, FloatArray, IntArray
from rocch.hybrid.multiclass_rule import RuleKind, rule_kind
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import Objectives
from rocch.multiclass.costs import DirichletBelief
from rocch.multiclass.models import KnownProbabilities
from rocch.multiclass.search import SurfaceSearch
from rocch.multiclass.surface import RocSurface, SurfaceMember, describe_settings
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

# Random costs that decide which members a page keeps.
RANDOM_COSTS = 4_000


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


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen from.

    Attributes
    ----------
    classes, models
        The classes, and the names of the models.
    members
        What can be chosen.
    rules
        The number of rules, which stand first; their costs are those that they are named after.
    """

    classes: Classes
    models: tuple[str, ...]
    members: Members
    rules: int

    @classmethod
    def of(
        cls,
        surface: RocSurface | None,
        rules: RocSurface | None,
        classes: Classes,
        totals: IntArray,
    ) -> Self:
        """Put rules first, so that of equals the simplest is taken; single classes come last.

        Of those that are the same model with the same counts the first is kept. A rule that is also
        a member of the surface takes its place there.
        """
        known = [part for part in (rules, surface) if part is not None]
        models = tuple(dict.fromkeys(name for part in known for name in part.models))
        parts = [_of_surface(part, models, on_surface=part is surface) for part in known]
        columns = zip(*map(_columns, [*parts, _single_classes(totals)]), strict=True)
        every = Members(*(tuple(chain.from_iterable(column)) for column in columns))
        first: dict[tuple[int, tuple[int, ...]], int] = {}
        place = list(every.place)
        for each, key in enumerate(zip(every.model, every.counts, strict=True)):
            kept = first.setdefault(key, each)
            place[kept] = max(place[kept], place[each])
        number = 0 if rules is None else len(rules)
        return cls(classes, models, replace(every, place=tuple(place)), number).at(first.values())

    def __len__(self) -> int:
        return len(self.members.model)

    def at(self, places: Iterable[int]) -> Self:
        """Keep some of them, in order."""
        kept = sorted(places)
        columns = _columns(self.members)
        members = Members(*(tuple(column[place] for place in kept) for column in columns))
        return replace(self, members=members, rules=sum(place < self.rules for place in kept))

    def with_member(self, member: SurfaceMember, *, alone: bool = False) -> tuple[Self, int]:
        """Return the choices with a member, and its place among them.

        It is added as the last one if it is not there yet, or if it is to stand alone.
        """
        models = tuple(dict.fromkeys((*self.models, member.model)))
        model, counts = models.index(member.model), member.confusion.counts
        costs = None if member.costs is None else tuple(member.costs.values.ravel().tolist())
        known = self.members
        flat = tuple(np.asarray(counts).ravel().tolist())
        found = zip(known.model, known.counts, known.costs, strict=True)
        places = [place for place, each in enumerate(found) if each == (model, flat, costs)]
        if places and not alone:
            return self, places[0]
        last = model, -1, flat, costs, rule_kind(costs), describe_settings(member.parameters)
        columns = zip(_columns(known), last, strict=True)
        members = Members(*((*column, value) for column, value in columns))
        return replace(self, models=models, members=members), len(self)

    @property
    def shown(self) -> int:
        """The number of members of the surface."""
        return sum(place >= 0 for place in self.members.place)


def surface_of(members: Members, classes: Classes) -> RocSurface:
    """Return members as a surface without names; some may dominate others."""
    size, number = len(classes), len(members.model)
    counts = np.array(members.counts, dtype=np.int64).reshape(-1, size, size)
    return RocSurface(classes, counts, ("",) * number, np.empty((number, 0)), (), None)


def _columns(members: Members) -> list[tuple[Any, ...]]:
    return [getattr(members, each.name) for each in fields(members)]


def _of_surface(part: RocSurface, models: tuple[str, ...], *, on_surface: bool) -> Members:
    number = len(part)
    costs = (None,) * number if part.costs is None else _flat(part.costs)
    return Members(
        tuple(models.index(name) for name in part.models),
        tuple(range(number)) if on_surface else (-1,) * number,
        _flat(part.counts),
        costs,
        tuple(map(rule_kind, costs)),
        tuple(describe_settings(part.parameters_of(place)) for place in range(number)),
    )


def _single_classes(totals: IntArray) -> Members:
    """Return every class as the prediction of all rows."""
    size = len(totals)
    always: RuleKind = "always"
    counts = np.zeros((size, size, size), dtype=np.int64)
    counts[range(size), :, range(size)] = totals
    return Members(
        tuple(range(-1, -1 - size, -1)),
        (-1,) * size,
        _flat(counts),
        (None,) * size,
        (always,) * size,
        ("",) * size,
    )


def _flat(matrices: AnyArray) -> tuple[tuple[Any, ...], ...]:
    """Return matrices as tuples, row by row."""
    return tuple(map(tuple, matrices.reshape(len(matrices), -1).tolist()))


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
    every = surface_of(choices.members, choices.classes)
    single = (place for place, model in enumerate(choices.members.model) if model < 0)
    first = dict.fromkeys([*needed, *range(choices.rules), *single])
    for place in random_winners(every):
        if len(first) < most:
            first.setdefault(place)
    room = max(most - len(first), 0)
    spread = even_sample(every, room).tolist() if room else []
    return sorted({*first, *spread})


def random_winners(surface: RocSurface) -> list[int]:
    """Return the places that are cheapest for random costs, the most frequent winners first."""
    belief = DirichletBelief(dict.fromkeys(surface.classes.pairs, 1.0))
    fair = dict.fromkeys(surface.classes, 1 / len(surface.classes))
    return list(surface.chances(belief, fair, samples=RANDOM_COSTS))
