"""Provost and Fawcett, section 4: how often one classifier is the best whatever the conditions.

Run it from the repository's root: python -m studies.provost_fawcett
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.learners.rosters import judge_fold
from studies.robustness.domain import Domain, Fold
from studies.robustness.page import write
from studies.workbench.command import study_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.workbench.study import Study

FOLDS, SEED = 10, 1998
TITLES = {
    "vehicle": "Vehicle",
    "crx": "CRX",
    "satimage": "Satimage",
    "breast_cancer_wisconsin": "Breast cancer",
    "dna_statlog": "DNA",
    "german_credit": "German credit",
    "pima": "Pima",
    "waveform21": "Waveform-21",
    "adult": "Adult",
}
"""The paper's domains but for Road, those of its Table 2 first."""

QUICK = {"sklearn/breast_cancer": "Breast cancer (diagnostic)"}


@study_command("provost_fawcett", "provost-fawcett.md")
def main(study: Study) -> None:
    """Ask how often one classifier is the best whatever the conditions, and what a hybrid saves.

    Provost and Fawcett's learners and today's on nine of their ten data sets, and Bradley's six
    learners on the Cleveland heart data; 10-fold cross-validation.
    """
    titles = QUICK if study.quick else TITLES
    hearts = QUICK if study.quick else {"heart_cleveland": "Cleveland heart"}
    study.source.check([*titles, *hearts])
    domains = judged(study, titles, ("1998", "today"))
    [bradley] = judged(study, hearts, ("bradley",))
    write(study, domains, bradley)


def judged(study: Study, titles: Mapping[str, str], rosters: tuple[str, ...]) -> list[Domain]:
    """Return the domains as the learners of some rosters judge them."""
    folds = 2 if study.quick else FOLDS
    units = {
        f"{name}, fold {fold + 1}": (study.source, name, rosters, fold, folds, SEED)
        for name in titles
        for fold in range(folds)
    }
    found = study.results(" and ".join(rosters), judge_fold, units)
    return [
        Domain(title, tuple(Fold.of(found[f"{name}, fold {f + 1}"]) for f in range(folds)))
        for name, title in titles.items()
    ]


if __name__ == "__main__":
    main()
