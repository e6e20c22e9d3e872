"""Everything that can be chosen: members of a surface, plain rules, and single answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.multiclass.surface import RocSurface
from rocch.report.many_classes.summary import Members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.arrays import FloatArray, IntArray
    from rocch.hybrid.multiclass_rule import RuleKind
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """What can be chosen, in columns as in `Members`, but as arrays and before it is reduced."""

    classes: Classes
    models: tuple[str, ...]
    model: IntArray
    place: IntArray
    counts: IntArray
    costs: FloatArray
    """NaN throughout for what answers by itself."""
    settings: tuple[str, ...]
    rules: int
    """How many rules stand first; their costs are those that they are named after."""

    @classmethod
    def of(
        cls,
        surface: RocSurface | None,
        rules: RocSurface | None,
        classes: Classes,
        totals: IntArray,
    ) -> Self:
        """Put rules first, so that of equals the simplest is taken; single answers come last."""
        known = [part for part in (rules, surface) if part is not None]
        models = tuple(dict.fromkeys(name for part in known for name in part.models))
        parts = [_of_surface(part, models, on_surface=part is surface) for part in known]
        columns = zip(*parts, _single_answers(totals), strict=True)
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
        """Return them as a surface, which can be asked; some may dominate others."""
        names = tuple(self.models[place] if place >= 0 else "" for place in self.model)
        nothing = np.empty((len(self), 0))
        return RocSurface(self.classes, self.counts, names, nothing, (), None)

    def columns(self) -> Members:
        """Return them as a summary tells them."""
        flat = self.costs.reshape(len(self), -1)
        costs = [None if np.isnan(row[0]) else tuple(row.tolist()) for row in flat]
        counts = self.counts.reshape(len(self), -1).tolist()
        return Members(
            tuple(self.model.tolist()),
            tuple(self.place.tolist()),
            tuple(map(tuple, counts)),
            tuple(costs),
            self.settings,
            self._kinds(costs),
        )

    def _kinds(self, costs: list[tuple[float, ...] | None]) -> tuple[RuleKind, ...]:
        names = tuple(self.classes)
        always = [None if model >= 0 else names[-1 - model] for model in self.model]
        return tuple(
            MulticlassRule(names, costs=own, always=label).kind
            for own, label in zip(costs, always, strict=True)
        )


Columns = tuple["IntArray", "IntArray", "IntArray", "FloatArray", list[str]]


def _of_surface(part: RocSurface, models: tuple[str, ...], *, on_surface: bool) -> Columns:
    number = len(part)
    model = np.array([models.index(name) for name in part.models], dtype=np.int64)
    place = np.arange(number) if on_surface else np.full(number, -1)
    costs = np.full(part.counts.shape, np.nan) if part.costs is None else part.costs
    settings = [_settings(part, place) for place in range(number)]
    return model, place, part.counts, costs, settings


def _settings(part: RocSurface, place: int) -> str:
    """Say a model's parameters; weights of a network tell a reader nothing."""
    told = part.parameters_of(place)
    few = told if len(told) <= 3 else {}
    return ", ".join(f"{name} {value:.4g}" for name, value in few.items())


def _single_answers(totals: IntArray) -> Columns:
    """Return every class as the answer to all rows."""
    size = len(totals)
    counts = np.zeros((size, size, size), dtype=np.int64)
    counts[range(size), :, range(size)] = totals
    costs = np.full(counts.shape, np.nan)
    return -1 - np.arange(size), np.full(size, -1), counts, costs, [""] * size
