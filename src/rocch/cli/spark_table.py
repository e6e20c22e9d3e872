"""A table of Spark's, by the session that the environment describes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocch.cli.output import is_shown, passing
from rocch.cli.scores import (
    MOST_LABELS,
    ScoreFrame,
    both_labels,
    find_positive_labels,
    find_score_columns,
    keeps_no_rows,
    one_class,
    too_many_labels,
)
from rocch.cli.table import check_lines, need_column, text_of
from rocch.errors import InputError, format_list, missing_extra

if TYPE_CHECKING:
    from rocch.cli.scores import ScoresSource


@contextmanager
def open_spark(data: ScoresSource, coded: Mapping[str, str]) -> Iterator[ScoreFrame]:
    """Open a table of Spark; `coded` are columns of names, with the options that name them."""
    if data.rows_for:
        raise keeps_no_rows(data)
    with passing("Reading with Spark") as passes, spark_table(data.named) as frame:
        columns = FrameColumns(frame)
        for name, option in {data.label: "--label", **coded}.items():
            need_column(columns.names, name, option)
        if data.weight is not None:
            need_column(columns.names, data.weight, "--weight")
        apart = [*coded, *([data.weight] if data.weight else [])]
        words: dict[str, Any] = {
            "label": data.label,
            "scores": find_score_columns(columns, data, apart),
            "weight": data.weight,
            "drop_nulls": data.drop_nulls,
        }
        positive, labels = _positive_label(columns.labels(data.label), data.positive)
        words["pos_label"] = positive
        yield ScoreFrame(frame, words, labels, passes, next(iter(coded), None))


class FrameColumns:
    """The columns of a frame of any engine, or of the first of several frames."""

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        self._frames = [nw.from_native(each) for each in _as_list(frame)]
        self._schema = self._frames[0].collect_schema()
        self.names: list[str] = list(self._schema.names())

    def numeric(self) -> list[str]:
        """Return the columns of numbers; truth values are none."""
        return [name for name, kind in self._schema.items() if kind.is_numeric()]

    def labels(self, label: str) -> list[Any]:
        """Return the different labels that occur; one pass over their column alone."""
        found: dict[Any, None] = {}
        for frame in self._frames:
            column: Any = frame.lazy().select(label)
            # a column of numbers is seen at its beginning
            for rows in (column.head(100_000), column):
                distinct = rows.unique().head(MOST_LABELS + 1).collect()
                found |= dict.fromkeys(distinct[label].to_list())
                if len(found) > MOST_LABELS:
                    raise too_many_labels(label)
        return [value for value in found if text_of(value) not in ("", "nan")]


def _as_list(frame: Any) -> list[Any]:
    return frame if isinstance(frame, list) else [frame]


def _positive_label(values: Sequence[Any], positive: str | None) -> tuple[Any, tuple[str, str]]:
    """Return the positive label (None if labels imply several), and both as they are written."""
    names = [text_of(value) for value in values]
    check_lines(names, "class", "--label")
    which = find_positive_labels(names, positive)
    if len(set(which)) < 2:
        raise one_class(f"rows that are all {'positive' if any(which) else 'negative'}")
    own = [value for value, is_hit in zip(values, which, strict=True) if is_hit]
    if len(own) > 1 and positive is not None:
        needs, hint = "write the positive class in one way", "Make them one label."
        raise InputError("--label", needs, format_list(own), hint)
    value = float(own[0]) if isinstance(own[0], Decimal) else own[0]
    return value if len(own) == 1 else None, both_labels(names, which)


@contextmanager
def spark_table(named: Sequence[str]) -> Iterator[Any]:
    """Yield the tables and paths as one frame, or a list of frames that count as one.

    A session that is there is used and left alone; another is begun as spark-submit or Spark's own
    configuration says, and ended.
    """
    spark = _pyspark()
    ours = spark.sql.SparkSession.getActiveSession() is None
    session: Any = None
    try:
        session = _begun(spark) if ours else spark.sql.SparkSession.getActiveSession()
        yield _frames(session, named)
    except spark.errors.PySparkException as error:
        raise InputError(f"Spark cannot do it: {_line(str(error))}.") from None
    except Exception as error:
        if not type(error).__module__.startswith("py4j"):
            raise
        raise InputError(f"Spark failed: {_cause(error)}.") from None
    finally:
        if ours and session is not None:
            session.stop()


def _pyspark() -> Any:
    with warnings.catch_warnings():
        # it warns of a pandas newer than itself, of which nothing is used here
        warnings.simplefilter("ignore", FutureWarning)
        try:
            import pyspark.errors
            import pyspark.sql
        except ImportError:
            raise missing_extra("spark", "Reading with Spark") from None
    return pyspark


def _begun(spark: Any) -> Any:
    """Begin a session; Spark's own bar shows how far each pass has got."""
    shown = str(is_shown()).lower()
    builder = spark.sql.SparkSession.builder.appName("rocch")
    session = builder.config("spark.ui.showConsoleProgress", shown).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _frames(session: Any, named: Sequence[str]) -> Any:
    paths = [name for name in named if is_path(name)]
    frames = [session.read.parquet(*paths)] if paths else []
    frames += [session.table(name) for name in named if not is_path(name)]
    return frames[0] if len(frames) == 1 else frames


def is_path(name: str) -> bool:
    """Say whether a name is that of files; `catalogue.schema.table` is a table's."""
    return "/" in name or name.endswith(".parquet") or Path(name).exists()


def _line(text: str) -> str:
    return text.strip().splitlines()[0].strip().rstrip(".:;")


def _cause(error: Any) -> str:
    """Return what went wrong at the bottom of a Java exception."""
    cause = error.java_exception if hasattr(error, "java_exception") else None
    while cause is not None and cause.getCause() is not None:
        cause = cause.getCause()
    return _line(str(error) if cause is None else str(cause.toString()))
