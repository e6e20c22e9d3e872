"""The tables of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from studies.roc_surfaces.kept import surface_of
from studies.roc_surfaces.numbers import (
    Edges,
    edges,
    how_many,
    mean_of,
    share_range,
    whole_range,
)
from studies.roc_surfaces.synthetic import MODELS
from studies.workbench.page import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Result = Mapping[str, Any]

PUBLISHED_MEMBERS = {"k-nn": "about 7,500", "MLP": "about 4,800"}
PUBLISHED_BEYOND = {"k-nn": "0", "MLP": "4"}


def published(draws: Sequence[Result]) -> str:
    """Set the paper's numbers beside the ranges over our draws."""
    rows = [*_sizes(draws), *_volumes(draws), *_edges(draws)]
    return table(["What", "Published", "k-nn, our draws:", "MLP, our draws:"], rows)


def _sizes(draws: Sequence[Result]) -> list[list[str]]:
    last = {
        what: [whole_range(draw[f"{name} {what}"][-1] for draw in draws) for name in MODELS]
        for what in ("members", "fewest", "beyond")
    }
    generations = f"{int(draws[0]['schedule'][-1]):,}"
    members, beyond = ("; ".join(f"{n} {v}" for n, v in told.items()) for told in _TOLD)
    return [
        [f"members after {generations} generations", members, *last["members"]],
        ["fewest errors among 300 rows", "k-nn 32", *last["fewest"]],
        ["members beyond random allocation", beyond, *last["beyond"]],
    ]


_TOLD = (PUBLISHED_MEMBERS, PUBLISHED_BEYOND)


def _volumes(draws: Sequence[Result]) -> list[list[str]]:
    shares = [share_range(draw[f"{name} G"][-1] for draw in draws) for name in MODELS]
    deltas = [share_range((draw[f"delta {name}"] for draw in draws), 4) for name in MODELS]
    return [
        ["G", "a picture; MLP larger", *shares],
        ["dominated by this model alone (delta)", "a picture; k-nn almost 0", *deltas],
    ]


def _edges(draws: Sequence[Result]) -> list[list[str]]:
    found = {name: [edges(surface_of(draw, name)) for draw in draws] for name in MODELS}

    def row(words: str, said: str, place: int) -> list[str]:
        return [words, said, *(how_many([one[place] for one in found[name]]) for name in MODELS)]

    told = {
        "apart": ("no A2 missed, and C31 = C13 = 0 as well", "possible"),
        "third_more": ("there C32 > C12", "yes"),
        "clean": ("C12 = C32 = 0", "possible"),
        "second_as_third": ("there C23 is the greatest rate", "yes"),
    }
    return [row(*told[field], place) for place, field in enumerate(Edges._fields)]


class Cell(NamedTuple):
    """The splits of one data set and one kind of model."""

    name: str
    kind: str
    splits: list[Result]


def cells(found: Mapping[str, Result]) -> list[Cell]:
    """Put the splits of the same data and model together."""
    together: dict[tuple[str, str], list[Result]] = {}
    for unit, result in found.items():
        name, kind, _ = unit.rsplit(" ", 2)
        together.setdefault((name, kind), []).append(result)
    return [Cell(called(name), kind, splits) for (name, kind), splits in together.items()]


def called(name: str) -> str:
    """Return a data set's name as the page says it."""
    return {"ann_thyroid": "thyroid"}.get(name, name.removeprefix("sklearn/"))


PROMISES = ("promised", "kept", "by costs", "most likely")


def promises(found: Iterable[Cell]) -> str:
    """Tell what chosen members promise and keep, beside simpler choices; the least is bold."""
    header = ["Data", "Model", "Promised:", "Kept:", "By the costs:", "Most likely class:"]
    return table(header, [_promise_row(cell) for cell in found])


def _promise_row(cell: Cell) -> list[str]:
    means = {what: mean_of(cell.splits, what) for what in PROMISES}
    least = min(round(mean, 3) for what, mean in means.items() if what != "promised")
    return [cell.name, cell.kind, *(_shown(means[what], what, least) for what in PROMISES)]


def _shown(mean: float, what: str, least: float) -> str:
    text = f"{mean:.3f}"
    return f"**{text}**" if what != "promised" and round(mean, 3) == least else text
