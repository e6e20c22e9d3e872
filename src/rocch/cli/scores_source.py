"""Which columns of a file are labels and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from rocch.cli.reading.table_file import TableFile

Engine = Literal["memory", "duckdb"]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Which rows of a table count, how much, and what reads them.

    Attributes
    ----------
    named
        The tables or paths as they were typed, for Spark.
    weight
        The column with the weights of rows.
    drop_nulls
        Whether rows with missing values are left out.
    engine
        What reads the file; None for what suits its size.
    memory_limit
        How much memory DuckDB may use; None for the usual.
    spark
        Whether Spark reads it.
    """

    named: tuple[str, ...] = ()
    weight: str | None = None
    drop_nulls: bool = False
    engine: Engine | None = None
    memory_limit: str | None = None
    spark: bool = False

    def __post_init__(self) -> None:
        if self.spark and self.engine is not None:
            raise click.UsageError(f"--spark and --engine {self.engine} contradict each other.")
        if self.memory_limit is not None and (self.spark or self.engine == "memory"):
            raise click.UsageError("--memory-limit has no effect here; it goes with DuckDB.")


@dataclass(frozen=True, slots=True)
class ScoresSource:
    """A file of labels and scores, as it was named on the command line.

    In a wide file each classifier has a column; in a long file each score has a line, and
    `classifier`, `row` and `score` name the columns that say whose it is, of what, and how high.
    """

    table: TableFile
    label: str
    positive: str | None = None
    scores: str | None = None
    classifier: str | None = None
    row: str | None = None
    score: str | None = None
    reading: ReadingOptions = field(default_factory=ReadingOptions)

    def __post_init__(self) -> None:
        if self.classifier and (self.reading.weight or self.reading.drop_nulls):
            raise click.UsageError("--weight and --drop-nulls go with a wide file.")
        stated = {"--classifier": self.classifier, "--row": self.row, "--score": self.score}
        absent = [option for option, column in stated.items() if column is None]
        if absent and absent != list(stated) and (self.classifier or self.score):
            raise click.UsageError(
                f"{absent[0]} is missing: a long file needs --classifier, --row and --score. "
                "Columns of a wide file are named with --scores."
            )

    @property
    def is_long(self) -> bool:
        """Whether each score has a line of its own."""
        return self.classifier is not None

    @property
    def named_scores(self) -> list[str] | None:
        """The columns or classifiers that were named, if any were."""
        return None if self.scores is None else [name.strip() for name in self.scores.split(",")]
