"""What a report on several classes says in words. `page/many_app.js` fills the same templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import escape_controls
from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.numbers import fixed, money, per_100, significant
from rocch.report.many_classes.texts import TEXTS

if TYPE_CHECKING:
    from rocch.report.many_classes.question import CostQuestion
    from rocch.report.many_classes.summary import CostAnswer, Members

# A sentence lists the misses of this many classes; of more, the three worst.
MOST_MISSES = 4


def sentence(
    answer: CostAnswer, members: Members, models: tuple[str, ...], question: CostQuestion
) -> str:
    """Return in one sentence what to use and what it does."""
    cost = money(100 * answer.cost)
    plain = cost if answer.plain_cost is None else money(100 * answer.plain_cost)
    return _fill(
        "sentence",
        use=use(members, answer.member, models, question),
        wrong=per_100(answer.error_rate),
        misses=misses(answer.miss_rates, question.classes),
        cost=cost,
        comparison="" if plain == cost else _fill("comparison", cost=plain),
    )


def misses(rates: tuple[float, ...], classes: tuple[str, ...]) -> str:
    """Return how much of which class is missed: of each class, or of those missed most."""
    worst = sorted(range(len(rates)), key=lambda place: (-rates[place], place))
    if not rates[worst[0]]:
        return _fill("misses_none")
    many = len(classes) > MOST_MISSES
    texts = [
        _fill("miss", rate=per_100(rates[place]), **{"class": escape_controls(classes[place])})
        for place in (worst[:3] if many else range(len(rates)))
        if rates[place]
    ]
    *others, last = texts
    listed = _fill("list", others=", ".join(others), last=last) if others else last
    return _fill("misses_at_worst" if many else "misses", list=listed)


def use(members: Members, place: int, models: tuple[str, ...], question: CostQuestion) -> str:
    """Return what to use, as an instruction."""
    values = _names(members, place, models, question.classes)
    if members.settings[place]:
        settings = members.settings[place]
        values["model"] = _fill("model_with_settings", model=values["model"], settings=settings)
    return _fill(f"use_{_kind(members, place, question)}", **values)


def label(members: Members, place: int, models: tuple[str, ...], question: CostQuestion) -> str:
    """Return what is used in few words, for a table."""
    kind = _kind(members, place, question)
    return _fill(f"label_{kind}", **_names(members, place, models, question.classes))


def cost_note(answer: CostAnswer) -> str:
    """Return how well a cost is known, and how many others cost as little."""
    name = ("cost_note", "cost_note_one_equal", "cost_note_equals")[min(answer.equals, 2)]
    error, equals = money(100 * answer.standard_error), fixed(answer.equals, 0)
    return _fill(name, error=error, equals=equals)


def rule_of(
    members: Members, place: int, models: tuple[str, ...], classes: tuple[str, ...]
) -> MulticlassRule:
    """Return the rule by which a member predicts."""
    model, costs = members.model[place], members.costs[place]
    if model < 0:
        return MulticlassRule(classes, always=classes[-1 - model])
    return MulticlassRule(classes, models[model], costs)


def relative(costs: tuple[float, ...]) -> tuple[str, ...]:
    """Write costs to be read: as parts of 100 of the largest, in three digits."""
    most = max(costs) or 1.0
    return tuple(significant(100 * cost / most, 3) for cost in costs)


def _fill(name: str, **values: str) -> str:
    return TEXTS[name].fill(values)


def _kind(members: Members, place: int, question: CostQuestion) -> str:
    """Return the kind of rule, or your_costs where it predicts by the question's costs."""
    asked = tuple(cost for row in question.costs for cost in row)
    kind = members.kind[place]
    is_asked = kind == "least_expected_cost" and members.costs[place] == asked
    return "your_costs" if is_asked else kind


def _names(
    members: Members, place: int, models: tuple[str, ...], classes: tuple[str, ...]
) -> dict[str, str]:
    model = members.model[place]
    if model < 0:
        return {"class": escape_controls(classes[-1 - model])}
    return {"model": escape_controls(models[model])}
