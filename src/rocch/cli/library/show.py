"""`rocch library show`: one classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import folder_argument, json_option
from rocch.errors import escape_line

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.library.contents import LibraryClassifier


@click.command("show")
@folder_argument
@click.argument("name")
@json_option
def command(folder: Path, name: str, as_json: bool) -> None:
    """Show the classifier NAME of the library in DIR, even if it left the hull.

    \b
    Example:
      rocch library show churn lda
    """
    from rocch.cli.library.described import classifier_json
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        found, labels = library[name], library.state.labels
    positive = None if labels is None else labels[1]
    if as_json:
        print_json({**classifier_json(found), "pos_label": positive})
    else:
        _print(found, "" if labels is None else repr(positive))


def _print(one: LibraryClassifier, positive: str) -> None:
    from rich.markup import escape

    from rocch.cli.library.described import own
    from rocch.cli.render import console, new_table, threshold_text

    out = console()
    facts = new_table("", "fact", "said", whole=("fact",))
    facts.show_header = False
    for name, text in _facts(one, positive).items():
        facts.add_row(name, escape(escape_line(text)))
    out.print(facts)
    if not one.vertices:
        return
    columns = ("deployed at", "FPR", "TPR")
    table = new_table("Vertices", *(f">{name}" for name in columns), "shared with", whole=columns)
    for vertex in one.vertices:
        rates = f"{vertex.fpr:.4f}", f"{vertex.tpr:.4f}"
        others = ", ".join(name for name in vertex.classifiers if name != one.name)
        table.add_row(threshold_text(own(vertex, one.name)), *rates, escape(escape_line(others)))
    out.print(table)


def _facts(one: LibraryClassifier, positive: str) -> dict[str, str]:
    """Return what there is to say, in words; what is not known is left out."""
    from rocch.cli.library.described import slopes_of

    facts = {
        "classifier": one.name,
        "state": one.state if one.left_at is None else f"{one.state} at {one.left_at}",
        "best for slopes": slopes_of(one),
        "added": f"{one.added_at} by {one.added_by}",
        "tags": ", ".join(one.tags),
        "parameters": ", ".join(f"{name}={value!r}" for name, value in one.parameters.items()),
        "note": one.note,
        "answers with": "scores" if one.scoring else "labels",
        "positive class": positive,
        "model": "in the library" if one.has_model else "",
        "rows": one.fingerprint,
    }
    return {name: text for name, text in facts.items() if text}
