"""ROC surfaces: non-dominated classifiers of more than two classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from rocch.arrays import AnyArray, BoolArray, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InfeasibleError, InputError, format_count, format_list
from rocch.inputs import as_function, as_instance, as_mapping, as_rate, as_whole, check_unique
from rocch.kernels.assignment import least_cost
from rocch.labels import as_label_array
from rocch.multiclass.archive import Archive
from rocch.multiclass.classes import Classes, as_probabilities, describe_error, is_pair
from rocch.multiclass.confusion import (
    Confusion,
    Objectives,
    as_objectives,
    cheapest,
    limits_of,
    objectives_of,
)
from rocch.multiclass.costs import (
    CostMatrix,
    Costs,
    DirichletBelief,
    Shares,
    as_costs,
    as_priors,
    check_errors,
)
from rocch.multiclass.volumes import DominatedShare, cube_volume, dominated_share, exclusive_share
from rocch.multiclass.within import CostBox, Witness, least_regret, optimal_members
from rocch.results import Record, Table, Tabular, collect
from rocch.roc.conditions import OBSERVED
from rocch.svg import Line, draw_lines

# Notebooks list all members of surfaces up to this size, and of others those to choose.
MOST_SHOWN = 12
# The most classes in a small picture.
MOST_DRAWN = 6
# The most parameters in a text; a network's weights mean nothing to a reader.
MOST_LISTED = 3


def describe_settings(parameters: Mapping[str, float]) -> str:
    """Return a model's parameters in words, where they are few."""
    few = parameters if len(parameters) <= MOST_LISTED else {}
    return ", ".join(f"{name} {value:.4g}" for name, value in few.items())


@dataclass(frozen=True, slots=True, repr=False)
class SurfaceMember(Record):
    """A classifier on the surface.

    Attributes
    ----------
    place
        Its place on the surface, if it is there.
    model
        The model's name.
    parameters
        The model's parameters by name.
    costs
        The costs by which it predicts; None for given labels.
    confusion
        Its confusion matrix on the evaluation rows.
    """

    place: int | None
    model: str
    parameters: dict[str, float]
    costs: CostMatrix | None
    confusion: Confusion

    def __hash__(self) -> int:
        return hash((self.place, self.model, self.confusion))

    def __str__(self) -> str:
        settings = describe_settings(self.parameters)
        errors, rows = self.confusion.errors, int(self.confusion.totals.sum())
        return f"{self.model}{f' ({settings})' if settings else ''}: {errors} of {rows} rows wrong"

    def _row(self) -> dict[str, Any]:
        few = self.parameters if len(self.parameters) <= MOST_LISTED else {}
        totals, counts = self.confusion.totals.tolist(), self.confusion.counts
        misses = {
            f"missed {name}": (total - int(counts[k, k])) / total if total else None
            for k, (name, total) in enumerate(zip(self.confusion.classes, totals, strict=True))
        }
        found = {"place": self.place, "model": self.model, **few, "errors": self.confusion.errors}
        return {**found, **misses}

    def _tables(self) -> tuple[Table, ...]:
        return self.confusion._tables()


@dataclass(frozen=True, slots=True, repr=False)
class SurfacePoint(Record):
    """The best member for a purpose.

    Attributes
    ----------
    member
        The first with the fewest errors among the best.
    expected_cost
        Its expected cost per row, if costs were given.
    equals
        The places of all that are equally good.
    guaranteed
        False if members were found by miss rates alone but costs depend on the prediction: a better
        one may have been left out.
    """

    member: SurfaceMember
    expected_cost: float | None
    equals: tuple[int, ...]
    guaranteed: bool = True

    @property
    def confusion(self) -> Confusion:
        """The member's confusion matrix on the evaluation rows."""
        return self.member.confusion

    def __str__(self) -> str:
        cost = "" if self.expected_cost is None else f", expected cost {self.expected_cost:.6g}"
        return f"{self.member}{cost}"

    def _row(self) -> dict[str, Any]:
        return {**self.member._row(), "expected_cost": self.expected_cost}

    def _tables(self) -> tuple[Table, ...]:
        return self.confusion._tables()


