"""Limits that hold on new rows with a stated confidence.

Within one scorer, settings are nested. A walk through them stops before the first one whose counts
do not certify a limit. For the rule to break the limit, the walk must pass the first setting that
truly breaks it, which is fixed: so this happens with at most the level of one test, however many
settings there are. Several scorers share the error (Bonferroni), and so do limits that hold at the
strict end, those that hold at the liberal end, and others. Limits of one kind need no further
share, because a setting must pass the tests of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from rocch.arrays import BoolArray
from rocch.errors import InfeasibleError, format_count
from rocch.kernels.certify import (
    Counts,
    PassTest,
    TwoRates,
    chance_of_fewer,
    last_passing,
    least_passing,
    most_errors,
    rows_needed,
    walk,
)
from rocch.numbers import money
from rocch.results import Table, Tabular
from rocch.roc.criteria import LinearLimit
from rocch.roc.operating_point import RocPoint, end_name

# The reservation about limits that hold at neither end of a scorer's settings.
CROSSES_ONCE = (
    "This is proved where the true value crosses the limit once as the threshold moves, and "
    "measured in simulations elsewhere."
)

# Where along a scorer's settings a limit holds in any case.
End: TypeAlias = Literal["strict", "liberal", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Guarantee(Tabular):
    """What holds on new rows, and with which confidence.

    In at most 1 - confidence of all samples of evaluation rows, the whole procedure (the choice
    among classifiers and thresholds included) returns a rule that truly breaks a limit.

    Attributes
    ----------
    confidence
        That all limits hold together.
    limits
        The limits in words.
    bounds
        For each limit, the one-sided bound of the limited value: a rate, a cost or a precision.
    models
        How many classifiers were considered, winners or not; a classifier that outputs labels only
        counts once for each of its settings.
    level
        The chance of an error that each test may have.
    is_exact
        Whether the guarantee is exact: classifiers that were not fitted on these rows, and
        independent rows. For a precision or a cost it also takes that the true value, from the
        start of the search on, crosses the limit once in each direction.
    note
        Why it is not exact.
    """

    confidence: float
    limits: tuple[str, ...]
    bounds: tuple[float, ...]
    models: int
    level: float
    is_exact: bool = True
    note: str = ""

    def __str__(self) -> str:
        held = "; ".join(
            f"{limit} (bound {bound:.3g})"
            for limit, bound in zip(self.limits, self.bounds, strict=True)
        )
        several = f" (allowing for the choice among {self.models} models)"
        about = (
            f"On new rows, with {100 * self.confidence:.4g}% confidence"
            f"{several if self.models > 1 else ''}: {held}."
        )
        return " ".join(filter(None, (about, self.note)))

    def _columns(self) -> Table:
        confidence = [self.confidence] * len(self.limits)
        return {"limit": self.limits, "bound": self.bounds, "confidence": confidence}

    def reserved(self, *notes: str) -> Guarantee:
        """Return the guarantee with reservations, if any; it is exact without."""
        given = " ".join(filter(None, notes))
        return replace(self, is_exact=not given, note=given)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data for JSON."""
        fields = asdict(self)
        return {name: list(v) if isinstance(v, tuple) else v for name, v in fields.items()}


@dataclass(frozen=True)
class Sample:
    """The independent negatives and positives that settings were counted on."""

    negatives: float
    positives: float
    # rows held out several times count once
    share: float = 1.0

    @property
    def rows(self) -> float:
        """Both classes together."""
        return self.negatives + self.positives


