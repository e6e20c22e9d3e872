"""What the rows say beyond the answer: warnings, certainty, and the comparison of losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from rocch.errors import RocchError
from rocch.inputs import as_whole
from rocch.labels import distinct_labels
from rocch.numbers import significant
from rocch.report.answer import believed_standings, case_of, conditions_of, prevalence_of
from rocch.report.summary import (
    AucDifference,
    Band,
    Certainty,
    Classifier,
    Losses,
    Pair,
    Standing,
    finite_or_text,
)
from rocch.report.words import counted, percent
from rocch.roc.average import describe_scales
from rocch.roc.belief import Belief
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.question import Question
from rocch.rows import ScoredRows
from rocch.stats.auc import AucEstimate
from rocch.stats.auc_tests import compare_rows
from rocch.stats.bands import RocBand, roc_band
from rocch.stats.guarantees import out_of_sample_choice
from rocch.stats.losses import compare_losses, lc_intervals
from rocch.stats.resampling import bootstrap

# Whether each row is positive, and each classifier's scores (or alarms).
Rows = tuple[Any, Mapping[str, Any]]

FEW_ROWS, FEW_SCORES, MUCH_TIED = 30, 10, 0.2

# The usual number of resamples; fewer where rows times classifiers times resamples pass the work,
# and none where even the least number would.
USUAL, LEAST, WORK = 500, 100, 5 * 10**7

# Fewer resamples have no limits of 95%.
FEWEST = 40

# Winners in resamples take three times as long.
WINNERS_WORK = 2 * 10**7

# This many classifiers are compared pair by pair; of more, the best one with all others.
FEW_CLASSIFIERS = 6

# The belief about the cost ratio where nothing is stated about costs that differ.
USUAL_RATIO = Interval(1.0, 10.0)

# Costs that are stated exactly are believed to be right within this factor. Errors that are free,
# or cost next to nothing beside the other, say nothing about a ratio.
SPREAD, MOST_EXTREME = 3.0, 1e-8


# ---- warnings -----------------------------------------------------------------------------------


def find_warnings(
    hull: RocHull, pairs: Sequence[tuple[Classifier, Member]], folds: Any, rows: Rows | None
) -> tuple[str, ...]:
    """Return what to know before trusting the numbers, the gravest first."""
    classifiers = [each for each, _ in pairs]
    return (
        *_about_rows(hull),
        *_about_scales(classifiers),
        *_about_folds(folds, rows),
        *(warning for each, member in pairs for warning in _about_scores(each, member)),
        *_about_duplicates(classifiers),
    )


def _about_rows(hull: RocHull) -> Iterator[str]:
    totals = hull.totals
    if totals.pooled:
        yield (
            "The classifiers were evaluated on different rows, so their rates are compared, but "
            "not on the same cases."
        )
        return
    if totals.weighted:
        yield "Rows are weighted: counts are sums of weights, and intervals are left out."
        return
    for kind, rows in (("positives", totals.positives), ("negatives", totals.negatives)):
        if rows < FEW_ROWS:
            yield f"There are only {rows} {kind}: what is known about them is rough."


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
        texts = [
            f"{name} scores from {' to '.join(significant(end, 3) for end in ranges[name])}"
            for name in (narrow, wide)
        ]
        yield (
            f"Thresholds are not comparable between classifiers: {', '.join(texts)}. Each "
            "threshold belongs to its own classifier."
        )


def _about_folds(folds: Any, rows: Rows | None) -> Iterator[str]:
    """Warn where a threshold does not mean the same in all folds that were pooled."""
    if folds is None or rows is None:
        return
    positive, scores = rows
    for name, column in scores.items():
        curves = [
            RocCurve.from_rows(
                ScoredRows(positive[part], {f"fold {label}": column[part]}), f"fold {label}"
            )
            for label in distinct_labels(folds, "folds")
            if len(set(positive[(part := folds == label)].tolist())) == 2
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
    totals = member.source.totals
    rows = totals.positives + totals.negatives
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
            f"({counted(each.largest_tie)}) the same score; no threshold can separate them."
        )


def _about_duplicates(classifiers: Sequence[Classifier]) -> Iterator[str]:
    """Warn of classifiers that decide alike at every threshold, as far as the eye can see."""
    for one, other in combinations(classifiers, 2):
        if one.curve is None or other.curve is None or len(one.curve.threshold) < 3:
            continue
        both = [(each.false_positives, each.true_positives) for each in (one.curve, other.curve)]
        if both[0] == both[1] and (one.auc, one.distinct) == (other.auc, other.distinct):
            yield f"{one.name} and {other.name} rank the rows alike; one of them is enough."


# ---- certainty ----------------------------------------------------------------------------------


def count_resamples(rows: Rows | None, wanted: int | None) -> int:
    """Return how many resamples to draw: as many as wanted, or what takes a few seconds."""
    if wanted is not None and wanted != 0:
        as_whole(wanted, "resamples", least=FEWEST, hint="Write 0 for none.")
    if rows is None or wanted == 0:
        return 0
    if wanted is not None:
        return wanted
    size = len(rows[0]) * len(rows[1])
    return 0 if LEAST * size > WORK else min(USUAL, max(LEAST, WORK // size))


def estimate_aucs(
    rows: Rows | None,
) -> tuple[dict[str, AucEstimate], tuple[AucDifference, ...]]:
    """Return every AUC with its interval, and the differences of pairs."""
    if rows is None:
        return {}, ()
    positive, scores = rows
    try:
        compared = compare_rows(ScoredRows.of(positive, scores))
    except RocchError:  # a class with a single row has no such interval
        return {}, ()
    models = dict(compared.aucs)
    best = max(models, key=lambda name: models[name].value)
    return models, tuple(
        AucDifference(**{name: getattr(each, name) for name in AucDifference.__match_args__})
        for each in compared.differences
        if len(models) <= FEW_CLASSIFIERS or best in (each.first, each.second)
    )


def assess_certainty(
    rows: Rows | None,
    hull: RocHull,
    question: Question,
    resamples: int,
    differences: tuple[AucDifference, ...],
    best: str,
) -> Certainty | None:
    """Return how sure the rows make us; None where they are not available."""
    if rows is None:
        return None
    positive, scores = rows
    if not resamples:
        band = roc_band(positive, scores[best], kind="simultaneous", method="kolmogorov", name=best)
        remark = (
            f"There are {counted(len(positive))} rows of {len(scores)} classifiers: no resamples "
            "were drawn, and the band is one that needs none."
        )
        return Certainty(0, (_band(band),), differences, (), remark)
    try:
        drawn = bootstrap(positive, scores, replicates=resamples)
        bands = [drawn.band(None, kind="pointwise")]
    except RocchError as error:
        return Certainty(0, (), differences, (), str(error))
    rivals = _rivals(rows, hull, question, resamples)
    return Certainty(resamples, tuple(map(_band, bands)), differences, rivals, "")


def _band(band: RocBand) -> Band:
    columns = (_rounded(band.fpr), _rounded(band.low), _rounded(band.high))
    return Band(band.model, band.kind, band.promise, *columns)


def _rounded(rates: Any) -> tuple[float, ...]:
    """Return rates with as many digits as can be drawn."""
    return tuple(round(rate, 6) for rate in rates.tolist())


def _rivals(rows: Rows, hull: RocHull, question: Question, resamples: int) -> tuple[Standing, ...]:
    """Return how often each classifier is the cheapest in resamples, for a question of costs."""
    work = len(rows[0]) * len(rows[1]) * resamples
    if case_of(question, hull.totals) is None or resamples < LEAST or work > WINNERS_WORK:
        return ()
    known: Any = conditions_of(question, hull.totals)
    found = out_of_sample_choice(*rows, known, replicates=resamples)
    wins = sorted(found.wins.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Standing(name, share) for name, share in wins)


# ---- losses -------------------------------------------------------------------------------------


def compare_by_losses(
    hull: RocHull, question: Question, rows: Rows | None, resamples: int
) -> Losses | None:
    """Compare the classifiers' losses, under the question's belief or one around its costs."""
    bounds = prevalence_of(question, hull.totals)
    if bounds is None:
        return None
    prevalence = (bounds.low + bounds.high) / 2
    if not 0 < prevalence < 1:
        return None
    ratio = ratio_around(question) if question.cost_ratio is None else question.cost_ratio
    low, high = ratio if isinstance(ratio, tuple) else (ratio, ratio)
    belief = Belief.cost_ratio(low, high, likely=question.likely)
    standings = believed_standings(hull, belief.with_prevalence(prevalence))
    pairs = _pairs(hull, belief, prevalence, standings[0].classifier, rows, resamples)
    drawn = resamples if any(pair.interval for pair in pairs) else 0
    believed = (low, finite_or_text(high), question.likely)
    return Losses(str(belief), *believed, prevalence, drawn, standings, pairs)


def ratio_around(question: Question) -> Interval:
    """Return bounds around the ratio of a question's costs; the usual ones without costs."""
    if question.conditions is None:
        return USUAL_RATIO
    least, most = question.conditions.probability_threshold_range  # 1 / (1 + ratio)
    if not MOST_EXTREME <= least <= most <= 1 - MOST_EXTREME or least == most == 0.5:
        return USUAL_RATIO
    low, high = 1 / most - 1, 1 / least - 1
    if least == most:
        low, high = low / SPREAD, high * SPREAD
    return Interval(*(float(f"{bound:.3g}") for bound in (low, high)))


def _pairs(
    hull: RocHull,
    belief: Belief,
    prevalence: float,
    winner: str,
    rows: Rows | None,
    resamples: int,
) -> tuple[Pair, ...]:
    names = [member.name for member in hull.members]
    few = len(names) <= FEW_CLASSIFIERS
    options: dict[str, Any] = {"belief": belief, "prevalence": prevalence}
    if few and rows is not None and resamples and len(names) > 1:
        with suppress(RocchError):  # a class with a single row has no such interval
            return tuple(
                Pair(p.first, p.second, p.lc_index, p.interval, p.favored)
                for p in lc_intervals(*rows, replicates=resamples, **options)
            )
    alone = {member.name: RocHull(hull.totals, (member,)) for member in hull.members}
    first = winner if winner in alone else names[0]
    wanted = combinations(names, 2) if few else ((first, n) for n in names if n != first)
    found = (compare_losses(alone[a], alone[b], names=(a, b), **options) for a, b in wanted)
    return tuple(Pair(*each.names, each.lc_index, None, None) for each in found)
