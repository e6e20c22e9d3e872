"""Arrays of other libraries: taken from gradients, short formats and other devices, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch

rng = np.random.default_rng(3)
Y = np.arange(60) % 2
SCORES = np.round(rng.normal(size=60) * 2 + Y)  # whole, so that every format holds them
X = np.column_stack((SCORES, rng.normal(size=60)))
POSTERIORS = np.column_stack((np.full(60, 0.5) - SCORES / 64, np.full(60, 0.5) + SCORES / 64))


class Tensor:
    """What a tensor of PyTorch does when NumPy asks for it, without PyTorch."""

    def __init__(
        self, values: Any, *, kind: str = "", device: str = "cpu", requires_grad: bool = False
    ) -> None:
        self.values = np.asarray(values)
        self.kind, self.device, self.requires_grad = kind, device, requires_grad

    @property
    def dtype(self) -> str:
        return f"torch.{self.kind or self.values.dtype}"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def detach(self) -> Tensor:
        return Tensor(self.values, kind=self.kind, device=self.device)

    def cpu(self) -> Tensor:
        if self.device == "meta":
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return Tensor(self.values, kind=self.kind, requires_grad=self.requires_grad)

    def is_floating_point(self) -> bool:
        return self.kind == "bfloat16" or self.values.dtype.kind == "f"

    def element_size(self) -> int:
        return 2 if self.kind == "bfloat16" else self.values.itemsize

    def float(self) -> Tensor:
        return Tensor(self.values.astype(np.float32), device=self.device)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.kind == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        if self.device != "cpu":
            raise TypeError(f"can't convert {self.device} device type tensor to numpy.")
        return np.array(self.values, dtype=dtype)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("Can't export tensors that require gradient or lie elsewhere.")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1 if self.device == "cpu" else 2), 0


class OnDevice:
    """An array of the array API's standard on another device, which only DLPack copies."""

    device = "device1"

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.shape, self.dtype = self.values.shape, self.values.dtype

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("Can't convert array on the 'device1' device to a NumPy array.")

    def __dlpack__(self, **asked: Any) -> Any:
        if asked.get("dl_device") != (1, 0):
            raise BufferError("It lies on another device.")
        return self.values.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class Explicit(OnDevice):
    """An array of CuPy, which is copied on demand only; NumPy before 2.1 has no other way."""

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("It lies on another device.")

    def get(self) -> Any:
        return self.values


def tensor(**how: Any) -> Any:
    return lambda values: Tensor(values, **how)


TAKEN = {
    "tensor": tensor(),
    "with gradients": tensor(requires_grad=True),
    "on another device": tensor(device="cuda:0"),
    "with gradients on another device": tensor(device="cuda:0", requires_grad=True),
    "DLPack": OnDevice,
    "on demand": Explicit,
}
taken = pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN.keys())


@taken
def test_labels_scores_and_weights_are_taken(make: Any) -> None:
    weights = 1.0 + np.arange(60) % 3
    found = rocch.RocCurve.from_scores(make(Y), make(SCORES), sample_weight=make(weights))
    wanted = rocch.RocCurve.from_scores(Y, SCORES, sample_weight=weights)
    assert found.true_positives.tolist() == wanted.true_positives.tolist()
    assert found.totals == wanted.totals
    assert rocch.auc(make(Y), make(SCORES)) == rocch.auc(Y, SCORES)


def test_short_floats_are_taken_as_they_are() -> None:
    short = Tensor(SCORES.astype(np.float32), kind="bfloat16", requires_grad=True)
    assert rocch.auc(Y, short) == rocch.auc(Y, SCORES)


def test_short_floats_that_numpy_lacks_are_taken_as_they_are() -> None:
    short = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes, which comes with JAX")
    scores = SCORES.astype(short.bfloat16)
    holder = type("Holder", (), {"__array__": lambda *_, **__: scores, "__len__": lambda _: 60})
    assert rocch.auc(Y, holder()) == rocch.auc(Y, SCORES)


@taken
def test_posteriors_are_taken(make: Any) -> None:
    found = rocch.multiclass.multiclass_auc(make(Y), make(POSTERIORS))
    assert found.hand_till == rocch.multiclass.multiclass_auc(Y, POSTERIORS).hand_till


@taken
def test_hybrids_are_fitted_on_a_copy(make: Any) -> None:
    estimators = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    found = rocch.RocchClassifier(estimators).fit(make(X), make(Y))
    wanted = rocch.RocchClassifier(estimators).fit(X, Y)
    assert found.hull_ == wanted.hull_
    assert type(found.predict(make(X))) is np.ndarray
    assert found.predict(make(X)).tolist() == wanted.predict(X).tolist()


def test_surfaces_are_fitted_on_a_copy() -> None:
    estimators = [("nb", GaussianNB())]
    found, wanted = (
        rocch.RocSurfaceClassifier(estimators, generations=3).fit(make(X), make(Y))
        for make in (OnDevice, np.asarray)
    )
    assert found.predict(OnDevice(X)).tolist() == wanted.predict(X).tolist()


def test_what_cannot_be_copied_is_refused_in_our_words() -> None:
    nowhere = Tensor(SCORES, device="meta")
    with pytest.raises(rocch.InputError, match=r"y_score must be data that NumPy can read.*meta"):
        rocch.auc(Y, nowhere)
    with pytest.raises(
        rocch.InputError, match=r"X must be data that NumPy can read.*on device meta"
    ):
        rocch.RocchClassifier([("nb", GaussianNB())]).fit(Tensor(X, device="meta"), Y)
    with pytest.raises(rocch.InputError, match=r"y must be data that NumPy can read"):
        rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, Tensor(Y, device="meta"))


def test_lists_of_single_tensors_are_lists_of_their_values() -> None:
    labels = [Tensor(value) for value in (1, 0, 1, 0)]
    scores: list[Any] = [Tensor(value, requires_grad=True) for value in (0.9, 0.1, 0.4, 0.5)]
    assert rocch.auc(labels, scores) == 0.75
    assert rocch.auc(labels, [scores[0], 0.1, scores[2], 0.5]) == 0.75  # beside plain numbers
    with pytest.raises(rocch.InputError, match="y_score must be data that NumPy can read"):
        rocch.auc(labels, [Tensor(0.5, device="meta")] * 4)