@dataclass(frozen=True)
class LimitTest:
    """The test of one limit on counts of false alarms and hits.

    Counts that pass still do with fewer of the errors that the limit is about.
    """

    limit: LinearLimit
    sample: Sample

    @property
    def holds_at(self) -> End:
        """The end of a scorer's settings where the limit holds in any case."""
        if self.limit.tpr >= 0 and self.limit.fpr >= 0:
            return "strict"
        return "liberal" if self.limit.tpr <= 0 and self.limit.fpr <= 0 else "neither"

    @property
    def precision(self) -> float | None:
        """The least precision, of a limit on it."""
        p = self.limit.prevalence
        return None if p is None else self.limit.fpr / (1 - p)

    @property
    def wrong_alarms(self) -> float:
        """The share of false alarms among those of the sample at a limit on the precision."""
        p, wrong = self.limit.prevalence or 0.0, 1 - (self.precision or 0.0)
        if self.limit.sample == "alarms":
            return wrong
        odds = self.sample.positives / self.sample.negatives * (1 - p) / p
        return wrong / (wrong + odds * (1 - wrong))

    @property
    def misses_at_limit(self) -> float:
        """The misses that alone reach a limit on the cost."""
        rate = (self.limit.at_most - self.limit.tpr) / -self.limit.tpr
        return self.sample.positives * min(max(rate, 0.0), 1.0)

    def passes(self, fp: Counts, tp: Counts, level: float) -> BoolArray:
        """Return whether counts certify the limit."""
        return self._passes(self.limit, fp * self.sample.share, tp * self.sample.share, level)

    def _passes(self, limit: LinearLimit, fp: Counts, tp: Counts, level: float) -> BoolArray:
        if limit.sample == "alarms":
            return _passes_one(fp, fp + tp, 1 - limit.fpr / (1 - (limit.prevalence or 0.0)), level)
        negatives, positives = self.sample.negatives, self.sample.positives
        x = fp if limit.fpr >= 0 else negatives - fp
        y = tp if limit.tpr >= 0 else positives - tp
        x_weight, y_weight = abs(limit.fpr), abs(limit.tpr)
        at_most = limit.at_most + max(0.0, -limit.fpr) + max(0.0, -limit.tpr)
        if limit.sample == "rows":
            rows = self.sample.rows
            x_weight, y_weight = x_weight * rows / negatives, y_weight * rows / positives
            if math.isclose(x_weight, y_weight):
                return _passes_one(x + y, rows, at_most / x_weight, level)
            negatives = positives = rows
        if not y_weight:
            return _passes_one(x, negatives, at_most / x_weight, level)
        if not x_weight:
            return _passes_one(y, positives, at_most / y_weight, level)
        return TwoRates(x_weight, negatives, y_weight, positives, at_most).passes(x, y, level)

    def bound(self, fp: float, tp: float, level: float) -> float:
        """Return the one-sided bound of the limited value at these counts."""
        counts = (np.array([each * self.sample.share]) for each in (fp, tp))
        fp_here, tp_here = counts
        if self.limit.prevalence is not None:
            return 1 - least_passing(
                lambda wrong: bool(
                    self._passes(self._with_precision(1 - wrong), fp_here, tp_here, level)[0]
                ),
                0.0,
                1.0,
            )
        limit = self.limit
        low = min(0.0, limit.tpr) + min(0.0, limit.fpr)
        high = max(0.0, limit.tpr) + max(0.0, limit.fpr)
        found = least_passing(
            lambda most: bool(self._passes(self._with_most(most), fp_here, tp_here, level)[0]),
            low,
            high,
        )
        return self._as_value(found)

    def known_value(self, fpr: float, tpr: float) -> float:
        """Return the limited value at rates that are known."""
        if self.limit.prevalence is not None:
            return 1.0 if not fpr else self.limit.prevalence
        return self._as_value(self.limit.tpr * tpr + self.limit.fpr * fpr)

    def _as_value(self, total: float) -> float:
        """Return the limited value: a rate, a cost, or the sum as it is."""
        limit = self.limit
        if limit.text:
            return total + limit.offset
        return total if limit.tpr and limit.fpr else total / (limit.tpr + limit.fpr)

    def _with_most(self, at_most: float) -> LinearLimit:
        limit = self.limit
        return LinearLimit(tpr=limit.tpr, fpr=limit.fpr, at_most=at_most, sample=limit.sample)

    def _with_precision(self, q: float) -> LinearLimit:
        p = self.limit.prevalence or 0.0
        return LinearLimit(
            tpr=-p * (1 - q), fpr=(1 - p) * q, at_most=0, sample=self.limit.sample, prevalence=p
        )


def _passes_one(errors: Counts, rows: float | Counts, limit: float, level: float) -> BoolArray:
    if limit >= 1:
        return np.ones(np.shape(errors), dtype=bool)
    if limit <= 0:
        return np.zeros(np.shape(errors), dtype=bool)
    passed: BoolArray = chance_of_fewer(errors, rows, limit) <= level
    return passed


