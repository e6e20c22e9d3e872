"""What fitting leaves: a surface, the judged posteriors behind it, and the models that answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InfeasibleError
from rocch.hybrid.many_classes.families import Family
from rocch.hybrid.many_classes.judging import posteriors_of
from rocch.kernels.assignment import least_cost
from rocch.multiclass.confusion import as_costs
from rocch.multiclass.costs import as_priors
from rocch.multiclass.members import SurfacePoint
from rocch.multiclass.surface import RocSurface, implied_rules
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.members import SurfaceMember

    AnyArray = np.ndarray[Any, Any]

LEAD = 2.0
"""Standard errors by which a member must lead a rule. The best of thousands looks better than it
is: docs/multiclass.md shows what was measured with none, and with this many."""


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
    of_columns
        Always False: its models are here.
    """

    surface: RocSurface
    truths: IntArray
    posteriors: Mapping[str, FloatArray]
    models: Mapping[str, Any]
    classes: AnyArray
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    key_column: str | None = None
    of_columns: bool = False

    def best(self, costs: Any, priors: Any, limits: Any, *, parsimonious: bool) -> SurfacePoint:
        """Return the cheapest of the members and of the rules that the costs themselves imply.

        If parsimonious, a rule stands unless a member leads it by more than two standard errors.
        """
        if not self.posteriors:
            return self.surface.best(costs, priors, limits=limits)
        rules = implied_rules(self.posteriors, self.truths, self.surface.classes, costs, priors)
        point = _joined(self.surface, rules).best(costs, priors, limits=limits)
        known = len(self.surface)
        if point.member.place is not None and point.member.place >= known:
            return _rule(point, known)
        if parsimonious:
            try:
                rule = rules.best(costs, priors, limits=limits)
            except InfeasibleError:  # no rule keeps the limits, so the members must
                return point
            if not self._leads(point.member, rule.member, costs, priors):
                return _rule(rule, 0)
        return replace(point, equals=tuple(place for place in point.equals if place < known))

    def least_regret(self, costs: Any, priors: Any, limits: Any) -> tuple[SurfacePoint, float]:
        """Return the member, or a rule of the middle costs, that loses least at worst."""
        joined = self.surface
        if self.posteriors:
            middle = as_costs(costs, self.surface.classes).middle()
            shares = as_priors(priors, self.surface.classes, self.surface.totals)
            usual = priors if shares.exact else OBSERVED
            rules = implied_rules(self.posteriors, self.truths, joined.classes, middle, usual)
            joined = _joined(joined, rules)
        safest = joined.least_regret(costs, priors, limits=limits)
        place = int(safest.member.place or 0)
        point = SurfacePoint(safest.member, None, (place,), self.surface.objectives == "rates")
        known = len(self.surface)
        return (point if place < known else _rule(point, known)), safest.regret

    def _leads(self, member: SurfaceMember, rule: SurfaceMember, costs: Any, priors: Any) -> bool:
        """Say whether a member is cheaper than a rule by more than chance would make it."""
        values = as_costs(costs, self.surface.classes).values
        totals = self.surface.totals
        shares = as_priors(priors, self.surface.classes, totals).shares
        saved = (
            values[self.truths, self._judged_answers(rule)]
            - values[self.truths, self._judged_answers(member)]
        )
        mean = np.bincount(self.truths, saved) / totals
        squares = np.bincount(self.truths, (saved - mean[self.truths]) ** 2)
        variance = (shares**2 * squares / (totals * np.maximum(totals - 1, 1))).sum()
        return bool(shares @ mean > LEAD * np.sqrt(variance))

    def _judged_answers(self, member: SurfaceMember) -> IntArray:
        """Return a member's answers on the judged rows."""
        if member.model in self.posteriors:
            posteriors = self.posteriors[member.model]
        else:
            vector = np.array(list(member.parameters.values()))
            posteriors = self.models[member.model].model_.posteriors(vector)
        return least_cost(posteriors, np.asarray(member.costs.values))  # type: ignore[union-attr]

    def member_posteriors(self, member: SurfaceMember, features: Any) -> FloatArray:
        """Return the posteriors of new rows by a member's model, with its parameters."""
        model = self.models[member.model]
        if isinstance(model, Family):
            vector = np.array(list(member.parameters.values()))
            return model.model_.posteriors_of(vector, features)
        return posteriors_of(member.model, model, features, self.surface.classes)


def _rule(point: SurfacePoint, known: int) -> SurfacePoint:
    """Return a point whose member is a rule of the costs, and so has no place on the surface."""
    member = replace(point.member, place=None, parameters={})
    equals = tuple(place for place in point.equals if place < known)
    return replace(point, member=member, equals=equals)


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
