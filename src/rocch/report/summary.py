"""The summary: everything that a report says, for two classes and for more, and its JSON Schema.

Numbers that can be infinite are written as the text "inf" or "-inf", which JSON itself lacks.
Long lists are columns of equal length. Classifiers, classes and models are named by their places.
Run `python -m rocch.report.summary` to print the schema; `docs/summary.schema.json` is its output.
"""

from __future__ import annotations

import json
import math
import sys
import types
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from rocch import __version__
from rocch.hybrid.multiclass_rule import RuleKind
from rocch.multiclass.confusion import Objectives
from rocch.multiclass.question import ClassQuestion
from rocch.report.parts import Section
from rocch.results import Result
from rocch.roc.conditions import Interval
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.question import Question
from rocch.roc.savings import Savings

Infinite = Literal["inf", "-inf"]
Number: TypeAlias = float | Infinite
Matrix: TypeAlias = tuple[tuple[float, ...], ...]
# Plain data: objects by name, whose contents another class describes.
Plain: TypeAlias = dict[str, Any]

Format = Literal["rocch-summary-2"]
FORMAT: Format = "rocch-summary-2"

# What a choice among many classes is best at.
Best = Literal["best", "best_new", "best_within", "best_regret", "best_simple", ""]

Holds = Literal["exact", "throughout", "threshold", "depends"]


def finite_or_text(value: float) -> Number:
    """Return a number as JSON can write it."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


# ---- what every report has ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewRows:
    """What a choice is expected to cost per row on new rows, with a 95% interval.

    Where costs or class balance are ranges, `expected` is the cost in their middle.
    """

    expected: float
    low: float
    high: float
    # the least and the greatest expected cost within ranges
    expected_range: Interval | None = None
    # about how far `expected` may be off where it is interpolated; else 0
    slack: float = 0.0

    @classmethod
    def of(cls, found: NewRowsCost | Savings) -> NewRows | None:
        """Return an estimate, if there is one."""
        if found.expected is None or found.interval is None:
            return None
        return cls(found.expected, *found.interval, found.expected_range)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A rule to deploy, as `rocch.hybrid.Rule` or `MulticlassRule` writes it."""

    words: str
    python: str
    sql: str


