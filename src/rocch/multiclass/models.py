"""What the search asks of a model; functions, fitted classifiers and several models as such."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, UndefinedError, describe_type, format_list
from rocch.inputs import as_name, as_number, is_number, to_host
from rocch.multiclass.classes import Classes, as_posteriors

# --- What the search asks of a model --------------------------------------------------------------


@runtime_checkable
class SearchModel(Protocol):
    """A model whose parameters can be varied: a parameter vector in, posteriors out.

    A model that knows its classes has them as `classes` too; the search then checks that they are
    those of the labels, and takes the posteriors' columns to be in their order.
    """

    parameter_names: tuple[str, ...]
    """The names of the parameters, in the order of the vectors."""

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return parameter vectors to begin with, row by row.

        Random ones are as many as asked for; a model that is fitted may return fewer.
        """

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return a parameter vector near the given one, now and then far from it."""

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return the posteriors of the judged rows, one column for each class."""

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return the posteriors of new rows."""

    def name_of(self, parameters: FloatArray) -> str:
        """Return the name of the model, or of the classifier among several."""


# --- Steps from one parameter vector to another: heavy-tailed, and kept within bounds -------------


def laplacian(
    parameters: FloatArray, scale: FloatArray | float, rng: np.random.Generator
) -> FloatArray:
    """Add a Laplacian step to each parameter; its tails now and then reach far (section 3)."""
    return np.asarray(parameters + rng.laplace(size=parameters.shape) * scale)


def reflected(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Mirror values at their bounds until they lie within.

    Cutting them off instead would pile up steps on the bounds themselves.
    """
    width = high - low
    period = np.where(width > 0, 2 * width, 1.0)  # where the bounds meet there is no way to go
    folded = np.abs(np.mod(values - low + width, period) - width)
    return np.asarray(np.clip(low + folded, low, high))


def as_vector(parameters: Any, size: int) -> FloatArray:
    """Return a parameter vector of so many finite numbers; a mapping's values in its order."""
    values = list(parameters.values()) if isinstance(parameters, Mapping) else parameters
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (size,) or not np.isfinite(vector).all():
        raise InputError(
            "parameters", f"be {size} finite numbers", repr(parameters), "See parameter_names."
        )
    return vector


# --- Any function of named parameters to posteriors as a model to search --------------------------

SHARE_OF_RANGE = 0.1
"""The scale of a step, unless given, as a share of the distance between the bounds."""


