"""The search for the best two settings that leave the cases between them to a person.

Costs and limits are whole weights of counts, so that every comparison is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rocch.arrays import BoolArray, IntArray
from rocch.errors import InfeasibleError, format_count
from rocch.kernels.certify import rows_needed
from rocch.kernels.referral import (
    is_at_most,
    joint_counts,
    least_cells,
    least_pair,
    place_in_bins,
    weighted_sum,
)
from rocch.numbers import per_100
from rocch.roc.conditions import OBSERVED, Conditions
from rocch.roc.guarantee import CROSSES_ONCE, Certifier, Guarantee, Sample
from rocch.roc.guarantee_search import as_sample, count_models
from rocch.roc.limits import MinimumPrecision
from rocch.roc.new_rows import changed_rows
from rocch.roc.operating_point import ALWAYS, NEVER, ClassTotals, Holder, OperatingPoint, RocPoint
from rocch.roc.referral import Referral, ReferralOptions, as_exact, can_pay, why_none
from rocch.rows import ScoredRows

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull
    from rocch.roc.member import Member

# Under a limit on wrong decisions, all pairs of thresholds are tried for scorers with up to this
# many, or as many as make `MOST_PAIRS` for all scorers together; of others, the vertices of the
# hull and this many evenly spaced ranks, and then as many around the best two.
MOST_THRESHOLDS, MOST_PAIRS = 2500, 3 * 10**6

# Weights of false positives, false negatives, referred negatives and referred positives.
Weights: TypeAlias = tuple[int, int, int, int]


class _Path(NamedTuple):
    """Nested settings of one classifier, from never to always."""

    false_positives: IntArray
    true_positives: IntArray
    point: Callable[[int], RocPoint]
    # the places of the vertices of its hull
    vertices: IntArray | None = None


class _Found(NamedTuple):
    """A pair of settings: what it reaches, how many scorers it has, their names, and places."""

    values: tuple[int, ...]
    scorers: int
    names: tuple[str, ...]
    counts: tuple[int, int, int, int]
    points: Callable[[], tuple[RocPoint, RocPoint]]

    @property
    def order(self) -> tuple[Any, ...]:
        """What is best comes first."""
        return self.values, self.scorers, self.names


@dataclass(frozen=True)
class _Problem:
    """Costs and limits as whole weights of false and missed, and of referred rows of each class."""

    totals: ClassTotals
    cost: Weights
    share: Weights
    # one unit of the costs, and of the shares
    unit: Fraction
    base: Fraction
    most_referred: int | None
    # weights and bound of the wrong decisions
    wrong: tuple[Weights, int] | None
    goals: tuple[Weights, Weights]
    pays: bool

    @classmethod
    def of(cls, totals: ClassTotals, conditions: Conditions, options: ReferralOptions) -> _Problem:
        """Write exact conditions and options as whole numbers."""
        case = conditions.resolved(totals).case
        fp, fn, tp, tn = (as_exact(cost) for cost in case[1:])
        p = as_exact(case.prevalence)
        if conditions.prevalence == OBSERVED:
            p = Fraction(totals.positives, totals.positives + totals.negatives)
        r = as_exact(options.cost or 0.0)
        shares = (1 - p) / totals.negatives, p / totals.positives
        costs = [shares[0] * (fp - tn), shares[1] * (fn - tp), shares[0] * r, shares[1] * r]
        scale = math.lcm(*(value.denominator for value in (*costs, *shares)))
        alarm, miss, *referred = (int(value * scale) for value in costs)
        negative, positive = (int(value * scale) for value in shares)
        cost = (alarm, miss, referred[0], referred[1])
        share = (0, 0, negative, positive)
        most = wrong = None
        if options.max_referred is not None:
            most = math.floor(as_exact(options.max_referred) * scale)
        if options.max_wrong is not None:
            top, bottom = as_exact(options.max_wrong).as_integer_ratio()
            weights = (negative * bottom, positive * bottom, negative * top, positive * top)
            wrong = weights, top * scale
        goals = (cost, share) if options.goes_by_cost else (share, cost)
        base = (1 - p) * tn + p * tp
        pays = wrong is not None or can_pay(fp - tn, fn - tp, r)
        return cls(totals, cost, share, Fraction(1, scale), base, most, wrong, goals, pays)

    def value(self, counts: Sequence[int], weights: Weights) -> int:
        """Return the weighted sum of false and missed, and of referred rows of each class."""
        return sum(weight * count for weight, count in zip(weights, counts, strict=True))

    def allowed(self, columns: Sequence[IntArray]) -> BoolArray:
        """Return which pairs of settings meet the limits."""
        allowed = np.ones(columns[0].shape, dtype=bool)
        if self.most_referred is not None:
            allowed &= is_at_most(columns[2:], self.share[2:], self.most_referred)
        if self.wrong is not None:
            allowed &= is_at_most(columns, *self.wrong)
        return allowed

    def found(
        self,
        counts: Sequence[int],
        names: tuple[str, ...],
        points: Callable[[], tuple[RocPoint, RocPoint]],
    ) -> _Found:
        """Return a pair of settings with what it reaches."""
        fp, fn, rn, rp = (int(count) for count in counts)
        values = tuple(self.value((fp, fn, rn, rp), goal) for goal in self.goals)
        return _Found(values, len(names), names, (fp, fn, rn, rp), points)


def find_referral(hull: RocHull, conditions: Conditions, options: ReferralOptions) -> Referral:
    """Find the best pair of settings, of one scorer or of two; see `RocHull.refer`."""
    members, totals, plain = hull.members, hull.totals, hull.best(conditions)
    problem = _Problem.of(totals, conditions, options)
    notes = (
        [] if problem.pays else [why_none(conditions.resolved(totals).case, options.cost or 0.0)]
    )
    guarantee = None
    if options.confidence is not None:
        certified = _Certified.of(hull, conditions, options)
        candidates = list(certified.find(problem, members, notes))
    else:
        candidates = list(_decide_all(problem, plain))
    if problem.pays and options.confidence is None:
        candidates += _one_scorer(problem, members, notes)
        candidates += _two_scorers(problem, members, notes)
    if not candidates:
        sure = "" if options.confidence is None else ", guaranteed on new rows for either side"
        raise InfeasibleError(
            "no two thresholds were found that refer at most "
            f"{per_100(1 if options.max_referred is None else options.max_referred)}% of all "
            f"cases with at most {per_100(options.max_wrong or 0)}% wrong ones among those "
            f"decided automatically{sure}.",
            hint="Raise {max_referred} or {max_wrong}, or find a better classifier.",
        )
    best = min(candidates, key=lambda found: found.order)
    if options.confidence is not None:
        guarantee = certified.guarantee(best)
    upper, lower = best.points()
    refers = any(best.counts[2:])
    if problem.pays and not refers and problem.wrong is None:
        notes.append("no pair of thresholds is cheaper than deciding every case on these rows")
    if options.max_wrong is not None and best.counts[2:] == (totals.negatives, totals.positives):
        notes.append("nothing but referring every case keeps the limit on wrong decisions")
    sizes = (totals.negatives, totals.positives) * 2
    fpr, fnr, *referred = (c / size for c, size in zip(best.counts, sizes, strict=True))
    cost = problem.base + problem.unit * problem.value(best.counts, problem.cost)
    return Referral(
        upper,
        lower,
        cost=options.cost,
        fpr=fpr,
        fnr=fnr,
        referred_negatives=referred[0],
        referred_positives=referred[1],
        prevalence=conditions.resolved(totals).case.prevalence,
        expected_cost=float(cost),
        plain=plain,
        max_referred=options.max_referred,
        max_wrong=options.max_wrong,
        guarantee=guarantee,
        note="; ".join(notes),
    )


def _decide_all(problem: _Problem, plain: OperatingPoint) -> Iterator[_Found]:
    """Return the cheapest choice without referral, if it meets the limits."""
    point, totals = plain.point, problem.totals
    fp, tp = (
        int(amount if totals.unit == 1 else amount / totals.unit)
        for amount in (point.false_positives, point.true_positives)
    )
    counts = [np.array([count], dtype=object) for count in (fp, totals.positives - tp, 0, 0)]
    if problem.allowed(counts).all():
        yield problem.found([c[0] for c in counts], (point.classifier,), lambda: (point, point))


def _one_scorer(problem: _Problem, members: Sequence[Member], notes: list[str]) -> Iterator[_Found]:
    """Return the best pair of thresholds of each scorer."""
    limited = problem.most_referred is not None or problem.wrong is not None
    if limited:
        _note_incomplete(members, notes)
    most = min(MOST_THRESHOLDS, math.isqrt(2 * MOST_PAIRS // max(1, len(members))))
    for member in members:
        for path in _paths(member, problem.totals, full=limited):
            places = _best_places(problem, path, most)
            if places is not None:
                yield _found_at(problem, member, path, places)


def _note_incomplete(members: Sequence[Member], notes: list[str]) -> None:
    incomplete = [member.name for member in members if member.source is None]
    if incomplete:
        notes.append(
            f"only the vertices of hulls could be searched for {', '.join(incomplete)}, whose full "
            "curves are not available"
        )


def _found_at(problem: _Problem, member: Member, path: _Path, places: tuple[int, int]) -> _Found:
    """Return two thresholds of one scorer with what they reach."""
    (fp, tp), (more_fp, more_tp) = (
        (int(path.false_positives[place]), int(path.true_positives[place])) for place in places
    )
    counts = fp, problem.totals.positives - more_tp, more_fp - fp, more_tp - tp
    return problem.found(counts, (member.name,), partial(_points_at, path, *places))


def _points_at(path: _Path, i: int, j: int) -> tuple[RocPoint, RocPoint]:
    return path.point(i), path.point(j)


def _best_places(problem: _Problem, path: _Path, most: int) -> tuple[int, int] | None:
    """Return the places of the best two thresholds on a path, if any meet the limits."""
    if problem.wrong is not None:
        return _try_all(problem, path, most)
    counts = path.false_positives, path.true_positives
    upper, lower = _parts(counts, problem.cost)
    if problem.most_referred is not None:
        shares = weighted_sum(counts, problem.share[2:])
        return least_pair(upper, lower, shares, problem.most_referred)
    # of equal ones those that refer less: the last place above, the first below
    return int(np.flatnonzero(upper == upper.min())[-1]), int(np.argmin(lower))


def _parts(counts: tuple[IntArray, IntArray], weights: Weights) -> tuple[IntArray, IntArray]:
    """Return what each setting adds as the upper threshold, and as the lower one."""
    false, missed, negative, positive = weights
    upper = weighted_sum(counts, (false - negative, -positive))
    return upper, weighted_sum(counts, (negative, positive - missed))


def _try_all(problem: _Problem, path: _Path, most: int) -> tuple[int, int] | None:
    """Return the best pair among all thresholds; of many, among named ones, then near the best."""
    size = path.false_positives.size
    if size <= most:
        return _best_among(problem, path, np.arange(size))
    named = np.union1d(
        _thinned(0, size - 1, most), path.vertices if path.vertices is not None else [0]
    )
    best = _best_among(problem, path, named)
    if best is None:
        return None
    # between the neighbors of the best two
    ends = [
        named[np.clip(np.searchsorted(named, best) + step, 0, named.size - 1)] for step in (-1, 1)
    ]
    near = [_thinned(low, high, most // 2) for low, high in zip(*ends, strict=True)]
    return _best_among(problem, path, np.unique(np.concatenate((*near, best))))


def _thinned(low: int, high: int, most: int) -> IntArray:
    """Return all places from low to high, or some that are evenly spaced."""
    return np.linspace(low, high, min(most, high - low + 1)).round().astype(np.intp)


def _best_among(problem: _Problem, path: _Path, chosen: IntArray) -> tuple[int, int] | None:
    """Return the best pair among chosen thresholds, if any meets the limits."""
    first, second = np.triu_indices(chosen.size)
    fp, tp = (counts[chosen] for counts in (path.false_positives, path.true_positives))
    columns = [
        fp[first],
        problem.totals.positives - tp[second],
        fp[second] - fp[first],
        tp[second] - tp[first],
    ]
    allowed = problem.allowed(columns)
    if not allowed.any():
        return None
    place = least_cells(columns, problem.goals, allowed)[0]
    return int(chosen[first[place]]), int(chosen[second[place]])


def _paths(member: Member, totals: ClassTotals, *, full: bool) -> Iterator[_Path]:
    """Return nested settings: the vertices or all thresholds of a scorer, or each one setting."""
    if not member.scoring:
        for index in range(len(member.lowest_scores)):
            yield _setting_path(member, totals, slice(index, index + 1))
        return
    curve = member.curve(keep=False) if full else None
    if curve is None:
        yield _setting_path(member, totals, slice(None))
        return
    fp = curve.false_positives * (totals.negatives // curve.totals.negatives)
    tp = curve.true_positives * (totals.positives // curve.totals.positives)
    vertices = (
        np.searchsorted(-np.asarray(curve.lowest_scores), -np.asarray(member.lowest_scores)) + 1
    )
    yield _Path(fp, tp, curve.point, vertices)


def _setting_path(member: Member, totals: ClassTotals, part: slice) -> _Path:
    fp, tp = (
        np.concatenate(([0], counts[part], [total]))
        for counts, total in (
            (member.false_positives, totals.negatives),
            (member.true_positives, totals.positives),
        )
    )

    def point(place: int) -> RocPoint:
        holder: Holder = (ALWAYS if place else NEVER, None, None)
        if 0 < place < fp.size - 1:
            holder = member.holder(place - 1 + (part.start or 0))
        return totals.point(int(fp[place]), int(tp[place]), [holder])

    return _Path(fp, tp, point)


class _Binned(NamedTuple):
    """The rows of a classifier by the first of its settings at which they alarm."""

    member: Member
    rows: ScoredRows
    bins: IntArray
    settings: int


def _two_scorers(
    problem: _Problem, members: Sequence[Member], notes: list[str]
) -> Iterator[_Found]:
    """Return the best pair of vertices of each two scorers, from joint counts."""
    totals = problem.totals
    if len(members) < 2:
        return
    lacking = [member.name for member in members if member.rows is None]
    if totals.pooled or totals.rows is None:
        lacking = [member.name for member in members]
    if lacking:
        notes.append(
            f"pairs of scorers with {', '.join(lacking)} could not be tried, because they need "
            "the scores of the same rows"
        )
    binned = [
        _bin_rows(member, member.rows)
        for member in members
        if member.rows is not None and member.name not in lacking
    ]
    for one, other in combinations(binned, 2):
        found = _best_cell(problem, one, other)
        if found is not None:
            yield found


def _bin_rows(member: Member, rows: ScoredRows) -> _Binned:
    scores = rows.scores[member.name]
    if not member.scoring:
        return _Binned(member, rows, np.where(scores, 0, 1), 1)
    thresholds = np.asarray(member.lowest_scores, dtype=np.float64)
    return _Binned(member, rows, place_in_bins(scores, thresholds), thresholds.size)


def _best_cell(problem: _Problem, one: _Binned, other: _Binned) -> _Found | None:
    """Return the best pair of settings of two classifiers, if any meets the limits."""
    if not one.settings or not other.settings:
        return None
    rows, totals = one.rows, problem.totals
    counts = joint_counts(
        (one.bins, other.bins), (one.settings, other.settings), rows.positive, rows.units[0]
    )
    alone = counts[:, :-1, -1], counts[:, -1, :-1]
    for mine, binned in zip(alone, (one, other), strict=True):
        known = binned.member.false_positives, binned.member.true_positives
        if not all(map(np.array_equal, mine, known)):
            raise changed_rows(f"changed ones of {binned.member.name!r}")
    both = counts[:, :-1, :-1]
    single = alone[0][:, :, None] + alone[1][:, None, :]
    referred = single - 2 * both
    missed = totals.positives - single[1] + both[1]
    columns = [column.ravel() for column in (both[0], missed, referred[0], referred[1])]
    allowed = problem.allowed(columns)
    if not allowed.any():
        return None
    place = int(least_cells(columns, problem.goals, allowed)[0])
    i, j = divmod(place, other.settings)
    points = partial(_vertices_at, totals, (one.member, i), (other.member, j))
    found = [column[place] for column in columns]
    return problem.found(found, (one.member.name, other.member.name), points)


def _vertices_at(totals: ClassTotals, *places: tuple[Member, int]) -> tuple[RocPoint, RocPoint]:
    upper, lower = (
        totals.point(*member.pairs[place], [member.holder(place)]) for member, place in places
    )
    return upper, lower


@dataclass(frozen=True)
class _Certified:
    """Decisions that are guaranteed to be right often enough, on new rows.

    Cases decided positive are certified as alarms are for a precision, and those decided negative
    as alarms of the other class. Each walk begins at a number of decided cases that is fixed by the
    limit and the level, and goes on to more of them. The error is shared by scorers and both sides.
    """

    positive: Certifier
    negative: Certifier
    totals: ClassTotals
    models: int
    max_wrong: float
    note: str

    @classmethod
    def of(cls, hull: RocHull, conditions: Conditions, options: ReferralOptions) -> _Certified:
        """Prepare the tests of both sides."""
        sample, note = as_sample(hull)
        totals, models = hull.totals, max(count_models(hull.members), hull.considered or 0)
        max_wrong, level = options.max_wrong or 0.0, options.confidence or 0.0
        turned = ClassTotals(totals.positives, totals.negatives)
        others = Sample(sample.positives, sample.negatives, sample.share)
        p: float | str = OBSERVED
        if conditions.prevalence != OBSERVED:
            p = conditions.case.prevalence
        sides = []
        for own, counted, is_turned in ((totals, sample, False), (turned, others, True)):
            share = 1 - p if is_turned and isinstance(p, float) else p
            goal = MinimumPrecision(1 - max_wrong, prevalence=share, confidence=level)
            sides.append(Certifier(goal.resolved(own).limits, counted, level, 2 * models))
        return cls(sides[0], sides[1], totals, models, max_wrong, note)

    def find(
        self, problem: _Problem, members: Sequence[Member], notes: list[str]
    ) -> Iterator[_Found]:
        """Return the best pair of certified thresholds of each scorer."""
        _note_incomplete(members, notes)
        if problem.most_referred is not None:
            notes.append("the limit on referred cases is counted on the evaluation rows")
        any_certified = False
        for member in members:
            for path in _paths(member, problem.totals, full=True):
                counts = path.false_positives, path.true_positives
                allowed = self._certify(member, path)
                any_certified |= bool(allowed[0][1:].any() or allowed[1][:-1].any())
                parts = _parts(counts, problem.goals[0])
                shares = weighted_sum(counts, problem.share[2:])
                most = problem.most_referred
                limit = int(shares[-1]) if most is None else most
                places = least_pair(*parts, shares, limit, allowed)
                if places is not None:
                    yield _found_at(problem, member, path, places)
        if not any_certified:
            raise self._infeasible()

    def _certify(self, member: Member, path: _Path) -> tuple[BoolArray, BoolArray]:
        """Return which places are certified as the upper and as the lower threshold."""
        fp, tp = path.false_positives[1:-1], path.true_positives[1:-1]
        missed, kept = self.totals.positives - tp, self.totals.negatives - fp
        upper, lower = np.ones(fp.size + 2, dtype=bool), np.ones(fp.size + 2, dtype=bool)
        upper[-1] = lower[0] = False  # never and always decide nothing on their side
        if member.scoring and fp.size:
            known = path.vertices is not None
            upper[1:-1] = self.positive.find_nested(fp, tp, known=known)
            lower[1:-1] = self.negative.find_nested(missed[::-1], kept[::-1], known=known)[::-1]
        elif fp.size:
            upper[1:-1] = self.positive.find_single(fp, tp)
            lower[1:-1] = self.negative.find_single(missed, kept)
        return upper, lower

    def guarantee(self, found: _Found) -> Guarantee:
        """Return what is guaranteed at two certified thresholds."""
        fp, fn, rn, rp = found.counts
        hits, rest = self.totals.positives - fn - rp, self.totals.negatives - fp - rn
        limits, bounds = [], []
        for side, certifier, wrong, right in (
            ("positive", self.positive, fp, hits),
            ("negative", self.negative, fn, rest),
        ):
            if wrong or right:
                share = per_100(self.max_wrong)
                limits.append(f"of the cases decided {side} at most {share}% are wrong")
                (test,) = certifier.tests
                bounds.append(1 - test.bound(wrong, right, certifier.level))
        return Guarantee(
            confidence=self.positive.confidence,
            limits=tuple(limits),
            bounds=tuple(bounds),
            models=self.models,
            level=self.positive.level,
        ).reserved(self.note, CROSSES_ONCE)

    def _infeasible(self) -> InfeasibleError:
        need = rows_needed(self.max_wrong, self.positive.level)
        enough = "No number of rows would be enough."
        if math.isfinite(need):
            enough = f"It takes at least {need:,.10g} decided cases, and no error among them."
        return InfeasibleError(
            f"no thresholds of {format_count(self.models, 'model')} can be guaranteed to be wrong "
            f"in at most {per_100(self.max_wrong)}% of the cases decided automatically, on new "
            f"rows with {100 * self.positive.confidence:.4g}% confidence. {enough}",
            hint="Raise {max_wrong}, lower {confidence}, consider fewer models, or evaluate them "
            "on more rows.",
        )
