"""Save fitted hybrids, and load them without running foreign code.

A saved model is a zip file of

- `manifest.json`: versions, the hull and the settings as plain data,
- `arrays/*.npy`: counts and thresholds,
- `models/*.skops`: the fitted estimators,
- `digests.json`: the SHA-256 of each part.
"""

from __future__ import annotations

import json
import math
import platform
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from rocch import __version__
from rocch.arrays import AnyArray
from rocch.errors import Hint, InputError, ModelVersionWarning, describe_type, format_list
from rocch.files import digest_of, writing
from rocch.hybrid.aimed import AimedClassifier, FairClassifier, GroupedClassifier, View
from rocch.hybrid.aimed_surface import AimedSurface
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.components import Component, ScoreMethod
from rocch.hybrid.estimators import FoldEnsemble
from rocch.hybrid.expression import STACK, expression_from, stack_from
from rocch.hybrid.hybrid import Hybrid
from rocch.hybrid.model_files import (
    array_bytes,
    damaged,
    from_plain,
    model_bytes,
    pack,
    read_array,
    read_json,
    read_models,
    to_plain,
    unpack,
)
from rocch.hybrid.multiclass import RocSurfaceClassifier
from rocch.hybrid.reference import Reference
from rocch.hybrid.referral import ReferringClassifier
from rocch.hybrid.stacking import AimScorer
from rocch.hybrid.surface_hybrid import SurfaceHybrid
from rocch.multiclass.classes import Classes
from rocch.multiclass.search import MOST_CLASSES
from rocch.multiclass.stack import ProbabilityStack
from rocch.multiclass.surface import RocSurface
from rocch.results import Records
from rocch.roc.hull import RocHull

FORMAT = "rocch model"
VERSION = 1
MANIFEST = "manifest.json"
PARAMS = "models/params.skops"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "skops", "lightgbm", "xgboost")
# Parameters that must be plain data.
PLAIN_SETTINGS = ("criterion", "within", "costs", "priors", "alphas")
# In bytes.
LONGEST_LABEL = 2**20

Saved: TypeAlias = (
    RocchClassifier
    | AimedClassifier
    | FairClassifier
    | GroupedClassifier
    | ReferringClassifier
    | RocSurfaceClassifier
    | AimedSurface
)
KINDS: dict[str, Any] = {kind.__name__: kind for kind in get_args(Saved)}


def save(model: Saved, path: str | Path, *, trusted: Iterable[str] = ()) -> str:
    """Save a fitted hybrid or an aimed view; return the SHA-256 of the file.

    Of the evaluation rows only the curves are saved; with many classes also the probabilities and
    true classes, because rules for new costs are evaluated on them.

    Parameters
    ----------
    model
        A fitted `RocchClassifier` or `RocSurfaceClassifier`, or a result of `at`, `at_each` or
        `at_fair`.
    path
        The file; an existing one is replaced.
    trusted
        Your own types to accept, as "package.module.Class"; name them again when loading.

    Returns
    -------
    str
        Store it elsewhere and pass it to `load` where files could be forged.

    Examples
    --------
    >>> import rocch, tempfile, pathlib
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.rocch"
    >>> digest = rocch.save(model, path)
    >>> again = rocch.load(path, digest=digest)
    >>> again.hull_ == model.hull_
    True
    """
    content = dump_bytes(model, trusted=trusted)
    with writing(path) as temporary:
        temporary.write_bytes(content)
    return digest_of(content)


