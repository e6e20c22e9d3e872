"""Sentences of reports, as templates with slots that a page fills by the same steps."""

from __future__ import annotations

from collections.abc import Sequence

from rocch.errors import InputError, describe_type, escape_controls
from rocch.hybrid.multiclass_rule import RuleKind
from rocch.numbers import fixed, money, per_100, rough_threshold, significant
from rocch.report.summary import Answer, Compared, CostAnswer, Members, NewRows, Part
from rocch.roc.conditions import Interval
from rocch.roc.criteria import METRICS
from rocch.roc.question import COUNTED, Question
from rocch.roc.question_table import metric_text
from rocch.roc.referral import Referral
from rocch.roc.savings import Amounts

# What texts call the classes where they have no names.
CLASS_NAMES = "negatives", "positives"

# Sentences on two classes: what to use, what it does, and remarks, each a sentence of its own.
TEXTS = {
    "sentence": "{use}{best}. It {facts}.{remarks}",
    "fact": "{first}, {second}",
    "remark": " {remark}.",
    "negatives": CLASS_NAMES[0],
    "positives": CLASS_NAMES[1],
    "between": "{low} to {high}",
    "or": "{first} or {second}",
    "and": "{first} and {second}",
    # what to use
    "never": "never alarm",
    "always": "always alarm",
    "scores": "use {classifier} at {threshold}",
    "labels": "use {classifier}",
    "setting": "use {classifier} at setting {threshold}",
    "coin": "choose at random: with probability {probability} {first}, otherwise {second}",
    "best": ", the best choice on the evaluation rows",
    "best_new": ", aimed at new cases",
    "best_within": ", the best choice within the limits on the evaluation rows",
    "best_sure": ", the best choice whose limits hold on new rows with {confidence}% confidence",
    "nearest": ", the setting nearest to the knob at {position}%",
    # what it does
    "hits": "catches {hits} of 100 {positives}",
    "false_alarms": "raises {alarms} false alarms per 100 {negatives}",
    "cost": "costs {cost} per {unit}",
    "expected_cost": "costs {cost} per {unit} on average",
    "metric": "reaches {metric} {value}",
    "alarms": "alarms on {alarms} of {rows} cases",
    # what to expect of new rows
    "new_rows": "On new cases it costs about {expected} per {unit} (95%: {low} to {high})",
    "new_rows_known": "On new cases it costs {expected} per {unit}",
    "on_rows": "On the evaluation rows alone, the best choice would be to {setting}: that costs "
    "{cost} per {unit} there, the recommendation {own}",
    "on_rows_too": "It is the best choice on the evaluation rows as well",
    # with cases that are referred to a person
    "referring": "{rule}. Of 100 cases it refers {referred}, and of 100 that it decides {wrong} "
    "are wrong. It costs {cost} per {unit}{free}, against {plain} if every case is decided.{more}",
    "referring_nothing": "{rule}. It costs {plain} per {unit}.{more}",
    "referring_all": "{rule}. It costs {cost} per {unit}{free}, against {plain} if every case is "
    "decided.{more}",
    "referring_free": ", with nothing for cases that are referred",
    "referring_moved": "The rule that refers cases to a person is known for the report's own "
    "question; this one decides every case",
    # what it saves
    "saves": "It saves {amount} per {unit} against {baseline}{depending}{bounds}",
    "costs_more": "It costs {amount} more per {unit} than {baseline}{depending}{bounds}",
    "about": "about {amount}",
    "costs_alike": "It costs about as much as {baseline}",
    "saves_or_costs": "between {low} (costs more) and {high}",
    "depending": ", depending on {unknown}",
    "unknown_costs": "costs",
    "unknown_prevalence": "class balance",
    "saves_bounds": " (95%: {low} to {high}{doubt})",
    "doubt": ", so not certain",
    "decides_alike": "It decides as {baseline}, on all {rows} evaluation rows",
    "per_1000": "1,000 cases",
    "per_month": "month",
    "no_cost": "the question states no costs, so none are expected of new cases",
    "bound": "within limits, costs and savings are counted on the evaluation rows",
    "vague": "costs and savings are counted on the evaluation rows, because new cases were "
    "estimated for the ranges that the report starts from alone",
    "no_rows": "the expected cost on new rows takes the rows themselves, which are not kept",
    "many_rows": "the expected cost on new rows was not estimated, because there are too many rows",
    "few_rows": "the expected cost on new rows takes at least two rows of each class",
    "no_guarantee": "Not offered: that takes independent rows that count alike, the same for all "
    "classifiers.",
    "off_table": "the expected cost on new rows was not estimated for these costs",
    # how far it depends on what is unknown
    "as_good": "Exactly as good: {settings}",
    "throughout": "It is the best choice for {unknown}",
    "threshold": "{classifier} is best for {unknown}, but its best threshold changes; this one "
    "costs {regret} per {unit} than the best",
    "depends": "The best choice depends on what you do not know; this one costs {regret} per "
    "{unit} than the best",
    "regret": "at most {regret} more",
    "any_regret": "more",
    "chance": "It is the best choice with a probability of {chance}%",
    "believed": "It costs {regret} per {unit} than the best choice",
    "knowing": "Knowing the costs exactly would save {saved} per {unit} on average",
    "every": "every {names} {where}",
    "costs": "cost",
    "prevalence": "prevalence",
    "in_range": "in your range",
    "possible": "that you consider possible",
    **{f"metric_{name}": metric_text(name) for name in METRICS},
}

