"""Saving and loading without running foreign code."""

from __future__ import annotations

import io
import json
import platform
import warnings
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from rocch import __version__
from rocch.arrays import AnyArray
from rocch.errors import InputError, ModelVersionWarning, describe_type, format_list
from rocch.files import writing
from rocch.hybrid.aimed import AimedClassifier, GroupedClassifier, View
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.hybrid import Component, FoldRate, Hybrid, ScoreMethod, VertexCheck
from rocch.hybrid.model_files import (
    as_json,
    check_array,
    damaged,
    digest_of,
    model_bytes,
    pack,
    read_models,
    unpack,
)
from rocch.hybrid.multiclass import AimedSurface, RocSurfaceClassifier, SurfaceHybrid
from rocch.hybrid.plain import (
    from_plain,
    hull_from_plain,
    hull_to_plain,
    labels_from_plain,
    to_plain,
)
from rocch.hybrid.rule import expression_from
from rocch.multiclass.classes import Classes
from rocch.multiclass.costs import CostMatrix, DirichletBelief
from rocch.multiclass.search import MOST_CLASSES
from rocch.multiclass.surface import RocSurface

# --- A multi-class hybrid as plain data, arrays and model files, and back -------------------------
#
# The surface and the judged posteriors are arrays, the settings plain data, the models skops files:
# the same file format as the binary hybrid's, and the same checks (`rocch.hybrid.save`). The judged
# posteriors and true classes are kept, because the rule that new costs imply is judged on them.

KIND = "surface"
SURFACE_PARAMS = "models/params.skops"
AIM = ("costs", "priors", "limits", "parsimonious", "least_regret")
BY_NAME = ("costs", "priors", "limits", "alphas")
"""Settings that speak of classes, which have a plain form of their own."""


def surface_parts(
    model: RocSurfaceClassifier | AimedSurface, trusted: Iterable[str]
) -> tuple[dict[str, Any], dict[str, AnyArray], dict[str, bytes]]:
    """Return the manifest's part, arrays, and model files of a fitted classifier or a view."""
    from sklearn.utils.validation import check_is_fitted

    if isinstance(model, RocSurfaceClassifier):
        check_is_fitted(model, "hybrid_")
    hybrid = model.hybrid if isinstance(model, AimedSurface) else model.hybrid_
    surface, features = hybrid.surface, hybrid.feature_names_in
    arrays: dict[str, AnyArray] = {
        "counts": surface.counts,
        "parameters": surface.parameters,
        "member_models": np.array([list(hybrid.models).index(name) for name in surface.models]),
        "truths": hybrid.truths,
        **{f"posteriors-{place}": table for place, table in enumerate(hybrid.posteriors.values())},
    }
    if surface.costs is not None:
        arrays["costs"] = surface.costs
    places = {name: f"models/{place}.skops" for place, name in enumerate(hybrid.models)}
    files = {places[name]: model_bytes(name, hybrid.models[name], trusted) for name in places}
    manifest = {
        "kind": KIND,
        "models": places,
        "judged": list(hybrid.posteriors),
        "parameter_names": list(surface.parameter_names),
        "objectives": surface.objectives,
        "classes": {
            "dtype": hybrid.classes.dtype.str,
            "labels": [to_plain(each) for each in surface.classes],
        },
        "n_features_in": hybrid.n_features_in,
        "feature_names_in": None if features is None else features.tolist(),
    }
    if isinstance(model, AimedSurface):
        aim = {name: getattr(model, name) for name in AIM}
        return manifest | {"aim": {n: _plain(v) for n, v in aim.items()}}, arrays, files
    return manifest | {"params": _settings(model, files, trusted)}, arrays, files


def surface_from(
    manifest: Mapping[str, Any], arrays: Mapping[str, AnyArray], models: Mapping[str, Any]
) -> RocSurfaceClassifier | AimedSurface:
    """Return what `surface_parts` took apart."""
    hybrid = _surface_hybrid(manifest, arrays, models)
    if "aim" in manifest:
        aim = {name: _from_plain(value) for name, value in manifest["aim"].items()}
        return AimedSurface(hybrid, aim.pop("costs"), **aim)
    params = {name: _from_plain(value) for name, value in manifest["params"].items()}
    model = RocSurfaceClassifier(**{**params, **models[SURFACE_PARAMS]})
    model.restore(hybrid)
    return model


