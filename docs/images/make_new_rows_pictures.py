"""Draw why the choice that is exact on old rows is not the best on new ones, from a known truth.

Run it from the repository's root: python docs/images/make_new_rows_pictures.py
It also prints the figures of docs/theory.md.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from letters import entitle, panels, say
from matplotlib import pyplot
from saving import save_all
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV

import rocch
from rocch.plots.style import COLORS, DASHES, HULL, frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLOPES = (1 / 20, 1 / 10, 1 / 5, 1 / 2, 1, 2, 5, 10, 20)
SHOWN = 5  # the slope of the first picture
ROWS, PREVALENCE, SAMPLES = 400, 0.25, 1000
# Within each class scores are normal; positives score higher by these, and scores correlate.
DISTANCES = {"a": 1.6, "b": 1.4, "c": 1.2}
CORRELATION = 0.5
NEW_ROWS = 100_000
METHODS = ("a, hull", "a, Bayes", "hull", "stack")
BENT_SAMPLES = 100


def aim(slope: float) -> rocch.Conditions:
    """Return conditions with a slope."""
    return rocch.Conditions(prevalence=0.5, false_positive=slope, false_negative=1)


def draw(rows: int, seed: int) -> tuple[Any, dict[str, Any]]:
    """Return labels and three columns of scores."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < PREVALENCE
    shared, own = rng.normal(size=(rows, 1)), rng.normal(size=(rows, len(DISTANCES)))
    noise = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
    scores = noise + y[:, None] * np.array(list(DISTANCES.values()))
    return y, dict(zip(DISTANCES, scores.T, strict=True))


def relative_cost(alarms: Any, y: Any, slope: float) -> float:
    """Return the cost of alarms, 1 for the better of never and always alarming."""
    fpr, tpr = (np.count_nonzero(alarms & kind) / np.count_nonzero(kind) for kind in (~y, y))
    return float((slope * fpr + 1 - tpr) / min(slope, 1))


class Columns:
    """Columns of scores as rows to decide."""

    def __init__(self, scores: dict[str, Any]) -> None:
        self._scores = scores

    def __len__(self) -> int:
        return len(next(iter(self._scores.values())))

    def scores(self, model: str, _rows: Any = None) -> Any:
        """Return a column."""
        return self._scores[model]


class Result(NamedTuple):
    """What was simulated, by method: samples x slopes, and thresholds at the slope shown."""

    costs: dict[str, Any]
    apparent: dict[str, Any]
    expected: dict[str, Any]
    inside: Any  # whether the hull's interval holds the true cost
    thresholds: dict[str, Any]
    best: Any  # the cost of the best threshold on the score a


def cost_at(ranked: tuple[Any, Any], threshold: float | None, slope: float, fpr: float) -> float:
    """Return the relative cost of a threshold on sorted scores; without one, FPR is 0 or 1."""
    if threshold is None:
        threshold = -np.inf if fpr else np.inf
    rates = [1 - np.searchsorted(own, threshold) / own.size for own in ranked]
    return float((slope * rates[0] + 1 - rates[1]) / min(slope, 1))


@cache
def simulate() -> Result:
    """Aim many samples at all slopes, and pay on many new rows."""
    y_new, new = draw(NEW_ROWS, 10**6)
    ranked = {
        name: (np.sort(column[~y_new]), np.sort(column[y_new])) for name, column in new.items()
    }
    grid = np.linspace(-4, 6, 1001)
    best = [min(cost_at(ranked["a"], t, slope, 0) for t in grid) for slope in SLOPES]
    shape = SAMPLES, len(SLOPES)
    costs = {method: np.zeros(shape) for method in METHODS}
    apparent, expected = ({m: np.zeros(shape) for m in ("hull", "stack")} for _ in range(2))
    inside = np.zeros(shape, dtype=bool)
    thresholds: dict[str, list[Any]] = {"hull": [], "smooth": []}
    for seed in range(SAMPLES):
        y, scores = draw(ROWS, seed)
        prior = np.log(np.count_nonzero(y) / np.count_nonzero(~y))
        alone = rocch.RocHull.from_scores(y, {"a": scores["a"]})
        joint = rocch.RocHull.from_scores(y, scores)
        smooth = rocch.hybrid.stack_scores(y, {"a": scores["a"]}).stack
        stacked = rocch.hybrid.stack_scores(y, scores)
        stack = stacked.stack.log_odds(Columns(new))
        for place, slope in enumerate(SLOPES):
            at, level, unit = (seed, place), np.log(slope) + prior, 2 / min(slope, 1)
            single, chosen = alone.best(aim(slope)), joint.best(aim(slope))
            own, vertex = single.mix[0][1].threshold, chosen.mix[0][1]
            bayes = (level - smooth.intercept) / smooth.terms[0].weight
            costs["a, hull"][at] = cost_at(ranked["a"], own, slope, single.fpr)
            costs["a, Bayes"][at] = cost_at(ranked["a"], bayes, slope, 0)
            name = vertex.classifier if vertex.classifier in DISTANCES else "a"
            true = cost_at(ranked[name], vertex.threshold, slope, vertex.fpr)
            costs["hull"][at] = true
            costs["stack"][at] = relative_cost(stack >= level, y_new, slope)
            stated = chosen.on_new_rows
            apparent["hull"][at], expected["hull"][at] = (
                unit * stated.apparent,
                unit * stated.expected,
            )
            inside[at] = unit * stated.interval.low <= true <= unit * stated.interval.high
            apparent["stack"][at] = relative_cost(stacked.fitted_scores >= level, y, slope)
            expected["stack"][at] = relative_cost(stacked.scores >= level, y, slope)
            if slope == SHOWN:
                thresholds["hull"].append(np.nan if own is None else own)
                thresholds["smooth"].append(bayes)
    found = {name: np.array(each) for name, each in thresholds.items()}
    return Result(costs, apparent, expected, inside, found, np.array(best))