# Texts that the page on two classes fills as its controls are turned.
PAGE_TEXTS = {
    "at_least": "at least {low}",
    "assumed": "Assumed: {question}.",
    "counted": COUNTED,
    # facts and tables
    "interval": "95%: {low} to {high}",
    "of_cases": "Of {cases} cases",
    "per_unit": "per {unit}",
    "in_currency": "per {unit}, in {currency}",
    "per_unit_on_average": "per {unit}, on average",
    "savings_new": "Estimated for new cases.",
    "savings_about": "Estimated for new cases; numbers with “about” are interpolated.",
    "savings_moved": "Other intervals are known for the report's own question only.",
    "about_same": "about the same",
    "savings_counted": "Counted on the evaluation rows.",
    "best_throughout": "it is always the best choice",
    "above_best": "against the best choice",
    "gains_cost": "Choosing at random between two settings would save another {gain} per {unit}.",
    "gains_metric": "Choosing at random between two settings would raise {metric} by {gain}.",
    "gains_hits": "Choosing at random between two settings would catch {gain} more of 100 "
    "{positives}.",
    "gains_alarms": "Choosing at random between two settings would spare {gain} of 100 {negatives} "
    "a false alarm.",
    "one_in": "1 in {cases} cases",
    "more_choices": "and {count} more settings between them",
    "more_winners": "and {count} more ranges",
    "times": "best where a miss is … times as bad as a false alarm, at {prevalence} {positives}",
    "limit_label": "limit",
    "where_best": "{name} is best where a miss is {times} times as bad as a false alarm (slopes "
    "{slopes})",
    "tick": "{times} times",
    "at": "{name} at {threshold}",
    "within_limits": "the recommendation, within the limits",
    "between_vertices": "the recommendation",
    # how far the choice depends on what is unknown
    "costs_unused": "The recommendation does not depend on costs.",
    "all_known": "Everything counts as known. Turn a number into a range (in the controls) to see "
    "how far the choice depends on it.",
    "allowed": "Within what you state, {settings}{limited}.",
    "one_setting": "one setting is always best",
    "own_settings": "{count} settings of one classifier can be best",
    "settings": "{count} settings of {classifiers} classifiers can be best",
    "without_limits": " (without the limits)",
    # beliefs
    "belief": "You state that a miss is {ratio} times as bad as a false alarm{likely}. The bar "
    "shows which classifier is best, at {prevalence} {positives}.",
    "own_belief": "If a miss is {ratio} times as bad as a false alarm{likely}: the bar shows which "
    "classifier is best, at {prevalence} {positives}.",
    "no_belief": "State a ratio of costs to see how likely each classifier is to be the best.",
    "likely": ", most likely {likely} times",
    # what is wrong with a value
    "not_number": "Write a number, for example {example}.",
    "not_interval": "Write a number or an interval, for example {example}.",
    "negative": "It cannot be negative.",
    "share": "It is a share, from 0 to 1 or in %.",
    "percent": "It is a share: write {percent}% or {share}.",
    "too_large": "That is too large: take a larger unit.",
    "too_many_times": "At most 1,000,000,000 times, or inf for an open end.",
    "descending": "The low end lies above the high end.",
    # what is wrong with a question
    "balance": "State the class balance: the classifiers were evaluated on different rows.",
    "one_balance": "A metric takes one number here.",
    "two_classes": "Both classes must occur: more than 0 and less than 1.",
    "right_above_wrong": "The correct decision cannot cost more than the error.",
    "free_errors": "One of the two errors must always cost more than the correct decision.",
    "one_unit": "Beside a ratio of costs, this is the unit: one number above 0.",
    "likely_outside": "It must lie within the bounds of the ratio.",
    "no_capacity_limit": "It is more than the population. Leave it out, or correct one of them.",
    "no_money": "State what a false alarm or a miss costs as well; a ratio alone is no money.",
    "no_population": "State the population, or its positives and negatives.",
    "empty_population": "There must be more than 0 cases.",
    "no_precision": "It must be more than 0, which limits nothing.",
    "uncertified": "This page certifies limits on false alarms and on hits only. For others ask "
    "hull.best(question) in Python, or rocch best with --confidence.",
    "no_limit": "State a limit: without one, always alarming catches the most.",
    # why there is no answer
    "infeasible": "No setting meets these limits. Relax a limit.",
    "needs_coin": "No single setting meets these limits; a random choice between two does. Allow "
    "it, or relax a limit.",
    "unsure": "No setting can be guaranteed to keep these limits on new rows{need}. Relax a limit, "
    "or evaluate on more rows.",
    "need_negatives": ": it takes at least {need} negatives (there are {there}), and no false "
    "alarm among them",
    "need_positives": ": it takes at least {need} positives (there are {there}), and no miss "
    "among them",
    "bound_above": "on new rows at most {bound} ({confidence}% confidence)",
    "bound_below": "on new rows at least {bound} ({confidence}% confidence)",
    "undefined": "The metric is undefined at every setting that is allowed.",
    "infinite": "The expected cost is infinite: one error can cost any number of times the other. "
    "Close the open end, state the most likely ratio, or the cost of a miss as the unit.",
    "no_slope": "Errors that cannot occur meet errors that cost nothing: exclude a prevalence of 0 "
    "and 1, or give every error a cost.",
}

