"""Fitted estimators in skops files that notice damage, and the allow-list of types in them."""

from __future__ import annotations

import gc
import hashlib
import io
import json
import math
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from rocch.errors import (
    InputError,
    MissingExtraError,
    UntrustedError,
    format_list,
    missing_extra,
)

# --- A file of named parts that knows when it was damaged: a zip with a digest of every part ------

DIGESTS = "digests.json"
CHUNK = 2**16
HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a file with these parts and their digests."""
    digests = json.dumps({n: digest_of(data) for n, data in files.items()})
    return zipped({**files, DIGESTS: digests.encode()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts, none of them packed."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


def unpack(content: bytes, path: str | Path) -> dict[str, bytes]:
    """Return all parts of a file, if they are those that were packed; `path` is its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise zipfile.BadZipFile("parts packed in another way")
            files = dict(_parts(archive, len(content)))
    except (
        zipfile.BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,  # of places before the file's begin, and of names that are no texts
    ) as error:
        raise damaged(path, f"a truncated, altered or other file ({error})") from error
    if DIGESTS not in files:
        raise damaged(path, "a zip file of another kind")
    recorded = as_json(files.pop(DIGESTS), path)
    if not isinstance(recorded, dict) or set(recorded) != set(files):
        raise damaged(path, "parts that were added or removed")
    wrong = [n for n, data in files.items() if digest_of(data) != recorded[n]]
    if wrong:
        raise damaged(path, f"altered parts: {format_list(wrong)}")
    return files


class TooLargeError(ValueError):
    """A part of a zip file that becomes larger than it may."""


def unpack_within(content: bytes, room: int) -> dict[str, bytes]:
    """Return the parts of a zip file, in at most as many bytes as there is room for.

    Zip files in it are unpacked likewise, and arrays must be as large as they claim. What a file
    says about its sizes is not believed, because reading a part in one go unpacks all of it.
    """
    files = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name, part in _parts(archive, room):
            data = zipped(unpack_within(part, room)) if part.startswith(b"PK") else part
            if data.startswith(np.lib.format.MAGIC_PREFIX):
                check_array(data)
            files[name] = data
            room -= len(data)
    return files


def _parts(archive: zipfile.ZipFile, room: int) -> Iterator[tuple[str, bytes]]:
    """Read parts one after the other, as long as there is room for them."""
    seen: set[str] = set()
    for part in archive.infolist():
        if part.filename in seen:
            raise zipfile.BadZipFile(f"two parts called {part.filename!r}")
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile("parts packed in another way")  # others unpack in one go
        seen.add(part.filename)
        chunks = []
        with archive.open(part) as file:
            while chunk := file.read(CHUNK):
                room -= len(chunk)
                if room < 0:
                    raise TooLargeError("parts that are larger than the file")
                chunks.append(chunk)
        yield part.filename, b"".join(chunks)


def check_array(data: bytes) -> tuple[int, ...]:
    """Return the shape of an array in NumPy's format, if it is as large as it claims."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"arrays of format {version} are not read")
    shape, _, dtype = HEADERS[version](file)
    size = dtype.itemsize * math.prod(shape)
    if size != len(data) - file.tell() or (not dtype.itemsize and math.prod(shape)):
        raise ValueError("an array has another size than it claims")
    return tuple(shape)


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content, as `sha256sum` writes it."""
    return hashlib.sha256(content).hexdigest()


def damaged(path: str | Path, got: str) -> InputError:
    """Build the message for a file that is not as it was saved."""
    return InputError(
        "path", "name a file as rocch.save wrote it", f"{got}, in {path}", "Save the model again."
    )


