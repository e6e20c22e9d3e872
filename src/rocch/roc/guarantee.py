"""Limits that hold on new rows with a stated confidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rocch.errors import format_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """What holds on new rows, and with which confidence.

    In at most 1 - confidence of all samples of evaluation rows, the whole procedure (the choice
    among classifiers and thresholds included) returns a rule that truly breaks a limit.

    Attributes
    ----------
    confidence
        That all limits hold together.
    limits
        The limits in words.
    bounds
        For each limit, the one-sided bound of the limited value: a rate, a cost or a precision.
    models
        How many classifiers were considered, winners or not; a classifier that outputs labels only
        counts once for each of its settings.
    level
        The chance of an error that each test may have.
    is_exact
        Whether the guarantee is exact: classifiers that were not fitted on these rows, and
        independent rows.
    note
        Why it is not exact.
    """

    confidence: float
    limits: tuple[str, ...]
    bounds: tuple[float, ...]
    models: int
    level: float
    is_exact: bool = True
    note: str = ""

    def __str__(self) -> str:
        held = "; ".join(
            f"{limit} (bound {bound:.3g})"
            for limit, bound in zip(self.limits, self.bounds, strict=True)
        )
        tests = f"{format_count(self.models, 'model')} at level {self.level:.3g}"
        about = f"on new rows, with {100 * self.confidence:.4g} % confidence, {held}; {tests}."
        return " ".join(filter(None, (about[0].upper() + about[1:], self.note)))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data for JSON."""
        fields = asdict(self)
        return {name: list(v) if isinstance(v, tuple) else v for name, v in fields.items()}