# Sentences on more than two classes.
CLASS_TEXTS = {
    "sentence": "{use}{best}. It {wrong} and {misses}.{costs}{saves}",
    "best": ", the cheapest choice on the evaluation rows",
    "best_new": TEXTS["best_new"],
    "best_within": TEXTS["best_within"],
    "best_regret": ", the choice of the least worst regret on the evaluation rows",
    "best_simple": ", which no member of the surface clearly beats",
    "always": "Always predict {class}",
    "own_predictions": "Use the predictions of {model}",
    "most_likely_class": "Use the most likely class by {model}",
    "least_expected_cost": "Use {model} with your costs",
    "least_weighted_sum": "Use {model} with adjusted costs",
    "with_settings": "{model} ({settings})",
    "wrong": "is wrong for {wrong} of 100 cases",
    "no_misses": "misses none",
    "misses": "misses {misses}",
    "worst_misses": "misses at worst {misses}",
    "per_1000": TEXTS["per_1000"],
    "missed": "{missed} of 100 {class}",
    "comma": "{first}, {second}",
    "and": TEXTS["and"],
    "costs": f" It {TEXTS['cost']}.",
    "saves": " It saves {amount} per {unit} against {baseline}{bounds}.",
    "costs_more": " It costs {amount} more per {unit} than {baseline}{bounds}.",
    "saves_bounds": TEXTS["saves_bounds"],
    "doubt": TEXTS["doubt"],
    "plain_baseline": "the most likely class of {model}",
    "new_rows": f" {TEXTS['new_rows']}.",
    "new_rows_known": f" {TEXTS['new_rows_known']}.",
    "no_rows": "the expected cost on new rows takes the probabilities of the rows themselves",
    "many_rows": TEXTS["many_rows"],
    "on_rows": "On the evaluation rows alone, the cheapest choice would be {label}: that costs "
    "{cost} per {unit} there, the recommendation {own}",
    "on_rows_too": "It is the cheapest choice on the evaluation rows as well",
    "remarks": "{first}. {second}",
    "other_costs": "the expected cost on new rows was estimated for the costs and shares that the "
    "report started from",
    # what is used, in few words, for tables
    "label_always": "always {class}",
    "label_own_predictions": "{model}",
    "label_most_likely_class": "{model}, most likely class",
    "label_least_expected_cost": "{model}, your costs",
    "label_least_weighted_sum": "{model}, adjusted costs",
    # the numbers that probabilities are multiplied by
    "own_costs": "Your costs; the largest is written 100.",
    "own_corrected": "Your costs, corrected for the shares of the classes; the largest is written "
    "100.",
    "own_weights": "Weights that were found on the evaluation rows, not your costs; the largest is "
    "written 100.",
    "own_equal": "All errors cost the same: the most likely class is predicted.",
    # choices that suggest themselves
    "suggest_own": "recommended",
    "suggest_cheapest": "cheapest on the evaluation rows",
    # the question
    "assumed": PAGE_TEXTS["assumed"],
    "cost_of": "{truth} predicted as {prediction} costs {cost}",
    "other_errors": "other errors cost {cost}",
    "all_errors": "every error costs {cost}",
    # notes beside numbers
    "cost_note": "± {error}",
    "cost_note_one_equal": "± {error}; 1 other costs as little",
    "cost_note_equals": "± {error}; {equals} others cost as little",
    "best_model": "best of them: {model}",
    "interval": PAGE_TEXTS["interval"],
    # messages at the page's controls
    "bad_share": "A share is a number from 0 to 100%.",
    "percent": PAGE_TEXTS["percent"],
    "bad_cost": "A cost is a number from 0 on.",
    "too_large": PAGE_TEXTS["too_large"],
    "error_too_cheap": "An error cannot cost less than the right prediction.",
    "no_error_costs": "At least one error must cost something.",
}

