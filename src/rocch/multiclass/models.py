"""Models for the search: functions, fitted classifiers, several models together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from rocch.arrays import Columns, Features, FloatArray, Label
from rocch.errors import Hint, InputError, UndefinedError, describe_type, format_list
from rocch.inputs import as_function, as_mapping, as_name, as_number, check_known, check_same_names
from rocch.multiclass.classes import (
    Classes,
    ClassNames,
    as_probabilities,
    as_table,
    probabilities_by_name,
)

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@runtime_checkable
class SearchModel(Protocol):
    """A model that turns a parameter vector into probabilities.

    Columns are in the order of its `classes`, if it has them.

    Attributes
    ----------
    parameter_names
        The names of the parameters.
    """

    parameter_names: tuple[str, ...]

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return up to `number` parameter vectors to begin with, row by row."""

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return a parameter vector near the given one, sometimes far from it."""

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Return the probabilities of the evaluation rows, one column for each class."""

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:
        """Return the probabilities of new rows."""

    def name_of(self, parameters: FloatArray) -> str:
        """Return the name of the model, or of the classifier among several."""


def laplacian_step(
    parameters: FloatArray, scale: FloatArray | float, rng: np.random.Generator
) -> FloatArray:
    """Add a Laplacian step, which sometimes reaches far, to each parameter (section 3)."""
    return np.asarray(parameters + rng.laplace(size=parameters.shape) * scale)


