"""How sure the rows make us: bands, AUCs and their differences, and an honest cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import RocchError
from rocch.inputs import as_whole
from rocch.numbers import money
from rocch.report.question import Range
from rocch.report.summary import AucDifference, Band, Certainty, Honest, Rival
from rocch.report.words import counted
from rocch.stats.auc import AucEstimate, auc_interval
from rocch.stats.bands import roc_band
from rocch.stats.comparisons import compare_aucs
from rocch.stats.guarantees import out_of_sample_choice
from rocch.stats.resampling import bootstrap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.report.question import Question
    from rocch.stats.bands import RocBand
    from rocch.stats.comparisons import AucComparison
    from rocch.stats.guarantees import OutOfSampleChoice

    Rows = tuple[Any, Mapping[str, Any]]

USUAL, LEAST, WORK = 500, 100, 5 * 10**7
"""So many resamples are drawn; fewer where rows times classifiers times resamples pass the work,
and none where even the least number would."""

FEWEST = 40
"""Fewer resamples have no limits of 95 %."""

HONEST_WORK = 2 * 10**7
"""An honest cost judges every resample on the rows left out, and takes thrice as long."""

FEW = 6
"""So many classifiers are compared pair by pair; of more, the best with all others."""


def resamples_for(rows: Rows | None, asked: int | None) -> int:
    """Return how many resamples to draw: as many as asked for, or what takes a few seconds."""
    if asked is not None and asked != 0:
        as_whole(asked, "resamples", least=FEWEST, hint="Write 0 for none.")
    if rows is None or asked == 0:
        return 0
    if asked is not None:
        return asked
    size = len(rows[0]) * len(rows[1])
    return 0 if LEAST * size > WORK else min(USUAL, max(LEAST, WORK // size))


def aucs_of(rows: Rows | None) -> tuple[dict[str, AucEstimate], tuple[AucDifference, ...]]:
    """Return every AUC with its interval, and the differences of pairs."""
    if rows is None:
        return {}, ()
    positive, scores = rows
    try:
        if len(scores) == 1:
            ((name, column),) = scores.items()
            return {name: auc_interval(positive, column)}, ()
        compared = compare_aucs(positive, scores)
    except RocchError:  # a class with a single row has no such interval
        return {}, ()
    return dict(compared.models), _differences(compared)


def _differences(compared: AucComparison) -> tuple[AucDifference, ...]:
    values = {name: estimate.value for name, estimate in compared.models.items()}
    best = max(values, key=lambda name: values[name])
    return tuple(
        AucDifference(
            d.first, d.second, d.difference, Range(*d.interval), d.p_value, d.adjusted_p_value
        )
        for d in compared.differences
        if len(values) <= FEW or best in (d.first, d.second)
    )


def certainty(
    rows: Rows | None,
    question: Question,
    resamples: int,
    differences: tuple[AucDifference, ...],
    best: str,
) -> Certainty | None:
    """Return how sure the rows make us; None where they are not at hand."""
    if rows is None:
        return None
    positive, scores = rows
    if not resamples:
        band = roc_band(positive, scores[best], kind="simultaneous", method="kolmogorov", name=best)
        remark = (
            f"There are {counted(len(positive))} rows of {len(scores)} classifiers: no resamples "
            "were drawn, and the band is one that needs none."
        )
        return Certainty(0, (_band(band),), differences, None, remark)
    try:
        drawn = bootstrap(positive, scores, replicates=resamples)
        bands = [drawn.band(None, kind="vertical")]
    except RocchError as error:
        return Certainty(0, (), differences, None, str(error))
    honest = _honest(rows, question, resamples)
    return Certainty(resamples, tuple(map(_band, bands)), differences, honest, "")


def _band(band: RocBand) -> Band:
    kept = _rounded(band.fpr), _rounded(band.low), _rounded(band.high)
    return Band(band.model, band.kind, band.promise, *kept)


def _rounded(rates: Any) -> tuple[float, ...]:
    """Return rates with as many digits as can be drawn."""
    return tuple(round(rate, 6) for rate in rates.tolist())


def _honest(rows: Rows, question: Question, resamples: int) -> Honest | None:
    """Judge the recommendation on rows that did not make it, where it is about costs alone."""
    vague = question.belief is None and not question.exact
    work = len(rows[0]) * len(rows[1]) * resamples
    if question.goal == "hits" or question.limited or vague:
        return None
    if resamples < LEAST or work > HONEST_WORK:
        return None
    found = out_of_sample_choice(*rows, question.stated(), replicates=resamples)
    wins = sorted(found.wins.items(), key=lambda pair: (-pair[1], pair[0]))
    return Honest(
        found.apparent_cost,
        found.out_of_sample_cost,
        Range(*found.interval),
        wins[0][1],
        tuple(Rival(name, share) for name, share in wins),
        _said(found, wins),
    )


def _said(found: OutOfSampleChoice, wins: Sequence[tuple[str, float]]) -> str:
    apparent, honest, low, high = (
        money(100 * cost)
        for cost in (found.apparent_cost, found.out_of_sample_cost, *found.interval)
    )
    name, share = wins[0]
    return (
        f"On rows that did not make the choice, expect a cost of {honest} per 100 rows (95 %: "
        f"{low} to {high}) rather than {apparent}. In {round(100 * share)} of 100 resamples of "
        f"the rows {name} is the cheapest."
    )
