"""How often intervals of multi-class AUCs and of their differences hold the truth.

Every table is Markdown; seeds are fixed. Posteriors come from models whose true AUCs are taken from
very many rows. Numbers of rows per class are fixed, as the intervals are given them; the last
table shows what drawing the classes too does to the total.

    python -m studies.multiclass_auc_coverage            # about ten minutes
    python -m studies.multiclass_auc_coverage --quick    # a tenth of the repetitions
"""

from __future__ import annotations

import argparse
import itertools
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.stats import norm

import rocch
from rocch.multiclass.auc import PlacementMoments, as_shares, measure_weights
from rocch.multiclass.classes import Classes, ProbabilityRows

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

Z = float(norm.ppf(0.975))
CLASSES, ROWS, BALANCES = (3, 4, 10), (60, 200, 1000), ("even", "skewed")
Layout = Literal["apart", "ordered"]
STEPS: dict[tuple[Layout, str], float] = {
    ("apart", "weak"): 0.7,
    ("apart", "strong"): 2.5,
    ("apart", "almost perfect"): 4.0,
    ("ordered", "weak"): 0.5,
    ("ordered", "strong"): 2.0,
    ("ordered", "almost perfect"): 4.0,
}
"""How far the classes' centers lie apart, in standard deviations."""

Found = dict[str, list[rocch.stats.AucEstimate]]


