"""The ROC convex hull of many classifiers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.device import DeviceRows
from rocch.errors import CallError, Hint, InputError, describe_type, format_count, join_words
from rocch.inputs import (
    as_columns,
    as_instance,
    as_name,
    as_scores,
    as_weights,
    check_unique,
    explain_call,
)
from rocch.kernels.hull import distinct_points, upper_hull
from rocch.labels import as_positive
from rocch.results import Record, Records, Table, Tabular, collect, shorten
from rocch.roc.conditions import Case, Conditions, Interval, as_conditions, as_interval
from rocch.roc.criteria import (
    Criterion,
    LinearLimit,
    MinimaxRegret,
    Path,
    as_criterion,
    check_guarantee,
    common_confidence,
)
from rocch.roc.curve import RocCurve
from rocch.roc.guarantee_search import find_guaranteed
from rocch.roc.knob import Knob
from rocch.roc.member import Member
from rocch.roc.new_rows import NewRowsCost, estimate_choice, join_rows
from rocch.roc.operating_point import (
    ALWAYS,
    NEVER,
    ClassTotals,
    CountedPath,
    Holder,
    OperatingPoint,
    RocPoint,
    align_totals,
)
from rocch.roc.question import Question
from rocch.roc.referral import Referral, estimate_referral_cost, read_question
from rocch.roc.referral_search import find_referral
from rocch.roc.savings import Amounts, Comparison, hull_comparison, regret_comparison
from rocch.roc.search import PointChoices, find_best, reachable_points
from rocch.roc.sensitivity import Sensitivity, WinningRange, analyze, fewest_ranges
from rocch.rows import ClassLabels, ScoredRows, warn_of_reversed_scores
from rocch.svg import Line, draw_lines

# Slopes that agree to this relative difference count as equal.
SAME_SLOPE = 1e-12

# The same for bounds on slopes: the shares of a belief are less exact for large cost ratios.
SAME_BOUND = 1e-9

EXAMPLE = "RocHull.from_scores(y_true, {'nb': scores})"
ASK_WITHIN = Hint(
    "Ask within these bounds, or a hull without them.",
    cli="Ask within them; a library's bounds cannot be widened, so for more begin a new library "
    "without them.",
    http="Ask for costs and prevalence within them; limits and all else need a model or library "
    "without bounds.",
)
ASK_WHOLE = Hint(
    "Ask a hull without bounds.",
    cli="For that, begin a new library without bounds.",
    http="For that, serve a model or library without bounds.",
)


def _joint_vertices(members: Sequence[Member], totals: ClassTotals) -> tuple[IntArray, IntArray]:
    x = _between_ends([m.false_positives for m in members], totals.negatives)
    y = _between_ends([m.true_positives for m in members], totals.positives)
    if len(members) == 1 and members[0].scoring:
        return x, y
    if x.dtype == object:
        order = np.array(sorted(range(x.size), key=lambda i: (x[i], y[i])))
    else:
        order = np.lexsort((y, x))
    x, y = x[order], y[order]
    distinct = distinct_points(x, y)
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    return x[vertex], y[vertex]


def _between_ends(counts: list[IntArray], total: int) -> IntArray:
    """Return counts after a 0 and before the total; Python integers beyond int64."""
    if len(counts) != 1 or counts[0].dtype != np.int64 or total >= 2**63:
        return np.concatenate([[0], *counts, [total]])
    joined = np.empty(counts[0].size + 2, dtype=np.int64)
    joined[0], joined[1:-1], joined[-1] = 0, counts[0], total
    return joined


def _count_considered(parts: Sequence[RocCurve | RocHull]) -> int | None:
    """Return how many classifiers were compared, if any part left some out."""
    hulls = [part for part in parts if isinstance(part, RocHull)]
    if all(hull.considered is None for hull in hulls):
        return None
    counts = [max(hull.considered or 0, len(hull.members)) for hull in hulls]
    return len(parts) - len(hulls) + sum(counts)


def _common_bounds(given: Iterable[Interval | None]) -> Interval | None:
    bounds = [pair for pair in given if pair is not None]
    if not bounds:
        return None
    low, high = max(pair.low for pair in bounds), min(pair.high for pair in bounds)
    if low > high:
        raise InputError(
            "parts",
            "have bounds on conditions that overlap",
            f"slopes {' and '.join(f'{a:.6g} to {b:.6g}' for a, b in bounds)}",
            "Join the unrestricted hulls.",
        )
    return Interval(low, high)


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Record):
    """What a new classifier does to a hull (Provost and Fawcett, sections 2.2.4 and 3.8).

    Attributes
    ----------
    ties
        Whether the classifier only reaches existing vertices.
    driven_out
        Classifiers that no longer hold a vertex.
    hull
        The hull with the new classifier; the old one if it adds nothing.
    """

    extends: bool
    ties: bool
    driven_out: tuple[str, ...]
    hull: RocHull

    def __str__(self) -> str:
        if not self.extends:
            return "reaches the hull, but adds nothing" if self.ties else "lies below the hull"
        gone = f"; {join_words(self.driven_out)} no longer needed" if self.driven_out else ""
        return f"extends the hull{gone}"


@explain_call(EXAMPLE)
@dataclass(frozen=True, eq=False, repr=False)
class RocHull(CountedPath, Tabular):
    """The upper-left convex hull of classifiers in ROC space, from *never* to *always*.

    Build it with `from_scores`, which is fastest, or with `of` from curves and hulls. Vertices are
    decided on integer counts; points inside a segment are not vertices.

    Attributes
    ----------
    considered
        How many classifiers were compared on these rows, if some were left out before; limits with
        a confidence count them all.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> hull = rocch.RocHull.from_scores(
    ...     y, {"nb": [1, 2, 6, 5, 4, 7], "gbm": [3, 4, 5, 2, 6, 7]}
    ... )
    >>> [(v.classifiers, round(v.fpr, 3), round(v.tpr, 3)) for v in hull.vertices]
    [(('never',), 0.0, 0.0), (('gbm',), 0.0, 0.667), (('nb',), 0.333, 1.0), (('always',), 1.0, 1.0)]
    >>> for row in hull.slope_ranges():
    ...     print(row)
    [0, 1] nb
    [1, inf) gbm
    """

    totals: ClassTotals
    members: tuple[Member, ...] = ()
    slope_bounds: Interval | None = None
    considered: int | None = None
    false_positives: IntArray = field(init=False)
    true_positives: IntArray = field(init=False)

    def __post_init__(self) -> None:
        totals: object = self.totals
        if not isinstance(totals, ClassTotals):
            hint = Hint(f"For example: {EXAMPLE}, or RocHull.of(curve).")
            got = f"a direct call with {describe_type(totals)}"
            raise CallError("RocHull", "be built by one of its methods", got, hint)
        names = [member.name for member in self.members]
        check_unique(names, "classifiers")
        for reserved in {NEVER, ALWAYS} & set(names):
            raise InputError(
                "name",
                "not be 'never' or 'always'",
                repr(reserved),
                "These are on every hull: no alarm, and an alarm for every case. Rename it.",
            )
        x, y = _joint_vertices(self.members, self.totals)
        x.flags.writeable = y.flags.writeable = False
        object.__setattr__(self, "false_positives", x)
        object.__setattr__(self, "true_positives", y)

    @classmethod
    def of(cls, *parts: RocCurve | RocHull, allow_different_rows: bool = False) -> RocHull:
        """Build the joint hull of curves and other hulls, all of the same rows.

        With `allow_different_rows`, rates of different rows are compared; there is no observed
        prevalence then.
        """
        if not parts:
            raise InputError("parts", "be at least one curve", "none")
        for place, part in enumerate(parts):
            hint = Hint("Use RocHull.from_scores for scores.")
            as_instance(part, (RocCurve, RocHull), f"parts[{place}]", hint=hint)
        totals, factors = align_totals(
            [part.totals for part in parts], allow_different_rows=allow_different_rows
        )
        members = [
            member.scaled(*factor)
            for part, factor in zip(parts, factors, strict=True)
            for member in (
                part.members if isinstance(part, RocHull) else (Member.from_curve(part),)
            )
        ]
        bounds = _common_bounds(part.slope_bounds for part in parts if isinstance(part, RocHull))
        joint = cls(totals, tuple(members), considered=_count_considered(parts))
        return joint if bounds is None else joint.restricted(*bounds)

    @classmethod
    def from_rows(cls, rows: ScoredRows, names: Iterable[str] | None = None) -> RocHull:
        """Build the joint hull of all or some classifiers of scored rows."""
        chosen = list(rows.scores if names is None else names)
        totals = ClassTotals.of(rows.positive, *rows.units)
        members = (
            Member.from_rows(rows, name, totals, curves)
            for name, curves in zip(chosen, range(len(chosen), 0, -1), strict=True)
        )
        return cls(totals, tuple(members))

    @classmethod
    def from_device(cls, rows: DeviceRows) -> RocHull:
        """Build the joint hull where the scores are."""
        totals = ClassTotals(*rows.totals)
        members = tuple(Member.from_device(rows.only(name), name, totals) for name in rows.scores)
        aucs = {
            member.name: (rows.auc(member.name), *rows.totals)
            for member in members
            if member.least_auc(totals) < 0.5
        }
        warn_of_reversed_scores(aucs)
        return cls(totals, members)

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        scores: Columns,
        *,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> RocHull:
        """Build the joint hull from scores, without full curves.

        Parameters
        ----------
        y_true
            Labels: boolean, 0/1, -1/1, true/false or yes/no, or any with `pos_label`.
        scores
            The scores of one classifier (a series gives its name), a mapping from classifiers'
            names to scores, or a data frame with a column for each.
        pos_label, sample_weight
            As for `RocCurve.from_scores`.

        Notes
        -----
        Arrays are held by reference; later changes are detected. Arrays on a device stay there,
        but copies of the hull hold them on the host.
        """
        columns = as_columns(scores)
        if sample_weight is None:
            there = DeviceRows.of_columns(y_true, columns, pos_label)
            if there is not None:
                return cls.from_device(there)
        positive = as_positive(y_true, pos_label)
        weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
        checked = {
            as_name(name): as_scores(column, positive.size, argument=f"scores[{name!r}]")
            for name, column in columns.items()
        }
        labels = ClassLabels.of(y_true, pos_label)
        rows = ScoredRows(positive, checked, weights, labels=labels)
        hull = cls.from_rows(rows)
        least_aucs = {member.name: member.least_auc(hull.totals) for member in hull.members}
        rows.warn_of_reversed_scores(least_aucs.__getitem__ if weights is None else None)
        return hull

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(row.classifier for row in self.slope_ranges()))
        members = format_count(len(self.members), "classifier")
        return shorten(f"<RocHull of {members}: {len(self)} vertices, won by {names}>", end=">")

    def __iter__(self) -> Iterator[RocPoint]:
        return iter(self.vertices)

    def _columns(self) -> Table:
        """Return the vertices, and the slopes and cost ratios for which they are best.

        A ratio says how many times as bad as a false alarm a miss is, at the observed prevalence.
        """
        edges = np.array([math.inf, *self.slopes.tolist(), 0.0])
        columns: dict[str, Any] = collect(self.vertices)
        columns |= {"slope_low": edges[1:], "slope_high": edges[:-1]}
        if not self.totals.pooled:
            with np.errstate(divide="ignore"):
                ratios = self.totals.negatives / self.totals.positives / edges
            columns |= {"cost_ratio_low": ratios[:-1], "cost_ratio_high": ratios[1:]}
        return columns

    def _picture(self) -> str:
        lines = [Line("hull", self.fpr, self.tpr)]
        for member in self.members:
            x, y = member.own_points(self.totals)
            lines.append(Line(member.name, [0.0, *x, 1.0], [0.0, *y, 1.0], dashed=True))
        shown = lines if len(lines) > 2 else lines[:1]
        points = zip(self.fpr.tolist(), self.tpr.tolist(), strict=True)
        return draw_lines(shown, "FPR", "TPR", points=points, whole=True, diagonal=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RocHull):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        totals = self.totals.negatives, self.totals.positives, self.totals.unit
        return *totals, *(tuple(counts.tolist()) for counts in self._counts), self.vertices

    @cached_property
    def exact_rates(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """FPR and TPR at the vertices as fractions."""
        totals = self.totals.negatives, self.totals.positives
        fpr, tpr = (
            [Fraction(count, total) for count in counts.tolist()]
            for counts, total in zip(self._counts, totals, strict=True)
        )
        return tuple(zip(fpr, tpr, strict=True))

    @cached_property
    def slopes(self) -> FloatArray:
        """Slopes of the segments, falling; the first may be infinite."""
        return self.totals.slopes(*self._counts)

    @cached_property
    def vertices(self) -> tuple[RocPoint, ...]:
        """The vertices from *never* to *always*, which belong to no classifier."""
        ends: list[list[Holder]] = [[(NEVER, None, None)], [(ALWAYS, None, None)]]
        holders = [ends[0], *self._holders[1:-1], ends[1]]
        columns = (self.false_positives.tolist(), self.true_positives.tolist(), holders)
        return tuple(self.totals.point(*row) for row in zip(*columns, strict=True))

    @cached_property
    def _holders(self) -> list[list[Holder]]:
        """Who reaches each vertex; curves that touch the hull elsewhere reach both ends, too."""
        counts = zip(*(column.tolist() for column in self._counts), strict=True)
        place = {point: i for i, point in enumerate(counts)}
        holders: list[list[Holder]] = [[] for _ in place]
        last = len(holders) - 1
        for member in self.members:
            places = [place.get(point, 0) for point in member.pairs]
            held = [(i, vertex) for i, vertex in enumerate(places) if 0 < vertex < last]
            for index, vertex in held:
                holders[vertex].append(member.holder(index))
            if member.scoring and held:
                holders[0].append((member.name, None, None))
                holders[last].append((member.name, None, None))
        for end, name in ((0, NEVER), (last, ALWAYS)):
            holders[end] = holders[end] or [(name, None, None)]
        return holders

    @cached_property
    def names_at_vertices(self) -> tuple[tuple[str, ...], ...]:
        """Who reaches each vertex, the ends included: curves that touch the hull reach both."""
        return tuple(tuple(sorted({name for name, *_ in own})) for own in self._holders)

    def slope_ranges(self) -> Records[WinningRange]:
        """Return ranges of slopes from 0 to infinity with their best classifiers (Table 2).

        The ranges are as few as possible; ties go to the first classifier by name.
        """
        edges = [0.0, *self.slopes[::-1].tolist(), math.inf]
        return fewest_ranges(edges, self.names_at_vertices[::-1], self.slope_bounds)

    def dominator(self) -> str | None:
        """Return the classifier whose curve alone is the hull, if any."""
        rows = self.slope_ranges()
        trivial = rows[0].classifier in (NEVER, ALWAYS)
        return rows[0].classifier if len(rows) == 1 and not trivial else None

    def consider(self, part: RocCurve | RocHull, *, allow_different_rows: bool = False) -> Verdict:
        """Return what a new classifier does to this hull.

        Examples
        --------
        >>> import rocch
        >>> y = [0, 0, 1, 1]
        >>> hull = rocch.RocHull.from_scores(y, {"old": [1, 3, 2, 4]})
        >>> better = rocch.RocCurve.from_scores(y, [1, 2, 3, 4], name="new")
        >>> verdict = hull.consider(better)
        >>> verdict.extends, verdict.driven_out
        (True, ('old',))
        """
        joint = RocHull.of(self, part, allow_different_rows=allow_different_rows)
        if joint.exact_rates == self.exact_rates:
            ties = joint._holders != self._holders
            return Verdict(False, ties, (), joint if ties else self)
        return Verdict(True, False, tuple(sorted(self.winners - joint.winners)), joint)

    def add(self, part: RocCurve | RocHull, *, allow_different_rows: bool = False) -> RocHull:
        """Return the hull with a new classifier."""
        return self.consider(part, allow_different_rows=allow_different_rows).hull

    @cached_property
    def winners(self) -> frozenset[str]:
        """Names of the classifiers that hold a vertex."""
        return frozenset(chain(*self.names_at_vertices)) - {NEVER, ALWAYS}

    def within(self, conditions: Conditions) -> RocHull:
        """Return the hull restricted to vertices that can be best under interval conditions.

        It refuses others (Provost and Fawcett, section 3.8).
        """
        return self.restricted(*as_conditions(conditions).resolved(self.totals).slope_range)

    def restricted(self, low: float, high: float) -> RocHull:
        """Return the hull restricted to a range of slopes; see `within`."""
        best = self.best_between(low, high)
        names = {name for i in best for name, *_ in self._holders[i]}
        points = {(self.false_positives[i], self.true_positives[i]) for i in best}
        members = tuple(member.only(points) for member in self.members if member.name in names)
        considered = _count_considered((self,)) or len(self.members)
        bounds = Interval(low, high)
        return RocHull(self.totals, members, slope_bounds=bounds, considered=considered)

    def best_between(self, low: float, high: float) -> range:
        """Return the indices of vertices best at some slope from low to high."""
        as_interval((low, high), "low, high")
        self._check_bounds(low, high)
        falling = -self.slopes
        first = int(np.searchsorted(falling, -high * (1 + SAME_SLOPE), side="left"))
        last = int(np.searchsorted(falling, -low * (1 - SAME_SLOPE), side="right"))
        return range(first, last + 1)

    def best_for_stretch(self, low: float, high: float) -> list[int]:
        """Return the indices of vertices best for a stretch of slopes."""
        edges = [math.inf, *self.slopes.tolist(), 0.0]
        indices = list(self.best_between(low, high))
        wide = [i for i in indices if max(low, edges[i + 1]) < min(high, edges[i])]
        return wide or indices

    def best_each(self, slopes: FloatArray) -> IntArray:
        """Return the index of the best vertex for each slope, the left one of equals."""
        slopes = _as_slopes(slopes)
        if slopes.size:
            self._check_bounds(float(slopes.min()), float(slopes.max()))
        return np.searchsorted(-self.slopes, -slopes * (1 + SAME_SLOPE), side="left")

    def best(
        self,
        criterion: Conditions | Criterion | Question | Knob,
        *,
        randomize: bool = False,
        order: RocHull | None = None,
    ) -> OperatingPoint:
        """Return the operating point that is best by a criterion on the evaluation rows.

        Its `on_new_rows` says what to expect on others: the cost, and `rates` such as the TPR.
        Limits without a confidence hold on the evaluation rows; limits with one hold on new rows,
        and `guarantee` says how.

        Parameters
        ----------
        criterion
            A `Question`, exact `Conditions` (least expected cost), or a criterion such as
            `ErrorRate`, `NeymanPearson`, `Capacity`, `Constrained` or `MinimaxRegret`.
        randomize
            Whether two vertices may be mixed by a coin (Theorem 7).
        order
            For limits with a confidence, a hull of other rows with the same classifiers. Those rows
            choose the classifier, so that these need not share the error among all.

        Raises
        ------
        InfeasibleError
            If nothing meets the limits.
        GuaranteeError
            If the best point may lie inside the hull.

        Examples
        --------
        >>> import numpy as np
        >>> import rocch
        >>> rng = np.random.default_rng(0)
        >>> y = rng.random(500) < 0.3
        >>> hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=500) + 1.3 * y})
        >>> print(hull.best(rocch.ErrorRate()).on_new_rows)
        expected to cost 0.215 per case on new rows (95%: 0.179 to 0.25); 0.192 on ...
        """
        amounts = None
        if isinstance(criterion, Question):
            randomize, amounts = randomize or criterion.randomize, criterion.amounts
            criterion = criterion.resolve(self.totals).criterion
        if isinstance(criterion, Knob):
            found = criterion.on(self, randomize=randomize)
            note = "a position of the knob states no costs"
            return found.estimated_by(partial(NewRowsCost, None, note=note))
        asked = as_criterion(criterion)
        given = asked.resolved(self.totals)
        limits = given.limits
        check_guarantee(limits)
        if common_confidence(limits) is not None:
            found = self._guaranteed(asked, order, randomize=randomize)
            return self._estimated(
                found, asked, partial(RocHull.best, criterion=asked, order=order)
            )
        if order is not None:
            got = "no confidence"
            raise InputError("order", "be given with limits that have a {confidence}", got)
        objective = single = given.objective(self.totals, partial(self.reachable, limits))
        if limits or objective.slopes is None:
            self.check_whole(f"the {objective.name}", ASK_WITHIN)
        else:
            self._check_bounds(*objective.slopes)
        if objective.case is not None and not limits:
            # the vertex where the hull's slope is that of the conditions (Lemma 3)
            slope = objective.case.slope
            point, *others = (self.vertices[i] for i in self.best_between(slope, slope))
            mix, also_best = ((1.0, point),), tuple(others)
            found = objective.operating_point(point.fpr, point.tpr, mix, also_best=also_best)
            compare = partial(self._compare, objective.case, found, amounts)
            return found.compared_by(compare, self._scores)
        if limits and not randomize:
            allowed = partial(self.reachable, limits, randomize=False)
            single = given.objective(self.totals, allowed)
        incomplete = [member.name for member in self.members if member.source is None]
        points = self._candidates, self._curves, incomplete
        found = find_best(objective, single, limits, *points, randomize=randomize)
        if objective.corners and not limits and not found.randomized:
            rows = None if incomplete else self._rows  # the choice looks at whole curves
            compare = partial(regret_comparison, rows, objective.corners, found, amounts)
            return found.compared_by(compare, len(objective.corners) * self._scores)
        again = partial(RocHull.best, criterion=asked, randomize=randomize)
        found = found.within_counted_limits() if limits else found
        return self._estimated(found, asked, again)

    def refer(
        self,
        conditions: Conditions | Question,
        *,
        cost: float | None = None,
        max_referred: float | None = None,
        max_wrong: float | None = None,
        confidence: float | None = None,
    ) -> Referral:
        """Return when to predict positive, when negative, and when to refer a case to a person.

        The choice is the best of all pairs of thresholds of one scorer, exactly, and of all pairs
        of vertices of two scorers' own hulls. One scorer is preferred where it is as good.

        Parameters
        ----------
        conditions
            Exact `Conditions`, or a `Question` that states the rest as well.
        cost
            The cost of a referred case beyond that of a correct decision.
        max_referred
            The largest share of all cases to refer, at the prevalence of the conditions. Without
            `cost`, referred cases cost nothing.
        max_wrong
            The largest share of wrong ones among the cases decided automatically. Where nothing is
            decided, nothing is wrong. Alone, it means to refer as few cases as possible. For
            scorers with more than 400 thresholds, named ones are tried: the vertices of the hull
            and evenly spaced ranks, then those around the best two.
        confidence
            With it, `max_wrong` holds on new rows: in at most 1 - confidence of all samples, more
            of the cases decided positive, or more of those decided negative, are truly wrong, and
            so more of both together. One scorer decides then.

        Raises
        ------
        InfeasibleError
            If no two thresholds meet both limits, or none can be guaranteed to.

        Examples
        --------
        >>> import numpy as np, rocch
        >>> rng = np.random.default_rng(0)
        >>> y = rng.random(2000) < 0.3
        >>> hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=2000) + 2 * y})
        >>> known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)
        >>> found = hull.refer(known, max_referred=0.1)
        >>> round(found.referred, 3), round(found.saves, 3)
        (0.1, 0.07)
        """
        self.check_whole("a referral")
        known, options = read_question(
            conditions,
            cost=cost,
            max_referred=max_referred,
            max_wrong=max_wrong,
            confidence=confidence,
        )
        found = find_referral(self, known, options)
        case = known.resolved(self.totals).case

        def choose(rows: ScoredRows) -> Referral:
            return find_referral(RocHull.from_rows(rows), known, options)

        return found.estimated_by(partial(estimate_referral_cost, self._rows, case, found, choose))

    def _guaranteed(
        self, criterion: Criterion, order: RocHull | None, *, randomize: bool
    ) -> OperatingPoint:
        if randomize:
            raise InputError(
                "randomize",
                "be left out beside {confidence}",
                "both",
                "What is guaranteed is one setting, without a coin.",
            )
        if order is not None:
            hint = Hint("For example: hull.best(limit, order=RocHull.from_scores(y_other, ...)).")
            as_instance(order, RocHull, "order", hint=hint)
        return find_guaranteed(self, criterion, order)

    def _estimated(
        self,
        found: OperatingPoint,
        criterion: Criterion,
        choose: Callable[[RocHull], OperatingPoint],
    ) -> OperatingPoint:
        """Return a choice that knows how to estimate its rates on new rows, and its cost."""
        given = criterion.resolved(self.totals)
        objective = given.objective(self.totals, partial(self.reachable, given.limits))
        cases = objective.corners if objective.case is None else (objective.case,)

        def repeat(rows: ScoredRows) -> OperatingPoint:
            return choose(replace(RocHull.from_rows(rows), considered=self.considered))

        return found.estimated_by(
            lambda: estimate_choice(self._rows, found, repeat, cases), self._scores
        )

    def _compare(self, case: Case, best: OperatingPoint, amounts: Amounts | None) -> Comparison:
        return hull_comparison(self._rows, case, best, amounts)

    @property
    def _scores(self) -> int:
        """The number of scores behind the hull, if they are kept."""
        first = self.members[0].rows if self.members else None
        return 0 if first is None else len(first) * len(self.members)

    @property
    def _rows(self) -> ScoredRows | None:
        """The rows of all classifiers, if they are kept and the same."""
        return None if self.totals.pooled else join_rows([member.rows for member in self.members])

    def reachable(self, limits: tuple[LinearLimit, ...] = (), *, randomize: bool = True) -> Path:
        """Return the corners of what can be reached within limits."""
        return reachable_points(self._candidates, self._curves, limits, randomize=randomize)

    @property
    def _candidates(self) -> PointChoices:
        return PointChoices(*self._counts, *self._rates, self.vertices.__getitem__)

    @property
    def ends(self) -> tuple[PointChoices, BoolArray]:
        """The vertices, and which of them are *never* and *always*."""
        is_end = np.zeros(len(self), dtype=bool)
        is_end[[0, -1]] = True
        return self._candidates, is_end

    def _curves(self) -> Iterator[PointChoices]:
        return (member.candidates(self.totals) for member in self.members)

    def sensitivity(self, conditions: Conditions | Question) -> Sensitivity:
        """Return the choices that can be best under interval conditions.

        A `Question` must state costs, without limits.
        """
        if isinstance(conditions, Question):
            conditions = _stated_conditions(conditions)
        known = as_conditions(conditions).resolved(self.totals)
        criterion = MinimaxRegret(known)
        regret = criterion.objective(self.totals, self.reachable)
        return analyze(
            known,
            self.vertices,
            self.slopes,
            self.best_for_stretch(*known.slope_range),
            -regret.score(self.fpr, self.tpr),
            self.best(criterion),
            {member.name: member.own_points(self.totals) for member in self.members},
        )

    def _check_joined(self, what: str) -> None:
        self.check_whole(what)

    def check_whole(self, what: str, hint: str | Hint = ASK_WHOLE) -> None:
        """Raise if the hull is restricted to bounds on conditions."""
        if self.slope_bounds is not None:
            raise InputError(
                what,
                "come from a whole hull",
                "one that was restricted to bounds on conditions",
                hint,
            )

    def _check_bounds(self, low: float, high: float) -> None:
        if self.slope_bounds is None:
            return
        least, most = self.slope_bounds
        if low < least * (1 - SAME_BOUND) or high > most * (1 + SAME_BOUND):
            raise InputError(
                "conditions",
                f"fit this hull, which was restricted to slopes {least:.4g} to {most:.4g}",
                f"a slope of {low:.4g}" if low == high else f"slopes {low:.4g} to {high:.4g}",
                ASK_WITHIN,
            )


def _stated_conditions(question: Question) -> Conditions:
    """Return the conditions of a question about nothing else."""
    if question.conditions is None or question.limited or question.maximize is not None:
        raise InputError(
            "question",
            "state costs, numbers or ranges, and no limits or metric",
            question.describe() or "nothing",
            "Give {false_positive} and {false_negative}.",
        )
    _ = question.criterion  # refuses fields that have no effect
    return question.conditions


def _as_slopes(slopes: ArrayLike) -> FloatArray:
    try:
        array = np.asarray(slopes, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim != 1 or np.isnan(array).any() or (array < 0).any():
        raise InputError(
            "slopes",
            "be a sequence of numbers that are not negative",
            describe_type(slopes) if array.ndim != 1 else "negative numbers or NaN",
            Hint(
                "For conditions use hull.best(conditions); RowConditions have slopes(hull.totals)."
            ),
        )
    return array
