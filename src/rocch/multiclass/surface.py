"""The ROC surface: the trade-off between all errors, as its members show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, quantity, shown
from rocch.inputs import answer_labels, as_whole
from rocch.multiclass.chosen import as_places
from rocch.multiclass.confusion import Confusion, as_costs
from rocch.multiclass.cost_matrix import CostMatrix
from rocch.multiclass.dirichlet import DirichletBelief
from rocch.multiclass.exact_costs import cheapest, exact_costs
from rocch.multiclass.joined_members import joined_members
from rocch.multiclass.judged_members import JudgedMembers
from rocch.multiclass.member_answers import answers_of
from rocch.multiclass.objectives import Objectives, as_objectives, limits_of, objectives_of
from rocch.multiclass.priors import as_priors
from rocch.multiclass.rate_limits import RateLimits
from rocch.multiclass.surface_member import SurfacePoint
from rocch.multiclass.volumes import (
    DominatedShare,
    cube_volume,
    dominated_share,
    exclusive_share,
)
from rocch.multiclass.within import LeastRegret, OptimalWithin, least_regret, optimal_within
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    AnyArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class RocSurface(JudgedMembers):
    """Classifiers of which none is better than another in every kind of error.

    `SurfaceSearch` makes surfaces; `RocSurface.of` makes one of classifiers that are already there.

    Attributes
    ----------
    classes
        The classes.
    counts
        What each member did on the judged rows: (members, Q, Q) exact counts, truths in rows.
    models
        The name of each member's model.
    parameters, parameter_names
        Each member's parameters (members, p), and their names.
    costs
        The costs by which each member answers (members, Q, Q), or None for given labels.
    objectives
        What the members trade off: "rates", all Q(Q-1) error rates, or "misses", the miss rates of
        the Q classes (Everson and Fieldsend, equation 12).

    Examples
    --------
    >>> import rocch
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> surface = rocch.RocSurface.of(
    ...     {
    ...         "one": rocch.Confusion.from_labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": rocch.Confusion.from_labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> costs = rocch.CostMatrix({("a", "c"): 5}, classes=["a", "b", "c"], default=1)
    >>> surface.best(costs).member.model
    'one'
    """

    @classmethod
    def of(cls, confusions: Any, *, objectives: Objectives = "rates") -> RocSurface:
        """Make a surface of classifiers that are already there; the dominated are left out.

        Parameters
        ----------
        confusions
            Maps each classifier's name to its `Confusion`; all judged on the same rows.
        objectives
            "rates" or "misses", by which dominance is decided.
        """
        named = _checked(confusions)
        kind = as_objectives(objectives)
        classes = next(iter(named.values())).classes
        counts = np.stack([confusion.counts for confusion in named.values()])
        values = objectives_of(counts, kind)
        keep = [
            not ((values <= one).all(axis=1) & (values < one).any(axis=1)).any() for one in values
        ]
        names = tuple(name for name, kept in zip(named, keep, strict=True) if kept)
        return cls(classes, counts[keep], names, np.empty((len(names), 0)), (), None, kind)

    @classmethod
    def joined(cls, surfaces: Mapping[str, RocSurface]) -> RocSurface:
        """Make one surface of several that were searched apart, on the same rows.

        What another's member dominates is left out. Members of models with parameters take the name
        under which their surface is given; classifiers keep their own.

        Parameters
        ----------
        surfaces
            The surfaces by name, of the same classes, objectives and judged rows. New rows are
            answered by `SeveralModels` of the models under the same names.
        """
        return cls(*joined_members(surfaces))

    def __repr__(self) -> str:
        members = quantity(len(self), "member")
        return f"RocSurface of {members}, {len(self.classes)} classes, {self.objectives}"

    def best(
        self, costs: CostMatrix | DirichletBelief, priors: Any = OBSERVED, *, limits: Any = None
    ) -> SurfacePoint:
        """Return the member of least expected cost, decided without rounding.

        Parameters
        ----------
        costs
            Exact costs, or a belief about them (whose mean decides). For intervals see
            `optimal_within` and `least_regret`.
        priors
            The shares of the classes where the classifier will work: a mapping, a belief, or
            "observed".
        limits
            The largest rates allowed: `{(truth, prediction): rate}` for single errors,
            `{class: rate}` for the misses of a class.
        """
        exact = as_costs(costs, self.classes).values
        shares = as_priors(priors, self.classes, self.totals)
        bounds = RateLimits.of(limits)
        allowed = bounds.kept_by(self.counts, self.classes)
        found = allowed[cheapest(self.counts[allowed], self.totals, exact, shares)]
        chosen = int(found[np.argmin(self.errors[found])])
        whole, unit = exact_costs(self.counts[[chosen]], self.totals, exact, shares)
        off = exact[~np.eye(len(exact), dtype=bool)].reshape(len(exact), -1)
        by_truth = bool((off == off[:, :1]).all()) and not bounds.tell_errors_apart
        sure = self.objectives == "rates" or by_truth
        return SurfacePoint(self.member(chosen), int(whole[0]) / unit, tuple(found.tolist()), sure)

    def fewest_errors(self, *, limits: Any = None) -> SurfacePoint:
        """Return the member that answers the fewest judged rows wrongly."""
        return self.best(CostMatrix.zero_one(self.classes), limits=limits)

    def knee(self, *, limits: Any = None) -> SurfacePoint:
        """Return the member whose largest miss rate is least: all rates small and about equal.

        That is the corner of the miss-rate front (Everson and Fieldsend, section 4.4). Of equals
        the smaller sum of miss rates decides.
        """
        bounds = RateLimits.of(limits)
        allowed = bounds.kept_by(self.counts, self.classes)
        worst = self.miss_rates[allowed].max(axis=1)
        close = allowed[worst == worst.min()]
        sums = self.miss_sums[close]
        found = close[sums == sums.min()]
        chosen = int(found[np.argmin(self.errors[found])])
        sure = self.objectives == "rates" or not bounds.tell_errors_apart
        return SurfacePoint(self.member(chosen), None, tuple(found.tolist()), sure)

    def farthest_from_random(self, *, limits: Any = None) -> SurfacePoint:
        """Return the member farthest from random allocation: a choice when nothing is known.

        It is Everson and Fieldsend's default: the member with the least sum of error rates, and so
        with the least mean miss rate.
        """
        fair = {name: 1 / len(self.classes) for name in self.classes}
        point = self.best(CostMatrix.zero_one(self.classes), fair, limits=limits)
        return SurfacePoint(point.member, None, point.equals, point.guaranteed)

    def optimal_within(
        self, costs: CostMatrix, priors: Any = OBSERVED, *, limits: Any = None
    ) -> OptimalWithin:
        """Return every member that is optimal somewhere within bounds on costs and priors.

        Decided without rounding. It takes 5 to 20 milliseconds for each member that no other beats
        throughout the bounds: with wide bounds and 10,000 members one to three minutes.

        Parameters
        ----------
        costs
            Costs, each a number or an interval.
        priors
            Shares, each a number or an interval, or "observed".
        limits
            The largest rates allowed, as for `best`: only members that keep them take part.
        """
        allowed = RateLimits.of(limits).kept_by(self.counts, self.classes)
        stated = as_costs(costs, self.classes)
        shares = as_priors(priors, self.classes, self.totals)
        models = tuple(self.models[place] for place in allowed)
        return optimal_within(self.counts[allowed], stated, shares, models).at(allowed.tolist())

    def least_regret(
        self, costs: CostMatrix, priors: Any = OBSERVED, *, limits: Any = None
    ) -> LeastRegret:
        """Return the member that loses least in the worst case within bounds on costs and priors.

        Its regret is what it costs more than the best member for the costs and priors that turn
        out to hold. Parameters as for `optimal_within`.
        """
        allowed = RateLimits.of(limits).kept_by(self.counts, self.classes)
        stated = as_costs(costs, self.classes)
        shares = as_priors(priors, self.classes, self.totals)
        place, regret = least_regret(self.counts[allowed], stated, shares)
        return LeastRegret(self.member(int(allowed[place])), regret)

    def answers(self, chosen: Any, model: Any, X: Any) -> AnyArray:
        """Answer new rows with a member, by the model that the surface was found with.

        Parameters
        ----------
        chosen
            What `best`, `knee` and the like returned, a member, or a place.
        model
            The model: it gives posteriors of new rows (`posteriors_of`), the member's costs decide.
        X
            The rows.
        """
        place = as_places(self, {"chosen": chosen}, "chosen")["chosen"]
        return answer_labels(self.classes)[answers_of(self, model, place)(X)]

    def chances(
        self,
        belief: DirichletBelief,
        priors: Any = OBSERVED,
        *,
        samples: int = 10_000,
        seed: int = 0,
    ) -> dict[int, float]:
        """Return how likely each member is to be the best under a belief about costs.

        Parameters
        ----------
        belief
            The belief.
        priors
            The shares of the classes.
        samples, seed
            How many costs are drawn, and the seed of the draws. The standard error of a chance p is
            sqrt(p (1 - p) / samples).

        Returns
        -------
        The share of draws at which each member was the cheapest (the first of equals), by place,
        likeliest first; members that never were are left out.
        """
        if not isinstance(belief, DirichletBelief):
            raise bad_input(
                "belief", "be a DirichletBelief", kind_of(belief), "Costs alone have no chances."
            )
        samples = as_whole(samples, "samples", least=1, do="Draw 10_000 times, for example.")
        shares = as_priors(priors, self.classes, self.totals).shares
        draws = belief.cost_draws(self.classes, samples, seed=seed)
        flat = (draws * shares[:, None] / self.totals[:, None]).reshape(samples, -1)
        wins = np.zeros(len(self), dtype=np.int64)
        members = self.counts.reshape(len(self), -1).T.astype(float)
        for start in range(0, samples, 1000):
            best = (flat[start : start + 1000] @ members).argmin(axis=1)
            wins += np.bincount(best, minlength=len(self))
        order = np.argsort(-wins, kind="stable")
        return {int(place): int(wins[place]) / samples for place in order if wins[place]}

    def dominated_share(
        self, *, samples: int = 100_000, seed: int = 0, exact: bool = False
    ) -> DominatedShare:
        """Return G: the share of the region below random allocation that the surface dominates.

        The multi-class analogue of the Gini coefficient (Everson and Fieldsend, section 5), from
        samples with their standard error, or exact where members and classes are few. Parameters as
        for `rocch.dominated_share`.
        """
        return dominated_share(
            self.objective_counts,
            limits_of(self.totals, self.objectives),
            objectives=self.objectives,
            samples=samples,
            seed=seed,
            exact=exact,
        )

    def exclusive_share(
        self, other: RocSurface, *, samples: int = 100_000, seed: int = 0, exact: bool = False
    ) -> DominatedShare:
        """Return delta: the share of the region that this surface dominates and another does not.

        Not symmetric: look at both (Everson and Fieldsend, section 5). The surfaces must speak of
        the same classes and objectives; they may have been judged on different rows.
        """
        if not isinstance(other, RocSurface):
            raise bad_input("other", "be a RocSurface", kind_of(other), "Pass another surface.")
        if other.classes != self.classes or other.objectives != self.objectives:
            raise bad_input(
                "other",
                f"have the classes {shown(self.classes, 30)} and the objectives {self.objectives}",
                f"{shown(other.classes, 30)} and {other.objectives}",
                "Compare surfaces of the same problem.",
            )
        return exclusive_share(
            self.objective_counts,
            limits_of(self.totals, self.objectives),
            other.objective_counts,
            limits_of(other.totals, other.objectives),
            objectives=self.objectives,
            samples=samples,
            seed=seed,
            exact=exact,
        )

    def cube_volume(self) -> float:
        """Return the volume of the unit cube that the surface dominates (needs moocore)."""
        return cube_volume(self.objective_counts, limits_of(self.totals, self.objectives))


def _checked(confusions: Any) -> dict[str, Confusion]:
    """Return named confusion matrices that were counted on the same rows."""
    valid = isinstance(confusions, Mapping) and all(
        isinstance(confusion, Confusion) for confusion in confusions.values()
    )
    if not valid or not confusions:
        raise bad_input(
            "confusions",
            "map classifier names to Confusion objects",
            "none" if isinstance(confusions, Mapping) and not confusions else kind_of(confusions),
            "Make them with Confusion.from_labels(y_true, y_pred).",
        )
    classes = next(iter(confusions.values())).classes
    named = {str(name): confusion.in_order(classes) for name, confusion in confusions.items()}
    first = next(iter(named.values()))
    for name, confusion in named.items():
        if (confusion.totals != first.totals).any() or not first.totals.all():
            raise bad_input(
                f"the confusion matrix of {name!r}",
                "count the same rows as the others, some of every class",
                f"class totals {confusion.totals.tolist()} beside {first.totals.tolist()}",
                "Judge all classifiers on the same rows.",
            )
    return named