def _surface_hybrid(
    manifest: Mapping[str, Any], arrays: Mapping[str, AnyArray], models: Mapping[str, Any]
) -> SurfaceHybrid:
    classes = Classes.of([from_plain(each) for each in manifest["classes"]["labels"]])
    names = list(manifest["models"])
    counts = arrays["counts"]
    if counts.ndim != 3 or counts.shape[1:] != (len(classes),) * 2 or counts.dtype.kind != "i":
        raise ValueError("the counts must be confusion matrices of the classes")
    if manifest["objectives"] not in MOST_CLASSES:
        raise ValueError(f"no surface trades off {manifest['objectives']!r}")
    surface = RocSurface(
        classes,
        counts,
        tuple(names[place] for place in arrays["member_models"].tolist()),
        arrays["parameters"],
        tuple(manifest["parameter_names"]),
        arrays.get("costs"),
        manifest["objectives"],
    )
    features = manifest["feature_names_in"]
    return SurfaceHybrid(
        surface,
        arrays["truths"],
        {name: arrays[f"posteriors-{i}"] for i, name in enumerate(manifest["judged"])},
        {name: models[file] for name, file in manifest["models"].items()},
        labels_from_plain(manifest["classes"]),
        manifest["n_features_in"],
        None if features is None else np.array(features, dtype=object),
    )


def _settings(
    model: RocSurfaceClassifier, files: dict[str, bytes], trusted: Iterable[str]
) -> dict[str, Any]:
    """Return how a model was made; settings that are no plain data go to a file of their own."""
    plain, others = {}, {"estimators": [tuple(pair) for pair in model.named_models()]}
    for name, value in model.get_params(deep=False).items():
        if name == "estimators":
            continue
        try:
            plain[name] = _plain(value) if name in BY_NAME else to_plain(value)
        except InputError:
            if name in BY_NAME:
                raise
            others[name] = value
    files[SURFACE_PARAMS] = model_bytes("params", others, trusted)
    return plain


def _plain(value: Any) -> Any:
    """Return costs, beliefs and mappings of classes as plain data; the rest as `to_plain` does."""
    if isinstance(value, CostMatrix):
        rows = [
            [to_plain(row[name]) for name in ("truth", "prediction", "low", "high")]
            for row in value.rows
        ]
        return {"costs": rows, "classes": [to_plain(each) for each in value.classes]}
    if isinstance(value, DirichletBelief):
        pairs = zip(value.keys, value.alphas.tolist(), strict=True)
        return {"belief": to_plain(tuple(pairs))}
    if hasattr(value, "to_dict"):  # a pandas Series maps its index to its values
        value = value.to_dict()
    if isinstance(value, Mapping):
        return {"mapping": to_plain(tuple(value.items()))}
    return to_plain(value)


def _from_plain(data: Any) -> Any:
    match data:
        case {"costs": list(rows), "classes": list(names)}:
            entries = {
                (from_plain(truth), from_plain(answer)): (low, high)
                for truth, answer, low, high in rows
            }
            return CostMatrix(entries, classes=[from_plain(each) for each in names])
        case {"belief": pairs}:
            return DirichletBelief(dict(from_plain(pairs)))
        case {"mapping": pairs}:
            return dict(from_plain(pairs))
    return from_plain(data)


# --- Saving and loading without running foreign code ----------------------------------------------
#
# A saved model is a zip file of
#
# - `manifest.json`: what it is, versions of everything, the hull and the settings as plain data,
# - `arrays/*.npy`: counts and thresholds (read without pickle),
# - `models/*.skops`: the fitted estimators,
# - `digests.json`: the SHA-256 of all of these.
#
# Loading checks everything before it builds anything: the digests (`model_files.py`), the format's
# version, and that every type in the model files is on the allow-list. Without a
# digest from elsewhere, what was built is checked too before it is returned (`model_memory.py`).

FORMAT = "rocch model"
VERSION = 1
Saved: TypeAlias = (
    RocchClassifier | AimedClassifier | GroupedClassifier | RocSurfaceClassifier | AimedSurface
)

MANIFEST = "manifest.json"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "skops", "lightgbm", "xgboost")


