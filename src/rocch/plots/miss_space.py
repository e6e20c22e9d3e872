"""The space of the miss rates of two or three classes: its axes, and members marked in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, missing_extra
from rocch.inputs import is_number
from rocch.plots.style import as_text, halo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.surface import RocSurface

MARK = "#B00020"
"""The colour of a chosen member's mark, as of an operating point on a hull."""

DIAGONAL = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])
"""What the diagonal of the cube is seen along: two directions at right angles to it."""

LONG = 3.0
"""A side so many times as long as the median triangle's longest bridges a gap."""

ZOOM = 0.85
"""How much of the axes' room the cube takes up: more would cut off labels."""
SHORT, LONGEST = 6, 16
"""Names up to the first stand on the label's own line, up to the second whole on the next."""


def new_solid_axes(number: int, *, width: float, height: float) -> tuple[Figure, list[Any]]:
    """Return a figure with so many three-dimensional axes beside one another."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    return figure, [
        figure.add_subplot(1, number, place + 1, projection="3d") for place in range(number)
    ]


def as_views(views: Any, argument: str) -> tuple[tuple[float, float], ...]:
    """Return elevations and azimuths in degrees, at least one pair of them."""
    several = views if isinstance(views, tuple | list) else ()
    valid = [
        tuple(map(float, view))
        for view in several
        if isinstance(view, tuple | list) and len(view) == 2 and all(map(is_number, view))
    ]
    if not valid or len(valid) < len(several) or not np.isfinite(valid).all():
        do = "For example: (24, 38), seen a little from above."
        raise bad_input(argument, "be pairs of degrees, elevation and azimuth", repr(views), do)
    return tuple((elevation, azimuth) for elevation, azimuth in valid)


def check_solid(axes: Sequence[Any]) -> None:
    """Refuse axes that have no depth."""
    if not all(hasattr(ax, "set_zlim") for ax in axes):
        raise bad_input(
            "ax",
            "be three-dimensional",
            "flat axes",
            "Make them with figure.add_subplot(projection='3d'), or leave ax out.",
        )


def frame_solid(ax: Any, surface: RocSurface, view: tuple[float, float]) -> None:
    """Name the axes, seen from the given elevation and azimuth, and leave them light.

    All three reach from 0 to the same rate, so that lengths can be compared.
    """
    from matplotlib.ticker import MaxNLocator

    top = math.ceil(20 * surface.miss_rates.max()) / 20 or 1.0
    ax.set(xlim=(0, top), ylim=(0, top), zlim=(0, top))
    crowded = "upper", "upper", None  # two axes end in one corner, where their numbers would meet
    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    for axis, name, prune in zip(axes, surface.classes, crowded, strict=True):
        text = as_text(str(name), LONGEST)
        joint = " " if len(text) <= SHORT else "\n"  # long ones would leave the picture
        axis.set_label_text(f"miss rate of{joint}{text}", fontsize=9)
        axis.labelpad = 4 if joint == " " else 6
        axis.set_major_locator(MaxNLocator(4, prune=prune))
        axis.set_tick_params(labelsize=8, pad=0)
        axis.set_pane_color((0.975, 0.975, 0.975, 1.0))
        # matplotlib has no public way to colour the grid of one of these axes
        axis._axinfo["grid"].update(color="#dddddd", linewidth=0.6)
    ax.computed_zorder = False  # marks stay on top of the points they mark
    ax.view_init(*view)
    ax.set_box_aspect((1, 1, 1), zoom=ZOOM)


def mark(ax: Any, point: FloatArray, label: str) -> tuple[Any, Any]:
    """Ring a member's point and write its name beside it; return the ring and the text."""
    ring = ax.scatter(
        *([side] for side in point.tolist()),
        s=110,
        facecolor="none",
        edgecolor=MARK,
        linewidth=1.8,
        zorder=10,
        **({"depthshade": False} if len(point) == 3 else {}),
    )
    text = ax.text(*point.tolist(), f"   {label}", color=MARK, fontsize=9, zorder=11)
    text.set_path_effects([halo()])
    return ring, text


def sheet(rates: FloatArray) -> IntArray:
    """Return the triangles between neighbouring points, seen along the diagonal of the cube.

    No two points of a front lie behind one another in that direction. Triangles with a side much
    longer than most would bridge gaps, and are left out.
    """
    from matplotlib.tri import Triangulation

    flat = rates @ DIAGONAL
    if np.linalg.matrix_rank(flat - flat.mean(axis=0), tol=1e-9) < 2:
        return np.empty((0, 3), dtype=np.int64)
    triangles = Triangulation(*flat.T).triangles
    corners = flat[triangles]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    near: IntArray = triangles[longest <= LONG * np.median(longest)]
    return near
