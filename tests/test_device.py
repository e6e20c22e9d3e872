"""Arrays on a device: the same hulls, curves and AUCs as NumPy's, and errors that help.

`array_api_strict` has devices that NumPy cannot read, everywhere. PyTorch's tensors on the host
stand for those of a GPU, where the generic code is called with them; a real GPU is used if there
is one.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import pickle
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.kernels import device
from rocch.kernels.counting import distinct_counts, twice_pairs_won
from rocch.kernels.refine import hull_from_scores
from rocch.rows import ScoredRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.arrays import BoolArray, FloatArray

strict = pytest.importorskip("array_api_strict", reason="needs array-api-strict")
torch: Any = None
torch_namespace: Any = None
if importlib.util.find_spec("torch") is not None:
    torch = importlib.import_module("torch")
    torch_namespace = importlib.import_module("array_api_compat.torch")

needs_torch = pytest.mark.skipif(torch is None, reason="needs PyTorch")
needs_gpu = pytest.mark.skipif(
    torch is None or not torch.cuda.is_available(), reason="needs a GPU that CUDA runs on"
)

FLOATS = {"float64": "float64", "float32": "float32"}
SHORT = {"float16": "float16", "bfloat16": "bfloat16"}


def draw(kind: str, rows: int, seed: int = 0) -> tuple[BoolArray, FloatArray]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    y[:2] = False, True
    s = rng.normal(size=rows) + y
    if kind == "tied":
        s = np.round(s, 1)
    elif kind == "heavy":
        s = np.sign(s) * np.exp(6 * np.abs(s))
    elif kind == "infinite":
        s[::10], s[1::10] = np.inf, -np.inf
    elif kind == "zeros":
        s[::3], s[1::3] = 0.0, -0.0
    elif kind == "separate":
        s += 20 * y
    elif kind == "reversed":
        s = -s
    elif kind == "sorted":
        order = np.argsort(s)
        y, s = y[order], s[order]
    return y, s


KINDS = ("normal", "tied", "heavy", "infinite", "zeros", "separate", "reversed", "sorted")
kinds = pytest.mark.parametrize("kind", KINDS)
sizes = pytest.mark.parametrize("rows", [2, 3, 50, 2000, 20_000])


def check(xp: Any, scores: Any, positive: Any, y: BoolArray, s: FloatArray) -> None:
    """Compare the three jobs on a device with NumPy's."""
    totals = int(np.count_nonzero(~y)), int(np.count_nonzero(y))
    pairs = [
        (device.hull_on_device(xp, scores, positive, totals), hull_from_scores(s, y)),
        (device.curve_on_device(xp, scores, positive), distinct_counts(s, y)),
    ]
    for found, wanted in pairs:
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
            if one.dtype == np.float64:
                assert not np.signbit(one[one == 0]).any()
    assert device.twice_pairs_won_on_device(xp, scores, positive) == twice_pairs_won(s, y)


@needs_torch
@kinds
@sizes
@pytest.mark.parametrize("kept", [device.FEW, 1])
def test_tensors_of_any_float(
    kind: str, rows: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "FEW", kept)
    monkeypatch.setattr(device, "BLOCKS", 1 if rows < 50 else 16)
    y, s = draw(kind, rows, rows)
    for name in ("float64", "float32", "float16", "bfloat16"):
        scores = torch.tensor(s).to(getattr(torch, name))
        check(torch_namespace, scores, torch.tensor(y), y, scores.double().numpy())


@needs_torch
def test_counts_whose_products_leave_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "FEW", 1)
    monkeypatch.setattr(device, "BLOCKS", 16)
    monkeypatch.setattr(device, "safe_products", lambda *_: False)
    y, s = draw("normal", 3000)
    check(torch_namespace, torch.tensor(s), torch.tensor(y), y, s)