# Amounts without a number of cases in a month.
PER_1000 = Amounts(1000, TEXTS["per_1000"])

# Typed costs and shares are rounded already: expected costs that agree to 12 digits count as equal,
# here and in the page.
CLOSE = 1e-12

# A sentence lists the misses of this many classes; of more, the worst three.
MOST_MISSES = 4


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{per_100(share)}%"


def amounts_of(question: Question) -> Amounts:
    """Return how amounts are written: per month if its cases are known, else per 1,000 cases."""
    stated = question.amounts
    if stated is None or stated.unit is None:
        return PER_1000._replace(currency="" if stated is None else stated.currency)
    return stated._replace(unit=TEXTS["per_month"])


def amount(value: float | Interval, scale: Amounts) -> str:
    """Write an amount per case, or its least and greatest value, in the unit of money."""
    low, high = value if isinstance(value, Interval) else (value, value)
    text = _between(money(scale.cases * low), money(scale.cases * high))
    return f"{text} {escape_controls(scale.currency)}" if scale.currency else text


def counted(value: float) -> str:
    """Write a number of rows, or of their weight."""
    return fixed(value, 0) if float(value).is_integer() else significant(value, 6)


def as_plain_text(value: object, argument: str) -> str:
    """Return a text, perhaps an empty one, which must be one."""
    if not isinstance(value, str):
        raise InputError(argument, "be a text", describe_type(value), "Write it in quotes.")
    return value


def _text(name: str, **slots: str) -> str:
    return TEXTS[name].format_map(slots)


def _between(low: str, high: str) -> str:
    return low if low == high else _text("between", low=low, high=high)


# ---- two classes --------------------------------------------------------------------------------


def sentence(answer: Answer, question: Question, names: tuple[str, str] = CLASS_NAMES) -> str:
    """Say what to use, what it does, what to expect of new rows, and how far that holds.

    The names are those of the negative class and the positive one.
    """
    scale = amounts_of(question)
    remarks = [
        _new_rows(answer.new_rows, scale),
        *(saving(each, question) for each in foremost(answer.savings)),
        *_holds(answer, question, scale),
    ]
    return _text(
        "sentence",
        use=use(answer),
        best=TEXTS["best_new"] if answer.on_rows is not None else _best(question),
        facts=_join_facts(_facts(answer, question, names)),
        remarks="".join(_text("remark", remark=remark) for remark in remarks if remark),
    )


