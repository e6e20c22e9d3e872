"""Several models searched at once: one surface of them all, each member knowing its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_name
from rocch.multiclass.search.model import SearchModel

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass.classes import Classes


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
    >>> data = rocch.three_class_data(90, seed=1)
    >>> near, net = rocch.KnnModel(data.X, data.y), rocch.MlpModel(data.X, data.y, hidden=2)
    >>> models = rocch.SeveralModels({"near": near, "net": net})
    >>> models.parameter_names[:4]
    ('model', 'near: k', 'near: beta', 'net: x0 to h0')
    >>> models.name_of([0.0, 15.0, 20.0, *[0.0] * 15])
    'near'
    """

    def __init__(self, models: Mapping[str, SearchModel]) -> None:
        if not isinstance(models, Mapping) or not models:
            raise bad_input(
                "models", "map names to models", kind_of(models), "Pass {'near': KnnModel(X, y)}."
            )
        self.parts = tuple(map(as_name, models))
        self.models = tuple(models.values())
        for model in self.models:
            if not isinstance(model, SearchModel):
                raise bad_input(
                    "models", "be models to search", kind_of(model), "For example: KnnModel(X, y)."
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
        raise bad_input(
            "models", "know the same classes in the same order", "others", "Use the same rows."
        )
    return known[0] if known else None
