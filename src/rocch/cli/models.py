"""The models of a surface, by the names that users type: knn, mlp, or one of scikit-learn's."""

from __future__ import annotations

import ast
import inspect
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.output import echo, working
from rocch.errors import InputError, renamed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.arrays import FloatArray
    from rocch.cli.rows import LabeledRows
    from rocch.hybrid.families import Family
    from rocch.multiclass.models import SearchModel

# Models whose own parameters the search varies.
FAMILIES = ("knn", "mlp")
# The most characters of what was typed that messages show.
MOST_SHOWN = 200
EXAMPLES = "knn, mlp, GaussianNB, or RandomForestClassifier(n_estimators=200), for example."


@dataclass(frozen=True, slots=True)
class NamedModel:
    """What was typed, taken apart."""

    typed: str
    name: str
    settings: dict[str, Any]

    @property
    def is_family(self) -> bool:
        """Whether the search varies its parameters."""
        return self.name in FAMILIES


def model_name(text: str) -> NamedModel:
    """Read a name, perhaps with settings in brackets; nothing in it is ever run."""
    typed = text.strip()
    try:
        node = ast.parse(typed, mode="eval").body
        call = node if isinstance(node, ast.Call) else None
        settings = {} if call is None else _settings(call)
        name = _dotted(node if call is None else call.func)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two if too deep
        got = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."
        raise click.BadParameter(f"{got!r} names no model. Write {EXAMPLES}") from None
    return NamedModel(typed, name, settings)


def _settings(call: ast.Call) -> dict[str, Any]:
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("settings have names")
    return {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Name):
        return node.id
    raise ValueError("no name")


def search_models(
    data: LabeledRows,
    models: Sequence[NamedModel],
    probabilities: dict[str, FloatArray],
    scale: bool,
) -> dict[str, SearchModel]:
    """Return what is searched: the classifiers together, and each family."""
    from rocch.multiclass.models import KnownProbabilities

    parts: dict[str, SearchModel] = {}
    if probabilities:
        parts["classifiers"] = KnownProbabilities(probabilities, data.classes)
    for model in models:
        if model.is_family:
            parts[model.typed] = make_family(model, data, scale=scale)
    return parts


def as_families(
    models: Sequence[NamedModel], parts: Mapping[str, SearchModel], names: Mapping[str, str]
) -> dict[str, Family]:
    """Return the searched families as a hybrid holds them, by their names on the surface."""
    from rocch.hybrid.families import KnnFamily, MlpFamily

    made: dict[str, Family] = {}
    for model in models:
        if model.is_family:
            family = KnnFamily() if model.name == "knn" else MlpFamily()
            family.model_ = parts[model.typed]
            made[names.get(model.typed, model.typed)] = family
    return made


def out_of_fold_probabilities(
    data: LabeledRows, models: Sequence[NamedModel], folds: int, scale: bool, seed: int
) -> dict[str, FloatArray]:
    """Return out-of-fold probabilities of scikit-learn's classifiers; pass its warnings on."""
    named = {m.typed: make_classifier(m, seed=seed) for m in models if not m.is_family}
    if named:
        _check_folds(folds, data)
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name, estimator in named.items():
            with working(f"Evaluating {name} in {folds} folds"):
                found[name] = _out_of_fold(name, estimator, data, folds, scale, seed)
    for text in dict.fromkeys(" ".join(str(each.message).split()) for each in caught):
        echo(f"rocch: scikit-learn warns: {text}", err=True)
    return found


def _out_of_fold(
    name: str, estimator: Any, data: LabeledRows, folds: int, scale: bool, seed: int
) -> FloatArray:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), estimator) if scale else estimator
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    try:
        probabilities: FloatArray = cross_val_predict(
            model, data.features, data.labels, cv=splits, method="predict_proba"
        )
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"--model {name} cannot be fitted to these rows: {reason}") from None
    return probabilities


def _check_folds(folds: int, data: LabeledRows) -> None:
    least = int(data.totals.argmin())
    if data.totals[least] < folds:
        raise InputError(
            "--folds",
            "be at most the rows of the smallest class",
            f"{folds} folds, and {data.totals[least]} rows of {data.classes.names[least]!r}",
            "Use fewer folds, or leave that class out.",
        )


def make_family(model: NamedModel, data: LabeledRows, *, scale: bool) -> SearchModel:
    """Make the model that the search varies."""
    from rocch.multiclass.parametric_models import KnnModel, MlpModel

    made: type[Any] = KnnModel if model.name == "knn" else MlpModel
    fixed = {"scale": scale} if model.name == "knn" else {}
    known = set(inspect.signature(made).parameters) - {"X", "y", "scale"}
    _check_settings(model, known)
    with renamed(**{name: f"{name} of --model {model.name}" for name in known}):
        found: SearchModel = made(data.features, data.labels, **fixed, **model.settings)
    return found


def make_classifier(model: NamedModel, *, seed: int) -> Any:
    """Make a classifier of scikit-learn's own, looked up among all of them."""
    made = _look_up(model)
    known = set(inspect.signature(made).parameters)
    _check_settings(model, known)
    seeded = {"random_state": seed} if "random_state" in known else {}
    try:
        found = made(**{**seeded, **model.settings})
    except TypeError:
        raise InputError(
            f"--model {model.typed}",
            "work without other models inside",
            "one that needs some",
            f"Write {EXAMPLES}",
        ) from None
    if not hasattr(found, "predict_proba"):
        raise InputError(
            f"--model {model.typed}",
            "give probabilities (predict_proba)",
            "one that does not",
            f"Write {EXAMPLES}",
        )
    return found


def _look_up(model: NamedModel) -> Any:
    from difflib import get_close_matches

    from sklearn.utils.discovery import all_estimators

    known = dict(all_estimators(type_filter="classifier"))
    module, _, name = model.name.rpartition(".")
    found = known.get(name)
    if found is None or not f"{found.__module__}.".startswith(f"{module}." if module else ""):
        written = {each.casefold(): each for each in (*FAMILIES, *known)}
        near = [written[each] for each in get_close_matches(name.casefold(), written)]
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Write {EXAMPLES}"
        raise InputError("--model", "be knn, mlp or a scikit-learn classifier", model.name, hint)
    return found


def _check_settings(model: NamedModel, known: set[str]) -> None:
    for name in model.settings:
        if name not in known:
            raise InputError(
                f"--model {model.typed}",
                f"have settings that {model.name} knows",
                repr(name),
                "It knows: {known}.",
                known=", ".join(sorted(known)),
            )