# ---- two classes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Data:
    """The rows that the classifiers were evaluated on."""

    rows: float
    positives: float
    negatives: float
    # None where the classifiers were evaluated on different rows
    prevalence: float | None
    weighted: bool
    # the name of the column with the true classes, or an empty text
    label: str
    # the labels to predict
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Points:
    """ROC points, as counts from left to right."""

    false_positives: tuple[float, ...]
    true_positives: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CurvePoints(Points):
    """Points of a curve, each with its threshold or setting; an empty text where there is none."""

    threshold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How the scores of both classes are distributed, in bins between edges."""

    edges: tuple[float, ...]
    positives: tuple[float, ...]
    negatives: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Classifier:
    """One classifier: how it does alone, and what its scores look like."""

    name: str
    # whether it scores rows; otherwise it outputs labels only
    scoring: bool
    on_hull: bool
    auc: float | None
    auc_interval: Interval | None
    # reduced to what the eye can see; None where the full curve is not available
    curve: CurvePoints | None
    own_hull: Points
    lowest: Number | None
    highest: Number | None
    # the number of distinct scores, and of rows that share the most frequent one
    distinct: int | None
    largest_tie: int | None
    histogram: Histogram | None


@dataclass(frozen=True, slots=True)
class Settings(CurvePoints):
    """Settings of classifiers, in columns, from the fewest alarms to the most.

    Alarm when the score is at least the threshold, in as few digits as decide alike.
    """

    # the place of the classifier to use; -1 for never and always, which need none
    classifier: tuple[int, ...]
    # the same threshold to its last digit, as rules use it; an empty text where it is no score
    exact: tuple[str, ...]
    # other classifiers that reach the same point; at the ends, all that are credited with it
    also: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Front:
    """For every number of hits the fewest false alarms: what can be best without a coin."""

    points: Settings
    complete: bool
    # where points were left out, about the most TPR that this can lose; else 0
    spacing: float


@dataclass(frozen=True, slots=True)
class Winner:
    """A range of slopes of iso-performance lines, and the classifier that wins there."""

    classifier: str
    low: float
    high: Number


@dataclass(frozen=True, slots=True)
class Part:
    """A setting to operate at, and the probability with which a coin chooses it."""

    probability: float
    # whether a classifier's scores or labels decide, or none is needed
    kind: Literal["scores", "labels", "never", "always"]
    # the classifier's name, or "never" or "always"
    classifier: str
    threshold: str
    exact: str
    # names of others that reach the same point
    also: tuple[str, ...]
    fpr: float
    tpr: float


@dataclass(frozen=True, slots=True)
class Choice:
    """A vertex of the hull that can be best under what is known."""

    vertex: int
    # the slopes for which it is best
    low: float
    high: Number
    worst_regret: float | None
    # how likely it is to be best, under a belief
    chance: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How much of what is believed, or of the resamples, lies where a classifier is best."""

    classifier: str
    chance: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Confusion counts per 1,000 rows, at the least and the greatest prevalence."""

    true_positives: Interval
    false_positives: Interval
    false_negatives: Interval
    true_negatives: Interval


@dataclass(frozen=True, slots=True)
class Baseline:
    """What may be done today, with its rates on the evaluation rows."""

    name: str
    # the classifier that it is a setting of; empty where it stands alone
    classifier: str
    fpr: float
    tpr: float


@dataclass(frozen=True, slots=True)
class Compared:
    """What a baseline costs, and what the recommendation saves against it, per case.

    Both have a least and a greatest value under what is possible.
    """

    baseline: str
    cost: Interval
    saves: Interval
    # the saving in the middle of what is possible
    middle: float
    # 95% bounds of the saving on new rows; None where they are not known
    interval: Interval | None
    # the number of evaluation rows, where the baseline decides all of them alike
    alike: int = 0
    # about how far the saving may be off where costs on new rows are interpolated; else 0
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class OnRows:
    """The best choice on the evaluation rows, beside one that is aimed for new rows."""

    part: Part
    # per row
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a question: what to use, what it does, how far it depends on the unknown."""

    parts: tuple[Part, ...]
    fpr: float
    tpr: float
    # 95% intervals of the rates at the setting; None for a coin, or weighted rows
    fpr_interval: Interval | None = None
    tpr_interval: Interval | None = None
    # one-sided bounds on new rows of rates that are limited with a confidence
    fpr_bound: float | None = None
    tpr_bound: float | None = None
    # what was optimized, in words, and the value reached
    objective: str
    value: float
    # per row: least and greatest under what is possible; the expected cost under a belief
    cost: Interval | None = None
    worst_regret: float | None = None
    expected_regret: float | None = None
    # under a belief, how likely the setting is to be best
    chance: float | None = None
    # settings that are exactly as good, where nothing is unknown
    also_best: tuple[Part, ...]
    randomizing_gains: Number
    # the slopes that the costs and class balance allow
    slopes: tuple[Number, Number] | None = None
    # "exact" where nothing is unknown; "throughout" where one setting is best under all that is
    # possible; "threshold" where one classifier is, at several; else "depends"
    holds: Holds = "exact"
    # what can be best if there were no limits, from the lowest slopes to the highest
    choices: tuple[Choice, ...] = ()
    # under a belief, the classifiers by their chance of being best
    standings: tuple[Standing, ...] = ()
    per_1000: Counts | None
    new_rows: NewRows | None = None
    # why there is no expected cost on new rows
    new_rows_note: str = ""
    # empty without costs
    savings: tuple[Compared, ...] = ()
    # None unless a fitted model aims for new rows
    on_rows: OnRows | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class NewRowsTable:
    """Expected costs on new rows, to be interpolated.

    `share` is the weight of misses in that of both errors; costs are in units of both weights, and
    beyond what perfect decisions cost.
    """

    share: tuple[float, ...]
    expected: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AimTable:
    """How a fitted model aims any costs for new rows: Bayes' threshold on calibrated log odds.

    The threshold in log odds is log(slope) + `offset`. Of one model the log odds are `intercept` +
    `weight` times its score, or the log odds of that; a stack has them as its score.
    """

    classifier: str
    # what its scores are
    kind: Literal["log_odds", "probability", "score"]
    offset: float
    intercept: float
    weight: float
    # what is weighted lies between these
    low: float
    high: float
    # the rows of each class
    negatives: float
    positives: float
    # falling log odds, and what alarms from each of them on; the first counts are of no alarm
    log_odds: tuple[float, ...]
    false_positives: tuple[float, ...]
    true_positives: tuple[float, ...]
    # 95% bounds of the rates on new rows
    fpr_low: tuple[float, ...]
    fpr_high: tuple[float, ...]
    tpr_low: tuple[float, ...]
    tpr_high: tuple[float, ...]
    # whether all log odds are there; else rates are those of a threshold nearby
    complete: bool


