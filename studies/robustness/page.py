"""The page of Provost and Fawcett's study: its tables, numbers and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studies.robustness import pictures
from studies.robustness.domain import (
    PUBLISHED,
    dominance_of,
    published_ranges,
    range_text,
    ranges_of,
)
from studies.robustness.saving import WEIGHTS, costs_on, saving_of
from studies.workbench.page import signed, table, write_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studies.robustness.domain import Domain, Dominance
    from studies.robustness.saving import Saved, Saving
    from studies.workbench.study import Study

ROUNDS = {
    "1998": ("MC4", "Bagged-MC4", "NB", "IB1", "IB3", "IB5"),
    "today": ("Boosting", "Forest", "Logistic"),
}
WORDS = {"1998": "The learners of 1998", "today": "The learners of today", "all": "All nine"}


def write(study: Study, domains: Sequence[Domain], bradley: Domain) -> None:
    """Write the page."""
    rounds = {name: [domain.of(names) for domain in domains] for name, names in ROUNDS.items()}
    rounds["all"] = list(domains)
    stands = {name: [dominance_of(d) for d in part] for name, part in rounds.items()}
    saved = {name: {d.title: saving_of(d) for d in part} for name, part in rounds.items()}
    drawn = {
        "winners": lambda: pictures.winners({WORDS[r]: rounds[r] for r in ROUNDS}),
        "savings": lambda: pictures.savings({WORDS[r]: saved[r] for r in ROUNDS}),
    }
    write_page(
        study,
        drawn,
        folds=len(domains[0].folds),
        ranges=range_table(rounds["1998"]),
        saved=result_table(stands, saved),
        **{f"counts_{name}": counts(found) for name, found in stands.items()},
        **{f"means_{name}": means(found) for name, found in saved.items()},
        **policies(rounds, saved),
        bradley_title=bradley.title,
        bradley_winners=" and ".join(sorted({name for name, *_ in ranges_of(bradley)})),
        bradley_counts=counts([dominance_of(bradley)]),
    )


def range_table(domains: Sequence[Domain]) -> str:
    """Return who wins where beside what was published, for the domains that were published."""
    shown = [domain for domain in domains if domain.title in PUBLISHED] or domains
    rows = [
        [domain.title, range_text(ranges_of(domain)), range_text(published_ranges(domain.title))]
        for domain in shown
    ]
    return table(["Domain", "Ours", "Published (Table 2)"], rows)


def result_table(
    stands: Mapping[str, Sequence[Dominance]], saved: Mapping[str, Mapping[str, Saving]]
) -> str:
    """Return who dominates each domain and what hybrids save on new rows, for two rounds."""
    header = ["Domain"]
    for words in ("1998", "Today"):
        header += [f"{words}: dominator", "Runs:", "Saved:"]
    rows = [
        [
            title,
            *(
                cell
                for name in ROUNDS
                for cell in (*_stand(stands[name][i]), with_error(saved[name][title].saved("new")))
            ),
        ]
        for i, title in enumerate(saved["1998"])
    ]
    return table(header, rows)


def _stand(found: Dominance) -> list[str]:
    runs = f"{found.dominated_runs} of {len(found.runs)}".replace(" ", "\N{NO-BREAK SPACE}")
    return [found.averaged or "-", runs]


def counts(stands: Sequence[Dominance]) -> dict[str, int]:
    """Return in how many domains and runs somebody dominates."""
    return {
        "domains": len(stands),
        "averaged": sum(found.averaged is not None for found in stands),
        "runs": sum(found.dominated_runs for found in stands),
        "of_runs": sum(len(found.runs) for found in stands),
    }


def with_error(saved: Saved) -> str:
    """Return a saving with its standard error."""
    return signed(f"{saved.percent:.1f} ± {saved.error:.1f}%")


def means(found: Mapping[str, Saving]) -> dict[str, Any]:
    """Return what is saved in the median domain, and in how many it surely is, or is lost."""
    new = [saving.saved("new") for saving in found.values()]
    return {
        "building": _typical([saving.saved("building").percent for saving in found.values()]),
        "new": _typical([saved.percent for saved in new]),
        "gains": sum(saved.percent > 2 * saved.error for saved in new),
        "losses": sum(saved.percent < -2 * saved.error for saved in new),
    }


def _typical(percents: Sequence[float]) -> str:
    """Return the median over the domains: one of few errors can have any percentage."""
    return signed(f"{np.median(percents):.1f}")


def policies(
    rounds: Mapping[str, Sequence[Domain]], saved: Mapping[str, Mapping[str, Saving]]
) -> dict[str, str]:
    """Return what policies cost on new rows, relative to the hybrid of all learners."""
    domains, everything = rounds["all"], list(saved["all"].values())
    base = np.array([saving.hybrid.new.mean() for saving in everything])
    always = {
        name: np.array([_cost_alone(domain, name) for domain in domains]) / base
        for name in (*ROUNDS["today"], "Bagged-MC4", "NB")
    }
    half = {
        name: np.array([_cost_at_half(domain, name) for domain in domains]) / base
        for name in ROUNDS["today"]
    }
    old = np.array([saving.hybrid.new.mean() for saving in saved["1998"].values()])
    shown = {
        "Boosting, always": always["Boosting"],
        "Bagged-MC4, always": always["Bagged-MC4"],
        "NB, always": always["NB"],
        "Boosting, always, threshold 0.5": half["Boosting"],
        "Hybrid of the learners of 1998": old / base,
        "The best AUC of all nine": np.array([s.alone.new.mean() for s in everything]) / base,
        "Parsimonious hybrid of all nine": np.array([s.parsimonious.new.mean() for s in everything])
        / base,
    }
    header = ["Policy", "Mean:", "Best domain:", "Worst domain:"]
    unaimed = [np.exp(np.log(half[name] / always[name]).mean()) for name in half]
    return {
        "always": table(header, [[words, *_relative(found)] for words, found in shown.items()]),
        "worst": _percents([always[name].max() for name in ("Logistic", "NB", "Bagged-MC4")]),
        "never_aimed": _percents(unaimed),
    }


def _cost_alone(domain: Domain, name: str) -> float:
    costs = [costs_on(fold.building.alone(name), fold.test).mean() for fold in domain.folds]
    return float(np.mean(costs))


def _cost_at_half(domain: Domain, name: str) -> float:
    """Return what a learner costs that alarms at probability one half, whatever the conditions."""
    found = []
    for test in (fold.test for fold in domain.folds):
        alarms = test.scores[name] > 0.5
        missed, alarmed = np.mean(~alarms[test.positive]), np.mean(alarms[~test.positive])
        found.append(np.mean(WEIGHTS * missed + (1 - WEIGHTS) * alarmed))
    return float(np.mean(found))


def _percents(ratios: Sequence[float]) -> str:
    """Return how much more ratios are than one, from the least to the most."""
    shown = sorted({f"{100 * (ratio - 1):.0f}" for ratio in ratios}, key=float)
    return " to ".join(dict.fromkeys((shown[0], shown[-1]))) + "%"


def _relative(ratios: Any) -> list[str]:
    """Return the geometric mean and both ends of ratios, as % more or less."""
    shown = (np.exp(np.log(ratios).mean()), ratios.min(), ratios.max())
    return [signed(f"{100 * (ratio - 1):+.1f}%") for ratio in shown]
