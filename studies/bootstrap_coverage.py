"""How often intervals and bands hold the truth, by simulation; prints Markdown tables.

    python -m studies.bootstrap_coverage            # about ten minutes of one core
    python -m studies.bootstrap_coverage --quick    # a look, in half a minute

Scores are binormal with a known curve: negatives are standard normal, positives lie higher by what
the AUC asks for. *Tied* scores are rounded to multiples of 0.5, and the truth is the curve of the
rounded scores. *Clustered* rows come five to a cluster, all of one class, and share half of their
variance; they are judged with and without saying so. To add a method, add a line to the tables of
methods below.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

import rocch
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.kernels.hull import highest_tpr

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray, IntArray

SAVES_A_SECOND["resampling"] = 0  # many small bootstraps: compiled once, walked often

FPRS = np.linspace(0, 1, 101)
LOOKED_AT = (0.02, 0.05, 0.1, 0.3, 0.5, 0.8)
LEVEL = 0.95


@dataclass(frozen=True)
class Setting:
    """What a sample is drawn from."""

    auc: float
    positives: int
    negatives: int
    step: float | None = None
    """Scores are rounded to multiples of this, if given."""
    cluster: int = 1
    told: bool = False
    """Whether the bootstrap is told of clusters."""

    @property
    def words(self) -> str:
        """The beginning of a table's row."""
        extra = "" if self.step is None else ", tied"
        if self.cluster > 1:
            extra = ", clustered, groups " + ("told" if self.told else "not told")
        return f"| {self.auc} | {self.positives}/{self.negatives}{extra} "

    @cached_property
    def shift(self) -> float:
        """How much higher positives lie."""
        return float(norm.ppf(self.auc) * np.sqrt(2))

    @cached_property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """The true curve, densely enough for interpolation (exact where scores are rounded)."""
        cuts = np.linspace(9, -9, 3601)
        if self.step is not None:
            cuts = np.arange(9, -9, -self.step) + self.step / 2
        fpr, tpr = norm.sf(cuts), norm.sf(cuts - self.shift)
        return np.concatenate(([0], fpr, [1])), np.concatenate(([0], tpr, [1]))

    @cached_property
    def tpr(self) -> FloatArray:
        """The true TPR at all FPRs."""
        return highest_tpr(*self.curve, FPRS)

    @cached_property
    def true_auc(self) -> float:
        """The area under the true curve."""
        fpr, tpr = self.curve
        return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2)

    def draw(self, rng: np.random.Generator) -> tuple[BoolArray, FloatArray, IntArray | None]:
        """Draw labels, scores and, if told, groups."""
        y = np.arange(self.positives + self.negatives) < self.positives
        noise = rng.normal(size=y.size)
        groups = np.arange(y.size) // self.cluster
        if self.cluster > 1:
            noise = (noise + rng.normal(size=groups.max() + 1)[groups]) / np.sqrt(2)
        scores = noise + self.shift * y
        if self.step is not None:
            scores = np.round(scores / self.step) * self.step
        return y, scores, groups if self.told else None


@dataclass(frozen=True)
class Trial:
    """One sample, bootstrapped."""

    setting: Setting
    drawn: rocch.stats.Bootstrap

    @cached_property
    def pointwise(self) -> rocch.stats.RocBand:
        """The pointwise band."""
        return self.drawn.band("a", kind="pointwise", confidence=LEVEL)


Finding = tuple[bool, float]
"""Whether the truth was held, and the width."""


def auc_interval(method: Any) -> Callable[[Trial], Finding]:
    """Return a finding about one kind of interval for AUC."""

    def find(trial: Trial) -> Finding:
        low, high = trial.drawn.auc_interval("a", method=method, confidence=LEVEL)
        return low <= trial.setting.true_auc <= high, high - low

    return find


def pointwise_at(fpr: float) -> Callable[[Trial], Finding]:
    """Return a finding about the pointwise band at one FPR."""
    at = int(np.argmin(np.abs(FPRS - fpr)))

    def find(trial: Trial) -> Finding:
        low, high = trial.pointwise.low[at], trial.pointwise.high[at]
        return low <= trial.setting.tpr[at] <= high, high - low

    return find


def pointwise_everywhere(trial: Trial) -> Finding:
    """Say whether the pointwise band, misread, holds the whole curve."""
    band = trial.pointwise
    return band.contains(trial.setting.tpr), float(np.mean(band.high - band.low))


def simultaneous(method: Any) -> Callable[[Trial], Finding]:
    """Return a finding about a band for the whole curve."""

    def find(trial: Trial) -> Finding:
        band = trial.drawn.band("a", kind="simultaneous", method=method, confidence=LEVEL)
        return band.contains(trial.setting.tpr), float(np.mean(band.high - band.low))

    return find


def box_at(fpr: float) -> Callable[[Trial], Finding]:
    """Return a finding about the box of the threshold with (about) this true FPR; its area."""

    def find(trial: Trial) -> Finding:
        true_fpr, true_tpr = trial.setting.curve
        place = int(np.argmin(np.abs(true_fpr - fpr)))
        threshold = float(norm.isf(true_fpr[place]))
        (box,) = trial.drawn.boxes("a", [threshold], confidence=LEVEL)
        held = box.fpr.low <= true_fpr[place] <= box.fpr.high
        held &= box.tpr.low <= true_tpr[place] <= box.tpr.high
        return bool(held), (box.fpr.high - box.fpr.low) * (box.tpr.high - box.tpr.low)

    return find