@dataclass(frozen=True, slots=True)
class GuaranteedSettings(Settings):
    """Settings of all classifiers, each by itself, with thresholds near the ends of their gaps."""

    # the threshold where the most hits within a limit are wanted, and its last digits
    low: tuple[str, ...]
    low_exact: tuple[str, ...]
    # the threshold where the fewest false alarms above a least TPR are wanted
    high: tuple[str, ...]
    high_exact: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RateBounds:
    """One-sided bounds of both rates at each setting, at a level."""

    level: float
    fpr_high: tuple[float, ...]
    tpr_low: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GuaranteeTable:
    """What a page needs for limits that hold on new rows with a confidence."""

    confidence: float
    # how many classifiers share the error
    models: int
    # why the guarantee is not exact
    note: str
    # the rows of each class that certify
    negatives: float
    positives: float
    # whether all settings are there
    complete: bool
    settings: GuaranteedSettings
    # for limits of one kind, and on both rates
    one: RateBounds
    two: RateBounds


@dataclass(frozen=True, slots=True)
class Pair:
    """Which of two loses less, for how much of what is believed."""

    first: str
    second: str
    lc_index: float
    interval: Interval | None
    # the share of resamples that favor the first
    favored: float | None


@dataclass(frozen=True, slots=True)
class Losses:
    """The comparison of losses under a belief, for the report's own question."""

    belief: str
    # how many times as bad as a false alarm a miss is; the most likely value if one is stated
    low: float
    high: Number
    likely: float | None
    prevalence: float
    resamples: int
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """A band in ROC space, and what it promises."""

    model: str
    kind: str
    promise: str
    fpr: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AucDifference:
    """The difference of two AUCs: Newcombe's interval, DeLong's test, and Holm's adjusted p."""

    first: str
    second: str
    difference: float
    interval: Interval
    z: float
    p_value: float
    adjusted_p_value: float


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure the rows make us."""

    resamples: int
    bands: tuple[Band, ...]
    differences: tuple[AucDifference, ...]
    # how often each classifier is the cheapest in resamples
    rivals: tuple[Standing, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class Referred:
    """What referring cases to a person does at one cost of a referred case."""

    # None where referred cases cost nothing
    cost: float | None
    # shares of all cases, and of those decided; None where nothing is decided
    referred: float
    wrong_among_decided: float | None
    # per row, and against deciding every row
    expected_cost: float
    saves: float


@dataclass(frozen=True, slots=True)
class ReferralTable:
    """Cases referred to a person, under the report's own costs.

    Texts are empty unless the question states what a referred case costs, or a limit.
    """

    rows: tuple[Referred, ...]
    sentence: str
    words: str
    sql: str


@dataclass(frozen=True, slots=True)
class Nodes:
    """Gauss-Legendre nodes on [0, 1], for sums over a range of prevalence."""

    x: tuple[float, ...]
    weight: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BinaryData:
    """What a report on two classes has beyond its texts."""

    data: Data
    classifiers: tuple[Classifier, ...]
    hull: Settings
    hull_auc: float
    winners: tuple[Winner, ...]
    # the classifier that alone makes up the hull, if one does
    dominator: str | None
    front: Front
    answer: Answer
    deployment: Deployment
    # None unless a fitted model aims for new rows
    aim: AimTable | None
    losses: Losses | None
    certainty: Certainty | None
    # None where the rows are not available; the note says why
    new_rows: NewRowsTable | None
    new_rows_note: str
    # None where limits cannot be certified; the note says why
    guarantee: GuaranteeTable | None
    guarantee_note: str
    baselines: tuple[Baseline, ...]
    # which baselines are not known, and why
    savings_note: str
    # what is guaranteed for the report's own question, in words
    guaranteed: str
    # None where costs are not exact
    referral: ReferralTable | None
    # what a page needs to answer other questions: the texts of rules and sentences with slots, the
    # fields of a question, and nodes
    rule: Plain
    texts: dict[str, str]
    fields: tuple[Plain, ...]
    nodes: Nodes


# ---- more than two classes ----------------------------------------------------------------------
# Matrices have true classes in rows and predictions in columns.


@dataclass(frozen=True, slots=True)
class ClassRows:
    """A class, and its evaluation rows."""

    name: str
    rows: int
    share: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """An AUC with its 95% interval; None where a class has a single row."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Aucs:
    """How well one model separates the classes."""

    # Hand and Till's M: the mean over all pairs of classes
    hand_till: Estimate
    # the mean of the classes' own AUCs, weighted by their shares, and unweighted
    total: Estimate
    macro: Estimate
    # each class against all others together
    by_class: tuple[Estimate, ...]
    # each two classes; symmetric, None on the diagonal
    pairs: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Model:
    """One model: how its probabilities do alone, where they are available."""

    name: str
    aucs: Aucs | None
    # for each class its curve against all others, reduced to what the eye can see
    curves: tuple[Points, ...]
    # what its most likely classes do
    confusion: tuple[tuple[int, ...], ...] | None
    # for each class, how far its probabilities are on average from the share that comes true
    calibration: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class ClassHull:
    """The joint hull of all models for one class against all others."""

    points: Points
    # the model that reaches each point; -1 for the trivial ends
    models: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """What can be chosen, in columns: members of the surface, rules, and constant predictions."""

    # the model's place; for always predicting class c, -1 - c
    model: tuple[int, ...]
    # the place on the surface; -1 for what is not one of its members
    place: tuple[int, ...]
    # what each did on the evaluation rows, a matrix row by row
    counts: tuple[tuple[int, ...], ...]
    # by which costs each makes predictions of probabilities; None where it predicts by itself
    costs: tuple[tuple[float, ...] | None, ...]
    # the kind of its rule
    rule: tuple[RuleKind, ...]
    # the model's parameters in words, where it has any
    settings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """G, the share of the region below random allocation that the surface dominates."""

    value: float
    standard_error: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Surface:
    """The surface that members were taken from, of which the summary keeps those shown."""

    objectives: Objectives
    members: int
    shown: int
    # None where there are too many classes for it to mean anything
    dominated: Share | None