class Model(NamedTuple):
    """Where the rows of each class come from."""

    layout: Layout
    step: float
    classes: int

    def posteriors(self, rng: np.random.Generator, y: IntArray) -> FloatArray:
        """Draw a row of each class and return what a model with some noise thinks of it."""
        if self.layout == "apart":
            logits = rng.normal(size=(y.size, self.classes))
            logits[np.arange(y.size), y] += self.step
        else:
            x = rng.normal(size=(y.size, 1)) + self.step * y[:, None]
            logits = -((x - self.step * np.arange(self.classes)) ** 2) / 2
        return softmax(logits)

    def truth(self) -> rocch.multiclass.PairwiseAucs:
        """Return the comparisons of all classes on very many rows."""
        y = np.repeat(np.arange(self.classes), 300_000 // self.classes)
        return rocch.multiclass.pairwise_aucs(y, self.posteriors(np.random.default_rng(99), y))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    times = 50 if parser.parse_args().quick else 500
    one_model("apart", "all classes equally far from each other", times)
    one_model("ordered", "classes in a line, neighbors hard to tell apart", times)
    two_models(times)
    drawn_classes(times)
    clusters(times)


def one_model(layout: Layout, title: str, times: int) -> None:
    """Print coverage and width of intervals of M and of the total."""
    print(f"\n**{title}**: coverage in % (mean width) of 95% intervals\n")
    print("| classes | separation | rows | balance | true M | M | total | M ± 1.96 se |")
    print("|---:|---|---:|---|---:|---:|---:|---:|")
    for classes, (kind, separation) in itertools.product(CLASSES, STEPS):
        if kind != layout:
            continue
        model = Model(layout, STEPS[layout, separation], classes)
        truth = model.truth()
        for rows, balance in itertools.product(ROWS, BALANCES):
            y = labels(classes, rows, balance)
            found = repeat(model, y, times)
            m, total = truth.auc("hand_till"), truth.auc("total", priors=observed(y))
            cells = (
                tally([f.interval for f in found["hand_till"]], m),
                tally([f.interval for f in found["total"]], total),
                tally([wald(f) for f in found["hand_till"]], m),
            )
            settings = f"{classes} | {separation} | {rows} | {balance} | {m:.3f}"
            print(f"| {settings} | {' | '.join(cells)} |", flush=True)


def repeat(model: Model, y: IntArray, times: int) -> Found:
    """Return the estimates of M and of the total in all repetitions."""
    rng = np.random.default_rng([y.size, model.classes, int(10 * model.step)])
    found: Found = {"hand_till": [], "total": []}
    classes = Classes.of_labels(y)
    shares = as_shares("observed", classes, np.bincount(y))
    weights = {
        "hand_till": measure_weights("hand_till", shares),
        "total": measure_weights("total", shares),
    }
    for _ in range(times):
        rows = ProbabilityRows.of(y, model.posteriors(rng, y), single=True)
        moments = PlacementMoments.of(rows)
        for measure, matrix in weights.items():
            found[measure].append(moments.estimate(matrix, 0.95))
    return found


def two_models(times: int) -> None:
    """Print the size of the paired test and the coverage of the difference's interval of M."""
    print("\n**two models on the same rows**: rejections of equal M at 5%, and coverage in %")
    print("(mean width) of 95% intervals of the difference\n")
    print("| classes | step | rows | balance | rejected, % | equal models | one with more noise |")
    print("|---:|---:|---:|---|---:|---:|---:|")
    for classes, step in itertools.product((3, 10), (0.7, 2.5, 4.0)):
        model = Model("apart", step, classes)
        true = gap(model, 1.5)
        for rows, balance in itertools.product(ROWS, BALANCES):
            y = labels(classes, rows, balance)
            rng = np.random.default_rng([rows, classes, int(10 * step)])
            equal = [difference(rng, model, y, 0.8) for _ in range(times)]
            other = [difference(rng, model, y, 1.5) for _ in range(times)]
            rejected = np.mean([found.p_value <= 0.05 for found in equal])
            print(
                f"| {classes} | {step} | {rows} | {balance} | {100 * rejected:.1f} "
                f"| {tally([found.interval for found in equal], 0)} "
                f"| {tally([found.interval for found in other], true)} |",
                flush=True,
            )


def pair_of_models(
    rng: np.random.Generator, model: Model, y: IntArray, noise: float
) -> dict[str, FloatArray]:
    """Draw what two models see: the same rows through noise of their own, 0.8 and another."""
    shared = np.log(model.posteriors(rng, y))
    return {
        name: softmax(shared + spread * rng.normal(size=shared.shape))
        for name, spread in (("a", 0.8), ("b", noise))
    }


def difference(
    rng: np.random.Generator, model: Model, y: IntArray, noise: float
) -> rocch.stats.AucDifference:
    """Compare M of two models."""
    seen = pair_of_models(rng, model, y, noise)
    return rocch.multiclass.compare_multiclass_aucs(y, seen).differences[0]


def gap(model: Model, noise: float) -> float:
    """Return the true difference of M on very many rows."""
    y = np.repeat(np.arange(model.classes), 300_000 // model.classes)
    seen = pair_of_models(np.random.default_rng(98), model, y, noise)
    first, second = (
        rocch.multiclass.pairwise_aucs(y, posteriors).auc() for posteriors in seen.values()
    )
    return first - second


def drawn_classes(times: int) -> None:
    """Print the coverage where each row's class is drawn too, against the population's AUCs.

    The classes lie in a line, so that their own AUCs differ, and the total with their shares.
    """
    print("\n**rows whose classes are drawn**: coverage in % (mean width) of 95% intervals of")
    print("the population's AUCs\n")
    print("| classes | step | rows | M | total |")
    print("|---:|---:|---:|---:|---:|")
    for classes, step, rows in itertools.product((3, 10), (0.5, 2.0), (200, 1000)):
        model = Model("ordered", step, classes)
        shares = np.arange(classes, 2 * classes) / np.arange(classes, 2 * classes).sum()
        truth = model.truth()
        rng = np.random.default_rng([rows, classes, int(10 * step), 1])
        found: Found = {"hand_till": [], "total": []}
        for _ in range(times // 2):
            y = rng.choice(classes, size=rows, p=shares)
            estimates = rocch.multiclass.multiclass_auc(
                y, model.posteriors(rng, y), classes=range(classes)
            )
            found["hand_till"].append(known(estimates.hand_till))
            found["total"].append(known(estimates.total))
        m = tally([f.interval for f in found["hand_till"]], truth.auc())
        priors = dict(enumerate(shares.tolist()))
        total = tally([f.interval for f in found["total"]], truth.auc("total", priors=priors))
        print(f"| {classes} | {step} | {rows} | {m} | {total} |", flush=True)


def clusters(times: int) -> None:
    """Print what rows that come in groups do to intervals that do not know of it."""
    print("\n**rows in groups**, three classes: coverage in % (mean width) of 95% intervals of M\n")
    print("| groups | rows each | classes in a group | with `groups` | without |")
    print("|---:|---:|---|---:|---:|")
    for count, each, mixed in itertools.product((30, 90), (6,), (False, True)):
        rng = np.random.default_rng([count, each, mixed])
        who = np.repeat(np.arange(count), each)
        found: list[list[tuple[float, float]]] = [[], []]
        for _ in range(times):
            y, seen = grouped(rng, who, mixed=mixed)
            found[0].append(
                known(rocch.multiclass.multiclass_auc(y, seen, groups=who).hand_till).interval
            )
            found[1].append(known(rocch.multiclass.multiclass_auc(y, seen).hand_till).interval)
        many = np.arange(
            120_000
        )  # a group for each row, so that rows compared are of different ones
        true = rocch.multiclass.pairwise_aucs(*grouped(rng, many, mixed=False)).auc()
        cells = " | ".join(tally(part, true) for part in found)
        print(f"| {count} | {each} | {'all' if mixed else 'one'} | {cells} |", flush=True)


def grouped(rng: np.random.Generator, who: IntArray, *, mixed: bool) -> tuple[IntArray, FloatArray]:
    """Draw rows of three classes; half of how well a row is seen is its group's."""
    y = (np.arange(who.size) if mixed else who) % 3
    own = rng.normal(size=int(who[-1]) + 1)[who]
    logits = rng.normal(size=(who.size, 3))
    logits[np.arange(who.size), y] += 1.5 + own
    return y, softmax(logits)


def labels(classes: int, rows: int, balance: str) -> IntArray:
    """Return labels: as many of each class, or shares as 1, 1/2, 1/3, ..., at least two of each."""
    shares = np.ones(classes) if balance == "even" else 1 / np.arange(1, classes + 1)
    sizes = np.maximum(np.round(rows * shares / shares.sum()).astype(int), 2)
    sizes[0] += rows - sizes.sum()
    return np.repeat(np.arange(classes), sizes)


def observed(y: IntArray) -> dict[int, float]:
    """Return each class's share of the rows."""
    return dict(enumerate((np.bincount(y) / y.size).tolist()))


def softmax(logits: FloatArray) -> FloatArray:
    """Return posteriors from logits."""
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def known(found: rocch.stats.AucValue) -> rocch.stats.AucEstimate:
    """Return an AUC that has an interval, as all have that are simulated here."""
    if not isinstance(found, rocch.stats.AucEstimate):
        raise TypeError(f"no interval: {found}")
    return found


def wald(found: rocch.stats.AucEstimate) -> tuple[float, float]:
    """Return two standard errors either way."""
    return found.value - Z * found.standard_error, found.value + Z * found.standard_error


def tally(intervals: list[tuple[float, float]], true: float) -> str:
    """Write how often intervals hold the truth, and their mean width."""
    low, high = np.array(intervals).T
    held = np.mean((low <= true) & (true <= high))
    return f"{100 * held:.1f} ({np.mean(high - low):.3f})"


if __name__ == "__main__":
    main()
