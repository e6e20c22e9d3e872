"""Safe reading of model files that may be forged."""

from __future__ import annotations

import dataclasses
import gc
import io
import json
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from rocch.arrays import AnyArray
from rocch.errors import Hint, InputError, UntrustedError, describe_type, format_list, missing_extra
from rocch.files import digest_of
from rocch.hybrid.expression import Stack, Term
from rocch.hybrid.stacking import AimScorer
from rocch.hybrid.vertex_checks import FoldRate, VertexCheck
from rocch.inputs import is_number
from rocch.kernels.moments import Piece
from rocch.multiclass.classes import Classes
from rocch.multiclass.costs import CostMatrix, DirichletBelief
from rocch.roc import criteria, limits, shapes
from rocch.roc.belief import Belief
from rocch.roc.belief_axis import IndependentPart, SampledPart, Unit
from rocch.roc.conditions import Conditions, Interval
from rocch.roc.criteria import LinearLimit
from rocch.roc.curve import RocCurve
from rocch.roc.guarantee import Guarantee
from rocch.roc.knob import Knob
from rocch.roc.member import Member
from rocch.roc.operating_point import ClassTotals, OperatingPoint, RocPoint
from rocch.roc.question import Question
from rocch.roc.referral import Referral
from rocch.roc.shapes import Elicited

DIGESTS = "digests.json"
CHUNK = 2**16
HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts and their digests."""
    digests = json.dumps({n: digest_of(data) for n, data in files.items()})
    return _zip_files({**files, DIGESTS: digests.encode()})


def _zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return an uncompressed zip file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


def unpack(content: bytes, path: str | Path) -> dict[str, bytes]:
    """Return the parts of a packed file, checked against their digests."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = dict(_parts(archive, len(content), {zipfile.ZIP_STORED}))
    except (
        zipfile.BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,  # from negative offsets and names that are no texts
    ) as error:
        raise damaged(path, f"a truncated, altered or other file ({error})") from error
    if DIGESTS not in files:
        raise damaged(path, "a zip file of another kind")
    recorded = read_json(files.pop(DIGESTS), path)
    if not isinstance(recorded, dict) or set(recorded) != set(files):
        raise damaged(path, "parts that were added or removed")
    wrong = [n for n, data in files.items() if digest_of(data) != recorded[n]]
    if wrong:
        raise damaged(path, f"altered parts: {format_list(wrong)}")
    return files


class TooLargeError(ValueError):
    """Content that unpacks to more than it may."""


def _unpack_within(content: bytes, room: int) -> dict[str, bytes]:
    """Return the parts of a zip file, and of zip files in it, within `room` bytes.

    Sizes claimed by the file are not trusted.
    """
    files = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        # other packings unpack at once
        for name, part in _parts(archive, room, {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}):
            data = _zip_files(_unpack_within(part, room)) if part.startswith(b"PK") else part
            if data.startswith(np.lib.format.MAGIC_PREFIX):
                _check_array(data)
            files[name] = data
            room -= len(data)
    return files


def _parts(archive: zipfile.ZipFile, room: int, packings: set[int]) -> Iterator[tuple[str, bytes]]:
    """Read parts one by one, within `room` bytes."""
    seen: set[str] = set()
    for part in archive.infolist():
        if part.filename in seen:
            raise zipfile.BadZipFile(f"two parts called {part.filename!r}")
        if part.compress_type not in packings:
            raise zipfile.BadZipFile("parts packed in another way")
        seen.add(part.filename)
        chunks = []
        with archive.open(part) as file:
            while chunk := file.read(CHUNK):
                room -= len(chunk)
                if room < 0:
                    raise TooLargeError("parts that are larger than the file")
                chunks.append(chunk)
        yield part.filename, b"".join(chunks)


def _check_array(data: bytes) -> tuple[int, ...]:
    """Return the shape of an array in NumPy's format, if its size is as claimed."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"arrays of format {version} are not read")
    shape, _, dtype = HEADERS[version](file)
    size = dtype.itemsize * math.prod(shape)
    if size != len(data) - file.tell() or (not dtype.itemsize and math.prod(shape)):
        raise ValueError("an array has another size than it claims")
    return tuple(shape)


def array_bytes(array: AnyArray) -> bytes:
    """Write an array; integers beyond 64 bits as texts."""
    file = io.BytesIO()
    np.save(file, array.astype(str) if array.dtype == object else array, allow_pickle=False)
    return file.getvalue()


def read_array(data: bytes) -> AnyArray:
    """Return what `array_bytes` wrote."""
    _check_array(data)
    array = np.load(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind != "U":
        return np.asarray(array)
    return np.array([int(text) for text in array.tolist()], dtype=object)


def damaged(path: str | Path, got: str) -> InputError:
    """Return the error for a file that differs from what was saved."""
    return InputError(
        "path",
        "name a file as rocch.save wrote it",
        f"{got}, in {path}",
        Hint("Save the model again."),
    )


def read_json(data: bytes, path: str | Path) -> Any:
    """Read JSON from a part of a file."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"unreadable data ({error})") from error


