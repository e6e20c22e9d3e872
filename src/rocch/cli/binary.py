"""`rocch hull` and `rocch best`: who wins where, and what to use, for two classes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import (
    COLUMN,
    DECIDING,
    QuestionCommand,
    check_question,
    plot_option,
    question_options,
    scores_options,
)
from rocch.cli.output import (
    Printed,
    check_picture,
    format_amount,
    format_slope,
    format_threshold,
    make_table,
    name_point,
    save_figure,
    show,
    working,
)
from rocch.errors import InputError
from rocch.numbers import money, significant
from rocch.report.parts import RATIOS, SLOPES, Section, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from rocch.cli.scores import ScoresSource
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Bounds, Conditions, Interval
    from rocch.roc.hull import RocHull
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.operating_point import OperatingPoint, RocPoint
    from rocch.roc.question import Question
    from rocch.roc.savings import Baseline, Savings
    from rocch.roc.sensitivity import Sensitivity, Shortfall, WinningRange
    from rocch.stats.decisions import DecisionAnalysis
    from rocch.stats.guarantees import OutOfSampleChoice

# Of choices with a smaller chance only the number is printed.
WORTH_A_ROW = 0.005
# The usual number of resamples, the least, and the most rows times classifiers times resamples.
USUAL, LEAST, WORK = 500, 100, 10**8

COSTS = (">expected cost", ">regret", ">at worst")

# The first row of savings, and who saves.
CHOSEN = "the recommended rule"


@dataclass(frozen=True, slots=True)
class HullRows:
    """The rows and classifiers of a hull.

    Attributes
    ----------
    positives, negatives
        How many rows of each class there are, or their weight.
    different_rows
        Whether the classifiers were evaluated on different rows.
    auc
        The area under the hull; None where it was restricted to bounds on slopes.
    """

    positives: float
    negatives: float
    weighted: bool
    different_rows: bool
    classifiers: tuple[str, ...]
    auc: float | None
    slope_bounds: Interval | None

    @property
    def prevalence(self) -> float | None:
        """The observed share of positives."""
        if self.different_rows:
            return None
        return self.positives / (self.positives + self.negatives)

    def headline(self, balance: Bounds | None) -> str:
        """Describe rows, classifiers and area; the class balance goes with slopes."""
        from rocch.roc.conditions import as_prevalence

        rows = "different rows, compared by their rates"
        if self.prevalence is not None:
            unit = "units of weight" if self.weighted else "rows"
            total = format_amount(self.positives + self.negatives)
            share = f"{format_amount(self.positives)} positive ({self.prevalence:.2%})"
            rows = f"{total} {unit}, {share}"
        names = ", ".join(self.classifiers)
        if self.slope_bounds is None:
            return f"{rows}; classifiers: {names}; hull AUC {self.auc:.4f}"
        low, high = map(format_slope, self.slope_bounds)
        known = f"{rows}; classifiers: {names}; known only for slopes from {low} to {high}"
        if balance is None:
            return known
        times = f"a miss is {_ratios(self.slope_bounds, balance)} times as bad"
        return f"{known} ({times} at prevalence {as_prevalence(balance)})"


def _ratios(slopes: tuple[float, float], balance: Bounds) -> str:
    """Write how many times as bad as a false alarm a miss is, for slopes within a range."""
    from rocch.roc.conditions import cost_ratios, format_ratios

    return format_ratios(cost_ratios(slopes, balance))


def hull_fields(hull: RocHull) -> dict[str, Any]:
    """Return the fields of `HullRows`."""
    totals = hull.totals
    return {
        "positives": totals.amount(totals.positives),
        "negatives": totals.amount(totals.negatives),
        "weighted": totals.weighted,
        "different_rows": totals.pooled,
        "classifiers": tuple(member.name for member in hull.members),
        "auc": hull.auc if hull.slope_bounds is None else None,
        "slope_bounds": hull.slope_bounds,
    }


def find_aucs(hull: RocHull) -> dict[str, float]:
    """Return the areas under the curves of a hull's classifiers, where they are known."""
    from rocch.errors import UndefinedError

    found = {}
    for member in hull.members:
        with suppress(UndefinedError):  # settings of labels that no curve runs through
            curve = member.curve(keep=False)
            if curve is not None:
                found[member.name] = curve.auc
    return found


