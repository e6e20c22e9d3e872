"""The space of the miss rates of two or three classes: its axes, and members marked in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input, missing_extra
from rocch.plots.style import as_text, halo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray
    from rocch.multiclass.classes import Classes

MARK = "#B00020"
"""The colour of a chosen member's mark, as of an operating point on a hull."""


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


def check_solid(axes: Sequence[Any]) -> None:
    """Refuse axes that have no depth."""
    if not all(hasattr(ax, "set_zlim") for ax in axes):
        raise bad_input(
            "ax",
            "be three-dimensional",
            "flat axes",
            "Make them with figure.add_subplot(projection='3d'), or leave ax out.",
        )


def frame_solid(ax: Any, classes: Classes, view: tuple[float, float]) -> None:
    """Name the axes, seen from the given elevation and azimuth, and leave them light."""
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    for axis, name in zip((ax.xaxis, ax.yaxis, ax.zaxis), classes, strict=True):
        axis.set_label_text(f"miss rate of {as_text(str(name))}", fontsize=9)
        axis.set_ticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"], fontsize=8)
        axis.set_pane_color((0.975, 0.975, 0.975, 1.0))
        # matplotlib has no public way to colour the grid of one of these axes
        axis._axinfo["grid"].update(color="#dddddd", linewidth=0.6)
    ax.view_init(*view)
    ax.set_box_aspect((1, 1, 1), zoom=0.9)


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