def dump_bytes(model: Saved, *, trusted: Iterable[str] = ()) -> bytes:
    """Return what `save` writes."""
    trusted = _as_types(trusted)
    hybrid = _hybrid_of(model)
    arrays: dict[str, AnyArray] = {}
    if isinstance(hybrid, SurfaceHybrid):
        part, models = _surface_to_plain(hybrid, arrays), hybrid.models
    else:
        part = _hybrid_to_plain(hybrid, arrays)
        models = {name: each.estimator for name, each in hybrid.components.items()}
    places = {name: f"models/{place}.skops" for place, name in enumerate(models)}
    files = {places[name]: model_bytes(name, each, trusted) for name, each in models.items()}
    if isinstance(model, RocchClassifier):
        part["reference"] = _reference_to_plain(model, places, files, arrays, trusted)
    files |= {name: array_bytes(array) for name, array in arrays.items()}
    classes, features = hybrid.classes, hybrid.feature_names_in
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "rocch": __version__,
        "python": platform.python_version(),
        "libraries": _library_versions(),
        "kind": next(name for name, kind in KINDS.items() if isinstance(model, kind)),
        "models": places,
        "classes": {"dtype": classes.dtype.str, "labels": [to_plain(c) for c in classes.tolist()]},
        "n_features_in": hybrid.n_features_in,
        "feature_names_in": None if features is None else features.tolist(),
        **part,
    }
    if isinstance(model, View):
        manifest["aim"] = {name: _to_plain(name, v) for name, v in model.saved_params().items()}
    else:
        manifest["params"] = _settings(model, models, files, trusted)
    if isinstance(model, RocchClassifier):
        manifest |= {
            "discarded": model.discarded_,
            "fold_rates": to_plain(model.fold_rates_),
            "check": to_plain(getattr(model, "check_", None)),
        }
    files[MANIFEST] = json.dumps(manifest, allow_nan=False).encode()
    return pack(files)


