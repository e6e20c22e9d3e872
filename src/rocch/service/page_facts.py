"""What the page shows, ready to be shown: texts, lists and marks by the elements that hold them.

A text is a list of parts: strings, and objects with one key, which is how to show their value:
{"time": an ISO text}, {"chip": a classifier}, or the name of an HTML element, as {"small": text}.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from rocch.numbers import money
from rocch.service.form import changes, stated
from rocch.service.wording import (
    PERCENT,
    capital,
    count,
    fine_percent,
    percent,
    rates,
    short,
    span,
    whole,
)

if TYPE_CHECKING:
    from rocch.roc.question import Question

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
UNKNOWN = "not known"
ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


def page_of(status: Plain, question: Question) -> Plain:
    """Return what the page shows of a status, whose aim has this question."""
    in_force, prevalence = status["in_force"], status["prevalence"]
    return {
        "title": f"({len(status['warnings'])}) {TITLE}" if status["warnings"] else TITLE,
        "warnings": [[{"strong": "Warning: "}, each["message"]] for each in status["warnings"]],
        "texts": {
            "about": [_about(status)],
            "sentence": [capital(in_force["rule"]) + "."],
            "sql": [in_force["sql"]] if in_force["sql"] else [],
            "source": _source(status["aim"], in_force["source"]),
            "facts-note": [_counted(prevalence, in_force["counts"], in_force["point"])],
            "knob-hint": [TURNING[status["role"]]],
            "minutes-words": [_hour(status["decisions"], in_force["counts"]["alarms"])],
            "prevalence-words": [_prevalence(prevalence)],
            "feedback-words": [_feedback(status["feedback"], in_force["point"])],
            "tuner-words": [_tuner(status["tuner"])],
            "footer": [
                f"rocch {status['rocch']}, started ",
                {"time": status["started_at"]},
                ". This page asks the service and nobody else.",
            ],
        },
        "lists": {
            "facts": _facts(in_force["point"], in_force["counts"]),
            "conditions": _conditions(status["aim"], question),
            "library": _library(status["library"]),
        },
        "events": {
            "feedback": [_event(each) for each in status["feedback"]["recent"]],
            "tuner": [_move(each) for each in (status["tuner"] or {"moves": ()})["moves"]],
        },
        "minutes": _minutes(status["decisions"]),
        "prevalence": _lanes(prevalence),
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
    written = (
        short(threshold) if isinstance(threshold, float) and math.isfinite(threshold) else threshold
    )
    at = "" if threshold is None else f" at {written}"
    hits = f"{whole(vertex['true_positives'])} of {whole(positives)}, TPR {percent(vertex['tpr'])}"
    alarms = (
        f"{whole(vertex['false_positives'])} of {whole(negatives)}, FPR {percent(vertex['fpr'])}"
    )
    return {
        "words": f"{vertex['classifier']}{at}: {rates(vertex)}",
        "details": [
            ["Rule", [vertex["rule"]]],
            ["Classifier", [", ".join(vertex["classifiers"])]],
            *([] if threshold is None else [["Threshold", [str(written)]]]),
            ["False alarms", [alarms]],
            ["Hits", [hits]],
            ["Knob", [short(vertex["knob"])]],
        ],
    }


def legend_of(vertices: list[Plain], names: list[str]) -> list[Plain]:
    """Return the classifiers on the hull, with the number of their marks."""
    marks = Counter(vertex["place"] for vertex in vertices)
    return [
        {"name": name, "place": place, "marks": count(marks[place], "mark")}
        for place, name in enumerate(names)
        if marks[place]
    ]


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
        ["Classifiers", [{"chip": name, "place": place} for place, name in names]],
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


def _event(event: Plain) -> Plain:
    rows = f", {count(event['rows'], 'row')}" if event["rows"] else ""
    what = f"{KINDS.get(event['kind'], event['kind'])}{rows}."
    return {
        "at": event["at"],
        "what": what,
        "why": event["words"] or "",
        "moved": bool(event["moved"]),
    }


def _tuner(tuner: Plain | None) -> str:
    if tuner is None:
        return "Off: feedback is kept, and moves nothing."
    place, step = short(tuner["position"]), short(tuner["step"])
    return f"{TUNERS[tuner['mode']]}: at {place} of the knob, in steps of {step}."


def _move(move: Plain) -> Plain:
    what = f"{short(move['from'])} → {short(move['to'])}."
    return {"at": move["at"], "what": what, "why": move["why"], "moved": False}


def _minutes(decisions: Plain) -> Plain:
    rows, alarms = decisions["per_minute"], decisions["alarms_per_minute"]
    most, end = max(rows), _round_up(max(rows))
    titles = [
        f"{_ago(len(rows) - 1 - place)}: {count(n, 'decision')}, {count(alarm, 'alarm')}"
        for place, (n, alarm) in enumerate(zip(rows, alarms, strict=True))
    ]
    return {
        "rows": [100 * n / end for n in rows],
        "alarms": [100 * n / end for n in alarms],
        "titles": titles,
        "most": whole(end),
        "label": f"Decisions per minute, at most {count(most, 'row')} in one",
    }


def _ago(minutes: int) -> str:
    return f"{count(minutes, 'minute')} ago" if minutes else "this minute"


def _lanes(now: Plain) -> Plain | None:
    """Return ranges on one axis from 0: what was assumed, and what the last scores tell."""
    assumed, estimated, interval = now["assumed"], now["estimated"], now["interval"]
    if assumed is None and estimated is None:
        return None
    end = min(1.0, _round_up(1.05 * max(*(assumed or ()), *(interval or ()), estimated or 0, 0)))

    def mark(kind: str, ends: Sequence[float]) -> Plain:
        left, width = 100 * ends[0] / end, 100 * (ends[1] - ends[0]) / end
        return {"kind": kind, "left": left, "width": width, "title": span(ends, percent)}

    lanes = []
    if assumed:
        lanes.append({"name": "assumed", "marks": [mark("assumed-range", assumed)]})
    if estimated is not None:
        marks = [mark("interval", interval)] if interval else []
        marks.append(mark("estimate", (estimated, estimated)))
        lanes.append({"name": "estimated", "marks": marks})
    return {"lanes": lanes, "ticks": [fine_percent(share) for share in (0, end / 2, end)]}


def _round_up(value: float) -> float:
    """Return a round number at or above a value, for the end of an axis."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (*ROUND, 20) if m * power >= value * (1 - 1e-12))
