"""`rocch auc` and `rocch power`: AUCs with intervals and tests, and the size of a study."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import COLUMN, json_option, output_option, scores_options, share, share_range
from rocch.cli.output import (
    Printed,
    check_files,
    format_amount,
    make_table,
    print_written,
    show,
    working,
    write_csv,
)
from rocch.errors import InputError
from rocch.files import is_standard_output
from rocch.report.parts import Section, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocch.cli.scores import ScoresSource
    from rocch.roc.partial_auc import PartialAuc
    from rocch.rows import ScoredRows
    from rocch.stats.auc import AucEstimate
    from rocch.stats.auc_tests import EqualityTest
    from rocch.stats.pair_tests import CurveTest
    from rocch.stats.partial_auc import PartialAucEstimate
    from rocch.stats.power import PowerAnalysis

METHODS = ("newcombe", "delong", "wilson", "percentile")
ADJUSTMENTS = ("holm", "bonferroni", "benjamini-hochberg", "none")
# The columns of CSV: those of an AUC, then those of a test.
VALUES = ("value", "standard_error", "low", "high")
TESTS = ("z", "degrees", "p_value", "adjusted_p_value")


@dataclass(frozen=True, slots=True)
class AucResult:
    """AUCs with intervals, and the differences of all pairs.

    Attributes
    ----------
    measure
        "AUC", or the part of it.
    overall
        The test that all AUCs are equal; None for one, and for partial AUCs.
    """

    rows: int
    positives: int
    groups: int | None
    weighted: bool
    measure: str
    confidence: float
    method: str
    adjust: str
    aucs: Mapping[str, AucEstimate | PartialAucEstimate]
    differences: Sequence[CurveTest]
    overall: EqualityTest | None

    def parts(self) -> Iterator[Printed]:
        """Return a table of AUCs and one of differences."""
        share = f"{self.positives / self.rows:.2%}"
        of = f" in {self.groups} groups" if self.groups is not None else ""
        weights = ", weighted" if self.weighted else ""
        yield f"{format_amount(self.rows)} rows{of}, {self.positives} positive ({share}){weights}"
        yield Section(f"{self.measure[:1].upper()}{self.measure[1:]}", (self._aucs(),))
        if self.differences:
            yield Section("Differences", (self._differences(),))
        if self.overall is not None and len(self.aucs) > 2:
            yield f"{str(self.overall).capitalize()}."
        yield f"{INTERVALS[self.method]}{self._tests()}."

    @property
    def _level(self) -> tuple[str, str]:
        return f">{100 * self.confidence:g}% from", ">to"

    def _aucs(self) -> Table:
        rows = (
            (name, *(f"{x:.4f}" for x in (found.value, *found.interval, found.standard_error)))
            for name, found in self.aucs.items()
        )
        name = "partial AUC" if "partial" in self.measure else "AUC"
        return make_table("classifier", f">{name}", *self._level, ">standard error", rows=rows)

    def _differences(self) -> Table:
        rows = []
        for test in self.differences:
            low, high = test.interval or (float("nan"), float("nan"))
            rows.append(
                (
                    f"{test.first} - {test.second}",
                    *(f"{x:+.4f}" for x in (test.difference, low, high)),
                    f"{test.z:.3f}",
                    f"{test.p_value:.4g}",
                    f"{test.adjusted_p_value:.4g}",
                )
            )
        statistic = ">z" if self.differences[0].degrees is None else ">t"
        header = ("pair", ">difference", *self._level, statistic, ">p", ">adjusted p")
        return make_table(*header, rows=rows)

    def _tests(self) -> str:
        if not self.differences:
            return ""
        test = "DeLong's test"
        degrees = self.differences[0].degrees
        if degrees is not None:
            test = f"Student's test of the bootstrap difference ({degrees:g} d.f.)"
        if len(self.differences) == 1 or self.adjust == "none":
            return f"; {test}"
        return f"; {test}, p-values adjusted by {NAMES[self.adjust]}"

    def lines(self) -> Iterator[list[Any]]:
        """Return a line for each AUC and each difference, for CSV."""
        for name, found in self.aucs.items():
            line = [name, "", found.value, found.standard_error, *found.interval]
            yield [*line, *[""] * len(TESTS)]
        for test in self.differences:
            line = [test.first, test.second, test.difference, test.standard_error]
            numbers = (*(test.interval or ("", "")), *(getattr(test, name) for name in TESTS))
            yield [*line, *("" if number is None else number for number in numbers)]


INTERVALS = {
    "newcombe": "Newcombe's intervals with DeLong's variance",
    "delong": "DeLong's intervals",
    "wilson": "Wilson's intervals with the variance of 2000 bootstrap samples",
    "percentile": "Percentiles of 2000 bootstrap samples",
}
NAMES = {
    "holm": "Holm's method",
    "bonferroni": "Bonferroni's method",
    "benjamini-hochberg": "Benjamini and Hochberg's method",
}


@click.command("auc")
@scores_options
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help="How to make intervals; DeLong's is the one of pROC and most journals.  [default: "
    "newcombe; wilson for a partial AUC]",
)
@click.option(
    "--confidence", type=share, default="0.95", show_default=True, help="That of the intervals."
)
@click.option(
    "--adjust",
    type=click.Choice(ADJUSTMENTS),
    default="holm",
    show_default=True,
    help="How to adjust p-values for the number of pairs.",
)
@click.option(
    "--groups",
    **COLUMN,
    help="The column of groups (patients, documents) whose rows resemble each other.",
)
@click.option(
    "--fpr", type=share_range, metavar="LOW..HIGH", help="The partial AUC over these FPRs."
)
@click.option(
    "--tpr",
    type=share_range,
    metavar="LOW..HIGH",
    help="The integral of 1 - FPR over these TPRs.",
)
@click.option(
    "--standardized",
    is_flag=True,
    help="Rescale a partial AUC such that guessing has 0.5 and a perfect classifier 1.",
)
@output_option("Also write AUCs and differences as CSV; - for standard output.")
def auc(
    data: ScoresSource,
    as_json: bool,
    method: str | None,
    confidence: float,
    adjust: str,
    groups: str | None,
    fpr: tuple[float, float] | None,
    tpr: tuple[float, float] | None,
    standardized: bool,
    output: Path | None,
) -> None:
    """Show the AUC of each classifier in FILE with its interval, and test the differences.

    All classifiers score the same rows, and differences are tested by DeLong's test. With --groups,
    rows of one group may resemble each other. A partial AUC (--fpr or --tpr) is bootstrapped.

    \b
    Example:
      rocch auc scores.csv --label y
      rocch auc scores.parquet --label outcome --positive Poor --method delong
      rocch auc scores.csv --label y --scores lda --fpr 0..0.1 --standardized
      rocch auc scores --label y --groups country --output aucs.csv
    """
    from rocch.cli.scores import need_rows, read_scored_rows
    from rocch.inputs import as_level

    check_files(output, [data.table.path], as_json=as_json)
    level = as_level(confidence)
    area = _area(fpr, tpr, standardized)
    if area is not None and data.weight is not None:
        raise click.UsageError("--weight goes with the whole AUC; leave out --fpr and --tpr.")
    rows = read_scored_rows(need_rows(data, "rocch auc", weighted=True), groups)
    rows.warn_of_reversed_scores()
    if area is None:
        found = _whole(rows, level, method, adjust)
    else:
        found = _partial(rows, area, level, method, adjust)
    if output is not None:
        write_csv(output, ("first", "second", *VALUES, *TESTS), found.lines())
        if is_standard_output(output):
            return
    show(found, as_json=as_json)
    if not as_json:
        print_written(output)


def _area(fpr: Any, tpr: Any, standardized: bool) -> PartialAuc | None:
    from rocch.roc.partial_auc import PartialAuc

    if fpr is None and tpr is None:
        if standardized:
            raise click.UsageError("--standardized goes with --fpr or --tpr.")
        return None
    return PartialAuc(fpr=fpr, tpr=tpr, standardized=standardized)


def _fields(rows: ScoredRows, level: float, adjust: str) -> dict[str, Any]:
    return {
        "rows": len(rows),
        "positives": int(rows.positive.sum()),
        "groups": None if rows.groups is None else int(rows.groups.max()) + 1,
        "weighted": rows.weights is not None,
        "confidence": level,
        "adjust": adjust,
    }


def _whole(rows: ScoredRows, level: float, method: str | None, adjust: Any) -> AucResult:
    from rocch.stats.auc import as_auc_method
    from rocch.stats.auc_tests import compare_rows

    kind = as_auc_method(method or "newcombe")
    found = compare_rows(rows, confidence=level, method=kind, adjust=adjust)
    return AucResult(
        **_fields(rows, level, adjust),
        measure="AUC",
        method=kind,
        aucs=found.aucs,
        differences=found.differences,
        overall=found.overall if found.differences else None,
    )


def _partial(
    rows: ScoredRows, area: PartialAuc, level: float, method: str | None, adjust: Any
) -> AucResult:
    from rocch.stats.curve_tests import compare_partial_aucs
    from rocch.stats.partial_auc import as_partial_method, estimate_partial_aucs

    kind = as_partial_method(method or "wilson")
    with working("Drawing the rows again") as step:
        found = estimate_partial_aucs(rows, area, confidence=level, method=kind, verbose=step)
        tests = compare_partial_aucs(rows, area, confidence=level, adjust=adjust, verbose=step)
    return AucResult(
        **_fields(rows, level, adjust),
        measure=str(area),
        method=kind,
        aucs=found,
        differences=tests.differences,
        overall=None,
    )


# ---- power --------------------------------------------------------------------------------------


@click.command("power")
@click.option("--auc", type=share, metavar="AUC", help="Test one AUC: the one that you expect.")
@click.option(
    "--aucs", metavar="A,B", help="Test the difference of two AUCs: those that you expect."
)
@click.option(
    "--rate",
    type=share,
    metavar="RATE",
    help="Test a rate, such as a sensitivity: the one that you expect.",
)
@click.option(
    "--null", type=share, metavar="VALUE", help="The AUC or rate to exclude.  [default: AUC 0.5]"
)
@click.option(
    "--correlation",
    metavar="R",
    help="Of the scores of both models within a class, or NEGATIVES,POSITIVES; leave it out if "
    "each model has rows of its own.",
)
@click.option(
    "--power",
    type=share,
    metavar="SHARE",
    help="Find the rows that it takes for this chance to succeed.  [default: 0.8]",
)
@click.option("--positives", type=int, help="Find the power of this many positives ...")
@click.option("--negatives", type=int, help="... and negatives, of each model with its own rows.")
@click.option("--rows", type=int, help="Find the power of this many rows of the rate's class.")
@click.option(
    "--prevalence",
    type=share,
    metavar="SHARE",
    help="The share of positives in the study.  [default: 0.5]",
)
@click.option(
    "--significance", type=share, default="0.05", show_default=True, help="That of the test."
)
@click.option(
    "--sides", type=int, default=2, show_default=True, help="1 or 2, for a one- or two-sided test."
)
@click.option(
    "--formula",
    type=click.Choice(["delong", "obuchowski"]),
    help="The variance of AUCs; obuchowski has the numbers of pROC.  [default: delong]",
)
@json_option
def power(as_json: bool, **given: Any) -> None:
    """Find how many rows a study needs, or the power that it has.

    State what you expect: --auc, --aucs or --rate. With --positives and --negatives (for a rate:
    --rows) the result is the power, otherwise the number of rows for a --power. A pilot study can
    stand for expected AUCs in Python: rocch.stats.auc_difference_sample_size.

    \b
    Example:
      rocch power --auc 0.8 --null 0.7 --prevalence 20%
      rocch power --auc 0.73 --positives 41 --negatives 72
      rocch power --aucs 0.7,0.8 --correlation 0.5 --power 0.9
      rocch power --rate 0.9 --null 0.8
    """
    show(
        _analyze({name: value for name, value in given.items() if value is not None}),
        as_json=as_json,
    )


# The options that go with each of the three tests, besides those of all.
OPTIONS = {
    "auc": ("null", "positives", "negatives", "prevalence", "formula"),
    "aucs": ("correlation", "positives", "negatives", "prevalence", "formula"),
    "rate": ("null", "rows"),
}
COUNTS = ("positives", "negatives", "rows")


def _analyze(given: dict[str, Any]) -> PowerAnalysis:
    """Return the power of what is stated, or the rows that it takes."""
    from rocch import stats

    stated = [name for name in OPTIONS if name in given]
    if len(stated) != 1:
        raise click.UsageError("state one of --auc, --aucs and --rate: what you expect.")
    (kind,) = stated
    others = {name for names in OPTIONS.values() for name in names} - set(OPTIONS[kind])
    for name in sorted(others & set(given)):
        raise click.UsageError(f"--{name} does not go with --{kind}.")
    counts = [name for name in COUNTS if name in given]
    if counts and "power" in given:
        raise click.UsageError(f"--power and --{counts[0]} contradict each other. Leave one out.")
    if counts and "prevalence" in given:
        raise click.UsageError("--prevalence does not go with --positives and --negatives.")
    expected = given.pop(kind)
    if kind == "rate":
        if "null" not in given:
            raise click.UsageError("--null is missing: the rate to exclude.")
        limit = given.pop("null")
        if counts:
            return stats.rate_power(expected, limit, given.pop("rows"), **given)
        return stats.rate_sample_size(expected, limit, **given)
    for name in set(COUNTS[:2]) - set(counts) if counts else ():
        raise click.UsageError(f"--{name} is missing beside --{counts[0]}.")
    if kind == "auc":
        return (stats.auc_power if counts else stats.auc_sample_size)(expected, **given)
    if "correlation" in given:
        numbers = _numbers(given["correlation"], "--correlation", (1, 2))
        given["correlation"] = numbers if len(numbers) == 2 else numbers[0]
    pair: Any = _numbers(expected, "--aucs", (2,))
    find: Any = stats.auc_difference_power if counts else stats.auc_difference_sample_size
    found: PowerAnalysis = find(pair, **given)
    return found


def _numbers(text: str, option: str, sizes: tuple[int, ...]) -> tuple[float, ...]:
    """Read numbers with commas between them."""
    from rocch.numbers import parse_interval

    found = [parse_interval(part, is_share=True) for part in text.split(",")]
    if len(found) not in sizes or not all(isinstance(number, float) for number in found):
        wanted = " or ".join(f"{size} number{'s' if size > 1 else ''}" for size in sizes)
        raise InputError(option, f"be {wanted}", repr(text), "For example: 0.7,0.8.")
    return tuple(number for number in found if isinstance(number, float))
