"""A quick search of the surface that judged posteriors span, for the page to steer on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.multiclass.models import KnownProbabilities
from rocch.multiclass.search import SurfaceSearch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.classes import Classes
    from rocch.multiclass.confusion import Objectives
    from rocch.multiclass.surface import RocSurface

MOST_RATES, MOST_MISSES = 4, 12
"""Up to so many classes every kind of error is traded off, up to so many their miss rates. With
more, next to nothing dominates anything, and a front would say nothing."""

DRAWS = 100
LEAST_DRAWS = 10
MOST_GENERATIONS = 150
MOST_WORK = 1_500_000_000
"""So many costs are weighed by probabilities at most, which takes a few seconds."""
MOST_MEMBERS = 12_000


def searched_surface(
    posteriors: Mapping[str, FloatArray],
    truths: IntArray,
    classes: Classes,
    *,
    generations: int | None = None,
    seed: int = 0,
) -> RocSurface | None:
    """Search the joint surface of models; None where there are too many classes for one.

    Parameters
    ----------
    posteriors, truths, classes
        Each model's posteriors of the judged rows, and these rows' classes as places.
    generations
        How often a model meets new costs; by default as often as a few seconds allow.
    seed
        The same seed finds the same surface.
    """
    if len(classes) > MOST_MISSES:
        return None
    objectives: Objectives = "rates" if len(classes) <= MOST_RATES else "misses"
    once = truths.size * len(classes) ** 2  # what one draw of costs takes
    draws = int(np.clip(MOST_WORK // (2 * once * len(posteriors)), LEAST_DRAWS, DRAWS))
    allowed = min(MOST_GENERATIONS, MOST_WORK // (draws * once))
    labels = np.array(classes.names, dtype=object)[truths]
    search = SurfaceSearch(
        KnownProbabilities(posteriors, classes),
        labels,
        classes=classes,
        objectives=objectives,
        draws=draws,
        seed=seed,
    )
    return search.run(allowed if generations is None else generations, most_members=MOST_MEMBERS)
