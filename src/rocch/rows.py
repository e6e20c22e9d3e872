"""Labels and scores of the same rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, PositiveClassWarning, format_list, levels_to_caller
from rocch.inputs import as_array, as_columns, as_name, as_scores, as_weights, check_length
from rocch.kernels.counting import integer_weights, twice_pairs_won
from rocch.kernels.hull import count_predicted_positives
from rocch.kernels.resampling import orders_of
from rocch.labels import as_codes, as_outcomes, as_positive, distinct_labels, recognize_positive

# Rows of each class that show which way scores run: enough for AUCs below 0.46.
ENOUGH_ROWS = 2000

# Rows that are searched at a time.
BLOCK = 2**16

# Standard errors below 0.5 that are not chance, among thousands of classifiers.
CLEARLY_BELOW = 4


@dataclass(frozen=True, slots=True)
class ClassLabels:
    """The label of positives and those of negatives, to read other labels of the same rows."""

    positive: Label
    negatives: tuple[Label, ...]

    @classmethod
    def of(cls, y_true: ArrayLike, pos_label: Label | None) -> ClassLabels | None:
        """Return the labels of rows; None where they say themselves which are positive."""
        if pos_label is None:
            return None
        present = distinct_labels(as_array(y_true, "y_true"), "y_true")
        return cls(pos_label, tuple(label for label in present if label != pos_label))

    def find_positive(self, labels: ArrayLike, argument: str) -> BoolArray:
        """Return which labels are positive.

        Flags, 0/1 and the like that are no labels of these rows say it themselves.
        """
        given, known = as_array(labels, argument), (*self.negatives, self.positive)
        present = distinct_labels(given, argument)
        types = set(map(type, known))
        flags = all(isinstance(label, bool) for label in present) and bool not in types
        unknown = [label for label in present if flags or label not in known]
        if not unknown:
            return np.array([label == self.positive for label in given.tolist()], dtype=bool)
        if len(unknown) == len(present) and recognize_positive(present) is not None:
            return as_outcomes(given, argument=argument)
        raise InputError(
            argument,
            "hold labels of the evaluation rows",
            format_list(unknown),
            Hint("The labels are: {known}. Or pass True where the rule alarms, else False."),
            known=format_list(known),
        )


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Labels and the scores of named classifiers for the same rows.

    Attributes
    ----------
    positive
        Whether each row is positive.
    scores
        Scores by classifier; booleans for one that only predicts labels.
    weights
        Weights; None if all are equal.
    groups
        The group of each row (a patient, a document), numbered from 0.
    folds
        The split in which each row was held out.
    index
        The row of the data that each entry comes from, ascending. Repeated splits hold out a row
        several times; rows that were never held out are absent.
    labels
        The labels that say which rows are positive, if one was named as such.
    """

    positive: BoolArray
    scores: Mapping[str, FloatArray | BoolArray]
    weights: FloatArray | None = None
    groups: IntArray | None = None
    folds: IntArray | None = None
    index: IntArray | None = None
    labels: ClassLabels | None = None

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        scores: Columns,
        *,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        argument: str = "scores",
    ) -> Self:
        """Check and convert user input; `argument` names the scores in errors."""
        positive = as_positive(y_true, pos_label)
        weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
        columns = {
            as_name(name): _as_column(column, positive.size, f"{argument}[{name!r}]")
            for name, column in as_columns(scores, argument=argument).items()
        }
        clusters = None if groups is None else as_groups(groups, positive.size)
        labels = ClassLabels.of(y_true, pos_label)
        return cls(positive, columns, weights, clusters, labels=labels)

    def __len__(self) -> int:
        return self.positive.size

    def warn_of_reversed_scores(self, known: Callable[[str], float] | None = None) -> None:
        """Warn if some of the rows show that scores run backwards.

        Weights do not count, and the rows of a group count once. `known` returns what a
        classifier's AUC without weights is at least: few rows are counted again only if that is
        clearly below 0.5.
        """
        names, bounds = list(self.scores), known if self.groups is None else None
        if bounds is not None and all(bounds(name) >= 0.5 for name in names):
            return  # at once: few rows are counted in little more time
        positives = int(np.count_nonzero(self.positive))
        sizes = len(self) - positives, positives
        if bounds is not None:
            names = [name for name in names if _is_clearly_below(bounds(name), *sizes)]
        if not names:
            return
        classes = [_spread(kind) for kind in (~self.positive, self.positive)]
        pairs, some = math.prod(rows.size for rows in classes), np.concatenate(classes)
        positive = self.positive[some]
        if self.groups is not None:
            negatives, positives = (np.unique(self.groups[rows]).size for rows in classes)
            sizes = negatives, positives
        warn_of_reversed_scores(
            {
                name: (twice_pairs_won(self.scores[name][some], positive) / (2 * pairs), *sizes)
                for name in names
            }
        )

    @property
    def size(self) -> int:
        """The number of scores."""
        return len(self) * len(self.scores)

    def select(self, chosen: BoolArray | IntArray) -> Self:
        """Return a subset of the rows, by mask or by position."""
        scores = {name: column[chosen] for name, column in self.scores.items()}
        others = ("weights", "groups", "folds", "index")
        parts = {name: part[chosen] for name in others if (part := getattr(self, name)) is not None}
        return replace(self, positive=self.positive[chosen], scores=scores, **parts)

    @cached_property
    def is_first(self) -> BoolArray:
        """Whether each entry is the first of its row of the data."""
        if self.index is None:
            return np.ones(len(self), dtype=bool)
        return np.diff(self.index, prepend=-1) > 0

    def once(self) -> Self:
        """Return the first entry of each row of the data."""
        return self if self.is_first.all() else self.select(self.is_first)

    @property
    def effective_rows(self) -> tuple[float, float]:
        """The effective numbers of negatives and positives; repeated rows count once."""
        weights = np.ones(len(self)) if self.weights is None else self.weights
        place = np.cumsum(self.is_first) - 1
        sizes = []
        for kind in (False, True):
            per_row = np.bincount(place, weights * (self.positive == kind))
            sizes.append(float(per_row.sum() ** 2 / (per_row**2).sum()))
        return sizes[0], sizes[1]

    @property
    def fold_numbers(self) -> IntArray:
        """The fold of each row; all 0 without folds."""
        return np.zeros(len(self), dtype=np.intp) if self.folds is None else self.folds

    @cached_property
    def units(self) -> tuple[IntArray | None, float]:
        """Integer weights (None if all are equal) and their unit."""
        return (None, 1.0) if self.weights is None else integer_weights(self.weights)

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Negatives and positives, in units."""
        return self.count(np.ones(len(self), dtype=bool))

    def find_positive(self, labels: ArrayLike, argument: str) -> BoolArray:
        """Return which of other labels of these rows are positive."""
        if self.labels is not None:
            return self.labels.find_positive(labels, argument)
        given = as_array(labels, argument)
        present = distinct_labels(given, argument)
        if recognize_positive(present) is None:
            raise InputError(
                argument,
                "hold labels that show which class is positive, as those of the evaluation rows "
                "do: flags, 0/1, -1/1, true/false or yes/no",
                format_list(present),
                Hint("Pass True where the rule alarms, else False."),
            )
        return as_outcomes(given, argument=argument)

    def orders(self, name: str) -> tuple[IntArray, IntArray]:
        """Return the orders of both classes by a classifier's scores."""
        return orders_of(np.asarray(self.scores[name], dtype=np.float64), self.positive)

    @property
    def on_host(self) -> Self:
        """The rows themselves, as those on a device become."""
        return self

    def amount(self, count: int) -> float:
        """Return the rows or weight of a count in units."""
        return count if self.units[1] == 1 else count * self.units[1]

    def count(self, predicted: BoolArray) -> tuple[int, int]:
        """Return false and true positives, in units."""
        fp, tp = self.count_all(predicted[np.newaxis])
        return int(fp[0]), int(tp[0])

    def count_all(self, predictions: BoolArray) -> tuple[IntArray, IntArray]:
        """Return false and true positives for each line of predictions, in units."""
        hits = count_predicted_positives(predictions & self.positive, self.units[0])
        return count_predicted_positives(predictions, self.units[0]) - hits, hits