def as_json(data: bytes, path: str | Path) -> Any:
    """Read JSON from a part of a file."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"unreadable data ({error})") from error


# --- Fitted estimators in skops files, and the allow-list of types that may be in them ------------
#
# skops builds only types that it is told to trust. It trusts scikit-learn's public estimators,
# NumPy and SciPy by itself; whatever else occurs must stand on the lists here, or be named by the
# caller.

MOST_UNPACKED = 20
"""How many times its size a file that may be forged can become; sparse matrices are packed."""
LEAST_ROOM = 2**24
"""Bytes that any file may become."""

SCIKIT_LEARN = {
    "_loss.link": ("Interval", "LogitLink"),
    "_loss.loss": ("HalfBinomialLoss", "HalfTweedieLoss", "HalfTweedieLossIdentity"),
    "calibration": ("_CalibratedClassifier", "_SigmoidCalibration", "_TemperatureScaling"),
    "cluster._bisect_k_means": ("_BisectingTree",),
    "cluster._kmeans": ("_kmeans_single_elkan", "_kmeans_single_lloyd"),
    "compose._column_transformer": ("make_column_selector",),
    "ensemble._hist_gradient_boosting.binning": ("_BinMapper",),
    "ensemble._hist_gradient_boosting.predictor": ("TreePredictor",),
    "feature_selection._mutual_info": ("mutual_info_classif", "mutual_info_regression"),
    "feature_selection._univariate_selection": (
        "chi2",
        "f_classif",
        "f_regression",
        "r_regression",
    ),
    "gaussian_process._gpc": ("_BinaryGaussianProcessClassifierLaplace",),
    "gaussian_process.kernels": (
        "CompoundKernel",
        "ConstantKernel",
        "DotProduct",
        "ExpSineSquared",
        "Exponentiation",
        "Matern",
        "PairwiseKernel",
        "Product",
        "RBF",
        "RationalQuadratic",
        "Sum",
        "WhiteKernel",
    ),
    # public, yet unknown to skops unless they were enabled before it was imported
    "impute._iterative": ("IterativeImputer", "_ImputerTriplet"),
    "metrics._dist_metrics": tuple(
        f"{name}Distance64"
        for name in (
            "BrayCurtis",
            "Canberra",
            "Chebyshev",
            "Dice",
            "Euclidean",
            "Hamming",
            "Haversine",
            "Jaccard",
            "Mahalanobis",
            "Manhattan",
            "Minkowski",
            "RogersTanimoto",
            "RussellRao",
            "SEuclidean",
            "SokalSneath",
        )
    ),
    "metrics._scorer": ("_CurveScorer", "_MultimetricScorer", "_PassthroughScorer", "_Scorer"),
    "model_selection._search_successive_halving": ("HalvingGridSearchCV", "HalvingRandomSearchCV"),
    "model_selection._split": (
        "GroupKFold",
        "GroupShuffleSplit",
        "KFold",
        "LeaveOneGroupOut",
        "LeaveOneOut",
        "LeavePGroupsOut",
        "LeavePOut",
        "PredefinedSplit",
        "RepeatedKFold",
        "RepeatedStratifiedKFold",
        "ShuffleSplit",
        "StratifiedGroupKFold",
        "StratifiedKFold",
        "StratifiedShuffleSplit",
        "TimeSeriesSplit",
    ),
    "multiclass": ("_ConstantPredictor",),
    "neighbors._ball_tree": ("BallTree",),
    "neighbors._kd_tree": ("KDTree",),
    "neural_network._stochastic_optimizers": ("AdamOptimizer", "SGDOptimizer"),
    "tree._tree": ("Tree",),
    "utils._bunch": ("Bunch",),
    "utils._metadata_requests": ("MetadataRequest", "MethodMetadataRequest"),
    "utils.validation": ("check_array",),
}
"""What scikit-learn builds inside its public estimators, by module."""

ALLOWED = frozenset(
    {
        "builtins.object",
        "collections.OrderedDict",
        "functools.partial",  # of few functions only: see PARTIAL
        "lightgbm.sklearn.LGBMClassifier",
        "numpy.dtype",
        "numpy.floating",
        "numpy.integer",
        "numpy.mean",
        "numpy.number",
        "rocch.hybrid.estimators.RuleClassifier",
        "rocch.hybrid.estimators.VoteClassifier",
        "rocch.hybrid.estimators.FoldEnsemble",
        "rocch.hybrid.multiclass.KnnFamily",
        "rocch.hybrid.multiclass.MlpFamily",
        "rocch.hybrid.estimators.LabelColumn",
        "rocch.hybrid.estimators.ScoreColumn",
        "scipy._lib.array_api_compat.numpy._aliases.asarray",
        "scipy.interpolate._bsplines.BSpline",
        "scipy.sparse._csc.csc_array",
        "scipy.sparse._csc.csc_matrix",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "xgboost.sklearn.XGBClassifier",
    }
    | {f"sklearn.{module}.{name}" for module, names in SCIKIT_LEARN.items() for name in names}
)
"""Types accepted beyond those that skops trusts by itself (scikit-learn's public estimators)."""

CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, np.ufunc)
"""What belongs to libraries and leads to all of them."""

PARTIAL = frozenset({"sklearn.utils.validation.check_array"})
"""Functions that may come with some arguments filled in, as functools.partial does."""

RAW = frozenset({"lightgbm.basic.Booster", "xgboost.core.Booster"})
"""Types whose memory only other libraries can read: accepted only in files that are known."""


