"""The page of Provost and Fawcett's study: its tables, numbers and pictures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.robustness import pictures
from studies.robustness.domain import (
    PUBLISHED,
    accuracy_of,
    dominance_of,
    mean_auc,
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
        "curves": lambda: pictures.curves(rounds["1998"]),
        "winners": lambda: pictures.winners({WORDS[r]: rounds[r] for r in ROUNDS}),
        "savings": lambda: pictures.savings({WORDS[r]: saved[r] for r in ROUNDS}),
        "bradley": lambda: pictures.curves([bradley], columns=1),
    }
    write_page(
        study,
        drawn,
        folds=len(domains[0].folds),
        domains=domain_table(rounds["1998"]),
        ranges=range_table(rounds["1998"]),
        dominators=dominator_table(domains, stands),
        **{f"counts_{name}": counts(found) for name, found in stands.items()},
        **{f"saved_{name}": saving_table(found) for name, found in saved.items()},
        **{f"means_{name}": means(found) for name, found in saved.items()},
        **policies(rounds, saved),
        bradley_title=bradley.title,
        bradley_aucs=auc_table(bradley),
        bradley_ranges=range_text(ranges_of(bradley.averaged_hull)).replace("<br>", ", "),
        bradley_counts=counts([dominance_of(bradley)]),
        bradley_saved=saving_table({bradley.title: saving_of(bradley)}),
    )


def domain_table(domains: Sequence[Domain]) -> str:
    """Return sizes, the tree's accuracy and every learner's area under the curve."""
    header = ["Domain", "Rows:", "Positive:", "MC4 right:"]
    rows = [
        [
            domain.title,
            f"{domain.pooled.positive.size:,}",
            f"{100 * domain.pooled.positive.mean():.1f} %",
            f"{100 * accuracy_of(domain, 'MC4'):.1f} %",
            *_aucs(domain),
        ]
        for domain in domains
    ]
    return table([*header, *(f"{name}:" for name in domains[0].learners)], rows)


def auc_table(domain: Domain) -> str:
    """Return every learner's area under the curve."""
    return table([f"{name}:" for name in domain.learners], [_aucs(domain)])


def _aucs(domain: Domain) -> list[str]:
    """Return mean areas, the largest in bold."""
    means = [mean_auc(domain, name) for name in domain.learners]
    return [f"**{mean:.3f}**" if mean == max(means) else f"{mean:.3f}" for mean in means]


def range_table(domains: Sequence[Domain]) -> str:
    """Return who wins where beside what was published."""
    rows = [
        [
            domain.title,
            range_text(ranges_of(domain.averaged_hull)),
            range_text(published_ranges(domain.title)),
        ]
        for domain in domains
    ]
    absent = [title for title in PUBLISHED if title not in {domain.title for domain in domains}]
    rows += [[title, "no data", range_text(published_ranges(title))] for title in absent]
    return table(["Domain", "Ours", "Published (Table 2)"], rows)


def dominator_table(domains: Sequence[Domain], stands: Mapping[str, Sequence[Dominance]]) -> str:
    """Return who dominates each domain, and on how many folds somebody does, for each round."""
    short = {"1998": "1998", "today": "today", "all": "all nine"}
    header = ["Domain"]
    for name in stands:
        header += [f"{short[name]}: averaged", f"{short[name]}: pooled", f"{short[name]}: runs:"]
    rows = [
        [domain.title, *(cell for found in stands.values() for cell in _stand(found[i]))]
        for i, domain in enumerate(domains)
    ]
    return table(header, rows)


def _stand(found: Dominance) -> list[str]:
    runs = f"{found.dominated_runs} of {len(found.runs)}".replace(" ", "\N{NO-BREAK SPACE}")
    return [found.averaged or "-", found.pooled or "-", runs]


def counts(stands: Sequence[Dominance]) -> dict[str, Any]:
    """Return in how many domains and runs somebody dominates."""
    names = Counter(name for found in stands for run in found.runs for name in run)
    return {
        "domains": len(stands),
        "averaged": sum(found.averaged is not None for found in stands),
        "pooled": sum(found.pooled is not None for found in stands),
        "runs": sum(found.dominated_runs for found in stands),
        "of_runs": sum(len(found.runs) for found in stands),
        "who": ", ".join(f"{name} {times}" for name, times in names.most_common()) or "nobody",
    }


