"""An aim as it is recorded and shown: the words as they came, who said them, when and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from rocch.roc.asked import Asked

Source: TypeAlias = Literal["operator", "command line", "default"]
Tuning: TypeAlias = Literal["off", "advise", "follow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AimRecord:
    """What the service aims at.

    Attributes
    ----------
    conditions, criterion
        The words as they came, such as `{"prevalence": [0.1, 0.2], "false_positive": 1, ...}`.
    randomize
        Whether two vertices may be mixed by a coin.
    tuning
        What feedback may do: nothing ("off"), suggest ("advise"), or turn the knob ("follow").
    words
        The aim in one line.
    source, by, note, at
        Where it came from, who said it, why, and when (ISO text, UTC).
    id
        Its number in the record; None for one that was not recorded.
    """

    conditions: dict[str, Any] | None = None
    criterion: dict[str, Any] | None = None
    randomize: bool = False
    tuning: Tuning = "off"
    words: str = ""
    source: Source = "operator"
    by: str = ""
    note: str = ""
    at: str = ""
    id: int | None = None

    @property
    def asked(self) -> Asked:
        """The words, all together, but for the knob's position."""
        words = {**(self.conditions or {}), **(self.criterion or {})}
        words.pop("knob", None)
        return Asked(**words)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)