@cache
def _metrics() -> frozenset[str]:
    """Return the functions behind scikit-learn's scorers, which searches and thresholds keep."""
    from sklearn.metrics import get_scorer, get_scorer_names

    functions = [get_scorer(name)._score_func for name in get_scorer_names()]
    return frozenset(f"{function.__module__}.{function.__name__}" for function in functions)


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise missing_extra("save", "Saving and loading models") from None
    return skops.io


def model_bytes(name: str, model: Any, trusted: Iterable[str]) -> bytes:
    """Return a model as skops writes it, if all its types are listed."""
    sio = _skops()
    trusted = set(trusted)
    try:
        with _without_cycles(model):
            data: bytes = sio.dumps(model)
    except Exception as error:
        raise InputError(
            f"{name!r} cannot be saved: {error}. Functions written in place, generators and open "
            "files have no plain form; use importable classes and settings."
        ) from error
    if "functools.partial" in _check_listed(name, data, trusted) and _strange_partials(
        _reachable(model), trusted
    ):
        raise _unlisted(name, ["functools.partial"])
    return data


@contextmanager
def _without_cycles(model: Any) -> Iterator[None]:
    """Leave out what boosting by histograms keeps of itself, which skops would follow for ever.

    After early stopping by a scorer these are a method that the class has too, and the scorer,
    which only a further fit would ask.
    """
    held = [
        (vars(each), name, value)
        for each in _reachable(model)
        if type(each).__module__.startswith("sklearn.ensemble._hist_gradient_boosting")
        for name, value in getattr(each, "__dict__", {}).items()
        if any(getattr(value, place, None) is each for place in ("__self__", "_estimator"))
    ]
    for attributes, name, _ in held:
        del attributes[name]
    try:
        yield
    finally:
        for attributes, name, value in held:
            attributes[name] = value


def read_models(
    files: Mapping[str, bytes], trusted: Iterable[str], *, known: bool
) -> dict[str, Any]:
    """Build the models in files, after all types in all files were found on the lists.

    Parameters
    ----------
    files
        The files, by the names of the models.
    known
        Whether the files were recognized by a digest that was recorded when they were saved.
        Others may be forged: they are unpacked within bounds, arrays that compiled code would
        follow without looking are checked, and memory that cannot be checked is refused unless
        the caller trusts its type.
    """
    trusted = set(trusted)
    if not known:
        files = {name: _unpack(name, data) for name, data in files.items()}
    types = {name: _check_listed(name, data, trusted) for name, data in files.items()}
    if not known:
        for name, kinds in types.items():
            _check_known(name, [kind for kind in kinds if kind in RAW - trusted])
    return {
        name: _build(name, data, types[name], trusted, known=known) for name, data in files.items()
    }


def read_model(name: str, data: bytes, trusted: Iterable[str], *, known: bool) -> Any:
    """Build the model in one file, as `read_models` does."""
    return read_models({name: data}, trusted, known=known)[name]


def _unpack(name: str, data: bytes) -> bytes:
    try:
        room = LEAST_ROOM + MOST_UNPACKED * len(data)
        parts = unpack_within(data, room)
        schema = json.loads(parts["schema.json"])
        _count_nodes(schema, {})
        for each in list(_described(schema)):
            if each.get("__loader__") == "TreeNode":
                _check_nodes(each, parts)
        _check_room(schema, parts, room)
        return zipped(parts | {"schema.json": json.dumps(schema).encode()})
    except TooLargeError:
        raise InputError(
            f"{name!r} unpacks to more than {MOST_UNPACKED} times its size, which a forged file "
            "could do to fill the memory. If you trust the file, give the digest that was "
            "recorded when it was saved."
        ) from None
    except Exception as error:
        raise _unreadable(name, error) from error


def _count_nodes(part: Any, sizes: dict[Any, int]) -> int:
    """Return how many objects a schema describes, if those that occur twice are described twice.

    skops takes what it met before from its memory. It never writes short forms, with which a small
    file could describe more objects than anybody can go through.
    """
    if isinstance(part, list):
        return sum(_count_nodes(each, sizes) for each in part)
    if not isinstance(part, dict):
        return 0
    size = 1 + sum(_count_nodes(each, sizes) for each in part.values())
    if "__id__" in part and sizes.setdefault(part["__id__"], size) != size:
        raise ValueError("an object is described in two ways")
    return size


