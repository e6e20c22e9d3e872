"""`rocch library add`: classifiers by their scores, or a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.library.options import about_options, digest_option, folder_argument, trust_option
from rocch.cli.options import COLUMNS, data_options

if TYPE_CHECKING:
    from rocch.cli.scores import ScoresSource
    from rocch.library.adding import AdditionResult


@click.command("add")
@folder_argument
@data_options
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="The model's name; for scores OLD=NEW, to rename. May be repeated.  [default: as in FILE]",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path, readable=False),
    help="A fitted classifier in a skops file; FILE holds rows that it was not fitted on.",
)
@click.option(
    "--features",
    **COLUMNS,
    help="The model's features in FILE.  [default: those it knows, or every other column]",
)
@trust_option
@digest_option
@click.option(
    "--allow-different-rows",
    is_flag=True,
    help="Accept classifiers judged on other rows than the library's.",
)
@about_options
def command(
    folder: Path,
    data: ScoresSource,
    as_json: bool,
    about: dict[str, Any],
    allow_different_rows: bool,
    **given: Any,
) -> None:
    """Add the classifiers of FILE to the library in DIR: by their scores, or a saved model.

    The answer says for each whether it extends the hull (where, and how much cost it saves), ties
    with what is there, or is nowhere the best on these rows and is discarded; and whom it drove
    out. When the command ends, the addition is on the disk.

    \b
    Example:
      rocch library add churn scores.csv --label y
      rocch library add churn scores.csv --label y --scores lda --name lda=lda-2 \\
          --tag linear --parameter shrinkage=0.1 --note 'with new features'
      rocch library add churn long.csv --label y --classifier model --row id --score score
      rocch library add churn rows.csv --label y --model nb.skops --features age,income
    """
    from rocch.cli.library.render_added import added_json, print_added
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        add = _add_scores if given["model"] is None else _add_model
        about = {**about, "allow_different_rows": allow_different_rows}
        added, positive = add(library, data, about, **given)
    if as_json:
        print_json({"pos_label": positive, **added_json(added)})
    else:
        print_added(added, positive)


def _add_scores(
    library: Any, data: ScoresSource, about: dict[str, Any], names: tuple[str, ...], **others: Any
) -> tuple[AdditionResult, Any]:
    from rocch.cli.progress import working
    from rocch.cli.rows import read_score_rows

    for option in ("features", "trust", "digest"):
        if others[option]:
            raise click.UsageError(f"--{option} has no effect here; it goes with --model.")
    rows = read_score_rows(data, names)
    with working("Adding to the library"):
        added: AdditionResult = library.add_scores(
            rows.labels, rows.scores, pos_label=rows.positive, row_ids=rows.row_ids, **about
        )
    return added, rows.positive


def _add_model(
    library: Any,
    data: ScoresSource,
    about: dict[str, Any],
    *,
    names: tuple[str, ...],
    model: Path,
    features: str | None,
    trust: tuple[str, ...],
    digest: str | None,
) -> tuple[AdditionResult, Any]:
    from rocch.cli.library.model_rows import load_model
    from rocch.cli.progress import working
    from rocch.cli.rows import read_model_rows

    if data.scores or data.is_long:
        raise click.UsageError("--scores and --classifier do not go with --model.")
    if len(names) > 1:
        raise click.UsageError("--model is one classifier: give --name once.")
    name = names[0] if names else model.stem
    fitted = load_model(model, name, trust=trust, digest=digest)
    rows = read_model_rows(data, fitted, features)
    about = {**about, "pos_label": rows.positive, "row_ids": rows.row_ids, "trusted": trust}
    with working("Adding to the library"):
        added: AdditionResult = library.add_model(name, fitted, rows.features, rows.labels, **about)
    return added, rows.positive