def _spread(chosen: BoolArray) -> IntArray:
    """Return evenly spaced places of chosen rows, all of them if they are few."""
    total = int(np.count_nonzero(chosen))
    if total <= ENOUGH_ROWS:
        return np.flatnonzero(chosen)
    wanted = np.linspace(0, total - 1, ENOUGH_ROWS).astype(np.intp)
    places, before = np.empty_like(wanted), 0
    for start in range(0, chosen.size, BLOCK):
        here = np.flatnonzero(chosen[start : start + BLOCK])
        inside = slice(*wanted.searchsorted((before, before + here.size)))
        places[inside] = here[wanted[inside] - before] + start
        before += here.size
    return places


def warn_of_reversed_scores(aucs: Mapping[str, tuple[float, int, int]]) -> None:
    """Warn of AUCs that are clearly below 0.5, where the package was called.

    `aucs` has each classifier's AUC, and the independent negatives and positives that it was
    counted on.
    """
    found = []
    for name, (auc, *sizes) in aucs.items():
        if _is_clearly_below(auc, *sizes):
            found.append(f"{name!r} (AUC {auc:.2f})")
    if found:
        warnings.warn(
            f"the scores of {', '.join(found)} are higher for negatives. If a low score means "
            "positive, negate the scores. If the other class is the positive one, name it with "
            "pos_label (command line: --positive).",
            PositiveClassWarning,
            stacklevel=levels_to_caller(),
        )


