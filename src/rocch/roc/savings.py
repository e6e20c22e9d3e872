"""What a choice saves on new rows, against today's practice.

The baselines are the same model at the threshold that `predict` uses, the best single model, never
and always alarming, and the user's present rule. Both sides are compared on the same rows; the side
of the choice was decided without them, as for its expected cost on new rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Features, FloatArray
from rocch.errors import Hint, InputError
from rocch.inputs import (
    as_array,
    as_number,
    as_text,
    check_known,
    check_length,
    is_number,
)
from rocch.numbers import format_number, money
from rocch.results import Record, Table, Tabular
from rocch.roc.conditions import Case, Interval
from rocch.roc.new_rows import (
    NewRowsCost,
    join_corners,
    outer_bounds,
    regret_costs,
    vertex_cost,
    vertex_cost_beside,
)
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint
from rocch.roc.rate_intervals import cost_interval, saving_interval
from rocch.rows import ScoredRows
from rocch.svg import Mark, draw_intervals

# A user's present rule: the name of a model, a threshold, both, labels predicted for the evaluation
# rows, or a fitted classifier.
Baseline: TypeAlias = str | float | tuple[str, float] | ArrayLike | Any

# A single model, what it costs on new rows, and how often each row alarms.
Single: TypeAlias = tuple[str, NewRowsCost, FloatArray]

# The threshold at which `predict` decides on probabilities.
HALF = 0.5

# Today's rule: a threshold, after its model or not.
RULE = re.compile(
    r"((alarm when )?(?P<model>.*?)\s*(>=|\u2265|:))?"
    r"\s*(?P<threshold>[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf)",
    re.IGNORECASE | re.DOTALL,
)

NEW_ROWS, EVALUATION_ROWS = "new rows", "evaluation rows"
TODAY = "today's rule"
UNSURE = ", so not certain"
ALONE, AT_ITS_BEST = " alone", ", at its best threshold"
CHOOSE_IT = "model.at(..., exact=True) may choose it"
NO_ROWS = "other baselines need the evaluation rows, which were not kept"
COUNTED = (
    "the evaluation rows were not kept, so amounts are those on these rows, for which the choice "
    "is the best; new rows are likely to cost more"
)
UNKNOWN_SCALE = (
    "the threshold of today is not known, because the scores of {name} are no probabilities; "
    "name it as the baseline"
)

ONE_SIDE = (
    "the threshold of today is not known, because all scores of {name} are on one side of 0.5; "
    "name it as the baseline"
)


@dataclass(frozen=True, slots=True, repr=False)
class Saving(Record):
    """What a choice saves against one baseline, on new rows.

    Attributes
    ----------
    baseline
        The rule that it is compared with.
    cost, interval
        What the baseline costs, with bounds.
    saves, saves_interval
        The cost of the baseline minus that of the choice, with bounds.
    cost_range, saves_range
        Where costs or class balance are ranges, the least and the greatest value within them;
        `cost` and `saves` are then those in the middle, and the intervals bound all of them.
    alike
        Where both decide all evaluation rows alike, how many there are; otherwise 0.
    """

    baseline: str
    cost: float
    interval: Interval
    saves: float
    saves_interval: Interval
    cost_range: Interval | None = None
    saves_range: Interval | None = None
    alike: int = 0

    def _row(self) -> dict[str, Any]:
        row = {
            "baseline": self.baseline,
            "cost": self.cost,
            "cost_low": self.interval.low,
            "cost_high": self.interval.high,
            "saves": self.saves,
            "saves_low": self.saves_interval.low,
            "saves_high": self.saves_interval.high,
        }
        for name in ("cost", "saves"):
            found = getattr(self, f"{name}_range")
            if found is not None:
                row |= {f"{name}_least": found.low, f"{name}_most": found.high}
        return row

    def times(self, factor: float) -> Saving:
        """Return the saving with all amounts multiplied."""
        return replace(
            self,
            cost=factor * self.cost,
            interval=_times(self.interval, factor),
            saves=factor * self.saves,
            saves_interval=_times(self.saves_interval, factor),
            cost_range=_times(self.cost_range, factor),
            saves_range=_times(self.saves_range, factor),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Savings(Tabular):
    """What a choice saves against several baselines, on new rows.

    `print` shows the first of them.

    Attributes
    ----------
    rows
        The savings: today's rule first, if it is known, and the others by their use.
    expected, interval
        What the choice is expected to cost, with bounds; None if it is not known.
    expected_range, depends_on
        Where costs or class balance are ranges: the least and the greatest expected cost, and what
        they depend on.
    cases, unit, currency
        Amounts are per this number of cases, its name, and their unit of money.
    confidence
        That of all bounds.
    note
        Which baselines were left out, and why.
    on
        The rows that amounts are for: "new rows"; of a loaded model sometimes "evaluation rows".

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.2
    >>> p = 1 / (1 + np.exp(-rng.normal(2 * y - 2, 1.5)))
    >>> hull = rocch.RocHull.from_scores(y, {"logit": p})
    >>> known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=10)
    >>> found = hull.best(known).savings()
    >>> print(found)
    saves 0.507 per case against logit at threshold 0.5 (95%: 0.408 to 0.615)
    >>> print(found.per(20_000, "month", currency="EUR"))
    saves 10,100 EUR per month against logit at threshold 0.5 (95%: 8,170 to 12,300)
    """

    rows: tuple[Saving, ...]
    expected: float | None = None
    interval: Interval | None = None
    confidence: float = 0.95
    note: str = ""
    cases: float = 1
    unit: str = "case"
    currency: str = ""
    expected_range: Interval | None = None
    depends_on: str = ""
    on: str = NEW_ROWS

    def per(self, cases: float, unit: str | None = None, *, currency: str | None = None) -> Savings:
        """Return the same savings per number of cases.

        Parameters
        ----------
        cases
            For example 1000, or the number of cases in a month.
        unit
            What these cases are, for example "month"; by default their number.
        currency
            The unit of money, for example "EUR".
        """
        cases = as_number(cases, "cases", least=0, hint="It is a number of cases.")
        if unit is None:
            unit = "case" if cases == 1 else f"{format_cases(cases)} cases"
        factor = cases / self.cases
        return replace(
            self,
            rows=tuple(row.times(factor) for row in self.rows),
            expected=None if self.expected is None else factor * self.expected,
            interval=_times(self.interval, factor),
            expected_range=_times(self.expected_range, factor),
            cases=cases,
            unit=as_text(unit, "unit"),
            currency=self.currency if currency is None else as_text(currency, "currency"),
        )

    def __str__(self) -> str:
        if not self.rows:
            return f"no saving is known: {self.note}"
        first, *others = self.rows
        # a rule that is cheaper than the recommendation is never left out
        cheaper = [row for row in others if row.saves < 0]
        shown = [first, *sorted(cheaper, key=lambda row: row.saves)[:1]]
        text = "; ".join(map(self._sentence, shown))
        return f"{text}; {CHOOSE_IT}" if shown[-1].baseline.endswith(AT_ITS_BEST) else text

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each baseline."""
        return tuple(map(self._sentence, self.rows))

    def _sentence(self, row: Saving) -> str:
        if row.alike:
            return f"decides as {row.baseline}, on all {row.alike:,} evaluation rows"
        low, high = row.saves_interval
        least, most = row.saves_range or (row.saves, row.saves)
        bounds = f"{money(low)} to {money(high)}"
        level = f"{100 * self.confidence:.3g}%"
        currency = f" {self.currency}" if self.currency else ""
        where = "" if self.on == NEW_ROWS else f", on the {self.on}"
        ends = dict.fromkeys(money(abs(end)) for end in sorted((least, most), key=abs))
        amount = f"{' to '.join(ends)}{currency}"
        if most < 0:
            bounds = f"{money(-high)} to {money(-low)}"
            words = f"costs {amount} more per {self.unit} than {row.baseline}{where}"
        else:
            if least < 0:
                amount = f"{money(least)} (costs more) and {money(most)}{currency}"
                amount = f"between {amount}"
            words = f"saves {amount} per {self.unit} against {row.baseline}{where}"
        if least < most:
            words += f", depending on {self.depends_on}"
        if row.saves_interval == (least, most):
            return words
        doubt = UNSURE if low <= 0 <= high else ""
        return f"{words} ({level}: {bounds}{doubt})"

    def _columns(self) -> Table:
        rows = [row._row() for row in self.rows]
        return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}

    def _picture(self) -> str:
        marks = [Mark(row.baseline, *row.saves_interval, row.saves) for row in self.rows]
        label = f"saved per {self.unit}{f' ({self.currency})' if self.currency else ''}"
        label += "" if self.on == NEW_ROWS else f", on the {self.on}"
        return draw_intervals(marks, label, reference=0) if marks else ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "on": self.on,
            "per": self.unit,
            "cases": self.cases,
            "currency": self.currency,
            "confidence": self.confidence,
            "expected": self.expected,
            "interval": _as_list(self.interval),
            "expected_range": _as_list(self.expected_range),
            "baselines": [
                {
                    "baseline": row.baseline,
                    "cost": row.cost,
                    "interval": list(row.interval),
                    "saves": row.saves,
                    "saves_interval": list(row.saves_interval),
                    "cost_range": _as_list(row.cost_range),
                    "saves_range": _as_list(row.saves_range),
                    "text": text,
                }
                for row, text in zip(self.rows, self.sentences, strict=True)
            ],
            "note": self.note,
        }