# The only types that plain data can become.
KNOWN = {
    kind.__name__: kind
    for kind in (
        AimScorer,
        Belief,
        ClassTotals,
        Classes,
        Conditions,
        CostMatrix,
        DirichletBelief,
        Elicited,
        FoldRate,
        Guarantee,
        IndependentPart,
        Interval,
        Knob,
        LinearLimit,
        Member,
        OperatingPoint,
        Piece,
        Question,
        Referral,
        RocCurve,
        RocPoint,
        SampledPart,
        Stack,
        Term,
        Unit,
        VertexCheck,
        criteria.ErrorRate,
        criteria.ExpectedCost,
        criteria.LeastExpectedRegret,
        criteria.Maximize,
        criteria.MinimaxRegret,
        limits.Capacity,
        limits.Constrained,
        limits.CostLimit,
        limits.MinimumPrecision,
        limits.MinimumTpr,
        limits.NeymanPearson,
        limits.PredictedPositiveLimit,
        shapes.Atoms,
        shapes.BetaShape,
        shapes.ScipyShape,
        shapes.PiecewiseLinear,
    )
}


def to_plain(value: Any, arrays: dict[str, AnyArray] | None = None) -> Any:
    """Return a criterion, operating point, curve, costs or simple value as plain data.

    Arrays are put into `arrays` by file name, if given; otherwise their numbers are listed.
    """
    plain = partial(to_plain, arrays=arrays)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, np.generic):
        return plain(value.item())
    if type(value) in KNOWN.values():
        fields = {name: plain(getattr(value, name)) for name in _field_names(type(value))}
        return {"type": type(value).__name__, "fields": fields}
    if isinstance(value, Mapping):
        return {"mapping": plain(tuple(value.items()))}
    if isinstance(value, tuple | list):
        return {"items": [plain(item) for item in value]}
    if isinstance(value, np.ndarray) and arrays is not None:
        name = f"arrays/{len(arrays)}.npy"
        arrays[name] = value
        return {"file": name}
    if isinstance(value, np.ndarray) and value.dtype == float:
        return {"array": plain(value.tolist())}
    if _is_scipy_distribution(value):
        given = [plain(tuple(value.args)), plain(tuple(value.kwds.items()))]
        return {"scipy": value.dist.name, "given": given}
    raise InputError(
        "model",
        "have settings that can be saved as plain data",
        describe_type(value),
        "Use the package's own criteria; a metric must be one of the named ones.",
    )


def from_plain(data: Any, arrays: Mapping[str, AnyArray] | None = None) -> Any:
    """Return what `to_plain` wrote."""
    known = partial(from_plain, arrays=arrays)
    match data:
        case {"float": str(text)}:
            return float(text)
        case {"bytes": str(digits)}:
            return bytes.fromhex(digits)
        case {"array": numbers}:
            return np.array(known(numbers), dtype=float)
        case {"file": str(name)} if arrays is not None:
            return arrays[name]
        case {"scipy": str(name), "given": [args, options]}:
            return _from_scipy(name, known(args), dict(known(options)))
        case {"mapping": pairs}:
            return dict(known(pairs))
        case {"items": list(items)}:
            return tuple(known(item) for item in items)
        case {"type": str(name), "fields": dict(fields)} if name in KNOWN:
            return _rebuild(KNOWN[name], {key: known(value) for key, value in fields.items()})
        case None | bool() | int() | float() | str():
            return data
    raise InputError("data", "be plain data that this version can read", repr(data))


def _rebuild(kind: type[Any], values: dict[str, Any]) -> Any:
    if kind is limits.Constrained:
        return kind(values["goal"], *values["others"])
    if kind is CostMatrix:
        return CostMatrix.of_bounds(**values)
    if kind is DirichletBelief:
        return kind(dict(zip(values["keys"], values["alphas"].tolist(), strict=True)))
    return kind(**{name: values[name] for name in _field_names(kind)})


def _field_names(kind: type[Any]) -> list[str]:
    if issubclass(kind, tuple):
        return list(kind._fields)  # type: ignore[attr-defined]
    return [field.name for field in dataclasses.fields(kind)]


