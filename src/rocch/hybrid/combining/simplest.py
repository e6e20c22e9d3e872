"""Parsimony: as few models as lose nothing that the rows can show.

With many models some hold a vertex by luck alone. The one-standard-error rule keeps the simpler
hull wherever the larger one's gain cannot be told from none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.hybrid.combining.gain import ALL_SLOPES, as_slopes, envelope, gains
from rocch.hybrid.combining.running_cost import as_costs
from rocch.hybrid.combining.sample import DecidedSample
from rocch.inputs import as_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocch.arrays import BoolArray
    from rocch.hybrid.combining.gain import Envelope


def simplest_subset(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    costs: Mapping[str, float] | None = None,
    standard_errors: float = 1.0,
) -> tuple[str, ...]:
    """Return the few models whose hull is as good as that of all, within one standard error.

    Models are dropped one by one, always the one whose going costs least at its worst slope, as
    long as at no slope the hull of all models gains more than its standard error over the hull of
    those left. Of models that cost equally little to drop the dearest goes, then the last by name.
    One model always stays.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        Labels and weights, as for `RocCurve.from_scores`.
    scores
        Names of models to their scores on these rows, best out of fold; Boolean alarms for a model
        that only labels.
    slopes
        The slopes that matter: `conditions.slope_range`, for example.
    costs
        What one row costs each model to score.
    standard_errors
        How many standard errors of loss to accept; 0 drops only what holds no vertex alone.

    Returns
    -------
    tuple of str
        The names of the models to keep, sorted.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> scores = {"a": [1, 2, 4, 3, 5, 6], "again": [1, 2, 4, 3, 5, 6], "poor": [2, 1, 3, 3, 1, 2]}
    >>> rocch.simplest_subset(y, scores)
    ('a',)
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    dear = as_costs(costs, sample.models)
    elimination = _Elimination(
        sample,
        {model: sample.decisions(sample.settings(model)) for model in sample.models},
        as_slopes(slopes),
        as_number(standard_errors, "standard_errors", least=0),
    )
    kept = tuple(sample.models)
    while len(kept) > 1:
        losses = elimination.losses(kept)
        if not losses:
            break
        least = min(losses.values())
        tied = [model for model, loss in losses.items() if loss == least]
        gone = max(tied, key=lambda model: (dear[model], model))
        kept = tuple(model for model in kept if model != gone)
    return kept


@dataclass(frozen=True, eq=False)
class _Elimination:
    """The rule by which a model may go."""

    sample: DecidedSample
    decisions: Mapping[str, BoolArray]
    slopes: tuple[float, float]
    standard_errors: float

    def losses(self, kept: Sequence[str]) -> dict[str, float]:
        """Return, for each model that may go, what the hull of all then gains at worst."""
        losses = {}
        for model in kept:
            rest = self._hull([other for other in kept if other != model])
            found = gains(self.sample, self._full, rest, self.slopes)
            if not any(gain.exceeds(self.standard_errors) for gain in found):
                losses[model] = max(gain.gain for gain in found)
        return losses

    @cached_property
    def _full(self) -> Envelope:
        return self._hull(self.decisions)

    def _hull(self, models: Iterable[str]) -> Envelope:
        return envelope(self.sample, np.concatenate([self.decisions[model] for model in models]))
