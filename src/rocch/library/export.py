"""Export of a library as a deployable hybrid."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from rocch.arrays import Label
from rocch.database.record import insert
from rocch.errors import InputError, format_list
from rocch.files import writing
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.components import Component
from rocch.hybrid.estimators import LabelColumn, ScoreColumn
from rocch.hybrid.expression import STACK, stack_from
from rocch.hybrid.hybrid import Hybrid, cover
from rocch.hybrid.model_files import read_models
from rocch.hybrid.reference import Reference
from rocch.hybrid.save import dump_bytes
from rocch.hybrid.stacking import AimScorer
from rocch.labels import as_label_array, distinct_labels
from rocch.library.contents import (
    Export,
    LibraryEntry,
    LibraryState,
    build_hull,
    read_entries,
    read_exports,
    utc_now,
    write_event,
)
from rocch.library.objects import Objects
from rocch.library.store import LibraryStore
from rocch.results import Records
from rocch.roc.conditions import Conditions
from rocch.roc.criteria import Criterion, ErrorRate
from rocch.roc.hull import RocHull
from rocch.roc.member import Member


def export(
    store: LibraryStore,
    *,
    path: Path | None,
    scores: bool,
    criterion: Conditions | Criterion | None,
    note: str,
    by: str,
    trusted: tuple[str, ...],
) -> Export:
    """Write a hybrid of the library's classifiers as its next version, while nobody else writes."""
    at = utc_now()
    with store.writing() as db:
        objects = store.find_objects(db)
        state, entries = LibraryState.read(db), read_entries(db, objects)
        model = _build_hybrid(state, entries, objects, scores, criterion, trusted)
        content = dump_bytes(model, trusted=trusted)
        if path is not None:
            with writing(path) as temporary:
                temporary.write_bytes(content)
        names = sorted(model.kept_)
        file = objects.put(content)
        columns = {"at": at, "by": by, "note": note, "file": file, "classifiers": json.dumps(names)}
        version = insert(db, "exports", columns, number="version")
        detail = {"version": version, "classifiers": names, "note": note}
        write_event(db, at, by, "exported", detail)
        (done,) = read_exports(db, objects, newest=True)
    return done


def read_stacked(store: LibraryStore) -> Hybrid | None:
    """Return the hybrid that an export would decide by, if a stack is on its hull."""
    with store.reading() as db:
        objects = store.find_objects(db)
        state, entries = LibraryState.read(db), read_entries(db, objects)
        if not any(entry.name == STACK and entry.columns["model"] is not None for entry in entries):
            return None
        model = _build_hybrid(state, entries, objects, True, None, ())
    return model.hybrid_ if model.hybrid_.scorer is not None else None


def _build_hybrid(
    state: LibraryState,
    entries: Sequence[LibraryEntry],
    objects: Objects,
    scores: bool,
    criterion: Conditions | Criterion | None,
    trusted: tuple[str, ...],
) -> RocchClassifier:
    hull = build_hull(state, entries)
    names = cover(hull, {})
    if not names:
        raise InputError(
            "the library",
            "hold a classifier that beats a constant prediction to be exported",
            "none",
            "Add a better one.",
        )
    used = [entry for entry in entries if entry.name in names]
    scorer = _read_scorer(used, objects)
    models = [entry for entry in used if scorer is None or entry.name != STACK]
    if scorer is not None:  # it may be made of classifiers that are not on the hull
        others = set(scorer.stack.models) - names
        models += [entry for entry in entries if entry.name in others]
    labels = state.labels or (0, 1)
    members = [member for member in hull.members if member.name in names]
    estimators: dict[str, BaseEstimator]
    if _decides_on_scores(models, scores):
        members = [part for member in members for part in _split_settings(member)]
        scoring = {member.name: member.scoring for member in members}
        if scorer is not None:
            scoring |= {term.model: term.kind != "label" for term in scorer.stack.terms}
            del scoring[STACK]
        estimators = {
            name: (ScoreColumn if scores_rows else LabelColumn)(name, list(labels))
            for name, scores_rows in scoring.items()
        }
    else:
        files = {entry.name: objects.get(entry.columns["model"]) for entry in models}
        estimators = read_models(files, trusted, known=True)
        _check_features(estimators)
        _check_stack(scorer, estimators)
    curves = {entry.name: entry.member.source for entry in used if entry.member.scoring}
    if hull.totals.pooled:  # curves would count other rows than the hull does
        curves = {}
    members = [replace(member, source=curves.get(member.name)) for member in members]
    small = RocHull(hull.totals, tuple(members), hull.slope_bounds, hull.considered)
    return _fit(small, estimators, state, labels, criterion, scorer)