def _is_scipy_distribution(value: Any) -> bool:
    name = getattr(getattr(value, "dist", None), "name", None)
    if name is None:
        return False
    from scipy import stats

    return isinstance(value.dist, type(getattr(stats, name, None)))


def _from_scipy(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    from scipy import stats

    found = getattr(stats, name, None)
    numbers = all(is_number(value) for value in (*args, *options.values()))
    if not isinstance(found, stats.rv_continuous) or not numbers:
        requirement = "name a continuous distribution of SciPy's, with numbers"
        raise InputError("data", requirement, repr(name))
    return found(*args, **options)


# skops builds trusted types only: scikit-learn's public estimators, NumPy, SciPy, the lists below,
# and what the caller names.

# How many times its size a possibly forged file may become; sparse matrices are compressed.
MOST_UNPACKED = 20
# Bytes that any file may become.
LEAST_ROOM = 2**24

# Types inside scikit-learn's public estimators, by module.
SCIKIT_LEARN = {
    "_loss.link": "Interval LogitLink",
    "_loss.loss": "HalfBinomialLoss HalfTweedieLoss HalfTweedieLossIdentity",
    "calibration": "_CalibratedClassifier _SigmoidCalibration _TemperatureScaling",
    "cluster._bisect_k_means": "_BisectingTree",
    "cluster._kmeans": "_kmeans_single_elkan _kmeans_single_lloyd",
    "compose._column_transformer": "make_column_selector",
    "ensemble._hist_gradient_boosting.binning": "_BinMapper",
    "ensemble._hist_gradient_boosting.predictor": "TreePredictor",
    "feature_selection._mutual_info": "mutual_info_classif mutual_info_regression",
    "feature_selection._univariate_selection": "chi2 f_classif f_regression r_regression",
    "gaussian_process._gpc": "_BinaryGaussianProcessClassifierLaplace",
    "gaussian_process.kernels": (
        "CompoundKernel ConstantKernel DotProduct ExpSineSquared Exponentiation Matern "
        "PairwiseKernel Product RBF RationalQuadratic Sum WhiteKernel"
    ),
    # public, but unknown to skops unless enabled before its import
    "impute._iterative": "IterativeImputer _ImputerTriplet",
    "metrics._dist_metrics": (
        "BrayCurtisDistance64 CanberraDistance64 ChebyshevDistance64 DiceDistance64 "
        "EuclideanDistance64 HammingDistance64 HaversineDistance64 JaccardDistance64 "
        "MahalanobisDistance64 ManhattanDistance64 MinkowskiDistance64 RogersTanimotoDistance64 "
        "RussellRaoDistance64 SEuclideanDistance64 SokalSneathDistance64"
    ),
    "metrics._scorer": "_CurveScorer _MultimetricScorer _PassthroughScorer _Scorer",
    "model_selection._search_successive_halving": "HalvingGridSearchCV HalvingRandomSearchCV",
    "model_selection._split": (
        "GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut LeavePGroupsOut "
        "LeavePOut PredefinedSplit RepeatedKFold RepeatedStratifiedKFold ShuffleSplit "
        "StratifiedGroupKFold StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit"
    ),
    "multiclass": "_ConstantPredictor",
    "neighbors._ball_tree": "BallTree",
    "neighbors._kd_tree": "KDTree",
    "neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
    "tree._tree": "Tree",
    "utils._bunch": "Bunch",
    "utils._metadata_requests": "MetadataRequest MethodMetadataRequest",
    "utils.validation": "check_array",
}

# Types accepted beyond those that skops trusts.
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
        "rocch.hybrid.families.KnnFamily",
        "rocch.hybrid.families.MlpFamily",
        "rocch.hybrid.estimators.LabelColumn",
        "rocch.hybrid.estimators.ScoreColumn",
        "scipy._lib.array_api_compat.numpy._aliases.asarray",
        "scipy.interpolate._bsplines.BSpline",
        "scipy.interpolate._bsplines._BSpline",
        "scipy.sparse._csc.csc_array",
        "scipy.sparse._csc.csc_matrix",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "xgboost.sklearn.XGBClassifier",
    }
    | {f"sklearn.{place}.{name}" for place, names in SCIKIT_LEARN.items() for name in names.split()}
)

# Objects of libraries, which refer to everything else.
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, np.ufunc)

# Functions accepted in functools.partial.
PARTIAL = frozenset({"sklearn.utils.validation.check_array"})

# Types whose memory only other libraries can read: accepted in known files only.
RAW = frozenset({"lightgbm.basic.Booster", "xgboost.core.Booster"})


