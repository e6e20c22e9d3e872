"""Pictures are generated, not pasted: each is on a page, and a script makes it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

ROOT = Path(__file__).parents[3]
IMAGES = ROOT / "docs" / "images"
STUDIES = ROOT / "docs" / "studies"
"""Where studies write their pages, with the pictures beside them."""
FROM_BENCHMARKS = {"tuning-regret": "benchmarks/tuning.py"}
"""Pictures of measurements, which take minutes; their scripts name the file themselves."""
THEORY = (
    "theory-hull",
    "theory-sensitivity",
    "theory-between-vertices",
    "theory-workforce",
    "theory-duality",
    "theory-volumes",
    "referral",
    "fairness",
)


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    monkeypatch.syspath_prepend(IMAGES)
    mpl.use("Agg")
    return {
        script.name: runpy.run_path(str(script))["PICTURES"]
        for script in sorted(IMAGES.glob("make_*.py"))
    }


def quick(scripts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the pictures that need neither models nor simulations nor searches nor a browser."""
    slow = (
        *("make_pictures.py", "make_report_pictures.py", "make_new_rows_pictures.py"),
        "make_limits_picture.py",
    )
    some = (pictures for script, pictures in scripts.items() if script not in slow)
    return {name: draw for pictures in some for name, draw in pictures.items()}


def shown() -> set[Path]:
    """Return the images that the Markdown pages show."""
    return {
        (page.parent / address).resolve()
        for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
        for alt, address in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text("utf-8"))
        if alt
    }


def test_scripts_make_exactly_the_pictures_there_are(scripts: dict[str, dict[str, Any]]) -> None:
    made = [name for pictures in scripts.values() for name in pictures]
    assert sorted([*made, *FROM_BENCHMARKS]) == sorted(file.stem for file in IMAGES.glob("*.png"))


def test_benchmarks_name_the_pictures_that_they_draw() -> None:
    for name, script in FROM_BENCHMARKS.items():
        assert f"docs/images/{name}.png" in (ROOT / script).read_text(encoding="utf-8")


def test_pages_show_exactly_the_pictures_there_are_and_describe_them() -> None:
    assert shown() == {*IMAGES.glob("*.png"), *STUDIES.glob("*.png")}


def test_pictures_are_small() -> None:
    pictures = [*IMAGES.glob("*.png"), *STUDIES.glob("*.png")]
    assert all(file.stat().st_size < 100_000 for file in pictures)


@pytest.mark.parametrize("name", THEORY)
def test_theory_pictures_can_be_drawn(name: str, scripts: dict[str, dict[str, Any]]) -> None:
    figure = quick(scripts)[name]()
    figure.canvas.draw()
    assert all(ax.has_data() for ax in figure.axes)


def test_all_theory_pictures_are_drawn_here(scripts: dict[str, dict[str, Any]]) -> None:
    assert sorted(THEORY) == sorted(quick(scripts))
