"""What is known of tables whose rows stayed where they are: AUCs between bounds, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, describe_type
from rocch.numbers import significant
from rocch.report.question import Range
from rocch.scale.cells import FrameAuc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.report.summary import Classifier
    from rocch.roc.hull import RocHull


def told_aucs(
    classifiers: tuple[Classifier, ...], aucs: Mapping[str, Any] | None
) -> tuple[Classifier, ...]:
    """Return the classifiers with the AUCs that an engine found, where their curves have none."""
    if aucs is None:
        return classifiers
    if not isinstance(aucs, Mapping):
        raise InputError("aucs", "be what Scan.auc returned", describe_type(aucs), "See there.")
    unknown = [each.name for each in classifiers if each.name not in aucs]
    if unknown:
        raise InputError(
            "aucs",
            "have the AUC of every classifier",
            f"none of {unknown[0]!r}",
            "Pass what Scan.auc returned for the same columns.",
        )
    return tuple(
        each if each.auc is not None else _told(each, aucs[each.name]) for each in classifiers
    )


def _told(classifier: Classifier, found: Any) -> Classifier:
    if not isinstance(found, FrameAuc):
        raise InputError("aucs", "be what Scan.auc returned", describe_type(found), "See there.")
    return replace(classifier, auc=found.middle, auc_interval=_interval(found))


def _interval(found: FrameAuc) -> Range | None:
    """Return the limits of the AUC; weighted rows, or a class of a single row, have none."""
    return None if found.variance_high is None else Range(*found.interval())


def without_rows(hull: RocHull, aucs: Mapping[str, Any] | None) -> Iterator[str]:
    """Say what is left out where rows and curves are not at hand."""
    if any(member.source is not None for member in hull.members):
        return
    yield (
        "The rows were not kept: curves are drawn as their hulls, settings between the vertices "
        "of these are not searched, and bands, resamples and histograms are left out."
    )
    widths = [each.high - each.low for each in (aucs or {}).values() if not each.exact]
    if widths:
        yield f"AUCs are known to within {significant(max(widths) / 2, 2)}."