def describe_stack(models: Sequence[str]) -> str:
    """Say what a stack is, and what its scores mean."""
    *others, last = map(escape_controls, models)
    return (
        f"The stack weighs {', '.join(others)} and {last} together. Its scores are log odds: 0 "
        "means a probability of 50% at the class balance of the evaluation rows, 2.2 means 90%."
    )


def _best(question: Question) -> str:
    """Say in which sense it is the best, and which rows its limits are about."""
    if question.knob is not None:
        return _text("nearest", position=significant(100 * question.knob, 6))
    if question.confidence is not None:
        return _text("best_sure", confidence=significant(100 * question.confidence, 6))
    return TEXTS["best_within" if question.limited else "best"]


def use(answer: Answer) -> str:
    """Say what to use, as the beginning of a sentence."""
    text, *others = map(setting, answer.parts)
    if others:
        probability = significant(answer.parts[0].probability, 3)
        text = _text("coin", probability=probability, first=text, second=others[0])
    return text[0].upper() + text[1:]


def setting(part: Part) -> str:
    """Say what to do at a setting."""
    kind = "setting" if part.kind == "labels" and part.threshold else part.kind
    return _text(
        kind,
        classifier=escape_controls(part.classifier),
        threshold=escape_controls(rough_threshold(part.threshold)),
    )


def _facts(answer: Answer, question: Question, names: tuple[str, str]) -> list[str]:
    negatives, positives = map(escape_controls, names)
    facts = [
        _text("hits", hits=per_100(answer.tpr), positives=positives),
        _text("false_alarms", alarms=per_100(answer.fpr), negatives=negatives),
    ]
    if answer.cost is not None and answer.new_rows is None:
        kind = "cost" if question.cost_ratio is None else "expected_cost"
        scale = amounts_of(question)
        facts.append(_text(kind, cost=amount(answer.cost, scale), unit=scale.unit or ""))
    if question.maximize is not None:
        name = TEXTS[f"metric_{question.maximize}"]
        facts.append(_text("metric", metric=name, value=significant(answer.value, 3)))
    rows = cases(question)
    if rows is not None and answer.per_1000 is not None:
        hits, false = answer.per_1000.true_positives, answer.per_1000.false_positives
        # the least prevalence has the fewest hits and the most false alarms
        ends = sorted((hits.low + false.high, hits.high + false.low))
        some = _between(*(significant(rows / 1000 * end, 3) for end in ends))
        facts.append(_text("alarms", alarms=some, rows=significant(rows, 3)))
    return facts


def _join_facts(facts: list[str]) -> str:
    *others, last = facts
    return _join("and", [_join("fact", others), last])


def cases(question: Question) -> float | None:
    """Return the number of cases of which alarms are counted, if there is a limit on these."""
    if question.capacity is not None:
        return question.population or (question.positives or 0.0) + (question.negatives or 0.0)
    return None if question.max_share is None else 100.0


def foremost(savings: Sequence[Compared]) -> list[Compared]:
    """Return the first saving, and that against a rule that is cheaper, which is never left out."""
    cheaper = [each for each in savings[1:] if each.middle < -each.slack]
    return [*savings[:1], *sorted(cheaper, key=lambda each: each.middle)[:1]]


def saving(found: Compared, question: Question) -> str:
    """Say what is saved against a baseline, as `Savings` does."""
    if found.alike:
        baseline = escape_controls(found.baseline)
        return _text("decides_alike", baseline=baseline, rows=counted(found.alike))
    scale, (low, high) = amounts_of(question), found.saves
    if abs(found.middle) < found.slack:  # its sign is not known
        return _text("costs_alike", baseline=escape_controls(found.baseline))
    sign = -1 if high < 0 else 1
    ends = () if found.interval is None else sorted(sign * end for end in found.interval)
    bounds = [money(scale.cases * end) for end in ends]
    doubt = TEXTS["doubt"] if ends and ends[0] <= 0 <= ends[1] else ""
    if low < 0 <= high:
        lowest, highest = money(scale.cases * low), amount(high, scale)
        saved = _text("saves_or_costs", low=lowest, high=highest)
    else:
        saved = amount(Interval(*sorted((sign * low, sign * high))), scale)
    saved = _text("about", amount=saved) if found.slack else saved
    return _text(
        "saves" if sign > 0 else "costs_more",
        amount=saved,
        unit=scale.unit or "",
        baseline=escape_controls(found.baseline),
        depending=_text("depending", unknown=_vague_names(question)) if low < high else "",
        bounds=_text("saves_bounds", low=bounds[0], high=bounds[1], doubt=doubt) if bounds else "",
    )


