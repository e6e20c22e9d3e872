"""Arguments that several statistics take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from rocch.arrays import Columns, Label
from rocch.errors import Hint, InputError, LengthError, describe_type, format_list
from rocch.inputs import as_array, as_columns, as_mapping, as_scores, find_name
from rocch.roc.belief import Belief, as_belief
from rocch.roc.conditions import Bounds, Case, Conditions
from rocch.roc.operating_point import ClassTotals
from rocch.rows import ScoredRows

# The share of positives: a number, an interval, a belief, or that of the evaluation rows.
Prevalence: TypeAlias = Bounds | Belief | Literal["observed"]

# A classifier's own labels and scores, and perhaps groups.
Sample: TypeAlias = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike | None]

EXAMPLES = Hint(
    "For example Conditions(prevalence=0.1, false_positive=1, false_negative=9), or "
    "Belief.cost_ratio(5, 10, likely=9).with_unit(false_positive=1) with a prevalence."
)


def check_several(
    names: Iterable[str],
    argument: str = "scores",
    hint: str | Hint = "",
    *,
    what: str = "classifiers",
) -> None:
    """Refuse fewer than two names."""
    found = list(names)
    if len(found) < 2:
        raise InputError(argument, f"name at least two {what}", format_list(found) or "none", hint)


def as_one_column(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None,
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
) -> ScoredRows:
    """Return the rows that one classifier scored."""
    scores = as_scores(y_score, as_array(y_true, "y_true").size)
    rows = ScoredRows.of(
        y_true,
        {find_name(y_score): scores},
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
    )
    rows.warn_of_reversed_scores()
    return rows


def as_paired_rows(
    y_true: ArrayLike,
    scores: Columns,
    *,
    pos_label: Label | None,
    groups: ArrayLike | None,
    unpaired: str,
    sample_weight: ArrayLike | None = None,
    hint: str | Hint = "",
) -> ScoredRows:
    """Return the rows that two or more classifiers scored."""
    different = isinstance(scores, Mapping) and any(isinstance(s, tuple) for s in scores.values())
    if different or isinstance(y_true, Mapping):
        raise InputError(
            "scores" if different else "y_true",
            "be those of the same rows for all classifiers",
            "different rows for each classifier",
            f"Use {unpaired}.",
        )
    try:
        rows = ScoredRows.of(
            y_true, scores, pos_label=pos_label, sample_weight=sample_weight, groups=groups
        )
    except LengthError as error:
        if error.argument in ("groups", "sample_weight"):
            raise
        paired = "The test is paired: all classifiers score the same rows."
        raise error.with_hint(Hint(f"{paired} If not, use {unpaired}.", cli=paired)) from None
    check_several(rows.scores, "scores", hint)
    rows.warn_of_reversed_scores()
    return rows


def as_unpaired_rows(
    samples: Mapping[str, Sample], *, pos_label: Label | None, paired: str, hint: str | Hint = ""
) -> dict[str, ScoredRows]:
    """Return each classifier's own rows, of two or more classifiers."""
    of = "each classifier's name to its own (labels, scores)"
    same = f"For classifiers that scored the same rows use {paired}."
    named = as_mapping(samples, "samples", of, hint=same)
    check_several(named, "samples", hint)
    found = {}
    for name, given in as_columns(named, argument="samples").items():
        where = f"samples[{name!r}]"
        if not isinstance(given, tuple | list) or len(given) not in (2, 3):
            got = f"{len(given)} parts" if isinstance(given, tuple | list) else describe_type(given)
            requirement = "be a pair (labels, scores) or a triple (labels, scores, groups)"
            raise InputError(where, requirement, got, same)
        labels, scores, groups = (*given, None)[:3]
        try:
            found[name] = ScoredRows.of(
                labels, {name: scores}, pos_label=pos_label, groups=groups, argument="samples"
            )
        except InputError as error:
            raise (error if error.argument == where else error.inside(where)) from None
    for rows in found.values():
        rows.warn_of_reversed_scores()
    return found


def as_costs_or_belief(
    given: object, prevalence: Prevalence | None, argument: str
) -> Conditions | Belief:
    """Return exact conditions, or a belief that has a unit."""
    if isinstance(given, Belief):
        given.require_unit()
        return given if prevalence is None else given.with_prevalence(prevalence)
    if not isinstance(given, Conditions):
        raise InputError(
            argument, "be exact Conditions or a Belief about costs", describe_type(given), EXAMPLES
        )
    if prevalence is not None:
        raise InputError(
            "prevalence", "go with a belief", f"{prevalence!r} and Conditions", "Leave it out."
        )
    if not given.exact:
        requirement = "be exact, or a Belief between the bounds"
        raise InputError(argument, requirement, f"intervals ({given})", EXAMPLES)
    return given


def expected_case(costs: Conditions | Belief, totals: ClassTotals) -> Case:
    """Return exact conditions as a case; a belief as the case of its expected costs."""
    resolved = costs.resolved(totals)
    return resolved.expected_case if isinstance(resolved, Belief) else resolved.case


def resolve_belief(belief: Belief, prevalence: Prevalence | None, totals: ClassTotals) -> Belief:
    """Return a belief with its prevalence resolved."""
    believed = as_belief(belief)
    if prevalence is not None:
        believed = believed.with_prevalence(prevalence)
    return believed.resolved(totals)