@pytest.fixture(params=["array_api_strict", pytest.param("cuda", marks=needs_gpu)])
def there(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """Return what moves an array to a device that NumPy cannot read."""
    if request.param == "cuda":
        return lambda values: torch.tensor(values, device="cuda")
    return lambda values: strict.asarray(values, device=strict.Device("device1"))


@kinds
@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_public_results_are_numpys(kind: str, there: Callable[[Any], Any]) -> None:
    y, s = draw(kind, 5000)
    _, other = draw("normal", 5000, 1)
    columns: dict[str, Any] = {"a": s, "b": other, "c": s.astype(np.float32)}
    found = rocch.RocHull.from_scores(there(y), {n: there(each) for n, each in columns.items()})
    wanted = rocch.RocHull.from_scores(y, columns)
    assert found == wanted
    assert found.vertices == wanted.vertices
    curve = rocch.RocCurve.from_scores(there(y), there(s), name="a")
    assert curve == replace(rocch.RocCurve.from_scores(y, s, name="a"), totals=curve.totals)
    assert rocch.auc(there(y), there(s)) == rocch.auc(y, s)
    best = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(3, 5))
    assert found.best(rocch.MinimaxRegret(best)) == wanted.best(rocch.MinimaxRegret(best))
    assert found.members[0].curve() == curve  # counted there, on demand


def test_copies_of_a_hull_have_its_rows_on_the_host(there: Callable[[Any], Any]) -> None:
    y, s = draw("normal", 500)
    hull = rocch.RocHull.from_scores(there(y), {"a": there(s), "b": there(np.round(s))})
    copies = [pickle.loads(pickle.dumps(hull)), copy.deepcopy(hull)]  # noqa: S301 - our own bytes
    for one in copies:
        assert one == hull
        for mine, theirs in zip(one.members, hull.members, strict=True):
            assert mine.curve() == theirs.curve()
            rows, same = mine.rows, theirs.rows
            assert isinstance(rows, ScoredRows)
            assert isinstance(same, ScoredRows)
            assert list(rows.scores) == [mine.name]  # those of others are not copied again
            np.testing.assert_array_equal(rows.scores[mine.name], same.scores[mine.name])


@pytest.mark.parametrize("kind", ["normal", "tied", "infinite", "sorted"])
def test_scores_stay_there_while_rows_are_resampled(
    kind: str, there: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    y, s = draw(kind, 400)
    columns = {"a": s, "b": draw("normal", 400, 1)[1]}
    options: Any = {"replicates": 60, "random_state": 3}
    wanted = rocch.stats.bootstrap(y, columns, **options)
    with monkeypatch.context() as patch:
        patch.setattr("rocch.device.as_scores", None)  # which would copy scores
        moved = {name: there(column) for name, column in columns.items()}
        found = rocch.stats.bootstrap(there(y), moved, **options)
        ends = found.auc_interval("a", confidence=0.9)
        hull = found.sample_hull
    assert np.array_equal(found.aucs, wanted.aucs)
    assert np.array_equal(found.tprs, wanted.tprs)
    assert np.array_equal(found.hull_auc(), wanted.hull_auc())
    assert ends == wanted.auc_interval("a", confidence=0.9)
    assert hull.vertices == wanted.sample_hull.vertices
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - what we pickled ourselves
    for one in (found, again):  # what needs scores copies them
        for other, same in zip(one.boxes("a", [0.5]), wanted.boxes("a", [0.5]), strict=True):
            assert other == same
        assert one.map(lambda replicate: replicate.auc("b")) == wanted.auc("b").tolist()
    groups = np.arange(400) // 4
    grouped = rocch.stats.bootstrap(there(y), moved, groups=groups, **options)
    assert np.array_equal(
        grouped.aucs, rocch.stats.bootstrap(y, columns, groups=groups, **options).aucs
    )


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True), (0.0, 1.0)])
def test_labels_of_any_kind(labels: tuple[Any, Any], there: Callable[[Any], Any]) -> None:
    y, s = draw("normal", 500)
    given = np.where(y, labels[1], labels[0])
    assert rocch.auc(there(given), there(s)) == rocch.auc(y, s)
    assert rocch.auc(there(given), there(-s), pos_label=labels[0]) == rocch.auc(~y, -s)


