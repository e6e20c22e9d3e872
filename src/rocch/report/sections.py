"""Reports in sections of texts, tables and code, from which Markdown and terminals are rendered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from rocch.numbers import chance, fixed, per_100, significant
from rocch.report.class_aim import your_costs
from rocch.report.parts import RATIOS, SLOPES, Code, Part, Section, Table
from rocch.report.summary import (
    Aucs,
    BinaryData,
    Certainty,
    Data,
    Deployment,
    Model,
    MulticlassData,
    Number,
    ReferralTable,
    Referred,
    Summary,
)
from rocch.report.words import (
    PAGE_TEXTS,
    PER_1000,
    amount,
    amounts_of,
    class_on_rows,
    counted,
    on_rows,
    own_costs_note,
    percent,
    relative,
)
from rocch.roc.conditions import (
    OBSERVED,
    Interval,
    cost_ratios,
    format_ratios,
)
from rocch.roc.question import Question
from rocch.roc.savings import Amounts

# The most rows of a table that are listed; the JSON summary has all.
MOST_ROWS = 40

VERTEX = ("classifier", ">threshold", ">FPR", ">TPR")

Parts: TypeAlias = tuple[Part, ...]


def headline(data: BinaryData) -> str:
    """Return the recommendation: the rule that refers cases, where the question states one."""
    referring = "" if data.referral is None else data.referral.sentence
    return referring or data.answer.sentence


def binary_sections(summary: Summary, data: BinaryData) -> tuple[Section, ...]:
    """Return a report on two classes in sections; empty ones are left out."""
    question = Question.from_dict(summary.question)
    referral = {"Referring cases to a person": _referral(data.referral, question)}
    is_stated = data.referral is not None and bool(data.referral.sentence)
    plain = {"If every case is decided": (data.answer.sentence,)}
    return _sections(
        {
            "Warnings and remarks": _notes(summary),
            **(referral | plain if is_stated else {}),
            "What it saves": _savings(data, question),
            "Limits on new rows": (data.guaranteed,) if data.guaranteed else (),
            "New rows": _new_rows(data.answer.new_rows_note or on_rows(data.answer, question)),
            **referral,  # which stays above where it stands already
            "Which classifier, for any costs": _winners(data, question),
            "Classifiers": _classifiers(data),
            "If the costs change": _choices(data, question),
            "Which costs less": _losses(data),
            "Uncertainty": _certainty(data.certainty),
            "How to use it": _deploy(data.deployment),
            "All vertices of the hull": _vertices(data),
        }
    )


def multiclass_sections(summary: Summary, data: MulticlassData) -> tuple[Section, ...]:
    """Return a report on more than two classes in sections; empty ones are left out."""
    return _sections(
        {
            "Warnings and remarks": _notes(summary),
            "What is known": _known(data),
            "The recommendation": _recommendation(data),
            "New rows": _new_rows(data.answer.new_rows_note),
            "On the evaluation rows": _new_rows(_on_rows(data)),
            "Other choices": _suggestions(data),
            "Classes": _classes(data),
            **{f"Model {each.name}": _model(data, each, each.aucs) for each in data.models},
            "How to use it": _deploy(data.deployment),
        }
    )


def _sections(parts: dict[str, Parts]) -> tuple[Section, ...]:
    return tuple(Section(title, content) for title, content in parts.items() if content)


def _savings(data: BinaryData, question: Question) -> Parts:
    savings, scale = data.answer.savings, amounts_of(question)
    if not savings:
        return ()
    rows = tuple(
        (
            each.baseline,
            amount(each.cost, scale),
            amount(each.saves, scale),
            "" if each.interval is None else amount(each.interval, scale),
        )
        for each in savings
    )
    known = "savings_counted" if data.answer.new_rows is None else "savings_new"
    header = ("instead of", ">which costs", ">it saves", ">95% interval")
    note = f"{data.savings_note[:1].upper()}{data.savings_note[1:]}."
    more = f" {note}" if data.savings_note else ""
    return Table(header, rows), f"Per {scale.unit}. {PAGE_TEXTS[known]}{more}"


def _notes(summary: Summary) -> Parts:
    return tuple(f"- {note}" for note in (*summary.warnings, *summary.remarks))


def _new_rows(note: str) -> Parts:
    """Say why there is no expected cost; where there is one, the sentence has it."""
    return (f"{note[0].upper()}{note[1:]}.",) if note else ()


def _deploy(rule: Deployment) -> Parts:
    return rule.words, Code("python", rule.python), Code("sql", rule.sql)


# ---- two classes --------------------------------------------------------------------------------


def about_binary(data: BinaryData) -> str:
    """Say what the classifiers were evaluated on."""
    count = len(data.classifiers)
    rows = _rows(data.data, data.texts["positives"])
    about = (
        f"{rows}; {count} classifier{'s' if count > 1 else ''}; "
        f"AUC of the hull {fixed(data.hull_auc, 3)}."
    )
    name = data.dominator
    return about + (f" {name} is the best classifier for all costs." if name else "")


def _rows(data: Data, positives: str) -> str:
    if data.prevalence is None:  # the totals are common multiples then, and count no rows
        return "Evaluated on different rows"
    return (
        f"{counted(data.rows)} {'units of weight' if data.weighted else 'cases'}, "
        f"{counted(data.positives)} {positives} ({percent(data.prevalence)})"
    )


def _balance(data: BinaryData, question: Question) -> Any:
    """Return the class balance as a number or an interval; None where it is not known."""
    return data.data.prevalence if question.balance == OBSERVED else question.balance


def _winners(data: BinaryData, question: Question) -> Parts:
    balance = _balance(data, question)
    note = "Slope = (cost of a false alarm x negatives) / (cost of a miss x positives)."
    where = [(slope(row.low), slope(row.high)) for row in data.winners]
    names = [row.classifier for row in data.winners]
    if balance is None:
        bare = tuple((*ends, name) for ends, name in zip(where, names, strict=True))
        return Table((*SLOPES, "classifier"), bare), note
    ratios = [cost_ratios((row.low, float(row.high)), balance) for row in data.winners]
    rows = tuple(
        (*ends, format_ratios(times), name)
        for ends, times, name in zip(where, ratios, names, strict=True)
    )
    return Table((*SLOPES, RATIOS, "classifier"), rows), note


def _classifiers(data: BinaryData) -> Parts:
    rows = tuple(
        (each.name, *area(each.auc, each.auc_interval), "yes" if each.on_hull else "no")
        for each in data.classifiers
    )
    table = Table(("classifier", ">AUC", ">95% interval", "can be best"), rows)
    has_intervals = any(each.auc_interval is not None for each in data.classifiers)
    return (table, "Intervals are Newcombe's.") if has_intervals else (table,)


def _choices(data: BinaryData, question: Question) -> Parts:
    answer = data.answer
    if answer.holds == "exact" or not answer.choices:
        return ()
    known: Any = question.cost_ratio
    if question.conditions is not None:
        known = question.conditions.cost_ratio_range
    known = known if isinstance(known, tuple) else (known, known)
    rows, scale = [], amounts_of(question)
    for choice in answer.choices[:MOST_ROWS]:
        regret = "" if choice.worst_regret is None else amount(choice.worst_regret, scale)
        likely = () if choice.chance is None else (percent(choice.chance),)
        slopes = choice.low, float(choice.high)
        ratios = cost_ratios(slopes, _balance(data, question), known)
        where = slope(choice.low), slope(choice.high), format_ratios(ratios)
        rows.append((*where, *vertex(data, choice.vertex), regret, *likely))
    more = (">chance",) if answer.choices[0].chance is not None else ()
    header = (*SLOPES, RATIOS, *VERTEX, ">worst regret", *more)
    note = f"Worst regret: what it can cost more than the best choice, per {scale.unit}."
    return Table(header, tuple(rows)), *_rest(answer.choices), note


def _losses(data: BinaryData) -> Parts:
    found = data.losses
    if found is None or not found.pairs:
        return ()
    rows = tuple(
        (
            pair.first,
            pair.second,
            signed(pair.lc_index),
            between(pair.interval, 3),
            "" if pair.favored is None else percent(pair.favored),
        )
        for pair in found.pairs
    )
    header = ("first", "second", ">LC index", ">95% interval", ">first favored")
    belief = f"If {found.belief}, at {percent(found.prevalence)} {data.texts['positives']}."
    return belief, Table(header, rows)


def _certainty(found: Certainty | None) -> Parts:
    if found is None:
        return ()
    parts: list[str | Table] = [found.remark] if found.remark else []
    if found.rivals:
        wins = tuple((each.classifier, percent(each.chance)) for each in found.rivals)
        parts.append(Table(("classifier", ">cheapest in resamples"), wins))
    if found.differences:
        rows = tuple(
            (
                pair.first,
                pair.second,
                signed(pair.difference),
                between(pair.interval, 4),
                signed(pair.z),
                chance(pair.p_value),
                chance(pair.adjusted_p_value),
            )
            for pair in found.differences
        )
        header = ("first", "second", ">AUC difference", ">95% interval", ">z", ">p", ">p, adjusted")
        parts += [Table(header, rows), AUC_METHODS]
    return tuple(parts)


AUC_METHODS = (
    "Intervals are Newcombe's; z and p are of DeLong's test, adjusted for all pairs by Holm."
)

REFERRAL_NOTE = (
    "Cases on which two thresholds differ can be referred to a person. This is what that does on "
    "the evaluation rows, under the costs that the report starts from."
)


def _referral(found: ReferralTable | None, question: Question) -> Parts:
    if found is None:
        return ()
    scale = amounts_of(question)
    if found.sentence:
        return found.words, Code("sql", found.sql)
    rows = tuple(referred_cells(row, scale) for row in found.rows)
    return REFERRAL_NOTE, Table(referred_names(scale), rows)


def referred_names(scale: Amounts) -> tuple[str, ...]:
    """Return the columns of a table of referrals."""
    return (
        ">a referred case costs",
        ">referred of 100",
        ">wrong of 100 decided",
        f">costs per {scale.unit}",
        ">saves",
    )


def referred_cells(row: Referred, scale: Amounts) -> tuple[str, ...]:
    """Return what referring does at one cost, as texts."""
    wrong = row.wrong_among_decided
    return (
        "0" if row.cost is None else significant(row.cost, 3),
        per_100(row.referred),
        "" if wrong is None else per_100(wrong),
        amount(row.expected_cost, scale),
        amount(row.saves, scale),
    )


def _vertices(data: BinaryData) -> Parts:
    places = range(min(len(data.hull.threshold), MOST_ROWS))
    table = Table(VERTEX, tuple(vertex(data, place) for place in places))
    return table, *_rest(data.hull.threshold)


def vertex(data: BinaryData, place: int) -> tuple[str, str, str, str]:
    """Return classifier, threshold, FPR and TPR of a vertex, as texts."""
    hull = data.hull
    counts = hull.false_positives[place], hull.true_positives[place]
    first = hull.classifier[place]
    end = "never alarm" if counts == (0, 0) else "always alarm"
    name = f"({end})" if first < 0 else data.classifiers[first].name
    fpr, tpr = counts[0] / data.data.negatives, counts[1] / data.data.positives
    return name, hull.threshold[place], fixed(fpr, 4), fixed(tpr, 4)


def slope(value: Number) -> str:
    """Write a slope."""
    return "inf" if isinstance(value, str) else significant(value, 4)


def signed(value: float, decimals: int = 3) -> str:
    """Write a difference with its sign."""
    return ("" if value < 0 else "+") + fixed(value, decimals)


def between(bounds: Interval | None, decimals: int) -> str:
    """Write an interval, if there is one."""
    return " to ".join(fixed(bound, decimals) for bound in bounds or ())


def area(value: float | None, interval: Interval | None) -> tuple[str, str]:
    """Write an AUC and its interval, as far as there are any."""
    return "" if value is None else fixed(value, 4), between(interval, 4)


def _rest(rows: Sequence[object]) -> tuple[str, ...]:
    return (f"... and {len(rows) - MOST_ROWS} more.",) if len(rows) > MOST_ROWS else ()


# ---- more than two classes ----------------------------------------------------------------------


def about_multiclass(data: MulticlassData) -> str:
    """Say what the models were evaluated on."""
    count = len(data.models) - (data.stack is not None)
    return (
        f"{counted(data.rows)} rows of {len(data.classes)} classes; "
        f"{count} model{'s' if count != 1 else ''}{' and their stack' * (data.stack is not None)}."
    )


def about_surface(data: MulticlassData) -> str:
    """Say what surface the models span, if that is known."""
    if data.surface is None:
        return ""
    share = data.surface.dominated
    kind = "every kind of error" if data.surface.objectives == "rates" else "the miss rates"
    members = "member" if data.surface.members == 1 else "members"
    g = "" if share is None else f", G {percent(share.value)} ± {percent(share.standard_error)}"
    return f"The models' surface: {counted(data.surface.members)} {members} by {kind}{g}."


def rows_of_1000(number: float) -> str:
    """Write how many of 1,000 rows: whole numbers from 10 on, one decimal below.

    Examples
    --------
    >>> from rocch.report.sections import rows_of_1000
    >>> rows_of_1000(0), rows_of_1000(3.14), rows_of_1000(9.97)
    ('0', '3.1', '10')
    """
    return fixed(number, 0 if number >= 9.95 or number == 0 else 1)


def _square(data: MulticlassData, rows: list[list[str]], *more: str) -> Table:
    """Return a table of true classes by predictions."""
    names = [each.name for each in data.classes]
    header = ("true class", *(f">{name}" for name in names), *more)
    lines = ((name, *row) for name, row in zip(names, rows, strict=True))
    return Table(header, tuple(lines))


def _known(data: MulticlassData) -> Parts:
    costs = [[significant(cost, 6) for cost in row] for row in data.costs]
    known = zip(data.classes, data.shares, strict=True)
    return (
        "What each prediction costs; predictions in columns.",
        _square(data, costs),
        f"Class shares: {', '.join(f'{each.name} {percent(share)}' for each, share in known)}.",
    )


def _recommendation(data: MulticlassData) -> Parts:
    answer, costs = data.answer, data.members.costs[data.answer.member]
    rows = [
        [*map(rows_of_1000, row), percent(missed)]
        for row, missed in zip(answer.per_1000, answer.miss_rates, strict=True)
    ]
    parts: list[str | Table] = [
        f"Costs {amount(answer.cost, PER_1000)} ± {amount(answer.standard_error, PER_1000)} per "
        f"{PER_1000.unit} on the evaluation rows.",
        "Of 1,000 rows; predictions in columns.",
        _square(data, rows, ">missed"),
    ]
    if costs is not None and data.members.rule[answer.member] == "least_expected_cost":
        size = len(data.classes)
        own = relative(costs)
        note = own_costs_note(data.members, answer.member, yours_of(data))
        parts.append(f"What it predicts by. {note}")
        parts.append(_square(data, [list(own[k * size : (k + 1) * size]) for k in range(size)]))
    return tuple(parts)


def yours_of(data: MulticlassData) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the costs that count as those of the question, row by row."""
    totals = np.array([each.rows for each in data.classes])
    return your_costs(np.array(data.costs, float), np.array(data.shares), totals)


