"""Private parts of scikit-learn that rocch uses, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOMES = {
    "BaseForest": "sklearn.ensemble._forest",
    "BaseGradientBoosting": "sklearn.ensemble._gb",
    "BaseLibSVM": "sklearn.svm._base",
    "NeighborsBase": "sklearn.neighbors._base",
    "Tree": "sklearn.tree._tree",
    "_BaseComposition": "sklearn.utils.metaestimators",
    "_check_method_params": "sklearn.utils.validation",
    "_check_sample_weight": "sklearn.utils.validation",
    "_num_samples": "sklearn.utils.validation",
    "_safe_indexing": "sklearn.utils",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