@dataclass(frozen=True, slots=True)
class Recommended:
    """A member that suggests itself, by its place in `members`."""

    name: str
    member: int
    sentence: str


@dataclass(frozen=True, slots=True)
class CostAnswer:
    """The answer to a question about many classes: what to use, and what it does."""

    # its place in `members`, and the number of others that cost just as little
    member: int
    equals: int
    # what it is best at, as a key of `texts`; empty for other members
    best: Best
    # the cheapest member on the evaluation rows
    cheapest: int
    cheapest_cost: float
    # the expected cost per row, and how well it is known, had the member not been chosen by it
    cost: float
    standard_error: float
    error_rate: float
    miss_rates: tuple[float, ...]
    # predictions expected among 1,000 rows
    per_1000: Matrix
    # the cheapest of the models' most likely classes, to compare with; None without one
    plain: int | None
    plain_cost: float | None
    # 95% bounds of what is saved against that, or else against one class, on new rows
    saves_interval: Interval | None
    # the cheapest constant prediction
    always: int
    always_cost: float
    new_rows: NewRows | None
    new_rows_note: str
    rule: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ClassAim:
    """What a page needs to aim a fitted model: the stack's probabilities of evaluation rows."""

    # the place in `members` of what the model does; at other costs, its columns change
    member: int
    # the class of each row, and its probabilities of all classes; of many rows, some of each class
    truths: tuple[int, ...]
    probabilities: Matrix