def saving_table(found: Mapping[str, Saving]) -> str:
    """Return what hybrids save in each domain."""
    header = [
        "Domain", "Picked by AUC", "Learners kept:", "Saved, building rows:",
        "Most at one slope:", "Saved, new rows:", "Parsimonious, new rows:", "Against hindsight:",
    ]  # fmt: skip
    rows = [
        [
            title,
            saving.single,
            f"{saving.kept[0]:.1f} / {saving.kept[1]:.1f}",
            f"{saving.saved('building').percent:.1f} %",
            f"{saving.largest[0]:.0f} % at {saving.largest[1]:.2g}",
            with_error(saving.saved("new")),
            with_error(saving.saved("new", parsimonious=True)),
            with_error(saving.saved_in_hindsight),
        ]
        for title, saving in found.items()
    ]
    return table(header, rows)


def with_error(saved: Saved) -> str:
    """Return a saving with its standard error."""
    return signed(f"{saved.percent:.1f} ± {saved.error:.1f} %")


def means(found: Mapping[str, Saving]) -> dict[str, Any]:
    """Return what is saved in the median domain, and in how many it surely is, or is lost."""
    new = [saving.saved("new") for saving in found.values()]
    few = [saving.saved("new", parsimonious=True) for saving in found.values()]
    return {
        "building": _typical([saving.saved("building").percent for saving in found.values()]),
        "new": _typical([saved.percent for saved in new]),
        "few": _typical([saved.percent for saved in few]),
        "gains": sum(saved.percent > 2 * saved.error for saved in new),
        "losses": sum(saved.percent < -2 * saved.error for saved in new),
        "most": f"{max(saving.largest[0] for saving in found.values()):.0f}",
    }


def _typical(percents: Sequence[float]) -> str:
    """Return the median over the domains: one of few errors can have any percentage."""
    return signed(f"{np.median(percents):.1f}")


def policies(
    rounds: Mapping[str, Sequence[Domain]], saved: Mapping[str, Mapping[str, Saving]]
) -> dict[str, str]:
    """Return what policies cost on new rows, relative to the hybrid of all learners."""
    base = np.array([saving.hybrid.new.mean() for saving in saved["all"].values()])
    costs = _alone(rounds["all"]) | _picked(saved)
    ratios = {words: np.array(found) / base for words, found in costs.items()}
    header = ["Policy", "Mean:", "Best domain:", "Worst domain:"]
    alone = [ratios[f"{name}, always"] for name in ("Logistic", "NB", "Bagged-MC4")]
    half = [ratios[_unaimed(name)] for name in ROUNDS["today"]]
    aimed = [ratios[f"{name}, always"] for name in ROUNDS["today"]]
    dearer = [h / a for h, a in zip(half, aimed, strict=True)]
    return {
        "always": table(header, [[words, *_relative(found)] for words, found in ratios.items()]),
        "worst": _percents([found.max() for found in alone]),
        "never_aimed": _percents([np.exp(np.log(found).mean()) for found in dearer]),
        "boosting_half": _percents([np.exp(np.log(dearer[0]).mean())]),
    }


def _unaimed(name: str) -> str:
    return f"{name}, always, at one half, never aimed"


def _alone(domains: Sequence[Domain]) -> dict[str, list[float]]:
    """Return what single learners cost in each domain, aimed and not aimed."""
    several = (*ROUNDS["today"], "Bagged-MC4", "NB")
    aimed = {f"{name}, always": [_cost_alone(d, name) for d in domains] for name in several}
    half = {_unaimed(name): [_cost_at_half(d, name) for d in domains] for name in ROUNDS["today"]}
    return aimed | half


def _picked(saved: Mapping[str, Mapping[str, Saving]]) -> dict[str, list[float]]:
    """Return what picks and hybrids of each round cost in each domain."""
    costs = {}
    for name, found in saved.items():
        words = WORDS[name][0].lower() + WORDS[name][1:]
        costs[f"The best AUC of {words}"] = [s.alone.new.mean() for s in found.values()]
        costs[f"Hybrid of {words}"] = [s.hybrid.new.mean() for s in found.values()]
        few = [s.parsimonious.new.mean() for s in found.values()]
        costs[f"Parsimonious hybrid of {words}"] = few
    return costs


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
    return " to ".join(dict.fromkeys((shown[0], shown[-1]))) + " %"


def _relative(ratios: Any) -> list[str]:
    """Return the geometric mean and both ends of ratios, as % more or less."""
    shown = (np.exp(np.log(ratios).mean()), ratios.min(), ratios.max())
    return [signed(f"{100 * (ratio - 1):+.1f} %") for ratio in shown]