def slope_axis(ax: Any) -> None:
    """Scale and label an axis of slopes."""
    ax.set(
        xscale="log",
        xlim=(1 / 22, 22),
        xlabel="Slope (left: misses are expensive; right: false alarms)",
    )
    ax.set_xticks([0.05, 0.2, 0.5, 1, 2, 5, 20], ["1/20", "1/5", "1/2", "1", "2", "5", "20"])
    ax.minorticks_off()
    frame(ax)


def typical_sample() -> int:
    """Return the sample whose thresholds are the nearest to one standard deviation off."""
    found = simulate().thresholds
    off = [np.abs(each - best_threshold()) / np.nanstd(each) - 1 for each in found.values()]
    return int(np.nanargmin(np.abs(off).sum(axis=0)))


def best_threshold() -> float:
    """Return the best threshold on the score a at the slope shown."""
    return float(np.log(SHOWN) / DISTANCES["a"] + DISTANCES["a"] / 2)


def curve_of_costs(y: Any, score: Any, grid: Any) -> Any:
    """Return the relative cost of each threshold at the slope shown."""
    ranked = np.sort(score[~y]), np.sort(score[y])
    return np.array([cost_at(ranked, t, SHOWN, 0) for t in grid])


def thresholds() -> Figure:
    """Draw the cost of each threshold on one sample, and the thresholds of many samples."""
    found = simulate().thresholds
    figure, (top, bottom) = pyplot.subplots(
        2, 1, figsize=(8.5, 6.2), layout="constrained", sharex=True
    )
    low, high = 0.9, 3.1
    grid = np.linspace(low, high, 1101)
    sample = typical_sample()
    y, scores = draw(ROWS, sample)
    y_new, new = draw(NEW_ROWS, 10**6)
    seen, true = (curve_of_costs(*each, grid) for each in ((y, scores["a"]), (y_new, new["a"])))
    top.plot(grid, seen, color=COLORS[1], lw=1.3, label=f"on these {ROWS} rows")
    top.plot(grid, true, color=HULL, lw=1.8, label="on new rows")
    places = {name: each[sample] for name, each in found.items()}
    for name, color, label in (("hull", COLORS[1], "the hull's"), ("smooth", COLORS[0], "Bayes'")):
        height = np.interp(places[name], grid, true)
        top.plot(places[name], height, "o", ms=9, color=color, mec="white", zorder=6)
        say(top, label, (places[name], height + 0.025), color, ha="center")
        top.plot([places[name]] * 2, [0, height], color=color, lw=1, ls=DASHES, zorder=1)
    top.set(ylim=(0.6, 1.05), ylabel="Cost (1: never alarm)")
    top.legend(loc="upper center", fontsize=9)
    frame(top)
    entitle(top, f"One sample: the cost of each threshold at slope {SHOWN}")
    bins = np.linspace(low, high, 56)
    for name, color, label in (
        ("hull", COLORS[1], "the hull's"),
        ("smooth", COLORS[0], "Bayes', calibrated"),
    ):
        bottom.hist(
            found[name], bins, color=color, alpha=0.55, label=label, histtype="stepfilled", lw=0
        )
    optimum = best_threshold()
    bottom.axvline(optimum, color=HULL, lw=1.4)
    top_end = bottom.get_ylim()[1]
    say(bottom, "the best threshold", (optimum + 0.03, 0.93 * top_end), HULL)
    bottom.set(xlim=(low, high), xlabel="Threshold", ylabel="Samples", yticks=[])
    bottom.legend(loc="upper right", fontsize=9)
    frame(bottom)
    bottom.grid(visible=False, axis="y")
    entitle(bottom, f"{SAMPLES:,} samples of {ROWS} rows: where the threshold comes to lie")
    return figure


