"""Parquet and Arrow (Feather), read by pyarrow: only the columns that are wanted."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from rocch.cli.reading.table import check_names
from rocch.errors import InputError, missing_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocch.cli.reading.stream import Stream
    from rocch.cli.reading.table_file import TableFile

BATCH = 2**17
"""So many rows of Parquet are decoded at a time."""


class ArrowTable:
    """A file whose columns have types."""

    def __init__(
        self,
        schema: Any,
        rows: int,
        batches: Callable[[list[str]], Iterator[Any]],
        source: TableFile,
    ) -> None:
        self._schema, self._batches, self._total = schema, batches, rows
        self._done = 0
        self._source = source
        self.names: list[str] = list(schema.names)
        check_names(self.names, source.argument)

    def numeric(self) -> list[str]:
        """Return the columns of numbers; truth values are none."""
        from pyarrow import types

        kinds = (types.is_integer, types.is_floating, types.is_decimal)
        return [field.name for field in self._schema if any(is_(field.type) for is_ in kinds)]

    def chunks(self, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the wanted columns as NumPy arrays."""
        for batch in self._batches(list(wanted)):
            self._done += batch.num_rows
            if batch.num_rows:
                yield {name: _array(batch.column(name)) for name in wanted}
        if not self._done:
            raise InputError(self._source.argument, "have at least one row", "none", "Check it.")

    def reached(self) -> tuple[int, int]:
        """Return how many rows were read, of how many."""
        return self._done, self._total


def _array(column: Any) -> Any:
    """Return a column as an array; with gaps as objects, so that whole numbers stay whole."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not column.null_count:
        return column.to_numpy(zero_copy_only=False)
    import numpy as np

    return np.array(column.to_pylist(), dtype=object)


def parquet(stream: Stream, source: TableFile) -> ArrowTable:
    """Open a Parquet file; by its name where that is possible, because it is read in leaps."""
    file = _pyarrow("parquet", "Reading Parquet").ParquetFile(_seekable(stream, source))

    def batches(wanted: list[str]) -> Iterator[Any]:
        return iter(file.iter_batches(BATCH, columns=wanted))

    return ArrowTable(file.schema_arrow, file.metadata.num_rows, batches, source)


def arrow(stream: Stream, source: TableFile) -> ArrowTable:
    """Open an Arrow file (Feather) or stream."""
    ipc = _pyarrow("ipc", "Reading Arrow")
    if not stream.head.startswith(b"ARROW1"):
        reader = ipc.open_stream(stream.content)
        return ArrowTable(reader.schema, 0, lambda _: iter(reader), source)
    content = _seekable(stream, source)
    schema = ipc.open_file(content).schema

    def batches(wanted: list[str]) -> Iterator[Any]:
        fields = [schema.get_field_index(name) for name in wanted]
        file = ipc.open_file(content, options=ipc.IpcReadOptions(included_fields=fields))
        return map(file.get_batch, range(file.num_record_batches))

    return ArrowTable(schema, 0, batches, source)


def _pyarrow(module: str, purpose: str) -> Any:
    from importlib import import_module

    try:
        import_module("pyarrow")
        return import_module(f"pyarrow.{module}")
    except ImportError:
        raise missing_extra("scale", purpose) from None


def _seekable(stream: Stream, source: TableFile) -> Any:
    import pyarrow as pa

    if stream.plain and source.path.is_file():
        return pa.OSFile(str(source.path))
    return io.BytesIO(stream.content.read())
