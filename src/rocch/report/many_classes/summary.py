"""The summary of a report for more than two classes: everything it says, typed, in one place.

Classes are told by their place in `classes`, models by their place in `models`. Matrices have
truths in rows and answers in columns; the counts of members are such matrices, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rocch.hybrid.multiclass_rule import RuleKind
from rocch.multiclass.confusion import Objectives
from rocch.report.many_classes.question import CostQuestion, Matrix
from rocch.report.question import Range
from rocch.report.summary import Points

Format = Literal["rocch-many-classes-1"]
FORMAT: Format = "rocch-many-classes-1"


@dataclass(frozen=True, slots=True)
class ClassRows:
    """A class, and how many judged rows it has."""

    name: str
    rows: int
    share: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """An AUC with its 95 % interval; None where a class has a single row."""

    value: float
    interval: Range | None


@dataclass(frozen=True, slots=True)
class Aucs:
    """How well one model tells the classes apart."""

    hand_till: Estimate
    """Hand and Till's M: the mean over all pairs of classes."""
    total: Estimate
    """The classes' own AUCs, weighted by their shares."""
    macro: Estimate
    """The plain mean of the classes' own AUCs."""
    by_class: tuple[Estimate, ...]
    """Each class against all others together."""
    pairs: tuple[tuple[float | None, ...], ...]
    """How well each two classes are told apart; symmetric, None on the diagonal."""


@dataclass(frozen=True, slots=True)
class Model:
    """One model: how its posteriors do alone, where they are at hand."""

    name: str
    aucs: Aucs | None
    curves: tuple[Points, ...]
    """For each class its curve against all others, reduced to what the eye can see."""
    confusion: tuple[tuple[int, ...], ...] | None
    """What its most likely classes do."""
    calibration: tuple[float, ...] | None
    """For each class, how far its posteriors are on average from what they promise."""


@dataclass(frozen=True, slots=True)
class ClassHull:
    """The joint hull of all models for one class against all others."""

    points: Points
    models: tuple[int, ...]
    """The model that reaches each point; -1 for the trivial ends."""


@dataclass(frozen=True, slots=True)
class Members:
    """What can be chosen, in columns: members of the surface, plain rules, and single answers."""

    model: tuple[int, ...]
    """The model's place; for always answering with class c, -1 - c."""
    place: tuple[int, ...]
    """The place on the surface; -1 for what is not one of its members."""
    counts: tuple[tuple[int, ...], ...]
    """What each did on the judged rows."""
    costs: tuple[tuple[float, ...] | None, ...]
    """By which costs each makes answers of posteriors; None where it answers by itself."""
    settings: tuple[str, ...]
    """The model's parameters in words, where it has any."""
    kind: tuple[RuleKind, ...]
    """The kind of rule."""


@dataclass(frozen=True, slots=True)
class Share:
    """G, the share of the region below random allocation that the surface dominates."""

    value: float
    standard_error: float
    interval: Range


@dataclass(frozen=True, slots=True)
class Surface:
    """The surface that members were taken from."""

    objectives: Objectives
    members: int
    shown: int
    """How many of its members the summary keeps."""
    dominated: Share | None
    """None where there are too many classes for it to say anything."""


@dataclass(frozen=True, slots=True)
class Recommended:
    """A member that suggests itself."""

    name: str
    member: int
    """Its place in `members`."""
    sentence: str


@dataclass(frozen=True, slots=True)
class CostAnswer:
    """The answer to a question: what to use, and what it does."""

    member: int
    """Its place in `members`."""
    equals: int
    """How many others cost just as little."""
    cost: float
    """The expected cost per row."""
    standard_error: float
    """How well that is known by the judged rows, had the member not been chosen by them."""
    error_rate: float
    """The share of wrong answers at the shares asked for."""
    miss_rates: tuple[float, ...]
    per_1000: Matrix
    """Answers expected among 1,000 rows."""
    plain: int | None
    """The cheapest of the models' most likely classes, to compare with; None without one."""
    plain_cost: float | None
    always: int
    """The cheapest single answer."""
    always_cost: float
    rule: str
    """How it answers, in words."""
    sentence: str


@dataclass(frozen=True, slots=True)
class ManyClassesSummary:
    """Everything that a report of classifiers for more than two classes says."""

    format: Format
    rocch: str
    """The version that made it."""
    title: str
    label: str
    """The name of the column with the true classes, or an empty text."""
    rows: int
    classes: tuple[ClassRows, ...]
    models: tuple[Model, ...]
    hulls: tuple[ClassHull, ...]
    """One for each class, where posteriors are at hand."""
    members: Members
    surface: Surface | None
    recommended: tuple[Recommended, ...]
    question: CostQuestion
    answer: CostAnswer
    rule: dict[str, Any]
    """`MulticlassRuleTemplates.to_dict()`: the texts of all rules, with slots."""
    texts: dict[str, tuple[str, ...]]
    """The sentences with slots: literal texts and names of slots by turns."""
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]
    """What the summary leaves out, and why."""
