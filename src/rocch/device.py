"""Labels and scores of the same rows on a device: arrays of PyTorch, CuPy and the array API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rocch.arrays import FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, describe_type
from rocch.inputs import as_name, as_scores, check_length, missing_scores, to_host
from rocch.kernels.device import (
    count_rows,
    curve_on_device,
    hull_on_device,
    is_out_of_memory,
    orders_on_device,
    twice_pairs_won_on_device,
)
from rocch.labels import as_positive, check_both_classes
from rocch.rows import ClassLabels, ScoredRows


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """Labels and the scores of named classifiers on one device.

    Attributes
    ----------
    xp
        The namespace of the arrays, after the array API standard.
    positive
        Whether each row is positive.
    scores
        Scores by classifier, as floats of any length.
    totals
        Negatives and positives.
    groups, labels
        As for `ScoredRows`, on the host.
    """

    xp: Any
    positive: Any
    scores: Mapping[str, Any]
    totals: tuple[int, int]
    groups: IntArray | None = None
    labels: ClassLabels | None = None

    @classmethod
    def of(
        cls, y_true: Any, columns: Mapping[str, Any], pos_label: Label | None
    ) -> DeviceRows | None:
        """Check arrays on a device.

        `columns` are scores by argument. None means that arrays are to be read on the host: they
        lie there, or are not one-dimensional floats.
        """
        xp = next(filter(None, map(_find_namespace, (y_true, *columns.values()))), None)
        if xp is None:
            return None
        _check_same_device(xp, {"y_true": y_true, **columns})
        arrays = {name: _detach(column) for name, column in columns.items()}
        if y_true.ndim != 1 or not all(_is_column(xp, each) for each in arrays.values()):
            return None
        size = y_true.shape[0]
        with _device_errors(y_true.device):
            positive = _find_positive(xp, _detach(y_true), pos_label)
            for argument, column in arrays.items():
                check_length(column.shape[0], size, argument)
            positives, missing = count_rows(xp, positive, list(arrays.values()))
            check_both_classes(positives, size, "y_true")
            for (argument, column), is_missing in zip(arrays.items(), missing, strict=True):
                if is_missing:
                    where = to_host(xp.nonzero(xp.isnan(column))[0], argument)
                    raise missing_scores(where, argument)
        labels = ClassLabels.of(y_true, pos_label)
        return cls(xp, positive, arrays, (size - positives, positives), labels=labels)

    @classmethod
    def of_columns(
        cls, y_true: Any, columns: Mapping[str, Any], pos_label: Label | None
    ) -> DeviceRows | None:
        """Check the columns of classifiers on a device, as `of` does."""
        found = cls.of(
            y_true, {f"scores[{name!r}]": each for name, each in columns.items()}, pos_label
        )
        return None if found is None else found.named([as_name(name) for name in columns])

    def __len__(self) -> int:
        return sum(self.totals)

    def named(self, names: list[str]) -> DeviceRows:
        """Return the rows with the names of classifiers instead of arguments."""
        return replace(self, scores=dict(zip(names, self.scores.values(), strict=True)))

    def only(self, name: str) -> DeviceRows:
        """Return the rows with one classifier."""
        return replace(self, scores={name: self.scores[name]})

    @cached_property
    def on_host(self) -> ScoredRows:
        """The rows for the host, where scores are copied when they are read."""
        positive = to_host(self.positive, "y_true")
        scores = HostCopies(self.scores)
        return ScoredRows(positive, scores, groups=self.groups, labels=self.labels)

    def __reduce__(self) -> Any:
        return replace, (self.on_host,)  # a copy may be read where there is no such device

    def hull(self, name: str) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """Return a classifier's hull, as `kernels.refine.hull_from_scores` does."""
        scores = self.scores[name]
        with _device_errors(scores.device):
            return hull_on_device(self.xp, scores, self.positive, self.totals)

    def curve(self, name: str) -> tuple[FloatArray, IntArray, IntArray]:
        """Return a classifier's curve, as `kernels.counting.distinct_counts` does."""
        scores = self.scores[name]
        with _device_errors(scores.device):
            return curve_on_device(self.xp, scores, self.positive)

    def orders(self, name: str) -> tuple[IntArray, IntArray]:
        """Return the orders of both classes, as `ScoredRows.orders` does."""
        scores = self.scores[name]
        with _device_errors(scores.device):
            return orders_on_device(self.xp, scores, self.positive)

    def auc(self, name: str) -> float:
        """Return a classifier's AUC."""
        scores = self.scores[name]
        with _device_errors(scores.device):
            won = twice_pairs_won_on_device(self.xp, scores, self.positive)
        return won / (2 * self.totals[0] * self.totals[1])


