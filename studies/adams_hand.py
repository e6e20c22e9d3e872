"""Adams and Hand's four examples (1999, section 5) over many random splits, for the LC index."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.lc import pictures, tables
from studies.lc.examples import EXAMPLES, QUICK_SPLITS, SPLITS, Example, quick_examples
from studies.lc.splits import compare_splits
from studies.lc.tables import remarks
from studies.workbench.command import study_command
from studies.workbench.page import write_page

if TYPE_CHECKING:
    from studies.lc.splits import Setup
    from studies.workbench.study import Study

    Found = dict[str, dict[str, Any]]

BLOCK = 50
"""So many splits are kept as one result, so that a stopped run loses little."""

REPLICATES, QUICK_REPLICATES = 200, 80
"""Resamples of every split's test rows."""


@study_command("adams_hand", "adams-hand.md")
def main(study: Study) -> None:
    """Compare pairs of classifiers by AUC and by LC index over 200 random splits.

    Re-runs the examples of Adams and Hand, Comparing classifiers when the misallocation costs are
    uncertain (1999), section 5. Writes docs/studies/adams-hand.md with its pictures.
    """
    examples = quick_examples() if study.quick else EXAMPLES
    study.source.check([example.setup.table for example in examples])
    found, other = over_splits(study, examples), over_variants(study, examples)
    write_page(
        study,
        {
            "index_spread": partial(pictures.index_spread, examples, found),
            "intervals_picture": partial(pictures.split_intervals, examples, found),
        },
        splits=QUICK_SPLITS if study.quick else SPLITS,
        replicates=QUICK_REPLICATES if study.quick else REPLICATES,
        compared=tables.compared(examples, found),
        indices=tables.indices(examples, found),
        **remarks(examples, found, other),
    )


def over_splits(study: Study, examples: tuple[Example, ...]) -> Found:
    """Compare each example's two on all its splits."""
    splits = QUICK_SPLITS if study.quick else SPLITS
    replicates = QUICK_REPLICATES if study.quick else REPLICATES
    wanted = {example.key: (example.setup, splits) for example in examples}
    return _joined(study, "splits", wanted, replicates)


def over_variants(study: Study, examples: tuple[Example, ...]) -> Found:
    """Compare again with each open choice made otherwise, on the first of the same splits."""
    wanted = {
        f"{example.key}: {variant.label}": (variant.setup, variant.splits)
        for example in examples
        for variant in example.variants
    }
    return _joined(study, "variants", wanted, 0)


def _joined(
    study: Study, what: str, wanted: dict[str, tuple[Setup, int]], replicates: int
) -> Found:
    units = {
        f"{key}, from {start}": (
            study.source,
            setup,
            range(start, min(start + BLOCK, splits)),
            replicates,
        )
        for key, (setup, splits) in wanted.items()
        for start in range(0, splits, BLOCK)
    }
    blocks = study.results(what, compare_splits, units)
    return {
        key: _in_a_row([blocks[f"{key}, from {start}"] for start in range(0, splits, BLOCK)])
        for key, (_, splits) in wanted.items()
    }


def _in_a_row(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


if __name__ == "__main__":
    main()
