"""An aim as it is recorded and shown: the question, who put it, when and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rocch.roc.question import Question

Source: TypeAlias = Literal["operator", "command line", "default"]
Tuning: TypeAlias = Literal["off", "advise", "follow"]

AS_EXPORTED = "as the export says"


@dataclass(frozen=True, slots=True, kw_only=True)
class AimRecord:
    """What the service aims at.

    Attributes
    ----------
    question
        What is known, believed, limited or sought; an empty one means as the export says.
    tuning
        What feedback may do: nothing ("off"), suggest ("advise"), or turn the knob ("follow").
    source, by, note, at
        Where it came from, who put it, why, and when (ISO text, UTC).
    id
        Its number in the record; None for one that was not recorded.
    """

    question: Question = Question()
    tuning: Tuning = "off"
    source: Source = "operator"
    by: str = ""
    note: str = ""
    at: str = ""
    id: int | None = None

    @property
    def words(self) -> str:
        """The aim in one line."""
        return self.question.describe() or AS_EXPORTED

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "id": self.id,
            "at": self.at,
            "by": self.by,
            "note": self.note,
            "source": self.source,
            "question": self.question.to_dict(),
            "words": self.words,
            "tuning": self.tuning,
        }
