"""Labels as they are written in a file, as the values that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.arrays import AnyArray
from rocch.cli.positive_class import positives
from rocch.errors import InputError, format_list
from rocch.inputs import find_positive, is_same_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.cli.reading.columns import Coded


TRUTH = {"true": True, "false": False}


def labels_and_positive(labels: Coded, positive: str | None) -> tuple[AnyArray, Any]:
    """Return the label of each row, and the positive one; an export answers with these."""
    hits = positives(labels, positive)
    own = [bool(hits[labels.codes == code].any()) for code in range(len(labels.names))]
    values = _values(labels.names)
    label = values[own.index(True)]
    # 1 and 1.0 beside texts are written differently and yet the same
    meant = [label if hit else value for value, hit in zip(values, own, strict=True)]
    return np.array(meant)[labels.codes], label


def _values(names: Sequence[str]) -> list[Any]:
    """Return names as truth values or numbers if all of them are, else as texts."""
    readings: tuple[Callable[[str], Any], ...] = (lambda text: TRUTH[text.lower()], int, float)
    for read in readings:
        try:
            return [read(name) for name in names]
        except (KeyError, ValueError):
            continue
    return list(names)


def as_classes(labels: Coded, classes: Sequence[Any]) -> AnyArray:
    """Return the label of each row as a class of a model."""
    meant = np.array([classes[_class_of(name, classes)] for name in labels.names])
    return np.asarray(meant[labels.codes])


def positive_class(positive: str | None, classes: Sequence[Any]) -> Any:
    """Return the positive class of a model: the one named, or else the evident one."""
    if positive is not None:
        return classes[_class_of(positive, classes, "--positive")]
    if len(classes) != 2:  # which is refused for another reason
        return None
    return next(iter(find_positive(classes, "label")), None)


def _class_of(name: str, classes: Sequence[Any], argument: str = "--label") -> int:
    for place, known in enumerate(classes):
        if is_same_label(known, name):
            return place
    raise InputError(
        argument,
        "hold the classes of the model" if argument == "--label" else "be a class of the model",
        repr(name),
        "Its classes are: {known}.",
        known=format_list(classes),
    )