@dataclass(frozen=True, slots=True)
class MulticlassData:
    """What a report on more than two classes has beyond its texts."""

    label: str
    rows: int
    classes: tuple[ClassRows, ...]
    models: tuple[Model, ...]
    # one for each class, where probabilities are available
    hulls: tuple[ClassHull, ...]
    members: Members
    surface: Surface | None
    recommended: tuple[Recommended, ...]
    # the costs and shares of the question, for these classes
    costs: Matrix
    shares: tuple[float, ...]
    answer: CostAnswer
    deployment: Deployment
    # the place in `models` of a stack of the others, if there is one
    stack: int | None
    # None unless a fitted model aims for new rows
    aim: ClassAim | None
    # what a page needs to answer other questions
    rule: Plain
    texts: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Summary(Result):
    """Everything that a report says: texts for every reader, and data for a page.

    Attributes
    ----------
    format, rocch
        The format of the summary, and the version that made it.
    title, about
        The title, and what was evaluated.
    question, assumed
        The question, with an observed prevalence as a number, and the same in words.
    sentence
        The recommendation.
    warnings, remarks
        What to know before trusting the numbers, and what was left out or assumed.
    sections
        The report in texts, tables and code.
    binary, multiclass
        The data of a report on two classes, or on more; one of them is None.
    """

    format: Format = FORMAT
    rocch: str = __version__
    title: str
    about: str
    question: Plain
    assumed: str
    sentence: str
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]
    sections: tuple[Section, ...] = ()
    binary: BinaryData | None = None
    multiclass: MulticlassData | None = None

    def __str__(self) -> str:
        return f"{self.title}: {self.sentence}"


# ---- the schema ---------------------------------------------------------------------------------

PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def summary_schema() -> dict[str, Any]:
    """Return the JSON Schema of every summary.

    Examples
    --------
    >>> import rocch
    >>> rocch.report.summary_schema()["title"]
    'Summary of a rocch report'
    """
    definitions: dict[str, Any] = {}
    whole = _schema(Summary, definitions)
    question = {"anyOf": [Question.json_schema(), ClassQuestion.json_schema()]}
    definitions["Summary"]["properties"]["question"] = question
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Summary of a rocch report",
        **whole,
        "$defs": dict(sorted(definitions.items())),
    }


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; classes become definitions."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(part, definitions) for part in inner]}
    if origin is tuple:
        return _array(inner, definitions)
    if origin is dict:
        values = {} if inner[1] is Any else _schema(inner[1], definitions)
        return {"type": "object", "additionalProperties": values}
    if is_dataclass(kind):
        return _object(kind, definitions)
    if hasattr(kind, "_fields"):  # a named tuple is written as a list
        return _array(tuple(get_type_hints(kind).values()), definitions)
    raise TypeError(f"a summary cannot hold {kind}")


def _array(parts: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return {"type": "array", "items": _schema(parts[0], definitions)}
    items = [_schema(part, definitions) for part in parts]
    size = {"minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "prefixItems": items, **size}


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # a place for itself, should it be part of itself
        hints = get_type_hints(kind)
        names = [field.name for field in fields(kind)]
        definitions[name] = {
            "description": str(kind.__doc__).split("\n", maxsplit=1)[0],
            "type": "object",
            "properties": {each: _schema(hints[each], definitions) for each in names},
            "required": names,
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def main() -> None:
    """Print the schema."""
    sys.stdout.write(json.dumps(summary_schema(), indent=1) + "\n")


if __name__ == "__main__":
    main()
