"""Which columns of a file are labels and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rocch.cli.reading.table_file import TableFile


@dataclass(frozen=True, slots=True)
class ScoresAsked:
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

    def __post_init__(self) -> None:
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
        """The columns or classifiers that were asked for, if any were."""
        return None if self.scores is None else [name.strip() for name in self.scores.split(",")]
