"""The rows that a library's classifiers are judged on, and how they are recognised."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError
from rocch.hybrid.coin import key_texts
from rocch.roc.curve import Judged

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Ground:
    """What classifiers were judged on: totals, a print of the labels, and one of the row ids.

    Both prints depend on the order of the rows. Either may be unknown: counts come without
    labels, and files without ids.
    """

    judged: Judged
    ids_print: bytes | None = None

    @classmethod
    def from_columns(cls, row: Mapping[str, Any]) -> Ground:
        """Read the columns that `columns` wrote."""
        return cls(
            Judged(
                row["negatives"],
                row["positives"],
                row["unit"],
                bool(row["weighted"]),
                row["labels_print"],
            ),
            row["ids_print"],
        )

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the record."""
        judged = self.judged
        return {
            "negatives": judged.negatives,
            "positives": judged.positives,
            "unit": float(judged.unit),
            "weighted": int(judged.weighted),
            "labels_print": judged.rows,
            "ids_print": self.ids_print,
        }

    @property
    def fingerprint(self) -> str:
        """The print of labels and ids as text; "unknown" where there are counts alone."""
        parts = [part.hex() for part in (self.judged.rows, self.ids_print) if part is not None]
        return "-".join(parts) or "unknown"

    def joined(self, other: Ground) -> Ground:
        """Return the ground of both, or refuse if they are not evidently the same rows."""
        why = self._why_not(other)
        if why is not None:
            raise InputError(
                f"classifiers must be judged on the library's rows; {why}. Judge it on the same "
                "rows in the same order, or say that you accept to compare rates from different "
                "rows: different_rows=True."
            )
        return Ground(self.judged, self.ids_print or other.ids_print)

    def _why_not(self, other: Ground) -> str | None:
        mine, theirs = self.judged, other.judged
        if _totals(mine) != _totals(theirs):
            return (
                f"these are {theirs.positives * theirs.unit:.9g} positives of {theirs.total:.9g}, "
                f"the library's {mine.positives * mine.unit:.9g} of {mine.total:.9g}"
                f"{_if_mirrored(mine, theirs)}"
            )
        if (mine.rows is None) != (theirs.rows is None):
            which = "the library's" if mine.rows is None else "these"
            return f"{which} came as counts, so nobody can tell whether the rows are the same"
        if mine.rows != theirs.rows:
            return "the labels (or weights) differ, or come in another order"
        if self.ids_print is not None and other.ids_print is None:
            return "the library knows its rows by their ids, and these came without (row_ids)"
        if self.ids_print is not None and self.ids_print != other.ids_print:
            return "the row ids differ, or come in another order"
        return None


def _totals(judged: Judged) -> tuple[int, int, float, bool]:
    return judged.negatives, judged.positives, judged.unit, judged.weighted


def _if_mirrored(mine: Judged, theirs: Judged) -> str:
    """Say what is likely where one's positives are as many as the other's negatives."""
    mirrored = theirs.positives, theirs.negatives, theirs.unit, theirs.weighted
    if _totals(mine) != mirrored:
        return ""
    return " (the other class may have been taken as the positive one)"


def print_of_ids(row_ids: Any, rows: int | None) -> bytes | None:
    """Return a short print of row ids in their order; None where there are none."""
    if row_ids is None:
        return None
    rows = len(row_ids) if rows is None else rows
    digest = hashlib.blake2b(digest_size=16)
    for text in key_texts(row_ids, rows, argument="row_ids"):
        encoded = text.encode(errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()
