"""What the search asks of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

    from rocch.arrays import FloatArray


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