AUC_INTERVALS = {
    method: auc_interval(method) for method in ("logit", "bca", "percentile", "basic", "normal")
}
POINTWISE = {f"at FPR {fpr}": pointwise_at(fpr) for fpr in LOOKED_AT}
WHOLE = {
    "simultaneous, bootstrap": simultaneous("bootstrap"),
    "simultaneous, Kolmogorov": simultaneous("kolmogorov"),
    "pointwise, misread": pointwise_everywhere,
    "box at FPR 0.1": box_at(0.1),
}
TABLES = {
    "Intervals for AUC": AUC_INTERVALS,
    "Pointwise bands": POINTWISE,
    "Whole curves and boxes": WHOLE,
}
INDEPENDENT = [
    *(
        Setting(auc, positives, negatives)
        for auc in (0.7, 0.9, 0.99)
        for positives, negatives in ((30, 30), (100, 100), (50, 450), (1000, 1000))
    ),
    *starmap(Setting, [(0.7, 100, 100, 0.5), (0.9, 100, 100, 0.5), (0.99, 100, 100, 0.5)]),
]
CLUSTERED = [
    Setting(0.9, positives, 4 * positives, cluster=5, told=told)
    for positives in (100, 250)
    for told in (True, False)
]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few samples")
    trials, replicates = (20, 100) if parser.parse_args().quick else (500, 400)
    error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / trials)
    print(
        f"{trials} samples for each line, {replicates} replicates each; coverage in % with a "
        f"standard error of {error:.1f} where it is {LEVEL:.0%}, and in brackets the mean width.\n"
    )
    found = {s: study(s, trials, replicates) for s in (*INDEPENDENT, *CLUSTERED)}
    for title, methods in TABLES.items():
        print(f"\n{title}:\n\n| AUC | positives/negatives | {' | '.join(methods)} |")
        print("|---:|---|" + "---:|" * len(methods))
        for setting, cells in found.items():
            print(setting.words + "".join(f"| {cells[name]} " for name in methods) + "|")
    print(f"\n{hull_table(trials, replicates)}")


def study(setting: Setting, trials: int, replicates: int) -> dict[str, str]:
    """Return the cells of one setting for every method; empty where a method refuses."""
    methods = {name: method for table in TABLES.values() for name, method in table.items()}
    if setting.told:
        del methods["simultaneous, Kolmogorov"]
    found: dict[str, list[Finding]] = {name: [] for name in methods}
    for seed in range(trials):
        y, scores, groups = setting.draw(np.random.default_rng([seed, setting.positives]))
        drawn = rocch.stats.bootstrap(
            y, {"a": scores}, groups=groups, replicates=replicates, random_state=seed, fprs=FPRS
        )
        trial = Trial(setting, drawn)
        for name, method in methods.items():
            found[name].append(method(trial))
    return {"simultaneous, Kolmogorov": "refused"} | {
        name: cell(findings) for name, findings in found.items()
    }


def cell(findings: list[Finding]) -> str:
    """Write coverage and mean width."""
    held, width = np.mean(np.array(findings, dtype=float), axis=0)
    return f"{100 * held:.1f} ({width:.3f})"


def hull_table(trials: int, replicates: int) -> str:
    """Return the coverage of the pointwise band of a joint hull, for two models that cross."""
    cuts = np.linspace(12, -12, 4801)
    truth = rocch.RocHull.of(
        *(
            rocch.RocCurve.from_counts(
                *(np.round(1e12 * norm.sf((cuts - mean) / sd)) for mean, sd in ((0, 1), positive)),
                negatives=10**12,
                positives=10**12,
                name=name,
            )
            for name, positive in (("a", (1.5, 1)), ("b", (1.0, 2.0)))
        )
    )
    tpr = highest_tpr(truth.fpr, truth.tpr, FPRS)
    lines = [
        "The joint hull of two crossing models, pointwise:\n",
        "| positives/negatives " + "".join(f"| at FPR {fpr} " for fpr in LOOKED_AT) + "|",
        "|---|" + "---:|" * len(LOOKED_AT),
    ]
    places = [int(np.argmin(np.abs(FPRS - fpr))) for fpr in LOOKED_AT]
    for positives, negatives in ((30, 30), (100, 100), (1000, 1000)):
        found: list[list[Finding]] = []
        for seed in range(trials):
            rng = np.random.default_rng([seed, positives])
            y = np.arange(positives + negatives) < positives
            a, b = rng.normal(size=(2, y.size))
            scores = {"a": a + 1.5 * y, "b": b * (1 + y) + y}
            drawn = rocch.stats.bootstrap(
                y, scores, replicates=replicates, random_state=seed, fprs=FPRS
            )
            band = drawn.band(kind="pointwise", confidence=LEVEL)
            held = (band.low <= tpr) & (tpr <= band.high)
            found.append([(bool(held[i]), float(band.high[i] - band.low[i])) for i in places])
        cells = (cell(list(column)) for column in zip(*found, strict=True))
        lines.append(f"| {positives}/{negatives} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