def costs() -> Figure:
    """Draw what each aim costs on new rows beside the best threshold of one model."""
    result = simulate()
    figure, (left, right) = panels(2, height=4.6)
    names = {
        "a, hull": ("the hull's threshold", COLORS[1]),
        "a, Bayes": ("Bayes' threshold, calibrated", COLORS[0]),
        "hull": ("hull of three models", COLORS[1]),
        "stack": ("stack of three models", COLORS[0]),
    }
    for ax, methods in ((left, ("a, hull", "a, Bayes")), (right, ("hull", "stack"))):
        ax.axhline(0, color=HULL, lw=1.4)
        for method in methods:
            label, color = names[method]
            extra = 100 * (result.costs[method].mean(axis=0) / result.best - 1)
            ax.plot(SLOPES, extra, "o-", color=color, lw=1.8, ms=4.5, label=label)
        slope_axis(ax)
        ax.set(ylim=(-14, 26), ylabel="More than the best threshold of the best model, %")
        ax.legend(loc="upper center", fontsize=9)
    right.set_ylabel("")
    entitle(left, "One model: the price of a noisy threshold")
    entitle(right, "Three models: choosing one, or adding them up")
    return figure


class Bent(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """The score a on a scale on which the log odds are no straight line."""

    def fit(self, _rows: Any, y: Any) -> Self:
        """Learn nothing."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, rows: Any) -> Any:
        """Return the score."""
        return np.exp(2 * np.asarray(rows)[:, 0])

    def predict(self, rows: Any) -> Any:
        """Return labels, which nobody asks for."""
        return self.classes_[(self.decision_function(rows) > 1).astype(int)]


def print_figures() -> None:
    """Print the figures of the page."""
    result = simulate()
    for name, each in result.thresholds.items():
        spread = np.nanstd(each)
        print(f"threshold of {name}: mean {np.nanmean(each):.3f}, standard deviation {spread:.3f}")
    for method, each in result.costs.items():
        means = each.mean(axis=1)
        extra = 100 * (each.mean(axis=0) / result.best - 1)
        error = means.std(ddof=1) / np.sqrt(means.size)
        whole = f"{means.mean():.4f} ± {error:.4f}"
        print(f"{method}: {whole}; more by slope, %: {np.round(extra, 1)}, mean {extra.mean():.1f}")
    for method in ("hull", "stack"):
        true = result.costs[method].mean(axis=0)
        for label, values in (
            ("apparent", result.apparent[method]),
            ("expected", result.expected[method]),
        ):
            error = 100 * (values.mean(axis=0) / true - 1)
            print(f"{method}, {label}, %: {np.round(error, 1)}, mean {error.mean():.1f}")
    print(f"intervals of the hull that hold: {result.inside.mean():.3f}")
    print_bent()


def print_bent() -> None:
    """Print what a score costs whose log odds are no straight line."""
    y_new, new = draw(NEW_ROWS, 10**6)
    new_rows = new["a"][:, None]
    isotonic = CalibratedClassifierCV(Bent(), method="isotonic", cv=5)
    found: dict[str, list[Any]] = {"hull": [], "Bayes": [], "isotonic": []}
    for seed in range(BENT_SAMPLES):
        y, scores = draw(ROWS, seed)
        rows = scores["a"][:, None]
        models = {
            name: rocch.RocchClassifier([("a", each)]).fit(rows, y)
            for name, each in (("Bayes", Bent()), ("isotonic", isotonic))
        }
        for name, model in (*models.items(), ("hull", models["Bayes"])):
            views = [model.at(aim(slope), exact=name == "hull") for slope in SLOPES]
            alarms = [view.predict(new_rows) for view in views]
            found[name].append(
                [relative_cost(a, y_new, s) for a, s in zip(alarms, SLOPES, strict=True)]
            )
    for name, each in found.items():
        means = np.mean(each, axis=1)
        error = means.std(ddof=1) / np.sqrt(means.size)
        print(f"bent score, {name}: {means.mean():.3f} ± {error:.3f}")


PICTURES = {
    "theory-new-rows-thresholds": thresholds,
    "theory-new-rows-costs": costs,
}

if __name__ == "__main__":
    save_all(PICTURES)
    print_figures()
