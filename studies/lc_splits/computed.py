"""What is computed of each split, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rocch
from lc_splits.setups import HeldOut, Setup, each_held_out, held_out

if TYPE_CHECKING:
    from rocch.compare.losses.readings import Reading
    from workbench.tables import Source

READINGS: tuple[Reading, ...] = ("envelope", "implied")


def compare_splits(source: Source, setup: Setup, seeds: range, replicates: int) -> dict[str, Any]:
    """Return AUCs and LC indices of each split; with replicates, also how well one split knows.

    The arrays have one entry for each seed. An index is robust if it keeps its sign under every
    belief with one peak that has the same bounds and the same most likely value.
    """
    found = [_one(split, setup, replicates) for split in each_held_out(source, setup, seeds)]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def _one(split: HeldOut, setup: Setup, replicates: int) -> dict[str, float]:
    a, b = split.curves()
    found = {"auc_a": a.auc, "auc_b": b.auc, "prevalence": float(split.y.mean())}
    for reading in READINGS:
        compared = comparison(split, setup, reading)
        found |= {
            f"lc_{reading}": compared.lc_index,
            f"ties_{reading}": compared.ties,
            f"robust_{reading}": compared.robust,
        }
    return found | (_interval(split, setup, replicates) if replicates else {})


def comparison(split: HeldOut, setup: Setup, reading: Reading) -> rocch.LossComparison:
    """Compare the two in one reading of the loss."""
    return rocch.compare_losses(
        *split.curves(reading), belief=setup.belief, prevalence=_prevalence(setup), reading=reading
    )


def _prevalence(setup: Setup) -> Any:
    return "observed" if setup.prevalence is None else setup.prevalence


def _interval(split: HeldOut, setup: Setup, replicates: int) -> dict[str, float]:
    """Draw the test rows again: what another test set would say of the same two classifiers."""
    (found,) = rocch.lc_intervals(
        split.y,
        split.scores,
        belief=setup.belief,
        prevalence=_prevalence(setup),
        replicates=replicates,
    )
    low, high = found.interval
    return {"low": low, "high": high, "favoured": found.favoured}


def one_split(source: Source, setup: Setup, seed: int, replicates: int) -> dict[str, Any]:
    """Return a split's classes and scores, for its picture, and the interval of its index."""
    split = held_out(source, setup, seed)
    scores, probabilities = split.scores.values(), split.probabilities.values()
    return {
        "y": split.y,
        "scores": np.array(list(scores)),
        "probabilities": np.array(list(probabilities)),
        **_interval(split, setup, replicates),
    }