def _read_scorer(used: Sequence[LibraryEntry], objects: Objects) -> AimScorer | None:
    """Return the stack on the hull, if there is one."""
    for entry in used:
        curve = entry.member.curve()
        if entry.name == STACK and entry.columns["model"] is not None and curve is not None:
            content = objects.get(entry.columns["model"])
            if content.startswith(b"{"):  # fitted models are zip files
                data = json.loads(content)
                negatives, positives = data["trials"]
                trials = negatives, positives
                return AimScorer(stack_from(data), curve, curve, trials, data["resamples"])
    return None


def _check_stack(scorer: AimScorer | None, estimators: Mapping[str, BaseEstimator]) -> None:
    missing = [] if scorer is None else sorted(set(scorer.stack.models) - set(estimators))
    if missing:
        raise InputError(
            "models",
            "be in the library for every classifier of the stack",
            f"none for {format_list(missing)}",
            "Export a hybrid that decides on precomputed scores with {scores}.",
        )


def _decides_on_scores(used: Sequence[LibraryEntry], scores: bool) -> bool:
    missing = [entry.name for entry in used if entry.columns["model"] is None]
    if scores or len(missing) == len(used):
        return True
    if missing:
        raise InputError(
            "models",
            "be in the library for every classifier of the hull",
            f"none for {format_list(missing)}",
            "Add their models, or export a hybrid that decides on precomputed scores with "
            "{scores}.",
        )
    return False


def _split_settings(member: Member) -> list[Member]:
    """Return a classifier with several settings as one for each."""
    settings = list(member.lowest_scores)
    if member.scoring or len(settings) == 1:
        return [member]
    return [
        replace(
            member,
            name=f"{member.name} at {setting}",
            false_positives=member.false_positives[[place]],
            true_positives=member.true_positives[[place]],
            lowest_scores=(None,),
            source=None,
        )
        for place, setting in enumerate(settings)
    ]


def _check_features(models: Mapping[str, BaseEstimator]) -> None:
    seen: dict[tuple[object, ...], str] = {}
    for name, model in models.items():
        features = getattr(model, "feature_names_in_", None)
        names = None if features is None else tuple(features)
        seen.setdefault((getattr(model, "n_features_in_", None), names), name)
    if len(seen) > 1:
        raise InputError(
            "models",
            "be fitted on the same features to be exported together",
            f"different ones for {format_list(seen.values())}",
            "Fit pipelines that select their own columns, or export a hybrid that decides on "
            "precomputed scores with {scores}.",
        )


def _fit(
    hull: RocHull,
    estimators: Mapping[str, BaseEstimator],
    state: LibraryState,
    labels: tuple[Label, Label],
    criterion: Conditions | Criterion | None,
    scorer: AimScorer | None,
) -> RocchClassifier:
    frozen = {name: FrozenEstimator(model) for name, model in estimators.items()}
    components = {name: Component.of(name, model, labels[1]) for name, model in frozen.items()}
    first = next(iter(estimators.values()))
    columns = [
        name for name, model in estimators.items() if isinstance(model, ScoreColumn | LabelColumn)
    ]
    # in scikit-learn's order
    classes = as_label_array(distinct_labels(np.fromiter(labels, dtype=object), "labels"))
    # the hull's totals, or those of the first rows where it has only common multiples
    totals = state.totals if hull.totals.pooled else hull.totals
    hybrid = Hybrid(
        hull,
        components,
        classes,
        classes.tolist().index(labels[1]),
        True,
        (totals.negatives * totals.unit, totals.positives * totals.unit),
        {},
        len(columns) or getattr(first, "n_features_in_", None),
        np.array(columns, dtype=object) if columns else getattr(first, "feature_names_in_", None),
        scorer=scorer,
    )
    if criterion is None and hull.totals.pooled and state.slopes is None:
        criterion = ErrorRate(state.totals.prevalence)
    model = RocchClassifier(list(frozen.items()), criterion=criterion, within=state.bounds)
    model.restore(hybrid, discarded={}, reference=Reference(), fold_rates=Records())
    return model
