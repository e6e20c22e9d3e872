"""What the page shows: facts in words, the form of the question, and the parts of the page.

A part is a text; an element as a list of its tag, attributes and parts; or an object whose key is
how to show its value: {"time": ISO text}, or a tag, as {"small": text}.
"""

from __future__ import annotations

import math
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from rocch.errors import format_count
from rocch.hybrid.hybrid import COUNTED, EXPECTED
from rocch.numbers import count_cases, money, significant
from rocch.roc.conditions import Interval
from rocch.roc.guarantee import Guarantee
from rocch.roc.question import Question
from rocch.roc.savings import NEW_ROWS
from rocch.service.pictures import (
    PERCENT,
    color_key,
    fine_percent,
    minutes_picture,
    percent,
    prevalence_picture,
    span,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.roc.question_fields import QuestionField

Parts: TypeAlias = list[Any]
Plain: TypeAlias = dict[str, Any]

# Expected counts are for this many cases.
CASES = 1000

# Labels of the question's fields, in the order of the form.
LABELS = {
    "prevalence": "Share of positives",
    "false_positive": "False alarm costs",
    "false_negative": "Miss costs",
    "max_fpr": "False alarms, at most",
    "confidence": "Limits hold on new rows, confidence",
    "negatives_per_positive": "Negatives per positive",
    "true_positive": "Hit costs",
    "true_negative": "True negative costs",
    "cost_ratio": "A miss is this many times as bad",
    "likely": "Most likely this many times",
    "min_tpr": "Positives found, at least",
    "min_precision": "Hits among alarms, at least",
    "max_share": "Alarms, at most",
    "capacity": "Alarms that can be checked",
    "population": "Population",
    "positives": "Positives",
    "negatives": "Negatives",
    "max_cost": "Cost per case, at most",
    "refer_cost": "Referred case costs",
    "max_referred": "Referred cases, at most",
    "max_wrong": "Wrong among those decided, at most",
    "maximize": "Maximize",
    "knob": "Knob",
    "randomize": "A coin may choose",
    "currency": "Currency",
    "cases_per_month": "Cases in a month",
}
# Fields that are always in sight.
USUAL = ("prevalence", "false_positive", "false_negative", "max_fpr", "confidence")
# Fields that stand side by side.
HALVES = ("false_positive", "false_negative", "positives", "negatives")
# Fields with a place of their own.
ALONE = ("knob", "randomize")

SOURCES = {
    "operator": "an operator",
    "command line": "the command line of the service",
    "default": "the default; nobody has aimed it",
    "tuner": "the tuner",
}
TUNERS = {"advise": "It advises and moves nothing itself", "follow": "It moves the knob"}
TURNING = {
    "operator": "Turning it starts a new aim; nothing moves before you put it in force. Arrow keys "
    "go from vertex to vertex.",
    "viewer": "Only an operator can turn it.",
}
TARGETS = {
    "new rows": "Aimed for new rows.",
    "evaluation rows": "Aimed exactly on the evaluation rows.",
}
COIN = "Decisions will toss a coin: callers must send row_keys, and are refused (422) without."
TITLE = "rocch service"
# Features that are listed.
MOST_NAMES = 12
UNKNOWN = "not known"


def form_html() -> dict[str, str]:
    """Return the fields of the form as HTML: the usual ones, the others, and the knob."""
    fields = {about.name: about for about in Question.fields()}
    others = [name for name in LABELS if name not in (*USUAL, *ALONE)]
    return {
        "usual": "\n".join(_row(fields[name]) for name in USUAL),
        "more": "\n".join(_row(fields[name]) for name in others),
        "knob": _row(fields["knob"]),
    }


def _row(about: QuestionField) -> str:
    name, half = f"aim-{about.name}", " half" if about.name in HALVES else ""
    return (
        f'<div class="field{half}"><label for="{name}">{escape(LABELS[about.name])}</label>\n'
        f'<input type="text" id="{name}" name="{about.name}" autocomplete="off" '
        f'spellcheck="false" maxlength="60" placeholder="{escape(about.example)}" '
        f'aria-describedby="{name}-hint {name}-problem">\n'
        f'<p class="hint" id="{name}-hint">{escape(about.help)}</p>\n'
        f'<p class="problem" id="{name}-problem" aria-live="polite"></p></div>'
    )


def label_fields(question: Question) -> dict[str, str]:
    """Return the fields that a question states, by their labels."""
    return {LABELS[name]: _type_field(question, name) for name in LABELS if name in question.given}


def list_changes(before: Question, after: Question) -> list[list[str]]:
    """Return what differs between two questions: label, before and after.

    Examples
    --------
    >>> from rocch import Question
    >>> from rocch.service.page import list_changes
    >>> list_changes(Question(max_fpr=0.05), Question(max_fpr=0.1, randomize=True))
    [['False alarms, at most', '0.05', '0.1'], ['A coin may choose', 'not stated', 'yes']]
    """
    one, other = label_fields(before), label_fields(after)
    return [
        [label, one.get(label, "not stated"), other.get(label, "not stated")]
        for label in LABELS.values()
        if one.get(label) != other.get(label)
    ]


def _type_field(question: Question, name: str) -> str:
    """Write a field as it would be typed, with a few digits."""
    value: Any = getattr(question, name)
    if value is True:
        return "yes"
    if isinstance(value, str):
        return value
    digits = 4 if name == "knob" else 6
    ends = value if isinstance(value, Interval) else (value,)
    return "..".join("inf" if math.isinf(end) else significant(end, digits) for end in ends)


def make_page(status: Plain, question: Question) -> Plain:
    """Return what the page shows of a status, whose policy has this question."""
    active, prevalence, tuner = status["in_force"], status["prevalence"], status["tuner"]
    point, counts, feedback = active["point"], active["counts"], status["feedback"]
    warnings, started = status["warnings"], {"time": status["started_at"]}
    footer = ". This page asks the service and nobody else."
    return {
        "title": f"({len(warnings)}) {TITLE}" if warnings else TITLE,
        "parts": {
            "warnings": [["li", {}, {"strong": "Warning: "}, each["message"]] for each in warnings],
            "about": [_about(status)],
            "sentence": [capitalize(active["rule"]) + "."],
            "sql": [active["sql"]] if active["sql"] else [],
            "source": _source(status["aim"], active["source"]),
            "facts": _terms(_facts(point, counts)),
            "facts-note": [_facts_note(prevalence, counts, point)],
            "knob-hint": [TURNING[status["role"]]],
            "conditions": _terms(_conditions(status["aim"], question)),
            "workers": [_workers(status["workers"])] if len(status["workers"]) > 1 else [],
            "minutes-words": [_last_hour(status["decisions"], counts["alarms"])],
            "minutes": minutes_picture(status["decisions"]),
            "prevalence-words": [_prevalence(prevalence)],
            "prevalence": prevalence_picture(prevalence),
            "feedback-words": [_feedback(feedback, point)],
            "feedback": [_event(each) for each in feedback["recent"]],
            "tuner-words": [_tuner(tuner)],
            "tuner": [] if tuner is None else [_move(move) for move in tuner["moves"]],
            "model": _terms(_model(status["model"])),
            "footer": [f"rocch {status['rocch']}, started ", started, footer],
        },
    }


def make_preview(now: Plain, then: Plain, questions: tuple[Question, Question]) -> Plain:
    """Return what would change: both hold a rule's words, its point and expected counts."""
    moves = [now["rule"], write_rates(now["point"])] != [then["rule"], write_rates(then["point"])]
    both = (now, then)
    comparison = [
        ["FPR", *(percent(each["point"]["fpr"]) for each in both)],
        ["TPR", *(percent(each["point"]["tpr"]) for each in both)],
        ["Alarms of 1,000", *(span(each["counts"]["alarms"], count_cases) for each in both)],
        ["Misses of 1,000", *(span(each["counts"]["misses"], count_cases) for each in both)],
    ]
    known, new = (each["point"]["rates_are"] for each in both)
    bases = "" if known == new else f" Rates now are those {known}, and then those {new}."
    if any(each["point"]["referral"] for each in both):
        referred = (span(each["counts"]["referred"], count_cases) for each in both)
        comparison.append(["Referred of 1,000", *referred])
    costs = [_new_rows_cost(each["point"]["new_rows"]) for each in both]
    if set(costs) != {UNKNOWN}:
        comparison.append(["Cost on new rows", *costs])
    sure = then["point"]["guarantee"]
    lead = "Would move to: " if moves else "It would stay where it is: "
    return {
        "sentence": [
            *(lead, {"strong": then["rule"]}, ". ", TARGETS[then["point"]["aimed_for"]]),
            *([" ", write_guarantee(sure)] if sure else []),
            *_saving(then["point"]["savings"]),
            *([bases] if bases and moves else []),
        ],
        "comparison": comparison if moves else [],
        "changes": [
            ["Rule", now["rule"], then["rule"]],
            ["Rates", write_rates(now["point"]), write_rates(then["point"])],
            *list_changes(*questions),
        ],
        "coin": COIN if len(then["point"]["mix"]) > 1 else None,
    }


def expected_counts(point: Plain, prevalence: Sequence[float]) -> dict[str, list[float]]:
    """Return what to expect of 1,000 cases at a prevalence from low to high.

    Examples
    --------
    >>> from rocch.service.page import expected_counts
    >>> expected_counts({"fpr": 0.1, "tpr": 0.5}, (0.2, 0.4))["misses"]
    [100.0, 200.0]
    """
    fpr, tpr = point["fpr"], point["tpr"]
    referral = point.get("referral") or {}
    positives, negatives = (
        referral.get(f"referred_{name}", 0.0) for name in ("positives", "negatives")
    )
    per_case = {
        "alarms": [p * tpr + (1 - p) * fpr for p in prevalence],
        "hits": [p * tpr for p in prevalence],
        "misses": [p * (1 - tpr - positives) for p in prevalence],
        "false_alarms": [(1 - p) * fpr for p in prevalence],
        "referred": [p * positives + (1 - p) * negatives for p in prevalence],
    }
    counts = {name: sorted(CASES * share for share in ends) for name, ends in per_case.items()}
    return {"prevalence": list(prevalence), **counts}


def vertex_facts(vertex: Plain, negatives: float, positives: float) -> Plain:
    """Return a vertex in words, and its details."""
    threshold = vertex["threshold"]
    if isinstance(threshold, float) and math.isfinite(threshold):
        threshold = significant(threshold, 6)
    at = "" if threshold is None else f" at {threshold}"
    alarms, hits = whole(vertex["false_positives"]), whole(vertex["true_positives"])
    details = {
        "Rule": vertex["rule"],
        "Classifier": ", ".join(vertex["classifiers"]),
        "Threshold": None if threshold is None else str(threshold),
        "False alarms": f"{alarms} of {whole(negatives)}, FPR {percent(vertex['fpr'])}",
        "Hits": f"{hits} of {whole(positives)}, TPR {percent(vertex['tpr'])}",
        "Knob": significant(vertex["knob"], 4),
    }
    words = f"{vertex['classifier']}{at}: {write_rates(vertex)}"
    return {"words": words, "details": _terms(details)}


def write_rates(point: Plain) -> str:
    """Write FPR and TPR as far as they are known."""
    known = [(name.upper(), point[name]) for name in ("fpr", "tpr") if point[name] is not None]
    return ", ".join(f"{name} {percent(rate)}" for name, rate in known)


def capitalize(text: str) -> str:
    """Return a text with a capital letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def _about(status: Plain) -> str:
    model = status["model"]
    note = f" ({model['note']})" if model["note"] else ""
    version = f"model version {model['version']}{note}"
    return f"{version} · rocch {status['rocch']} · signed in as {status['role']}"


def _source(aim: Plain, source: str) -> Parts:
    if source == "default":
        return [f"Nobody has aimed it yet; this is the default: {aim['words']}."]
    by = f" by {aim['by']}" if aim["by"] else ""
    lead = {
        "tuner": f"The tuner moved it here by feedback. It began at the aim put in force{by}",
        "command line": "From the command line that started the service",
    }.get(source, f"Put in force{by}")
    note = f" “{aim['note']}”" if aim["note"] else ""
    since = [" since ", {"time": aim["at"]}] if aim["at"] else []
    return [lead, *since, f": {aim['words']}.{note}"]


def _facts(point: Plain, counts: Plain) -> Plain:
    of = {"small": "of 1,000 cases"}
    facts: Plain = {
        "False alarms (FPR)": [percent(point["fpr"]), {"small": "of the negatives"}],
        "Hits (TPR)": [percent(point["tpr"]), {"small": "of the positives"}],
        "Alarms to expect": [span(counts["alarms"], count_cases), of],
        "Hits among them": [span(counts["hits"], count_cases), of],
        "Misses": [span(counts["misses"], count_cases), of],
    }
    if point["referral"]:
        facts["Referred to a person"] = [span(counts["referred"], count_cases), of]
    cost = point["new_rows"]
    where, seen = point["rates_are"], point["cost_range"]
    if where == EXPECTED:  # that is the cost on new rows
        where, seen = COUNTED, [cost["on_evaluation_rows"]] * 2
    if seen is not None and seen[0] is not None:
        facts["Cost"] = [span(seen, money), {"small": f"per case, {where}"}]
    if cost["expected"] is not None:
        about = f"per case, expected ({_cost_interval(cost)})"
        expected = span(cost["expected_range"] or [cost["expected"]] * 2, money)
        facts["Cost on new rows"] = [expected, {"small": about}]
    savings = point["savings"]
    for each in savings["baselines"][:1] if savings else []:
        currency = f" {savings['currency']}" if savings["currency"] else ""
        ends = span(each["saves_interval"], money)
        level = f" ({100 * savings['confidence']:.3g}{PERCENT}: {ends})"
        saved = span(each["saves_range"] or [each["saves"]] * 2, money)
        level = "" if saved == ends else level
        about = f"per {savings['per']}, against {each['baseline']}{level}"
        facts[f"Saves on {savings['on']}"] = [f"{saved}{currency}", {"small": about}]
    return facts


def _facts_note(prevalence: Plain, counts: Plain, point: Plain) -> str:
    whose = "the assumed prevalence" if prevalence["assumed"] else "the evaluation rows' prevalence"
    share = span(counts["prevalence"], percent)
    words = f"Cases counted at {whose}, {share}; rates are those {point['rates_are']}."
    note, rates = point["new_rows"]["note"], point["new_rows"]["rates"]
    missing = f" No expected cost on new rows: {note}." if note else ""
    if rates is not None:
        missing = f" {rates['text'][0].upper()}{rates['text'][1:]}."
    sure = f" {write_guarantee(point['guarantee'])}" if point["guarantee"] else ""
    return f"{words}{sure} {TARGETS[point['aimed_for']]}{missing}"


def _saving(savings: Plain | None) -> Parts:
    """Say what a rule saves, against today's rule if that is known."""
    if not savings or not savings["baselines"]:
        return []
    where = " on new rows" if savings["on"] == NEW_ROWS else ""
    return [f" {capitalize(savings['baselines'][0]['text'])}{where}."]


def write_guarantee(guarantee: Plain) -> str:
    """Say what holds on new rows, and with which confidence."""
    return str(Guarantee(**guarantee))


def _new_rows_cost(cost: Plain) -> str:
    if cost["expected"] is None:
        return UNKNOWN
    return f"{money(cost['expected'])} ({_cost_interval(cost)})"


def _cost_interval(cost: Plain) -> str:
    ends = span((cost["low"], cost["high"]), money)
    return f"{100 * cost['confidence']:.3g}{PERCENT}: {ends}"


def _conditions(aim: Plain, question: Question) -> Plain:
    return {
        **(label_fields(question) or {"Aim": aim["words"]}),
        "Tuning by feedback": aim["tuning"],
        "From": SOURCES[aim["source"]],
        "By": aim["by"],
        "Since": aim["at"] and {"time": aim["at"]},
        "Note": aim["note"],
    }


def _model(model: Plain) -> Plain:
    judged, pending = model["judged"], model["pending"]
    negatives, positives = judged["negatives"], judged["positives"]
    share = percent(positives / (negatives + positives))
    note = f", {model['note']}" if model["note"] else ""
    names = enumerate(model["classifiers"])
    features = model["features"]
    return {
        "Version": f"{model['version']}{note}",
        "Saved": model["saved_at"] and {"time": model["saved_at"]},
        "Loaded": {"time": model["loaded_at"]},
        "Waiting": pending and f"{pending['name']}: {pending['problem']}",
        "Evaluated on": f"{whole(negatives)} negatives and {whole(positives)} positives ({share})",
        "Decides on": _list_names(features) if features else "precomputed scores",
        "Classifiers": [["span", {"class": "chip"}, color_key(i), name] for i, name in names],
        "SHA-256": {"code": model["sha256"]},
    }


def _list_names(features: list[str]) -> str:
    shown, more = ", ".join(features[:MOST_NAMES]), len(features) - MOST_NAMES
    return f"features: {shown} and {more} more" if more > 0 else f"features: {shown}"


def _last_hour(decisions: Plain, expected: Sequence[float]) -> str:
    rows, alarms = sum(decisions["per_minute"]), sum(decisions["alarms_per_minute"])
    total = decisions["total"]
    if not rows:
        since = format_count(total, "decision", ",")
        return f"No decisions in the last hour; {since} since the start."
    share = span([each / CASES for each in expected], percent)
    counts = f"{format_count(rows, 'decision', ',')}, {format_count(alarms, 'alarm', ',')}"
    rate = f"({percent(alarms / rows)}; expected {share})"
    return f"The last hour: {counts} {rate}. {total:,} since the start."


def _workers(workers: list[Plain]) -> str:
    """Say how many workers decide, and by what."""
    known = Counter(
        f"version {each['model_version']} and "
        + ("no operator's aim" if each["aim_id"] is None else f"aim {each['aim_id']}")
        for each in workers
    )
    many = f"{len(workers)} workers decide"
    if len(known) == 1:
        return f"{many}, all by {next(iter(known))}."
    return f"{many}: {', '.join(f'{count} by {what}' for what, count in known.items())}."


def _prevalence(now: Plain) -> str:
    assumed, interval, problem = now["assumed"], now["interval"], now["problem"]
    held = "The aim assumes no prevalence."
    if assumed:
        held = f"Assumed: {span(assumed, fine_percent)}."
    if now["estimated"] is None:
        missing = f"No estimate yet: it takes more decided rows ({now['rows']:,} so far)."
        return f"{held} {capitalize(problem) + '.' if problem else missing}"
    near = f" ({span(interval, fine_percent)})" if interval else ""
    model = f", by the scores of {now['model']}" if now["model"] else ""
    rows = f"from the last {format_count(now['rows'], 'row', ',')}{model}."
    words = [f"Estimated: {fine_percent(now['estimated'])}{near} {rows}", held]
    if assumed and interval:
        meet = assumed[0] <= interval[1] and interval[0] <= assumed[1]
        words.append("The two agree." if meet else "The two do not agree.")
    return " ".join([*words, *([problem] if problem else [])])


def _feedback(feedback: Plain, point: Plain) -> str:
    if feedback["events"] is None:
        return "Not known while the service's record cannot be reached."
    if not feedback["events"]:
        return "None has come yet."
    words = f"{format_count(feedback['events'], 'event', ',')} kept."
    observed = feedback["observed"]
    if observed is None:
        return words
    rows = format_count(observed["rows"], "row", ",")
    rates = f"{write_rates(observed)}; expected: {write_rates(point)}"
    return f"{words} Observed over {rows}: {rates}."


def _tuner(tuner: Plain | None) -> str:
    if tuner is None:
        return "Off: feedback is kept, and moves nothing."
    place, step = significant(tuner["position"], 4), significant(tuner["step"], 4)
    return f"{TUNERS[tuner['mode']]}: at {place} of the knob, in steps of {step}."


def _event(event: Plain) -> Parts:
    rows = f", {format_count(event['rows'], 'row', ',')}" if event["rows"] else ""
    what = f"{event['kind'].replace('_', ' ')}{rows}."
    kind = {"class": "moved"} if event["moved"] else {}
    return ["li", kind, {"time": event["at"]}, _what_and_why(what, event["words"] or "")]


def _move(move: Plain) -> Parts:
    what = f"{significant(move['from'], 4)} → {significant(move['to'], 4)}."
    return ["li", {}, {"time": move["at"]}, _what_and_why(what, move["why"])]


def _what_and_why(what: str, why: str) -> Parts:
    return ["span", {}, {"strong": what}, f" {why}"]


def _terms(facts: Plain) -> Parts:
    """Return terms and their parts as a list of descriptions; those without are left out."""
    return [
        ["div", {}, ["dt", {}, term], ["dd", {}, *(part if isinstance(part, list) else [part])]]
        for term, part in facts.items()
        if part
    ]