class FunctionModel:
    """A function of parameters, searched between bounds.

    Parameters
    ----------
    function
        Takes the parameters as a mapping from name to value (whole ones are `int`), and returns
        the posteriors of the judged rows, as `predict_proba` would.
    low, high
        The bounds by the parameters' names, both included.
    step
        The scales of the Laplacian steps by name; by default a tenth of each range. Steps that
        leave the bounds are mirrored back.
    whole
        The names of parameters that are whole numbers.
    start
        Parameter vectors to begin with, as mappings by name; by default random ones, uniformly
        between the bounds.
    new_rows
        Like `function`, but with the features of new rows as a second argument; needed only to
        answer new rows.
    name
        What members of the surface call their model.

    Examples
    --------
    A tree's depth and its smallest leaf, judged out of fold:

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
        function: Callable[[dict[str, Any]], Any],
        *,
        low: Mapping[str, float],
        high: Mapping[str, float],
        step: Mapping[str, float] | None = None,
        whole: Iterable[str] = (),
        start: Iterable[Mapping[str, float]] | None = None,
        new_rows: Callable[[dict[str, Any], Any], Any] | None = None,
        name: str = "function",
    ) -> None:
        self._function = _as_function(function, "function")
        self._new_rows = None if new_rows is None else _as_function(new_rows, "new_rows")
        self._name = as_name(name)
        self.parameter_names = _parameter_names(low)
        self._low, self._high = self._vector(low, "low"), self._vector(high, "high")
        self._whole = self._which(whole)
        self._check_bounds()
        self._step = self._steps(step)
        self._start = None if start is None else self._starts(start)

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return the given starting vectors, or random ones between the bounds."""
        if self._start is not None:
            return self._start
        drawn = rng.uniform(self._cell_low, self._cell_high, (number, len(self._low)))
        return self._rounded(drawn)

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a Laplacian step in every parameter, mirrored at the bounds."""
        stepped = laplacian(parameters, self._step, rng)
        return self._rounded(reflected(stepped, self._cell_low, self._cell_high))

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return what the function says of the judged rows; a frame stays one, with its names."""
        said: FloatArray = self._function(self._named(parameters))
        return said

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return what `new_rows` says of new rows."""
        if self._new_rows is None:
            raise UndefinedError(
                "This function knows the judged rows only. "
                "Pass new_rows=, a function of parameters and features, to answer new ones."
            )
        said: FloatArray = self._new_rows(self._named(parameters), X)
        return said

    def name_of(self, parameters: FloatArray) -> str:  # noqa: ARG002 - a model alone has one name
        """Return the model's name."""
        return self._name

    @property
    def _cell_low(self) -> FloatArray:
        """The bounds before rounding: every whole number has a stretch of length 1."""
        return np.where(self._whole, self._low - 0.5, self._low)

    @property
    def _cell_high(self) -> FloatArray:
        return np.where(self._whole, self._high + 0.5, self._high)

    def _rounded(self, values: FloatArray) -> FloatArray:
        near = np.clip(np.rint(values), self._low, self._high)
        return np.where(self._whole, near, values)

    def _named(self, parameters: FloatArray) -> dict[str, Any]:
        values = as_vector(parameters, len(self.parameter_names)).tolist()
        triples = zip(self.parameter_names, values, self._whole.tolist(), strict=True)
        return {name: int(value) if whole else value for name, value, whole in triples}

    def _vector(self, values: Any, argument: str) -> FloatArray:
        if not isinstance(values, Mapping) or set(values) != set(self.parameter_names):
            raise InputError(
                argument,
                "map every parameter's name to a number",
                format_list(values) if isinstance(values, Mapping) else describe_type(values),
                f"The parameters are, after low: {format_list(self.parameter_names)}.",
            )
        named = self.parameter_names
        return np.array([as_number(values[name], f"{argument}[{name!r}]") for name in named])

    def _which(self, whole: Iterable[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        names = [whole] if isinstance(whole, str) else list(whole)
        unknown = [name for name in names if name not in self.parameter_names]
        if unknown:
            raise InputError(
                "whole",
                "name parameters",
                format_list(unknown),
                f"The parameters are: {format_list(self.parameter_names)}.",
            )
        return np.array([name in names for name in self.parameter_names])

    def _check_bounds(self) -> None:
        for name, low, high, whole in zip(
            self.parameter_names, self._low, self._high, self._whole, strict=True
        ):
            if low > high:
                raise InputError(
                    f"low[{name!r}]", "not be above high", f"{low:g} and {high:g}", "Swap them."
                )
            if whole and not (low.is_integer() and high.is_integer()):
                raise InputError(
                    f"low[{name!r}] and high[{name!r}]",
                    "be whole numbers, as the parameter is",
                    f"{low:g} and {high:g}",
                    "Round them.",
                )

    def _steps(self, step: Mapping[str, float] | None) -> FloatArray:
        if step is None:
            return SHARE_OF_RANGE * (self._cell_high - self._cell_low)
        scales = self._vector(step, "step")
        if (scales < 0).any():
            name = self.parameter_names[int(np.argmax(scales < 0))]
            raise InputError(
                f"step[{name!r}]", "not be negative", scales.min(), "0 keeps a parameter fixed."
            )
        return scales

    def _starts(self, start: Iterable[Mapping[str, float]]) -> FloatArray:
        given = [start] if isinstance(start, Mapping) else list(start)
        vectors = [self._vector(each, f"start[{place}]") for place, each in enumerate(given)]
        if not vectors:
            raise InputError("start", "hold at least one vector", "none", "Leave it out instead.")
        for place, vector in enumerate(vectors):
            inside = (self._low <= vector) & (vector <= self._high)
            if not (inside & (~self._whole | (vector == np.rint(vector)))).all():
                raise InputError(
                    f"start[{place}]",
                    "lie between low and high, whole where parameters are",
                    vector.tolist(),
                    "Move it inside.",
                )
        return np.stack(vectors)


def _parameter_names(low: Any) -> tuple[str, ...]:
    if not isinstance(low, Mapping) or not low:
        raise InputError(
            "low",
            "map every parameter's name to its lower bound",
            "none" if isinstance(low, Mapping) else describe_type(low),
            "For example: {'max_depth': 1}.",
        )
    return tuple(map(as_name, low))


def _as_function(function: Any, argument: str) -> Callable[..., Any]:
    if not callable(function):
        raise InputError(
            argument, "be a function", describe_type(function), "It maps parameters to posteriors."
        )
    return function  # type: ignore[no-any-return]  # any callable will do


# --- Classifiers that are fitted already: only the costs vary, and which of them answers ----------
#
# With several classifiers the search finds the front of all of them together: who is best for which
# costs, as Srinivasan's hull in many dimensions says it.


class JudgedPosteriors:
    """Named classifiers, known by their posteriors on the judged rows.

    Parameters
    ----------
    y_proba
        The posteriors by the classifiers' names. Frames and mappings are read by the names of
        their columns, whatever their order; arrays have their columns in the order of `classes`.
    classes
        The names of the classes in order.

    Raises
    ------
    InputError
        If posteriors are none, classes are missing, or the classifiers were not judged on the same
        number of rows.

    Examples
    --------
    >>> import rocch
    >>> lr = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]]
    >>> rules = {"dog": [0.2, 0.9], "cat": [0.8, 0.0], "eel": [0.0, 0.1]}
    >>> both, classes = {"lr": lr, "rules": rules}, ["cat", "dog", "eel"]
    >>> judged = rocch.multiclass.JudgedPosteriors(both, classes)
    >>> judged.posteriors([1])
    array([[0.8, 0.2, 0. ],
           [0. , 0.9, 0.1]])
    """

    parameter_names: tuple[str, ...] = ("classifier",)

    def __init__(self, y_proba: Mapping[str, Any], classes: Any) -> None:
        self.classes = Classes.of(classes)
        self.names = _names(y_proba, "y_proba", "posteriors")
        tables: list[FloatArray] = []
        for name, given in y_proba.items():
            rows = len(tables[0]) if tables else None
            tables.append(
                as_posteriors(given, self.classes, rows=rows, argument=f"y_proba[{name!r}]")
            )
        self._posteriors = np.stack(tables)

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Return every classifier once, as its place among them."""
        return np.arange(len(self.names), dtype=np.float64)[:, np.newaxis]

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Pick any of the classifiers: none is nearer to another."""
        return np.array([float(rng.integers(len(self.names)))])

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return a classifier's posteriors of the judged rows."""
        return np.asarray(self._posteriors[self._place(parameters)])

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:  # noqa: ARG002
        """Raise: posteriors of new rows cannot be had from those of old ones."""
        name = self.name_of(parameters)
        raise UndefinedError(
            f"The classifier {name!r} is known by its posteriors on the judged rows only. "
            "Use FittedModels with the fitted classifiers to answer new rows."
        )

    def name_of(self, parameters: FloatArray) -> str:
        """Return the classifier's name."""
        return self.names[self._place(parameters)]

    def _place(self, parameters: FloatArray) -> int:
        values = np.asarray(parameters).tolist()
        places = range(len(self.names))
        if len(values) != 1 or not is_number(values[0]) or values[0] not in places:
            raise InputError(
                "parameters",
                "be the place of a classifier",
                repr(values),
                f"There are, from 0 on: {format_list(self.names)}.",
            )
        return int(values[0])


class FittedModels(JudgedPosteriors):
    """Named scikit-learn classifiers, fitted before, and judged on rows they were not fitted to.

    Parameters
    ----------
    models
        The fitted classifiers by their names; each must have `predict_proba`, and the same
        classes, in any order.
    X_judged
        The rows to judge them on.

    Raises
    ------
    InputError
        If a classifier is not fitted, gives no probabilities, or lacks a class.

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

    def __init__(self, models: Mapping[str, Any], X_judged: Any) -> None:
        names = _names(models, "models", "a fitted classifier")
        self._models = dict(models)
        first = _classes_of(names[0], self._models[names[0]])
        for name in names[1:]:
            _check_same(first, names[0], _classes_of(name, self._models[name]), name)
        classes = Classes.of(first, "models")
        asked = {name: ask(name, self._models[name], X_judged, classes) for name in names}
        super().__init__(asked, classes)

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return a classifier's posteriors of new rows."""
        name = self.name_of(parameters)
        asked = ask(name, self._models[name], X, self.classes)
        return as_posteriors(asked, self.classes, argument=f"models[{name!r}]")


def _names(given: Any, argument: str, what: str) -> tuple[str, ...]:
    if not isinstance(given, Mapping) or not given:
        got = "none" if isinstance(given, Mapping) else describe_type(given)
        raise InputError(
            argument, f"map classifiers' names to {what}", got, "For example: {'lr': ...}."
        )
    return tuple(map(as_name, given))


def _classes_of(name: str, model: Any) -> list[Any]:
    if not hasattr(model, "predict_proba"):
        raise InputError(
            "models",
            "give probabilities (predict_proba)",
            f"{name!r}: {describe_type(model)}",
            "Calibrate it, for example with scikit-learn's CalibratedClassifierCV.",
        )
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError(
            "models", "be fitted", f"{name!r} without classes_", "Fit it on labeled rows first."
        )
    return list(np.asarray(classes).tolist())


def _check_same(first: list[Any], name: str, others: list[Any], other: str) -> None:
    if sorted(map(repr, first)) != sorted(map(repr, others)):
        raise InputError(
            "models",
            "know the same classes",
            f"{format_list(first, 30)} for {name!r} and {format_list(others, 30)} for {other!r}",
            "Fit them on rows of all classes.",
        )


def ask(name: str, model: Any, X: Any, classes: Classes) -> FloatArray:
    """Return a model's posteriors, their columns in our order."""
    answer = np.asarray(to_host(model.predict_proba(X), f"models[{name!r}]"), dtype=np.float64)
    if answer.ndim != 2 or answer.shape[1] != len(classes):
        raise InputError(
            f"models[{name!r}]",
            f"return one probability for each of its {len(classes)} classes",
            f"an array of shape {answer.shape}",
            "predict_proba has a column for each of its classes_.",
        )
    own = _classes_of(name, model)
    return np.ascontiguousarray(answer[:, [own.index(each) for each in classes]])


# --- Several models searched at once: one surface of them all, each member knowing its own --------


class SeveralModels:
    """Models of different kinds, of which a parameter vector says which one it belongs to.

    A vector holds the place of its model and then the parameters of all of them, those of the
    others 0.

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
        if not isinstance(models, Mapping) or not models:
            raise InputError(
                "models",
                "map names to models",
                describe_type(models),
                "Pass {'near': KnnModel(X, y)}.",
            )
        self.parts = tuple(map(as_name, models))
        self.models = tuple(models.values())
        for model in self.models:
            if not isinstance(model, SearchModel):
                raise InputError(
                    "models",
                    "be models to search",
                    describe_type(model),
                    "For example: KnnModel(X, y).",
                )
        self.classes = _common_classes(self.models)
        own = [
            [f"{part}: {name}" for name in model.parameter_names]
            for part, model in zip(self.parts, self.models, strict=True)
        ]
        self.parameter_names = ("model", *(name for names in own for name in names))
        self._ends = np.cumsum([1, *map(len, own)])

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return every model's own start, each with its share of the vectors."""
        share = max(1, number // len(self.models))
        return np.concatenate(
            [
                np.stack([self._joint(place, vector) for vector in model.start(share, rng)])
                for place, model in enumerate(self.models)
            ]
        )

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a step of the parent's model; which models go on, selection decides."""
        place, own = self._read(parameters)
        return self._joint(place, self.models[place].perturb(own, rng))

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return the posteriors of the judged rows by the vector's model."""
        place, own = self._read(parameters)
        return self.models[place].posteriors(own)

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return the posteriors of new rows by the vector's model."""
        place, own = self._read(parameters)
        return self.models[place].posteriors_of(own, X)

    def name_of(self, parameters: FloatArray) -> str:
        """Return the name of the vector's model, or of the classifier among several of them."""
        place, own = self._read(parameters)
        several = hasattr(self.models[place], "names")
        return self.models[place].name_of(own) if several else self.parts[place]

    def _read(self, parameters: FloatArray) -> tuple[int, FloatArray]:
        """Return the place of a vector's model, and that model's own parameters."""
        vector = np.asarray(parameters, dtype=np.float64)
        place = int(vector[0])
        return place, vector[self._ends[place] : self._ends[place + 1]]

    def _joint(self, place: int, own: FloatArray) -> FloatArray:
        vector = np.zeros(len(self.parameter_names))
        vector[0], vector[self._ends[place] : self._ends[place + 1]] = place, own
        return vector


def _common_classes(models: tuple[SearchModel, ...]) -> Classes | None:
    """Return the classes of the models that know theirs, who must agree."""
    known: list[Classes] = [
        classes for model in models if (classes := getattr(model, "classes", None)) is not None
    ]
    if any(classes != known[0] for classes in known):
        raise InputError(
            "models", "know the same classes in the same order", "others", "Use the same rows."
        )
    return known[0] if known else None