def load(path: str | Path, *, digest: str | None = None, trusted: Iterable[str] = ()) -> Saved:
    """Load a model or view that `save` wrote.

    Digests, version and types are checked before anything is built. `out_of_fold_` is not saved.

    Parameters
    ----------
    path
        The file.
    digest
        The result of `save`, to identify the file.
    trusted
        Types to accept, as for `save`; without a digest also boosters of LightGBM and XGBoost,
        whose memory cannot be checked.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        got = f"{str(path)!r} ({error.strerror or error})"
        raise InputError("path", "name a file that can be read", got) from None
    return load_bytes(content, path, digest=digest, trusted=trusted)


def load_bytes(
    content: bytes, path: str | Path, *, digest: str | None = None, trusted: Iterable[str] = ()
) -> Saved:
    """Load a result of `dump_bytes`; messages name it by `path`."""
    trusted = _as_types(trusted)
    if digest is not None and digest_of(content) != str(digest).lower():
        raise damaged(path, "another file than the one whose digest was given")
    files = unpack(content, path)
    manifest = _read_manifest(files, path)
    names = _model_names(manifest, files)
    models = read_models(
        {name: files[file] for file, name in names.items()}, trusted, known=digest is not None
    )
    try:
        _compare_versions(manifest["libraries"], path)
        arrays = {n: read_array(data) for n, data in files.items() if n.startswith("arrays/")}
        return _build(manifest, arrays, {file: models[name] for file, name in names.items()})
    except Warning:  # where warnings are errors
        raise
    except Exception as error:  # a forged file can make anything fail
        reason = str(error) or type(error).__name__
        raise damaged(path, f"data that make no model ({reason})") from error


def _as_types(trusted: Iterable[str]) -> tuple[str, ...]:
    """Return names of types; a single text is refused."""
    given = (trusted,) if isinstance(trusted, str) else tuple(trusted)
    if isinstance(trusted, str) or not all(isinstance(kind, str) for kind in given):
        hint = Hint("For example: ['my_package.MyModel'].")
        raise InputError("trusted", "be a list of names of types", format_list(given), hint)
    return given


def _hybrid_of(model: object) -> Hybrid | SurfaceHybrid:
    if isinstance(model, View | AimedSurface) and type(model) in KINDS.values():
        return model.hybrid
    if not isinstance(model, RocchClassifier | RocSurfaceClassifier):
        raise InputError(
            "model",
            "be a fitted RocchClassifier or RocSurfaceClassifier, or a view (at, at_each, at_fair, "
            "refer)",
            describe_type(model),
            Hint("Views of certain rows (at_rows) cannot be saved."),
        )
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "hybrid_")
    return model.hybrid_


def _hybrid_to_plain(hybrid: Hybrid, arrays: dict[str, AnyArray]) -> dict[str, Any]:
    return {
        "hull": _hull_to_plain(hybrid.hull, arrays),
        "components": {
            name: {"method": c.method, "column": c.column} for name, c in hybrid.components.items()
        },
        "expressions": {name: part.to_dict() for name, part in hybrid.expressions.items()},
        "column": hybrid.column,
        "direction_known": hybrid.direction_known,
        "effective_rows": list(hybrid.effective_rows),
        "key_column": hybrid.key_column,
        "scorer": to_plain(hybrid.scorer, arrays),
        "clustered": hybrid.clustered,
        "checked": None if hybrid.checked is None else _hull_to_plain(hybrid.checked, arrays),
    }


def _hull_to_plain(hull: RocHull, arrays: dict[str, AnyArray]) -> Any:
    members = tuple(replace(member, source=member.curve()) for member in hull.members)
    return to_plain((hull.totals, members, hull.slope_bounds, hull.considered), arrays)


def _reference_to_plain(
    model: RocchClassifier,
    places: Mapping[str, str],
    files: dict[str, bytes],
    arrays: dict[str, AnyArray],
    trusted: Iterable[str],
) -> dict[str, Any] | None:
    """Return the reference; fold models that are deployed, too, are not written again."""
    reference = model.reference_
    if reference is None:
        return None
    folds: dict[str, list[str | None]] = {}
    for name, own in reference.folds.items():
        deployed = model.hybrid_.components[name].estimator
        folds[name] = []
        for fold, estimator in enumerate(own):
            again = isinstance(deployed, FoldEnsemble) or estimator is deployed
            file = None if again else f"{places[name].removesuffix('.skops')}-{fold}.skops"
            folds[name].append(file)
            if file is not None:
                files[file] = model_bytes(f"{name}, fold {fold}", estimator, trusted)
    curves = to_plain(reference.curves, arrays)
    return {"curves": curves, "folds": folds, "fold_rows": list(reference.fold_rows)}


def _surface_to_plain(hybrid: SurfaceHybrid, arrays: dict[str, AnyArray]) -> dict[str, Any]:
    surface, stack = hybrid.surface, hybrid.stack
    return {
        "counts": to_plain(surface.counts, arrays),
        "members": surface.models,
        "parameters": to_plain(surface.parameters, arrays),
        "parameter_names": surface.parameter_names,
        "costs": to_plain(surface.costs, arrays),
        "objectives": surface.objectives,
        "truths": to_plain(hybrid.truths, arrays),
        "probabilities": to_plain(hybrid.probabilities, arrays),
        "units": to_plain(hybrid.units, arrays),
        "stack": None
        if stack is None
        else {"weights": dict(stack.weights), "intercepts": list(stack.intercepts.values())},
    }


def _settings(
    model: RocchClassifier | RocSurfaceClassifier,
    deployed: Mapping[str, Any],
    files: dict[str, bytes],
    trusted: Iterable[str],
) -> dict[str, Any]:
    """Return a model's plain parameters; the others go to a separate file."""
    named = dict(model.named_models())
    named = {name: each for name, each in named.items() if name in deployed} or named
    settings = model.get_params(deep=False)
    if settings.get("row_costs") is not None:
        settings["row_costs"] = {n: c for n, c in settings["row_costs"].items() if n in named}
    del settings["estimators"]
    # models that were fitted before are deployed unchanged, and written once
    others: dict[str, Any] = {
        "estimators": [(n, None if each is deployed.get(n) else each) for n, each in named.items()]
    }
    plain: dict[str, Any] = {}
    for name, value in settings.items():
        try:
            plain[name] = _to_plain(name, value)
        except InputError:
            if name in PLAIN_SETTINGS:
                raise
            others[name] = value
    files[PARAMS] = model_bytes("the settings", others, trusted)
    return plain


def _to_plain(name: str, value: Any) -> Any:
    is_series = name in ("priors", "limits", "alphas") and hasattr(value, "to_dict")
    return to_plain(value.to_dict() if is_series else value)