def reflect(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Mirror values at their bounds until they lie within."""
    width = high - low
    period = np.where(width > 0, 2 * width, 1.0)  # where the bounds meet there is no way to go
    folded = np.abs(np.mod(values - low + width, period) - width)
    return np.asarray(np.clip(low + folded, low, high))


def as_vector(parameters: Columns, size: int) -> FloatArray:
    """Return a parameter vector of `size` finite numbers."""
    values = list(parameters.values()) if isinstance(parameters, Mapping) else parameters
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (size,) or not np.isfinite(vector).all():
        raise InputError(
            "parameters",
            f"be {size} finite numbers",
            repr(parameters),
            Hint("See parameter_names."),
        )
    return vector


# The scale of a step, unless given, as a share of the distance between the bounds.
SHARE_OF_RANGE = 0.1


class FunctionModel:
    """A function of parameters, searched between bounds.

    Parameters
    ----------
    function
        Takes a dict of parameters, and returns the probabilities of the evaluation rows.
    low, high
        The bounds by parameter name, both included.
    step
        The scales of the Laplacian steps by name; by default a tenth of each range.
    whole
        The names of integer parameters.
    start
        Starting vectors, as mappings by name; by default random ones.
    new_rows
        Like `function`, with new rows as second argument; needed only to predict them.
    name
        The model's name.

    Examples
    --------
    A tree's depth and its smallest leaf, evaluated out of fold:

    >>> import rocch
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> data = rocch.multiclass.three_class_data(150, seed=1)
    >>> def grow(values):
    ...     tree = DecisionTreeClassifier(**values, random_state=0)
    ...     return cross_val_predict(tree, data.X, data.y, cv=3, method="predict_proba")
    >>> trees = rocch.multiclass.FunctionModel(
    ...     grow,
    ...     low={"max_depth": 1, "min_samples_leaf": 1},
    ...     high={"max_depth": 8, "min_samples_leaf": 20},
    ...     whole=["max_depth", "min_samples_leaf"],
    ...     name="tree",
    ... )
    >>> surface = rocch.multiclass.SurfaceSearch(trees, data.y, start=5).run(10)
    >>> surface.parameter_names
    ('max_depth', 'min_samples_leaf')
    """

    def __init__(
        self,
        function: Callable[[dict[str, Any]], Columns],
        *,
        low: Mapping[str, float],
        high: Mapping[str, float],
        step: Mapping[str, float] | None = None,
        whole: Iterable[str] = (),
        start: Iterable[Mapping[str, float]] | None = None,
        new_rows: Callable[[dict[str, Any], Features], Columns] | None = None,
        name: str = "function",
    ) -> None:
        self._function = as_function(function, "function", "parameters")
        self._new_rows = (
            None if new_rows is None else as_function(new_rows, "new_rows", "parameters and rows")
        )
        self._name = as_name(name)
        bounds = as_mapping(low, "low", "every parameter's name to its lower bound")
        self.parameter_names = tuple(map(as_name, bounds))
        self._low, self._high = self._vector(low, "low"), self._vector(high, "high")
        integers = [whole] if isinstance(whole, str) else list(whole)
        check_known(integers, self.parameter_names, "whole", "parameters")
        self._whole = np.array([name in integers for name in self.parameter_names])
        self._check_bounds()
        # before rounding, every whole number has a stretch of length 1
        self._cell_low = np.where(self._whole, self._low - 0.5, self._low)
        self._cell_high = np.where(self._whole, self._high + 0.5, self._high)
        self._step = SHARE_OF_RANGE * (self._cell_high - self._cell_low)
        if step is not None:
            self._step = self._vector(step, "step", least=0)
        self._start = None if start is None else self._start_vectors(start)

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return the starting vectors, by default random ones between the bounds."""
        if self._start is not None:
            return self._start
        vectors = rng.uniform(self._cell_low, self._cell_high, (number, len(self._low)))
        return self._round(vectors)

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a Laplacian step, mirrored at the bounds."""
        vector = laplacian_step(parameters, self._step, rng)
        return self._round(reflect(vector, self._cell_low, self._cell_high))

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Return the function's probabilities of the evaluation rows."""
        table: FloatArray = self._function(self._by_name(parameters))
        return table

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:
        """Return the probabilities of new rows by `new_rows`."""
        if self._new_rows is None:
            raise UndefinedError(
                "This function knows the evaluation rows only.",
                hint=Hint(
                    "Pass new_rows=, a function of parameters and features, to predict new ones."
                ),
            )
        table: FloatArray = self._new_rows(self._by_name(parameters), X)
        return table

    def name_of(self, parameters: FloatArray) -> str:  # noqa: ARG002 - a model alone has one name
        """Return the model's name."""
        return self._name

    def _round(self, values: FloatArray) -> FloatArray:
        near = np.clip(np.rint(values), self._low, self._high)
        return np.where(self._whole, near, values)

    def _by_name(self, parameters: FloatArray) -> dict[str, Any]:
        values = as_vector(parameters, len(self.parameter_names)).tolist()
        triples = zip(self.parameter_names, values, self._whole.tolist(), strict=True)
        return {name: int(value) if whole else value for name, value, whole in triples}

    def _vector(
        self, values: Mapping[str, float], argument: str, least: float | None = None
    ) -> FloatArray:
        names = self.parameter_names
        numbers = as_mapping(values, argument, "every parameter's name to a number")
        check_same_names(numbers, names, argument, "parameters")
        return np.array([as_number(numbers[n], f"{argument}[{n!r}]", least=least) for n in names])

    def _check_bounds(self) -> None:
        for name, low, high, whole in zip(
            self.parameter_names, self._low, self._high, self._whole, strict=True
        ):
            argument, got = f"low[{name!r}]", f"{low:g} and {high:g}"
            if low > high:
                raise InputError(argument, "not be above {high}", got)
            if whole and not (low.is_integer() and high.is_integer()):
                raise InputError(argument, "be a whole number, as {high} and the parameter", got)

    def _start_vectors(self, start: Iterable[Mapping[str, float]]) -> FloatArray:
        mappings = [start] if isinstance(start, Mapping) else list(start)
        vectors = [self._vector(each, f"start[{place}]") for place, each in enumerate(mappings)]
        if not vectors:
            raise InputError("start", "hold at least one vector", "none", "Leave it out instead.")
        for place, vector in enumerate(vectors):
            inside = (self._low <= vector) & (vector <= self._high)
            if not (inside & (~self._whole | (vector == np.rint(vector)))).all():
                raise InputError(
                    f"start[{place}]",
                    "lie between {low} and {high}, whole where parameters are",
                    vector.tolist(),
                )
        return np.stack(vectors)


class KnownProbabilities:
    """Named classifiers, known by their probabilities on the evaluation rows.

    Parameters
    ----------
    y_proba
        The probabilities by classifier; columns of arrays are in the order of `classes`.
    classes
        The classes in order.

    Examples
    --------
    >>> import rocch
    >>> lr = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]]
    >>> rules = {"dog": [0.2, 0.9], "cat": [0.8, 0.0], "eel": [0.0, 0.1]}
    >>> both, classes = {"lr": lr, "rules": rules}, ["cat", "dog", "eel"]
    >>> known = rocch.multiclass.KnownProbabilities(both, classes)
    >>> known.probabilities([1])
    array([[0.8, 0.2, 0. ],
           [0. , 0.9, 0.1]])
    """

    parameter_names: tuple[str, ...] = ("classifier",)

    def __init__(self, y_proba: Mapping[str, Columns], classes: ClassNames) -> None:
        self.classes = Classes.of(classes)
        self._probabilities = probabilities_by_name(y_proba, self.classes)
        self.names = tuple(self._probabilities)

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Return every classifier once, as its place."""
        return np.arange(len(self.names), dtype=np.float64)[:, np.newaxis]

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Return a random classifier."""
        return np.array([float(rng.integers(len(self.names)))])

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Return a classifier's probabilities of the evaluation rows."""
        return self._probabilities[self.name_of(parameters)]

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:  # noqa: ARG002
        """Raise an error: probabilities of new rows are unknown."""
        raise UndefinedError(
            f"The classifier {self.name_of(parameters)!r} is known by its probabilities on the "
            "evaluation rows only.",
            hint=Hint("Use FittedModels with the fitted classifiers to predict new rows."),
        )

    def name_of(self, parameters: FloatArray) -> str:
        """Return the classifier's name."""
        values = np.asarray(parameters).tolist()
        if len(values) != 1 or values[0] not in range(len(self.names)):
            raise InputError(
                "parameters",
                "be the place of a classifier",
                repr(values),
                "There are, from 0 on: {known}.",
                known=format_list(self.names),
            )
        return self.names[int(values[0])]


class FittedModels(KnownProbabilities):
    """Named scikit-learn classifiers, fitted on other rows than they are evaluated on.

    Parameters
    ----------
    models
        The fitted classifiers by name, with `predict_proba` and the same classes.
    X
        The evaluation rows.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> old = rocch.multiclass.three_class_data(300, seed=1)
    >>> new = rocch.multiclass.three_class_data(300, seed=2)
    >>> fitted = {"lr": LogisticRegression(), "nb": GaussianNB()}
    >>> fitted = {name: model.fit(old.X, old.y) for name, model in fitted.items()}
    >>> models = rocch.multiclass.FittedModels(fitted, new.X)
    >>> surface = rocch.multiclass.SurfaceSearch(models, new.y).run(100)
    >>> sorted(set(surface.models))
    ['lr', 'nb']
    """

    def __init__(self, models: Mapping[str, BaseEstimator], X: Features) -> None:
        self._models = as_mapping(models, "models", "classifiers' names to fitted classifiers")
        own = {name: _classes_of(name, model) for name, model in self._models.items()}
        first = next(iter(own.values()))
        for name, names in own.items():
            check_same_names(names, first, f"models[{name!r}]", "classes")
        classes = Classes.of(first, "models")
        tables = {
            name: predict_probabilities(name, model, X, classes)
            for name, model in self._models.items()
        }
        super().__init__(tables, classes)

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:
        """Return a classifier's probabilities of new rows."""
        name = self.name_of(parameters)
        table = predict_probabilities(name, self._models[name], X, self.classes)
        return as_probabilities(table, self.classes, argument=f"models[{name!r}]")


def _classes_of(name: str, model: BaseEstimator) -> list[Label]:
    if not hasattr(model, "predict_proba"):
        raise InputError(
            "models",
            "give probabilities (predict_proba)",
            f"{name!r}: {describe_type(model)}",
            Hint("Calibrate it, for example with scikit-learn's CalibratedClassifierCV."),
        )
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError(
            "models", "be fitted", f"{name!r} without classes_", "Fit it on labeled rows first."
        )
    return list(np.asarray(classes).tolist())


def predict_probabilities(
    name: str, model: BaseEstimator, X: Features, classes: Classes
) -> FloatArray:
    """Return a fitted model's probabilities, with columns in the order of `classes`."""
    hint = Hint("predict_proba returns a column for each of its classes_.")
    table = as_table(model.predict_proba(X), f"models[{name!r}]", len(classes), hint=hint)
    own = _classes_of(name, model)
    return np.ascontiguousarray(table[:, [own.index(each) for each in classes]])


class SeveralModels:
    """Models of different kinds.

    A vector holds its model's place, then the parameters of all models.

    Parameters
    ----------
    models
        The models by name.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.multiclass.three_class_data(90, seed=1)
    >>> near = rocch.multiclass.KnnModel(data.X, data.y)
    >>> net = rocch.multiclass.MlpModel(data.X, data.y, hidden=2)
    >>> models = rocch.multiclass.SeveralModels({"near": near, "net": net})
    >>> models.parameter_names[:4]
    ('model', 'near: k', 'near: beta', 'net: x0 to h0')
    >>> models.name_of([0.0, 15.0, 20.0, *[0.0] * 15])
    'near'
    """

    def __init__(self, models: Mapping[str, SearchModel]) -> None:
        by_name = as_mapping(models, "models", "names to models")
        self.parts = tuple(map(as_name, by_name))
        self.models = tuple(as_model(each, f"models[{name!r}]") for name, each in by_name.items())
        own_classes = (getattr(model, "classes", None) for model in self.models)
        known = [classes for classes in own_classes if classes is not None]
        if any(classes != known[0] for classes in known):
            raise InputError("models", "know the same classes in the same order", "others")
        self.classes: Classes | None = known[0] if known else None
        own = [
            [f"{part}: {name}" for name in model.parameter_names]
            for part, model in zip(self.parts, self.models, strict=True)
        ]
        self.parameter_names = ("model", *(name for names in own for name in names))
        self._ends = np.cumsum([1, *map(len, own)])

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return every model's start, each with its share of the vectors."""
        share = max(1, number // len(self.models))
        return np.concatenate(
            [
                np.stack([self._join(place, vector) for vector in model.start(share, rng)])
                for place, model in enumerate(self.models)
            ]
        )

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a step of the vector's model."""
        place, own = self._split(parameters)
        return self._join(place, self.models[place].perturb(own, rng))

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Return the probabilities of the evaluation rows by the vector's model."""
        place, own = self._split(parameters)
        return self.models[place].probabilities(own)

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:
        """Return the probabilities of new rows by the vector's model."""
        place, own = self._split(parameters)
        return self.models[place].probabilities_of(own, X)

    def name_of(self, parameters: FloatArray) -> str:
        """Return the name of the vector's model, or of the classifier among several."""
        place, own = self._split(parameters)
        several = hasattr(self.models[place], "names")
        return self.models[place].name_of(own) if several else self.parts[place]

    def _split(self, parameters: FloatArray) -> tuple[int, FloatArray]:
        vector = np.asarray(parameters, dtype=np.float64)
        place = int(vector[0])
        return place, vector[self._ends[place] : self._ends[place + 1]]

    def _join(self, place: int, own: FloatArray) -> FloatArray:
        vector = np.zeros(len(self.parameter_names))
        vector[0], vector[self._ends[place] : self._ends[place + 1]] = place, own
        return vector


def as_model(model: object, argument: str = "model") -> SearchModel:
    """Return a model that can be searched."""
    if not isinstance(model, SearchModel) or isinstance(model, type):
        raise InputError(
            argument,
            "be a model with start, perturb, probabilities, probabilities_of and name_of",
            describe_type(model),
            Hint("Use FittedModels for fitted classifiers, FunctionModel for any function."),
        )
    return model