def _vague_names(question: Question) -> str:
    """Name what is a range: costs, the class balance, or both."""
    names = [TEXTS[f"unknown_{name}"] for name in sorted(_unknown_groups(question))]
    return _join("and", names)


def _new_rows(found: NewRows | None, scale: Amounts, texts: dict[str, str] = TEXTS) -> str:
    if found is None:
        return ""
    interval, known = (found.low, found.high), found.expected_range or (found.expected,) * 2
    kind = "new_rows_known" if interval == known else "new_rows"
    low, high = (money(scale.cases * end) for end in interval)
    expected = amount(Interval(*known), scale)
    return texts[kind].format_map(
        {"expected": expected, "low": low, "high": high, "unit": scale.unit or ""}
    )


def referral_sentence(found: Referral, rule: str, question: Question) -> str:
    """Say when cases are referred to a person, and what that does on the evaluation rows."""
    scale = amounts_of(question)
    kind = "referring" if found.decides else "referring_all"
    reserved = "" if found.guarantee is None else str(found.guarantee)
    notes = (note.rstrip(".") for note in (reserved, found.note) if note)
    return _text(
        kind if found.refers else "referring_nothing",
        rule=rule[0].upper() + rule[1:],
        referred=per_100(found.referred),
        wrong=per_100(found.wrong_among_decided or 0.0),
        cost=amount(found.expected_cost, scale),
        plain=amount(found.plain.expected_cost or 0.0, scale),
        unit=scale.unit or "",
        free="" if found.cost is not None else TEXTS["referring_free"],
        more="".join(_text("remark", remark=note[0].upper() + note[1:]) for note in notes),
    )


def on_rows(answer: Answer, question: Question) -> str:
    """Say what is best on the evaluation rows, beside a choice that is aimed for new rows."""
    found, scale = answer.on_rows, amounts_of(question)
    if found is None or answer.cost is None:
        return ""
    if (found.part.fpr, found.part.tpr) == (answer.fpr, answer.tpr):
        return TEXTS["on_rows_too"]
    costs = {"cost": amount(found.cost, scale), "own": amount(answer.cost, scale)}
    return _text("on_rows", setting=setting(found.part), unit=scale.unit or "", **costs)


def _holds(answer: Answer, question: Question, scale: Amounts) -> list[str]:
    """Say how far the choice depends on what is unknown."""
    if answer.also_best:
        return [_text("as_good", settings=_join("or", [setting(p) for p in answer.also_best]))]
    if answer.holds == "exact" or answer.on_rows is not None:
        return []
    if answer.holds == "throughout":
        return [_text("throughout", unknown=_unknown(question))]
    worst = answer.worst_regret
    regret = TEXTS["any_regret"]
    if worst is not None:
        regret = _text("regret", regret=amount(worst, scale))
    if question.cost_ratio is not None:
        return _believed(answer, regret, scale)
    classifier = escape_controls(answer.parts[0].classifier)
    slots = {"regret": regret, "unit": scale.unit or ""}
    return [_text(answer.holds, classifier=classifier, unknown=_unknown(question), **slots)]


def _believed(answer: Answer, regret: str, scale: Amounts) -> list[str]:
    facts = []
    if answer.chance is not None:
        facts.append(_text("chance", chance=per_100(answer.chance)))
    if answer.worst_regret is not None:
        facts.append(_text("believed", regret=regret, unit=scale.unit or ""))
    if answer.expected_regret is not None:
        saved = amount(answer.expected_regret, scale)
        facts.append(_text("knowing", saved=saved, unit=scale.unit or ""))
    return facts


