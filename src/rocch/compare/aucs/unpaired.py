"""Whether AUCs differ that come from different rows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rocch.compare.adjust import as_adjustment
from rocch.compare.aucs.auc import estimates
from rocch.compare.aucs.comparison import ALONE, AucComparison, comparison
from rocch.compare.aucs.delong import AucMoments, auc_moments
from rocch.compare.sample import Sample, check_several
from rocch.errors import InputError, bad_input, kind_of
from rocch.inputs import as_columns, as_level

if TYPE_CHECKING:
    from rocch.compare.adjust import Adjustment


def compare_aucs_unpaired(
    samples: Mapping[str, Any],
    *,
    pos_label: Any = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare AUCs that come from different, independent rows.

    Use it for one model in two hospitals, say. Where the models judged the same rows,
    `compare_aucs` sees much smaller differences.

    Parameters
    ----------
    samples
        Maps names to pairs (labels, scores), or to triples (labels, scores, groups). Groups are
        taken to differ between samples even where their names agree.
    pos_label, confidence, adjust
        As for `compare_aucs`.

    Examples
    --------
    >>> import rocch
    >>> found = rocch.compare_aucs_unpaired({
    ...     "north": ([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]),
    ...     "south": ([0, 0, 1, 1], [3, 1, 4, 2]),
    ... })
    >>> round(found.differences[0].difference, 4), round(found.differences[0].p_value, 2)
    (0.1389, 0.72)
    """
    level, method = as_level(confidence), as_adjustment(adjust)
    if not isinstance(samples, Mapping):
        raise bad_input(
            "samples",
            "map names to (labels, scores)",
            kind_of(samples),
            "For example: {'north': (y1, s1), 'south': (y2, s2)}.",
        )
    check_several(samples, "samples", ALONE)
    parts, found = [], {}
    for name, given in sorted(as_columns(samples, argument="samples").items()):
        sample = _sample(name, given, pos_label)
        parts.append(auc_moments(sample))
        found[name] = estimates(parts[-1], sample, level)[0]
    return comparison(_independent(parts), found, adjust=method, paired=False)


def _independent(parts: list[AucMoments]) -> AucMoments:
    """Put samples on different rows side by side: nothing varies together."""
    size = range(len(parts))
    covariance = tuple(
        tuple(parts[i].covariance[0][0] if i == j else Fraction(0) for j in size) for i in size
    )
    units = tuple(min(part.units[side] for part in parts) for side in (0, 1))
    return AucMoments(
        tuple(part.models[0] for part in parts),
        tuple(part.aucs[0] for part in parts),
        covariance,
        (units[0], units[1]),
    )


def _sample(name: str, given: Any, pos_label: Any) -> Sample:
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise bad_input(
            f"samples[{name!r}]",
            "be a pair (labels, scores) or a triple (labels, scores, groups)",
            f"{len(given)} parts" if isinstance(given, tuple | list) else kind_of(given),
            "For example: (y, scores).",
        )
    labels, scores, groups = (*given, None)[:3]
    try:
        return Sample.of(
            labels, {name: scores}, pos_label=pos_label, groups=groups, argument="samples"
        )
    except InputError as error:
        if (error.argument or "").startswith("samples["):
            raise
        raise InputError(f"in samples[{name!r}], {error}") from None
