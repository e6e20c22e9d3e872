"""Section 4 and 5: the surfaces of two models on draws of the synthetic three classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rocch
from studies.roc_surfaces.kept import arrays_of, drawn_costs, figures_of, promised_and_kept, ruled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import IntArray

MODELS = {"k-nn": rocch.multiclass.KnnModel, "MLP": rocch.multiclass.MlpModel}
ROWS, NEW_ROWS = 300, 3000
NEW_SEED = 10_000
"""New rows are the same for all draws, and no draw's own."""
WRONG = ~np.eye(3, dtype=bool)


def searched(draw: int, schedule: Sequence[int], matrices: int, members: int) -> dict[str, Any]:
    """Search both models' surfaces on one draw of the data, and judge them on new rows.

    Parameters
    ----------
    draw
        The seed of the 300 rows.
    schedule
        After how many generations to look.
    matrices
        How many cost matrices members are chosen by.
    members
        How many members, taken at random, are all judged on new rows.
    """
    data = rocch.multiclass.three_class_data(ROWS, seed=draw)
    found: dict[str, Any] = {"schedule": np.array(schedule)}
    surfaces = {}
    for name in MODELS:
        model = MODELS[name](data.X, data.y)
        surfaces[name], told = _followed(model, data, schedule, matrices)
        found |= _named(name, told) | arrays_of(surfaces[name], name)
        found[f"{name} G of some, new rows"] = _share_on_new_rows(surfaces[name], model, members)
    found |= _compared(surfaces["k-nn"], surfaces["MLP"])
    return found | truth(matrices)


def truth(matrices: int) -> dict[str, Any]:
    """Return what the true posteriors cost on the new rows."""
    new = _new_rows()
    costs = drawn_costs(new.classes, matrices, seed=0)
    return _named("truth", ruled(new.probabilities(new.X), new.y, costs))


def _new_rows() -> rocch.multiclass.ThreeClassData:
    return rocch.multiclass.three_class_data(NEW_ROWS, seed=NEW_SEED)


def _named(name: str, told: dict[str, Any]) -> dict[str, Any]:
    return {f"{name} {what}": value for what, value in told.items()}


def _followed(
    model: Any, data: rocch.multiclass.ThreeClassData, schedule: Sequence[int], matrices: int
) -> tuple[rocch.multiclass.RocSurface, dict[str, Any]]:
    """Search a surface; after some numbers of generations, tell its figures and its promise."""
    search = rocch.multiclass.SurfaceSearch(model, data.y)
    looks = []
    for last, next_ in zip((0, *schedule), schedule, strict=False):
        surface = search.run(next_ - last)
        looks.append(figures_of(surface) | _promise(surface, model, matrices))
    told: dict[str, Any] = {what: np.array([look[what] for look in looks]) for what in looks[0]}
    plain = np.array(list(surface.fewest_errors().member.parameters.values()))
    new = _new_rows()
    costs = drawn_costs(surface.classes, matrices, seed=0)
    return surface, told | ruled(model.probabilities_of(plain, new.X), new.y, costs)


def _promise(surface: rocch.multiclass.RocSurface, model: Any, matrices: int) -> dict[str, Any]:
    """Choose the cheapest member for each of some costs; tell its cost there and on new rows."""
    new, costs = _new_rows(), drawn_costs(surface.classes, matrices, seed=0)
    points = [surface.best(one) for one in costs]
    return dict(promised_and_kept(points, lambda p: surface.predict(p, model, new.X), new.y, costs))


def _share_on_new_rows(surface: rocch.multiclass.RocSurface, model: Any, members: int) -> float:
    """Return G of some members on new rows."""
    counts = _recounted(surface, model, members)
    return rocch.multiclass.dominated_share(counts, np.full(6, NEW_ROWS // 3)).value


def _recounted(surface: rocch.multiclass.RocSurface, model: Any, members: int) -> IntArray:
    """Count the errors of some members on new rows."""
    new = _new_rows()
    number = min(members, len(surface))
    places = np.random.default_rng(0).choice(len(surface), number, replace=False)
    again = [
        rocch.multiclass.Confusion.from_labels(
            new.y, surface.predict(int(place), model, new.X)
        ).counts
        for place in places
    ]
    return np.array(again)[:, WRONG]


def _compared(
    near: rocch.multiclass.RocSurface, net: rocch.multiclass.RocSurface
) -> dict[str, float]:
    return {
        "delta k-nn": near.exclusive_share(net).value,
        "delta MLP": net.exclusive_share(near).value,
    }
