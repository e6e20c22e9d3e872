"""The answer in words. `page/words.js` says the same; both must agree to the letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import escape_controls
from rocch.numbers import fixed, money, per_100, significant

if TYPE_CHECKING:
    from rocch.report.question import Question, Range
    from rocch.report.summary import Answer, Part


def sentence(answer: Answer, question: Question) -> str:
    """Say in one plain sentence what to use, what it does, and how far that holds."""
    facts = [
        f"catches {per_100(answer.tpr)} of 100 cases",
        f"{per_100(answer.fpr)} false alarms per 100 others",
    ]
    if answer.cost is not None:
        facts.append(_cost(answer.cost, believed=question.belief is not None))
    if question.population is not None:
        facts.append(_alarms(answer, question))
    tail = _holds(answer, question)
    return f"{_use(answer)}: {', '.join(facts)}{'; ' + tail if tail else ''}."


def _use(answer: Answer) -> str:
    settings = [setting(part) for part in answer.parts]
    if len(settings) == 1:
        return settings[0][0].upper() + settings[0][1:]
    share = significant(answer.parts[0].probability, 3)
    return f"Toss a coin, and with probability {share} {settings[0]}, otherwise {settings[1]}"


def setting(part: Part) -> str:
    """Say what to do at a setting."""
    if part.kind in ("never", "always"):
        return f"{part.kind} alarm"
    if part.kind == "scores":
        return f"use {named(part.classifier)} at {part.threshold}"
    where = f" at setting {named(part.threshold)}" if part.threshold else ""
    return f"use {named(part.classifier)}{where}"


def named(name: str) -> str:
    """Write a name within a sentence, whose numbers it must not turn around."""
    return escape_controls(name)


def _cost(cost: Range, *, believed: bool) -> str:
    low, high = money(100 * cost.low), money(100 * cost.high)
    if believed:
        return f"costs {low} per 100 rows in expectation"
    return f"costs {low if low == high else f'{low} to {high}'} per 100 rows"


def _alarms(answer: Answer, question: Question) -> str:
    """Say how many of the population alarm."""
    rows = question.population or 0.0
    counts = [rows * (p * answer.tpr + (1 - p) * answer.fpr) for p in question.prevalence]
    low, high = (significant(count, 3) for count in sorted(counts))
    some = low if low == high else f"{low} to {high}"
    return f"alarms on {some} of {significant(rows, 3)} rows"


def _holds(answer: Answer, question: Question) -> str:
    """Say how far the choice depends on what is unknown."""
    if answer.also_best:
        return f"exactly as good: {' or '.join(map(setting, answer.also_best))}"
    if answer.holds == "exact":
        return ""
    if answer.holds == "throughout":
        return f"the choice holds for {_unknown(question)}"
    worst = answer.worst_regret
    at_most = f"at most {money(100 * worst)} more" if worst is not None else "more"
    if question.belief is not None:
        return _believed(answer, at_most)
    if answer.holds == "threshold":
        return (
            f"{named(answer.parts[0].classifier)} is best for {_unknown(question)}, at "
            f"thresholds that move; this one costs {at_most} per 100 rows than the best"
        )
    return (
        f"which is best depends on what is unknown; this one costs {at_most} per 100 rows than "
        "the best"
    )


def _believed(answer: Answer, at_most: str) -> str:
    best = "" if answer.chance is None else f"best with a chance of {per_100(answer.chance)} in 100"
    parts = [best, f"costs {at_most} per 100 rows than the best"]
    if answer.expected_regret is not None:
        knowing = money(100 * answer.expected_regret)
        parts.append(f"knowing the conditions would save {knowing} on average")
    return ", ".join(part for part in parts if part)


def _unknown(question: Question) -> str:
    costs = (question.false_positive, question.false_negative)
    vague_costs = question.belief is not None or any(low != high for low, high in costs)
    vague_share = question.prevalence.low != question.prevalence.high
    names = [n for n, vague in (("cost", vague_costs), ("prevalence", vague_share)) if vague]
    where = "you hold possible" if question.belief is not None else "in your range"
    return f"every {' and '.join(names)} {where}"


def assumed(question: Question) -> str:
    """Say what was assumed: class balance, costs or belief, limits."""
    shares = [100 * share for share in question.prevalence]
    said = [f"{_between(*shares)} % positive"]
    if question.goal == "hits":
        said.append("the most hits within the limits")
    else:
        said.append(f"a false alarm costs {_between(*_alarm_costs(question))}")
        said.append(_miss_costs(question))
    if question.max_fpr is not None:
        said.append(
            f"false alarms on at most {significant(100 * question.max_fpr, 6)} % of the others"
        )
    if question.capacity is not None and question.population is not None:
        some, rows = (significant(n, 9) for n in (question.capacity, question.population))
        said.append(f"at most {some} alarms of {rows} rows")
    if question.randomize:
        said.append("a coin may choose")
    return f"Assumed: {'; '.join(said)}."


def _alarm_costs(question: Question) -> tuple[float, float]:
    low, high = question.false_positive
    return (low, low) if question.belief is not None else (low, high)


def _miss_costs(question: Question) -> str:
    if question.belief is None:
        return f"a miss {_between(*question.false_negative)}"
    low, likely, high = question.belief
    times = _between(low, high)
    most = "" if low == high else f", most likely {significant(likely, 6)}"
    return f"a miss is {times} times as bad{most}"


def _between(low: float, high: float) -> str:
    first, last = significant(low, 6), significant(high, 6)
    return first if first == last else f"{first} to {last}"


def percent(share: float) -> str:
    """Write a share in per cent."""
    return f"{per_100(share)} %"


def counted(value: float) -> str:
    """Write a number of rows, or of their weight."""
    return fixed(value, 0) if float(value).is_integer() else significant(value, 6)
