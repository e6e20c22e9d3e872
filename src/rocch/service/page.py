"""What the page shows: numbers in words, the form of the question, and the parts of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from rocch.numbers import money, significant
from rocch.roc.conditions import Interval
from rocch.roc.question import Question
from rocch.service.pictures import (
    PERCENT,
    capital,
    count,
    fine_percent,
    key_of,
    minutes_picture,
    percent,
    prevalence_picture,
    rates,
    short,
    span,
    whole,
)

if TYPE_CHECKING:
    from rocch.roc.question import Question
    from rocch.roc.question_fields import QuestionField


LABELS = {
    "prevalence": "Share of positives",
    "false_positive": "False alarm costs",
    "false_negative": "Miss costs",
    "max_fpr": "False alarms, at most",
    "negatives_per_positive": "Negatives per positive",
    "true_positive": "Hit costs",
    "true_negative": "True negative costs",
    "cost_ratio": "A miss is this many times as bad",
    "likely": "Most likely this many times",
    "min_tpr": "Positives found, at least",
    "max_share": "Alarms, at most",
    "capacity": "Alarms that can be checked",
    "population": "Population",
    "positives": "Positives",
    "negatives": "Negatives",
    "maximize": "Maximize",
    "knob": "Knob",
    "randomize": "A coin may choose",
}
"""Fields in the order of the form."""
USUAL = ("prevalence", "false_positive", "false_negative", "max_fpr")
"""Fields that are always in sight."""
HALVES = ("false_positive", "false_negative", "positives", "negatives")
"""Fields that stand side by side."""
ALONE = ("knob", "randomize")
"""Fields with a place of their own."""


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


def stated(question: Question) -> list[list[str]]:
    """Return the fields that a question states, by their labels."""
    return [[LABELS[name], write(question, name)] for name in LABELS if name in question.given]


def changes(before: Question, after: Question) -> list[list[str]]:
    """Return what differs between two questions: label, before and after.

    Examples
    --------
    >>> from rocch import Question
    >>> from rocch.service.page import changes
    >>> changes(Question(max_fpr=0.05), Question(max_fpr=0.1, randomize=True))
    [['False alarms, at most', '0.05', '0.1'], ['A coin may choose', 'not stated', 'yes']]
    """
    rows = [[label, write(before, name), write(after, name)] for name, label in LABELS.items()]
    return [
        [label, one or "not stated", other or "not stated"]
        for label, one, other in rows
        if one != other
    ]


def write(question: Question, name: str) -> str:
    """Write a field as it would be typed, with a few digits."""
    value: Any = getattr(question, name)
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, str):
        return value
    digits = 4 if name == "knob" else 6
    ends = value if isinstance(value, Interval) else (value,)
    return "..".join("inf" if math.isinf(end) else significant(end, digits) for end in ends)


Parts: TypeAlias = list[Any]
Plain: TypeAlias = dict[str, Any]

SOURCES = {
    "operator": "an operator",
    "command line": "the command line of the service",
    "default": "the default; nobody has aimed it",
    "tuner": "the tuner",
}
FOR = {
    "new rows": "Aimed for new rows.",
    "evaluation rows": "Aimed exactly on the evaluation rows.",
}
KINDS = {
    "outcomes": "outcomes",
    "load": "load",
    "too_many_alarms": "too many alarms",
    "queue_not_filled": "queue not filled",
}
TUNERS = {"advise": "It advises and moves nothing itself", "follow": "It moves the knob"}
TURNING = {
    "operator": "Turning it starts a new aim; nothing moves before you put it in force. Arrow keys "
    "go from vertex to vertex.",
    "viewer": "Only an operator can turn it.",
}
COIN = "Decisions will toss a coin: callers must send row_keys, and are refused (422) without."
TITLE = "rocch service"
FOOTER = ". This page asks the service and nobody else."
UNKNOWN = "not known"


def page_of(status: Plain, question: Question) -> Plain:
    """Return what the page shows of a status, whose aim has this question."""
    in_force, prevalence, tuner = status["in_force"], status["prevalence"], status["tuner"]
    point, counts, feedback = in_force["point"], in_force["counts"], status["feedback"]
    warnings = status["warnings"]
    lead = f"rocch {status['rocch']}, started "
    return {
        "title": f"({len(warnings)}) {TITLE}" if warnings else TITLE,
        "parts": {
            "warnings": [["li", {}, {"strong": "Warning: "}, each["message"]] for each in warnings],
            "about": [_about(status)],
            "sentence": [capital(in_force["rule"]) + "."],
            "sql": [in_force["sql"]] if in_force["sql"] else [],
            "source": _source(status["aim"], in_force["source"]),
            "facts": _terms(_facts(point, counts)),
            "facts-note": [_counted(prevalence, counts, point)],
            "knob-hint": [TURNING[status["role"]]],
            "conditions": _terms(_conditions(status["aim"], question)),
            "minutes-words": [_hour(status["decisions"], counts["alarms"])],
            "minutes": minutes_picture(status["decisions"]),
            "prevalence-words": [_prevalence(prevalence)],
            "prevalence": prevalence_picture(prevalence),
            "feedback-words": [_feedback(feedback, point)],
            "feedback": [_event(each) for each in feedback["recent"]],
            "tuner-words": [_tuner(tuner)],
            "tuner": [] if tuner is None else [_move(move) for move in tuner["moves"]],
            "library": _terms(_library(status["library"])),
            "footer": [lead, {"time": status["started_at"]}, FOOTER],
        },
    }


def preview_of(now: Plain, then: Plain, questions: tuple[Question, Question]) -> Plain:
    """Return what would change: both hold a rule's words, its point and expected counts."""
    moves = [now["rule"], rates(now["point"])] != [then["rule"], rates(then["point"])]
    comparison = [
        ["FPR", percent(now["point"]["fpr"]), percent(then["point"]["fpr"])],
        ["TPR", percent(now["point"]["tpr"]), percent(then["point"]["tpr"])],
        ["Alarms of 1,000", *(span(each["counts"]["alarms"], whole) for each in (now, then))],
        ["Misses of 1,000", *(span(each["counts"]["misses"], whole) for each in (now, then))],
    ]
    costs = [_new_rows(each["point"]["new_rows"]) for each in (now, then)]
    if set(costs) != {UNKNOWN}:
        comparison.append(["Cost on new rows", *costs])
    lead = "Would move to: " if moves else "It would stay where it is: "
    return {
        "sentence": [lead, {"strong": then["rule"]}, ". ", FOR[then["point"]["aimed_for"]]],
        "comparison": comparison if moves else [],
        "changes": [
            ["Rule", now["rule"], then["rule"]],
            ["Rates", rates(now["point"]), rates(then["point"])],
            *changes(*questions),
        ],
        "coin": COIN if len(then["point"]["mix"]) > 1 else None,
    }