def _is_clearly_below(auc: float, negatives: int, positives: int) -> bool:
    n, m = min(negatives, ENOUGH_ROWS), min(positives, ENOUGH_ROWS)
    # the standard error of an AUC of 0.5 (Mann and Whitney)
    return auc < 0.5 - CLEARLY_BELOW * math.sqrt((n + m + 1) / (12 * n * m))


def as_groups(groups: ArrayLike | None, rows: int) -> IntArray:
    """Return the group of each row, numbered from 0."""
    numbers = as_codes(groups, "groups")
    check_length(numbers.size, rows, "groups")
    if not numbers.any():
        raise InputError(
            "groups", "name at least two groups", "one", "Leave it out if rows are independent."
        )
    return numbers


def _as_column(column: ArrayLike, rows: int, argument: str) -> FloatArray | BoolArray:
    values = as_array(column, argument)
    if values.dtype != bool:
        return as_scores(values, rows, argument=argument)
    check_length(values.size, rows, argument)
    return values


def most_parts(rows: ScoredRows, limit: int) -> int:
    """Return into how many parts rows can be cut such that each class remains without one part."""
    return min(limit, *(int(np.count_nonzero(each)) for each in _count_classes(rows)))


def cut_repeatedly(
    rows: ScoredRows, parts: int, repetitions: int, generator: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Cut rows into parts with nearly the same classes; return the others and each part.

    Groups are never split, nor are several entries of one row.
    """
    units, counts = _units(rows), _count_classes(rows)
    for _ in range(repetitions):
        dealt = _deal(counts, parts, generator)
        while not _both_remain(counts, dealt, parts):
            dealt = _deal(counts, parts, generator)
        own = dealt[units]
        for number in range(parts):
            yield np.flatnonzero(own != number), np.flatnonzero(own == number)


def _units(rows: ScoredRows) -> IntArray:
    """Return what must stay together: the group, or else the row of the data, of each entry."""
    return np.cumsum(rows.is_first) - 1 if rows.groups is None else rows.groups


def _count_classes(rows: ScoredRows) -> FloatArray:
    """Return how many negatives and positives that weigh something each unit has."""
    weighs = np.ones(len(rows), dtype=bool) if rows.weights is None else rows.weights > 0
    units = _units(rows)
    return np.array([np.bincount(units, weighs & kind) for kind in (~rows.positive, rows.positive)])


def _deal(counts: FloatArray, parts: int, generator: np.random.Generator) -> IntArray:
    """Deal units of each kind to parts, the largest first: one to each part before the next."""
    dealt = np.empty(counts.shape[1], dtype=np.intp)
    kinds = (counts > 0).T @ (1, 2)
    for kind in np.unique(kinds):
        units = generator.permutation(np.flatnonzero(kinds == kind))
        units = units[np.argsort(-counts[:, units].sum(axis=0), kind="stable")]
        rounds = np.tile(np.arange(parts), (-(-units.size // parts), 1))
        dealt[units] = generator.permuted(rounds, axis=1).ravel()[: units.size]
    return dealt


def _both_remain(counts: FloatArray, dealt: IntArray, parts: int) -> bool:
    """Return whether each class remains, whichever part is left out."""
    return all(np.count_nonzero(np.bincount(dealt, each, parts)) > 1 for each in counts)
