"""Numbers for the page's sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lc_page import figures
from lc_page.tables import between, number, percent

if TYPE_CHECKING:
    from lc_page.examples import Example
    from lc_page.tables import Found

WHOLE = 0.99
"""An interval that reaches beyond this on both sides excludes nothing."""


def remarks(
    examples: tuple[Example, ...], found: Found, other: Found, drawn: Found
) -> dict[str, Any]:
    """Return what the template says of each example, by its key, of all, and of variants."""
    said: dict[str, Any] = {
        example.key: _of(example, found[example.key], drawn[example.key]) for example in examples
    }
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
        "same": percent(float(np.mean(index == first))),
        "splits": str(index.size),
    }


def _of(example: Example, ours: dict[str, Any], one: dict[str, Any]) -> dict[str, str]:
    whole = (ours["low"] < -WHOLE) & (ours["high"] > WHOLE)
    return {
        "low_aucs": percent(figures.both_as_low(example, ours)),
        "for_b": percent(1 - figures.favoured(ours["lc_envelope"])),
        "for_b_implied": percent(1 - figures.favoured(ours["lc_implied"])),
        "as_published": percent(figures.as_published(example, ours, "envelope")),
        "opposed": percent(figures.opposed(ours, "envelope")),
        "readings": percent(figures.readings_opposed(ours)),
        "whole": percent(float(whole.mean())),
        "stands_at": _stands_at(example, ours, "envelope"),
        "stands_at_implied": _stands_at(example, ours, "implied"),
        "seed": str(one["seed"]),
        "drawn_aucs": f"{one['auc_a']:.4f} and {one['auc_b']:.4f}",
        "drawn_lc": number(float(one["lc_envelope"])),
        "drawn_lc_implied": number(float(one["lc_implied"])),
        "drawn_interval": between(float(one["low"]), float(one["high"])),
        "prevalence": f"{ours['prevalence'].min():.2f} to {ours['prevalence'].max():.2f}",
    }


def _stands_at(example: Example, ours: dict[str, Any], reading: str) -> str:
    return f"{figures.percentile(ours[f'lc_{reading}'], example.lc, example.digits):.0f} %"


def _range(shares: Any) -> str:
    each = np.array(list(shares))
    return f"{100 * each.min():.0f} to {percent(float(each.max()))}"