def save(
    model: Saved,
    path: str | Path,
    *,
    trusted: Iterable[str] = (),
) -> str:
    """Save a fitted hybrid, or an aimed view of one; return the file's digest.

    Of the models only those kept are saved, and of the judged rows only the curves; with many
    classes the judged rows' posteriors and true classes too, on which new costs are judged.

    Parameters
    ----------
    model
        A fitted `RocchClassifier`, or what its `at` or `at_each` returned; or a fitted
        `RocSurfaceClassifier`, or what its `at` returned.
    path
        Where to write; an existing file is replaced.
    trusted
        Types of your own, as "package.module.Class", to be accepted beside the allow-list. They
        must be named again when loading.

    Returns
    -------
    str
        The SHA-256 of the file, as `sha256sum` gives it. Keep it elsewhere and pass it to `load`
        where files could be forged; against damage the digests in the file itself are enough.

    Raises
    ------
    InputError
        If the model holds something that cannot be saved, or the path cannot be written.
    StorageError
        If the disk is full, or fails. A file that is there stays as it was.

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
    if isinstance(model, RocSurfaceClassifier | AimedSurface):
        part, columns, files = surface_parts(model, trusted)
        files |= {f"arrays/{name}.npy": _array_bytes(array) for name, array in columns.items()}
        files[MANIFEST] = json.dumps(_header() | part, allow_nan=False).encode()
        return pack(files)
    hybrid = _hybrid_of(model)
    hull, arrays = hull_to_plain(hybrid.hull)
    classes, feature_names = hybrid.classes, hybrid.feature_names_in
    models = {name: c.estimator for name, c in hybrid.components.items()}
    files = {f"arrays/{name}.npy": _array_bytes(array) for name, array in arrays.items()}
    places = {name: f"models/{place}.skops" for place, name in enumerate(models)}
    files |= {places[name]: model_bytes(name, models[name], trusted) for name in models}
    manifest = {
        **_header(),
        "hull": hull,
        "components": {
            name: {"file": places[name], "answer": c.method, "column": c.column}
            for name, c in hybrid.components.items()
        },
        "expressions": {name: part.to_dict() for name, part in hybrid.expressions.items()},
        "classes": {"dtype": classes.dtype.str, "labels": [to_plain(c) for c in classes.tolist()]},
        "column": hybrid.column,
        "direction_known": hybrid.direction_known,
        "effective_rows": list(hybrid.effective_rows),
        "n_features_in": hybrid.n_features_in,
        "feature_names_in": None if feature_names is None else feature_names.tolist(),
        "key_column": hybrid.key_column,
        **(_aim(model) if isinstance(model, View) else _training(model, files, trusted)),
    }
    files[MANIFEST] = json.dumps(manifest, allow_nan=False).encode()
    return pack(files)


def load(path: str | Path, *, digest: str | None = None, trusted: Iterable[str] = ()) -> Saved:
    """Load what `save` wrote: a fitted `RocchClassifier` or `RocSurfaceClassifier`, or a view.

    Everything is checked before anything is built: the digests, the format's version, and that
    every type in the model files is on the allow-list. What was left behind when saving: the
    out-of-fold scores of single rows (`out_of_fold_`); the hull, the curves and the rates by fold
    are all there.

    Parameters
    ----------
    path
        The file.
    digest
        What `save` returned, to make sure that this is the same file.
    trusted
        Types of your own to be accepted, as for `save`; and boosters of LightGBM and XGBoost where
        there is no digest, because only these libraries can read their memory.

    Raises
    ------
    InputError
        If the file is truncated, altered, of a newer format, larger inside than it may be, or holds
        types that are not on the list, or arrays that no fitted model can hold.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(path)!r} cannot be read: {reason}.") from None
    return load_bytes(content, path, digest=digest, trusted=trusted)