# ---- hull ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HullResult(HullRows):
    """A hull: its vertices, and who wins where.

    Attributes
    ----------
    aucs
        The areas under the classifiers' curves, where they are known.
    """

    aucs: dict[str, float]
    dominator: str | None
    vertices: tuple[RocPoint, ...]
    slope_ranges: tuple[WinningRange, ...]

    @classmethod
    def of(cls, hull: RocHull) -> HullResult:
        """Describe a hull."""
        return cls(
            **hull_fields(hull),
            aucs=find_aucs(hull),
            dominator=hull.dominator(),
            vertices=hull.vertices,
            slope_ranges=tuple(hull.slope_ranges()),
        )

    def parts(self) -> Iterator[Printed]:
        """Return the vertices and who wins where as tables."""
        yield self.headline(self.prevalence)
        rows = (
            (
                *_point_cells(vertex),
                format_amount(vertex.false_positives + vertex.true_positives),
                format_amount(vertex.true_positives),
            )
            for vertex in self.vertices
        )
        if self.aucs:
            aucs = ((name, f"{auc:.4f}") for name, auc in self.aucs.items())
            yield Section("AUC of each classifier", (make_table("classifier", ">AUC", rows=aucs),))
        yield Section("Vertices", (make_table(*POINT, ">alarms", ">hits", rows=rows),))
        yield Section("Who wins where", (self._winners(),))
        if self.dominator is not None:
            yield f"{self.dominator} dominates: its curve alone is the hull."
        yield "Slope = (cost of a false alarm x negatives) / (cost of a miss x positives)."
        if self.prevalence is not None:
            yield (
                "How many times as bad as a false alarm a miss is goes with the class balance of "
                f"these rows, {self.prevalence:.2%} positive."
            )

    def _winners(self) -> Table:
        known, rows = self.prevalence, []
        for row in self.slope_ranges:
            ratios = [] if known is None else [_ratios((row.low, row.high), known)]
            rows.append((*_slopes(row.low, row.high), *ratios, row.classifier))
        header = SLOPES if known is None else (*SLOPES, RATIOS)
        return make_table(*header, "classifier", rows=rows)


@dataclass(frozen=True, slots=True)
class HullGroups:
    """A hull for each value of a column."""

    by: str
    groups: dict[str, HullResult]

    def parts(self) -> Iterator[Printed]:
        """Return one hull after the other."""
        for name, hull in self.groups.items():
            yield Section(f"{self.by}: {name}", ())
            yield from hull.parts()


POINT = ("classifier", ">threshold", ">FPR", ">TPR")


def _point_cells(point: RocPoint) -> tuple[str, ...]:
    rates = f"{point.fpr:.4f}", f"{point.tpr:.4f}"
    return name_point(point), format_threshold(point), *rates


def _slopes(low: float, high: float) -> tuple[str, str]:
    return format_slope(low), format_slope(high)


@click.command("hull")
@scores_options
@click.option("--by", **COLUMN, help="One hull for each value of this column.")
@plot_option
def hull(data: ScoresSource, as_json: bool, by: str | None, plot: Path | None) -> None:
    """Show the ROC convex hull of the classifiers in FILE: who wins where.

    FILE (or - for standard input) is CSV, JSON lines, Parquet or Arrow, perhaps compressed; a
    folder or a quoted pattern stands for several files, which are one table. A wide file has one
    column for the label and one for each classifier's scores (higher for the positive class); a
    long file one line for each score (--classifier, --row, --score). Large files need not fit into
    memory.

    \b
    Example:
      rocch hull scores.csv --label y
      rocch hull scores.parquet --label outcome --positive Poor --scores wfns,s100b --json
      rocch hull long.csv --label y --classifier model --row id --score score
      rocch hull scores --label y --memory-limit 500MB
      rocch hull 'scores/*.parquet' --label y --by country --drop-nulls
      gunzip --stdout scores.csv.gz | rocch hull - --label y
    """
    from rocch.cli.scores import hull_from_file, hulls_from_file

    if by is None:
        check_picture(plot)
        show_hull(hull_from_file(data), plot=plot, as_json=as_json)
        return
    if plot:
        raise click.UsageError("--plot draws one hull; leave out --by, or --plot.")
    if data.is_long:
        raise click.UsageError("--by goes with a wide file.")
    groups = {name: HullResult.of(each) for name, each in hulls_from_file(data, by).items()}
    show(HullGroups(by, groups), as_json=as_json)


