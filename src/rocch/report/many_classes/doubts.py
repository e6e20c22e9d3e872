"""What a reader should know before she trusts the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.report.many_classes.calibration import badly_calibrated
from rocch.report.many_classes.searched import MOST_MISSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.classes import Classes
    from rocch.multiclass.surface import RocSurface
    from rocch.report.many_classes.choices import Choices

RARE = 30
"""Rates of a class with fewer rows are known to about ten per cent at best."""
MOST_NAMED = 6
MANY = 100
"""The best of more than so many is flattered by the rows that chose it."""


def doubts(
    classes: Classes,
    totals: IntArray,
    posteriors: Mapping[str, FloatArray],
    truths: IntArray | None,
    choices: Choices,
) -> tuple[str, ...]:
    """Return warnings: rare classes, posteriors that promise too much, classes never answered."""
    found = []
    rare = [f"{name} ({rows})" for name, rows in zip(classes, totals, strict=True) if rows < RARE]
    if rare:
        found.append(
            f"Few rows: {few_of(rare)}. Rates of classes with fewer than {RARE} rows are vague."
        )
    loose = [
        name
        for name, table in posteriors.items()
        if truths is not None and badly_calibrated(table, truths)
    ]
    if loose:
        found.append(
            f"The probabilities of {few_of(loose)} do not come true as often as they say. Rules "
            "that weigh them by costs suffer from that: calibrate."
        )
    for name, table in posteriors.items():
        found += _never(name, classes, np.bincount(table.argmax(axis=1), minlength=len(classes)))
    if not posteriors:
        answered = choices.counts[choices.model >= 0].sum(axis=(0, 1))
        found += _never("Every classifier", classes, answered)
    return tuple(found)


def _never(name: str, classes: Classes, answered: IntArray) -> list[str]:
    absent = [label for label, times in zip(classes, answered, strict=True) if not times]
    if not absent:
        return []
    whose = "does not ever answer" if name == "Every classifier" else "never has as most likely"
    return [f"{name} {whose}: {few_of(absent)}."]


def few_of(names: list[str]) -> str:
    """List a few names, and how many more there are."""
    rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + rest


def remarks(choices: Choices, surface: RocSurface | None, *, judged: bool) -> tuple[str, ...]:
    """Return what a summary leaves out, and how far its choice is to be trusted."""
    found = []
    if surface is None:
        found.append(
            f"No surface was searched: with {len(choices.classes)} classes next to nothing is "
            f"better than anything else in every miss rate (the limit is {MOST_MISSES} classes). "
            "The choice is among the models' plain rules and single answers."
        )
    elif (choices.place >= 0).sum() < len(surface):
        found.append(
            f"{(choices.place >= 0).sum():,} of the surface's {len(surface):,} members are kept: "
            "those that are recommended, those that are cheapest for some costs, and others spread "
            "evenly from the fewest errors to the most."
        )
    if len(choices) > MANY:
        found.append(
            f"The recommendation is the cheapest of {len(choices):,} on the judged rows. The best "
            "of many looks better there than it will be on new rows: take differences of one or "
            "two standard errors as none, and prefer the simpler rule then."
        )
    if not judged:
        found.append(
            "Posteriors are not at hand, so there are no curves and no AUCs; the counts of every "
            "member are."
        )
    return tuple(found)
