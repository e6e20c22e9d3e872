"""What fitting leaves: a surface, the judged posteriors behind it, and the models that answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.hybrid.many_classes.families import Family
from rocch.hybrid.many_classes.judging import posteriors_of
from rocch.multiclass.implied import implied_rules
from rocch.multiclass.surface import RocSurface

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.surface_member import SurfaceMember, SurfacePoint

    AnyArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceHybrid:
    """A fitted hybrid of many classes.

    Attributes
    ----------
    surface
        The surface; with very many classes only the classifiers as they are.
    truths
        The class of each judged row, as its place.
    posteriors
        For each classifier, the posteriors of the judged rows.
    models
        The models that answer, by name: fitted classifiers and families.
    classes
        The classes as the data's own labels.
    n_features_in, feature_names_in
        The features that the models were fitted on.
    key_column
        Always None: a member answers without coins.
    """

    surface: RocSurface
    truths: IntArray
    posteriors: Mapping[str, FloatArray]
    models: Mapping[str, Any]
    classes: AnyArray
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    key_column: str | None = None

    def best(self, costs: Any, priors: Any, limits: Any) -> SurfacePoint:
        """Return the cheapest of the members and of the rules that the costs themselves imply."""
        if not self.posteriors:
            return self.surface.best(costs, priors, limits=limits)
        rules = implied_rules(self.posteriors, self.truths, self.surface.classes, costs, priors)
        point = _joined(self.surface, rules).best(costs, priors, limits=limits)
        known = len(self.surface)
        equals = tuple(place for place in point.equals if place < known)
        member = point.member
        if member.place is not None and member.place >= known:
            member = replace(member, place=None, parameters={})
        return replace(point, member=member, equals=equals)

    def member_posteriors(self, member: SurfaceMember, features: Any) -> FloatArray:
        """Return the posteriors of new rows by a member's model, with its parameters."""
        model = self.models[member.model]
        if isinstance(model, Family):
            vector = np.array(list(member.parameters.values()))
            return model.model_.posteriors_of(vector, features)
        return posteriors_of(member.model, model, features, self.surface.classes)


def _joined(surface: RocSurface, rules: RocSurface) -> RocSurface:
    """Return the members of a surface with further ones behind them."""
    parameters = np.zeros((len(rules), surface.parameters.shape[1]))
    costs = None
    if surface.costs is not None and rules.costs is not None:
        costs = np.concatenate([surface.costs, rules.costs])
    return RocSurface(
        surface.classes,
        np.concatenate([surface.counts, rules.counts]),
        surface.models + rules.models,
        np.concatenate([surface.parameters, parameters]),
        surface.parameter_names,
        costs,
        surface.objectives,
    )
