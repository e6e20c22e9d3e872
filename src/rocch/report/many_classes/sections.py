"""The report for many classes in sections of plain texts and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.numbers import fixed, money, significant
from rocch.report.many_classes.words import relative, rule_of
from rocch.report.multiclass_view import rows_of_1000
from rocch.report.sections import Code, Section, Table
from rocch.report.words import counted, percent

if TYPE_CHECKING:
    from rocch.report.many_classes.summary import Aucs, Estimate, ManyClassesSummary, Model


def sections(summary: ManyClassesSummary) -> tuple[Section, ...]:
    """Return a report on classifiers for many classes in sections; empty ones are left out."""
    told = (*summary.warnings, *summary.remarks)
    found = (
        Section("Warnings and remarks", tuple(f"- {said}" for said in told)),
        _asked(summary),
        _answer(summary),
        _suggestions(summary),
        _classes(summary),
        *(_model(summary, model, model.aucs) for model in summary.models if model.aucs),
        _deploy(summary),
    )
    return tuple(section for section in found if section.parts)


def about_data(summary: ManyClassesSummary) -> str:
    """Say what the classifiers were judged on, and what surface they span."""
    said = (
        f"{counted(summary.rows)} rows of {len(summary.classes)} classes; "
        f"{len(summary.models)} model{'s' if len(summary.models) > 1 else ''}."
    )
    if summary.surface is None:
        return said
    share = summary.surface.dominated
    kind = "every kind of error" if summary.surface.objectives == "rates" else "the miss rates"
    members = "member" if summary.surface.members == 1 else "members"
    g = "" if share is None else f", G {percent(share.value)} ± {percent(share.standard_error)}"
    return f"{said} Their surface: {counted(summary.surface.members)} {members} by {kind}{g}."


def _names(summary: ManyClassesSummary) -> list[str]:
    return [each.name for each in summary.classes]


def _square(summary: ManyClassesSummary, rows: list[list[str]], *more: str) -> Table:
    """Return a table of truths by answers."""
    names = _names(summary)
    header = ("true class", *(f">{name}" for name in names), *more)
    lines = ((name, *row) for name, row in zip(names, rows, strict=True))
    return Table(header, tuple(lines))


def _asked(summary: ManyClassesSummary) -> Section:
    costs = [[significant(cost, 6) for cost in row] for row in summary.question.costs]
    shares = (
        f"{name} {percent(share)}"
        for name, share in zip(_names(summary), summary.question.shares, strict=True)
    )
    return Section(
        "What is known",
        (
            "What each answer costs; answers in columns.",
            _square(summary, costs),
            f"Class shares: {', '.join(shares)}.",
        ),
    )


def _answer(summary: ManyClassesSummary) -> Section:
    told, costs = summary.answer, summary.members.costs[summary.answer.member]
    rows = [
        [*map(rows_of_1000, row), percent(missed)]
        for row, missed in zip(told.per_1000, told.miss_rates, strict=True)
    ]
    parts: list[str | Table] = [
        f"Costs {money(100 * told.cost)} ± {money(100 * told.standard_error)} per 100 rows.",
        "Of 1,000 rows; answers in columns.",
        _square(summary, rows, ">missed"),
    ]
    if costs is not None:
        size = len(summary.classes)
        own = relative(costs)
        parts.append("The costs it answers by; the largest is written 100.")
        parts.append(_square(summary, [list(own[k * size : (k + 1) * size]) for k in range(size)]))
    return Section("The recommendation", tuple(parts))


def _suggestions(summary: ManyClassesSummary) -> Section:
    rows = tuple((each.name, each.sentence) for each in summary.recommended)
    return Section("Choices that suggest themselves", (Table(("choice", "what it does"), rows),))


def _classes(summary: ManyClassesSummary) -> Section:
    rows = tuple((each.name, counted(each.rows), percent(each.share)) for each in summary.classes)
    return Section("Classes", (Table(("class", ">rows", ">share"), rows),))


def _model(summary: ManyClassesSummary, model: Model, aucs: Aucs) -> Section:
    areas = [
        ("all pairs of classes (M)", aucs.hand_till),
        ("macro", aucs.macro),
        ("total", aucs.total),
        *zip((f"{name} against the rest" for name in _names(summary)), aucs.by_class, strict=True),
    ]
    rows = tuple((name, *_area(found)) for name, found in areas)
    plain = [[counted(count) for count in row] for row in model.confusion or ()]
    return Section(
        f"Model {model.name}",
        (
            Table(("AUC of", ">AUC", ">95 % interval"), rows),
            "How well each two classes are told apart.",
            _square(summary, _pairs(aucs.pairs)),
            "Its most likely classes, counted; answers in columns.",
            _square(summary, plain),
        ),
    )


def _area(found: Estimate) -> tuple[str, str]:
    if found.interval is None:
        return fixed(found.value, 4), ""
    return fixed(found.value, 4), " to ".join(fixed(end, 4) for end in found.interval)


def _pairs(pairs: tuple[tuple[float | None, ...], ...]) -> list[list[str]]:
    return [["" if area is None else fixed(area, 4) for area in row] for row in pairs]


def _deploy(summary: ManyClassesSummary) -> Section:
    names = tuple(model.name for model in summary.models)
    member = summary.answer.member
    rule = rule_of(summary.members, member, names, tuple(_names(summary)))
    code = Code("python", rule.to_python()), Code("sql", rule.to_sql())
    return Section("How to deploy", (summary.answer.rule, *code))
