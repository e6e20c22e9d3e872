"""The page's tables, and numbers for its sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studies.lc import figures
from studies.lc.splits import READINGS
from studies.workbench.page import signed, table

if TYPE_CHECKING:
    from studies.lc.examples import Example
    from studies.lc.splits import Setup


Found = dict[str, dict[str, Any]]


def percent(share: float) -> str:
    """Write a share, never as all or nothing when it is neither."""
    near = round(share, 9)
    if 0 < near <= 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= near < 1 else f"{100 * share:.0f} %"


def number(value: float, digits: int = 2) -> str:
    """Write a number with so many decimals; zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else signed(text)


def between(low: float, high: float, digits: int = 2) -> str:
    """Write a range."""
    return f"{number(low, digits)} to {number(high, digits)}"


def compared(examples: tuple[Example, ...]) -> str:
    """Say what is compared in each example."""
    header = ["In the paper", "Here", "", "A", "B", "Test rows:", "A miss is so many times as bad"]
    rows = [
        [
            example.section,
            example.title,
            example.data,
            *example.names,
            example.setup.test,
            _times(example.setup),
        ]
        for example in examples
    ]
    return table(header, rows)


def _times(setup: Setup) -> str:
    low, high, likely = (f"{times:.3g}" for times in setup.times)
    return f"{low} to {high}, likely {likely}"


def aucs(examples: tuple[Example, ...], found: Found) -> str:
    """Set the published AUCs beside ours."""
    header = ["Example", "", "Published:", "Our mean:", "5 % to 95 %:", "Published stands at:"]
    rows = []
    for example in examples:
        ours = found[example.key]
        lines = {
            example.names[0]: (example.auc_a, ours["auc_a"]),
            example.names[1]: (example.auc_b, ours["auc_b"]),
            "lead of A": (example.auc_a - example.auc_b, figures.lead(ours)),
        }
        rows += [_auc_row(example.title, name, *line) for name, line in lines.items()]
    return table(header, rows)


def _auc_row(title: str, name: str, published: float, ours: Any) -> list[str]:
    return [
        title,
        name,
        number(published, 4),
        number(ours.mean(), 3),
        between(*figures.spread(ours), digits=3),
        f"{figures.percentile(ours, published, 4):.0f} %",
    ]


def indices(examples: tuple[Example, ...], found: Found) -> str:
    """Set the published indices beside ours, in both readings."""
    header = [
        "Example",
        "Reading",
        "Published:",
        "Our mean:",
        "Median:",
        "5 % to 95 %:",
        "Published stands at:",
        "A favored:",
    ]
    rows = [
        _index_row(example, reading, found[example.key][f"lc_{reading}"])
        for example in examples
        for reading in READINGS
    ]
    return table(header, rows)


def _index_row(example: Example, reading: str, ours: Any) -> list[str]:
    return [
        example.title,
        reading,
        f"{number(example.lc, example.digits)} ({example.winner(example.lc)})",
        number(ours.mean()),
        number(np.median(ours)),
        between(*figures.spread(ours)),
        f"{figures.percentile(ours, example.lc, example.digits):.0f} %",
        f"{percent(figures.favored(ours))} ({example.names[0]})",
    ]


def contradictions(examples: tuple[Example, ...], found: Found) -> str:
    """Say how often AUC and index point to different ones, how often the index is sure, ties."""
    header = [
        "Example",
        "Reading",
        "AUC and LC opposed:",
        "with LC beyond 0.5:",
        "both signs as published:",
        f"LC is 1 or {signed('-1')}:",
        "robust to the belief's shape:",
        "Splits with ties:",
        "Mean mass of ties:",
    ]
    rows = [
        [example.title, reading, *_contradiction(example, found[example.key], reading)]
        for example in examples
        for reading in READINGS
    ]
    return table(header, rows)


def _contradiction(example: Example, ours: dict[str, Any], reading: str) -> list[str]:
    ties = ours[f"ties_{reading}"]
    return [
        percent(figures.opposed(ours, reading)),
        percent(figures.opposed(ours, reading, figures.STRONG)),
        percent(figures.as_published(example, ours, reading)),
        percent(figures.sure(ours[f"lc_{reading}"])),
        percent(float(ours[f"robust_{reading}"].mean())),
        percent(float(np.mean(ties > 1 - figures.SURE))),
        f"{ties.mean():.3f}",
    ]


def intervals(examples: tuple[Example, ...], found: Found, drawn: Found) -> str:
    """Set one split's interval beside the spread over splits."""
    header = [
        "Example",
        "Split drawn above: LC:",
        "95 % of resamples:",
        "favor A:",
        "95 % of the splits:",
        "favor A: ",
        "Splits whose interval holds both signs:",
    ]
    rows = []
    for example in examples:
        ours, one = found[example.key], drawn[example.key]
        index = ours["lc_envelope"]
        rows.append(
            [
                example.title,
                number(float(one["lc_envelope"])),
                between(float(one["low"]), float(one["high"])),
                percent(float(one["favored"])),
                between(*np.quantile(index, [0.025, 0.975]).tolist()),
                percent(figures.favored(index)),
                percent(figures.undecided(ours)),
            ]
        )
    return table([name.rstrip() for name in header], rows)


def variants(examples: tuple[Example, ...], found: Found, other: Found) -> str:
    """Show what becomes of the answer when an open choice is made otherwise."""
    header = [
        "Example",
        "Choice",
        "Splits:",
        "AUC of A:",
        "AUC of B:",
        "LC, envelope:",
        "before, same splits:",
        "other winner:",
        "LC, implied:",
        "AUC and LC opposed:",
    ]
    rows = []
    for example in examples:
        before = found[example.key]
        rows.append([example.title, "as above", *_variant(before, before)])
        for variant in example.variants:
            cells = _variant(other[f"{example.key}: {variant.label}"], before)
            rows.append(["", variant.label, *(cells if variant.implied else _no_implied(cells))])
    return table(header, rows)


IMPLIED = -2
"""The place of the implied reading in a variant's row."""


def _variant(ours: dict[str, Any], before: dict[str, Any]) -> list[str]:
    index, first = ours["lc_envelope"], before["lc_envelope"][: ours["lc_envelope"].size]
    return [
        str(index.size),
        f"{ours['auc_a'].mean():.3f}",
        f"{ours['auc_b'].mean():.3f}",
        number(index.mean()),
        "" if ours is before else number(first.mean()),
        "" if ours is before else percent(figures.other_winner(index, first)),
        number(ours["lc_implied"].mean()),
        percent(figures.opposed(ours, "envelope")),
    ]


def _no_implied(cells: list[str]) -> list[str]:
    return [*cells[:IMPLIED], "none", *cells[IMPLIED + 1 :]]


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
        "for_b": percent(1 - figures.favored(ours["lc_envelope"])),
        "for_b_implied": percent(1 - figures.favored(ours["lc_implied"])),
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
