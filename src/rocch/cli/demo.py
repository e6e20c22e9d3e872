"""`rocch demo`: five classifiers for breast biopsies, evaluated on rows they never saw."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.binary import BestResult, HullResult, find_best, save_plot
from rocch.cli.options import json_option, output_option, progress_option
from rocch.cli.output import Printed, show, to_json, working
from rocch.errors import InputError, MissingExtraError, escape_line
from rocch.files import writing
from rocch.report.parts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint

# The three questions, as they would be typed.
ROUGH_COSTS = {"prevalence": "10%", "false_positive": "1..2", "false_negative": "10..40"}
LIMIT = {"max_fpr": "2%"}
APPOINTMENTS = {"capacity": "60", "positives": "50", "negatives": "450"}


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The hull, and the best choice for each of the three questions."""

    data: str
    hull: HullResult
    rough_costs: BestResult
    limit_on_false_alarms: BestResult
    sixty_appointments: BestResult
    files: tuple[Path, ...]

    def parts(self) -> Iterator[Printed]:
        """Return the questions and what to do."""
        yield Section("Breast biopsies: which to call malignant?", ())
        yield from self.hull.parts()
        yield Section(
            "1. 'One in ten patients is ill. A false alarm costs 1 to 2, a miss 10 to 40.'",
            (str(self.rough_costs.sensitivity),),
        )
        yield Section(
            "2. 'At most 2% of the healthy may be alarmed.'",
            (_sentence(self.limit_on_false_alarms.choice),),
        )
        yield Section(
            "3. 'We have 60 appointments for 500 patients; about 50 are ill.'",
            (_sentence(self.sixty_appointments.choice),),
        )
        yield "\nWritten: " + escape_line(", ".join(map(str, self.files)))
        if len(self.files) == 1:
            yield "Install the 'plot' extra for the picture: pip install 'rocch[plot]'"


def _sentence(choice: OperatingPoint) -> str:
    rule, gain = choice.rule(), choice.randomizing_gains
    mixing = f" Mixing two classifiers by a coin would gain {gain:.4f} TPR." if gain else ""
    return (
        f"{rule[0].upper()}{rule[1:]}: on the evaluation rows it finds {choice.tpr:.1%} of the ill "
        f"and alarms {choice.fpr:.1%} of the healthy.{mixing}"
    )


@click.command("demo")
@output_option(
    "Folder for the picture and the result file.",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("rocch-demo"),
    show_default=True,
)
@json_option
@progress_option
def demo(output: Path, as_json: bool) -> None:
    """Train classifiers on real data, build their hull, and decide three questions.

    Uses the breast cancer data that come with scikit-learn: 569 biopsies, 212 malignant. Half of
    them train five classifiers, the other half evaluates them. Writes a picture (if matplotlib is
    installed) and a result file.

    \b
    Example:
      rocch demo
      rocch demo --output somewhere
    """
    from rocch.roc.hull import RocHull
    from rocch.roc.question import Question

    hull = RocHull.of(*_curves())
    questions = map(Question.from_strings, (ROUGH_COSTS, LIMIT, APPOINTMENTS))
    first, second, third = (find_best(hull, question) for question in questions)
    picture = _draw(hull, first, output / "hull.png")
    file = output / "result.json"
    files = (file,) if picture is None else (file, picture)
    data = "breast cancer (scikit-learn), positive = malignant"
    result = DemoResult(data, HullResult.of(hull), first, second, third, files)
    with writing(file) as temporary:
        temporary.write_text(to_json(result) + "\n", encoding="utf-8")
    show(result, as_json=as_json)


def _draw(hull: RocHull, best: BestResult, picture: Path) -> Path | None:
    """Draw the hull and a choice; return None without matplotlib."""
    try:
        picture.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--output must be a folder that can be written; got {str(picture.parent)!r}. "
            f"{error.strerror}."
        ) from None
    drawn: Any = {"conditions": best.question.conditions, "points": [best.choice]}
    try:
        save_plot(hull, picture, title="Which biopsies to call malignant", **drawn)
    except MissingExtraError:
        return None
    return picture


def _curves() -> list[Any]:
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    from rocch.hybrid.components import curve_of

    features, target = load_breast_cancer(return_X_y=True)
    malignant = target == 0
    few = features[:, [1, 4, 5, 8]]  # texture, smoothness, compactness, symmetry: a first look
    parts = train_test_split(few, malignant, test_size=0.5, random_state=7, stratify=malignant)
    train, test, y_train, y_test = parts
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "boosting": HistGradientBoostingClassifier(max_iter=60, random_state=0),
    }
    curves = []
    with working("Training five classifiers") as step:
        for name, model in models.items():
            fitted = model.fit(train, y_train)
            curves.append(curve_of(fitted, test, y_test, pos_label=np.True_, name=name))
            step(len(curves), len(models))
    return curves
