"""The answer to an addition: what it did to the hull."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rocch.library.savings import Saving, savings
from rocch.roc.operating_point import ALWAYS, NEVER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.roc.conditions import Conditions
    from rocch.roc.hull import RocHull

Outcome = Literal["extends", "ties", "discarded", "present"]

WORDS: dict[Outcome, str] = {
    "ties": "ties: it reaches vertices that are there already, and is named there too",
    "discarded": "cannot ever be optimal; discarded",
    "present": "is there already, just so; what was said about it stays as it was",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one classifier that was added.

    Attributes
    ----------
    name
        The classifier.
    outcome
        "extends" the hull, "ties" with vertices that are there, is "discarded" because it can
        never be better than what is there, or was "present" already, the very same.
    places
        Where it extends the hull: each new vertex, the slopes at which it is best, and what it
        saves at most.
    """

    name: str
    outcome: Outcome
    places: tuple[Saving, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the library holds it now."""
        return self.outcome != "discarded"

    @property
    def saves(self) -> float:
        """The most that it saves at any slope, as a share of the cost of always erring."""
        return max((place.saves for place in self.places), default=0.0)

    def __str__(self) -> str:
        if self.outcome != "extends":
            return f"{self.name} {WORDS[self.outcome]}"
        best = max(self.places, key=lambda place: place.saves)
        low, high = self.places[-1].low, self.places[0].high
        return (
            f"{self.name} extends the hull at {len(self.places)} place(s), for slopes {low:.4g} to "
            f"{high:.4g}; saves up to {100 * best.saves:.3g} % of the cost of always erring, at "
            f"slope {best.at:.4g}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """What an addition did.

    Attributes
    ----------
    classifiers
        What became of each classifier that was added, in the order in which they came.
    driven_out
        Names of older classifiers that hold no vertex any more, and are gone.
    before, hull
        The hull as it was, and as it is.
    """

    classifiers: tuple[Judgement, ...]
    driven_out: tuple[str, ...]
    before: RocHull
    hull: RocHull

    @property
    def extends(self) -> bool:
        """Whether the hull grew."""
        return any(one.outcome == "extends" for one in self.classifiers)

    def saving(self, conditions: Conditions) -> float:
        """Return what the addition saves per case under exact conditions, in their unit."""
        old, new = (hull.best(conditions).expected_cost for hull in (self.before, self.hull))
        assert old is not None and new is not None  # noqa: S101, PT018 - conditions give a cost
        return old - new

    def __str__(self) -> str:
        lines = [str(one) for one in self.classifiers]
        if self.driven_out:
            lines.append(f"driven out: {', '.join(self.driven_out)}")
        return "\n".join(lines)


def judged_addition(
    new: Iterable[str], present: Iterable[str], before: RocHull, hull: RocHull
) -> Added:
    """Judge an addition by the hulls before and after it."""
    fresh = savings(before, hull)
    there = set(present)
    now = hull.winners
    return Added(
        tuple(_judgement(name, there, now, fresh) for name in new),
        tuple(sorted(before.winners - now)),
        before,
        hull,
    )


def _judgement(name: str, present: set[str], now: Any, fresh: list[Saving]) -> Judgement:
    if name in present:
        return Judgement(name, "present")
    if name not in now:
        return Judgement(name, "discarded")
    places = tuple(
        s
        for s in fresh
        if name in s.vertex.classifiers and s.vertex.classifier not in (NEVER, ALWAYS)
    )
    return Judgement(name, "extends" if places else "ties", places)
