"""The form of the question on the page: its layout, and how values are written in it."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from rocch.numbers import significant
from rocch.roc.conditions import Interval
from rocch.roc.question import Question

if TYPE_CHECKING:
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
    >>> from rocch.service.form import changes
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
