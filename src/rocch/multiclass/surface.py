"""The ROC surface: the trade-off between all errors, as its members show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rocch.arrays import AnyArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError, describe_type, format_count, format_list
from rocch.inputs import as_label_array, as_name, as_rate, as_whole
from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.confusion import Confusion, as_costs, cheapest, exact_costs
from rocch.multiclass.costs import CostMatrix, DirichletBelief, as_priors
from rocch.multiclass.members import (
    JudgedMembers,
    Objectives,
    SurfaceMember,
    SurfacePoint,
    answers_of,
    as_objectives,
    joined_members,
    limits_of,
    objectives_of,
)
from rocch.multiclass.volumes import (
    DominatedShare,
    cube_volume,
    dominated_share,
    exclusive_share,
)
from rocch.multiclass.within import LeastRegret, OptimalWithin, least_regret, optimal_within
from rocch.roc.conditions import OBSERVED

# --- Limits on single error rates, and on the misses of classes -----------------------------------


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The largest rates allowed: by (truth, prediction), or by class for its misses."""

    rates: Mapping[Any, float]

    @classmethod
    def of(cls, limits: Any) -> RateLimits:
        """Read limits; None means none."""
        if limits is None:
            return cls({})
        if not isinstance(limits, Mapping):
            raise InputError(
                "limits",
                "map (truth, prediction), or a class, to a rate",
                describe_type(limits),
                "For example: {('ill', 'well'): 0.02, 'well': 0.3}.",
            )
        return cls({what: as_rate(rate, f"the limit on {what!r}") for what, rate in limits.items()})

    @property
    def tell_errors_apart(self) -> bool:
        """Whether some limit is on a single kind of error, and not on all misses of a class."""
        return any(isinstance(what, tuple) for what in self.rates)

    def kept_by(self, counts: IntArray, classes: Classes) -> IntArray:
        """Return the places of the confusion matrices (n, Q, Q) that keep all limits.

        Quotients are rounded to the nearest double, so a rate of 29/100 keeps a limit of 0.29.
        """
        reached = {what: _rate_of(what, counts, classes) for what in self.rates}
        allowed = np.ones(len(counts), dtype=bool)
        for what, limit in self.rates.items():
            allowed &= reached[what] <= limit
        if not allowed.any():
            least = ", ".join(
                f"{what!r}: {reached[what].min():.4g} (limit {limit:g})"
                for what, limit in self.rates.items()
            )
            raise InfeasibleError(
                "no member of the surface keeps all limits at once. Each rate alone can be as low "
                f"as {least}. Relax a limit, search longer, or offer other classifiers."
            )
        return np.flatnonzero(allowed)


def _rate_of(what: Any, counts: IntArray, classes: Classes) -> FloatArray:
    """Return every member's rate of an error, or of the misses of a class."""
    totals = counts[0].sum(axis=1)
    if isinstance(what, tuple) and len(what) == 2 and what not in classes.names:
        k, j = (classes.place(name, "limits") for name in what)
        if k == j:
            raise InputError(
                f"limits: {what!r} is no error. Limit the misses of a class by its name alone."
            )
        rates: FloatArray = counts[:, k, j] / totals[k]
        return rates
    k = classes.place(what, "limits")
    misses: FloatArray = (totals[k] - counts[:, k, k]) / totals[k]
    return misses


# --------------------------------------------------------------------------------------------------
# Members of a surface that a user has chosen and named, for showing them apart from the rest.

DO = "For example: {'fewest errors': surface.fewest_errors(), 'the first': 0}."


def as_surface(given: Any, argument: str = "surface") -> RocSurface:
    """Return a surface that has members, or refuse what is none."""
    if not isinstance(given, JudgedMembers):
        raise InputError(
            argument, "be a RocSurface", describe_type(given), "Make one with RocSurface.of(...)."
        )
    if not len(given):
        raise InputError(argument, "have members", "none", "Search longer, or loosen its limits.")
    return cast("RocSurface", given)


def as_places(surface: JudgedMembers, chosen: Any, argument: str) -> dict[str, int]:
    """Return where each chosen member stands; each is a point, a member, or a place already."""
    if not isinstance(chosen, Mapping):
        raise InputError(argument, "map names to members", describe_type(chosen), DO)
    return {str(name): _place(surface, one, argument) for name, one in chosen.items()}


def _place(surface: JudgedMembers, one: Any, argument: str) -> int:
    member = one.member if isinstance(one, SurfacePoint) else one
    if isinstance(member, SurfaceMember):
        place = member.place
        if place is None or not _holds(surface, place, member):
            raise InputError(
                argument, "be members of this surface", f"another's: {member}", "Choose again."
            )
        return place
    place = as_whole(member, argument, least=0, hint=DO)
    if place >= len(surface):
        raise InputError(
            argument, f"be places below {len(surface)}, one for each member", place, DO
        )
    return place


def _holds(surface: JudgedMembers, place: int, member: SurfaceMember) -> bool:
    """Say whether a member stands at a place of this surface."""
    there = place < len(surface)
    return there and np.array_equal(surface.counts[place], member.confusion.counts)


