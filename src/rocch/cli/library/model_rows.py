"""The rows that a saved model is evaluated on, from files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.arrays import AnyArray
from rocch.cli.library.labels import as_classes, positive_class
from rocch.cli.progress import working
from rocch.cli.reading.columns import NumberRule
from rocch.cli.reading.formats import open_table, read_columns
from rocch.cli.reading.wanted import check_distinct, need_column
from rocch.errors import InputError, format_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.cli.reading.table import Table
    from rocch.cli.scores_source import ScoresSource


ENCODE = "Encode it as numbers first, or leave the column out with --features."


@dataclass(frozen=True, slots=True, eq=False)
class ModelRows:
    """Features, labels, the positive one if named, and the ids of the rows if known."""

    features: Any
    labels: AnyArray
    positive: Any
    row_ids: Sequence[str] | None


def read_model_rows(data: ScoresSource, model: Any, features: str | None) -> ModelRows:
    """Read the rows that a model is judged on; columns go to it by name if it knows names."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError(
            "--model", "hold a fitted classifier", type(model).__name__, "Fit it before saving it."
        )
    known = np.asarray(classes).tolist()
    with working(f"Reading {data.table.path.name}") as step, open_table(data.table) as table:
        need_column(table.names, data.label, "--label")
        coded = {data.label: "--label"}
        if data.row is not None:
            need_column(table.names, data.row, "--row")
            coded[data.row] = "--row"
        names = _features(table, model, features, tuple(coded))
        texts = _texts(table, names, model)
        rule = NumberRule(decimal_comma=data.table.decimal_comma, hint=ENCODE)
        numbers = {name: rule for name in names if name not in texts}
        found = read_columns(table, numbers=numbers, coded=coded, raw=texts, step=step)
    columns = {name: found.numbers[name] if name in numbers else found.raw[name] for name in names}
    return ModelRows(
        _as_fitted(columns, model),
        as_classes(found.coded[data.label], known),
        positive_class(data.positive, known),
        None if data.row is None else found.coded[data.row].texts(),
    )


def _features(table: Table, model: Any, typed: str | None, others: Sequence[str]) -> list[str]:
    """Return the columns with features: the model's own, those named, or all others."""
    own = getattr(model, "feature_names_in_", None)
    if typed is not None:
        names = [name.strip() for name in typed.split(",")]
    else:
        names = [n for n in table.names if n not in others] if own is None else list(own)
    for name in names:
        need_column(table.names, name, "--features")
    check_distinct("--features", names)
    if own is not None and set(names) != set(own):
        raise InputError(
            "--features",
            "be the model's: {expected}",
            format_list(names),
            "Leave it.",
            expected=format_list(own),
        )
    count = getattr(model, "n_features_in_", len(names))
    if len(names) != count:
        raise InputError(
            "--features",
            f"be the {count} of the model, in its order",
            format_list(names),
            "Name them.",
        )
    return names if own is None else list(own)


def _texts(table: Table, names: Sequence[str], model: Any) -> list[str]:
    """Return the columns to hand over as texts: a model that knows names may encode them."""
    if not hasattr(model, "feature_names_in_"):
        return []
    numeric = set(table.numeric())
    return [name for name in names if name not in numeric]


def _as_fitted(columns: dict[str, Any], model: Any) -> Any:
    """Return features as the model met them when it was fitted: with names, or without."""
    if not hasattr(model, "feature_names_in_"):
        return np.column_stack([*columns.values()])
    try:
        import pandas as pd
    except ImportError:
        raise InputError(
            "the model was fitted on a data frame and is judged on one, which needs pandas. "
            "Install it with: pip install pandas"
        ) from None
    return pd.DataFrame(columns)
