"""STAND-IN, to be dropped: `rocch.scale`'s own functions replace it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocch.errors import bad_input, missing_column
from rocch.roc.hull import RocHull


class Work(NamedTuple):
    passes: int
    rows: int
    moved: int


def _columns(frame: Any, names: list[str], drop_nulls: bool, scores_: Any = ()) -> dict[str, Any]:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, list):
        parts = [_columns(each, names, drop_nulls) for each in frame]
        return {name: np.concatenate([part[name] for part in parts]) for name in names}
    lazy: Any = nw.from_native(frame)
    for name in names:
        if name not in lazy.collect_schema().names():
            raise missing_column(name, lazy.collect_schema().names(), "scores")
    lazy = lazy.select(names)
    if hasattr(lazy, "collect"):
        lazy = lazy.collect("pyarrow")
    table = lazy.to_arrow()
    gaps = {name: table[name].null_count for name in names}
    if drop_nulls:
        table = table.drop_null()
    elif any(gaps.values()):
        name = max(gaps, key=lambda each: gaps[each])
        raise bad_input(
            "frame", "have no nulls", f"{gaps[name]} in {name!r}", "Or pass drop_nulls=True."
        )
    for name in scores_:
        if pa.types.is_string(table[name].type):
            raise bad_input("scores", "be numbers", f"text in {name!r}", "Leave it out.")
    return {name: np.array(table[name].to_pylist()) for name in names}


def hull_from_frame(
    frame: Any,
    *,
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    buckets: int = 2**22,
    progress: Any = None,
) -> RocHull:
    return hulls_from_frame(
        frame,
        by=None,
        label=label,
        scores=scores,
        pos_label=pos_label,
        weight=weight,
        drop_nulls=drop_nulls,
        buckets=buckets,
        progress=progress,
    )[None]


def hulls_from_frame(
    frame: Any,
    *,
    by: Any,
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    buckets: int = 2**22,
    progress: Any = None,
) -> dict[Any, RocHull]:
    from dataclasses import replace

    from rocch.inputs import as_positive

    extra = [name for name in (weight, by) if name]
    found = _columns(frame, [label, *scores, *extra], drop_nulls)
    positive = as_positive(found[label], pos_label)
    groups = sorted(set(found[by].tolist())) if by else [None]
    hulls = {}
    for group in groups:
        rows = found[by] == group if by else np.ones(positive.size, dtype=bool)
        weights = found[weight][rows] if weight else None
        columns = {name: found[name][rows] for name in scores}
        hull = RocHull.from_scores(positive[rows], columns, sample_weight=weights)
        members = tuple(replace(member, source=None) for member in hull.members)
        hulls[group] = RocHull(replace(hull.judged, rows=None), members)
    if progress is not None:
        progress(Work(1, positive.size, 0))
    return hulls


def auc_from_frame(
    frame: Any,
    *,
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    width: float | None = None,
    buckets: int = 2**22,
    progress: Any = None,
) -> dict[str, Any]:
    from rocch.inputs import as_positive
    from rocch.kernels.cells import Cells
    from rocch.roc.curve import RocCurve
    from rocch.scale.area import FrameAuc

    found = _columns(frame, [label, *scores, *([weight] if weight else [])], drop_nulls)
    positive = as_positive(found[label], pos_label)
    made = {}
    for name in scores:
        weights = found[weight] if weight else None
        curve = RocCurve.from_scores(positive, found[name], sample_weight=weights)
        counts = np.diff(curve.false_positives), np.diff(curve.true_positives)
        made[name] = FrameAuc.of(Cells(curve.thresholds, curve.thresholds, *counts), curve.judged)
    return made
