"""A report in sections of plain texts and tables, which Markdown and the terminal set alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocch.numbers import chance, fixed, money, significant
from rocch.report.words import counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.report.question import Range
    from rocch.report.summary import Data, Number, Summary

MOST_ROWS = 40
"""So many rows of a table are listed; the JSON summary has all."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts; a column whose name starts with > is set flush right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code, and its language."""

    language: str
    content: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and what stands under it."""

    title: str
    parts: tuple[str | Table | Code, ...]


def sections(summary: Summary) -> tuple[Section, ...]:
    """Return a report on classifiers for two classes in sections; empty ones are left out."""
    found = (
        Section("Warnings", tuple(f"- {said}" for said in summary.warnings)),
        _winners(summary),
        _classifiers(summary),
        _choices(summary),
        _losses(summary),
        _certainty(summary),
        _deploy(summary),
        _vertices(summary),
    )
    return tuple(section for section in found if section.parts)


def about_data(summary: Summary) -> str:
    """Say what the classifiers were judged on."""
    dominator = summary.dominator
    count = len(summary.classifiers)
    said = (
        f"{_rows(summary.data)}; {count} classifier{'s' if count > 1 else ''}; "
        f"AUC of the hull {fixed(summary.hull_auc, 4)}."
    )
    return said + (f" {dominator} dominates: its curve alone is the hull." if dominator else "")


def _rows(data: Data) -> str:
    if data.prevalence is None:  # the totals are common multiples then, and count no rows
        return "Judged on different rows"
    return (
        f"{counted(data.rows)} {'units of weight' if data.weighted else 'rows'}, "
        f"{counted(data.positives)} positive ({percent(data.prevalence)})"
    )


def _winners(summary: Summary) -> Section:
    rows = tuple((slope(row.low), slope(row.high), row.classifier) for row in summary.winners)
    return Section(
        "Who wins where",
        (
            Table((">slope from", ">to", "classifier"), rows),
            "Slope = (cost of a false alarm x negatives) / (cost of a miss x positives).",
        ),
    )


def _classifiers(summary: Summary) -> Section:
    rows = tuple(
        (
            each.name,
            "" if each.auc is None else fixed(each.auc, 4),
            "" if each.auc_interval is None else between(each.auc_interval, 4),
            "yes" if each.on_hull else "no",
        )
        for each in summary.classifiers
    )
    header = ("classifier", ">AUC", ">95 % interval", "can be best")
    return Section("Classifiers", (Table(header, rows),))


def _choices(summary: Summary) -> Section:
    answer = summary.answer
    title = "What can be best"
    if answer.holds == "exact" or not answer.choices:
        return Section(title, ())
    believed = answer.choices[0].chance is not None
    header = (">slope from", ">to", "classifier", ">threshold", ">FPR", ">TPR")
    rows = []
    for choice in answer.choices[:MOST_ROWS]:
        regret = "" if choice.worst_regret is None else money(100 * choice.worst_regret)
        likely = () if choice.chance is None else (percent(choice.chance),)
        where = slope(choice.low), slope(choice.high)
        rows.append((*where, *vertex(summary, choice.vertex), regret, *likely))
    more = (">worst regret", *([">chance"] if believed else []))
    table = Table((*header, *more), tuple(rows))
    note = "Worst regret: what it can cost more than the best choice, per 100 rows."
    return Section(title, (table, *_rest(answer.choices), note))


def _losses(summary: Summary) -> Section:
    title, found = "Who loses less", summary.losses
    if found is None or not found.pairs:
        return Section(title, ())
    rows = tuple(
        (
            pair.first,
            pair.second,
            signed(pair.lc_index),
            "" if pair.interval is None else between(pair.interval, 3),
            "" if pair.favored is None else percent(pair.favored),
        )
        for pair in found.pairs
    )
    header = ("first", "second", ">LC index", ">95 % interval", ">first favored")
    said = f"Belief: {found.belief}, at a prevalence of {percent(found.prevalence)}."
    return Section(title, (said, Table(header, rows)))


def _certainty(summary: Summary) -> Section:
    title, found = "How sure we are", summary.certainty
    if found is None:
        return Section(title, ())
    parts: list[str | Table | Code] = [] if found.honest is None else [found.honest.sentence]
    parts += [found.remark] if found.remark else []
    rows = tuple(
        (
            pair.first,
            pair.second,
            signed(pair.difference),
            between(pair.interval, 4),
            chance(pair.adjusted),
        )
        for pair in found.differences
    )
    header = ("first", "second", ">AUC difference", ">95 % interval", ">p, adjusted")
    return Section(title, (*parts, *([Table(header, rows)] if rows else [])))


def _deploy(summary: Summary) -> Section:
    rule = summary.deployment
    return Section(
        "How to deploy", (rule.words, Code("python", rule.python), Code("sql", rule.sql))
    )


def _vertices(summary: Summary) -> Section:
    places = range(min(len(summary.hull.threshold), MOST_ROWS))
    rows = tuple(vertex(summary, place) for place in places)
    header = ("classifier", ">threshold", ">FPR", ">TPR")
    rest = _rest(summary.hull.threshold)
    return Section("All vertices of the hull", (Table(header, rows), *rest))


def vertex(summary: Summary, place: int) -> tuple[str, str, str, str]:
    """Return classifier, threshold, FPR and TPR of a vertex, as texts."""
    hull = summary.hull
    counts = hull.false_positives[place], hull.true_positives[place]
    first = hull.classifier[place]
    end = "never alarm" if counts == (0, 0) else "always alarm"
    name = f"({end})" if first < 0 else summary.classifiers[first].name
    fpr, tpr = counts[0] / summary.data.negatives, counts[1] / summary.data.positives
    return name, hull.threshold[place], fixed(fpr, 4), fixed(tpr, 4)


def slope(value: Number) -> str:
    """Write a slope."""
    return "inf" if isinstance(value, str) else significant(value, 4)


def signed(value: float, decimals: int = 3) -> str:
    """Write a difference with its sign."""
    return f"{'-' if value < 0 else '+'}{fixed(abs(value), decimals)}"


def between(bounds: Range, decimals: int) -> str:
    """Write a range."""
    low, high = (("-" if bound < 0 else "") + fixed(abs(bound), decimals) for bound in bounds)
    return f"{low} to {high}"


def _rest(rows: Sequence[object]) -> tuple[str, ...]:
    return (f"... and {len(rows) - MOST_ROWS} more.",) if len(rows) > MOST_ROWS else ()
