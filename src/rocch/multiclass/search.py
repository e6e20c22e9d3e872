"""The search for the surface: Everson and Fieldsend's Algorithm 1, with dominance corrected."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, FloatArray, IntArray
from rocch.errors import Hint, InputError, describe_type, format_count, format_list
from rocch.files import writing
from rocch.inputs import as_level, as_number, as_whole, is_number
from rocch.kernels import assignment
from rocch.kernels.engine import engine_for
from rocch.multiclass.archive import SearchFront
from rocch.multiclass.classes import Classes, ClassNames, as_probabilities, as_table
from rocch.multiclass.confusion import Objectives, as_objectives, limits_of
from rocch.multiclass.costs import DirichletBelief, alpha_name, check_errors
from rocch.multiclass.models import SearchModel, as_model
from rocch.multiclass.surface import RocSurface
from rocch.multiclass.volumes import DominatedSamples
from rocch.progress import Verbose, track

# With more than 30 rates, or 12 miss rates, almost nothing is dominated.
MOST_CLASSES = {"rates": 6, "misses": 12}


def as_searchable(objectives: str, classes: int) -> Objectives:
    """Return "rates" (eq. 5) or "misses" (eq. 12); too many classes are refused."""
    chosen = as_objectives(objectives)
    if classes > MOST_CLASSES[chosen]:
        number = classes if chosen == "misses" else classes * (classes - 1)
        many = "With more, nearly everything is non-dominated. Use "
        fewer = 6 < classes <= 12
        raise InputError(
            "classes",
            f"be at most {MOST_CLASSES[chosen]} to search {{objectives=}}",
            f"{classes} classes, which make {number} objectives",
            Hint(
                many + "objectives='misses', " * fewer + "rocch.multiclass.assign for known costs, "
                "or rocch.multiclass.best_classifier to choose among several classifiers at known "
                "costs.",
                cli=many + "--objectives misses, or " * fewer + "rocch assign if costs are known.",
            ),
            objectives=chosen,
        )
    return chosen


# Smaller alphas can draw gammas that are all zero in doubles, and costs need a sum.
LEAST_ALPHA = 0.02
MOST_ALPHA = 1e6

# Dirichlet parameters: one for all errors, by (truth, prediction), or a belief.
Alphas: TypeAlias = float | Mapping[Any, float] | DirichletBelief


def as_alphas(alphas: Alphas | None, classes: Classes) -> FloatArray:
    """Return Dirichlet parameters, truths by predictions, 0 on the diagonal."""
    given = 1.0 if alphas is None else alphas
    matrix = np.ones((len(classes), len(classes)))
    if isinstance(given, DirichletBelief):
        given.mean_costs("alphas").in_order(classes, "alphas")  # every error, and no other class
        given = dict(zip(given.keys, given.alphas.tolist(), strict=True))
    if isinstance(given, Mapping):
        for pair, alpha in given.items():
            place = classes.places(pair, "alphas")
            check_errors([pair], "alphas")
            matrix[place] = _as_alpha(alpha, alpha_name(pair))
    elif is_number(given):
        matrix[:] = _as_alpha(given, "alphas")
    else:
        raise InputError(
            "alphas",
            "be a number, map pairs (truth, prediction) to numbers, or be a DirichletBelief",
            describe_type(given),
            Hint("A bare matrix could be transposed. For example: {('cat', 'dog'): 5.0}."),
        )
    np.fill_diagonal(matrix, 0)
    matrix.flags.writeable = False
    return matrix


def _as_alpha(alpha: float, argument: str) -> float:
    hint = "Alphas are in the ratio of the expected costs; larger ones vary less."
    return as_number(alpha, argument, least=LEAST_ALPHA, most=MOST_ALPHA, hint=hint)


def draw_costs(alphas: FloatArray, number: int, rng: np.random.Generator) -> FloatArray:
    """Return random cost matrices that sum to 1; the first of several has equal costs."""
    classes = len(alphas)
    wrong = ~np.eye(classes, dtype=bool)
    shapes = alphas[wrong]
    size = (number, shapes.size)
    # gammas of shape 1 are exponentials, which are drawn much faster
    plain = bool((shapes == 1).all())
    weights = rng.standard_exponential(size) if plain else rng.standard_gamma(shapes, size)
    costs = np.zeros((number, classes, classes))
    costs[:, wrong] = weights / weights.sum(axis=1, keepdims=True)
    if number > 1:
        costs[0, wrong] = 1 / shapes.size
    return costs


# A saved search is NumPy's .npz, read without pickle: arrays, and facts as JSON with a digest of
# the arrays. An interrupted save leaves the last good file.

FORMAT = "rocch surface search"
VERSION = 1
FACTS = "facts"
# What reading a damaged file can raise.
BROKEN = (ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile)


def write(path: str | Path, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write facts and arrays, replacing an existing file."""
    head = {"format": FORMAT, "version": VERSION, "digest": _digest(arrays)}
    try:
        text = json.dumps({**head, **facts}, allow_nan=False)
    except TypeError:
        raise InputError("classes", "be texts or numbers to be saved", facts["classes"]) from None
    # an open file, because NumPy would add to the name
    with writing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **{FACTS: np.array(text), **arrays})


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Read facts and arrays."""
    file = io.BytesIO(Path(path).read_bytes())
    try:
        with zipfile.ZipFile(file) as parts:
            if parts.testzip() is not None:  # before anything in it is interpreted
                raise zipfile.BadZipFile("a checksum that does not fit")
        file.seek(0)
        arrays = dict(np.load(file, allow_pickle=False))
        facts = json.loads(str(arrays.pop(FACTS)))
    except BROKEN as error:
        raise _damaged(path, f"a truncated, altered or other file ({error})") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise _damaged(path, "a file of another kind")
    if facts["version"] != VERSION:
        raise InputError(
            "path",
            f"name a file of version {VERSION}",
            f"version {facts['version']}, in {path}",
            "Resume it with the rocch that saved it.",
        )
    if facts.get("digest") != _digest(arrays):
        raise _damaged(path, "altered arrays")
    return facts, arrays


def _damaged(path: str | Path, got: str) -> InputError:
    return InputError(
        "path",
        "name a file as SurfaceSearch.save wrote it",
        f"{got}, in {path}",
        "Begin the search again.",
    )


def _digest(arrays: Mapping[str, AnyArray]) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


# In each generation a member of the archive is selected, its parameters are perturbed, and their
# probabilities, computed once, meet many random cost matrices. Each gives a confusion matrix, which
# enters if no member dominates or equals it, and removes the members that it dominates; lines 9 and
# 10 of the algorithm are printed the wrong way round.

Reason = Literal["generations", "stagnation", "members"]

# The dominated share is estimated at this many points, always the same, so that it can only grow.
SAMPLES = 10_000


class SurfaceSearch:
    """A search for the members of a ROC surface, which can be continued.

    Parameters
    ----------
    model
        `KnnModel`, `MlpModel`, `FittedModels`, `KnownProbabilities`, `FunctionModel`, or another
        `SearchModel`.
    y_true
        The labels of the evaluation rows.
    classes
        The order of the classes; by default the model's, or sorted.
    objectives
        Minimize all error "rates", or the "misses" of each class; with four or more classes
        surfaces of "rates" become huge.
    draws
        How many cost matrices to try with each parameter vector, equal costs first.
    alphas
        The Dirichlet parameters of the costs: a number, by pair (truth, prediction), or a
        `DirichletBelief`; larger ones vary less. Default: all 1.
    start
        How many random parameter vectors to begin with.
    seed
        The seed of the random numbers.

    Attributes
    ----------
    generation
        The number of parameter vectors tried since the start.
    stopped
        Why the last run ended: "generations", "stagnation", or too many "members".

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
        y_true: ArrayLike,
        *,
        classes: ClassNames | None = None,
        objectives: Objectives = "rates",
        draws: int = 100,
        alphas: Alphas | None = None,
        start: int = 100,
        seed: int = 0,
    ) -> None:
        self.model = as_model(model)
        self.classes = _classes_of(model, classes, y_true)
        self._truths = self.classes.truths(y_true)
        totals = np.bincount(self._truths, minlength=len(self.classes))
        self._objectives = as_searchable(objectives, len(self.classes))
        self._alphas = as_alphas(alphas, self.classes)
        self._draws = as_whole(draws, "draws", least=1)
        self._start = as_whole(start, "start", least=1)
        self._rng = np.random.default_rng(as_whole(seed, "seed", least=0))
        self._front = SearchFront(self._objectives, totals, len(model.parameter_names))
        self._samples = DominatedSamples(
            limits_of(totals, self._objectives), objectives=self._objectives, samples=SAMPLES
        )
        # the share of the samples that is dominated, and the generation it was last looked at
        self._share, self._looked_at = 0.0, -1
        self._count = engine_for(assignment, 0).count_draws
        self.generation = 0
        self.stopped: Reason | None = None

    def __len__(self) -> int:
        return len(self._front)

    def __repr__(self) -> str:
        after = format_count(self.generation, "generation", ",")
        return f"<SurfaceSearch of {format_count(len(self), 'member', ',')} after {after}>"

    def run(
        self,
        generations: int,
        *,
        tolerance: float | None = None,
        patience: int = 500,
        verbose: Verbose = 0,
        most_members: int = 200_000,
    ) -> RocSurface:
        """Search on and return the surface found so far.

        Two runs of 1,000 generations find the same as one of 2,000.

        Parameters
        ----------
        generations
            How many more parameter vectors to try.
        tolerance
            Stop when the dominated share of the better-than-random region grows by less than this
            over `patience` generations; by default never.
        patience
            How many generations to wait for growth.
        verbose
            1 shows progress; a function is called after each generation with the number tried and
            the total.
        most_members
            Stop when the archive grows larger.
        """
        number = as_whole(generations, "generations", least=0)
        least = tolerance
        if least is not None:
            least = as_level(least, "tolerance", hint="0.001 is usual.")
        wait = as_whole(patience, "patience", least=1)
        most = as_whole(most_members, "most_members", least=1)
        predictions = (self.generation + number) * self._draws * self._truths.size
        self._count = engine_for(assignment, predictions).count_draws
        self.stopped = None
        with track("Searching the surface", verbose, number) as progress:
            if not len(self):
                with self._undo_on_error():
                    self._begin()
            for _ in range(number):
                self.stopped = self._reason_to_stop(least, wait, most)
                if self.stopped:
                    break
                with self._undo_on_error():
                    self._step()
                progress.advance()
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
            self._objectives,
        )

    def save(self, path: str | Path) -> None:
        """Write the state of the search, without model and labels, for `resume`."""
        facts = {
            "classes": list(self.classes.names),
            "labels": self._digest,
            "parameter_names": list(self.model.parameter_names),
            "objectives": self._objectives,
            "draws": self._draws,
            "start": self._start,
            "generation": self.generation,
            "share": self._share,
            "looked_at": self._looked_at,
            "generator": self._rng.bit_generator.state,
        }
        write(path, facts, {"alphas": self._alphas, **self._front.to_arrays()})

    @classmethod
    def resume(cls, path: str | Path, model: SearchModel, y_true: ArrayLike) -> Self:
        """Continue a saved search, with the same model and labels."""
        facts, arrays = read(path)
        search = cls(
            model,
            y_true,
            classes=Classes(tuple(facts["classes"])),
            objectives=facts["objectives"],
            draws=facts["draws"],
            start=facts["start"],
        )
        search._restore(facts, arrays)
        return search

    def _begin(self) -> None:
        """Enter the model's first parameter vectors (line 1 of the algorithm)."""
        start = self.model.start(self._start, self._rng)
        vectors = as_table(start, "model.start", len(self.model.parameter_names))
        # a fitted model that starts with few vectors meets all costs with each
        each = 1 if len(vectors) >= self._start > 1 else self._draws
        for tried in [(vector, *self._try(vector, each)) for vector in vectors]:
            self._front.offer(*tried)

    def _step(self) -> None:
        """Run one generation (lines 3 to 13)."""
        parameters = self.model.perturb(self._front.parent(self._rng), self._rng)
        self._front.offer(parameters, *self._try(parameters, self._draws))
        self.generation += 1

    @contextmanager
    def _undo_on_error(self) -> Iterator[None]:
        """Undo random draws after an error or Ctrl-C, so that the search can go on."""
        state, turn = self._rng.bit_generator.state, self._front.turn()
        try:
            yield
        except BaseException:
            self._rng.bit_generator.state = state
            self._front.return_to(turn)
            raise

    def _try(self, parameters: FloatArray, draws: int) -> tuple[FloatArray, IntArray]:
        table = self._probabilities(parameters)
        costs = draw_costs(self._alphas, draws, self._rng)
        return costs, self._count(table, self._truths, costs, len(self.classes))

    def _probabilities(self, parameters: FloatArray) -> FloatArray:
        return as_probabilities(
            self.model.probabilities(parameters),
            self.classes,
            rows=self._truths.size,
            argument="the model's probabilities",
        )

    def _reason_to_stop(self, least: float | None, patience: int, most: int) -> Reason | None:
        if len(self) > most:
            return "members"
        if least is None:
            return None
        first = self._looked_at < 0
        if not first and self.generation - self._looked_at < patience:
            return None
        before, self._share = self._share, self._samples.add(self._front.counts)
        self._looked_at = self.generation
        return "stagnation" if self._share - before < least and not first else None

    @property
    def _digest(self) -> str:
        return hashlib.sha256(self._truths.astype("<i8").tobytes()).hexdigest()

    def _restore(self, facts: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
        same_order = "be the labels of the saved search, in the same order"
        _check_saved(facts["labels"] == self._digest, "y_true", same_order)
        names = facts["parameter_names"]
        own = f"have the parameters of the saved search ({format_list(names)})"
        _check_saved(names == list(self.model.parameter_names), "model", own)
        self._front.restore(arrays)
        self._alphas = arrays["alphas"]
        self._rng.bit_generator.state = facts["generator"]
        self.generation = int(facts["generation"])
        self._share, self._looked_at = float(facts["share"]), int(facts["looked_at"])
        if len(self):  # another model would err otherwise on the newest member
            parameters, costs, counts = self._front.columns()
            table = self._probabilities(parameters[-1])
            again = self._count(table, self._truths, costs[-1:], len(self.classes))
            same = np.array_equal(again, counts[-1:])
            _check_saved(same, "model", "predict as the one of the saved search did")


def _check_saved(same: bool, argument: str, requirement: str) -> None:
    if not same:
        hint = "Pass the same rows and model, or begin a new search."
        raise InputError(argument, requirement, "another", hint)


def _classes_of(model: SearchModel, classes: ClassNames | None, y_true: ArrayLike) -> Classes:
    own: Classes | None = getattr(model, "classes", None)
    if own is None:
        return Classes.of_data(classes, y_true)
    if classes is not None and own != (given := Classes.of(classes)):
        raise InputError(
            "classes",
            "be the model's, in its order ({expected})",
            format_list(given, 30),
            "Leave them out: the model knows them.",
            expected=format_list(own, 30),
        )
    return own