class Amounts(NamedTuple):
    """How to write amounts: per this number of cases, its name, and the unit of money."""

    cases: float = 1
    unit: str | None = None
    currency: str | None = None


@overload
def _times(interval: Interval, factor: float) -> Interval: ...
@overload
def _times(interval: Interval | None, factor: float) -> Interval | None: ...
def _times(interval: Interval | None, factor: float) -> Interval | None:
    return None if interval is None else Interval(factor * interval.low, factor * interval.high)


def _as_list(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def format_cases(cases: float) -> str:
    """Return a number of cases as people write it."""
    return f"{cases:,.0f}" if float(cases).is_integer() else format_number(cases)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A choice, the rows on which it is compared with others, and what is known of its models.

    Attributes
    ----------
    cost
        What the choice is expected to cost on new rows.
    case
        Prevalence and costs.
    rows
        The evaluation rows with the scores of models; None if they were not kept.
    model
        The model of the choice; None for never and always.
    decides
        Which rows the choice predicts positive, if known.
    defaults
        The threshold at which each model's `predict` decides, where it is known.
    default_words
        Names of these thresholds, where "nb at threshold 0.5" would not do.
    default
        What the model of the choice costs at its default threshold, and how often each row alarms
        by both; by default the costs of a fixed rule.
    single
        The best single model, what it costs on new rows and how often each row alarms, unless it is
        the choice itself.
    without_rows
        What is known where rows were not kept.
    against_curve
        Compares with a model at a threshold by the curves of `curves`, where rows were not kept.
    curves
        The models with a curve to compare with.
    amounts
        The unit of money, and the number of cases that amounts are for.
    corners
        Where costs or class balance are ranges, the comparison at each of their corners; savings
        are linear in both, so the least and the greatest are among those.
    counted
        The same on the evaluation rows, by rates alone, where the cost on new rows is not known.
    """

    cost: NewRowsCost
    case: Case
    rows: ScoredRows | None = None
    model: str | None = None
    decides: BoolArray | None = None
    defaults: Mapping[str, float] = field(default_factory=dict)
    default: tuple[NewRowsCost, FloatArray] | None = None
    default_words: Mapping[str, str] = field(default_factory=dict)
    single: Callable[[], Single | None] = lambda: None
    without_rows: tuple[Saving, ...] = ()
    against_curve: Callable[[str, str, float], Saving] | None = None
    curves: Collection[str] = ()
    amounts: Amounts | None = None
    corners: tuple[Comparison, ...] = ()
    counted: Comparison | None = None

    def savings(
        self, baseline: Baseline | None = None, features: Features | None = None
    ) -> Savings:
        """Return what the choice saves against the usual baselines, and today's rule if given."""
        cost = self.cost
        if cost.expected is None or cost.interval is None:
            if self.counted is not None:
                found = self.counted.savings(baseline, features)
                return replace(found, note=COUNTED, on=EVALUATION_ROWS)
            if baseline is not None and self.rows is None:
                self._refuse()
            return self._in_amounts(Savings((), confidence=cost.confidence, note=cost.note))
        notes: list[str] = []
        rule = None
        if baseline is not None and self.rows is not None:
            rule = self.read_baseline(baseline, features)
        compared = [each._compare(rule) for each in self.corners or (self,)]
        today, usual, single, trivial = (
            [_join(rows) for rows in zip(*kind, strict=True)]
            for kind in zip(*compared, strict=True)
        )
        if self.model is None:  # a trivial choice: any model may be what is used today
            usual = sorted(usual, key=lambda row: row.cost)[:1]
        trivial.sort(key=lambda row: row.cost)  # without the choice itself
        trivial = [row for row in trivial if row.saves_interval != (0, 0)]
        if self.rows is None:
            notes.append(NO_ROWS)
            if baseline is not None:
                each = (corner._against_setting(baseline) for corner in self.corners or (self,))
                today = [_join(tuple(each))]
        elif self.model is not None and not (
            self.model in self.defaults or self.rows.scores[self.model].dtype == bool
        ):
            is_one_sided = _can_be_probabilities(self.rows.scores[self.model])
            words = ONE_SIDE if is_one_sided else UNKNOWN_SCALE
            notes.append(words.format(name=repr(self.model)))
        for row in single:
            if row.saves < 0:
                name = row.baseline.removesuffix(AT_ITS_BEST)
                seems = "is" if row.saves_interval.high < 0 else "seems"
                notes.append(f"{name} {seems} cheaper; {CHOOSE_IT}")
        found = Savings(
            (*today, *usual, *single, *trivial),
            cost.expected,
            cost.interval,
            cost.confidence,
            "; ".join(notes),
            expected_range=cost.expected_range,
            depends_on=self._depends_on,
        )
        return self._in_amounts(found)

    def _in_amounts(self, found: Savings) -> Savings:
        """Return savings in the user's unit of money, and per number of cases."""
        if self.amounts is None:
            return found
        return found.per(self.amounts.cases, self.amounts.unit, currency=self.amounts.currency)

    def _compare(self, rule: tuple[str, BoolArray] | None) -> tuple[list[Saving], ...]:
        """Compare with today's rule, with thresholds of `predict`, one model, and trivial rules."""
        today = [] if rule is None else [self._against(*rule)]
        rates = {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}
        trivial = [
            self._against_known(f"{name} alarming", float(self.case.cost(*rate)))
            for name, rate in rates.items()
        ]
        if self.rows is None:
            return today, list(self.without_rows), [], trivial
        single = []
        if (best := self.single()) is not None:
            name, found, alarms = best
            single.append(self._against(f"{name}{ALONE}{AT_ITS_BEST}", alarms, found))
        return today, list(self._at_defaults(rule)), single, trivial

    def _at_defaults(self, rule: tuple[str, BoolArray] | None) -> Iterator[Saving]:
        """Compare with the threshold that `predict` uses, of all models for a trivial choice.

        One that decides as today's rule is left out.
        """
        for name in self.defaults if self.model is None else {self.model} & set(self.defaults):
            words, alarms = self._at_default(name)
            if rule is not None and np.array_equal(rule[1], alarms):
                continue
            if self.default is None or self.default[0].alarms is None or self._is_alike(alarms):
                yield self._against(words, alarms)
            else:
                yield self._against(words, self.default[0].alarms, *self.default)

    def _is_alike(self, alarms: FloatArray | BoolArray) -> bool:
        """Whether a rule decides all rows as the choice does."""
        return self.decides is not None and np.array_equal(self.decides, alarms)

    @property
    def _depends_on(self) -> str:
        """What differs between corners."""
        cases = [each.case for each in self.corners]
        costs, shares = {case[1:] for case in cases}, {case.prevalence for case in cases}
        names = ["costs"] * (len(costs) > 1) + ["class balance"] * (len(shares) > 1)
        return " and ".join(names)

    def _against_known(self, name: str, cost: float) -> Saving:
        """Compare with a rule whose cost on new rows is known."""
        expected, (low, high) = self.cost.expected or 0.0, self.cost.interval or (0.0, 0.0)
        exact = Interval(cost, cost)
        return Saving(name, cost, exact, cost - expected, Interval(cost - high, cost - low))

    def _against(
        self,
        name: str,
        alarms: FloatArray | BoolArray,
        found: NewRowsCost | None = None,
        both: FloatArray | None = None,
    ) -> Saving:
        """Compare with a rule that predicts these rows positive."""
        rows, case, level = self._known_rows, self.case, self.cost.confidence
        expected, own = self.cost.expected or 0.0, self.cost.alarms
        if found is None and self._is_alike(alarms):
            # what is corrected for the luck of the choice would count for the one rule alone
            bounds = self.cost.interval or Interval(expected, expected)
            count = int(rows.is_first.sum())
            return Saving(name, expected, bounds, 0.0, Interval(0.0, 0.0), alike=count)
        baseline = np.asarray(alarms, dtype=float)
        cost, interval = cost_interval(rows, baseline, case, level)
        if found is not None and found.expected is not None and found.interval is not None:
            cost, interval = found.expected, found.interval
        saves = cost - expected
        if own is None:  # the choice is never or always, with a known cost
            bounds = Interval(interval.low - expected, interval.high - expected)
        else:
            bounds = saving_interval(rows, own, baseline, case, level, both)
        bounds = Interval(min(bounds.low, saves), max(bounds.high, saves))
        return Saving(name, cost, interval, saves, bounds)

    def _against_setting(self, given: Baseline) -> Saving:
        """Compare with a model at a threshold, by curves: other rules need the rows."""
        setting = None if self.against_curve is None else self._read_setting(given)
        if self.against_curve is None or setting is None:
            self._refuse()
        return self.against_curve(*setting)

    def _at_default(self, model: str) -> tuple[str, BoolArray]:
        return self._words_of_default(model), self._at(model, self.defaults[model])

    def _words_of_default(self, model: str) -> str:
        words = f"{model} at threshold {self.defaults[model]:g}"
        return self.default_words.get(model, words)

    def _at(self, model: str, threshold: float) -> BoolArray:
        scores = self._known_rows.scores[model]
        return np.asarray(scores if scores.dtype == bool else scores >= threshold)

    @property
    def _known_rows(self) -> ScoredRows:
        if self.rows is None:
            self._refuse()
        return self.rows

    def _refuse(self) -> NoReturn:
        raise InputError(
            "baseline",
            "be compared on the evaluation rows",
            "a choice whose rows were not kept",
            Hint(
                "Build the hull with RocHull.from_scores, or fit the model anew.",
                http="Saved models keep no rows, only curves: with known costs and prevalence, "
                "a model that was saved without exact=True is compared with one of its own "
                "models at a threshold. Compare with other rules where it was fitted.",
            ),
        )

    def read_baseline(self, given: Baseline, features: Features | None) -> tuple[str, BoolArray]:
        """Return the name of today's rule, and which rows it predicts positive."""
        rows = self._known_rows
        if hasattr(given, "predict"):
            if features is None:
                hint = Hint("Pass savings(baseline=classifier, X=X), or its predicted labels.")
                raise InputError("X", "be given beside a classifier as {baseline}", "none", hint)
            return TODAY, self._as_alarms(given.predict(features))
        if isinstance(given, str) and given in rows.scores and rows.scores[given].dtype == bool:
            return given, self._at(given, HALF)
        setting = self._read_setting(given)
        if setting is None:
            return TODAY, self._as_alarms(given)
        words, name, threshold = setting
        return words, self._at(name, threshold)

    def _read_setting(self, given: Baseline) -> tuple[str, str, float] | None:
        """Return a baseline in words, its model and threshold; None if it is none of a model."""
        if isinstance(given, str) and given not in self.models:
            given = parse_baseline(given)
        if isinstance(given, str):
            self._check_model(given)
            if given not in self.defaults:
                hint = _example(given, 0.3)
                got = f"{given!r}, whose scores are no probabilities on both sides of {HALF}"
                raise InputError("baseline", "come with its threshold", got, hint)
            return self._words_of_default(given), given, self.defaults[given]
        threshold = given
        if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
            name, threshold = given
        elif is_number(given):
            name = self._model_of_threshold(given)
        else:
            return None
        self._check_model(name)
        number = as_number(threshold, "baseline")
        return f"{TODAY}, {name} >= {format_number(number)}", name, number

    @property
    def models(self) -> Collection[str]:
        """The models that a baseline may be."""
        return self.curves if self.rows is None else self.rows.scores

    def _model_of_threshold(self, threshold: Any) -> str:
        """Return the model of a threshold alone: that of the choice, or the only one."""
        models = [name for name in self.models if name not in self.default_words]
        if self.model in models:
            return str(self.model)
        if len(models) > 1:
            hint = _example(models[0], threshold)
            raise InputError("baseline", "name the model of the threshold", "a threshold", hint)
        return models[0]

    def _check_model(self, name: str) -> None:
        check_known([name], self.models, "baseline", "models")

    def _as_alarms(self, labels: ArrayLike) -> BoolArray:
        rows = self._known_rows
        given = as_array(labels, "baseline")
        entries = rows.index
        wanted = len(rows) if entries is None else max(given.size, int(entries.max()) + 1)
        check_length(given.size, wanted, "baseline", "evaluation rows")
        alarms = rows.find_positive(given, "baseline")
        return alarms if entries is None else alarms[entries]


def parse_baseline(text: str) -> float | tuple[str, float] | str:
    """Read a baseline as users type it: THRESHOLD, MODEL:THRESHOLD, MODEL >= THRESHOLD or MODEL.

    A rule may be written as it is printed: "alarm when nb >= 0.5".

    Examples
    --------
    >>> from rocch.roc.savings import parse_baseline
    >>> parse_baseline("0.5"), parse_baseline("gbm >= 0.3"), parse_baseline("gbm")
    (0.5, ('gbm', 0.3), 'gbm')
    """
    rule = RULE.fullmatch(text.strip())
    if rule is None:
        return text
    model, number = rule["model"], float(rule["threshold"])
    return (model, number) if model else number


def _example(model: str, threshold: object) -> Hint:
    return Hint(
        f"For example: baseline=({model!r}, {threshold!r}).",
        cli=f"For example: --baseline '{model} >= {threshold}'.",
        http=f"For example: baseline={model}:{threshold}",
    )


def _join(rows: tuple[Saving, ...]) -> Saving:
    """Return the savings at the corners of ranges as one; their means are those in the middle."""
    if len(rows) == 1:
        return rows[0]
    costs, saves = [row.cost for row in rows], [row.saves for row in rows]
    return Saving(
        rows[0].baseline,
        float(np.mean(costs)),
        outer_bounds([row.interval for row in rows]),
        float(np.mean(saves)),
        outer_bounds([row.saves_interval for row in rows]),
        Interval(min(costs), max(costs)),
        Interval(min(saves), max(saves)),
        rows[0].alike,
    )


def hull_comparison(
    rows: ScoredRows | None, case: Case, best: OperatingPoint, amounts: Amounts | None = None
) -> Comparison:
    """Return the comparison of the cheapest vertex of a hull."""
    model = None if best.is_trivial else best.classifier
    defaults = {} if rows is None else probable_defaults(rows)
    decides = _decisions(rows, best)
    if rows is None or model not in defaults:
        cost = vertex_cost(rows, case, best)
        return Comparison(cost, case, rows, model, decides, defaults, amounts=amounts)
    cost, default, both = vertex_cost_beside(rows, case, best, defaults)
    return Comparison(cost, case, rows, model, decides, defaults, (default, both), amounts=amounts)


def regret_comparison(
    rows: ScoredRows | None,
    corners: Sequence[Case],
    best: OperatingPoint,
    amounts: Amounts | None = None,
) -> Comparison:
    """Return the comparison of the choice with the least worst regret over ranges."""
    model = None if best.is_trivial else best.classifier
    defaults = {} if rows is None else probable_defaults(rows)
    decides = _decisions(rows, best)
    found = tuple(
        Comparison(each.cost, each.case, rows, model, decides, defaults, each.default)
        for each in regret_costs(rows, corners, best, defaults)
    )
    whole = replace(found[0], amounts=amounts)
    if len(found) == 1:
        return whole
    return replace(whole, cost=join_corners([each.cost for each in found]), corners=found)


def _decisions(rows: ScoredRows | None, best: OperatingPoint) -> BoolArray | None:
    """Return which rows a choice predicts positive; None if that is not known."""
    if rows is None:
        return None
    if best.is_trivial:
        return np.full(len(rows), best.tpr > 0)
    scores = rows.scores[best.classifier]
    if scores.dtype == bool:
        return np.asarray(scores)
    threshold = best.threshold
    return np.asarray(scores >= threshold) if isinstance(threshold, float) else None


def probable_defaults(rows: ScoredRows) -> dict[str, float]:
    """Return the threshold 0.5 of each model whose scores can be probabilities on both its sides.

    Markers, and probabilities of rare events, may lie on one side: never or always alarming says
    what that threshold costs.
    """
    return {
        name: HALF
        for name, scores in rows.scores.items()
        if _can_be_probabilities(scores) and scores.min() < HALF <= scores.max()
    }


def _can_be_probabilities(scores: AnyArray) -> bool:
    return bool(scores.dtype != bool and scores.min() >= 0 and scores.max() <= 1)
