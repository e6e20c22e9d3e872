"""How the documentation's pictures are written: small files, the same on every run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent


def save_all(pictures: Mapping[str, Callable[[], Figure]]) -> None:
    """Draw each picture into a PNG of its name; 128 colors are enough and take a third."""
    mpl.use("Agg")
    for name, draw in pictures.items():
        drawn = BytesIO()
        draw().savefig(drawn, dpi=100)
        Image.open(drawn).convert("RGB").quantize(128).save(FOLDER / f"{name}.png", optimize=True)
