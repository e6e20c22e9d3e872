"""The summary: everything a report says, typed, in one place; see `docs/summary.schema.json`.

Numbers that can be infinite are written as the text "inf" or "-inf", which JSON itself lacks.
Long lists are columns of equal length. Places in `classifiers` stand for the classifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rocch.report.question import Question, Range

Infinite = Literal["inf", "-inf"]
Number: TypeAlias = float | Infinite

Format = Literal["rocch-summary-1"]
FORMAT: Format = "rocch-summary-1"


@dataclass(frozen=True, slots=True)
class Data:
    """The rows that the classifiers were judged on."""

    rows: float
    positives: float
    negatives: float
    prevalence: float | None
    """None where the classifiers were judged on different rows."""
    weighted: bool
    label: str
    """The name of the column with the true classes, or an empty text."""
    positive: str
    negative: str
    """The labels to answer with."""


@dataclass(frozen=True, slots=True)
class Points:
    """ROC points, as counts from left to right."""

    false_positives: tuple[float, ...]
    true_positives: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """Points of a curve, each with the threshold (or the setting) that reaches it."""

    false_positives: tuple[float, ...]
    true_positives: tuple[float, ...]
    threshold: tuple[str, ...]
    """An empty text at the ends, and where there is none."""


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
    scoring: bool
    """Whether it scores rows; otherwise it outputs labels only."""
    on_hull: bool
    auc: float | None
    auc_interval: Range | None
    curve: CurvePoints | None
    """Reduced to what the eye can see; None where the full curve is not at hand."""
    own_hull: Points
    """Reduced likewise."""
    lowest: Number | None
    highest: Number | None
    distinct: int | None
    """How many distinct scores there are, where the rows are at hand."""
    largest_tie: int | None
    """How many rows share the most frequent score."""
    histogram: Histogram | None


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of classifiers, in columns, from the fewest alarms to the most.

    The first point of a hull is *never* alarming, the last *always*; neither needs a classifier.
    """

    false_positives: tuple[float, ...]
    true_positives: tuple[float, ...]
    classifier: tuple[int, ...]
    """The place in `classifiers` of the one to use; -1 for *never* and *always*."""
    threshold: tuple[str, ...]
    """Where to alarm: "positive when the score is at least this", in as few digits as decide
    alike; the name of a setting; or an empty text for a classifier that outputs labels only."""
    exact: tuple[str, ...]
    """The same threshold to its last digit, as rules use it; an empty text where it is no score."""
    also: tuple[tuple[int, ...], ...]
    """Other classifiers that reach the same point; at the ends, all that are credited with it."""


@dataclass(frozen=True, slots=True)
class Front:
    """For every number of hits the fewest false alarms: what can be best without a coin."""

    points: Settings
    complete: bool
    spacing: float
    """Where points were left out, about the most TPR that this can lose; else 0."""


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
    kind: Literal["scores", "labels", "never", "always"]
    """Whether a classifier's scores or labels decide, or none is needed."""
    classifier: str
    """The classifier's name, or "never" or "always"."""
    threshold: str
    exact: str
    """The threshold to its last digit; an empty text where scores do not decide."""
    also: tuple[str, ...]
    """Names of others that reach the same point."""
    fpr: float
    tpr: float


@dataclass(frozen=True, slots=True)
class Choice:
    """A vertex of the hull that can be best under what is known."""

    vertex: int
    low: float
    high: Number
    """The slopes for which it is best."""
    worst_regret: float | None
    chance: float | None
    """How likely it is to be best, under a belief."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How much of what is believed lies where a classifier is best."""

    classifier: str
    chance: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Confusion counts per 1,000 rows; ranges where the prevalence is one."""

    true_positives: Range
    false_positives: Range
    false_negatives: Range
    true_negatives: Range


Holds = Literal["exact", "throughout", "threshold", "depends"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: what to use, what it does, how far it depends on the unknown."""

    parts: tuple[Part, ...]
    fpr: float
    tpr: float
    fpr_interval: Range | None
    tpr_interval: Range | None
    """95 % intervals of the rates at the setting; None for a coin, or weighted rows."""
    cost: Range | None
    """Per row: least and greatest under what is possible; the expected cost under a belief."""
    worst_regret: float | None
    expected_regret: float | None
    chance: float | None
    """Under a belief, how likely the setting is to be best."""
    also_best: tuple[Part, ...]
    """Settings that are exactly as good, where nothing is unknown."""
    randomizing_gains: Number
    slopes: tuple[Number, Number] | None
    """The slopes that the costs and class balance allow."""
    holds: Holds
    """"exact" where nothing is unknown; "throughout" where one setting is best under all that is
    possible; "threshold" where one classifier is, at several; else "depends"."""
    choices: tuple[Choice, ...]
    """What can be best if there were no limits, from the lowest slopes to the highest."""
    standings: tuple[Standing, ...]
    """Under a belief, the classifiers by their chance of being best."""
    per_1000: Counts | None
    sentence: str


@dataclass(frozen=True, slots=True)
class LabelTexts:
    """A label as rules write it."""

    words: str
    python: str
    sql: str


@dataclass(frozen=True, slots=True)
class Condition:
    """When a classifier alarms, as rules write it; after a condition on scores goes a threshold."""

    classifier: str
    setting: str
    """The name of the setting, of a classifier that outputs labels and has several."""
    words: str
    python: str
    sql: str
    coin_sql: str
    """The condition in SQL within a rule that tosses a coin."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """The recommendation as a rule to deploy, and the pieces that other rules are made of.

    Words and SQL are those of `rocch.hybrid.Rule`; the Python text decides alike.
    """

    words: str
    python: str
    sql: str
    positive: LabelTexts
    negative: LabelTexts
    coin_python: str
    coin_sql: str
    """How the coin of a row is made of its key."""
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Which of two loses less, for how much of what is believed."""

    first: str
    second: str
    lc_index: float
    interval: Range | None
    favored: float | None
    """The share of resamples that favor the first."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The comparison of losses under a belief, as the report was made."""

    belief: str
    low: float
    likely: float
    high: float
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
    """The difference of two AUCs."""

    first: str
    second: str
    difference: float
    interval: Range
    p_value: float
    adjusted: float
    """The p-value, adjusted for the number of pairs."""


@dataclass(frozen=True, slots=True)
class Rival:
    """In what share of resamples of the rows a classifier is the cheapest."""

    classifier: str
    wins: float


@dataclass(frozen=True, slots=True)
class Honest:
    """What to expect of the recommendation on rows that did not make it."""

    apparent_cost: float
    out_of_sample_cost: float
    interval: Range
    wins: float
    rivals: tuple[Rival, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure the rows make us."""

    resamples: int
    bands: tuple[Band, ...]
    differences: tuple[AucDifference, ...]
    honest: Honest | None
    remark: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a report of classifiers for two classes says."""

    format: Format
    rocch: str
    """The version that made it."""
    title: str
    data: Data
    classifiers: tuple[Classifier, ...]
    hull: Settings
    hull_auc: float
    winners: tuple[Winner, ...]
    dominator: str | None
    front: Front
    question: Question
    assumed: str
    """The question in words."""
    answer: Answer
    deployment: Deployment
    losses: Losses | None
    certainty: Certainty | None
    warnings: tuple[str, ...]