def _on_rows(data: MulticlassData) -> str:
    models, classes = ([each.name for each in some] for some in (data.models, data.classes))
    return class_on_rows(data.answer, data.members, models, classes, yours_of(data))


def _suggestions(data: MulticlassData) -> Parts:
    rows = tuple((each.name, each.sentence) for each in data.recommended)
    return (Table(("choice", "what it does"), rows),)


def _classes(data: MulticlassData) -> Parts:
    rows = tuple((each.name, counted(each.rows), percent(each.share)) for each in data.classes)
    return (Table(("class", ">rows", ">share"), rows),)


def _model(data: MulticlassData, model: Model, aucs: Aucs | None) -> Parts:
    if aucs is None:
        return ()
    areas = {
        "all pairs of classes (M)": aucs.hand_till,
        "macro": aucs.macro,
        "total": aucs.total,
    }
    for each, found in zip(data.classes, aucs.by_class, strict=True):
        areas[f"{each.name} against the rest"] = found
    rows = tuple((name, *area(found.value, found.interval)) for name, found in areas.items())
    plain = [[counted(count) for count in row] for row in model.confusion or ()]
    pairs = [["" if value is None else fixed(value, 4) for value in row] for row in aucs.pairs]
    return (
        Table(("AUC of", ">AUC", ">95% interval"), rows),
        "How well each two classes are separated.",
        _square(data, pairs),
        "Its most likely classes, counted; predictions in columns.",
        _square(data, plain),
    )
