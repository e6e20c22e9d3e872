"""Everson and Fieldsend's surfaces of three classes, and what surfaces keep on standard data.

Run it from the repository's root: python -m studies.everson_fieldsend
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studies.roc_surfaces import real, synthetic
from studies.roc_surfaces.page import write
from studies.roc_surfaces.real import errors_by_order
from studies.workbench.command import study_command

if TYPE_CHECKING:
    from studies.workbench.study import Study

    Results = dict[str, dict[str, Any]]

KINDS = ("k-nn", "MLP", "classifiers")


@dataclass(frozen=True)
class Plan:
    """How much is run: seeds of draws, generations, and the data sets with their splits."""

    draws: tuple[int, ...]
    schedule: tuple[int, ...]
    matrices: int
    members: int
    data: dict[str, tuple[int, int]]
    """The number of splits, and of generations, of each data set."""
    ordered: str
    """Data whose rows may lie in an order that matters."""


WHOLE = Plan(
    draws=(1, 2, 3, 4),
    schedule=(100, 500, 2000, 10_000),
    matrices=60,
    members=150,
    data={
        "iris": (5, 500),
        "wine": (5, 500),
        "ann_thyroid": (2, 300),
        "vehicle": (3, 300),
        "satimage": (2, 200),
        "yeast": (3, 200),
    },
    ordered="satimage",
)
QUICK = Plan(
    draws=(1,),
    schedule=(40, 120),
    matrices=4,
    members=6,
    data={"sklearn/iris": (1, 40)},
    ordered="sklearn/iris",
)


@study_command("everson_fieldsend", "everson-fieldsend.md")
def main(study: Study) -> None:
    """Search multi-class ROC surfaces as Everson and Fieldsend did, and check them on other rows.

    Their synthetic three classes, drawn several times, with nearest neighbors and networks; then
    iris, wine, thyroid, vehicle, satimage and yeast, of which one half is searched and the other
    half tells what the members keep. Writes a page with tables and pictures.
    """
    plan = QUICK if study.quick else WHOLE
    study.source.check(list(plan.data))
    found = {**_synthetic(study, plan), **_real(study, plan)}
    write(study, plan, found)


def _synthetic(study: Study, plan: Plan) -> dict[str, Results]:
    """Run what needs no data."""
    size = plan.schedule, plan.matrices, plan.members
    draws = {f"draw {draw}": (draw, *size) for draw in plan.draws}
    return {"draws": study.results("draws", synthetic.searched, draws)}


def _real(study: Study, plan: Plan) -> dict[str, Results]:
    """Run what needs data."""
    units = {
        f"{name} {kind} {split}": (study.source, name, kind, split, generations, plan.matrices)
        for name, (splits, generations) in plan.data.items()
        for kind in KINDS
        for split in range(splits)
    }
    return {
        "real": study.results("real", real.kept_promises, units),
        "order": study.results(
            "order", errors_by_order, {"order": (study.source, plan.ordered, 0)}
        ),
    }


if __name__ == "__main__":
    main()
