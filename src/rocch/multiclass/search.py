"""The search for the surface: Everson and Fieldsend's Algorithm 1, with its dominance put right.

In each generation a member of the archive is selected, its parameters are moved a little, and the
posteriors for the new parameters, worked out once, meet many cost matrices drawn at random. Each
gives a confusion matrix. It enters if no member dominates or equals it, and drives out the members
that it dominates; lines 9 and 10 as printed have this the wrong way round.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from rocch.errors import bad_input, kind_of, shown
from rocch.inputs import as_level, as_progress, as_whole
from rocch.kernels.assignment import engine_for
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.search import checkpoint
from rocch.multiclass.search.costs import CostDraws
from rocch.multiclass.search.front import Front
from rocch.multiclass.search.model import SearchModel
from rocch.multiclass.search.objectives import SearchedObjectives
from rocch.multiclass.search.stagnation import Progress
from rocch.multiclass.surface import RocSurface

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.dirichlet import DirichletBelief
    from rocch.multiclass.objectives import Objectives

Reason = Literal["generations", "stagnation", "members"]


class SurfaceSearch:
    """A search for the members of a ROC surface, which can be run on and on.

    Parameters
    ----------
    model
        What is varied: `KnnModel`, `MlpModel`, `FittedModels`, `JudgedPosteriors`,
        `FunctionModel`, or anything that does what `SearchModel` says.
    y_true
        The labels of the judged rows.
    classes
        The order of the classes; by default the model's, or sorted.
    objectives
        "rates" makes all rates of confusion small, "misses" the miss rate of each class.
    draws
        How many cost matrices each parameter vector meets.
    alphas
        The Dirichlet parameters of the costs: a number, by pair (truth, prediction), the others
        being 1, or a `DirichletBelief`. They are in the ratio of the expected costs; larger ones
        vary less. By default all are 1, which favours no costs.
    start
        How many random parameter vectors to begin with, each with one cost matrix. A model that
        starts with fewer, because it is fitted, meets all `draws` with each.
    seed
        The same seed gives the same surface.

    Notes
    -----
    With four classes or more nearly every rate matters on its own, and most of what is tried is
    non-dominated: surfaces of "rates" become huge and say little (G is small). Then try "misses".
    If `draws` is more than 1, each parameter vector meets equal costs first, so that the plain
    answers of a model are always tried; the paper draws all at random.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.three_class_data(300, seed=1)
    >>> search = rocch.SurfaceSearch(rocch.KnnModel(data.X, data.y), data.y, draws=20)
    >>> surface = search.run(100)
    >>> search.generation, search.stopped, len(surface.models) == len(search)
    (100, 'generations', True)
    """

    def __init__(
        self,
        model: SearchModel,
        y_true: Any,
        *,
        classes: Any = None,
        objectives: Objectives = "rates",
        draws: int = 100,
        alphas: float | Mapping[tuple[Any, Any], float] | DirichletBelief | None = None,
        start: int = 100,
        seed: int = 0,
    ) -> None:
        self.model = _as_model(model)
        self.classes = _classes_of(model, classes, y_true)
        self._truths = self.classes.truths(y_true)
        self._totals = np.bincount(self._truths, minlength=len(self.classes))
        self._totals.flags.writeable = False
        self._objectives = SearchedObjectives.of(objectives, self._totals)
        self._costs = CostDraws.of(alphas, self.classes)
        self._draws = as_whole(draws, "draws", least=1, do="Pass 100, for example.")
        self._start = as_whole(start, "start", least=1, do="Pass 100, for example.")
        self._rng = np.random.default_rng(as_whole(seed, "seed", least=0, do="Pass 0, say."))
        self._front = Front(self._objectives, len(model.parameter_names))
        self._progress = Progress(self._objectives)
        self._count = engine_for(0).count_draws
        self.generation = 0
        """How many parameter vectors have been tried since the start."""
        self.stopped: Reason | None = None
        """Why the last run ended: all its "generations", "stagnation", or too many "members"."""

    def __len__(self) -> int:
        return len(self._front)

    def run(
        self,
        generations: int,
        *,
        tolerance: float | None = None,
        patience: int = 500,
        progress: Callable[[int, int], object] | None = None,
        most_members: int = 200_000,
    ) -> RocSurface:
        """Search on and return the surface found so far.

        Two runs of 1,000 generations find what one of 2,000 finds.

        Parameters
        ----------
        generations
            How many more parameter vectors to try at most.
        tolerance
            Stop once the share of the better-than-random region that is dominated grows by less
            than this over `patience` generations; it is estimated at 10,000 fixed points. By
            default never.
        patience
            How many generations to wait for such growth.
        progress
            Is called after each generation with how many of them were tried, and how many there
            will be at most.
        most_members
            Stop when the archive grows larger than this.
        """
        number = as_whole(generations, "generations", least=0, do="Pass 2000, for example.")
        least = None
        if tolerance is not None:
            least = as_level(tolerance, "tolerance", do="0.001 is usual.")
        wait = as_whole(patience, "patience", least=1, do="Pass 500, for example.")
        most = as_whole(most_members, "most_members", least=1, do="Pass 200_000, for example.")
        tell = as_progress(progress)
        answers = (self.generation + number) * self._draws * self._truths.size
        self._count = engine_for(answers).count_draws
        self.stopped = None
        if not len(self):
            with self._whole():
                self._begin()
        for step in range(number):
            self.stopped = self._reason_to_stop(least, wait, most)
            if self.stopped:
                break
            with self._whole():
                self._step()
            tell(step + 1, number)
        self.stopped = self.stopped or self._reason_to_stop(least, wait, most) or "generations"
        return self.surface

    @property
    def surface(self) -> RocSurface:
        """The surface found so far."""
        if not len(self):
            raise bad_input("search", "have been run", "one that was not", "Call run first.")
        parameters, costs, counts = self._front.columns()
        return RocSurface(
            self.classes,
            counts,
            tuple(map(self.model.name_of, parameters)),
            parameters,
            tuple(self.model.parameter_names),
            costs,
            self._objectives.kind,
        )

    def save(self, path: str | Path) -> None:
        """Write the state of the search, from which `resume` goes on as if nothing had happened.

        The model and the labels are not in the file, except for a digest of the labels. It is
        written whole or not at all.

        Raises
        ------
        InputError
            If the path cannot be written.
        StorageError
            If the disk is full, or fails. The last good file stays as it was.
        """
        facts = {
            "classes": list(self.classes.names),
            "labels": self._digest,
            "parameter_names": list(self.model.parameter_names),
            "objectives": self._objectives.kind,
            "draws": self._draws,
            "start": self._start,
            "generation": self.generation,
            "share": self._progress.share,
            "looked_at": self._progress.looked_at,
            "generator": self._rng.bit_generator.state,
        }
        checkpoint.write(path, facts, {"alphas": self._costs.alphas, **self._front.state()})

    @classmethod
    def resume(cls, path: str | Path, model: SearchModel, y_true: Any) -> Self:
        """Take up a saved search, with the same model and the labels of the same rows.

        Raises
        ------
        InputError
            If the file is damaged or of another kind, or if the labels, the classes or the model
            are others than those of the saved search.
        """
        facts, arrays = checkpoint.read(path)
        search = cls(
            model,
            y_true,
            classes=Classes(tuple(facts["classes"])),
            objectives=facts["objectives"],
            draws=facts["draws"],
            start=facts["start"],
        )
        search._check_same(facts)
        search._take_up(facts, arrays)
        search._check_model()
        return search

    def _begin(self) -> None:
        """Enter the model's first parameter vectors (line 1 of the algorithm)."""
        vectors = np.asarray(self.model.start(self._start, self._rng), dtype=np.float64)
        width = len(self.model.parameter_names)
        if vectors.ndim != 2 or vectors.shape[1] != width or not len(vectors):
            raise bad_input(
                "model.start",
                f"return rows of {width} parameters",
                f"an array of shape {vectors.shape}",
                "One row is one parameter vector.",
            )
        each = 1 if len(vectors) >= self._start > 1 else self._draws
        for tried in [(vector, *self._tried(vector, each)) for vector in vectors]:
            self._front.offer(*tried)

    def _step(self) -> None:
        """Run one generation (lines 3 to 13)."""
        parameters = self.model.perturb(self._front.parent(self._rng), self._rng)
        self._front.offer(parameters, *self._tried(parameters, self._draws))
        self.generation += 1

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Do something wholly or not at all: after an error or Ctrl-C the search can go on."""
        drawn, turn = self._rng.bit_generator.state, self._front.archive.turn()
        try:
            yield
        except BaseException:
            self._rng.bit_generator.state = drawn
            self._front.archive.return_to(turn)
            raise

    def _posteriors(self, parameters: FloatArray) -> FloatArray:
        return as_posteriors(
            self.model.posteriors(parameters),
            self.classes,
            rows=self._truths.size,
            argument="the model's posteriors",
        )

    def _tried(self, parameters: FloatArray, number: int) -> tuple[FloatArray, IntArray]:
        """Let a parameter vector meet so many draws of costs; return these and what they gave."""
        posteriors = self._posteriors(parameters)
        costs = self._costs.draw(number, self._rng)
        return costs, self._count(posteriors, self._truths, costs, len(self.classes))

    def _reason_to_stop(self, least: float | None, patience: int, most: int) -> Reason | None:
        if len(self) > most:
            return "members"
        if least is None:
            return None
        first = self._progress.looked_at < 0
        if not first and self.generation - self._progress.looked_at < patience:
            return None
        growth = self._progress.look(self._front.archive.counts, self.generation)
        return "stagnation" if growth < least and not first else None

    @property
    def _digest(self) -> str:
        return hashlib.sha256(self._truths.astype("<i8").tobytes()).hexdigest()

    def _check_same(self, facts: dict[str, Any]) -> None:
        if facts["labels"] != self._digest:
            raise bad_input(
                "y_true",
                "be the labels of the saved search, in the same order",
                "others",
                "Pass the same rows, or begin a new search.",
            )
        names = list(self.model.parameter_names)
        if facts["parameter_names"] != names:
            raise bad_input(
                "model",
                f"have the parameters of the saved search ({shown(facts['parameter_names'])})",
                shown(names),
                "Pass the same model, or begin a new search.",
            )

    def _take_up(self, facts: dict[str, Any], arrays: dict[str, Any]) -> None:
        self._front.restore(arrays)
        self._costs = CostDraws(arrays["alphas"])
        self._rng.bit_generator.state = facts["generator"]
        self.generation = int(facts["generation"])
        self._progress.share = float(facts["share"])
        self._progress.looked_at = int(facts["looked_at"])

    def _check_model(self) -> None:
        """Let the newest member meet its costs again: another model would err otherwise."""
        if not len(self):
            return
        parameters, costs, counts = self._front.columns()
        posteriors = self._posteriors(parameters[-1])
        again = self._count(posteriors, self._truths, costs[-1:], len(self.classes))
        if not np.array_equal(again, counts[-1:]):
            raise bad_input(
                "model",
                "answer as the one of the saved search did",
                "one that errs otherwise on its newest member",
                "Build it from the same rows and settings, or begin a new search.",
            )


def _as_model(model: Any) -> SearchModel:
    if not isinstance(model, SearchModel) or isinstance(model, type):
        raise bad_input(
            "model",
            "be a model with start, perturb, posteriors, posteriors_of and name_of",
            kind_of(model),
            "Use FittedModels for fitted classifiers, FunctionModel for any function.",
        )
    return model


def _classes_of(model: Any, classes: Any, y_true: Any) -> Classes:
    """Return the classes in the model's order; what is given must agree with it."""
    own: Classes | None = getattr(model, "classes", None)
    if classes is None:
        return Classes.of_labels(y_true) if own is None else own
    given = Classes.of(classes)
    if own is not None and own != given:
        raise bad_input(
            "classes",
            f"be the model's, in its order ({shown(own, 30)})",
            shown(given, 30),
            "Leave them out: the model knows them.",
        )
    return given
