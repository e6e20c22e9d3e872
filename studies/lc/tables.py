"""The page's tables, and numbers for its sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studies.lc import figures
from studies.lc.splits import READINGS
from studies.workbench.page import signed, table

if TYPE_CHECKING:
    from rocch.stats.losses import Reading
    from studies.lc.examples import Example
    from studies.lc.splits import Setup


Found = dict[str, dict[str, Any]]


def percent(share: float) -> str:
    """Write a share, never as all or nothing when it is neither."""
    near = round(share, 9)
    if 0 < near <= 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= near < 1 else f"{100 * share:.0f}%"


def number(value: float, digits: int = 2) -> str:
    """Write a number with so many decimals; zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else signed(text)


def compared(examples: tuple[Example, ...], found: Found) -> str:
    """Say what is compared in each example, and give the AUCs."""
    header = ["In the paper", "Here", "A", "B", "Cost of a miss", "AUCs, published:", "ours:"]
    rows = [
        [
            example.section,
            f"{example.title}, {example.data}",
            *example.names,
            _times(example.setup),
            f"{example.auc_a:.4f}, {example.auc_b:.4f}",
            ", ".join(f"{found[example.key][name].mean():.3f}" for name in ("auc_a", "auc_b")),
        ]
        for example in examples
    ]
    return table(header, rows)


def _times(setup: Setup) -> str:
    low, high, likely = (f"{times:.3g}" for times in setup.times)
    return f"{low} to {high}, likely {likely}"


def indices(examples: tuple[Example, ...], found: Found) -> str:
    """Return the published indices beside ours, in both readings."""
    header = ["Example", "Reading", "Published:", "Our mean:", "A favored:", "Opposed:"]
    rows = [
        _index_row(example, reading, found[example.key])
        for example in examples
        for reading in READINGS
    ]
    return table(header, rows)


def _index_row(example: Example, reading: Reading, ours: dict[str, Any]) -> list[str]:
    index = ours[f"lc_{reading}"]
    return [
        example.title,
        reading,
        f"{number(example.lc, example.digits)} ({example.winner(example.lc)})",
        number(index.mean()),
        percent(figures.favored(index)),
        percent(figures.opposed(ours, reading)),
    ]


WHOLE = 0.99
"""An interval that reaches beyond this on both sides excludes nothing."""


def remarks(examples: tuple[Example, ...], found: Found, other: Found) -> dict[str, Any]:
    """Return what the template says of each example, by its key, of all, and of variants."""
    said: dict[str, Any] = {example.key: _of(example, found[example.key]) for example in examples}
    all_of_them = [found[example.key] for example in examples]
    said["ranges"] = {
        "opposed": _range(figures.opposed(ours, "envelope") for ours in all_of_them),
        "readings": _range(map(figures.readings_opposed, all_of_them)),
        "robust": _range(float(ours["robust_envelope"].mean()) for ours in all_of_them),
        "both": _range(map(figures.undecided, all_of_them)),
    }
    said["changed"] = {
        key: _changed(ours, found[key.partition(":")[0]]) for key, ours in other.items()
    }
    return said


def _changed(ours: dict[str, Any], before: dict[str, Any]) -> dict[str, str]:
    index, first = ours["lc_envelope"], before["lc_envelope"][: ours["lc_envelope"].size]
    return {
        "before": number(first.mean()),
        "after": number(index.mean()),
        "other_winner": percent(figures.other_winner(index, first)),
    }


def _of(example: Example, ours: dict[str, Any]) -> dict[str, str]:
    nearest = figures.nearest_split(example, ours)
    index = ours["lc_envelope"]
    whole = (ours["low"] < -WHOLE) & (ours["high"] > WHOLE)
    return {
        "low_aucs": percent(figures.both_as_low(example, ours)),
        "for_b": percent(1 - figures.favored(index)),
        "as_published": percent(figures.as_published(example, ours, "envelope")),
        "opposed": percent(figures.opposed(ours, "envelope")),
        "whole": percent(float(whole.mean())),
        "stands_at": f"{figures.percentile(index, example.lc, example.digits):.0f}%",
        "drawn_aucs": f"{ours['auc_a'][nearest]:.4f} and {ours['auc_b'][nearest]:.4f}",
        "drawn_lc": number(float(index[nearest])),
    }


def _range(shares: Any) -> str:
    each = np.array(list(shares))
    return f"{100 * each.min():.0f} to {percent(float(each.max()))}"
