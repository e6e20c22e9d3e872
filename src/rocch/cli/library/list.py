"""`rocch library list`: the classifiers, and where each is best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import folder_argument, json_option
from rocch.errors import escape_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rocch.library.contents import LibraryClassifier, LibraryState


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
        state = library.state
        found = library.all_classifiers() if everyone else library.classifiers
    chosen = [one for one in found if set(tags) <= set(one.tags)]
    if as_json:
        listed = [classifier_json(one) for one in chosen]
        several = {"allow_different_rows": on_several_rows(found)}
        print_json({**state_json(state), **several, "classifiers": listed})
    else:
        _print(state, chosen, everyone=everyone, several=on_several_rows(found))


def on_several_rows(found: Iterable[LibraryClassifier]) -> bool:
    """Say whether the classifiers that are kept were judged on different rows."""
    labels = {one.fingerprint.partition("-")[0] for one in found if one.left_at is None}
    return len(labels) > 1


def state_json(state: LibraryState) -> dict[str, Any]:
    """Return what a library knows of itself, for programs."""
    evaluation_rows = state.evaluation_rows
    return {
        "created_at": state.created_at,
        "bounds": None if state.bounds is None else str(state.bounds),
        "slope_bounds": state.slopes,
        "labels": state.labels,
        "pos_label": None if state.labels is None else state.labels[1],
        "positives": None if evaluation_rows is None else evaluation_rows.totals.positives,
        "negatives": None if evaluation_rows is None else evaluation_rows.totals.negatives,
        "fingerprint": None if evaluation_rows is None else evaluation_rows.fingerprint,
        "offered": state.offered,
        "discarded": state.discarded,
    }


def _print(
    state: LibraryState, chosen: list[LibraryClassifier], *, everyone: bool, several: bool
) -> None:
    from rich.markup import escape

    from rocch.cli.library.described import slopes_of, when
    from rocch.cli.render import console, new_table

    out = console()
    out.print(escape(_headline(state, several=several)))
    last = "state" if everyone else "vertices"
    columns = ("classifier", "best for slopes", "added (UTC)", "by", "tags", last)
    table = new_table("", *columns, whole=("added (UTC)", last))
    for one in chosen:
        cells = (one.name, slopes_of(one), when(one.added_at), one.added_by, ", ".join(one.tags))
        last = _state(one) if everyone else str(len(one.vertices))
        table.add_row(*map(escape, (*map(escape_line, cells), last)))
    out.print(table if chosen else "No classifier.")


def _headline(state: LibraryState, *, several: bool) -> str:
    if state.evaluation_rows is None:
        return f"Nothing was added yet.{_bounds(state)}"
    judged = state.evaluation_rows.totals
    rows = f"{judged.total:.9g} rows, {judged.positives * judged.unit:.9g} positive"
    if state.labels is not None:
        rows += f" ({state.labels[1]!r})"
    others = ", and others on different rows" if several else ""
    return (
        f"{state.offered} classifier(s) offered, {state.discarded} discarded at once; judged "
        f"on {rows}{others}.{_bounds(state)}"
    )


def _bounds(state: LibraryState) -> str:
    return "" if state.bounds is None else f" Bounds: {state.bounds}."


def _state(one: LibraryClassifier) -> str:
    """Write whether it is kept, or the day on which it left, on a line of its own."""
    return one.state if one.left_at is None else f"{one.state}\n{escape_line(one.left_at[:10])}"
