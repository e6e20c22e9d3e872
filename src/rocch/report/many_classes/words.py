"""What a report for many classes says in words. `page/many_words.js` says the same, literally."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.numbers import money, per_100, significant
from rocch.report.many_classes.rules import is_asked, is_plain

if TYPE_CHECKING:
    from rocch.report.many_classes.question import CostQuestion
    from rocch.report.many_classes.summary import CostAnswer, Members

MOST_MISSES = 4
"""A sentence lists the misses of so many classes; of more, the three worst."""


def sentence(
    answer: CostAnswer, members: Members, models: tuple[str, ...], question: CostQuestion
) -> str:
    """Say in one plain sentence what to use and what it does."""
    hint = use(members, answer.member, models, question)
    wrong = f"answers {per_100(answer.error_rate)} of 100 rows wrongly"
    costs = f"costs {money(100 * answer.cost)} per 100 rows"
    compared = ""
    if answer.plain_cost is not None and money(100 * answer.plain_cost) != money(100 * answer.cost):
        compared = f" (most likely classes alone: {money(100 * answer.plain_cost)})"
    return f"{hint}: {wrong}, {misses(answer.miss_rates, question.classes)}; {costs}{compared}."


def misses(rates: tuple[float, ...], classes: tuple[str, ...]) -> str:
    """Say how much of which class is missed: of each class, or of those missed most."""
    worst = sorted(range(len(rates)), key=lambda place: (-rates[place], place))
    if not rates[worst[0]]:
        return "misses none"
    many = len(classes) > MOST_MISSES
    places = worst[:3] if many else range(len(rates))
    told = [f"{per_100(rates[place])} of 100 {classes[place]}" for place in places if rates[place]]
    return f"misses {'at worst ' if many else ''}{listed(told)}"


def listed(parts: list[str]) -> str:
    """Join parts by commas and a last "and"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def use(members: Members, place: int, models: tuple[str, ...], question: CostQuestion) -> str:
    """Say what to use, as an order."""
    model, costs = members.model[place], members.costs[place]
    if model < 0:
        return f"Always answer {question.classes[-1 - model]}"
    name = models[model] + (f" ({members.settings[place]})" if members.settings[place] else "")
    if costs is None:
        return f"Use {name}'s own answers"
    if is_plain(costs):
        return f"Use {name}'s most likely class"
    if is_asked(costs, question):
        return f"Use {name}, answering by your costs"
    return f"Use {name}, answering by the costs of this rule"


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