def load_bytes(
    content: bytes, path: str | Path, *, digest: str | None = None, trusted: Iterable[str] = ()
) -> Saved:
    """Load what `dump_bytes` returned; `path` is what the content is called in messages."""
    trusted = _as_types(trusted)
    if digest is not None and digest_of(content) != str(digest).lower():
        raise damaged(path, "another file than the one whose digest was given")
    files = unpack(content, path)
    manifest = _manifest(files, path)
    names = _model_names(manifest, files)
    models = read_models(
        {name: files[file] for file, name in names.items()}, trusted, known=digest is not None
    )
    try:
        _compare_versions(manifest["libraries"], path)
        return _built(manifest, files, {file: models[name] for file, name in names.items()})
    except Warning:  # where warnings are errors
        raise
    except Exception as error:  # a forged file can make anything fail
        reason = str(error) or type(error).__name__
        raise damaged(path, f"data that make no model ({reason})") from error


def _as_types(trusted: Any) -> tuple[str, ...]:
    """Return the names of types, which must be a list even where there is one."""
    given = (trusted,) if isinstance(trusted, str) else tuple(trusted)
    if isinstance(trusted, str) or not all(isinstance(kind, str) for kind in given):
        raise InputError(
            "trusted",
            "be a list of names of types",
            format_list(given),
            "For example: ['my_package.MyModel'].",
        )
    return given


def _model_names(manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, str]:
    """Return what messages call each file of a model: by the model's name, if it has one."""
    names = {file: file for file in files if file.endswith(".skops")}
    names |= {PARAMS: "the settings"} if PARAMS in names else {}
    listed = manifest.get("models", manifest.get("components"))
    for name, entry in listed.items() if isinstance(listed, dict) else ():
        file = str(entry.get("file") if isinstance(entry, dict) else entry)
        if names.get(file) == file and name not in names.values():
            names[file] = name
    return names


def _built(
    manifest: Mapping[str, Any], files: Mapping[str, bytes], models: Mapping[str, Any]
) -> Saved:
    if manifest.get("kind") == KIND:
        return surface_from(manifest, _arrays(files), models)
    hybrid = _hybrid(manifest, files, models)
    if "aim" not in manifest:
        return _classifier(manifest, hybrid, models)
    aim = {name: from_plain(value) for name, value in manifest["aim"].items()}
    if "criteria" in aim:
        return GroupedClassifier(hybrid, dict(aim.pop("criteria")), **aim)
    return AimedClassifier(hybrid, aim.pop("criterion"), **aim)


def _hybrid_of(model: Any) -> Hybrid:
    if isinstance(model, AimedClassifier | GroupedClassifier):
        return model.hybrid
    if not isinstance(model, RocchClassifier):
        raise InputError(
            "model",
            "be a fitted RocchClassifier, or what its at or at_each returned",
            describe_type(model),
            "Views of certain rows (at_rows) have nothing to keep.",
        )
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "hybrid_")
    return model.hybrid_


def _aim(view: AimedClassifier | GroupedClassifier) -> dict[str, Any]:
    given: dict[str, Any] = {"randomize": view.randomize, "row_key": view.row_key}
    given["seed"] = view.seed
    if isinstance(view, GroupedClassifier):
        given |= {"criteria": tuple(view.criteria.items()), "group": view.group}
    else:
        given["criterion"] = view.criterion
    return {"aim": {name: to_plain(value) for name, value in given.items()}}


PARAMS = "models/params.skops"


def _training(
    model: RocchClassifier, files: dict[str, bytes], trusted: Iterable[str]
) -> dict[str, Any]:
    """Return how a model was made; settings that are no plain data go to a file of their own."""
    plain, others = {}, {}
    for name, value in model.get_params(deep=False).items():
        try:
            plain[name] = to_plain(value) if name != "estimators" else None
        except InputError:
            if name in ("criterion", "within"):
                raise
            others[name] = value
    pairs = [tuple(pair) for pair in model.named_models()]
    pairs = [pair for pair in pairs if pair[0] in model.kept_] or pairs
    deployed = {name: c.estimator for name, c in model.hybrid_.components.items()}
    # models that were fitted beforehand are the deployed ones: they are not written twice
    same = [name for name, estimator in pairs if estimator is deployed.get(name)]
    others["estimators"] = [pair for pair in pairs if pair[0] not in same]
    if "row_costs" in others:
        saved = {name for name, _ in pairs}
        others["row_costs"] = {n: c for n, c in model.row_costs.items() if n in saved}
    files[PARAMS] = model_bytes("the settings", others, trusted)
    return {
        "params": plain,
        "fitted_before": {name: place for place, (name, _) in enumerate(pairs) if name in same},
        "kept": list(model.kept_),
        "discarded": model.discarded_,
        "fold_rates": [_row(rate) for rate in model.fold_rates_],
        "check": [_row(check) for check in getattr(model, "check_", ())],
    }