@dataclass(frozen=True)
class Certifier:
    """Finds the settings of one classifier that keep all limits with a confidence.

    Attributes
    ----------
    limits
        Those that have the confidence.
    models
        How many classifiers share the error.
    """

    limits: tuple[LinearLimit, ...]
    sample: Sample
    confidence: float
    models: int = 1

    @cached_property
    def tests(self) -> tuple[LimitTest, ...]:
        """The test of each limit."""
        return tuple(LimitTest(limit, self.sample) for limit in self.limits)

    @cached_property
    def parts(self) -> dict[End, list[LimitTest]]:
        """The tests by where they hold; each part has an equal share of the error.

        A walk for the precision goes to more alarms only, so that limits which hold at the strict
        end are tested on the way.
        """
        parts: dict[End, list[LimitTest]] = {}
        for test in self.tests:
            parts.setdefault(test.holds_at, []).append(test)
        inside = parts.get("neither", [])
        if inside and all(test.precision is not None for test in inside):
            inside += parts.pop("strict", [])
        return parts

    @property
    def level(self) -> float:
        """The error of each test."""
        return (1 - self.confidence) / (self.models * len(self.parts))

    def find_nested(self, fp: Counts, tp: Counts, *, known: bool = True) -> BoolArray:
        """Return which of a scorer's settings are certified; counts rise.

        Without `known`, there are settings in between that were not counted.
        """
        certified = np.ones(fp.size, dtype=bool)
        for end, tests in self.parts.items():
            passes = _all_pass(tests, self.level)
            if end == "strict":
                certified[last_passing(passes, fp, tp) :] = False
            elif end == "liberal":
                certified[: fp.size - last_passing(passes, fp[::-1], tp[::-1])] = False
            else:
                certified &= self._find_inside(tests, fp, tp, known=known)
        return certified

    def find_single(self, fp: Counts, tp: Counts) -> BoolArray:
        """Return which settings are certified that are not nested, each by itself."""
        # a fixed setting has no parts: it errs only if the test of a broken limit passes
        return _all_pass(self.tests, self.level * len(self.parts))(fp, tp)

    def _find_inside(
        self, tests: Sequence[LimitTest], fp: Counts, tp: Counts, *, known: bool
    ) -> BoolArray:
        """Certify limits that hold at neither end, from a start that is fixed in advance.

        The start is a number of alarms for the precision, and of misses for a cost; both follow
        from the limits and the numbers of both classes alone. A walk for a cost goes both ways,
        each with half of the error.
        """
        certified = np.zeros(fp.size, dtype=bool)
        inside = [test for test in tests if test.holds_at == "neither"]
        costs = [test for test in inside if test.precision is None]
        if costs:
            misses = min(test.misses_at_limit for test in costs) * FIRST_MISSES
            wanted = math.ceil(self.sample.positives - misses)
            place = int(np.searchsorted(tp * self.sample.share, wanted))
        else:
            least = FIRST_ALARMS * self.sample.positives
            alarms = max(least, *map(self._first_alarms, inside))
            place = int(np.searchsorted((fp + tp) * self.sample.share, alarms))
        if place >= fp.size:
            return certified
        start = fp[place : place + 1], tp[place : place + 1]
        if not known:  # the start is one of the settings before
            start = start[0], tp[place - 1 : place] if place else np.zeros(1)
        if not _all_pass(tests, self.level)(*start)[0]:
            return certified
        certified[place] = True
        passes = _all_pass(tests, self.level / (2 if costs else 1))
        ahead = walk(passes, fp[place:], tp[place:], known=known)
        certified[place : place + ahead] = True
        if costs:
            back = walk(passes, fp[place::-1], tp[place::-1], known=known)
            certified[place + 1 - back : place + 1] = True
        return certified

    def _first_alarms(self, test: LimitTest) -> float:
        """Return the alarms at which a share of the allowed errors certifies a precision."""
        wrong = test.wrong_alarms
        alarms = max(rows_needed(wrong, self.level), 1)
        if alarms > self.sample.rows:
            return math.inf
        while most_errors(alarms, wrong, self.level) < FIRST_ERRORS * wrong * alarms:
            alarms = math.ceil(1.05 * alarms)
        return alarms

    def guarantee(self, point: RocPoint, note: str) -> Guarantee:
        """Return what is guaranteed at a certified setting; the rates of both ends are known."""
        if end_name(point.fpr, point.tpr) is None:
            counts = point.false_positives, point.true_positives
            bounds = [test.bound(*counts, self.level) for test in self.tests]
        else:
            bounds = [test.known_value(point.fpr, point.tpr) for test in self.tests]
        return Guarantee(
            confidence=self.confidence,
            limits=tuple(map(str, self.limits)),
            bounds=tuple(bounds),
            models=self.models,
            level=self.level,
        ).reserved(note, CROSSES_ONCE if any(t.holds_at == "neither" for t in self.tests) else "")

    def infeasible(self, settings: Iterable[tuple[Counts, Counts]]) -> InfeasibleError:
        """Return the error that says why no setting is certified, and how many rows would do."""
        tried = list(settings)
        stated = "; ".join(map(str, self.limits))
        models = format_count(self.models, "model")
        for test in self.tests:
            alone = any(test.passes(fp, tp, self.level).any() for fp, tp in tried)
            if not alone:
                need, hint = _describe_need(test, self.level)
                return InfeasibleError(
                    f"no threshold of {models} can be guaranteed to keep {test.limit} on new rows "
                    f"with {100 * self.confidence:.4g}% confidence. " + need,
                    hint=hint,
                )
        rows = self._rows_for_all(tried)
        why, hint = "though each of them can be kept alone. ", "Find a better classifier."
        if len(self.tests) == 1:
            why = "because thresholds are tested in a fixed order, and the first one fails."
        else:
            stated = f"all limits ({stated})"
            if rows is None:
                why += "More rows would not help: no threshold meets all of them on these rows."
            else:
                why += f"With the same rates, about {money(rows)} rows would do (there are "
                why += f"{self.sample.rows:.10g})."
        if rows is not None:
            hint = "Lower {confidence}, or evaluate on more rows."
        return InfeasibleError(
            f"no threshold of {models} can be guaranteed to keep {stated} on new rows "
            f"with {100 * self.confidence:.4g}% confidence, {why}",
            hint=f"Relax a limit. {hint}",
        )

    def _rows_for_all(self, tried: Sequence[tuple[Counts, Counts]]) -> float | None:
        """Return about how many rows with the same rates would keep all limits, if any would."""
        factor = 1.0
        while factor <= MOST_TIMES:
            more = Sample(factor * self.sample.negatives, factor * self.sample.positives)
            passes = _all_pass([LimitTest(limit, more) for limit in self.limits], self.level)
            share = factor * self.sample.share
            if any(passes(share * fp, share * tp).any() for fp, tp in tried):
                return factor * self.sample.rows
            factor *= 1.1
        return None