def test_what_is_weighted_or_not_of_floats_is_read_on_the_host(there: Callable[[Any], Any]) -> None:
    y, s = draw("tied", 500)
    whole, weights = np.round(10 * s).astype(np.int64), 1.0 + np.arange(500) % 3
    assert rocch.auc(there(y), there(whole)) == rocch.auc(y, s)
    found = rocch.RocCurve.from_scores(there(y), there(s), sample_weight=there(weights))
    assert found == rocch.RocCurve.from_scores(y, s, sample_weight=weights)


def test_bad_input_is_refused_as_numpys_is(there: Callable[[Any], Any]) -> None:
    y, s = draw("normal", 50)
    missing = np.where(np.arange(50) == 7, np.nan, s)
    cases: list[tuple[Any, Any]] = [(y, missing), (y[:40], s), (y & False, s), (3 * y, s)]
    for labels, scores in cases:
        with pytest.raises(rocch.InputError) as wanted:
            rocch.auc(labels, scores)
        with pytest.raises(rocch.InputError) as found:
            rocch.auc(there(labels), there(scores))
        assert str(found.value) == str(wanted.value)
    with pytest.raises(rocch.InputError, match=r"scores\['a'\] must have no missing values"):
        rocch.RocHull.from_scores(there(y), {"a": there(missing)})


def test_reversed_scores_are_noticed(there: Callable[[Any], Any]) -> None:
    y, s = draw("normal", 2000)
    for job in (rocch.auc, rocch.RocCurve.from_scores, rocch.RocHull.from_scores):
        with pytest.warns(rocch.PositiveClassWarning, match="are higher for negatives"):
            job(there(y), there(-s))


def test_arrays_of_several_devices_are_refused(there: Callable[[Any], Any]) -> None:
    y, s = draw("normal", 50)
    with pytest.raises(rocch.InputError, match="y_true must be on the device of the other arrays"):
        rocch.auc(y, there(s))
    with pytest.raises(rocch.InputError, match="y_score must be on the device of the other arrays"):
        rocch.auc(there(y), s)
    elsewhere = strict.asarray(s, device=strict.Device("device2"))
    with pytest.raises(rocch.InputError, match=r"scores\['b'\] must be on the device of the other"):
        rocch.RocHull.from_scores(there(y), {"a": there(s), "b": elsewhere})


def test_numpy_that_reads_no_other_device_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_before_numpy_2_1(values: Any) -> Any:
        return values.__dlpack__()

    monkeypatch.setattr(np, "from_dlpack", read_before_numpy_2_1)
    y, s = draw("normal", 50)
    labels, scores = (strict.asarray(each, device=strict.Device("device1")) for each in (y, s))
    with pytest.raises(rocch.InputError, match="scores must be data that NumPy can read"):
        rocch.RocHull.from_scores(labels, scores)


class OutOfMemoryError(RuntimeError):
    """The error of a GPU's memory."""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            OutOfMemoryError("Tried to allocate 80.00 GiB."),
            r"leave room in the memory.*80.00 GiB.*Free",
        ),
        (
            RuntimeError("The dimension being sorted can not have more than INT_MAX elements."),
            r"be fewer than 2\^31 .*INT_MAX elements.*Move them to the host.*16 bits",
        ),
    ],
    ids=["memory", "sort"],
)
def test_what_a_device_cannot_do_is_explained(
    error: Exception, words: str, there: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise error

    for name in ("hull_on_device", "curve_on_device", "twice_pairs_won_on_device"):
        monkeypatch.setattr(f"rocch.device.{name}", fail)
    y, s = draw("normal", 50)
    for job in (rocch.auc, rocch.RocCurve.from_scores, rocch.RocHull.from_scores):
        with pytest.raises(rocch.InputError, match=words):
            job(there(y), there(s))


@pytest.fixture
def kernels_fail(
    there: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Exception], None]]:
    """Return what lets kernels fail, on a stand-in for a GPU if there is none."""
    kind = type(there(np.zeros(1)))
    if not hasattr(kind, "is_cuda"):
        monkeypatch.setattr(kind, "is_cuda", True, raising=False)

    def fail(error: Exception) -> None:
        def count_rows(*_: Any) -> None:
            raise error

        stand_in = SimpleNamespace(count_rows=count_rows)
        monkeypatch.setattr("rocch.kernels._triton", stand_in, raising=False)
        device._try_kernels.cache_clear()

    yield fail
    device._try_kernels.cache_clear()