def show_hull(hull: RocHull, *, plot: Path | None, as_json: bool) -> None:
    """Show a hull, and draw it if a file is named."""
    if plot:
        save_plot(hull, plot)
    show(HullResult.of(hull), as_json=as_json, written=[plot])


def save_plot(hull: RocHull, path: Path, *, title: str = "", **drawn: Any) -> None:
    """Draw the ROC graph to a file."""

    def draw() -> Figure:
        from rocch.plots.binary import RocHullDisplay

        display = RocHullDisplay.from_hull(hull, **drawn)
        display.ax_.set_title(title, loc="left", fontsize=11)
        return display.figure_

    save_figure(path, draw)


# ---- best ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BestResult(HullRows):
    """The best choice for a question, and how far it depends on what is unknown.

    Attributes
    ----------
    question
        The question, with the observed class balance as a number.
    new_rows
        What to expect of the choice on new rows, its cost and its rates, or why that is not known.
    savings
        What it saves there against today's practice.
    sensitivity
        With intervals: what can be best.
    analysis
        With a belief: how likely each choice is to be best, and what knowing is worth.
    out_of_sample
        If requested: the choice against its rivals on rows that did not make it.
    """

    question: Question
    choice: OperatingPoint
    new_rows: NewRowsCost
    savings: Savings
    sensitivity: Sensitivity | None = None
    analysis: DecisionAnalysis | None = None
    out_of_sample: OutOfSampleChoice | None = None

    def parts(self) -> Iterator[Printed]:
        """Return the rule, what it achieves, and what could be best instead."""
        from rocch.roc.conditions import OBSERVED

        choice = self.choice
        yield f"Question: {self.question.describe()}."
        stated = self.question.balance
        yield self.headline(self.prevalence if stated == OBSERVED else stated)
        if self.sensitivity is not None:
            yield from _sensitivity_parts(self.sensitivity)
        rule = choice.rule()
        yield Section(f"{rule[0].upper()}{rule[1:]}.", (_facts(choice),))
        yield from (f"Exactly as good: {point.rule()}." for point in choice.also_best)
        if choice.guarantee is not None:
            yield str(choice.guarantee)
        yield new_rows_sentence(self.new_rows, self._about)
        if choice.note and not self._is_for_new_rows:
            yield choice.note
        rates = self.new_rows.rates
        if rates is not None and (self.new_rows.expected is None or self.question.limited):
            text = str(rates)
            yield f"{text[0].upper()}{text[1:]}."
        yield from savings_parts(self.savings)
        if not self.savings.rows:
            yield from self._amount_parts()
        if self.analysis is not None:
            yield from _analysis_parts(self.analysis)
        if self.out_of_sample is not None:  # the recommendation itself stands above
            yield "\n".join(["On other rows:", *str(self.out_of_sample).splitlines()[1:]])

    def _amount_parts(self) -> Iterator[Printed]:
        """Return the cost in the units that were stated, where no saving says it."""
        amounts, choice = self.question.amounts, self.choice
        costs = choice.cost_range if choice.expected_cost is None else (choice.expected_cost,) * 2
        if amounts is None or costs is None:
            return
        cost = " to ".join(dict.fromkeys(money(amounts.cases * each) for each in costs))
        unit = f"{f' {amounts.currency}' if amounts.currency else ''} per {amounts.unit or 'case'}"
        yield f"On the evaluation rows it costs {cost}{unit}."

    @property
    def _is_for_new_rows(self) -> bool:
        """Whether a stack decides, which is aimed for new rows."""
        from rocch.hybrid.hybrid import FOR_NEW_ROWS

        return self.choice.note == FOR_NEW_ROWS

    @property
    def _about(self) -> str:
        """What makes it the choice."""
        if self._is_for_new_rows:
            return "This is the choice for new rows, as rocch serve makes it"
        if self.choice.guarantee is not None:
            return (
                "Of the settings that keep the limits on new rows, it has the "
                f"{self.choice.objective} on the evaluation rows"
            )
        what = "best choice" if self.question.knob is None else "position"
        return f"This is the {what} on the evaluation rows"


