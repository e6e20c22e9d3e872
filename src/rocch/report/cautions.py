"""What a reader should be warned of before trusting the numbers."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from rocch.inputs import as_array, check_length, distinct_labels
from rocch.numbers import significant
from rocch.report.words import counted, percent
from rocch.roc.average import describe_scales
from rocch.roc.curve import RocCurve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocch.report.summary import Classifier
    from rocch.roc.hull import Member, RocHull

FEW_ROWS, FEW_SCORES, MUCH_TIED = 30, 10, 0.2


def cautions(
    hull: RocHull, classifiers: Sequence[Classifier], folds: Any, rows: Any
) -> tuple[str, ...]:
    """Return the warnings, the gravest first."""
    return (
        *_about_rows(hull),
        *_about_scales(classifiers),
        *_about_folds(folds, rows),
        *(
            said
            for each, member in zip(classifiers, hull.members, strict=True)
            for said in _about_scores(each, member)
        ),
        *_about_twins(classifiers),
    )


def _about_rows(hull: RocHull) -> Iterator[str]:
    judged = hull.totals
    if judged.pooled:
        yield (
            "The classifiers were judged on different rows, so their rates are compared, but not "
            "on the same cases."
        )
        return
    if judged.weighted:
        yield "Rows are weighted: counts are sums of weights, and intervals are left out."
        return
    for kind, rows in (("positives", judged.positives), ("negatives", judged.negatives)):
        if rows < FEW_ROWS:
            yield f"There are only {rows} {kind}: whatever is said of them is rough."


def _about_scales(classifiers: Sequence[Classifier]) -> Iterator[str]:
    """Warn where thresholds of different classifiers cannot mean the same."""
    ranges = {
        each.name: (each.lowest, each.highest)
        for each in classifiers
        if isinstance(each.lowest, float) and isinstance(each.highest, float)
    }
    if len(ranges) < 2 or all(0 <= low <= high <= 1 for low, high in ranges.values()):
        return
    narrow = min(ranges, key=lambda name: ranges[name][1] - ranges[name][0])
    wide = max(ranges, key=lambda name: ranges[name][1] - ranges[name][0])
    inside = min(ranges[narrow][1], ranges[wide][1]) - max(ranges[narrow][0], ranges[wide][0])
    if inside < (ranges[wide][1] - ranges[wide][0]) / 2:
        said = [
            f"{name} scores from {_written(ranges[name][0])} to {_written(ranges[name][1])}"
            for name in (narrow, wide)
        ]
        yield (
            f"Thresholds are not comparable between classifiers: {', '.join(said)}. Each "
            "threshold belongs to its own classifier."
        )


def _written(value: float) -> str:
    sign = "-" if value < 0 else ""
    return sign + significant(abs(value), 3)


def _about_folds(folds: Any, rows: tuple[Any, Mapping[str, Any]] | None) -> Iterator[str]:
    """Warn where a threshold does not mean the same in all folds that were pooled."""
    if folds is None or rows is None:
        return
    positive, scores = rows
    fold = as_array(folds, "folds")
    check_length(fold.size, positive.size, "folds")
    for name, column in scores.items():
        curves = [
            RocCurve.from_scores(positive[part], column[part], name=f"fold {label}")
            for label in distinct_labels(fold, "folds")
            if len(set(positive[(part := fold == label)].tolist())) == 2
        ]
        if len(curves) < 2 or column.dtype == bool:
            continue
        difference = describe_scales(curves)
        if difference is not None:
            yield (
                f"Thresholds of {name} are not comparable between its {len(curves)} folds: "
                f"{difference}. Calibrate each fold's model before pooling."
            )


def _about_scores(each: Classifier, member: Member) -> Iterator[str]:
    if member.source is None or each.auc is None or each.distinct is None:
        return
    judged = member.source.totals
    rows = judged.positives + judged.negatives
    surely = each.auc_interval is None or each.auc_interval.high < 0.5
    if each.auc < 0.5 and surely:
        yield (
            f"{each.name} ranks worse than chance (AUC {each.auc:.3f}). Are its scores higher for "
            "the positive class?"
        )
    if each.auc == 1:
        yield f"{each.name} separates the classes perfectly. Has it seen the labels?"
    if "inf" in str(each.lowest) or "inf" in str(each.highest):
        yield f"{each.name} has infinite scores; its histogram counts them in the end bins."
    if each.distinct <= FEW_SCORES:
        some = (
            "one score for all rows" if each.distinct == 1 else f"{each.distinct} distinct scores"
        )
        yield f"{each.name} has only {some}, and so as few settings."
    elif each.largest_tie is not None and each.largest_tie > MUCH_TIED * rows:
        yield (
            f"{each.name} gives {percent(each.largest_tie / rows)} of the rows "
            f"({counted(each.largest_tie)}) the same score; no threshold can part them."
        )


def _about_twins(classifiers: Sequence[Classifier]) -> Iterator[str]:
    """Warn of classifiers that decide alike at every threshold, as far as the eye can see."""
    for one, other in combinations(classifiers, 2):
        if one.curve is None or other.curve is None or len(one.curve.threshold) < 3:
            continue
        both = [(each.false_positives, each.true_positives) for each in (one.curve, other.curve)]
        if both[0] == both[1] and (one.auc, one.distinct) == (other.auc, other.distinct):
            yield f"{one.name} and {other.name} rank the rows alike; one of them is enough."