def _unknown_groups(question: Question) -> set[str]:
    return {
        "prevalence" if each.group == "balance" else "costs"
        for each in question.given_fields
        if each.group == "belief" or isinstance(getattr(question, each.name), Interval)
    }


def _unknown(question: Question) -> str:
    names = [TEXTS[name] for name in sorted(_unknown_groups(question))]
    where = "in_range" if question.cost_ratio is None else "possible"
    return _text("every", names=_join("and", names), where=TEXTS[where])


def _join(name: str, parts: Sequence[str]) -> str:
    joined = parts[0]
    for part in parts[1:]:
        joined = _text(name, first=joined, second=part)
    return joined


# ---- more than two classes ----------------------------------------------------------------------


def class_sentence(
    answer: CostAnswer,
    members: Members,
    models: Sequence[str],
    classes: Sequence[str],
    yours: Sequence[tuple[float, ...]],
) -> str:
    """Say what to use for more than two classes, and what it does."""
    unit = PER_1000.unit or ""
    known = _new_rows(answer.new_rows, PER_1000, CLASS_TEXTS)
    return _class_text(
        "sentence",
        use=class_use(members, answer.member, models, classes, yours),
        best=CLASS_TEXTS[answer.best] if answer.best else "",
        wrong=_class_text("wrong", wrong=per_100(answer.error_rate)),
        misses=_misses(answer.miss_rates, classes),
        costs=known or _class_text("costs", cost=amount(answer.cost, PER_1000), unit=unit),
        saves=_class_saving(answer, members, models, classes),
    )


def _class_saving(
    answer: CostAnswer, members: Members, models: Sequence[str], classes: Sequence[str]
) -> str:
    """Say what is saved against the most likely class, or without one against one class for all."""
    place, cost = answer.always, answer.always_cost
    if answer.plain is not None and answer.plain_cost is not None:
        place, cost = answer.plain, answer.plain_cost
    saved = cost - (answer.cost if answer.new_rows is None else answer.new_rows.expected)
    shown = amount(abs(saved), PER_1000)
    if place == answer.member or shown == "0":
        return ""
    kind = "label_always" if answer.plain is None else "plain_baseline"
    baseline = _class_text(kind, **_member_names(members, place, models, classes))
    words, bounds = "saves" if saved > 0 else "costs_more", ""
    if answer.saves_interval is not None:
        low, high = (amount(end, PER_1000) for end in _signed(answer.saves_interval, saved))
        is_certain = answer.saves_interval.low > 0 or answer.saves_interval.high < 0
        doubt = "" if is_certain else CLASS_TEXTS["doubt"]
        bounds = _class_text("saves_bounds", low=low, high=high, doubt=doubt)
    unit = PER_1000.unit or ""
    return _class_text(words, amount=shown, unit=unit, baseline=baseline, bounds=bounds)


def _signed(interval: Interval, saved: float) -> Interval:
    """Return bounds of what is saved, or of what is lost."""
    return interval if saved > 0 else Interval(-interval.high, -interval.low)


def class_on_rows(
    answer: CostAnswer,
    members: Members,
    models: Sequence[str],
    classes: Sequence[str],
    yours: Sequence[tuple[float, ...]],
) -> str:
    """Say what is cheapest on the evaluation rows, beside a choice that is not chosen for that."""
    if answer.best in {"best", ""}:
        return ""
    if answer.cost <= answer.cheapest_cost * (1 + CLOSE):
        return CLASS_TEXTS["on_rows_too"]
    return _class_text(
        "on_rows",
        label=class_label(members, answer.cheapest, models, classes, yours),
        cost=amount(answer.cheapest_cost, PER_1000),
        own=amount(answer.cost, PER_1000),
        unit=PER_1000.unit or "",
    )


def class_remark(note: str, on_these_rows: str) -> str:
    """Join why there is no expected cost with what is cheapest on the evaluation rows."""
    if note and on_these_rows:
        return _class_text("remarks", first=note, second=on_these_rows)
    return note or on_these_rows


def class_use(
    members: Members,
    place: int,
    models: Sequence[str],
    classes: Sequence[str],
    yours: Sequence[tuple[float, ...]],
) -> str:
    """Say what to use, as the beginning of a sentence; `yours` are the costs of the question."""
    names, settings = _member_names(members, place, models, classes), members.settings[place]
    if settings:
        names["model"] = _class_text(
            "with_settings", model=names["model"], settings=escape_controls(settings)
        )
    return _class_text(member_kind(members, place, yours), **names)