def _facts(choice: OperatingPoint) -> Table:
    facts = {
        "true positive rate": f"{choice.tpr:.4f}",
        "false positive rate": f"{choice.fpr:.4f}",
    }
    if choice.objective not in ("highest TPR", "lowest FPR"):  # which stand above
        facts[choice.objective] = f"{choice.value:.6g}"
    if choice.expected_cost is not None and choice.expected_cost != choice.value:
        facts["expected cost per case"] = f"{choice.expected_cost:.6g}"
    elif choice.expected_cost is None and choice.cost_range is not None:
        facts["expected cost per case"] = "{:.6g} to {:.6g}".format(*choice.cost_range)
    if choice.predicted_positive_rate is not None:
        facts["alarms, share of all cases"] = f"{choice.predicted_positive_rate:.4f}"
    elif choice.predicted_positive_range is not None:
        facts["alarms, share of all cases"] = "{:.4f} to {:.4f}".format(
            *choice.predicted_positive_range
        )
    if choice.expected_cases is not None:
        cases = choice.population or 0.0
        expected = choice.counts(cases=cases, prevalence=choice.prevalence or 0.0)
        found, missed = expected["true_positives"], expected["false_negatives"]
        facts[f"alarms among {significant(cases, 3)} cases"] = f"{choice.expected_cases:.1f}"
        facts[f"found of {significant(found + missed, 3)} positives"] = f"{found:.1f}"
        facts["missed"] = f"{missed:.1f}"
    gains = "randomizing gains" if choice.randomized else "randomizing would gain"
    if choice.guarantee is None:  # what is guaranteed is one setting
        facts[gains] = f"{choice.randomizing_gains:.4g}"
    return make_table("", ">", rows=facts.items())


def new_rows_sentence(found: NewRowsCost, best: str, unit: str = "per case") -> str:
    """Say what a choice is expected to cost on new rows, or why that is not known."""
    if found.rates is not None and found.expected is None:  # these say what to expect
        return f"{best}."
    if found.expected is None or found.interval is None:
        return f"{best}. What to expect on new rows is not estimated: {found.note}."
    low, high = (significant(cost, 3) for cost in found.interval)
    spanned = found.expected_range or (found.expected,)
    expected = " to ".join(dict.fromkeys(significant(cost, 3) for cost in spanned))
    if found.interval in (found.expected_range, (found.expected,) * 2):
        return f"{best}. On new rows it costs the same, {expected} {unit}."
    level = f"{100 * found.confidence:.3g}%"
    return f"{best}; on new rows expect {expected} {unit} ({level}: {low} to {high})."


def savings_parts(found: Savings) -> Iterator[Printed]:
    """Return what a choice saves per case, and per 1,000 cases or month."""
    if not found.rows:
        return
    yield f"It {found}."
    many = found.per(1000) if found.cases == 1 else found

    def amount(value: float, span: Interval | None) -> str:
        return " to ".join(dict.fromkeys(map(money, span or (value,))))

    rows = (
        (
            row.baseline,
            amount(row.cost, row.cost_range),
            amount(row.saves, row.saves_range),
            *map(money, row.saves_interval),
        )
        for row in many.rows
    )
    own = []
    if many.expected is not None:
        own.append((CHOSEN, amount(many.expected, many.expected_range), "", "", ""))
    unit = f" in {found.currency}" if found.currency else ""
    header = ("rule", ">costs", f">{CHOSEN} saves", ">at least", ">at most")
    table = make_table(*header, rows=[*own, *rows])
    yield Section(f"What it saves per {many.unit}{unit} on new rows", (table,))
    if found.note:
        yield f"Left out: {found.note}."


def _sensitivity_parts(found: Sensitivity) -> Iterator[Printed]:
    """Return what can be best, where it switches, and what that takes."""
    from rocch.roc.conditions import format_ratios

    def ratios(low: float, high: float) -> str:
        return format_ratios(found.conditions.cost_ratios_at((low, high)))

    def range_of(low: float, high: float) -> str:
        least, most = _slopes(low, high)
        return f"slopes from {least} to {most} (a miss is {ratios(low, high)} times as bad)"

    yield f"What you know allows {range_of(*found.slope_range)}."
    rows = (
        (
            *_slopes(choice.low, choice.high),
            ratios(choice.low, choice.high),
            *_point_cells(choice.point),
            f"{choice.worst_regret:.4g}",
        )
        for choice in found.choices
    )
    yield Section(
        "What can be best", (make_table(*SLOPES, RATIOS, *POINT, ">worst regret", rows=rows),)
    )
    yield str(found)
    for name, span in (("never", found.never_range), ("always", found.always_range)):
        if span is not None:
            yield f"To {name} alarm is best for {range_of(*span)}."
    for row in found.shortfalls:
        times = f"a miss is {ratios(row.slope, row.slope)} times as bad"
        yield f"At slope {format_slope(row.slope)} ({times}), {_shortfall(row)}."


