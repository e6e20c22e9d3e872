"""Any function of named parameters to posteriors as a model to search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import UndefinedError, bad_input, kind_of, shown
from rocch.inputs import as_name, as_number
from rocch.multiclass.search.steps import as_vector, laplacian, reflected

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

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
    >>> data = rocch.three_class_data(150, seed=1)
    >>> def grow(values):
    ...     tree = DecisionTreeClassifier(**values, random_state=0)
    ...     return cross_val_predict(tree, data.X, data.y, cv=3, method="predict_proba")
    >>> trees = rocch.FunctionModel(
    ...     grow,
    ...     low={"max_depth": 1, "min_samples_leaf": 1},
    ...     high={"max_depth": 8, "min_samples_leaf": 20},
    ...     whole=["max_depth", "min_samples_leaf"],
    ...     name="tree",
    ... )
    >>> surface = rocch.SurfaceSearch(trees, data.y, start=5).run(10)
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
            raise bad_input(
                argument,
                "map every parameter's name to a number",
                shown(values) if isinstance(values, Mapping) else kind_of(values),
                f"The parameters are, after low: {shown(self.parameter_names)}.",
            )
        named = self.parameter_names
        return np.array([as_number(values[name], f"{argument}[{name!r}]") for name in named])

    def _which(self, whole: Iterable[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        names = [whole] if isinstance(whole, str) else list(whole)
        unknown = [name for name in names if name not in self.parameter_names]
        if unknown:
            raise bad_input(
                "whole",
                "name parameters",
                shown(unknown),
                f"The parameters are: {shown(self.parameter_names)}.",
            )
        return np.array([name in names for name in self.parameter_names])

    def _check_bounds(self) -> None:
        for name, low, high, whole in zip(
            self.parameter_names, self._low, self._high, self._whole, strict=True
        ):
            if low > high:
                raise bad_input(
                    f"low[{name!r}]", "not be above high", f"{low:g} and {high:g}", "Swap them."
                )
            if whole and not (low.is_integer() and high.is_integer()):
                raise bad_input(
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
            raise bad_input(
                f"step[{name!r}]", "not be negative", scales.min(), "0 keeps a parameter fixed."
            )
        return scales

    def _starts(self, start: Iterable[Mapping[str, float]]) -> FloatArray:
        given = [start] if isinstance(start, Mapping) else list(start)
        vectors = [self._vector(each, f"start[{place}]") for place, each in enumerate(given)]
        if not vectors:
            raise bad_input("start", "hold at least one vector", "none", "Leave it out instead.")
        for place, vector in enumerate(vectors):
            inside = (self._low <= vector) & (vector <= self._high)
            if not (inside & (~self._whole | (vector == np.rint(vector)))).all():
                raise bad_input(
                    f"start[{place}]",
                    "lie between low and high, whole where parameters are",
                    vector.tolist(),
                    "Move it inside.",
                )
        return np.stack(vectors)


def _parameter_names(low: Any) -> tuple[str, ...]:
    if not isinstance(low, Mapping) or not low:
        raise bad_input(
            "low",
            "map every parameter's name to its lower bound",
            "none" if isinstance(low, Mapping) else kind_of(low),
            "For example: {'max_depth': 1}.",
        )
    return tuple(map(as_name, low))


def _as_function(function: Any, argument: str) -> Callable[..., Any]:
    if not callable(function):
        raise bad_input(
            argument, "be a function", kind_of(function), "It maps parameters to posteriors."
        )
    return function  # type: ignore[no-any-return]  # any callable will do
