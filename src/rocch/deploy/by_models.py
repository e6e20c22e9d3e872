"""Deciding from features: the models travel to where the rows are.

Rows come as batches of Arrow and leave as they came, with a column more. They do not pass through
pandas, which would round whole numbers beyond 2^53 in a column with nulls; only features do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.deploy.shipped import ShippedModel
from rocch.deploy.tables import SPARK_TYPES, Kind, SparkTable, check_key, kind_in, label_kind
from rocch.errors import bad_input, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.hybrid.aimed import AimedClassifier


def with_models(
    table: SparkTable,
    view: AimedClassifier,
    column: str,
    *,
    columns: Mapping[str, str] | Sequence[str] | None,
    row_key: str | None,
    trusted: Iterable[str],
) -> Any:
    """Return a Spark table with a hybrid's answers, which its models give where the rows are."""
    features = feature_columns(view, columns)
    for name in features:
        kind_in(table, name, "columns")
    key = (row_key or view.row_key) if len(view.point.mix) > 1 else None
    if key is not None:
        check_key(table, key)
    kind = label_kind(view.hybrid.positive, view.hybrid.negative)
    names = table.frame.columns
    places = [names.index(name) for name in features]
    worker = Worker(
        ShippedModel.of(view, trusted), places, None if key is None else names.index(key), kind
    )
    return _mapped(table.frame, worker, column)


def _mapped(frame: Any, worker: Worker, column: str) -> Any:
    """Return a Spark table with one more column, made where the rows are."""
    from pyspark.sql.types import StructType

    # Spark cannot map columns with dots in their names, so they go under their numbers
    numbered = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    schema = StructType(list(numbered.schema.fields)).add("answer", SPARK_TYPES[worker.kind])
    return numbered.mapInArrow(worker.decided, schema).toDF(*frame.columns, column)


def feature_columns(
    view: AimedClassifier, columns: Mapping[str, str] | Sequence[str] | None
) -> list[str]:
    """Return the columns that hold the features, in the order in which they were fitted."""
    known = view.hybrid.feature_names_in
    names = None if known is None else [str(name) for name in known]
    if isinstance(columns, Mapping):
        return _renamed(names, columns)
    if columns is None and names is not None:
        return names
    wanted = view.hybrid.n_features_in
    given = columns if isinstance(columns, list | tuple) else []
    if not given or len(given) != (wanted or len(given)):
        raise bad_input(
            "columns",
            f"list the columns of the {wanted or 'fitted'} features in their order",
            f"{len(given)} of them" if given else repr(columns),
            "The models know no names for their features."
            if names is None
            else f"The features are: {shown(names)}.",
        )
    return [str(name) for name in given]


def _renamed(names: list[str] | None, columns: Mapping[str, str]) -> list[str]:
    unknown = [name for name in columns if name not in (names or ())]
    wrong = [name for name in columns.values() if not isinstance(name, str)]
    if unknown or wrong:
        raise bad_input(
            "columns",
            "map features of the models to names of columns",
            shown(unknown or wrong),
            f"The features are: {shown(names)}." if names else "They have no names: pass a list.",
        )
    return [columns.get(name, name) for name in names or ()]


@dataclass(frozen=True, slots=True)
class Worker:
    """What a process needs to decide the rows that are sent to it."""

    model: ShippedModel
    features: list[int]
    """The places of the features among the columns."""
    key: int | None
    """The place of the row keys, where coins are made of them."""
    kind: Kind

    def decided(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Return batches of Arrow with their decisions."""
        import pyarrow as pa

        for batch in batches:
            columns = [*batch.columns, self.decisions(batch)]
            yield pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, "answer"])

    def decisions(self, batch: Any) -> Any:
        """Return the decisions of some rows; a row whose coin has no key gets none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        types = {"whole": pa.int64(), "real": pa.float64(), "text": pa.string(), "flag": pa.bool_()}
        answers = pa.nulls(batch.num_rows, types[self.kind])
        keys = None if self.key is None else batch.column(self.key).cast(pa.string())
        there = pa.repeat(True, batch.num_rows) if keys is None else keys.is_valid()
        rows = batch.select(self.features).filter(there)
        if not rows.num_rows:  # models refuse to decide nothing
            return answers
        texts = None if keys is None else keys.drop_null().to_pylist()
        labels = self.model.loaded().predict(self._rows(rows), row_key=texts)
        return pc.replace_with_mask(answers, there, pa.array(labels, types[self.kind]))

    def _rows(self, batch: Any) -> Any:
        """Return features as the models know them: with their names, or without any."""
        frame = batch.to_pandas()
        names = self.model.loaded().hybrid.feature_names_in
        return frame.to_numpy() if names is None else frame.set_axis(list(names), axis=1)