def _shortfall(row: Shortfall) -> str:
    from rocch.roc.operating_point import NEVER

    rival = "doing nothing" if row.rival == NEVER else "always alarming"
    ways = []
    if row.tpr_gain is not None:
        ways.append(f"its TPR of {row.tpr:.3f} rises by more than {row.tpr_gain:.3f}")
    if row.fpr_cut is not None:
        ways.append(f"its FPR of {row.fpr:.3f} falls by more than {row.fpr_cut:.3f}")
    how = "if " + " or ".join(ways) if ways else "at no TPR and no FPR alone"
    return f"{row.classifier} beats {rival} {how}"


def _analysis_parts(found: DecisionAnalysis) -> Iterator[Printed]:
    """Return what can be best and how likely, each classifier alone, and what knowing is worth."""
    shown = [row for row in found.choices if row.probability >= WORTH_A_ROW]
    choices = (
        (f"{row.probability:.1%}", *_point_cells(row.point)[:2], *_cost_cells(row)) for row in shown
    )
    table = make_table(">chance", *POINT[:2], *COSTS, rows=choices)
    yield Section("What can be best", (table,))
    if len(shown) < len(found.choices):
        yield f"{len(found.choices) - len(shown)} more with a chance below 0.5% each."
    alone = (
        (f"{row.probability:.1%}", row.classifier, *_cost_cells(row)) for row in found.classifiers
    )
    table = make_table(">chance", "classifier", *COSTS, rows=alone)
    yield Section("Each classifier alone, re-aimed", (table,))
    yield str(found)
    yield (
        f"Knowing the costs alone is worth at most {found.value_of_knowing_costs:.4g} per case, "
        f"the prevalence alone {found.value_of_knowing_prevalence:.4g}."
    )


def _cost_cells(row: Any) -> list[str]:
    numbers = (row.expected_cost, row.expected_regret, row.worst_regret)
    return ["" if number is None else f"{number:.4g}" for number in numbers]


@click.command("best", cls=QuestionCommand)
@scores_options
@question_options(DECIDING)
@click.option(
    "--baseline",
    metavar="RULE",
    help="Today's rule, for what the choice saves: a threshold, a model, 'MODEL >= THRESHOLD' (or "
    "MODEL:THRESHOLD), or a column of predicted labels.",
)
@click.option(
    "--out-of-sample",
    is_flag=True,
    help="Compare the choice with its rivals on rows that did not make it (costs only).",
)
@plot_option
def best(
    data: ScoresSource,
    as_json: bool,
    baseline: str | None,
    out_of_sample: bool,
    plot: Path | None,
    question: Question,
) -> None:
    """Say which classifier and threshold of FILE to use, given what you know.

    State costs and class balance as numbers or intervals (10..40, 5..10%), a belief about the
    ratio of costs, limits, or another aim. The class balance is that of FILE unless you state it.
    The result is the best choice on the rows of FILE. It says what to expect on new rows: the cost,
    and what it saves there against today's practice, or under limits the rates, and the cases that
    are found and missed. Limits are counted on the rows of FILE, or hold on new rows with a
    --confidence. With intervals it says which choices can be best, where
    they switch, and which choice is the safest. With a belief (--cost-ratio) it is the choice with
    the least expected regret, and says how likely each is to be best and what knowing the
    conditions is worth.

    \b
    Example:
      rocch best scores.csv --label y --negatives-per-positive 5 \\
          --false-positive 10..20 --false-negative 200..250
      rocch best scores.csv --label y --cost-ratio 5..10
      rocch best scores.csv --label y --prevalence 5% \\
          --cost-ratio 5..10 --likely 9 --false-positive 20
      rocch best scores.csv --label y --prevalence 0.1 --out-of-sample \\
          --false-positive 1 --false-negative 9
      rocch best scores.csv --label y --false-positive 5 --false-negative 200 \\
          --baseline 0.5 --currency EUR --cases-per-month 20000
      rocch best scores.csv --label y --max-fpr 0.05
      rocch best scores.csv --label y --max-fpr 0.2 --confidence 0.95
      rocch best 'scores/*.parquet' --label y --prevalence 0.1 --false-positive 1 --false-negative 9
      rocch best scores.csv --label y --capacity 100 --population 1000
    """
    from rocch.cli.scores import need_rows, read_hull
    from rocch.roc.savings import parse_baseline

    check_question(question)
    check_picture(plot)
    if out_of_sample:
        data = need_rows(data, "--out-of-sample")
    rule = None if baseline is None else parse_baseline(baseline)
    column = rule if isinstance(rule, str) else None
    read = read_hull(data, column)
    show_best(
        read.hull,
        question,
        baseline=rule if read.decisions is None else read.decisions,
        out_of_sample=out_of_sample,
        plot=plot,
        as_json=as_json,
    )


