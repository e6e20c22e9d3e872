"""What all pictures of a hull share: how they are made, and how they are begun and finished."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from rocch.errors import bad_input, kind_of
from rocch.plots.style import HULL, Look, as_text, frame, legend_below, looks, new_axes
from rocch.roc.belief import Belief
from rocch.roc.conditions import as_conditions
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from rocch.arrays import FloatArray
    from rocch.roc.conditions import Conditions
    from rocch.roc.curve import RocCurve


class Picture(ABC):
    """A picture of a hull, in the manner of scikit-learn's displays.

    The fields of a display beside the hull are its options; all three ways of making one take
    them by name. A display that is drawn keeps its artists under names that end in `_`.
    """

    hull: RocHull
    figure_: Figure
    ax_: Axes
    size: ClassVar[tuple[float, float]] = (7.2, 5.2)
    """Width and height of a figure of its own, in inches, without the legend."""
    legend_place: ClassVar[Literal["best", "upper left"]] = "best"
    """Where the legend goes on axes that were given; elsewhere it stands below the graph."""

    @classmethod
    def from_hull(cls, hull: RocHull, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a hull, with the curves it was built from where they are at hand."""
        return cls(as_hull(hull), **options).plot(ax)  # type: ignore[call-arg]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        scores: Mapping[str, Any],
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw classifiers given by their scores."""
        hull = RocHull.from_scores(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
        return cls.from_hull(hull, ax=ax, **options)

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        pos_label: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw fitted classifiers, judged on labelled rows.

        `estimators` maps names to fitted classifiers, or lists (name, classifier) pairs.
        """
        from rocch.hybrid.scores import curve_of, named

        curves = [
            curve_of(estimator, X, y, pos_label=pos_label, name=name)
            for name, estimator in named(estimators)
        ]
        return cls.from_hull(RocHull.of(*curves), ax=ax, **options)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        self.ax_ = new_axes(*self.size) if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        frame(self.ax_)
        self._draw()
        self._draw_legend(ax is None)
        return self

    def shade(
        self, name: str, x: FloatArray, low: FloatArray, high: FloatArray
    ) -> FillBetweenPolyCollection:
        """Shade a band in the colour of a classifier, in the units of the axes.

        `name` is a classifier's, or "hull".
        """
        colour = self._looks[name].colour if name in self._looks else HULL
        return self.ax_.fill_between(x, low, high, color=colour, alpha=0.15, lw=0, zorder=1)

    @abstractmethod
    def _draw(self) -> None:
        """Draw everything but the grid and the legend."""

    def _draw_classifier(
        self, curve: RocCurve, line: tuple[FloatArray, FloatArray], words: str = ""
    ) -> Line2D:
        """Draw the line of a scoring classifier, or the points of one that only labels."""
        look, name = self._looks[curve.name], as_text(curve.name)
        style: dict[str, Any] = {"color": look.colour, "lw": 1.6, "alpha": 0.85}
        if curve.scoring:
            style |= {"ls": look.line, "zorder": 2, "label": name + words}
        else:
            style |= {"ls": "none", "marker": look.marker, "ms": 7, "mfc": "none", "mew": 1.6}
            style |= {"zorder": 4, "label": f"{name} (labels)"}
        (drawn,) = self.ax_.plot(*line, **style)
        return drawn

    def _draw_legend(self, own_figure: bool) -> None:
        if own_figure:
            legend_below(self.figure_, self.ax_)
        else:
            self.ax_.legend(loc=self.legend_place, fontsize=8, framealpha=0.9)

    @property
    def _looks(self) -> dict[str, Look]:
        return looks(member.name for member in self.hull.members)


def as_hull(given: object) -> RocHull:
    """Return a hull, or refuse what is none."""
    if not isinstance(given, RocHull):
        raise bad_input("hull", "be a RocHull", kind_of(given), "Build it with RocHull.of(...).")
    return given


def curves_of(hull: RocHull) -> list[RocCurve]:
    """Return the members' curves, as far as they are still at hand."""
    members = as_hull(hull).members
    return [curve for member in members if (curve := member.curve()) is not None]


def as_several(
    conditions: Conditions | Belief | Sequence[Conditions | Belief],
) -> tuple[Conditions | Belief, ...]:
    """Return one or several conditions, or beliefs about them, as a tuple."""
    several = conditions if isinstance(conditions, tuple | list) else (conditions,)
    return tuple(given if isinstance(given, Belief) else as_conditions(given) for given in several)
