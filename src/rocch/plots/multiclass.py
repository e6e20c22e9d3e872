"""Decision regions in a plane of two features (Everson and Fieldsend, Figures 2 to 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from rocch.errors import bad_input
from rocch.inputs import check_length
from rocch.multiclass.classes import Classes
from rocch.multiclass.surface import as_surface
from rocch.multiclass.views import (
    DecisionRegions,
    Plane,
    regions_of_classifiers,
    regions_of_members,
)
from rocch.plots.style import (
    COLOURS,
    HULL,
    as_axes,
    as_text,
    class_looks,
    legend_below,
    new_panels,
    tint,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray, IntArray

WIDE = 3
"""So many panels stand beside one another; more go below."""


LONGEST_TITLE = 36
"""So many letters have room above a panel."""


@dataclass
class DecisionRegionsDisplay:
    r"""Panels of a plane, shaded by the class that is answered, with the rows on top.

    Build it with `from_classifiers` or `from_surface`; `plot` draws it again.

    Attributes
    ----------
    plane, classes, truths
        The grid over the two features with the rows, the classes, and each row's true class.
    regions
        What each panel's classifier answers, and how many rows it gets wrong.
    leads
        By how much each class is likelier than all others, or None where the truth is not known.
    figure_, axes_
        The figure and the axes of the last drawing, one for each panel.
    region_meshes_, row_marks_, boundary_lines_
        The artists of the last drawing, one list entry for each panel: the shading, the rows'
        symbols by class, and the boundaries.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X[:, 2:], y)
    >>> display = rocch.DecisionRegionsDisplay.from_classifiers(
    ...     X[:, 2:], y, {"logistic": model.predict}
    ... )
    >>> display.axes_[0].get_title()
    'logistic\n5 of 150 wrong'
    """

    plane: Plane
    classes: Classes
    truths: IntArray
    regions: Sequence[DecisionRegions]
    leads: FloatArray | None = None
    figure_: Figure = field(init=False, repr=False)
    axes_: list[Axes] = field(init=False, repr=False)

    @classmethod
    def from_classifiers(
        cls,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        classifiers: Any,
        *,
        classes: Any = None,
        posteriors: Any = None,
        resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Draw one panel for each classifier.

        Parameters
        ----------
        X, y
            Rows of two features, and their labels.
        classifiers
            Maps the panels' names to fitted classifiers, or to functions of rows to labels.
        classes
            The classes in order; by default the labels of `y`, sorted.
        posteriors
            A function of rows to their true posteriors, where the truth is known: the best
            boundaries for equal costs are then drawn as lines.
        resolution
            How many places the grid has in each direction.
        ax
            Axes to draw on, as many as there are panels.
        """
        named = Classes.of_labels(y, "y") if classes is None else Classes.of(classes)
        plane, truths = _rows(X, y, named, resolution)
        regions = regions_of_classifiers(plane, X, truths, classifiers, named)
        return cls(plane, named, truths, regions, _leads(plane, posteriors, named)).plot(ax)

    @classmethod
    def from_surface(
        cls,
        surface: Any,
        model: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        members: Any,
        *,
        posteriors: Any = None,
        resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Draw one panel for each chosen member of a surface.

        Parameters
        ----------
        surface, model
            The surface, and the model that it was found with: its
            `posteriors_of(parameters, X)` gives the posteriors of new rows.
        X, y
            Rows of two features, and their labels.
        members
            Maps the panels' names to what the surface answered with, to members, or to places.
        posteriors, resolution, ax
            As for `from_classifiers`.
        """
        named = as_surface(surface).classes
        plane, truths = _rows(X, y, named, resolution)
        regions = regions_of_members(plane, surface, model, members)
        return cls(plane, named, truths, regions, _leads(plane, posteriors, named)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, one for each panel, or on new ones."""
        if len(self.classes) > len(COLOURS):
            raise bad_input(
                "classes",
                f"be at most {len(COLOURS)}, so that each has a colour of its own",
                f"{len(self.classes)}",
                "Show the rows of fewer classes.",
            )
        number = len(self.regions)
        self.axes_ = _new_panels(number) if ax is None else as_axes(ax, number, "panel")
        self.figure_ = self.axes_[0].figure  # type: ignore[assignment]
        self.region_meshes_: list[QuadMesh] = []
        self.row_marks_: list[dict[Any, PathCollection]] = []
        self.boundary_lines_: list[list[QuadContourSet]] = []
        for panel, regions in zip(self.axes_, self.regions, strict=True):
            self._draw_panel(panel, regions)
        if ax is None:
            _label_outer(self.axes_, _columns(number))
            legend_below(self.figure_, self.axes_[0], columns=min(len(self.classes) + 1, 4))
        else:
            self.axes_[-1].legend(loc="best", fontsize=8, framealpha=0.9)
        return self

    def _draw_panel(self, ax: Axes, regions: DecisionRegions) -> None:
        self.region_meshes_.append(self._draw_regions(ax, regions))
        self.row_marks_.append(self._draw_rows(ax))
        self.boundary_lines_.append(self._draw_boundaries(ax))
        rows = "judged rows wrong" if regions.judged else "wrong"
        title = f"{as_text(regions.name, LONGEST_TITLE)}\n{regions.errors} of {regions.rows} {rows}"
        ax.set_title(title, fontsize=10)
        ax.set(xlabel=as_text(self.plane.names[0]), ylabel=as_text(self.plane.names[1]))

    def _draw_regions(self, ax: Axes, regions: DecisionRegions) -> QuadMesh:
        from matplotlib.colors import ListedColormap

        looks = class_looks(self.classes)
        return ax.pcolormesh(
            self.plane.x,
            self.plane.y,
            regions.codes,
            cmap=ListedColormap([tint(look.colour) for look in looks]),
            vmin=-0.5,
            vmax=len(self.classes) - 0.5,
            shading="nearest",
            rasterized=True,  # thousands of cells would make a vector file heavy
            zorder=0,
        )

    def _draw_rows(self, ax: Axes) -> dict[Any, PathCollection]:
        drawn = {}
        for code, (name, look) in enumerate(
            zip(self.classes, class_looks(self.classes), strict=True)
        ):
            x, y = self.plane.points[self.truths == code].T
            drawn[name] = ax.scatter(
                x,
                y,
                s=20,
                marker=look.marker,
                color=look.colour,
                edgecolor="white",
                linewidth=0.5,
                zorder=3,
                label=as_text(name if isinstance(name, str) else f"class {name}"),
            )
        return drawn

    def _draw_boundaries(self, ax: Axes) -> list[QuadContourSet]:
        """Draw where the leading classes are equally likely; the last class needs no line."""
        if self.leads is None:
            return []
        style: dict[str, Any] = {"colors": HULL, "linewidths": 1.4, "zorder": 2}
        lines = [
            ax.contour(self.plane.x, self.plane.y, lead, levels=[0.0], **style)
            for lead in self.leads[:-1]
            if lead.min() < 0 < lead.max()
        ]
        ax.plot([], [], color=HULL, lw=1.4, label="best boundaries, equal costs")
        return lines


def _rows(X: Any, y: Any, classes: Classes, resolution: int) -> tuple[Plane, IntArray]:  # noqa: N803
    plane = Plane.around(X, resolution=resolution)
    truths = classes.codes(y, "y")
    check_length(truths.size, len(plane.points), "y")
    return plane, truths


def _leads(plane: Plane, posteriors: Any, classes: Classes) -> FloatArray | None:
    return None if posteriors is None else plane.leads(posteriors, classes)


def _columns(panels: int) -> int:
    return {1: 1, 2: 2, 4: 2}.get(panels, WIDE)


def _label_outer(axes: list[Axes], columns: int) -> None:
    """Keep the features' names at the left and below the lowest panel of each column."""
    for i, ax in enumerate(axes):
        if i % columns:
            ax.set_ylabel("")
        if i + columns < len(axes):
            ax.set_xlabel("")
        ax.tick_params(labelbottom=i + columns >= len(axes))


def _new_panels(number: int) -> list[Axes]:
    columns = _columns(number)
    rows = -(-number // columns)
    axes = new_panels(rows, columns, width=0.8 + 3.2 * columns, height=3.4 * rows)
    for spare in axes[number:]:
        spare.remove()
    return axes[:number]