def _library_versions() -> dict[str, str]:
    versions = {}
    for library in LIBRARIES:
        try:
            versions[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _read_manifest(files: Mapping[str, bytes], path: str | Path) -> dict[str, Any]:
    manifest = read_json(files.get(MANIFEST, b"null"), path)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise damaged(path, "a file of another kind")
    if manifest.get("version") != VERSION:
        number, release = manifest.get("version"), manifest.get("rocch")
        raise InputError(
            "path",
            f"name a file of format {VERSION}, which rocch {__version__} reads",
            f"format {number}, written by rocch {release}, in {path}",
            "Upgrade rocch.",
        )
    return manifest


def _model_names(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the names of model files for messages."""
    names = {file: file for file in files if file.endswith(".skops")}
    names |= {PARAMS: "the settings"} if PARAMS in names else {}
    models = manifest.get("models")
    for name, file in models.items() if isinstance(models, dict) else ():
        if names.get(str(file)) == file and name not in names.values():
            names[file] = name
    return names


def _compare_versions(recorded: Mapping[str, str], path: str | Path) -> None:
    """Warn where another minor version of a library fitted the models."""
    now = _library_versions()
    changed = [
        f"{name} {version} (now {now.get(name, 'missing')})"
        for name, version in recorded.items()
        if version.split(".")[:2] != now.get(name, "").split(".")[:2]
    ]
    if changed:
        warnings.warn(
            f"{path} was saved with {', '.join(changed)}; models may decide differently. "
            "Check them with model.check(X, y) on labeled rows.",
            ModelVersionWarning,
            stacklevel=3,
        )


def _build(
    manifest: Mapping[str, Any], arrays: Mapping[str, AnyArray], files: Mapping[str, Any]
) -> Saved:
    kind = KINDS[manifest["kind"]]
    models = {name: files[file] for name, file in manifest["models"].items()}
    of_surface = kind in (RocSurfaceClassifier, AimedSurface)
    hybrid: Any = (_build_surface if of_surface else _build_hybrid)(manifest, arrays, models)
    if "aim" in manifest:
        aim = {name: from_plain(value) for name, value in manifest["aim"].items()}
        view: AimedClassifier | GroupedClassifier | ReferringClassifier | AimedSurface = kind(
            hybrid, **aim
        )
        return view
    settings = {name: from_plain(value) for name, value in manifest["params"].items()}
    settings |= files[PARAMS]
    settings["estimators"] = [
        (name, models[name] if each is None else each) for name, each in settings["estimators"]
    ]
    model: RocchClassifier | RocSurfaceClassifier = kind(**settings)
    if isinstance(model, RocSurfaceClassifier):
        model.restore(hybrid)
        return model
    check = from_plain(manifest["check"])
    model.restore(
        hybrid,
        discarded=manifest["discarded"],
        reference=_build_reference(manifest["reference"], arrays, models, files),
        fold_rates=Records(from_plain(manifest["fold_rates"])),
        check=None if check is None else Records(check),
    )
    return model


def _build_reference(
    plain: Mapping[str, Any] | None,
    arrays: Mapping[str, AnyArray],
    models: Mapping[str, Any],
    files: Mapping[str, Any],
) -> Reference | None:
    if plain is None:
        return None
    folds = {}
    for name, own in plain["folds"].items():
        deployed = models[name]
        again = deployed.models if isinstance(deployed, FoldEnsemble) else [deployed] * len(own)
        if len(own) != len(plain["fold_rows"]) or len(again) != len(own):
            raise ValueError(f"the fold models of {name!r} are incomplete")
        folds[name] = [
            other if file is None else files[file] for file, other in zip(own, again, strict=True)
        ]
    return Reference(from_plain(plain["curves"], arrays), folds, plain["fold_rows"])


def _build_hybrid(
    manifest: Mapping[str, Any], arrays: Mapping[str, AnyArray], models: Mapping[str, Any]
) -> Hybrid:
    if len(manifest["classes"]["labels"]) != 2 or manifest["column"] not in (0, 1):
        raise ValueError("there must be two classes")
    if not isinstance(manifest["n_features_in"], int | None):
        raise TypeError("the number of features must be a number")
    components = manifest["components"]
    unknown = [c["method"] for c in components.values() if c["method"] not in get_args(ScoreMethod)]
    if unknown:
        raise ValueError(f"models have no method {unknown[0]!r}")
    hull = RocHull(*from_plain(manifest["hull"], arrays))
    scorer = from_plain(manifest["scorer"], arrays)
    known = {*components, *manifest["expressions"]}
    if isinstance(scorer, AimScorer):
        _check_complete(stack_from(asdict(scorer.stack)).models, components)
        known.add(scorer.name)
    elif scorer is not None:
        raise TypeError("the scorer must be a stack")
    _check_complete(hull.winners, known)
    plain = manifest["checked"]
    checked = None if plain is None else RocHull(*from_plain(plain, arrays))
    _check_complete(() if checked is None else checked.winners, known)
    return Hybrid(
        hull,
        {
            name: Component(name, models[name], each["method"], each["column"])
            for name, each in components.items()
        },
        _read_labels(manifest),
        manifest["column"],
        manifest["direction_known"],
        (manifest["effective_rows"][0], manifest["effective_rows"][1]),
        {name: expression_from(part) for name, part in manifest["expressions"].items()},
        manifest["n_features_in"],
        _read_features(manifest),
        manifest["key_column"],
        scorer,
        checked,
        bool(manifest["clustered"]),
    )


def _build_surface(
    manifest: Mapping[str, Any], arrays: Mapping[str, AnyArray], models: Mapping[str, Any]
) -> SurfaceHybrid:
    labels = _read_labels(manifest)
    classes = Classes.of(labels)
    counts, parameters, costs, truths, probabilities, units = (
        from_plain(manifest[name], arrays)
        for name in ("counts", "parameters", "costs", "truths", "probabilities", "units")
    )
    if counts.ndim != 3 or counts.shape[1:] != (len(classes),) * 2 or counts.dtype.kind != "i":
        raise ValueError("the counts must be confusion matrices of the classes")
    members, objectives = tuple(manifest["members"]), manifest["objectives"]
    if objectives not in MOST_CLASSES:
        raise ValueError(f"no surface trades off {objectives!r}")
    stack = _build_stack(manifest["stack"], classes)
    _check_complete({*members} - ({STACK} if stack else set()), models)
    _check_complete(() if stack is None else stack.weights, models)
    names = tuple(manifest["parameter_names"])
    return SurfaceHybrid(
        RocSurface(classes, counts, members, parameters, names, costs, objectives),
        truths,
        probabilities,
        stack,
        units,
        models,
        labels,
        manifest["n_features_in"],
        _read_features(manifest),
    )


def _build_stack(plain: Mapping[str, Any] | None, classes: Classes) -> ProbabilityStack | None:
    if plain is None:
        return None
    weights = {str(name): float(weight) for name, weight in plain["weights"].items()}
    intercepts = dict(zip(classes, map(float, plain["intercepts"]), strict=True))
    if not all(map(math.isfinite, [*weights.values(), *intercepts.values()])):
        raise ValueError("the stack's weights must be finite")
    return ProbabilityStack(classes, weights, intercepts)


def _check_complete(needed: Collection[str], models: Collection[str]) -> None:
    missing = sorted(set(needed) - set(models))
    if missing:
        raise ValueError(f"there is no model for {format_list(missing)}")


def _read_labels(manifest: Mapping[str, Any]) -> AnyArray:
    kind = np.dtype(manifest["classes"]["dtype"])
    if kind.itemsize > LONGEST_LABEL:
        raise ValueError(f"labels of {kind.itemsize} bytes each are no labels")
    return np.array([from_plain(label) for label in manifest["classes"]["labels"]], dtype=kind)


def _read_features(manifest: Mapping[str, Any]) -> AnyArray | None:
    names = manifest["feature_names_in"]
    return None if names is None else np.array(names, dtype=object)
