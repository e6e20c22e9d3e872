"""Fitted estimators in skops files, and the allow-list of types that may be in them.

skops builds only types that it is told to trust. It trusts scikit-learn's public estimators, NumPy
and SciPy by itself; whatever else occurs must stand on the lists here, or be named by the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, UntrustedError, missing_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ALLOWED = frozenset(
    {
        "collections.OrderedDict",
        "lightgbm.sklearn.LGBMClassifier",
        "rocch.hybrid.combining.rule_classifier.RuleClassifier",
        "rocch.hybrid.combining.votes.VoteClassifier",
        "rocch.hybrid.fold_ensemble.FoldEnsemble",
        "rocch.hybrid.many_classes.families.KnnFamily",
        "rocch.hybrid.many_classes.families.MlpFamily",
        "rocch.hybrid.score_columns.LabelColumn",
        "rocch.hybrid.score_columns.ScoreColumn",
        "sklearn._loss.link.Interval",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.utils._bunch.Bunch",
        "xgboost.sklearn.XGBClassifier",
    }
    | {
        f"sklearn.model_selection._split.{name}"
        for name in (
            "GroupKFold",
            "GroupShuffleSplit",
            "KFold",
            "LeaveOneGroupOut",
            "LeaveOneOut",
            "LeavePGroupsOut",
            "LeavePOut",
            "PredefinedSplit",
            "RepeatedKFold",
            "RepeatedStratifiedKFold",
            "ShuffleSplit",
            "StratifiedGroupKFold",
            "StratifiedKFold",
            "StratifiedShuffleSplit",
            "TimeSeriesSplit",
        )
    }
)
"""Types accepted beyond those that skops trusts by itself (scikit-learn's public estimators)."""

RAW = frozenset(
    {
        "lightgbm.basic.Booster",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "xgboost.core.Booster",
    }
)
"""Types that hold raw memory of trees: accepted only in files whose digest is the recorded one."""


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise missing_extra("save", "Saving and loading models") from None
    return skops.io


def model_bytes(name: str, model: Any, trusted: Iterable[str]) -> bytes:
    """Return a model as skops writes it, if all its types are listed."""
    sio = _skops()
    try:
        data: bytes = sio.dumps(model)
    except Exception as error:
        raise InputError(
            f"{name!r} cannot be saved: {error}. Functions written in place, generators and open "
            "files have no plain form; use importable classes and settings."
        ) from error
    _check_listed(name, data, trusted)
    return data


def _check_listed(name: str, data: bytes, trusted: Iterable[str]) -> list[str]:
    """Return the types in a model file beyond those that skops trusts; refuse unlisted ones."""
    try:
        types: list[str] = _skops().get_untrusted_types(data=data)
    except Exception as error:
        raise InputError(f"{name!r} cannot be read: {error}. The file is damaged.") from error
    in_place = [kind for kind in types if "<" in kind]
    if in_place:
        raise InputError(
            f"{name!r} holds functions or classes written in place ({', '.join(in_place)}), which "
            "nobody can load. Move them to a module, under a name."
        )
    strangers = [kind for kind in types if kind not in ALLOWED | RAW | set(trusted)]
    if strangers:
        raise UntrustedError(
            f"{name!r} holds types that are not on the allow-list. If you trust them, name them:",
            strangers,
        )
    return types


def read_models(files: Mapping[str, bytes], trusted: Iterable[str]) -> dict[str, Any]:
    """Build the models in files, after all types in all files were found on the lists."""
    trusted = list(trusted)
    types = {name: _check_listed(name, data, trusted) for name, data in files.items()}
    return {name: _skops().loads(data, trusted=types[name]) for name, data in files.items()}


def read_model(name: str, data: bytes, trusted: Iterable[str], *, known: bool) -> Any:
    """Build the model in a file that somebody else may have written.

    Parameters
    ----------
    known
        Whether the file was recognised by a digest that was recorded when it was saved. Raw memory
        of trees is accepted only then, or where the caller trusts its type: scikit-learn follows
        it without looking.
    """
    trusted = list(trusted)
    types = _check_listed(name, data, trusted)
    raw = [kind for kind in types if kind in RAW - set(trusted)]
    if raw and not known:
        raise UntrustedError(
            f"{name!r} holds raw memory of trees, which a forged file could misuse. Give the "
            "digest that was recorded when it was saved; or, if you trust the file, name its "
            "types:",
            raw,
        )
    return _skops().loads(data, trusted=types)
