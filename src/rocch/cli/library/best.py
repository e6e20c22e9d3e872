"""`rocch library best`: which classifier and threshold of a library to use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.library.options import folder_argument
from rocch.cli.options import json_option, plot_option
from rocch.cli.question import QuestionCommand, check_question, question_options

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.roc.question import Question


@click.command("best", cls=QuestionCommand)
@folder_argument
@question_options()
@plot_option
@json_option
def command(folder: Path, question: Question, plot: Path | None, as_json: bool) -> None:
    """Say which classifier and threshold of the library in DIR to use, given what you know.

    Options and answer are those of rocch best.

    \b
    Example:
      rocch library best churn --prevalence 0.1 --false-positive 1 --false-negative 9
      rocch library best churn --negatives-per-positive 5 \\
          --false-positive 10..20 --false-negative 200..250
      rocch library best churn --max-fpr 0.05 --randomize --json
    """
    from rocch.cli.binary import show_best
    from rocch.cli.render import check_picture
    from rocch.library.contents import complete_members
    from rocch.library.library import ClassifierLibrary

    check_question(question)
    if plot:
        check_picture(plot)
    with ClassifierLibrary(folder) as library:  # open, because limits read the curves
        show_best(complete_members(library.hull), question, plot=plot, as_json=as_json)
