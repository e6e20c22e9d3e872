"""From a library to a deployable hybrid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from rocch.errors import InputError, format_list
from rocch.files import writing
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.estimators import LabelColumn, ScoreColumn
from rocch.hybrid.hybrid import Component, Hybrid, cover
from rocch.hybrid.model_files import read_models
from rocch.hybrid.save import dump_bytes
from rocch.inputs import as_label_array, distinct_labels
from rocch.library.holdings import Export, Holding, Standing, enter, held, hull_of, listed, now
from rocch.library.store import Objects, Record
from rocch.roc.criteria import ErrorRate
from rocch.roc.hull import Member, RocHull


def export(
    record: Record,
    objects: Objects,
    *,
    path: Path | None,
    scores: bool,
    criterion: Any,
    note: str,
    by: str,
    trusted: tuple[str, ...],
) -> Export:
    """Write a hybrid of what a library holds, as its next version.

    Nobody adds meanwhile, so that the hybrid is that of one moment, and no model is removed
    before it is read.
    """
    at = now()
    with record.writing() as db:
        standing, holdings = Standing.read(db), held(db, objects)
        model = hybrid_of(standing, holdings, objects, scores, criterion, trusted)
        content = dump_bytes(model, trusted=trusted)
        if path is not None:
            with writing(path) as temporary:
                temporary.write_bytes(content)
        columns = (at, by, note, objects.put(content), json.dumps(sorted(model.kept_)))
        query = "INSERT INTO exports (at, by, note, file, classifiers) VALUES (?, ?, ?, ?, ?)"
        version = db.execute(query, columns).lastrowid
        detail = {"version": version, "classifiers": sorted(model.kept_), "note": note}
        enter(db, at, by, "exported", detail)
        (done,) = listed(db, objects, newest=True)
    return done


def hybrid_of(
    standing: Standing,
    holdings: Sequence[Holding],
    objects: Objects,
    scores: bool,
    criterion: Any,
    trusted: Iterable[str],
) -> RocchClassifier:
    """Return a fitted hybrid of the fewest classifiers that hold every vertex."""
    hull = hull_of(standing, holdings)
    names = cover(hull, {})
    if not names:
        raise InputError(
            "there is nothing to export: no classifier of the library is better than always giving "
            "one answer. Add a better one."
        )
    used = [holding for holding in holdings if holding.name in names]
    labels = standing.labels or (0, 1)
    if _from_scores(used, asked=scores):
        members = [part for m in hull.members if m.name in names for part in _parts(m)]
        estimators = {member.name: _column(member, labels) for member in members}
    else:
        members = [member for member in hull.members if member.name in names]
        estimators = _models(used, objects, trusted)
    curves = {holding.name: holding.member.source for holding in used if holding.member.scoring}
    if hull.totals.pooled:  # curves would count other rows than the hull does
        curves = {}
    members = [replace(member, source=curves.get(member.name)) for member in members]
    small = RocHull(hull.totals, tuple(members), hull.slope_bounds)
    return _fitted(small, estimators, standing, labels, criterion)


def _from_scores(used: Sequence[Holding], *, asked: bool) -> bool:
    """Say whether the hybrid is to decide on precomputed scores."""
    without = [holding.name for holding in used if holding.row["model"] is None]
    if asked or len(without) == len(used):
        return True
    if without:
        raise InputError(
            f"these classifiers of the hull came without their models: {format_list(without)}. "
            "Export a hybrid that decides on precomputed scores (scores=True), or add their models."
        )
    return False


def _parts(member: Member) -> list[Member]:
    """Return a classifier; one with several settings as one for each, since each is a column."""
    settings = list(member.thresholds)
    if member.scoring or len(settings) == 1:
        return [member]
    return [
        replace(
            member,
            name=f"{member.name} at {setting}",
            false_positives=member.false_positives[[place]],
            true_positives=member.true_positives[[place]],
            thresholds=(None,),
            source=None,
        )
        for place, setting in enumerate(settings)
    ]


def _column(member: Member, labels: tuple[Any, Any]) -> Any:
    kind = ScoreColumn if member.scoring else LabelColumn
    return kind(member.name, list(labels))


def _models(used: Sequence[Holding], objects: Objects, trusted: Iterable[str]) -> dict[str, Any]:
    files = {holding.name: objects.get(holding.row["model"]) for holding in used}
    models = read_models(files, trusted, known=True)
    _check_features(models)
    return models


def _check_features(models: Mapping[str, Any]) -> None:
    """Refuse models that were fitted on different features: a hybrid gives all the same rows."""
    seen: dict[tuple[Any, ...], str] = {}
    for name, model in models.items():
        features = getattr(model, "feature_names_in_", None)
        listed = None if features is None else tuple(features)
        seen.setdefault((getattr(model, "n_features_in_", None), listed), name)
    if len(seen) > 1:
        raise InputError(
            "models must be fitted on the same features to be exported together; "
            f"{format_list(seen.values())} were not. Fit pipelines that pick their own columns, or "
            "export with scores=True."
        )


def _fitted(
    hull: RocHull,
    estimators: Mapping[str, Any],
    standing: Standing,
    labels: tuple[Any, Any],
    criterion: Any,
) -> RocchClassifier:
    frozen = {name: FrozenEstimator(model) for name, model in estimators.items()}
    components = {name: Component.of(name, m, labels[1]) for name, m in frozen.items()}
    first = next(iter(estimators.values()))
    columns = [
        name for name, model in estimators.items() if isinstance(model, ScoreColumn | LabelColumn)
    ]
    classes = _sorted(labels)
    hybrid = Hybrid(
        hull,
        components,
        classes,
        classes.tolist().index(labels[1]),
        True,
        _rows_behind(hull, standing),
        {},
        len(columns) or getattr(first, "n_features_in_", None),
        np.array(columns, dtype=object) if columns else getattr(first, "feature_names_in_", None),
    )
    if criterion is None and hull.totals.pooled and standing.slopes is None:
        criterion = ErrorRate(standing.totals.prevalence)
    model = RocchClassifier(list(frozen.items()), criterion=criterion, within=standing.bounds)
    model.restore(hybrid, discarded={}, fold_rates=[])
    return model


def _sorted(labels: tuple[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the labels in scikit-learn's order."""
    return as_label_array(distinct_labels(np.fromiter(labels, dtype=object), "labels"))


def _rows_behind(hull: RocHull, standing: Standing) -> tuple[float, float]:
    """Return how many rows of each class the hull was judged on; common totals are none."""
    judged = standing.totals if hull.totals.pooled else hull.totals
    return judged.negatives * judged.unit, judged.positives * judged.unit
