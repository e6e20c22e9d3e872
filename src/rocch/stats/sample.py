"""Labeled rows with every model's scores on them: what comparisons are made on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_list
from rocch.inputs import (
    as_array,
    as_codes,
    as_columns,
    as_name,
    as_positive,
    as_scores,
    as_weights,
    check_length,
)
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull

# --- Labeled rows with every model's scores on them: what comparisons are made on ----------------


@dataclass(frozen=True, eq=False)
class Sample:
    """Labels and the models' scores (alarms, where they only label), by name, row by row.

    Every model judges the same rows in the same order, so comparisons on them are paired.
    """

    positive: BoolArray
    models: Mapping[str, FloatArray | BoolArray]
    weights: FloatArray | None = None
    groups: IntArray | None = None
    """The number of each row's cluster (a patient, a document), where rows come in clusters."""

    @classmethod
    def of(
        cls,
        y_true: Any,
        scores: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        argument: str = "scores",
    ) -> Self:
        """Check what came; models stay in the order in which they were given.

        `argument` is what the caller calls the scores, for messages.
        """
        positive = as_positive(y_true, pos_label)
        weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
        columns = as_columns(scores, argument=argument)
        models = {
            as_name(name): _column(column, positive.size, f"{argument}[{name!r}]")
            for name, column in columns.items()
        }
        clusters = None if groups is None else as_clusters(groups, positive.size)
        return cls(positive, models, weights, clusters)

    def __len__(self) -> int:
        return self.positive.size

    def curve(self, model: str) -> RocCurve:
        """Judge one model on these rows."""
        column = self.models[model]
        build = RocCurve.from_labels if column.dtype == bool else RocCurve.from_scores
        return build(self.positive, column, sample_weight=self.weights, name=model)

    def hull(self) -> RocHull:
        """Return the joint hull of all models on these rows."""
        return RocHull.of(*map(self.curve, self.models))


def paired_sample(
    y_true: Any, scores: Any, *, pos_label: Any, groups: Any, unpaired: str
) -> Sample:
    """Check rows that all classifiers judged; say what to use where each judged its own."""
    own = isinstance(scores, Mapping) and any(isinstance(s, tuple) for s in scores.values())
    if own or isinstance(y_true, Mapping):
        raise InputError(
            "scores" if own else "y_true",
            "be those of the same rows for all classifiers",
            "rows of each classifier's own",
            f"Use {unpaired}.",
        )
    try:
        return Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
    except InputError as error:
        if "one value for each" not in str(error):
            raise
        hint = (
            f"{error.hint} The test is paired: all classifiers are evaluated on the same rows. "
            f"For classifiers with rows of their own use {unpaired}."
        )
        raise InputError(error.argument or "", error.requirement, error.got, hint) from None


def check_several(
    names: Iterable[str], argument: str = "scores", hint: str = "There is nothing to compare."
) -> None:
    """Refuse to compare a classifier with nothing."""
    found = list(names)
    if len(found) < 2:
        raise InputError(
            argument, "name at least two classifiers", format_list(found) or "none", hint
        )


def _column(column: Any, rows: int, argument: str) -> FloatArray | BoolArray:
    values = as_array(column, argument)
    if values.dtype != bool:
        return as_scores(values, rows, argument=argument)
    check_length(values.size, rows, argument)
    return values


def as_clusters(groups: Any, rows: int) -> IntArray:
    """Return each row's cluster, numbered from 0."""
    numbers = as_codes(groups, "groups")
    check_length(numbers.size, rows, "groups")
    if not numbers.any():
        raise InputError(
            "groups", "name at least two groups", "one", "Leave it out if rows are independent."
        )
    return numbers


# --- What costs are stated as for a comparison: exact conditions, or a belief with a unit ---------

EXAMPLES = (
    "For example Conditions(prevalence=0.1, false_positive=1, false_negative=9), or "
    "Belief.miss_costs(5, 10, likely=9).with_unit(false_positive=1) with a prevalence."
)


def as_stated(given: Any, prevalence: Any, argument: str) -> Conditions | Belief:
    """Return exact conditions, or a belief with a unit and a prevalence, which is named once."""
    if isinstance(given, Belief):
        given.require_unit()
        return given if prevalence is None else given.with_prevalence(prevalence)
    if not isinstance(given, Conditions):
        raise InputError(
            argument, "be exact Conditions or a Belief about costs", describe_type(given), EXAMPLES
        )
    if prevalence is not None:
        raise InputError(
            "prevalence", "go with a belief", f"{prevalence!r} beside Conditions", "They have one."
        )
    if not given.exact:
        raise InputError(
            argument,
            "be exact, or a Belief, which says how likely what lies between the bounds is",
            f"intervals ({given})",
            EXAMPLES,
        )
    return given


def as_case(stated: Conditions | Belief) -> Case:
    """Return exact conditions as a case; for a belief, the one that costs what is expected."""
    return stated.expected_case if isinstance(stated, Belief) else stated.case
