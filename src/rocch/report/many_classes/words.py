"""What a report for many classes says in words. `page/many_words.js` says the same, literally."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

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


def rule(members: Members, place: int, models: tuple[str, ...], question: CostQuestion) -> str:
    """Say how a member answers a row."""
    model, costs = members.model[place], members.costs[place]
    if model < 0:
        return f"Answer {question.classes[-1 - model]} whatever the row is."
    if costs is None:
        return f"Take {models[model]}'s answer as it is."
    if is_plain(costs):
        return f"Answer with the class to which {models[model]} gives the largest probability."
    return (
        f"Take {models[model]}'s probabilities of all classes. What an answer is expected to cost "
        "is the sum, over all true classes, of the probability times the cost below. Answer with "
        "the class of the least expected cost."
    )


def python(members: Members, place: int, models: tuple[str, ...], classes: tuple[str, ...]) -> str:
    """Return the rule as Python."""
    model, costs = members.model[place], members.costs[place]
    if model < 0:
        return f"answers = [{_quoted(classes[-1 - model])}] * len(X)"
    named = f"classes = np.array([{', '.join(map(_quoted, classes))}])"
    if costs is None:
        return f"answers = model.predict(X)  # {_comment(models[model])}"
    ask = f"probabilities = model.predict_proba(X)  # {_comment(models[model])}, in this order"
    if is_plain(costs):
        last = "answers = classes[probabilities.argmax(axis=1)]"
        return "\n".join(["import numpy as np", "", named, ask, last])
    size = len(classes)
    rows = [costs[start : start + size] for start in range(0, len(costs), size)]
    table = "\n".join(f"    [{', '.join(map(number, row))}]," for row in rows)
    last = "answers = classes[(probabilities @ costs).argmin(axis=1)]"
    lines = [named, f"costs = np.array([  # truths in rows, answers in columns\n{table}\n])"]
    return "\n".join(["import numpy as np", "", *lines, ask, last])


def sql(members: Members, place: int, models: tuple[str, ...], classes: tuple[str, ...]) -> str:
    """Return the rule as SQL over a table `scored` with one column of probabilities per class."""
    model, costs = members.model[place], members.costs[place]
    if model < 0:
        return f"SELECT *, {_literal(classes[-1 - model])} AS answer\nFROM scored"
    if costs is None:
        return f"SELECT *, {_column(models[model])} AS answer\nFROM scored"
    size = len(classes)
    columns = [_column(name) for name in classes]
    if is_plain(costs):
        risks = [f"-{column}" for column in columns]
    else:
        risks = [_expected(costs[answer::size], columns) for answer in range(size)]
    named = ",\n".join(f"    {risk} AS cost_{place + 1}" for place, risk in enumerate(risks))
    least = f"LEAST({', '.join(f'cost_{place + 1}' for place in range(size))})"
    cases = "\n".join(
        f"    WHEN cost_{place + 1} = {least} THEN {_literal(name)}"
        for place, name in enumerate(classes[:-1])
    )
    last = f"    ELSE {_literal(classes[-1])}\n  END AS answer"
    inner = f"FROM (\n  SELECT *,\n{named}\n  FROM scored\n) AS weighed"  # noqa: S608 - likewise
    return f"SELECT *,\n  CASE\n{cases}\n{last}\n{inner}"


def number(value: float) -> str:
    """Write a cost as code, in as few digits as are the same double.

    Examples
    --------
    >>> from rocch.report.many_classes.words import number
    >>> number(20.0), number(0.25), number(0.00001)
    ('20', '0.25', '1e-5')
    """
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    digits, _, power = repr(float(value)).partition("e")
    return f"{digits}e{int(power)}" if power else digits


def relative(costs: tuple[float, ...]) -> tuple[str, ...]:
    """Write costs to be read: as parts of 100 of the largest, in three digits."""
    most = max(costs) or 1.0
    return tuple(significant(100 * cost / most, 3) for cost in costs)


def _expected(costs: tuple[float, ...], columns: list[str]) -> str:
    terms = [
        f"{number(cost)} * {column}" for cost, column in zip(costs, columns, strict=True) if cost
    ]
    return " + ".join(terms) or "0"


def _quoted(text: str) -> str:
    """Write a text as Python and JavaScript both write it in JSON."""
    return json.dumps(text, ensure_ascii=False)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _column(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _comment(name: str) -> str:
    """Keep a name on the line of its comment."""
    return re.sub(r"[\t\n\v\f\r ]+", " ", name).strip(" ")
