"""What an answer from a frame has cost."""

from __future__ import annotations

from dataclasses import dataclass

from rocch.errors import quantity


@dataclass(frozen=True, slots=True)
class Work:
    """What an answer from a frame has cost so far.

    Attributes
    ----------
    passes
        How often the table was scanned, the survey included.
    rows
        Rows of the table.
    moved
        What came to the driver, all passes together: groups with their counts and, in the last
        pass, the few rows whose scores may decide about a vertex.
    """

    passes: int = 0
    rows: int = 0
    moved: int = 0

    def __str__(self) -> str:
        passes = "1 pass" if self.passes == 1 else f"{self.passes} passes"
        return (
            f"{passes} over {quantity(self.rows, 'row', ',')}, {self.moved:,} groups and rows moved"
        )

    def __add__(self, other: Work) -> Work:
        return Work(self.passes + other.passes, self.rows + other.rows, self.moved + other.moved)

    def after(self, moved: int) -> Work:
        """Return the work after one more pass."""
        return Work(self.passes + 1, self.rows, self.moved + moved)