# --- The ROC surface: the trade-off between all errors, as its members show it --------------------


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
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {
    ...         "one": labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": labels(truth, ["a", "c", "b", "b", "c", "c"]),
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
        members = format_count(len(self), "member")
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
        return as_label_array(self.classes)[answers_of(self, model, place)(X)]

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
            raise InputError(
                "belief",
                "be a DirichletBelief",
                describe_type(belief),
                "Costs alone have no chances.",
            )
        samples = as_whole(samples, "samples", least=1, hint="Draw 10_000 times, for example.")
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
        for `rocch.multiclass.dominated_share`.
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
            raise InputError(
                "other", "be a RocSurface", describe_type(other), "Pass another surface."
            )
        if other.classes != self.classes or other.objectives != self.objectives:
            raise InputError(
                "other",
                f"have the classes {format_list(self.classes, 30)} "
                f"and the objectives {self.objectives}",
                f"{format_list(other.classes, 30)} and {other.objectives}",
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
        raise InputError(
            "confusions",
            "map classifier names to Confusion objects",
            "none"
            if isinstance(confusions, Mapping) and not confusions
            else describe_type(confusions),
            "Make them with Confusion.from_labels(y_true, y_pred).",
        )
    classes = next(iter(confusions.values())).classes
    named = {str(name): confusion.in_order(classes) for name, confusion in confusions.items()}
    first = next(iter(named.values()))
    for name, confusion in named.items():
        if (confusion.totals != first.totals).any() or not first.totals.all():
            raise InputError(
                f"the confusion matrix of {name!r}",
                "count the same rows as the others, some of every class",
                f"class totals {confusion.totals.tolist()} beside {first.totals.tolist()}",
                "Judge all classifiers on the same rows.",
            )
    return named


# --- The rules that costs themselves imply: each classifier answering by least expected cost ------
#
# A surface has as many objectives as there are ways to err, so with many classes there is no sense
# in searching one. But costs that are known name a rule for each classifier, and judged rows say
# which of these is the cheapest. That needs no surface, and works for any number of classes.


def best_classifier(
    y_true: Any,
    y_proba: Any,
    costs: CostMatrix | DirichletBelief,
    priors: Any = OBSERVED,
    *,
    classes: Any = None,
    limits: Any = None,
) -> SurfacePoint:
    """Say which classifier is cheapest on judged rows, and by which costs it should answer.

    Each may answer by least expected cost, which is best if its posteriors are calibrated, or with
    its most likely class, which is compared because they may not be: look at `member.costs` of the
    answer, and if they are equal ones although your costs are not, calibrate the classifier
    (scikit-learn's `CalibratedClassifierCV`).

    Parameters
    ----------
    y_true
        The true labels of the judged rows.
    y_proba
        Maps each classifier's name to its posteriors of these rows.
    costs
        Exact costs, or a belief about them, whose mean decides.
    priors
        The shares of the classes where the classifier will work. Posteriors are taken to be made
        for the observed shares and corrected to these.
    classes
        The classes in the order of arrays' columns; by default the labels, sorted.
    limits
        The largest rates allowed, as for `RocSurface.best`.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> posteriors = {
    ...     "nb": cross_val_predict(GaussianNB(), X, y, method="predict_proba"),
    ...     "stump": cross_val_predict(
    ...         DecisionTreeClassifier(max_depth=1), X, y, method="predict_proba"
    ...     ),
    ... }
    >>> costs = rocch.CostMatrix({(0, 2): 10}, classes=[0, 1, 2], default=1)
    >>> rocch.multiclass.best_classifier(y, posteriors, costs).member.model
    'nb'
    """
    named = Classes.of_labels(y_true) if classes is None else Classes.of(classes)
    truths = named.truths(y_true)
    if not isinstance(y_proba, Mapping) or not y_proba:
        raise InputError(
            "y_proba",
            "map classifiers' names to posteriors",
            "none" if isinstance(y_proba, Mapping) else describe_type(y_proba),
            "For example: {'lr': model.predict_proba(X)}.",
        )
    tables = {
        as_name(name): as_posteriors(given, named, rows=truths.size, argument=f"y_proba[{name!r}]")
        for name, given in y_proba.items()
    }
    return implied_rules(tables, truths, named, costs, priors).best(costs, priors, limits=limits)


def implied_rules(
    posteriors: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    costs: CostMatrix | DirichletBelief,
    priors: Any,
) -> RocSurface:
    """Return what each classifier does on judged rows by costs that suggest themselves.

    These are the costs corrected for the priors; the costs as they are; and equal ones, which give
    its plain answers. If posteriors are calibrated the first are best; if not, nothing is sure.

    Another class balance than the observed one makes errors of the classes that become more
    frequent dearer by as much; so it becomes part of the costs that a rule answers by.
    """
    totals = np.bincount(truths, minlength=len(classes))
    exact = as_costs(costs, classes).values
    shares = as_priors(priors, classes, totals).shares
    ways = [exact * (shares * totals.sum() / totals)[:, None], exact, _equal(classes)]
    if isinstance(priors, str):  # observed, so that nothing is to be corrected
        ways = ways[1:]
    return _rules(posteriors, truths, classes, ways)


def plain_answers(
    posteriors: Mapping[str, FloatArray], truths: IntArray, classes: Classes
) -> RocSurface:
    """Return what each classifier does on judged rows with its most likely class."""
    return _rules(posteriors, truths, classes, [_equal(classes)])


def _equal(classes: Classes) -> FloatArray:
    return 1.0 - np.eye(len(classes))


def _rules(
    posteriors: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    ways: list[FloatArray],
) -> RocSurface:
    """Return every classifier answering by each of some costs."""
    cells = [
        np.bincount(truths * len(classes) + least_cost(table, way), minlength=len(classes) ** 2)
        for way in ways
        for table in posteriors.values()
    ]
    return RocSurface(
        classes,
        np.array(cells).reshape(len(cells), len(classes), len(classes)),
        tuple(posteriors) * len(ways),
        np.empty((len(cells), 0)),
        (),
        np.repeat(np.array(ways), len(posteriors), axis=0),
    )