@cache
def _metrics() -> frozenset[str]:
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
    """Return a model as written by skops, if all its types are listed."""
    sio = _skops()
    trusted = set(trusted)
    try:
        with _without_cycles(model), _with_listed_columns(model):
            data: bytes = sio.dumps(model)
    except Exception as error:
        kind = type(_find_unsavable(model, sio.dumps))
        raise InputError(
            repr(name),
            "have a form that can be saved",
            f"a {kind.__module__}.{kind.__qualname__} within it ({error})",
            "Use importable classes and functions, no lambdas, generators or open files.",
        ) from error
    if "functools.partial" in _listed_types(name, data, trusted, known=True):
        _check_partials(name, _reachable(model), trusted)
    return data


@contextmanager
def _without_cycles(model: Any) -> Iterator[None]:
    """Hide references of histogram boosting to itself, which skops would follow for ever."""
    # After early stopping by a scorer these are a method that the class has too, and the scorer,
    # which only a further fit would use.
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


@contextmanager
def _with_listed_columns(model: Any) -> Iterator[None]:
    """Write a pandas Index of column names as a list, which selects the same columns."""
    from sklearn.compose import ColumnTransformer  # libraries are read without scikit-learn

    held = [
        (vars(each), name, value)
        for each in _reachable(model)
        if isinstance(each, ColumnTransformer)
        for name, value in vars(each).items()
        if name in ("transformers", "transformers_", "_columns")
    ]
    for attributes, name, value in held:
        attributes[name] = _list_columns(value)
    try:
        yield
    finally:
        for attributes, name, value in held:
            attributes[name] = value


def _list_columns(value: Any) -> Any:
    """Return the same with lists for each pandas Index."""
    if isinstance(value, list | tuple):
        return type(value)(map(_list_columns, value))
    is_pandas = type(value).__module__.partition(".")[0] == "pandas"
    return value.tolist() if is_pandas and hasattr(value, "tolist") else value


def _find_unsavable(part: Any, dump: Callable[[Any], bytes]) -> Any:
    """Return the innermost part of a model that cannot be saved."""
    inner = part.values() if isinstance(part, Mapping) else part
    if not isinstance(part, Mapping | list | tuple):
        inner = getattr(part, "__dict__", {}).values()
    for each in inner:
        try:
            dump(each)
        except Exception:
            return _find_unsavable(each, dump)
    return part


def read_models(
    files: Mapping[str, bytes], trusted: Iterable[str], *, known: bool
) -> dict[str, Any]:
    """Build models from files, after checking all types.

    Parameters
    ----------
    files
        File contents by model name.
    trusted
        Types to accept beyond the lists.
    known
        Whether a digest identified the files. Others are unpacked within bounds, their arrays are
        checked (`model_memory.py`), and memory that cannot be checked is refused.
    """
    trusted = set(trusted)
    if not known:
        files = {name: _unpack_model(name, data) for name, data in files.items()}
    types = {name: _listed_types(name, data, trusted, known=known) for name, data in files.items()}
    return {
        name: _build(name, data, types[name], trusted, known=known) for name, data in files.items()
    }


def _unpack_model(name: str, data: bytes) -> bytes:
    try:
        room = LEAST_ROOM + MOST_UNPACKED * len(data)
        parts = _unpack_within(data, room)
        schema = json.loads(parts["schema.json"])
        _count_nodes(schema, {})
        for each in list(_described(schema)):
            if each.get("__loader__") == "TreeNode":
                _check_nodes(each, parts)
        _check_room(schema, parts, room)
        return _zip_files(parts | {"schema.json": json.dumps(schema).encode()})
    except TooLargeError:
        raise InputError(
            repr(name),
            f"unpack to at most {MOST_UNPACKED} times its size",
            "more, as a forged file might",
            "If you trust the file, give the digest that was recorded when it was saved.",
        ) from None
    except Exception as error:
        raise _unreadable(name, error) from error


def _count_nodes(part: Any, sizes: dict[Any, int]) -> int:
    """Return how many objects a schema describes; refuse short forms, which skops never writes."""
    if isinstance(part, list):
        return sum(_count_nodes(each, sizes) for each in part)
    if not isinstance(part, dict):
        return 0
    size = 1 + sum(_count_nodes(each, sizes) for each in part.values())
    if "__id__" in part and sizes.setdefault(part["__id__"], size) != size:
        raise ValueError("an object is described in two ways")
    return size


def _described(schema: Any) -> Iterator[dict[str, Any]]:
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
        if isinstance(each, dict | list):
            waiting.extend(each.values() if isinstance(each, dict) else each)