# A member, as a result, as itself, or as its place.
Chosen: TypeAlias = SurfacePoint | SurfaceMember | int


@dataclass(frozen=True, slots=True, repr=False)
class OptimalWithin(Tabular):
    """The members that are optimal somewhere within bounds.

    Attributes
    ----------
    places
        Their places.
    models
        The names of their models, sorted.
    witnesses
        For each place, costs and priors at which it is optimal.
    """

    places: tuple[int, ...]
    models: tuple[str, ...]
    witnesses: dict[int, Witness]

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, place: object) -> bool:
        return place in self.witnesses

    def __str__(self) -> str:
        return f"{format_count(len(self), 'member')} can be optimal, of: {', '.join(self.models)}"

    def _columns(self) -> Table:
        """Return costs and priors at which each member is optimal."""
        found = [self.witnesses[place] for place in self.places]
        costs = [str(witness.costs) for witness in found]
        return {"place": self.places, "costs": costs, "priors": [str(w.priors) for w in found]}


@dataclass(frozen=True, slots=True, repr=False)
class LeastRegret(Record):
    """The member with the smallest worst-case regret.

    Attributes
    ----------
    member
        The member.
    regret
        Its largest cost per row beyond the best member's.
    """

    member: SurfaceMember
    regret: float

    def __str__(self) -> str:
        return f"{self.member}; at worst {self.regret:.6g} per row more than the best member"

    def _row(self) -> dict[str, Any]:
        return {**self.member._row(), "regret": self.regret}

    def _tables(self) -> tuple[Table, ...]:
        return self.member.confusion._tables()