def vertex_facts(vertex: Plain, negatives: float, positives: float) -> Plain:
    """Return a vertex in words, and its details."""
    threshold = vertex["deployed_threshold"]
    if isinstance(threshold, float) and math.isfinite(threshold):
        threshold = significant(threshold, 6)
    at = "" if threshold is None else f" at {threshold}"
    alarms, hits = whole(vertex["false_positives"]), whole(vertex["true_positives"])
    details = [
        ["Rule", [vertex["rule"]]],
        ["Classifier", [", ".join(vertex["classifiers"])]],
        *_if(threshold, "Threshold", str(threshold)),
        ["False alarms", [f"{alarms} of {whole(negatives)}, FPR {percent(vertex['fpr'])}"]],
        ["Hits", [f"{hits} of {whole(positives)}, TPR {percent(vertex['tpr'])}"]],
        ["Knob", [short(vertex["knob"])]],
    ]
    return {"words": f"{vertex['classifier']}{at}: {rates(vertex)}", "details": _terms(details)}


def _about(status: Plain) -> str:
    library = status["library"]
    note = f" ({library['note']})" if library["note"] else ""
    version = f"library version {library['version']}{note}"
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


def _counted(prevalence: Plain, counts: Plain, point: Plain) -> str:
    whose = "the assumed prevalence" if prevalence["assumed"] else "the evaluation rows' prevalence"
    share = span(counts["prevalence"], percent)
    words = f"Cases counted at {whose}, {share}; rates are those on the evaluation rows."
    note = point["new_rows"]["note"]
    missing = f" No expected cost on new rows: {note}." if note else ""
    return f"{words} {FOR[point['aimed_for']]}{missing}"


def _facts(point: Plain, counts: Plain) -> Parts:
    of = {"small": "of 1,000 cases"}
    facts = [
        ["False alarms (FPR)", [percent(point["fpr"]), {"small": "of the negatives"}]],
        ["Hits (TPR)", [percent(point["tpr"]), {"small": "of the positives"}]],
        ["Alarms to expect", [span(counts["alarms"], whole), of]],
        ["Hits among them", [span(counts["hits"], whole), of]],
        ["Misses", [span(counts["misses"], whole), of]],
    ]
    if point["expected_cost"] is not None:
        on_these = {"small": "per case, on the evaluation rows"}
        facts.append(["Cost", [money(point["expected_cost"]), on_these]])
    cost = point["new_rows"]
    if cost["expected"] is not None:
        about = f"per case, expected ({_interval(cost)})"
        facts.append(["Cost on new rows", [money(cost["expected"]), {"small": about}]])
    return facts


def _new_rows(cost: Plain) -> str:
    if cost["expected"] is None:
        return UNKNOWN
    return f"{money(cost['expected'])} ({_interval(cost)})"


