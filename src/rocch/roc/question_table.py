"""The fields of questions as data; importing this loads nothing else, so that help is quick."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

# What a field holds: a share of 1, an interval of shares, an interval, an interval that may have no
# upper end, a number, the name of a metric, yes or no, a text; of many classes costs and shares by
# name.
Kind = Literal[
    "share", "shares", "range", "ratio", "number", "metric", "flag", "text", "costs", "priors"
]
Group = Literal["balance", "costs", "belief", "limits", "goal"]

METRIC_NAMES = (
    "tpr",
    "recall",
    "precision",
    "lift",
    "f1",
    "accuracy",
    "informedness",
    "geometric_mean",
    "matthews_correlation",
)

# Other names of measures; whoever takes the name of a measure takes these as well.
SYNONYMS = {
    "sensitivity": "tpr",
    "ppv": "precision",
    "npv": "negative_predictive_value",
    "youden": "informedness",
    "mcc": "matthews_correlation",
    "f1": "f_score",
    "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio",
    "dor": "diagnostic_odds_ratio",
}

# Metrics in a sentence, where this is not the name without underscores.
METRIC_TEXTS = {
    "tpr": "TPR",
    "f1": "F1",
    "informedness": "Youden's J",
    "matthews_correlation": "Matthews correlation",
}


def find_name(name: str, known: Iterable[str]) -> str | None:
    """Return the name under which a measure is known, if it is, whatever its case."""
    name = name.lower()
    others = (other for other, usual in SYNONYMS.items() if usual == name)
    same = {name, SYNONYMS.get(name), *others}
    return next((each for each in known if each in same), None)


def known_names(known: Iterable[str]) -> list[str]:
    """Return all names of the known measures."""
    names = list(known)
    others = (*SYNONYMS, *SYNONYMS.values())
    return list(dict.fromkeys((*names, *(name for name in others if find_name(name, names)))))


def metric_text(name: str) -> str:
    """Return a metric as people write it in a sentence."""
    return METRIC_TEXTS.get(name, name.replace("_", " "))


# Fields of questions in which cases may be referred to a person.
REFERRAL = frozenset({"refer_cost", "max_referred", "max_wrong"})


# Fields that state how amounts are written; they decide nothing.
AMOUNTS = frozenset({"currency", "cases_per_month"})


class FieldData(NamedTuple):
    """A field of a question, as surfaces show it."""

    name: str
    kind: Kind
    unit: str
    help: str
    group: Group
    example: str
    # the field in a sentence, with the value in braces
    phrase: str


QUESTION_FIELDS = (
    FieldData(
        "prevalence",
        "shares",
        "%",
        "Share of positives: 0.1, 5%, 0.1..0.2 or 'observed'.",
        "balance",
        "0.05..0.1",
        "{}% positive",
    ),
    FieldData(
        "negatives_per_positive",
        "range",
        "",
        "The same as negatives per positive: 5 or 4..6.",
        "balance",
        "4..6",
        "{} negatives per positive",
    ),
    FieldData(
        "false_positive",
        "range",
        "",
        "Cost of a false alarm: 10 or 10..20.",
        "costs",
        "10..20",
        "a false alarm costs {}",
    ),
    FieldData(
        "false_negative",
        "range",
        "",
        "Cost of a miss.",
        "costs",
        "200..250",
        "a miss costs {}",
    ),
    FieldData(
        "true_positive",
        "range",
        "",
        "Cost of a hit, 0 by default.",
        "costs",
        "1",
        "a hit costs {}",
    ),
    FieldData(
        "true_negative",
        "range",
        "",
        "Cost of a true negative, 0 by default.",
        "costs",
        "0.5",
        "a true negative costs {}",
    ),
    FieldData(
        "refer_cost",
        "number",
        "",
        "Cost of a case that is referred to a person.",
        "costs",
        "0.5",
        "a referred case costs {}",
    ),
    FieldData(
        "cost_ratio",
        "ratio",
        "times",
        "A belief: how many times as bad as a false alarm a miss is.",
        "belief",
        "5..10",
        "a miss is {} times as bad as a false alarm",
    ),
    FieldData(
        "likely",
        "number",
        "times",
        "The most likely cost ratio.",
        "belief",
        "9",
        "most likely {}",
    ),
    FieldData(
        "max_fpr",
        "share",
        "%",
        "Limit on the false positive rate.",
        "limits",
        "0.05",
        "a false positive rate of at most {}%",
    ),
    FieldData(
        "min_tpr",
        "share",
        "%",
        "Least true positive rate.",
        "limits",
        "0.8",
        "a true positive rate of at least {}%",
    ),
    FieldData(
        "max_share",
        "share",
        "%",
        "Limit on alarms, as a share of all cases.",
        "limits",
        "0.1",
        "alarms for at most {}% of all cases",
    ),
    FieldData(
        "capacity",
        "number",
        "cases",
        "Most alarms that can be handled, out of a population.",
        "limits",
        "100",
        "at most {} alarms",
    ),
    FieldData(
        "population",
        "number",
        "cases",
        "The population as a number of cases, at the prevalence.",
        "limits",
        "1000",
        "in a population of {}",
    ),
    FieldData(
        "positives",
        "number",
        "cases",
        "The population's positives.",
        "limits",
        "50",
        "out of {} positives",
    ),
    FieldData(
        "negatives",
        "number",
        "cases",
        "The population's negatives.",
        "limits",
        "950",
        "and {} negatives",
    ),
    FieldData(
        "min_precision",
        "share",
        "%",
        "Least precision, the share of hits among alarms.",
        "limits",
        "0.9",
        "a precision of at least {}%",
    ),
    FieldData(
        "max_cost",
        "number",
        "",
        "Limit on the expected cost per case.",
        "limits",
        "0.5",
        "an expected cost of at most {}",
    ),
    FieldData(
        "max_wrong",
        "share",
        "%",
        "Limit on errors among the cases that are not referred.",
        "limits",
        "0.01",
        "at most {}% wrong among the cases decided automatically",
    ),
    FieldData(
        "max_referred",
        "share",
        "%",
        "Limit on the cases referred to a person, as a share of all cases.",
        "limits",
        "0.1",
        "at most {}% of all cases referred to a person",
    ),
    FieldData(
        "confidence",
        "share",
        "%",
        "The limits must hold on new rows, with this confidence.",
        "limits",
        "0.95",
        "on new rows, with {}% confidence",
    ),
    FieldData(
        "maximize",
        "metric",
        "",
        f"A metric: {', '.join(known_names(METRIC_NAMES))}.",
        "goal",
        "f1",
        "the highest {}",
    ),
    FieldData(
        "knob",
        "share",
        "%",
        "A position along the hull, from 0 (never alarm) to 1 (always).",
        "goal",
        "0.3",
        "the knob at {}%",
    ),
    FieldData(
        "randomize",
        "flag",
        "",
        "Allow a coin to choose between two settings.",
        "goal",
        "true",
        "a coin may choose",
    ),
    FieldData(
        "currency",
        "text",
        "",
        "Unit of money of the costs, for what the choice saves.",
        "costs",
        "EUR",
        "costs in {}",
    ),
    FieldData(
        "cases_per_month",
        "number",
        "cases",
        "Cases to decide in a month, for what the choice saves.",
        "costs",
        "20000",
        "{} cases a month",
    ),
)

CLASS_QUESTION_FIELDS = (
    FieldData(
        "costs",
        "costs",
        "",
        "Costs of errors, truth first: 'ill>well=20'.",
        "costs",
        "ill>well=20,well>ill=1..3",
        "costs {}",
    ),
    FieldData(
        "default_cost",
        "range",
        "",
        "Cost of all errors that are not stated.",
        "costs",
        "1",
        "other errors cost {}",
    ),
    FieldData(
        "priors",
        "priors",
        "%",
        "Shares of the classes: 'ill=0.1,well=0.9', or 'observed'.",
        "balance",
        "ill=0.1,well=0.9",
        "{}%",
    ),
)