def _lowest(x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
    """Return the steps of the least y among all points up to each x."""
    order = np.lexsort((y, x))
    least = np.minimum.accumulate(y[order])
    is_lower = np.diff(least, prepend=least[0] + 1) < 0
    places, heights = x[order][is_lower], least[is_lower]
    return np.repeat(places, 2)[1:], np.repeat(heights, 2)[:-1]


# The largest rates allowed, by (truth, prediction), or by class for its misses.
RateLimits: TypeAlias = Mapping[Any, float] | None


def _name_rate(what: Any) -> str:
    """Return what is limited, in words."""
    return describe_error(what) if is_pair(what) else f"missing {what}"


def _distinguish_errors(limits: RateLimits) -> bool:
    """Whether some limit is on a single kind of error."""
    return any(isinstance(what, tuple) for what in limits or {})


@dataclass(frozen=True, slots=True, eq=False)
class RocSurface(Tabular):
    """Classifiers of which none is better than another in every kind of error.

    `SurfaceSearch` finds surfaces; `RocSurface.of` makes one of existing classifiers.

    Attributes
    ----------
    classes
        The classes.
    counts
        The confusion counts on the evaluation rows (members, Q, Q), truths in rows.
    models
        The name of each member's model.
    parameters, parameter_names
        The parameters (members, p) and their names.
    costs
        The costs by which each member predicts (members, Q, Q), or None for given labels.
    objectives
        What members trade off: Q(Q-1) error "rates", or the "misses" of Q classes.

    Examples
    --------
    >>> import rocch
    >>> truth = ["a", "a", "b", "b", "c", "c"]
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

    classes: Classes
    counts: IntArray
    models: tuple[str, ...]
    parameters: FloatArray
    parameter_names: tuple[str, ...]
    costs: FloatArray | None
    objectives: Objectives = "rates"

    def __post_init__(self) -> None:
        for array in (self.counts, self.parameters, self.costs):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def of(
        cls, confusions: Mapping[str, Confusion], *, objectives: Objectives = "rates"
    ) -> RocSurface:
        """Return the surface of existing classifiers, without dominated ones.

        `confusions` maps each classifier's name to its `Confusion` on the same rows.
        """
        named = _as_confusions(confusions)
        kind = as_objectives(objectives)
        classes = next(iter(named.values())).classes
        counts = np.stack([confusion.counts for confusion in named.values()])
        values = objectives_of(counts, kind)
        keep = [
            not ((values <= one).all(axis=1) & (values < one).any(axis=1)).any() for one in values
        ]
        names = tuple(np.array(list(named), dtype=object)[keep])
        return cls(classes, counts[keep], names, np.empty((len(names), 0)), (), None, kind)

    @classmethod
    def joined(cls, surfaces: Mapping[str, RocSurface]) -> RocSurface:
        """Join surfaces of the same evaluation rows, without dominated members.

        Models with parameters take their surface's name; classifiers keep theirs. To predict new
        rows, pass `SeveralModels` of the models under the same names.
        """
        from scipy.linalg import block_diag

        named = _as_surfaces(surfaces)
        parts = list(named.values())
        first = parts[0]
        archive = Archive(limits_of(first.totals, first.objectives))
        entered = archive.insert(np.concatenate([part.objective_counts for part in parts]))
        own_models = [
            part.models if "classifier" in part.parameter_names else (name,) * len(part)
            for name, part in named.items()
        ]
        check_unique(chain.from_iterable(map(set, own_models)), "surfaces")
        models = list(chain.from_iterable(own_models))
        costs = None
        if all(part.costs is not None for part in parts):
            costs = np.concatenate([np.asarray(part.costs) for part in parts])[entered]
        numbers = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        own_names = (
            f"{name}: {own}" for name, part in named.items() for own in part.parameter_names
        )
        return cls(
            first.classes,
            np.concatenate([part.counts for part in parts])[entered],
            tuple(models[place] for place in entered),
            np.column_stack([numbers, block_diag(*(part.parameters for part in parts))])[entered],
            ("model", *own_names),
            costs,
            first.objectives,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RocSurface):
            return NotImplemented
        plain = ("classes", "models", "parameter_names", "objectives")
        arrays = ("counts", "parameters", "costs")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays
        )

    def __hash__(self) -> int:
        return hash((self.classes, self.models, self.counts.tobytes()))

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[SurfaceMember]:
        return (self.member(place) for place in range(len(self)))

    def __repr__(self) -> str:
        members = format_count(len(self), "member")
        return f"<RocSurface of {members}, {len(self.classes)} classes, {self.objectives}>"

    def _columns(self) -> Table:
        return collect(self)

    def _title(self) -> str:
        kinds = "kind of error" if self.objectives == "rates" else "class's misses"
        members = format_count(len(self), "member", ",")
        text = (
            f"{members}, {len(self.classes)} classes; none is better than another in every {kinds}"
        )
        return f"{text}. Points mark the fewest errors." if self._picture() else f"{text}."

    def _tables(self) -> tuple[Table, ...]:
        """Return the members to choose without costs, where there are more than a few."""
        if len(self) <= MOST_SHOWN or not self.totals.all():
            return (self._columns(),)
        chosen = {
            "fewest errors": self.fewest_errors(),
            "smallest maximum miss rate": self.knee(),
            "farthest from random": self.farthest_from_random(),
        }
        return ({"choice": list(chosen), **collect(point.member for point in chosen.values())},)

    def _picture(self) -> str:
        return self.draw_trade_off() if len(self) > 1 else ""

    def draw_trade_off(self, chosen: Confusion | None = None) -> str:
        """Return a small picture of what missing fewer rows of a class does to the others.

        A line for each class shows the fewest rows of other classes that members miss, by how many
        rows of the class they miss. The points are the chosen one, by default the member with the
        fewest errors.
        """
        if len(self.classes) > MOST_DRAWN or not self.totals.all():
            return ""
        point = Confusion(self.classes, self.counts[self.errors.argmin()])
        marked = (self.totals - np.diag((chosen or point).counts)).tolist()
        others = (self.totals.sum() - self.totals).tolist()
        lines = []
        for k, name in enumerate(self.classes):
            x, y = _lowest(self.misses[:, k], self.errors - self.misses[:, k])
            mark = marked[k] / int(self.totals[k]), (sum(marked) - marked[k]) / others[k]
            lines.append(Line(str(name), x / self.totals[k], y / others[k], mark=mark))
        return draw_lines(lines, "share of this class missed", "share of the others missed")

    @property
    def members(self) -> list[SurfaceMember]:
        """All members."""
        return list(self)

    def member(self, place: int) -> SurfaceMember:
        """Return the member at a place, counted from 0."""
        place = self._place_of(place, "place")
        costs = None
        if self.costs is not None:
            costs = CostMatrix.of_bounds(self.classes, self.costs[place], self.costs[place])
        return SurfaceMember(
            place,
            self.models[place],
            self.parameters_of(place),
            costs,
            Confusion(self.classes, self.counts[place]),
        )

    def _place_of(self, chosen: Chosen, argument: str) -> int:
        """Return the place of a member."""
        member = chosen.member if isinstance(chosen, SurfacePoint) else chosen
        if not isinstance(member, SurfaceMember):
            hint = f"Places count the {format_count(len(self), 'member')} from 0."
            return as_whole(member, argument, least=0, most=len(self) - 1, hint=hint)
        place = -1 if member.place is None else member.place
        if place not in range(len(self)) or not np.array_equal(
            self.counts[place], member.confusion.counts
        ):
            raise InputError(argument, "be members of this surface", f"another's: {member}")
        return place

    def parameters_of(self, place: int) -> dict[str, float]:
        """Return a member's parameters by name, without those of other models."""
        named = dict(zip(self.parameter_names, self.parameters[place].tolist(), strict=True))
        named.pop("classifier", None)  # the name of the model is enough
        if "model" not in named:
            return named
        own = f"{self.models[place]}: "
        return {n.removeprefix(own): value for n, value in named.items() if n.startswith(own)}

    @property
    def totals(self) -> IntArray:
        """The number of evaluation rows of each class."""
        return np.asarray(self.counts[0].sum(axis=1))

    @property
    def all_rates(self) -> FloatArray:
        """The confusion matrices as rates (members, Q, Q)."""
        return np.asarray(self.counts / self.totals[:, None])

    @property
    def rates(self) -> FloatArray:
        """The off-diagonal rates (members, Q(Q-1)), in the order of `classes.pairs`."""
        return self.all_rates[:, ~np.eye(len(self.classes), dtype=bool)]

    @property
    def misses(self) -> IntArray:
        """The number of rows of each class that each member misses (members, Q)."""
        return objectives_of(self.counts, "misses")

    @property
    def miss_rates(self) -> FloatArray:
        """The miss rates (members, Q)."""
        return np.asarray(self.misses / self.totals)

    @property
    def errors(self) -> IntArray:
        """The number of errors of each member."""
        return np.asarray(self.misses.sum(axis=1))

    @property
    def objective_counts(self) -> IntArray:
        """The counts that members trade off (members, D)."""
        return objectives_of(self.counts, self.objectives)

    @property
    def _objective_limits(self) -> IntArray:
        return limits_of(self.totals, self.objectives)

    @property
    def distances(self) -> FloatArray:
        """The signed distance of each member from random allocation; negative is better.

        See Everson and Fieldsend, section 5.
        """
        excess = self.miss_rates.sum(axis=1) - (len(self.classes) - 1)
        return np.asarray(excess / math.sqrt(self.objective_counts.shape[1]))

    @property
    def miss_unit(self) -> int:
        """The least common multiple of the classes' totals."""
        return math.lcm(*map(int, self.totals))

    @property
    def miss_sums(self) -> IntArray:
        """The exact sums of miss rates, in units of 1 / `miss_unit`."""
        steps = np.array([self.miss_unit // int(total) for total in self.totals], dtype=object)
        return np.asarray((self.misses.astype(object) * steps).sum(axis=1))

    @property
    def beyond_random(self) -> BoolArray:
        """Which members are worse than random allocation, without rounding."""
        return np.asarray(self.miss_sums > self.miss_unit * (len(self.classes) - 1))

    def best(
        self, costs: Costs, priors: Shares = OBSERVED, *, limits: RateLimits = None
    ) -> SurfacePoint:
        """Return the member of least expected cost, without rounding.

        Parameters
        ----------
        costs
            Exact costs, or a belief, whose mean decides.
        priors
            The classes' shares in use: a mapping, a belief, or "observed".
        limits
            The largest rates allowed: `{(truth, prediction): rate}` for errors, `{class: rate}` for
            misses of a class.
        """
        exact = as_costs(costs, self.classes).values
        shares = as_priors(priors, self.classes, self.totals)
        allowed = self._allowed(limits)
        found = allowed[cheapest(self.counts[allowed], self.totals, exact, shares)]
        off = exact[~np.eye(len(exact), dtype=bool)].reshape(len(exact), -1)
        by_truth = bool((off == off[:, :1]).all()) and not _distinguish_errors(limits)
        point = self._point(found, guaranteed=by_truth)
        return replace(point, expected_cost=point.confusion.expected_cost(costs, priors))

    def _allowed(self, limits: RateLimits) -> IntArray:
        """Return the places of the members that satisfy all limits."""
        hint = Hint(
            "Map (truth, prediction), or a class, to a rate: {('ill', 'well'): 0.02, 'well': 0.3}."
        )
        given = as_instance({} if limits is None else limits, Mapping, "limits", hint=hint)
        bounds = {
            what: as_rate(rate, f"the limit on {_name_rate(what)}") for what, rate in given.items()
        }
        # quotients are rounded to the nearest double, so 29/100 satisfies a limit of 0.29
        reached = {what: self._rates_of(what) for what in bounds}
        allowed = np.ones(len(self), dtype=bool)
        for what, bound in bounds.items():
            allowed &= reached[what] <= bound
        if not allowed.any():
            least = ", ".join(
                f"{reached[what].min():.4g} for {_name_rate(what)} (limit {bound:g})"
                for what, bound in bounds.items()
            )
            raise InfeasibleError(
                "no member of the surface satisfies all limits at once.",
                hint=f"Each rate alone can be as low as {least}. Relax a limit, search longer, or "
                "offer other classifiers.",
            )
        return np.flatnonzero(allowed)

    def _rates_of(self, what: Label) -> FloatArray:
        """Return each member's rate of an error, or its miss rate of a class."""
        if is_pair(what) and what not in self.classes.names:
            check_errors([what], "limits", "Limit the misses of a class by its name alone.")
            return self.all_rates[:, *self.classes.places(what, "limits")]
        return self.miss_rates[:, self.classes.place(what, "limits")]

    def _point(self, found: IntArray, *, guaranteed: bool) -> SurfacePoint:
        chosen = int(found[np.argmin(self.errors[found])])
        sure = self.objectives == "rates" or guaranteed
        return SurfacePoint(self.member(chosen), None, tuple(found.tolist()), sure)

    def fewest_errors(self, *, limits: RateLimits = None) -> SurfacePoint:
        """Return the member with the fewest errors on the evaluation rows."""
        return self.best(CostMatrix.zero_one(self.classes), limits=limits)

    def knee(self, *, limits: RateLimits = None) -> SurfacePoint:
        """Return the member whose largest miss rate is least.

        Of equals the smaller sum of miss rates decides (Everson and Fieldsend, section 4.4).
        """
        allowed = self._allowed(limits)
        worst = self.miss_rates[allowed].max(axis=1)
        close = allowed[worst == worst.min()]
        sums = self.miss_sums[close]
        return self._point(close[sums == sums.min()], guaranteed=not _distinguish_errors(limits))

    def farthest_from_random(self, *, limits: RateLimits = None) -> SurfacePoint:
        """Return the member farthest from random allocation, with the least mean miss rate."""
        fair = {name: 1 / len(self.classes) for name in self.classes}
        point = self.best(CostMatrix.zero_one(self.classes), fair, limits=limits)
        return replace(point, expected_cost=None)

    def optimal_within(
        self, costs: CostMatrix, priors: Shares = OBSERVED, *, limits: RateLimits = None
    ) -> OptimalWithin:
        """Return every member that is optimal somewhere within bounds, without rounding.

        Parameters are those of `best`; costs and priors may be intervals. Wide bounds and 10,000
        members take one to three minutes.
        """
        allowed, box = self._bounded(costs, priors, limits)
        found = optimal_members(box)
        witnesses = {int(allowed[own]): witness for own, witness in found.items()}
        models = {self.models[place] for place in witnesses}
        return OptimalWithin(tuple(witnesses), tuple(sorted(models)), witnesses)

    def least_regret(
        self, costs: CostMatrix, priors: Shares = OBSERVED, *, limits: RateLimits = None
    ) -> LeastRegret:
        """Return the member with the smallest worst-case regret within bounds.

        Parameters are those of `best`; costs and priors may be intervals.
        """
        allowed, box = self._bounded(costs, priors, limits)
        place, regret = least_regret(box)
        return LeastRegret(self.member(int(allowed[place])), regret)

    def _bounded(
        self, costs: CostMatrix, priors: Shares, limits: RateLimits
    ) -> tuple[IntArray, CostBox]:
        """Return the members allowed, and their counts with bounds on costs and priors."""
        allowed = self._allowed(limits)
        shares = as_priors(priors, self.classes, self.totals)
        return allowed, CostBox(as_costs(costs, self.classes), shares, self.counts[allowed])

    def predict(self, chosen: Chosen, model: object, X: Features) -> AnyArray:
        """Predict new rows with a member.

        Parameters
        ----------
        chosen
            A result of `best`, `knee` and the like, a member, or a place.
        model
            The model that the surface was found with.
        X
            The rows.
        """
        predict = self.predictor(model, self._place_of(chosen, "chosen"))
        return as_label_array(self.classes)[predict(X)]

    def predictor(self, model: object, place: int) -> Callable[[Features], IntArray]:
        """Return the function by which a member predicts new rows, as places of classes."""
        probabilities_of = as_function(
            getattr(model, "probabilities_of", None),
            "model.probabilities_of",
            "parameters and rows",
            hint="Pass the model that the surface was found with.",
        )
        if self.costs is None:
            raise InputError(
                "surface",
                "know the costs by which its members predict",
                "members that were given by their labels",
                Hint("Show their own predict functions instead (from_classifiers)."),
            )
        names = tuple(getattr(model, "parameter_names", self.parameter_names))
        if names != self.parameter_names:
            raise InputError(
                "model",
                "have the surface's parameters ({expected})",
                format_list(names),
                Hint(
                    "Pass the model that it was found with; for a joined surface SeveralModels of "
                    "the models under the same names, in the same order."
                ),
                expected=format_list(self.parameter_names),
            )
        parameters, costs = self.parameters[place], self.costs[place]

        def predict(X: Features) -> IntArray:
            given = probabilities_of(parameters, X)
            argument = "the model's probabilities"
            return least_cost(as_probabilities(given, self.classes, argument=argument), costs)

        return predict

    def chances(
        self,
        belief: DirichletBelief,
        priors: Shares = OBSERVED,
        *,
        samples: int = 10_000,
        seed: int = 0,
    ) -> dict[int, float]:
        """Return each member's chance to be the best under a belief about costs.

        That is the share of `samples` cost matrices at which it is the cheapest, by place, largest
        first, without zeros.
        """
        as_instance(belief, DirichletBelief, "belief", hint="Costs alone have no chances.")
        samples = as_whole(samples, "samples", least=1)
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
        """Return G: the dominated share of the region below random allocation."""
        return dominated_share(
            self.objective_counts,
            self._objective_limits,
            objectives=self.objectives,
            samples=samples,
            seed=seed,
            exact=exact,
        )

    def exclusive_share(
        self, other: RocSurface, *, samples: int = 100_000, seed: int = 0, exact: bool = False
    ) -> DominatedShare:
        """Return delta: the share of the region that only this surface dominates."""
        as_instance(other, RocSurface, "other")
        _check_same_problem(other, self, "other")
        return exclusive_share(
            self.objective_counts,
            self._objective_limits,
            other.objective_counts,
            other._objective_limits,
            objectives=self.objectives,
            samples=samples,
            seed=seed,
            exact=exact,
        )

    def cube_volume(self) -> float:
        """Return the volume of the unit cube that the surface dominates (needs moocore)."""
        return cube_volume(self.objective_counts, self._objective_limits)


def _as_surfaces(surfaces: Mapping[str, RocSurface]) -> dict[str, RocSurface]:
    given = as_mapping(surfaces, "surfaces", "names to RocSurface objects")
    named = {str(name): as_surface(each, f"surfaces[{name!r}]") for name, each in given.items()}
    first = next(iter(named.values()))
    for name, surface in named.items():
        _check_same_problem(surface, first, f"surfaces[{name!r}]")
        _check_same_rows(surface.totals, first.totals, f"surfaces[{name!r}]")
    return named


def _check_same_problem(surface: RocSurface, first: RocSurface, argument: str) -> None:
    if surface.classes != first.classes or surface.objectives != first.objectives:
        raise InputError(
            argument,
            f"have the classes {{expected}} and the objectives {first.objectives}",
            f"{format_list(surface.classes, 30)} and {surface.objectives}",
            expected=format_list(first.classes, 30),
        )


def _check_same_rows(totals: IntArray, first: IntArray, argument: str) -> None:
    if (totals != first).any() or not first.all():
        raise InputError(
            argument,
            "count the same rows as the others, some of every class",
            f"class totals {totals.tolist()} beside {first.tolist()}",
            "Evaluate all classifiers on the same rows.",
        )


def _as_confusions(confusions: Mapping[str, Confusion]) -> dict[str, Confusion]:
    hint = Hint("Make them with Confusion.from_labels(y_true, y_pred).")
    given = as_mapping(confusions, "confusions", "classifier names to Confusion objects", hint=hint)
    for name, confusion in given.items():
        as_instance(confusion, Confusion, f"confusions[{name!r}]", hint=hint)
    classes = next(iter(given.values())).classes
    named = {str(name): confusion.in_order(classes) for name, confusion in given.items()}
    first = next(iter(named.values()))
    for name, confusion in named.items():
        _check_same_rows(confusion.totals, first.totals, f"confusions[{name!r}]")
    return named


def as_surface(given: object, argument: str = "surface") -> RocSurface:
    """Return a surface that has members."""
    surface = as_instance(
        given, RocSurface, argument, hint=Hint("Make one with RocSurface.of(...).")
    )
    if not len(surface):
        raise InputError(argument, "have members", "none", "Search longer, or loosen its limits.")
    return surface


def as_places(surface: RocSurface, chosen: Mapping[Any, Chosen], argument: str) -> dict[str, int]:
    """Return the place of each chosen member, given as a point, a member, or a place."""
    hint = Hint("Map names to members: {'fewest errors': surface.fewest_errors(), 'the first': 0}.")
    given = as_instance(chosen, Mapping, argument, hint=hint)
    return {str(name): surface._place_of(one, argument) for name, one in given.items()}
