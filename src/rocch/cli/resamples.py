"""What other rows might have shown: choices out of sample and the spread of the LC index."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from rocch.cli.progress import working
from rocch.cli.render import console, new_table, point_json
from rocch.roc.hull import DeferredCurve

if TYPE_CHECKING:
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Conditions
    from rocch.roc.hull import RocHull
    from rocch.stats.guarantees import OutOfSampleChoice
    from rocch.stats.losses import LcInterval

USUAL, LEAST, WORK = 500, 100, 10**8
"""So many resamples are drawn; fewer where rows times classifiers times resamples pass the work."""


def resamples_for(hull: RocHull, number: int | None) -> int:
    """Return how many resamples to draw: the given number, or what does not take too long."""
    if number is not None:
        if number and number < LEAST:
            raise click.UsageError(f"--resamples must be 0 (for none) or at least {LEAST}.")
        return number
    rows = hull.totals.positives + hull.totals.negatives
    return max(LEAST, min(USUAL, WORK // (rows * len(hull.members))))


def has_rows(hull: RocHull) -> bool:
    """Say whether the rows that a hull was read from are at hand."""
    return all(isinstance(member.source, DeferredCurve) for member in hull.members)


def rows_of(hull: RocHull) -> tuple[Any, dict[str, Any]]:
    """Return the labels and scores that a hull was read from."""
    sources: list[Any] = [member.source for member in hull.members]
    return sources[0].rows.positive, {s.name: s.rows.scores[s.name] for s in sources}


def spreads(hull: RocHull, belief: Belief, resamples: int) -> list[LcInterval]:
    """Return the LC index of every pair with its spread."""
    from rocch.stats.losses import lc_intervals

    if not resamples:
        return []
    options: Any = {"belief": belief, "replicates": resamples}
    with working("Drawing the rows again") as step:
        return list(lc_intervals(*rows_of(hull), **options, progress=step))


def print_spreads(found: list[LcInterval], rows: int) -> None:
    """Print how far the rows determine the LC index."""
    if not found:
        return
    table = new_table(
        f"How sure the {rows} rows are: the LC index on resamples",
        "first",
        "second",
        ">LC index",
        ">95 % from",
        ">to",
        ">first favored",
    )
    for pair in found:
        low, high = pair.interval
        numbers = (f"{pair.lc_index:.3f}", f"{low:.3f}", f"{high:.3f}", f"{pair.favored:.0%}")
        table.add_row(escape(pair.first), escape(pair.second), *numbers)
    console().print(table)


def spreads_json(found: list[LcInterval]) -> dict[str, Any]:
    """Return the spreads for programs."""
    return {"resampled": [{**asdict(pair), "interval": list(pair.interval)} for pair in found]}


def choose_out_of_sample(hull: RocHull, stated: Conditions | Belief) -> OutOfSampleChoice:
    """Return how the choice compares with its rivals on rows that did not make it."""
    from rocch.stats.guarantees import out_of_sample_choice

    with working("Judging the choice on other rows") as step:
        resamples = resamples_for(hull, None)
        return out_of_sample_choice(*rows_of(hull), stated, replicates=resamples, progress=step)


def print_choice(found: OutOfSampleChoice | None) -> None:
    """Print it in sentences; the recommendation itself stands above."""
    if found is not None:
        lines = str(found).splitlines()[1:]
        console().print(escape("\n".join(["On other rows:", *lines])))


def choice_json(found: OutOfSampleChoice | None) -> dict[str, Any]:
    """Return it for programs."""
    if found is None:
        return {}
    names = ("apparent_cost", "out_of_sample_cost", "optimism", "hull_optimism", "wins", "on_hull")
    document = {name: getattr(found, name) for name in (*names, "replicates", "confidence")}
    rivals = [{**asdict(rival), "interval": list(rival.interval)} for rival in found.rivals]
    document |= {"interval": list(found.interval), "rivals": rivals}
    return {"out_of_sample": {**document, "point": point_json(found.choice.point)}}