def test_without_its_kernels_a_gpu_gives_the_same_after_a_warning(
    there: Callable[[Any], Any], kernels_fail: Callable[[Exception], None]
) -> None:
    y, s = draw("normal", 500)
    kernels_fail(RuntimeError("Failed to find C compiler.\nPlease specify it."))
    with pytest.warns(rocch.RocchWarning, match=r"do not run on .*: Failed to find C compiler$"):
        found = rocch.RocHull.from_scores(there(y), there(s))
    assert found == rocch.RocHull.from_scores(y, s)
    assert rocch.RocHull.from_scores(there(y), there(s)) == found  # without a warning
    kernels_fail(ModuleNotFoundError("No module named 'triton'", name="triton"))
    assert rocch.RocHull.from_scores(there(y), there(s)) == found


def test_kernels_are_tried_again_when_memory_is_free(
    there: Callable[[Any], Any], kernels_fail: Callable[[Exception], None]
) -> None:
    y, s = draw("normal", 500)
    kernels_fail(RuntimeError("CUDA out of memory."))
    for _ in range(2):
        with pytest.raises(rocch.InputError, match="leave room in the memory"):
            rocch.auc(there(y), there(s))


@needs_gpu
@kinds
@pytest.mark.parametrize("rows", [2, 1000, 300_000, 3_000_000])
@pytest.mark.parametrize("cut_share", [1.0, 0.0])
def test_gpu(kind: str, rows: int, cut_share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    from rocch.kernels import _triton

    monkeypatch.setattr(_triton, "CUT_SHARE", cut_share)
    y, s = draw(kind, rows, rows)
    positive = torch.tensor(y, device="cuda")
    for name in ("float64", "float32", "float16", "bfloat16"):
        scores = torch.tensor(s, device="cuda").to(getattr(torch, name))
        check(torch_namespace, scores, positive, y, scores.double().cpu().numpy())


@needs_gpu
@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
@kinds
def test_cupy(kind: str) -> None:
    cupy = pytest.importorskip("cupy")
    y, s = draw(kind, 50_000)
    found = rocch.RocHull.from_scores(cupy.asarray(y), {"a": cupy.asarray(s)})
    assert found.vertices == rocch.RocHull.from_scores(y, {"a": s}).vertices
    assert rocch.auc(cupy.asarray(y), cupy.asarray(s)) == rocch.auc(y, s)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the kernels for a GPU, run by Triton's interpreter in small blocks."""
    if importlib.util.find_spec("triton") is None:
        pytest.skip("needs Triton, which comes with CUDA's PyTorch")
    if torch.cuda.is_available():
        pytest.skip("Triton's interpreter is for the host")
    monkeypatch.setenv("TRITON_INTERPRET", "1")  # read at the import
    from rocch.kernels import _triton

    small = {"BLOCK": 256, "PARTS": 16, "CHUNK": 64, "CORNERS": 32, "ROOM": 1, "COARSE": 4}
    limits = {"FEWEST_ROWS": 1000, "JOINING": 0.3, "MANY": 1, "MOST_PIECES": 2**12}
    for name, value in {**small, **limits}.items():
        monkeypatch.setattr(_triton, name, value)
    monkeypatch.setattr(device, "_kernels_for", lambda *_: _triton)
    return _triton


@needs_torch
@kinds
@pytest.mark.parametrize("cut_share", [1.0, 0.0])
def test_kernels_in_the_interpreter(
    kind: str, cut_share: float, interpreted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreted, "CUT_SHARE", cut_share)
    y, s = draw(kind, 2000)
    for name in ("float64", "float32"):
        scores = torch.tensor(s).to(getattr(torch, name))
        check(torch_namespace, scores, torch.tensor(y), y, scores.double().numpy())


@needs_torch
@kinds
@pytest.mark.parametrize("name", SHORT)
def test_16_bits_are_counted_by_score_in_the_interpreter(
    kind: str, name: str, interpreted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreted, "CHUNK", 2**14)
    monkeypatch.setattr(interpreted, "MOST_CELLS", 2**20)
    monkeypatch.setattr(interpreted._Refiner, "_sort", None)
    y, s = draw(kind, 2000)
    scores = torch.tensor(s).to(getattr(torch, name))
    totals = int(np.count_nonzero(~y)), int(np.count_nonzero(y))
    found = device.hull_on_device(torch_namespace, scores, torch.tensor(y), totals)
    for one, other in zip(found, hull_from_scores(scores.double().numpy(), y), strict=True):
        np.testing.assert_array_equal(one, other)
        assert not np.signbit(one[one == 0]).any()


@needs_torch
@pytest.mark.parametrize("name", SHORT)
def test_every_16_bit_float_has_a_cell_of_its_own(name: str, interpreted: Any) -> None:
    bits = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
    scores = bits.view(getattr(torch, name)).double()
    scores = torch.unique(scores[~torch.isnan(scores)])  # sorted
    grid = interpreted.choose_grid(scores.to(getattr(torch, name)))
    wide = scores.to(torch.float32).numpy()
    positions = interpreted._positions(wide, wide=False)
    cells = np.floor((grid.top - positions) * grid.factor)
    assert (np.diff(cells) < 0).all()
    assert (cells[0], cells[-1]) == (grid.cells - 1, 0)
    np.testing.assert_array_equal(grid.scores(cells), scores.numpy())
    assert grid.scores(np.array([-np.inf])) == [-np.inf]


@needs_torch
@pytest.mark.parametrize("rows", [2, 3, 700])
def test_few_rows_in_the_interpreter(rows: int, interpreted: Any) -> None:
    assert rows < interpreted.FEWEST_ROWS  # all are sorted
    y, s = draw("normal", rows)
    check(torch_namespace, torch.tensor(s), torch.tensor(y), y, s)


@needs_torch
@pytest.mark.parametrize("kind", ["normal", "heavy"])
def test_counts_beyond_32_and_products_beyond_64_bits(
    kind: str, interpreted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = interpreted._Refiner.__init__

    def begin_wide(refiner: Any, *arguments: Any) -> None:
        begin(refiner, *arguments)
        refiner.count, refiner.safe = torch.int64, False

    monkeypatch.setattr(interpreted._Refiner, "__init__", begin_wide)
    monkeypatch.setattr(interpreted, "CUT_SHARE", 0.0)
    y, s = draw(kind, 2000)
    check(torch_namespace, torch.tensor(s), torch.tensor(y), y, s)


@needs_torch
@pytest.mark.usefixtures("interpreted")
def test_positives_and_missing_scores_are_counted_in_the_interpreter() -> None:
    y, s = draw("normal", 10_000)
    missing = torch.tensor(np.where(np.arange(y.size) % 999 == 5, np.nan, s))
    columns = [torch.tensor(s), missing, missing.half(), missing.bfloat16()]
    positives, found = device.count_rows(torch_namespace, torch.tensor(y), columns)
    assert positives == np.count_nonzero(y)
    assert found == [False, True, True, True]


def _write_parts(number: Any, starts: Any, ends: Any) -> None:
    """Write the parts of programs; the interpreter knows what is global only."""
    kernels = importlib.import_module("rocch.kernels._triton")
    start, end = kernels._part(number, 2048, 512)
    kernels.tl.store(starts + kernels.tl.program_id(0), start)
    kernels.tl.store(ends + kernels.tl.program_id(0), end)


@needs_torch
def test_programs_share_nearly_2_31_rows(interpreted: Any) -> None:
    starts, ends = torch.zeros((2, 2048), dtype=torch.int64)
    interpreted.triton.jit(_write_parts)[(2048,)](2**31 - 1, starts, ends)
    assert starts[0] == 0
    assert torch.equal(starts[1:], ends[:-1])
    assert ends[-1] == 2**31 - 1
