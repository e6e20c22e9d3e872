"""How far members lie from random allocation (Everson and Fieldsend, Figure 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from rocch.errors import bad_input, kind_of
from rocch.multiclass.surface import RocSurface, as_surface
from rocch.multiclass.views import DistanceHistogram
from rocch.plots.style import COLOURS, DASHES, HULL, REFERENCE, as_axes, as_text, frame, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import StepPatch


@dataclass
class RandomDistanceDisplay:
    """Histograms of the signed distance from random allocation, one below another.

    Build it with `from_surfaces`; `plot` draws it again.

    Attributes
    ----------
    names, histogram
        The surfaces' names, and their members counted in the same bins.
    figure_, axes_
        The figure and the axes of the last drawing, one for each surface.
    steps_, texts_
        The histograms' outlines, and what stands beside them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> truth = ["a", "a", "b", "b"]
    >>> one = rocch.Confusion.from_labels(truth, ["a", "a", "a", "b"])
    >>> surface = rocch.RocSurface.of({"one": one})
    >>> display = rocch.RandomDistanceDisplay.from_surfaces({"rules": surface})
    >>> display.histogram.beyond
    (0,)
    """

    names: tuple[str, ...]
    histogram: DistanceHistogram
    figure_: Figure = field(init=False, repr=False)
    axes_: list[Axes] = field(init=False, repr=False)

    @classmethod
    def from_surfaces(cls, surfaces: Any, *, bins: int = 40, ax: Any = None) -> Self:
        """Draw one surface, or several with the same bins.

        Parameters
        ----------
        surfaces
            A surface, or a mapping of names to surfaces with equally many classes and the same
            objectives.
        bins
            The largest number of bins; 0 is always an edge between two.
        ax
            Axes to draw on, one for each surface.
        """
        named = _named(surfaces)
        return cls(tuple(named), DistanceHistogram.of(list(named.values()), bins=bins)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, one for each surface, or on new ones."""
        number = len(self.names)
        if ax is None:
            self.axes_ = new_panels(number, 1, width=7.2, height=1.0 + 2.1 * number, sharey=False)
        else:
            self.axes_ = as_axes(ax, number, "surface")
        self.figure_ = self.axes_[0].figure  # type: ignore[assignment]
        self.steps_: list[StepPatch] = []
        self.texts_: list[Any] = []
        for place, panel in enumerate(self.axes_):
            self._draw(panel, place)
        self.axes_[-1].set_xlabel("signed distance from random allocation (negative: better)")
        return self

    def _draw(self, ax: Axes, place: int) -> None:
        found, colour = self.histogram, COLOURS[place % len(COLOURS)]
        frame(ax)
        counts = found.counts[place]
        self.steps_.append(
            ax.stairs(
                counts, found.edges, fill=True, fc=colour, ec="white", lw=0.4, alpha=0.85, zorder=2
            )
        )
        ax.axvline(0, color=HULL, lw=1.2, zorder=3)
        ax.axvspan(0, 10, color="#B00020", alpha=0.06, lw=0, zorder=0)
        ax.axvline(found.perfect, color=REFERENCE, lw=1.0, ls=DASHES, zorder=1)
        beside = 0.03 * (max(found.edges[-1], 0) - found.perfect)
        ax.set_xlim(found.perfect - beside, max(found.edges[-1], 0) + 4 * beside)
        ax.set_ylim(0, 1.25 * counts.max())
        ax.set_ylabel("members")
        self.texts_.append(self._write(ax, place))

    def _write(self, ax: Axes, place: int) -> list[Any]:
        found = self.histogram
        beyond, members = found.beyond[place], found.members[place]
        said = f"{beyond if beyond else 'none'} of {members} worse than random"
        style: dict[str, Any] = {
            "transform": ax.get_xaxis_transform(),
            "fontsize": 8.5,
            "va": "top",
        }
        return [
            ax.text(found.perfect, 0.98, " no errors", color=REFERENCE, ha="left", **style),
            ax.text(0, 0.98, f"{said} ", color=HULL, ha="right", **style),
            ax.set_title(as_text(self.names[place]), fontsize=10, loc="left"),
        ]


def _named(surfaces: Any) -> dict[str, RocSurface]:
    if isinstance(surfaces, RocSurface):
        surfaces = {"": surfaces}
    if not isinstance(surfaces, Mapping) or not surfaces:
        raise bad_input(
            "surfaces",
            "be a RocSurface, or map names to some",
            kind_of(surfaces) if surfaces or not isinstance(surfaces, Mapping) else "none",
            "For example: {'k-nn': one, 'MLP': another}.",
        )
    return {
        str(name): as_surface(surface, f"surfaces[{name!r}]") for name, surface in surfaces.items()
    }
