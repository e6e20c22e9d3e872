"""What a tuner is told once and keeps: costs, patience, and what it is allowed to do."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

from rocch.errors import bad_input
from rocch.inputs import as_rate
from rocch.roc.conditions import as_conditions

if TYPE_CHECKING:
    from rocch.roc.conditions import Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class TunerOptions:
    """The options of a `KnobTuner`, checked once; see there."""

    conditions: Conditions | None = None
    randomise: bool = False
    probe: bool = False
    alpha: float = 0.05
    window: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        if self.conditions is not None:
            as_conditions(self.conditions)
        object.__setattr__(self, "alpha", as_rate(self.alpha, "alpha"))
        if not 0 < self.alpha < 1:
            raise bad_input(
                "alpha",
                "lie between 0 and 1",
                self.alpha,
                "It is the probability of a move for no reason; 0.05 is usual.",
            )
        for name in ("randomise", "probe"):
            if not isinstance(getattr(self, name), bool):
                raise bad_input(name, "be True or False", repr(getattr(self, name)), "Choose one.")
        whole = "It is how much feedback is weighed together."
        object.__setattr__(self, "window", _whole(self.window, "window", least=1, do=whole))
        seed = _whole(self.seed, "seed", least=0, do="Any whole number will do.")
        object.__setattr__(self, "seed", seed)


def _whole(value: object, argument: str, *, least: int, do: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise bad_input(argument, f"be a whole number, at least {least}", repr(value), do)
    return int(value)