def _check_nodes(tree: dict[str, Any], parts: Mapping[str, bytes]) -> None:
    """Refuse a tree whose nodes are no one-dimensional array."""
    # without identities, so that no part comes from skops's memory of other objects
    for each in _described([tree["content"], tree["__reduce__"]]):
        each.pop("__id__", None)
    state = tree["content"]
    nodes = state["content"].get("nodes", {})
    kinds = [each[f"__{key}__"] for each in (state, nodes) for key in ("loader", "class")]
    is_array = kinds == ["DictNode", "dict", "NdArrayNode", "ndarray"] and nodes["type"] == "numpy"
    if not is_array or len(_check_array(parts[nodes["file"]])) != 1:
        raise ValueError("a tree's nodes are no one-dimensional array")


def _check_room(schema: Any, parts: Mapping[str, bytes], room: int) -> None:
    """Refuse objects read from more than `room` bytes; a file may name one part many times."""
    read = set[str]()
    for each in _described(schema):
        part, known = each.get("file"), repr((each.get("__id__"), each.get("file")))
        if isinstance(part, str) and (known not in read or "__id__" not in each):
            read.add(known)
            room -= len(parts.get(part, b""))
    if room < 0:
        raise TooLargeError


def _listed_types(name: str, data: bytes, trusted: set[str], *, known: bool) -> list[str]:
    """Return the types that skops does not trust; refuse unlisted ones."""
    sio = _skops()
    try:
        types: list[str] = sio.get_untrusted_types(data=data)
    except Exception as error:
        raise _unreadable(name, error) from error
    in_place = [kind for kind in types if "<" in kind]
    if in_place:
        raise InputError(
            repr(name),
            "hold no functions or classes written in place",
            ", ".join(in_place),
            "Define them in a module.",
        )
    unlisted = [kind for kind in types if kind not in ALLOWED | RAW | _metrics() | trusted]
    if unlisted:
        raise _unlisted(name, unlisted)
    raw = [] if known else [kind for kind in types if kind in RAW - trusted]
    if raw:
        digest = "the digest that was recorded when it was saved"
        trust = "if you trust the file, name its types: {trusted=}"
        raise UntrustedError(
            f"{name!r} holds memory of another library's trees, which a forged file could misuse.",
            hint=Hint(
                f"Give {digest}; or, {trust}.",
                cli=f"Give {digest} ({{digest}}); or, {trust}",
                http="If you trust the file, start the service with trust in {types}.",
            ),
            trusted=raw,
            types=", ".join(raw),
        )
    return types


def _build(name: str, data: bytes, types: list[str], trusted: set[str], *, known: bool) -> Any:
    try:
        model = _skops().loads(data, trusted=types)
        objects = list(_reachable(model))
        _check_partials(name, objects, trusted)
        if not known:
            from rocch.hybrid.model_memory import check_memory  # imports scikit-learn

            check_memory(objects)
    except (Warning, UntrustedError):  # warnings may be errors
        raise
    except ModuleNotFoundError as error:
        got = f"one that needs the package {error.name!r}"
        raise InputError(repr(name), "be a model of installed packages", got) from error
    except Exception as error:
        raise _unreadable(name, error) from error
    return model


def _reachable(model: Any) -> Iterator[Any]:
    """Yield a model and everything that it holds, each object once."""
    seen, waiting = set[int](), [model]
    alive = []  # so that no address is used twice
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, CODE):
            continue
        seen.add(id(each))
        alive.append(each)
        yield each
        holds_objects = isinstance(each, np.ndarray) and each.dtype.hasobject
        waiting.extend(each.flat if holds_objects else gc.get_referents(each))


def _check_partials(name: str, objects: Iterable[Any], trusted: set[str]) -> None:
    """Refuse a `functools.partial` of an unlisted function."""
    functions = (each.func for each in objects if isinstance(each, partial))
    names = {f"{f.__module__}.{getattr(f, '__name__', type(f).__name__)}" for f in functions}
    if "functools.partial" not in trusted and not names <= PARTIAL:
        raise _unlisted(name, ["functools.partial"])


def _unlisted(name: str, types: Iterable[str]) -> UntrustedError:
    found = list(types)
    return UntrustedError(
        f"{name!r} holds types that are not on the allow-list.",
        hint=Hint(
            "If you trust them, name them: {trusted=}.",
            cli="If you trust them, name them: {trusted=}",
            http="If you trust them, start the service with trust in {types}.",
        ),
        trusted=found,
        types=", ".join(found),
    )


def _unreadable(name: str, error: BaseException) -> InputError:
    got = f"damaged or forged data ({str(error) or type(error).__name__})"
    return InputError(repr(name), "be a model as it was saved", got)