class HostCopies(Mapping[str, FloatArray]):
    """Scores on a device by classifier, each copied to the host when it is read."""

    def __init__(self, scores: Mapping[str, Any]) -> None:
        self._scores = scores
        self._copies: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self._copies:
            self._copies[name] = as_scores(self._scores[name])
        return self._copies[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __reduce__(self) -> tuple[type[dict[str, FloatArray]], tuple[dict[str, FloatArray]]]:
        return dict, (dict(self),)


def _find_namespace(values: Any) -> Any:
    """Return the namespace of an array that NumPy cannot read where it lies; else None."""
    if isinstance(values, np.ndarray | list | tuple):
        return None
    library = type(values).__module__.partition(".")[0]
    if library == "torch":
        if values.device.type in ("cpu", "meta"):
            return None
        from array_api_compat import torch

        return torch
    if library == "cupy":
        from array_api_compat import cupy

        return cupy
    if not hasattr(values, "__array_namespace__"):
        return None
    xp = values.__array_namespace__()
    if not hasattr(xp, "__array_namespace_info__") or not hasattr(values, "__dlpack__"):
        return None
    device, kinds = values.device, xp.__array_namespace_info__().default_dtypes()
    # JAX may be limited to 32 bits, which are too short for counts
    is_long = kinds["integral"] == getattr(xp, "int64", None)
    return xp if is_long and "cpu" not in str(device).lower() else None


def _check_same_device(xp: Any, arrays: Mapping[str, Any]) -> None:
    where = next(each.device for each in arrays.values() if _find_namespace(each) is xp)
    for argument, each in arrays.items():
        if _find_namespace(each) is not xp or each.device != where:
            place = getattr(each, "device", None)
            raise InputError(
                argument,
                f"be on the device of the other arrays, {where}",
                describe_type(each) + ("" if place is None else f" on {place}"),
                "Move all arrays to one device, or to the host.",
            )


def _detach(array: Any) -> Any:
    """Return an array without gradients, in one piece."""
    return array.detach().contiguous() if hasattr(array, "detach") else array


def _is_column(xp: Any, array: Any) -> bool:
    return array.ndim == 1 and bool(xp.isdtype(array.dtype, "real floating"))


def _find_positive(xp: Any, labels: Any, pos_label: Label | None) -> Any:
    """Return which rows are positive; labels but flags, 0/1 and -1/1 are read on the host."""
    if pos_label is None and labels.shape[0]:
        if xp.isdtype(labels.dtype, "bool"):
            return labels
        if xp.isdtype(labels.dtype, "integral"):
            ends = int(xp.min(labels)), int(xp.max(labels))
            if ends == (0, 1) or (ends == (-1, 1) and not bool(xp.any(labels == 0))):
                return labels == 1
    positive = as_positive(to_host(labels, "y_true"), pos_label)
    return xp.asarray(positive, device=labels.device)


@contextmanager
def _device_errors(device: Any) -> Iterator[None]:
    """Explain that a device's memory is too small, or that it cannot sort so many rows."""
    try:
        yield
    except Exception as error:
        if is_out_of_memory(error):
            raise InputError(
                "scores",
                f"leave room in the memory of {device}, about 30 bytes for each row if all rows "
                "have to be sorted",
                f"less: {error}",
                Hint(
                    "Free some of it, move scores to the host, or count them batch by batch with "
                    "rocch.scale.RocAccumulator."
                ),
            ) from error
        if "INT_MAX" in str(error):  # PyTorch's word for what CUDA cannot sort
            raise InputError(
                "scores",
                f"be fewer than 2^31 where all rows have to be sorted on {device}",
                f"more: {error}",
                Hint(
                    "Move them to the host, count them batch by batch with "
                    "rocch.scale.RocAccumulator or, for a hull, round them to 16 bits."
                ),
            ) from error
        raise
