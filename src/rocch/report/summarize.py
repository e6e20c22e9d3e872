"""From a hull, or a hybrid, to the summary: everything that a report says, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch import __version__
from rocch.errors import unknown_option
from rocch.hybrid.multiclass import AimedSurface, RocSurfaceClassifier
from rocch.multiclass.surface import RocSurface
from rocch.report.answer import answer, text_if_infinite
from rocch.report.asked import asked
from rocch.report.cautions import cautions
from rocch.report.certainty import aucs_of, certainty, resamples_for
from rocch.report.deploy import deployment
from rocch.report.described import described
from rocch.report.frame_aucs import told_aucs, without_rows
from rocch.report.front import front_of, settings
from rocch.report.losses import losses
from rocch.report.many_classes.summarize import summarize_hybrid, summarize_surface
from rocch.report.source import aim_of, as_text, source_of
from rocch.report.summary import FORMAT, Data, Summary, Winner
from rocch.report.words import assumed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.report.many_classes.summary import ManyClassesSummary
    from rocch.report.source import Source
    from rocch.report.summary import Classifier
    from rocch.roc.conditions import Conditions

TITLE = "Which classifier, at which threshold?"
LIMITS = ("prevalence", "belief", "max_fpr", "capacity", "population", "randomize")
TWO = ("conditions", *LIMITS, "title", "label", "labels", "folds", "resamples", "aucs")
MANY = ("costs", "priors", "title", "label")
"""What can be said of two classes, and of many."""


def summarize(what: Any, **said: Any) -> Summary | ManyClassesSummary:
    """Summarize what a report can be made of: everything that `write_report` renders.

    Parameters
    ----------
    what
        For two classes a `RocHull`, or a fitted (or loaded) `RocchClassifier` or a view of one;
        for many a `RocSurface`, or a fitted `RocSurfaceClassifier` or a view of one.
    said
        For both: `title`, and `label`, the name of the column of labels.

        For two classes: `conditions` (`Conditions`; by default errors count alike, at the observed
        prevalence) or `prevalence` alone; `belief` as (low, likely, high) times that a miss is as
        bad as a false alarm; `max_fpr`, `capacity` and `population` (without costs or a belief, the
        most hits within these); `randomize`; `labels`, the negative and the positive one; `folds`,
        the fold of each row where scores of several folds were pooled; `resamples`, how many to
        draw (by default what takes a few seconds, 0 for none); `aucs`, what `Scan.auc`
        returned, for a hull whose rows are not at hand.

        For many: `costs` (a `CostMatrix`; by default every error costs 1) and `priors`.

    Returns
    -------
    Summary or ManyClassesSummary
        Frozen dataclasses; `dataclasses.asdict` makes JSON of them, after `summary_schema`.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> rocch.report.summarize(hull, max_fpr=0.1).answer.sentence
    'Use nb at 0.6: catches 50 of 100 cases, 0 false alarms per 100 others.'
    """
    if isinstance(what, RocSurface | RocSurfaceClassifier | AimedSurface):
        _check_said(said, MANY, "many classes")
        make = summarize_surface if isinstance(what, RocSurface) else summarize_hybrid
        return make(what, **said)
    _check_said(said, TWO, "two classes")
    return _two_classes(what, **said)


def _check_said(said: dict[str, Any], known: tuple[str, ...], kind: str) -> None:
    unknown = [name for name in said if name not in known]
    if unknown:
        raise unknown_option(unknown[0], known, kind)


def _two_classes(
    what: Any,
    *,
    title: str = TITLE,
    resamples: int | None = None,
    folds: Any = None,
    label: str = "",
    labels: Any = None,
    aucs: Mapping[str, Any] | None = None,
    conditions: Conditions | None = None,
    **limits: Any,
) -> Summary:
    source = source_of(what, folds=folds, label=label, labels=labels)
    hull = source.hull
    remarks: tuple[str, ...] = ()
    if conditions is None and all(value in (None, False) for value in limits.values()):
        conditions, limits, remarks = aim_of(what)
    question = asked(hull.totals, conditions, **limits)
    drawn = resamples_for(source.rows, resamples)
    estimates, differences = aucs_of(source.rows)
    classifiers = told_aucs(described(hull, estimates), aucs)
    vertices, front, answered = (
        settings(hull, hull.vertices),
        front_of(hull),
        answer(hull, question),
    )
    return Summary(
        format=FORMAT,
        rocch=__version__,
        title=as_text(title, "title"),
        data=_data(source),
        classifiers=classifiers,
        hull=vertices,
        hull_auc=hull.auc,
        winners=tuple(
            Winner(row.classifier, row.low, text_if_infinite(row.high))
            for row in hull.slope_ranges()
        ),
        dominator=hull.dominator(),
        front=front,
        question=question,
        assumed=assumed(question),
        answer=answered,
        deployment=deployment(source, answered, (vertices, front.points)),
        losses=losses(hull, question, source.rows, drawn),
        certainty=certainty(source.rows, question, drawn, differences, _best_name(classifiers)),
        warnings=(
            *remarks,
            *cautions(hull, classifiers, source.folds, source.rows),
            *without_rows(hull, aucs),
        ),
    )


def _data(source: Source) -> Data:
    judged = source.hull.totals
    return Data(
        rows=judged.total,
        positives=judged.amount(judged.positives),
        negatives=judged.amount(judged.negatives),
        prevalence=None if judged.pooled else judged.prevalence,
        weighted=judged.weighted,
        label=source.label,
        positive=source.positive,
        negative=source.negative,
    )


def _best_name(classifiers: tuple[Classifier, ...]) -> str:
    """Return the classifier with the highest AUC, the first of equals."""
    return max(classifiers, key=lambda each: each.auc or 0.0).name
