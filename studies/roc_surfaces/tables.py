"""The tables of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from studies.roc_surfaces.kept import surface_of
from studies.roc_surfaces.numbers import (
    Edges,
    edges,
    how_many,
    mean_of,
    percent,
    share_range,
    whole_range,
)
from studies.roc_surfaces.real import objectives_for
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
        for what in ("members", "fewest", "reach", "beyond")
    }
    generations = f"{int(draws[0]['schedule'][-1]):,}"
    members, beyond = ("; ".join(f"{n} {v}" for n, v in told.items()) for told in _TOLD)
    others = [whole_range(int(draw[f"{name} reach"][-1]) - 1 for draw in draws) for name in MODELS]
    return [
        [f"members after {generations} generations", members, *last["members"]],
        ["fewest errors among 300 rows", "k-nn 32", *last["fewest"]],
        ["other members with as few", "k-nn 3", *others],
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


def followed(draws: Sequence[Result]) -> str:
    """Tell how surfaces grow with the generations, and what they promise and keep."""
    header = ["Model", "Generations:", "Members:", "Fewest errors:", "G:", "Promised:", "Kept:"]
    rows = [
        [name, f"{generations:,}", *_look(draws, name, place)]
        for name in MODELS
        for place, generations in enumerate(draws[0]["schedule"].tolist())
    ]
    return table(header, rows)


def _look(draws: Sequence[Result], name: str, place: int) -> list[str]:
    def each(what: str) -> list[float]:
        return [float(np.mean(draw[f"{name} {what}"][place])) for draw in draws]

    return [
        whole_range(each("members")),
        whole_range(each("fewest")),
        share_range(each("G")),
        *(f"{np.mean(each(what)):.3f}" for what in ("promised", "kept")),
    ]


def rules(draws: Sequence[Result]) -> str:
    """Tell what simpler choices cost on the new rows."""
    told = {
        "kept": "the cheapest member of the {} surface",
        "by costs": "the {} with the fewest errors, answering by the costs",
        "most likely": "the same {}, most likely class",
    }
    rows = [
        [words.format(name), *_cost(draws, f"{name} {what}")]
        for name in MODELS
        for what, words in told.items()
    ]
    rows.append(["the true posteriors, answering by the costs", *_cost(draws, "truth by costs")])
    return table(["Choice", "Cost on new rows:", "Range over draws:"], rows)


def _cost(draws: Sequence[Result], what: str) -> list[str]:
    values = [float(np.atleast_2d(draw[what])[-1].mean()) for draw in draws]
    return [f"{np.mean(values):.3f}", share_range(values)]


def new_rows(draws: Sequence[Result], seeds: Sequence[int]) -> str:
    """Tell G and delta of the same members on the judged rows and on new ones."""
    header = ["Draw:", "k-nn, judged:", "k-nn, new:", "MLP, judged:", "MLP, new:"]
    header += ["delta k-nn, new:", "delta MLP, new:"]
    columns = [f"{name} G of some{rows}" for name in MODELS for rows in ("", ", new rows")]
    columns += [f"delta {name}, new rows" for name in MODELS]
    rows = [
        [seed, *(f"{float(draw[column]):.3f}" for column in columns)]
        for seed, draw in zip(seeds, draws, strict=True)
    ]
    return table(header, rows)


def steps(found: Mapping[str, Result]) -> str:
    """Tell what the size of the network's steps does."""
    rows = [
        [
            unit.removeprefix("step "),
            f"{int(one['members']):,}",
            int(one["fewest"]),
            int(one["beyond"]),
            f"{float(one['G']):.3f}",
        ]
        for unit, one in found.items()
    ]
    header = ["Step:", "Members:", "Fewest errors:", "Beyond random:", "G:"]
    return table(header, rows) if rows else ""


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


def data_sets(found: Iterable[Cell]) -> str:
    """Tell the sizes of the data, and what their surfaces trade off."""
    seen: dict[str, list[Any]] = {}
    for cell in found:
        one = cell.splits[0]
        classes = int(one["classes"])
        every = objectives_for(classes) == "rates"
        sizes = f"{int(one['judged rows']):,}", f"{int(one['held-out rows']):,}"
        words = f"{classes * (classes - 1)} rates" if every else f"{classes} miss rates"
        seen.setdefault(cell.name, [cell.name, classes, *sizes, words, len(cell.splits)])
    header = ["Data", "Classes:", "Rows searched on:", "Rows held out:", "Objectives", "Splits:"]
    return table(header, seen.values())


def real_surfaces(found: Iterable[Cell]) -> str:
    """Tell the surfaces' sizes and volumes."""
    header = ["Data", "Model", "Members:", "Beyond random:", "G:", "95 % interval:"]
    header += ["Errors searched on:", "Errors held out:", "AUC held out:"]
    return table(header, [[cell.name, cell.kind, *_surface_row(cell.splits)] for cell in found])


def _surface_row(splits: list[Result]) -> list[str]:
    beyond = np.mean([one["beyond"] / one["members"] for one in splits])
    errors = np.mean([one["fewest"] / one["judged rows"] for one in splits])
    held = np.mean([one["errors held out"] / one["held-out rows"] for one in splits])
    low, high = mean_of(splits, "G low"), mean_of(splits, "G high")
    return [
        whole_range(one["members"] for one in splits),
        percent(float(beyond)),
        f"{mean_of(splits, 'G'):.4f}",
        f"{low:.4f} to {high:.4f}",
        percent(float(errors)),
        percent(float(held)),
        f"{mean_of(splits, 'auc'):.3f}",
    ]


PROMISES = ("promised", "kept", "kept with care", "by costs", "most likely")


def promises(found: Iterable[Cell]) -> str:
    """Tell what chosen members promise and keep, beside simpler choices; the least is bold."""
    header = ["Data", "Model", "Promised:", "Kept:", "Kept with care:", "By the costs:"]
    return table([*header, "Most likely class:"], [_promise_row(cell) for cell in found])


def _promise_row(cell: Cell) -> list[str]:
    means = {what: mean_of(cell.splits, what) for what in PROMISES}
    if cell.kind != "classifiers":  # families have no rules to fall back on
        del means["kept with care"]
    least = min(round(mean, 3) for what, mean in means.items() if what != "promised")
    return [cell.name, cell.kind, *(_shown(means.get(what), what, least) for what in PROMISES)]


def _shown(mean: float | None, what: str, least: float) -> str:
    if mean is None:
        return ""
    text = f"{mean:.3f}"
    return f"**{text}**" if what != "promised" and round(mean, 3) == least else text


def growth(found: Mapping[str, Result]) -> str:
    """Tell how many of the tries stay on a surface."""
    first = next(iter(found.values()))
    header = ["Data", "Objectives", *(f"{tried:,} tried:" for tried in first["tried"])]
    rows = []
    for unit, one in found.items():
        name, objectives = unit.rsplit(" ", 1)
        words = {"rates": "all rates", "misses": "miss rates"}[objectives]
        kept = [f"{int(n):,} ({percent(n / t)})" for n, t in _pairs(one)]
        rows.append([called(name), words, *kept, f"{one['G'][-1]:.4f}"])
    return table([*header, "G at the end:"], rows)


def _pairs(one: Result) -> Iterable[tuple[Any, Any]]:
    return zip(one["members"], one["tried"], strict=True)
