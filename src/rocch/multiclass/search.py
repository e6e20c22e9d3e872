"""The search for the surface: Everson and Fieldsend's Algorithm 1, with its dominance put right."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_list
from rocch.files import writing
from rocch.inputs import as_level, as_progress, as_whole, is_number
from rocch.kernels import assignment
from rocch.kernels.engine import engine_for
from rocch.multiclass.archive import Front
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.costs import DirichletBelief
from rocch.multiclass.members import Objectives, as_objectives, limits_of, objectives_of
from rocch.multiclass.models import SearchModel
from rocch.multiclass.surface import RocSurface
from rocch.multiclass.volumes import DominatedSamples

# --- What a search makes small: all rates of confusion, or the miss rate of each class ------------
#
# Both are kept as counts; the rows of a class are the common denominator of its rates.

MOST_CLASSES = {"rates": 6, "misses": 12}
"""Beyond 30 rates, or 12 miss rates, next to nothing is dominated any more."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchedObjectives:
    """The counts to be made small, read from confusion matrices."""

    kind: Objectives
    totals: IntArray
    """The rows of each class."""

    @classmethod
    def of(cls, kind: Any, totals: IntArray) -> SearchedObjectives:
        """Choose "rates" (eq. 5) or "misses" (eq. 12), unless there are too many classes."""
        chosen = as_objectives(kind)
        found = cls(chosen, totals)
        if len(totals) > MOST_CLASSES[chosen]:
            fewer = "objectives='misses', " if 6 < len(totals) <= 12 else ""
            raise InputError(
                "classes",
                f"be at most {MOST_CLASSES[chosen]} to search objectives={chosen!r}",
                f"{len(totals)} classes, which make {len(found.limits)} objectives",
                "With so many nearly everything is non-dominated, and a front would say nothing. "
                f"Use {fewer}rocch.multiclass.assign for known costs, or "
                "rocch.multiclass.best_classifier to choose "
                "among several classifiers at known costs.",
            )
        return found

    @property
    def limits(self) -> IntArray:
        """The largest possible counts."""
        return limits_of(self.totals, self.kind)

    def of_counts(self, counts: IntArray) -> IntArray:
        """Return the objectives of confusion matrices, one row each."""
        return np.ascontiguousarray(objectives_of(counts, self.kind))


# --- Cost matrices drawn at random from a Dirichlet distribution (Everson and Fieldsend, eq. 8) ---

WIDE_ENOUGH = 0.02
"""Smaller alphas can draw gammas that are all zero in doubles, and costs need a sum."""


