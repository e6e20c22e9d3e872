"""Colors that color-blind eyes tell apart, and texts that can be read on them."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rocch.report.render import page_file

CLEARLY = 15.0
"""So far apart, by CIE 1976, colors are told apart at a glance."""

SIGHTS = {
    "trichromat": np.eye(3),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}
"""What is seen of linear light: Machado, Oliveira and Fernandes (2009), at full severity."""

TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def themes() -> dict[str, dict[str, str]]:
    """Return the variables of both themes, colors as #rrggbb."""
    light, dark = re.findall(r":root[^{]*\{([^}]*)\}", page_file("page.css"))[:2]
    found: dict[str, dict[str, str]] = {"light": _variables(light)}
    found["dark"] = found["light"] | _variables(dark)
    return found


def _variables(text: str) -> dict[str, str]:
    named = re.findall(r"--([a-z0-9]+): (#[0-9a-f]{3,6});", text)
    return {name: f"#{''.join(2 * x for x in c[1:])}" if len(c) == 4 else c for name, c in named}


def light_of(color: str) -> Any:
    """Return a color's linear light."""
    share = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(color: str, sight: str) -> Any:
    """Return where an eye sees a color in CIE L*a*b*."""
    xyz = TO_XYZ @ np.clip(SIGHTS[sight] @ light_of(color), 0, 1) / WHITE
    bent = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


def apart(one: str, other: str, sight: str) -> float:
    return float(np.linalg.norm(lab(one, sight) - lab(other, sight)))


def contrast(one: str, other: str) -> float:
    """Return the ratio of luminances, as WCAG defines it."""
    dark, bright = sorted(float(light_of(c) @ TO_XYZ[1]) for c in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def test_the_arithmetic_is_that_of_the_sources() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21, abs=0.01)
    assert lab("#ff0000", "trichromat") == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    assert apart("#0072b2", "#7a4fbf", "deuteranope") == pytest.approx(7.6, abs=0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_eight_classifiers_and_the_diagonal_are_told_apart(theme: str, sight: str) -> None:
    colors = themes()[theme]
    names = [*(f"c{i}" for i in range(8)), "quiet"]
    for one, other in combinations(names, 2):
        assert apart(colors[one], colors[other], sight) > CLEARLY, (one, other)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_stand_out_from_the_ground(theme: str) -> None:
    colors = themes()[theme]
    for i in range(8):
        assert contrast(colors[f"c{i}"], colors["surface"]) > 2.2
    assert contrast(colors["positive"], colors["negative"]) > 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_classes_of_rows_look_like_no_classifier(theme: str) -> None:
    colors = themes()[theme]
    for side in ("positive", "negative"):
        lightness, *hue = lab(colors[side], "trichromat")
        assert np.hypot(*hue) < 10  # gray, and so of no classifier
        assert 0 < lightness < 100
        assert min(np.hypot(*lab(colors[f"c{i}"], "trichromat")[1:]) for i in range(8)) > 30


def test_both_dark_themes_are_the_same() -> None:
    _, chosen, preferred = re.findall(r":root[^{]*\{([^}]*)\}", page_file("page.css"))[:3]
    assert chosen.split() == preferred.split()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_can_be_read_on_their_colors(theme: str) -> None:
    colors = themes()[theme]
    rules = dict(re.findall(r"\.k(\d) \{ --k: var\(--c\d\); --on: ([^;]+);", page_file("page.css")))
    assert len(rules) == 8
    for place, on in rules.items():
        name = re.fullmatch(r"var\(--(\w+)\)", on)
        (ink,) = _variables(f"--x: {colors[name[1]] if name else on};").values()
        assert contrast(ink, colors[f"c{place}"]) >= 4.5
