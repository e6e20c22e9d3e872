"""What a bootstrap found: every replicate's areas, heights and hulls, and how to ask them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from rocch.compare.resampling.replicate import Replicate, known_model
from rocch.compare.stated import as_case, as_stated
from rocch.errors import bad_input
from rocch.inputs import as_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.compare.resampling.bands import RocBand
    from rocch.compare.resampling.boxes import ThresholdBox
    from rocch.compare.resampling.draws import Draws
    from rocch.compare.resampling.fixed_thresholds import Rates
    from rocch.compare.resampling.hull_record import HullRecord
    from rocch.compare.resampling.replicate import Judgement
    from rocch.compare.sample import Sample
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Case, Conditions, Interval
    from rocch.roc.curve import Judged, RocCurve
    from rocch.roc.hull import RocHull

T = TypeVar("T")

SAME_COST = 1e-12
"""Costs that agree to 12 digits count as equal, as slopes do."""


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """What curves and hulls do when the rows are drawn again; `rocch.bootstrap` makes it.

    Attributes
    ----------
    sample
        The labelled rows with all models' scores.
    seed
        What the draws follow from, together with each replicate's number.
    fprs
        The FPRs at which curves and hulls are read.
    totals
        Negatives and positives of each replicate; they vary only where clusters are drawn.
    aucs
        The area under each model's curve (columns) in each replicate (rows).
    tprs
        The TPR of each model's curve: models x replicates x FPRs. Where a curve goes straight up
        at an FPR its upper end counts, and points are joined by straight lines, as in
        `RocCurve.tpr_at`.
    hulls
        The vertices of each model's own hull in every replicate.
    joint
        Those of the joint hull.
    holders
        Whether a model holds a vertex of the joint hull other than its two ends.
    """

    sample: Sample
    seed: int
    fprs: FloatArray
    totals: IntArray
    aucs: FloatArray
    tprs: FloatArray
    hulls: Mapping[str, HullRecord]
    joint: HullRecord
    holders: BoolArray
    _judgement: Judgement
    _draws: Draws

    def __post_init__(self) -> None:
        for array in (self.fprs, self.totals, self.aucs, self.tprs, self.holders):
            array.flags.writeable = False

    def __repr__(self) -> str:
        what = "rows" if self.sample.groups is None else "clusters"
        of = f"{len(self)} replicates of {self._draws.units} {what}"
        return f"<Bootstrap: {of}, {', '.join(self.models)}>"

    def __len__(self) -> int:
        return len(self.aucs)

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names, in the order in which they were given."""
        return tuple(self.sample.models)

    @property
    def judged(self) -> Judged:
        """The sample's totals of both classes."""
        return self._judgement.curves[self.models[0]].judged

    @cached_property
    def sample_hull(self) -> RocHull:
        """The joint hull on the sample itself."""
        return self.sample.hull()

    def curve(self, model: str) -> RocCurve:
        """Return a model's curve on the sample itself."""
        return self._judgement.curves[known_model(model, self.models)]

    def auc(self, model: str) -> FloatArray:
        """Return the area under a model's curve in each replicate."""
        return self.aucs[:, self._place(model)]

    def tpr(self, model: str) -> FloatArray:
        """Return the TPR of a model's curve, replicates x FPRs."""
        heights: FloatArray = self.tprs[self._place(model)]
        return heights

    def hull(self, model: str | None = None) -> HullRecord:
        """Return the vertices of a model's own hull in every replicate, or of the joint hull."""
        return self.joint if model is None else self.hulls[known_model(model, self.models)]

    def hull_auc(self, model: str | None = None) -> FloatArray:
        """Return the area under a model's own hull in each replicate, or under the joint hull."""
        return self.hull(model).aucs

    def hull_tpr(self, model: str | None = None) -> FloatArray:
        """Return the TPR of a model's own hull, or of the joint hull, replicates x FPRs."""
        return self.hull(model).tpr_at(self.fprs)

    def least_cost(self, conditions: Conditions | Belief, model: str | None = None) -> FloatArray:
        """Return the least expected cost on a model's own hull in each replicate, or on the joint.

        Conditions must be exact; an "observed" prevalence is the sample's, in every replicate.
        Under a belief (with a unit of cost) it is the cost to be expected of one fixed choice.
        """
        return self.hull(model).least_costs(self.case(conditions))

    def wins(self, conditions: Conditions | Belief) -> dict[str, float]:
        """Return the share of replicates in which each model is the cheapest.

        Each is used at its best point for these exact conditions. Where several are equally cheap
        they share the replicate equally; so all do where never or always alarming is best.
        """
        case = self.case(conditions)
        costs = np.stack([self.hulls[model].least_costs(case) for model in self.models])
        best = costs <= costs.min(axis=0) * (1 + SAME_COST)
        return self._named((best / best.sum(axis=0)).mean(axis=1))

    def on_hull(self) -> dict[str, float]:
        """Return the share of replicates in which each model holds a vertex of the joint hull.

        The two ends, which every model reaches, do not count.
        """
        return self._named(self.holders.mean(axis=0))

    def auc_interval(
        self,
        model: str,
        *,
        confidence: float = 0.95,
        method: Literal["logit", "bca", "percentile", "basic", "normal"] = "logit",
    ) -> Interval:
        """Return an interval for the area under a model's curve; see `bootstrap_intervals`."""
        from rocch.compare.resampling.intervals import auc_interval

        return auc_interval(self, model, confidence=confidence, method=method)

    def band(
        self,
        model: str | None = None,
        *,
        kind: Literal["vertical", "simultaneous"],
        method: Literal["bootstrap", "kolmogorov"] = "bootstrap",
        confidence: float = 0.95,
    ) -> RocBand:
        """Return a band around a model's curve, or around the joint hull; see `RocBand`."""
        from rocch.compare.resampling.bands import band_of

        return band_of(self, model, kind=kind, method=method, confidence=confidence)

    def boxes(
        self, model: str, thresholds: Any, *, confidence: float = 0.95
    ) -> tuple[ThresholdBox, ...]:
        """Return a box around each of some fixed thresholds' points; see `ThresholdBox`."""
        from rocch.compare.resampling.boxes import boxes_of

        return boxes_of(self, model, thresholds, confidence=confidence)

    def rates_at(self, thresholds: Mapping[str, Any]) -> dict[str, Rates]:
        """Return the rates of fixed thresholds in each replicate, on the same draws.

        Parameters
        ----------
        thresholds
            Names of models to a threshold each, or to several. A model that only labels has one
            point and takes None.

        Returns
        -------
        dict
            Names of models to `Rates`, whose arrays have one value for each replicate, or one
            row where several thresholds were given.
        """
        from rocch.compare.resampling.fixed_thresholds import rates_at

        return rates_at(self, thresholds)

    def map(self, statistic: Callable[[Replicate], T]) -> list[T]:
        """Return what any function of a `Replicate` gives on each, on the same draws as all else.

        Examples
        --------
        >>> import rocch
        >>> y, s = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]
        >>> drawn = rocch.bootstrap(y, {"nb": s}, replicates=4)
        >>> drawn.map(lambda replicate: replicate.auc("nb")) == drawn.auc("nb").tolist()
        True
        """
        return [statistic(self.replicate(number)) for number in range(len(self))]

    def replicate(self, number: int) -> Replicate:
        """Return one replicate, drawn again exactly as it was."""
        if as_whole(number, "number", least=0, do="Replicates count from 0.") >= len(self):
            raise bad_input(
                "number", f"be below {len(self)}, the number of replicates", number, "See len(...)."
            )
        return Replicate(number, self._draws.multiplicities(number), self._judgement, self._draws)

    def check_enough(self, level: float) -> None:
        """Refuse an interval from so few replicates that none is expected beyond either end."""
        least = math.ceil(2 / (1 - level) - 1e-9)
        if len(self) < least:
            raise bad_input(
                "replicates",
                f"be at least {least} for a confidence of {level:g}",
                len(self),
                "2000 serve intervals and bands well.",
            )

    @property
    def independent(self) -> tuple[int, int]:
        """How many independent things hold a negative, and a positive: rows, or clusters."""
        return self._draws.held

    @property
    def independent_pairs(self) -> int:
        """How many pairs of a positive and a negative have no row, or cluster, in common."""
        pairs = min(self.independent)
        return pairs if self.sample.groups is None else min(pairs, self._draws.units // 2)

    def case(self, conditions: Conditions | Belief) -> Case:
        """Return exact conditions as a case; for a belief, the one that costs what is expected."""
        return as_case(as_stated(conditions, None, "conditions").resolved(self.judged))

    def _place(self, model: str) -> int:
        return self.models.index(known_model(model, self.models))

    def _named(self, shares: FloatArray) -> dict[str, float]:
        return dict(zip(self.models, shares.tolist(), strict=True))
