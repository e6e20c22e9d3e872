"""A multi-class hybrid as plain data, arrays and model files, and back.

The surface and the judged posteriors are arrays, the settings plain data, the models skops files:
the same file format as the binary hybrid's, and the same checks (`rocch.hybrid.saving`). The judged
posteriors and true classes are kept, because the rule that new costs imply is judged on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError
from rocch.hybrid.many_classes.aimed_surface import AimedSurface
from rocch.hybrid.many_classes.classifier import RocSurfaceClassifier
from rocch.hybrid.many_classes.surface_hybrid import SurfaceHybrid
from rocch.hybrid.model_files import model_bytes
from rocch.hybrid.plain import from_plain, labels_from_plain, to_plain
from rocch.multiclass.classes import Classes
from rocch.multiclass.costs import CostMatrix, DirichletBelief
from rocch.multiclass.search import MOST_CLASSES
from rocch.multiclass.surface import RocSurface

if TYPE_CHECKING:
    from collections.abc import Iterable

    AnyArray = np.ndarray[Any, Any]

KIND = "surface"
PARAMS = "models/params.skops"
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
    hybrid = _hybrid(manifest, arrays, models)
    if "aim" in manifest:
        aim = {name: _from_plain(value) for name, value in manifest["aim"].items()}
        return AimedSurface(hybrid, aim.pop("costs"), **aim)
    params = {name: _from_plain(value) for name, value in manifest["params"].items()}
    model = RocSurfaceClassifier(**{**params, **models[PARAMS]})
    model.restore(hybrid)
    return model


def _hybrid(
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
    files[PARAMS] = model_bytes("params", others, trusted)
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
