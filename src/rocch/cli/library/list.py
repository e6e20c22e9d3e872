"""`rocch library list`: the classifiers, and where each is best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.library.options import folder_argument
from rocch.cli.options import json_option
from rocch.errors import escape_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rocch.library.holdings import LibraryClassifier, Standing


@click.command("list")
@folder_argument
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be repeated.")
@click.option("--all", "everyone", is_flag=True, help="Those too that left the hull.")
@json_option
def command(folder: Path, tags: tuple[str, ...], everyone: bool, as_json: bool) -> None:
    """List the classifiers of the library in DIR, and the slopes where each is best.

    \b
    Example:
      rocch library list churn
      rocch library list churn --tag linear --all --json
    """
    from rocch.cli.library.described import classifier_json
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        standing = library.standing
        found = library.everyone() if everyone else library.classifiers
    chosen = [one for one in found if set(tags) <= set(one.tags)]
    if as_json:
        listed = [classifier_json(one) for one in chosen]
        several = {"allow_different_rows": on_several_rows(found)}
        print_json({**standing_json(standing), **several, "classifiers": listed})
    else:
        _print(standing, chosen, everyone=everyone, several=on_several_rows(found))


def on_several_rows(found: Iterable[LibraryClassifier]) -> bool:
    """Say whether the classifiers that are kept were judged on different rows."""
    labels = {one.fingerprint.partition("-")[0] for one in found if one.left_at is None}
    return len(labels) > 1


def standing_json(standing: Standing) -> dict[str, Any]:
    """Return what a library knows of itself, for programs."""
    ground = standing.ground
    return {
        "created_at": standing.created_at,
        "bounds": None if standing.bounds is None else str(standing.bounds),
        "slope_bounds": standing.slopes,
        "labels": standing.labels,
        "pos_label": None if standing.labels is None else standing.labels[1],
        "positives": None if ground is None else ground.totals.positives,
        "negatives": None if ground is None else ground.totals.negatives,
        "fingerprint": None if ground is None else ground.fingerprint,
        "offered": standing.offered,
        "discarded": standing.discarded,
    }


def _print(
    standing: Standing, chosen: list[LibraryClassifier], *, everyone: bool, several: bool
) -> None:
    from rich.markup import escape

    from rocch.cli.library.described import slopes_of, when
    from rocch.cli.render import console, new_table

    out = console()
    out.print(escape(_headline(standing, several=several)))
    last = "state" if everyone else "vertices"
    columns = ("classifier", "best for slopes", "added (UTC)", "by", "tags", last)
    table = new_table("", *columns, whole=("added (UTC)", last))
    for one in chosen:
        said = (one.name, slopes_of(one), when(one.added_at), one.added_by, ", ".join(one.tags))
        last = _state(one) if everyone else str(len(one.vertices))
        table.add_row(*map(escape, (*map(escape_line, said), last)))
    out.print(table if chosen else "No classifier.")


def _headline(standing: Standing, *, several: bool) -> str:
    if standing.ground is None:
        return f"Nothing was added yet.{_bounds(standing)}"
    judged = standing.ground.totals
    rows = f"{judged.total:.9g} rows, {judged.positives * judged.unit:.9g} positive"
    if standing.labels is not None:
        rows += f" ({standing.labels[1]!r})"
    others = ", and others on different rows" if several else ""
    return (
        f"{standing.offered} classifier(s) offered, {standing.discarded} discarded at once; judged "
        f"on {rows}{others}.{_bounds(standing)}"
    )


def _bounds(standing: Standing) -> str:
    return "" if standing.bounds is None else f" Bounds: {standing.bounds}."


def _state(one: LibraryClassifier) -> str:
    """Write whether it is kept, or the day on which it left, on a line of its own."""
    return one.state if one.left_at is None else f"{one.state}\n{escape_line(one.left_at[:10])}"