@dataclass(frozen=True, slots=True, eq=False)
class CostDraws:
    """Costs that sum to 1, nothing for a right answer; alphas say which are believed large."""

    alphas: FloatArray
    """Truths by answers; the diagonal is 0."""

    @classmethod
    def of(cls, alphas: Any, classes: Classes) -> CostDraws:
        """Read alphas: None (all are 1), a number, by pair, or a belief."""
        given = 1.0 if alphas is None else alphas
        if isinstance(given, DirichletBelief):
            given.mean_costs("alphas").in_order(
                classes, "alphas"
            )  # every error, and no other class
            given = dict(zip(given.keys, given.alphas.tolist(), strict=True))
        if isinstance(given, Mapping):
            matrix = _by_pair(given, classes)
        elif is_number(given):
            matrix = np.full((len(classes), len(classes)), _alpha(given, "alphas"))
        else:
            raise InputError(
                "alphas",
                "be a number, map pairs (truth, prediction) to numbers, or be a DirichletBelief",
                describe_type(given),
                "A bare matrix could be transposed. For example: {('cat', 'dog'): 5.0}.",
            )
        np.fill_diagonal(matrix, 0)
        matrix.flags.writeable = False
        return cls(matrix)

    def draw(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return so many cost matrices; of several the first has equal costs.

        That is Everson and Fieldsend's draw but for the first. Without it, the plain answers of a
        model, which are those at equal costs, would never be found.
        """
        classes = len(self.alphas)
        wrong = ~np.eye(classes, dtype=bool)
        shapes = self.alphas[wrong]
        size = (number, shapes.size)
        # gammas of shape 1 are exponentials, which are drawn much faster
        plain = bool((shapes == 1).all())
        drawn = rng.standard_exponential(size) if plain else rng.standard_gamma(shapes, size)
        costs = np.zeros((number, classes, classes))
        costs[:, wrong] = drawn / drawn.sum(axis=1, keepdims=True)
        if number > 1:
            costs[0, wrong] = 1 / shapes.size
        return costs


def _by_pair(alphas: Mapping[Any, Any], classes: Classes) -> FloatArray:
    matrix = np.ones((len(classes), len(classes)))
    for pair, alpha in alphas.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(
                "alphas",
                "have pairs (truth, prediction) as keys",
                repr(pair),
                "For example: {('cat', 'dog'): 5.0}.",
            )
        truth, answer = (classes.place(name, "alphas") for name in pair)
        if truth == answer:
            raise InputError(
                "alphas",
                "be given for wrong answers only",
                repr(pair),
                "Right answers cost nothing.",
            )
        matrix[truth, answer] = _alpha(alpha, f"alphas[{pair!r}]")
    return matrix


def _alpha(alpha: Any, argument: str) -> float:
    if not is_number(alpha) or not WIDE_ENOUGH <= alpha <= 1e6:
        raise InputError(
            argument,
            f"be a number from {WIDE_ENOUGH:g} to 1e6",
            repr(alpha),
            "Alphas are in the ratio of the expected costs; larger ones vary less.",
        )
    return float(alpha)


# --------------------------------------------------------------------------------------------------
# When a search has come to rest: the share of the better-than-random region that it dominates.

SAMPLES = 10_000
"""The share is estimated at so many points. They stay the same, so that it can only grow."""


class Progress:
    """The share that is dominated, looked at now and then."""

    def __init__(self, objectives: SearchedObjectives) -> None:
        self._samples = DominatedSamples(
            objectives.limits, objectives=objectives.kind, samples=SAMPLES
        )
        self.share = 0.0
        """The share when last looked at."""
        self.looked_at = -1
        """The generation when last looked at; -1 for never."""

    def look(self, counts: IntArray, generation: int) -> float:
        """Return how much the share has grown since the last look."""
        before, self.share = self.share, self._samples.add(counts)
        self.looked_at = generation
        return self.share - before


# --- A search put down in a file and taken up again: plain numbers and text, nothing that runs ----
#
# The file is NumPy's .npz, read without pickle: the arrays of the search, and beside them its facts
# as JSON, a digest of the arrays among them. An interrupted save leaves the last good file.

FORMAT = "rocch surface search"
VERSION = 1
FACTS = "facts"
BROKEN = (ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile)
"""What reading a damaged file can raise."""


def write(path: str | Path, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write facts and arrays, replacing an existing file."""
    head = {"format": FORMAT, "version": VERSION, "digest": _digest(arrays)}
    try:
        text = json.dumps({**head, **facts}, allow_nan=False)
    except TypeError:
        raise InputError(
            "classes", "be texts or numbers to be saved", facts["classes"], "Rename them."
        ) from None
    # an open file, because NumPy would add to the name
    with writing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **{FACTS: np.array(text), **arrays})


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read facts and arrays, if the file is one of ours and whole."""
    data = Path(path).read_bytes()
    try:
        arrays = _arrays(io.BytesIO(data))
        facts = json.loads(str(arrays.pop(FACTS)))
    except BROKEN as error:
        raise damaged(path, f"a truncated, altered or other file ({error})") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise damaged(path, "a file of another kind")
    if facts["version"] != VERSION:
        raise InputError(
            "path",
            f"name a file of version {VERSION}",
            f"version {facts['version']}, in {path}",
            "Resume it with the rocch that saved it.",
        )
    if facts.get("digest") != _digest(arrays):
        raise damaged(path, "altered arrays")
    return facts, arrays


def damaged(path: str | Path, got: str) -> InputError:
    """Build the message for a file that no search can be taken up from."""
    return InputError(
        "path",
        "name a file as SurfaceSearch.save wrote it",
        f"{got}, in {path}",
        "Begin the search again.",
    )


def _arrays(file: io.BytesIO) -> dict[str, Any]:
    with zipfile.ZipFile(file) as parts:
        if parts.testzip() is not None:  # before anything in it is interpreted
            raise zipfile.BadZipFile("a checksum that does not fit")
    file.seek(0)
    return dict(np.load(file, allow_pickle=False))


def _digest(arrays: Mapping[str, Any]) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


# --------------------------------------------------------------------------------------------------
# The search for the surface: Everson and Fieldsend's Algorithm 1, with its dominance put right.
#
# In each generation a member of the archive is selected, its parameters are moved a little, and the
# posteriors for the new parameters, worked out once, meet many cost matrices drawn at random. Each
# gives a confusion matrix. It enters if no member dominates or equals it, and drives out the
# members that it dominates; lines 9 and 10 as printed have this the wrong way round.

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
        vary less. By default all are 1, which favors no costs.
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
    >>> data = rocch.multiclass.three_class_data(300, seed=1)
    >>> model = rocch.multiclass.KnnModel(data.X, data.y)
    >>> search = rocch.multiclass.SurfaceSearch(model, data.y, draws=20)
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
        self._draws = as_whole(draws, "draws", least=1, hint="Pass 100, for example.")
        self._start = as_whole(start, "start", least=1, hint="Pass 100, for example.")
        self._rng = np.random.default_rng(as_whole(seed, "seed", least=0, hint="Pass 0, say."))
        self._front = Front(self._objectives, len(model.parameter_names))
        self._progress = Progress(self._objectives)
        self._count = engine_for(assignment, 0).count_draws
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
        number = as_whole(generations, "generations", least=0, hint="Pass 2000, for example.")
        least = None
        if tolerance is not None:
            least = as_level(tolerance, "tolerance", hint="0.001 is usual.")
        wait = as_whole(patience, "patience", least=1, hint="Pass 500, for example.")
        most = as_whole(most_members, "most_members", least=1, hint="Pass 200_000, for example.")
        tell = as_progress(progress)
        answers = (self.generation + number) * self._draws * self._truths.size
        self._count = engine_for(assignment, answers).count_draws
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
            raise InputError("search", "have been run", "one that was not", "Call run first.")
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
        write(path, facts, {"alphas": self._costs.alphas, **self._front.state()})

    @classmethod
    def resume(cls, path: str | Path, model: SearchModel, y_true: Any) -> Self:
        """Take up a saved search, with the same model and the labels of the same rows.

        Raises
        ------
        InputError
            If the file is damaged or of another kind, or if the labels, the classes or the model
            are others than those of the saved search.
        """
        facts, arrays = read(path)
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
            raise InputError(
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
            raise InputError(
                "y_true",
                "be the labels of the saved search, in the same order",
                "others",
                "Pass the same rows, or begin a new search.",
            )
        names = list(self.model.parameter_names)
        if facts["parameter_names"] != names:
            raise InputError(
                "model",
                "have the parameters of the saved search "
                f"({format_list(facts['parameter_names'])})",
                format_list(names),
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
            raise InputError(
                "model",
                "answer as the one of the saved search did",
                "one that errs otherwise on its newest member",
                "Build it from the same rows and settings, or begin a new search.",
            )


def _as_model(model: Any) -> SearchModel:
    if not isinstance(model, SearchModel) or isinstance(model, type):
        raise InputError(
            "model",
            "be a model with start, perturb, posteriors, posteriors_of and name_of",
            describe_type(model),
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
        raise InputError(
            "classes",
            f"be the model's, in its order ({format_list(own, 30)})",
            format_list(given, 30),
            "Leave them out: the model knows them.",
        )
    return given