def show_best(
    hull: RocHull,
    question: Question,
    *,
    baseline: Baseline | None = None,
    out_of_sample: bool = False,
    choice: OperatingPoint | None = None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Show the best choice of a hull for a question."""
    result = find_best(hull, question, choice, baseline=baseline, out_of_sample=out_of_sample)
    if plot:
        given = [each for each in (question.conditions, question.belief) if each is not None]
        save_plot(hull, plot, conditions=given, points=[result.choice])
    show(result, as_json=as_json, written=[plot])


def find_best(
    hull: RocHull,
    question: Question,
    choice: OperatingPoint | None = None,
    *,
    baseline: Baseline | None = None,
    out_of_sample: bool = False,
) -> BestResult:
    """Return the best choice of a hull for a question, or a given one, and what it depends on."""
    from rocch.roc.knob import Knob
    from rocch.stats.decisions import decision_analysis

    resolved = question.resolve(hull.totals)
    conditions, belief = question.conditions, question.belief
    criterion = resolved.criterion
    limits = () if isinstance(criterion, Knob) else criterion.resolved(hull.totals).limits
    choice = choice or hull.best(question)
    sensitivity = analysis = checked = None
    if not limits:
        if conditions is not None and not conditions.exact:
            sensitivity = hull.sensitivity(conditions)
        if belief is not None and hull.slope_bounds is None:  # it looks beyond bounds
            analysis = decision_analysis(hull, belief)
    if out_of_sample:
        checked = _choose_out_of_sample(hull, question, has_limits=bool(limits))
    with working("Estimating the cost on new rows"):
        new_rows = choice.on_new_rows
        savings = choice.savings(baseline)
    if baseline is not None and not savings.rows:
        requirement = "be given where the choice has an expected cost on new rows"
        raise InputError("baseline", requirement, f"one without it: {savings.note}")
    return BestResult(
        **hull_fields(hull),
        question=resolved,
        choice=choice,
        new_rows=new_rows,
        savings=savings,
        sensitivity=sensitivity,
        analysis=analysis,
        out_of_sample=checked,
    )


def _choose_out_of_sample(
    hull: RocHull, question: Question, *, has_limits: bool
) -> OutOfSampleChoice:
    """Return how the choice compares with its rivals on rows that did not make it."""
    from rocch.stats.guarantees import out_of_sample_choice

    stated: Conditions | Belief | None = question.belief or question.conditions
    if stated is None or has_limits or (question.belief is None and not question.is_exact):
        raise click.UsageError(
            "--out-of-sample compares costs: give exact ones (--false-positive, --false-negative) "
            "or a belief (--cost-ratio), and no limits."
        )
    with working("Comparing the choice on other rows") as step:
        resamples = resamples_for(hull, None)
        return out_of_sample_choice(*rows_of(hull), stated, replicates=resamples, verbose=step)


def resamples_for(hull: RocHull, number: int | None) -> int:
    """Return how many resamples to draw: the given number, or what does not take too long."""
    if number is not None:
        if number and number < LEAST:
            raise click.UsageError(f"--resamples must be 0 (for none) or at least {LEAST}.")
        return number
    rows = hull.totals.positives + hull.totals.negatives
    return max(LEAST, min(USUAL, WORK // (rows * len(hull.members))))


def has_rows(hull: RocHull) -> bool:
    """Whether the rows that a hull was read from are available, and have no weights."""
    from rocch.roc.member import DeferredCurve

    return all(isinstance(member.source, DeferredCurve) for member in hull.members)


def rows_of(hull: RocHull) -> tuple[Any, dict[str, Any]]:
    """Return the labels and scores that a hull was read from."""
    sources: list[Any] = [member.source for member in hull.members]
    return sources[0].rows.positive, {s.name: s.rows.scores[s.name] for s in sources}