def _described(schema: Any) -> Iterator[dict[str, Any]]:
    """Go through the descriptions of objects in a schema."""
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
        if isinstance(each, dict | list):
            waiting.extend(each.values() if isinstance(each, dict) else each)


def _check_nodes(tree: dict[str, Any], parts: Mapping[str, bytes]) -> None:
    """Refuse a tree whose nodes are no row: their number is read without looking for one.

    What makes up a tree belongs to it alone, so it is never taken from skops's memory of other
    objects, which could hold something else.
    """
    for each in _described([tree["content"], tree["__reduce__"]]):
        each.pop("__id__", None)
    state = tree["content"]
    nodes = state["content"].get("nodes", {})
    kinds = [each[f"__{key}__"] for each in (state, nodes) for key in ("loader", "class")]
    is_array = kinds == ["DictNode", "dict", "NdArrayNode", "ndarray"] and nodes["type"] == "numpy"
    if not is_array or len(check_array(parts[nodes["file"]])) != 1:
        raise ValueError("a tree's nodes do not stand in one row")


def _check_room(schema: Any, parts: Mapping[str, bytes], room: int) -> None:
    """Refuse objects that are read from more bytes than there is room for.

    A file can name one of its parts many times. Only what it calls the same object is read once.
    """
    read = set[str]()
    for each in _described(schema):
        part, known = each.get("file"), repr((each.get("__id__"), each.get("file")))
        if isinstance(part, str) and (known not in read or "__id__" not in each):
            read.add(known)
            room -= len(parts.get(part, b""))
    if room < 0:
        raise TooLargeError


def _check_listed(name: str, data: bytes, trusted: Collection[str]) -> list[str]:
    """Return the types in a model file beyond those that skops trusts; refuse unlisted ones."""
    try:
        types: list[str] = _skops().get_untrusted_types(data=data)
    except MissingExtraError:
        raise
    except Exception as error:
        raise _unreadable(name, error) from error
    in_place = [kind for kind in types if "<" in kind]
    if in_place:
        raise InputError(
            f"{name!r} holds functions or classes written in place ({', '.join(in_place)}), which "
            "nobody can load. Move them to a module, under a name."
        )
    strangers = [kind for kind in types if kind not in ALLOWED | RAW | _metrics() | set(trusted)]
    if strangers:
        raise _unlisted(name, strangers)
    return types


def _check_known(name: str, raw: list[str]) -> None:
    if raw:
        raise UntrustedError(
            f"{name!r} holds memory of another library's trees, which a forged file could misuse. "
            "Give the digest that was recorded when it was saved; or, if you trust the file, name "
            "its types:",
            raw,
        )


def _build(name: str, data: bytes, types: list[str], trusted: set[str], *, known: bool) -> Any:
    try:
        model = _skops().loads(data, trusted=types)
        objects = list(_reachable(model))
        strange = _strange_partials(objects, trusted)
        if not known and not strange:
            from rocch.hybrid.model_memory import check_memory  # which needs scikit-learn

            check_memory(objects)
    except Warning:  # where warnings are errors
        raise
    except ModuleNotFoundError as error:
        raise InputError(
            f"{name!r} needs the package {error.name!r}, which is not installed."
        ) from error
    except Exception as error:
        raise _unreadable(name, error) from error
    if strange:
        raise _unlisted(name, ["functools.partial"])
    return model


def _reachable(model: Any) -> Iterator[Any]:
    """Go through a model and everything that it holds, each object once."""
    seen, waiting = set[int](), [model]
    kept = []  # so that no address is used twice
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, CODE):
            continue
        seen.add(id(each))
        kept.append(each)
        yield each
        held = each.flat if _holds_objects(each) else gc.get_referents(each)
        waiting.extend(held)


def _holds_objects(each: Any) -> bool:
    return isinstance(each, np.ndarray) and each.dtype.hasobject


def _strange_partials(objects: Iterable[Any], trusted: Collection[str]) -> bool:
    """Say whether some object calls a function, with arguments filled in, that is not listed."""
    partials = (each.func for each in objects if isinstance(each, partial))
    names = {f"{f.__module__}.{getattr(f, '__name__', type(f).__name__)}" for f in partials}
    return "functools.partial" not in trusted and not names <= PARTIAL


def _unlisted(name: str, types: Iterable[str]) -> UntrustedError:
    return UntrustedError(
        f"{name!r} holds types that are not on the allow-list. If you trust them, name them:", types
    )


def _unreadable(name: str, error: BaseException) -> InputError:
    reason = str(error) or type(error).__name__
    return InputError(f"{name!r} cannot be read: {reason}. The file is damaged or forged.")