# Where walks begin: where this share of the allowed errors among alarms certifies a precision, and
# at this share of the misses that alone reach a limit on the cost. They had the most power of nine
# and of ten starts in small simulations of normal scores (the cost with 400 rows only). Validity
# does not depend on them.
FIRST_ERRORS = 0.3
FIRST_MISSES = 0.25
# A walk for the precision has at least this many alarms at its start, as a share of the positives:
# under heavy tails the highest scores are not the purest.
FIRST_ALARMS = 1 / 3


def _all_pass(tests: Sequence[LimitTest], level: float) -> PassTest:
    def passes(fp: Counts, tp: Counts) -> BoolArray:
        passed: BoolArray = np.all([test.passes(fp, tp, level) for test in tests], axis=0)
        return passed

    return passes


def _describe_need(test: LimitTest, level: float) -> tuple[str, str]:
    """Return how many rows would do, and advice."""
    limit, sample = test.limit, test.sample
    if limit.sample == "alarms":
        need = rows_needed(1 - (test.precision or 0.0), level)
        return _need(need, "alarms", None, "false one")
    if limit.fpr and not limit.tpr:
        share = limit.at_most / limit.fpr if limit.fpr > 0 else 1 - limit.at_most / limit.fpr
        error = "false alarm" if limit.fpr > 0 else "true negative"
        return _need(rows_needed(share, level), "negatives", sample.negatives, error)
    if limit.tpr and not limit.fpr:
        share = limit.at_most / limit.tpr if limit.tpr > 0 else 1 - limit.at_most / limit.tpr
        error = "hit" if limit.tpr > 0 else "miss"
        return _need(rows_needed(share, level), "positives", sample.positives, error)
    factor = 1.0
    while factor <= MOST_TIMES and not _passes_without_errors(limit, sample, factor, level):
        factor *= 1.1
    if factor > MOST_TIMES:
        return f"{NO_NUMBER}: even thresholds without errors break it.", "Relax the limit."
    rows = math.ceil(factor * sample.rows)
    error = "alarm" if limit.fpr > 0 and limit.tpr > 0 else "error"
    return _need(rows, "rows", sample.rows, error)


# Messages name the rows that would do if they are at most this many times the present ones.
MOST_TIMES = 1e6
NO_NUMBER = "No number of rows would be enough"


def _passes_without_errors(limit: LinearLimit, sample: Sample, factor: float, level: float) -> bool:
    more = Sample(factor * sample.negatives, factor * sample.positives)
    fp = np.array([0.0 if limit.fpr >= 0 else more.negatives])
    tp = np.array([0.0 if limit.tpr > 0 else more.positives])
    return bool(LimitTest(limit, more).passes(fp, tp, level)[0])


def _need(need: float, noun: str, there: float | None, error: str) -> tuple[str, str]:
    hint = "Relax the limit, lower {confidence}, consider fewer models, or evaluate more rows."
    if math.isinf(need):
        return f"{NO_NUMBER}: no sample can show that such a limit holds.", "Relax the limit."
    if there is not None and there >= need:
        errors = f"{error}{'es' if error == 'miss' else 's'}"
        text = f"There are enough {noun} ({there:,.10g}), but every threshold has too many {errors}"
        return f"{text} among them.", hint
    at_hand = "" if there is None else f" (there are {there:,.10g})"
    return f"It takes at least {need:,.10g} {noun}{at_hand}, and no {error} among them.", hint