def class_label(
    members: Members,
    place: int,
    models: Sequence[str],
    classes: Sequence[str],
    yours: Sequence[tuple[float, ...]],
) -> str:
    """Say what is used in few words, for a table."""
    kind = member_kind(members, place, yours)
    return _class_text(f"label_{kind}", **_member_names(members, place, models, classes))


def member_kind(members: Members, place: int, yours: Sequence[tuple[float, ...]]) -> RuleKind:
    """Return the kind of rule: by the costs of the question, perhaps corrected, or by weights."""
    kind = members.rule[place]
    if kind == "least_expected_cost" and members.costs[place] not in yours:
        return "least_weighted_sum"
    return kind


def own_costs_note(members: Members, place: int, yours: Sequence[tuple[float, ...]]) -> str:
    """Say what the numbers are that a member multiplies probabilities by; empty without any."""
    costs, kind = members.costs[place], member_kind(members, place, yours)
    if costs is None:
        return ""
    if kind == "most_likely_class":
        return CLASS_TEXTS["own_equal"]
    if kind == "least_weighted_sum":
        return CLASS_TEXTS["own_weights"]
    return CLASS_TEXTS["own_costs" if costs == yours[0] else "own_corrected"]


def _member_names(
    members: Members, place: int, models: Sequence[str], classes: Sequence[str]
) -> dict[str, str]:
    model = members.model[place]
    return (
        {"class": escape_controls(classes[-1 - model])}
        if model < 0
        else {"model": escape_controls(models[model])}
    )


def class_facts(
    answer: CostAnswer,
    members: Members,
    models: Sequence[str],
    classes: Sequence[str],
    yours: Sequence[tuple[float, ...]],
) -> dict[str, str]:
    """Return the numbers beside a sentence, and notes on them, by name."""
    note = ("cost_note", "cost_note_one_equal", "cost_note_equals")[min(answer.equals, 2)]
    error, equals = amount(answer.standard_error, PER_1000), counted(answer.equals)
    facts = {
        "cost": amount(answer.cost, PER_1000),
        "cost-note": _class_text(note, error=error, equals=equals),
        "wrong": per_100(answer.error_rate),
        "always": amount(answer.always_cost, PER_1000),
        "always-note": class_label(members, answer.always, models, classes, yours),
    }
    if answer.plain is not None and answer.plain_cost is not None:
        best = escape_controls(models[members.model[answer.plain]])
        facts["plain"] = amount(answer.plain_cost, PER_1000)
        facts["plain-note"] = _class_text("best_model", model=best)
    if answer.new_rows is not None:
        ends = answer.new_rows.low, answer.new_rows.high
        low, high = (amount(end, PER_1000) for end in ends)
        facts["new-rows"] = amount(answer.new_rows.expected, PER_1000)
        facts["new-rows-note"] = _class_text("interval", low=low, high=high)
    return facts


def _misses(rates: tuple[float, ...], classes: Sequence[str]) -> str:
    """Say how much of which class is missed: of each class, or of those missed most."""
    worst = sorted(range(len(rates)), key=lambda place: (-rates[place], place))
    if not rates[worst[0]]:
        return _class_text("no_misses")
    many = len(classes) > MOST_MISSES
    places = worst[:3] if many else range(len(rates))
    missed = [
        _class_text(
            "missed", missed=per_100(rates[place]), **{"class": escape_controls(classes[place])}
        )
        for place in places
        if rates[place]
    ]
    joined = missed[0]
    for number, part in enumerate(missed[1:], start=2):
        name = "and" if number == len(missed) else "comma"
        joined = _class_text(name, first=joined, second=part)
    return _class_text("worst_misses" if many else "misses", misses=joined)


def _class_text(name: str, **slots: str) -> str:
    return CLASS_TEXTS[name].format_map(slots)


def relative(costs: tuple[float, ...]) -> tuple[str, ...]:
    """Write costs to be read: as parts of 100 of the largest, in three digits."""
    most = max(costs) or 1.0
    return tuple(significant(100 * cost / most, 3) for cost in costs)
