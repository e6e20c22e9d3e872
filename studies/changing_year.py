"""A year of operation: prevalence drifts, costs change, and the hybrid is re-aimed or not.

python -m studies.changing_year            # real data, some minutes
python -m studies.changing_year --quick    # seconds, on data that scikit-learn ships
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.drifting.operate import run_year
from studies.drifting.page import write
from studies.drifting.training import Task
from studies.drifting.world import Plan
from studies.workbench.command import study_command

if TYPE_CHECKING:
    from studies.workbench.study import Study

TASKS = (
    Task("adult", "Adult"),
    Task("sick", "Sick"),
    Task("creditcard_sample", "Credit card"),
    Task("german_credit", "German credit"),
)
REPETITIONS = 20

WEAK = ("mean texture", "mean smoothness", "mean compactness", "mean symmetry")
QUICK_TASKS = (Task("sklearn/breast_cancer", "Breast cancer", WEAK),)
QUICK = Plan(weeks=12, rows=40, trees=10, broken_from=6)


@study_command("changing_year", "changing-year.md")
def main(study: Study) -> None:
    """Simulate years in which prevalence drifts and costs change, and compare ways to decide."""
    tasks, times = (QUICK_TASKS, 2) if study.quick else (TASKS, REPETITIONS)
    plan = QUICK if study.quick else Plan()
    study.source.check([task.name for task in tasks])
    units = {
        f"{task.name} {repetition}": (study.source, task, plan, repetition)
        for repetition in range(times)
        for task in tasks
    }
    years = study.results("years", run_year, units)
    found = {task.title: [years[f"{task.name} {r}"] for r in range(times)] for task in tasks}
    write(study, plan, found)


if __name__ == "__main__":
    main()
