"""A tuner as plain data: versioned, exact, and bound to its hull."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, bad_input, kind_of
from rocch.hybrid.knob import Knob
from rocch.hybrid.tuning.climb import Climb, State
from rocch.hybrid.tuning.evidence import Evidence, Sides
from rocch.hybrid.tuning.options import TunerOptions
from rocch.hybrid.tuning.reaction import Reaction
from rocch.hybrid.tuning.stride import Stride
from rocch.hybrid.tuning.trial import Trial
from rocch.roc.conditions import Conditions

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull

FORMAT, VERSION = "rocch.KnobTuner", 1


def written(climb: Climb, state: State, history: list[Reaction]) -> dict[str, Any]:
    """Return a tuner as dictionaries, lists, numbers and texts."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "hull": hull_print(climb.hull),
        "options": _options_written(climb.options),
        "state": _plain(asdict(state)),
        "history": [asdict(reaction) for reaction in history],
    }


def read(hull: RocHull, record: Any) -> tuple[Climb, State, list[Reaction]]:
    """Return what `written` wrote, for the same hull."""
    _check_format(record)
    own = hull_print(hull)
    try:
        other = dict(record["hull"])
        options = _options_read(**record["options"])
        state = _state_read(**record["state"])
        history = [Reaction(**reaction) for reaction in record["history"]]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise bad_input(
            "state", "be one that to_dict made", f"one that lacks or garbles {error}", "Save again."
        ) from None
    if other != own:
        raise bad_input(
            "state",
            "belong to the model's hull",
            f"one of another hull ({other.get('vertices')} vertices, print {other.get('print')}; "
            f"the model's has {own['vertices']}, {own['print']})",
            "Its positions mean other settings here. Start a new tuner for a new model.",
        )
    return Climb(hull, options), state, history


def hull_print(hull: RocHull) -> dict[str, Any]:
    """Return the number of vertices and a print of their counts, classifiers and thresholds."""
    totals = (hull.judged.negatives, hull.judged.positives, hull.judged.unit, hull.slope_bounds)
    vertices = [
        (v.false_positives, v.true_positives, v.classifiers, v.deployed_thresholds) for v in hull
    ]
    digest = hashlib.blake2b(repr((totals, vertices)).encode(), digest_size=16)
    return {"vertices": len(vertices), "print": digest.hexdigest()}


def _check_format(record: Any) -> None:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        came = kind_of(record) if not isinstance(record, dict) else repr(record.get("format"))
        raise bad_input("state", f"be the record of a tuner ({FORMAT})", came, "Use to_dict.")
    if record.get("version") != VERSION:
        raise bad_input(
            "state",
            f"have version {VERSION}",
            repr(record.get("version")),
            "Read it with the release of rocch that wrote it.",
        )


def _options_written(options: TunerOptions) -> dict[str, Any]:
    own = {name: getattr(options, name) for name in TunerOptions.__slots__}
    if options.conditions is not None:
        own["conditions"] = _plain(asdict(options.conditions))
    return own


def _options_read(*, conditions: dict[str, Any] | None, **others: Any) -> TunerOptions:
    known = None if conditions is None else Conditions(**conditions)
    return TunerOptions(conditions=known, **others)


def _state_read(
    *,
    position: float,
    stride: dict[str, Any],
    sides: dict[str, Any],
    settled: list[int],
    trial: dict[str, Any],
) -> State:
    ways = {way: Evidence(**evidence) for way, evidence in sides.items()}
    costs = {side: tuple(trial[side]) for side in ("left", "right")}
    return State(
        Knob(position).position,
        Stride(**stride),
        Sides(**ways),
        tuple(settled),
        Trial(**{**trial, **costs}),
    )


def _plain(data: Any) -> Any:
    """Return tuples as lists, as JSON would, so that what is written equals what is read."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, tuple | list) else data
