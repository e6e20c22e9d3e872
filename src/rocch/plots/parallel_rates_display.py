"""All error rates side by side, one line for each member: a surface of any number of classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.errors import bad_input, quantity
from rocch.inputs import as_whole
from rocch.multiclass.members import as_objectives
from rocch.multiclass.surface import as_places, as_surface
from rocch.multiclass.views import even_sample
from rocch.plots.style import COLOURS, LONGEST_LABEL, MARKERS, as_text, halo, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.surface import RocSurface

MOST_LINES = 300
"""So many lines can be told from a grey area."""

MOST_AXES = 60
"""So many axes can be named below the graph."""

ROOM = 80
"""So many letters have room side by side below the graph."""

SHADE = "#F3F3F1"
"""Every other class's axes stand on this shade."""


@dataclass
class ParallelRatesDisplay:
    """Parallel coordinates of the error rates, or of the miss rates, of a surface's members.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface.
    objectives
        "rates": an axis for each error, truth -> answer; "misses": an axis for each class.
    marks
        Chosen members by name, drawn as thick lines.
    most
        At most so many members are drawn as thin lines, taken evenly from the fewest errors
        to the most.
    figure_, ax_
        The figure and axes of the last drawing.
    shown_, lines_, mark_lines_, mark_labels_
        The places of the members drawn thinly, their artist, and the chosen members' lines and
        labels, by label.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> surface = rocch.RocSurface.of(
    ...     {
    ...         "one": rocch.Confusion.from_labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": rocch.Confusion.from_labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> display = rocch.ParallelRatesDisplay.from_surface(surface)
    >>> [label.get_text() for label in display.ax_.get_xticklabels()][:2]
    ['a → b', 'a → c']
    """

    surface: RocSurface
    objectives: str
    marks: dict[str, int]
    most: int = MOST_LINES
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    @classmethod
    def from_surface(
        cls,
        surface: Any,
        *,
        objectives: str | None = None,
        marks: Any = None,
        most: int = MOST_LINES,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a surface of any number of classes.

        Parameters
        ----------
        surface
            The surface.
        objectives
            "rates" or "misses"; by default what the surface trades off.
        marks
            Maps names to members to draw thickly: what the surface answered with, members, or
            places. By default the fewest errors and the knee.
        most
            How many members to draw thinly.
        ax
            Axes to draw on.
        """
        checked = as_surface(surface)
        what = as_objectives(objectives or checked.objectives)
        _check_readable(len(checked.classes), what)
        if marks is None:
            marks = {"fewest errors": checked.fewest_errors(), "knee": checked.knee()}
        places = as_places(checked, marks, "marks")
        lines = as_whole(most, "most", least=1, do="Some hundred lines can be read.")
        return cls(checked, what, places, lines).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        axes = self._rates.shape[1]
        below = 0.075 * max(map(len, self._labels())) if self._upright else 0.0
        size = (max(7.2, 2.6 + 0.3 * axes), 4.2 + below)
        self.ax_ = new_axes(*size) if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        self._frame(axes)
        self._draw_members()
        self._draw_marks()
        return self

    @property
    def _rates(self) -> FloatArray:
        return self.surface.rates if self.objectives == "rates" else self.surface.miss_rates

    @property
    def _top(self) -> float:
        return math.ceil(20 * float(self._rates.max())) / 20 or 1.0

    def _frame(self, axes: int) -> None:
        beside = 0.02 * self._top
        self.ax_.set(xlim=(-0.4, axes - 0.6), ylim=(-beside, self._top + beside), ylabel="rate")
        self.ax_.set_xticks(range(axes), self._labels(), fontsize=9)
        self.ax_.tick_params(axis="x", length=0, labelrotation=90 if self._upright else 0)
        self.ax_.grid(axis="x", color="#D8D8D8", lw=0.8)
        self.ax_.set_axisbelow(True)
        for side in ("top", "right", "bottom"):
            self.ax_.spines[side].set_visible(False)
        if self.objectives == "rates":
            self._shade_truths()

    def _labels(self) -> list[str]:
        if self.objectives == "misses":
            return [as_text(str(name), LONGEST_LABEL) for name in self.surface.classes]
        return [
            " → ".join(as_text(str(name), LONGEST_LABEL) for name in pair)
            for pair in self.surface.classes.pairs
        ]

    @property
    def _upright(self) -> bool:
        """Whether the labels have no room side by side."""
        labels = self._labels()
        return len(labels) * (max(map(len, labels)) + 2) > ROOM

    def _shade_truths(self) -> None:
        """Set the errors of one class apart from those of the next."""
        size = len(self.surface.classes) - 1
        for place in range(0, size + 1, 2):
            left = place * size - 0.5
            self.ax_.axvspan(left, left + size, color=SHADE, lw=0, zorder=0)

    def _draw_members(self) -> None:
        from matplotlib.collections import LineCollection

        rates = self._rates
        self.shown_: IntArray = even_sample(self.surface, self.most)
        x = np.arange(rates.shape[1])
        paths = [np.column_stack([x, row]) for row in rates[self.shown_]]
        alpha = float(np.clip(30 / len(paths), 0.12, 0.6))
        self.lines_: LineCollection = LineCollection(
            paths, colors="#5A6B7B", linewidths=0.7, alpha=alpha, zorder=2
        )
        self.ax_.add_collection(self.lines_, autolim=False)
        shown, members = len(self.shown_), len(self.surface)
        every = quantity(members, "member")
        which = f"all {every}" if shown == members > 1 else f"{shown} of {every}"
        kind = {"rates": "Error rates, truth → answer", "misses": "Miss rates by class"}
        self.ax_.set_title(f"{kind[self.objectives]}: {which}", fontsize=10, loc="left")

    def _draw_marks(self) -> None:
        self.mark_lines_: dict[str, Line2D] = {}
        self.mark_labels_: dict[str, Text] = {}
        chosen = _joined(self.marks)
        last = self._rates.shape[1] - 1
        heights = _apart([float(self._rates[place, -1]) for place in chosen], self._top)
        for i, ((place, names), height) in enumerate(zip(chosen.items(), heights, strict=True)):
            colour, rates = COLOURS[i % len(COLOURS)], self._rates[place]
            style: dict[str, Any] = {"color": colour, "marker": MARKERS[i % len(MARKERS)]}
            (self.mark_lines_[names],) = self.ax_.plot(
                rates, lw=2.4, ms=5, mec="white", mew=0.6, zorder=4 + i, **style
            )
            text = self.ax_.annotate(
                names,
                (last, float(rates[-1])),
                xytext=(last + 0.35 * max(1, last / 12), height),
                color=colour,
                fontsize=9,
                va="center",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6},
            )
            text.set_path_effects([halo()])
            self.mark_labels_[names] = text


def _check_readable(classes: int, objectives: str) -> None:
    axes = classes if objectives == "misses" else classes * (classes - 1)
    if axes > MOST_AXES:
        do = "Pass objectives='misses'." if classes <= MOST_AXES else "Show a few classes only."
        raise bad_input(
            "surface", f"have at most {MOST_AXES} rates to be told apart", f"{axes}", do
        )


def _joined(marks: dict[str, int]) -> dict[int, str]:
    """Return one label for each place, with all the names that it goes by."""
    names: dict[int, list[str]] = {}
    for name, place in marks.items():
        names.setdefault(place, []).append(as_text(name))
    return {place: ", ".join(own) for place, own in names.items()}


def _apart(heights: list[float], top: float) -> list[float]:
    """Move labels up, and down again below the top, until none covers another."""
    room = 0.06 * top
    order = np.argsort(heights, kind="stable")
    placed = np.array(heights, dtype=float)
    for before, after in pairwise(order):
        placed[after] = max(placed[after], placed[before] + room)
    ceiling = top
    for place in order[::-1]:
        placed[place] = min(placed[place], ceiling)
        ceiling = placed[place] - room
    return [float(height) for height in placed]