def _header() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "rocch": __version__,
        "python": platform.python_version(),
        "libraries": _library_versions(),
    }


def _row(record: Any) -> list[Any]:
    return [to_plain(getattr(record, name)) for name in record.__slots__]


def _array_bytes(array: np.ndarray[Any, Any]) -> bytes:
    """Write an array; whole numbers beyond 64 bits (of common totals) as texts."""
    file = io.BytesIO()
    np.save(file, array.astype(str) if array.dtype == object else array, allow_pickle=False)
    return file.getvalue()


def _library_versions() -> dict[str, str]:
    versions = {}
    for library in LIBRARIES:
        try:
            versions[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _manifest(files: Mapping[str, bytes], path: str | Path) -> dict[str, Any]:
    manifest = as_json(files.get(MANIFEST, b"null"), path)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise damaged(path, "a file of another kind")
    if manifest.get("version") != VERSION:
        raise InputError(
            f"{path} has format {manifest.get('version')}, written by rocch "
            f"{manifest.get('rocch')}; rocch {__version__} reads format {VERSION}. "
            "Upgrade rocch."
        )
    return manifest


def _compare_versions(recorded: Mapping[str, str], path: str | Path) -> None:
    """Warn where models were fitted with another minor version of a library."""
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


def _arrays(files: Mapping[str, bytes]) -> dict[str, np.ndarray[Any, Any]]:
    return {
        name.removeprefix("arrays/").removesuffix(".npy"): _array(data)
        for name, data in files.items()
        if name.startswith("arrays/")
    }


def _array(data: bytes) -> np.ndarray[Any, Any]:
    check_array(data)
    array = np.load(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind != "U":
        return np.asarray(array)
    return np.array([int(text) for text in array.tolist()], dtype=object)


def _hybrid(
    manifest: Mapping[str, Any], files: Mapping[str, bytes], models: Mapping[str, Any]
) -> Hybrid:
    classes = manifest["classes"]
    features = manifest["feature_names_in"]
    if len(classes["labels"]) != 2 or manifest["column"] not in (0, 1):
        raise ValueError("there must be two classes")
    if not isinstance(manifest["n_features_in"], int | None):
        raise TypeError("the number of features must be a number")
    hull = hull_from_plain(manifest["hull"], _arrays(files))
    strangers = hull.winners - {*manifest["components"], *manifest["expressions"]}
    if strangers:
        raise ValueError(f"there is no model for {sorted(strangers)}")
    return Hybrid(
        hull,
        {
            name: Component(name, models[entry["file"]], _answer(entry), entry["column"])
            for name, entry in manifest["components"].items()
        },
        labels_from_plain(classes),
        manifest["column"],
        manifest["direction_known"],
        (manifest["effective_rows"][0], manifest["effective_rows"][1]),
        {name: expression_from(part) for name, part in manifest["expressions"].items()},
        manifest["n_features_in"],
        None if features is None else np.array(features, dtype=object),
        manifest["key_column"],
    )


def _answer(entry: Mapping[str, Any]) -> Any:
    if entry["answer"] not in get_args(ScoreMethod):
        raise ValueError(f"models are not asked for {entry['answer']!r}")
    return entry["answer"]


def _classifier(
    manifest: Mapping[str, Any], hybrid: Hybrid, models: Mapping[str, Any]
) -> RocchClassifier:
    params = {name: from_plain(value) for name, value in manifest["params"].items()}
    others = models[PARAMS]
    pairs = list(others["estimators"])
    for name, place in manifest.get("fitted_before", {}).items():
        pairs.insert(place, (name, hybrid.components[name].estimator))
    model = RocchClassifier(**{**params, **others, "estimators": pairs})
    check = [VertexCheck(*map(from_plain, row)) for row in manifest["check"]]
    model.restore(
        hybrid,
        discarded=manifest["discarded"],
        fold_rates=[FoldRate(*map(from_plain, row)) for row in manifest["fold_rates"]],
        check=check or None,
    )
    return model
