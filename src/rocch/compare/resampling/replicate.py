"""One bootstrap replicate: the sample's models judged on rows that were drawn again."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input, shown
from rocch.kernels.hull import highest_of_counts
from rocch.kernels.resampling import Path, Walk, cumulative, joined, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.compare.resampling.draws import Draws, Multiplicities
    from rocch.compare.sample import Sample
    from rocch.roc.curve import RocCurve


@dataclass(frozen=True, eq=False)
class Judgement:
    """A sample's models, each with its curve and its path, sorted once for all replicates."""

    sample: Sample
    curves: Mapping[str, RocCurve]
    paths: Mapping[str, Path]

    @classmethod
    def of(cls, sample: Sample) -> Judgement:
        """Sort every model's rows."""
        curves = {model: sample.curve(model) for model in sample.models}
        paths = {
            model: path_of(
                np.asarray(scores, dtype=np.float64),
                sample.positive,
                curves[model].false_positives,
                curves[model].true_positives,
            )
            for model, scores in sample.models.items()
        }
        return cls(sample, curves, paths)


@dataclass(frozen=True, eq=False)
class Replicate:
    """The rows of one replicate, and what the models do on them.

    All models are judged on the same draws, so differences between them are paired. Nothing is
    computed before it is asked for, and the walk along a model's path only once.
    """

    number: int
    drawn: Multiplicities
    _judgement: Judgement
    _draws: Draws
    _walks: dict[str, Walk] = field(default_factory=dict)

    @cached_property
    def multiplicities(self) -> IntArray:
        """How often each row was drawn, in the order of the sample; 0 for rows out of the bag."""
        return self._draws.by_row(self.drawn)

    @cached_property
    def totals(self) -> tuple[int, int]:
        """The numbers of negatives and of positives."""
        return self._draws.totals(self.drawn)

    def counts(self, model: str) -> tuple[IntArray, IntArray]:
        """Return false and true positives at the points of the sample's curve of a model.

        They belong to the same thresholds as that curve's, whether the replicate holds rows with
        these scores or not.
        """
        curve = self._judgement.curves[self._known(model)]
        path = self._judgement.paths[model]
        return (
            cumulative(self.drawn.negatives, path.negatives)[curve.false_positives],
            cumulative(self.drawn.positives, path.positives)[curve.true_positives],
        )

    def auc(self, model: str) -> float:
        """Return the area under a model's curve."""
        negatives, positives = self.totals
        return self.walk(model).twice_area / (2 * negatives * positives)

    def tpr_at(self, model: str, fprs: FloatArray) -> FloatArray:
        """Return the highest TPR of a model's curve at each FPR."""
        walk = self.walk(model)
        return highest_of_counts(walk.false_positives, walk.true_positives, self.totals, fprs)

    def hull(self, model: str | None = None) -> tuple[IntArray, IntArray]:
        """Return false and true positives at the vertices of a model's own hull, or the joint."""
        return self.joint[0] if model is None else self.walk(model).vertices

    @cached_property
    def joint(self) -> tuple[tuple[IntArray, IntArray], BoolArray]:
        """The joint hull's vertices, and which models hold one that is not an end."""
        return joined([self.walk(model).vertices for model in self._judgement.paths])

    def walk(self, model: str) -> Walk:
        """Return counts at the corners of a model's path, its hull and its area."""
        if model not in self._walks:
            path = self._judgement.paths[self._known(model)]
            self._walks[model] = self._draws.engine.walk(path, *self.drawn)
        return self._walks[model]

    def _known(self, model: str) -> str:
        return known_model(model, self._judgement.paths)


def known_model(model: object, models: Iterable[str]) -> str:
    """Return a model's name, or refuse one that nobody has."""
    names = list(models)
    if not isinstance(model, str) or model not in names:
        raise bad_input(
            "model", "be the name of a model", repr(model), f"The models are: {shown(names)}."
        )
    return model