def _interval(cost: Plain) -> str:
    ends = span((cost["low"], cost["high"]), money)
    return f"{100 * cost['confidence']:.3g}{PERCENT}: {ends}"


def _conditions(aim: Plain, question: Question) -> Parts:
    fields = [[label, [value]] for label, value in stated(question)]
    return [
        *(fields or [["Aim", [aim["words"]]]]),
        ["Tuning by feedback", [aim["tuning"]]],
        ["From", [SOURCES[aim["source"]]]],
        *_if(aim["by"], "By", aim["by"]),
        *_if(aim["at"], "Since", {"time": aim["at"]}),
        *_if(aim["note"], "Note", aim["note"]),
    ]


def _library(library: Plain) -> Parts:
    judged, pending = library["judged"], library["pending"] or {"version": "", "problem": ""}
    negatives, positives = judged["negatives"], judged["positives"]
    share = percent(positives / (negatives + positives))
    note = f", {library['note']}" if library["note"] else ""
    names = enumerate(library["classifiers"])
    return [
        ["Version", [f"{library['version']}{note}"]],
        *_if(library["exported_at"], "Exported", {"time": library["exported_at"]}),
        ["Loaded", [{"time": library["loaded_at"]}]],
        *_if(pending["problem"], "Waiting", f"version {pending['version']}: {pending['problem']}"),
        [
            "Evaluated on",
            [f"{whole(negatives)} negatives and {whole(positives)} positives ({share})"],
        ],
        ["Decides on", ["features" if library["takes_features"] else "precomputed scores"]],
        [
            "Classifiers",
            [["span", {"class": "chip"}, key_of(place), name] for place, name in names],
        ],
        ["SHA-256", [{"code": library["sha256"]}]],
    ]


def _if(known: Any, term: str, part: Any) -> Parts:
    """Return a term with its part, or nothing."""
    return [[term, [part]]] if known else []


def _hour(decisions: Plain, expected: Sequence[float]) -> str:
    rows, alarms = sum(decisions["per_minute"]), sum(decisions["alarms_per_minute"])
    total = decisions["total"]
    if not rows:
        return f"No decisions in the last hour; {count(total, 'decision')} since the start."
    share = span([each / 1000 for each in expected], percent)
    return (
        f"The last hour: {count(rows, 'decision')}, {count(alarms, 'alarm')} "
        f"({percent(alarms / rows)}; expected {share}). {whole(total)} since the start."
    )


def _prevalence(now: Plain) -> str:
    assumed, interval, problem = now["assumed"], now["interval"], now["problem"]
    held = "The aim assumes no prevalence."
    if assumed:
        held = f"Assumed: {span(assumed, fine_percent)}."
    if now["estimated"] is None:
        missing = f"No estimate yet: it takes more decided rows ({whole(now['rows'])} so far)."
        return f"{held} {capital(problem) + '.' if problem else missing}"
    near = f" ({span(interval, fine_percent)})" if interval else ""
    model = f", by the scores of {now['model']}" if now["model"] else ""
    rows = f"from the last {count(now['rows'], 'row')}{model}."
    words = [f"Estimated: {fine_percent(now['estimated'])}{near} {rows}", held]
    if assumed and interval:
        meet = assumed[0] <= interval[1] and interval[0] <= assumed[1]
        words.append("The two agree." if meet else "The two do not agree.")
    return " ".join([*words, *([problem] if problem else [])])


def _feedback(feedback: Plain, point: Plain) -> str:
    if not feedback["events"]:
        return "None has come yet."
    words, observed = f"{count(feedback['events'], 'event')} kept.", feedback["observed"]
    if observed is None:
        return words
    rows = count(observed["rows"], "row")
    return f"{words} Observed over {rows}: {rates(observed)}; expected: {rates(point)}."


def _event(event: Plain) -> Parts:
    rows = f", {count(event['rows'], 'row')}" if event["rows"] else ""
    what = f"{KINDS.get(event['kind'], event['kind'])}{rows}."
    kind = {"class": "moved"} if event["moved"] else {}
    return ["li", kind, {"time": event["at"]}, _happened(what, event["words"] or "")]


def _tuner(tuner: Plain | None) -> str:
    if tuner is None:
        return "Off: feedback is kept, and moves nothing."
    place, step = short(tuner["position"]), short(tuner["step"])
    return f"{TUNERS[tuner['mode']]}: at {place} of the knob, in steps of {step}."


def _move(move: Plain) -> Parts:
    what = f"{short(move['from'])} → {short(move['to'])}."
    return ["li", {}, {"time": move["at"]}, _happened(what, move["why"])]


def _happened(what: str, why: str) -> Parts:
    return ["span", {}, {"strong": what}, f" {why}"]


def _terms(pairs: Parts) -> Parts:
    """Return terms and what they are, for a list of descriptions."""
    return [["div", {}, ["dt", {}, term], ["dd", {}, *parts]] for term, parts in pairs]
