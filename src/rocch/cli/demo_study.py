"""The demo's study: five classifiers for breast biopsies, judged on rows they never saw."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.markup import escape

from rocch.cli import render
from rocch.cli.progress import working
from rocch.errors import InputError, MissingExtraError, escape_line
from rocch.files import writing
from rocch.hybrid.hybrid import curve_of
from rocch.roc.conditions import Conditions
from rocch.roc.criteria import Capacity, MinimaxRegret, NeymanPearson
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.roc.operating_point import OperatingPoint
    from rocch.roc.sensitivity import Sensitivity

COSTS = Conditions(prevalence=0.1, false_positive=(1, 2), false_negative=(10, 40))
LIMIT = NeymanPearson(0.02)
WORKFORCE = Capacity(60, positives=50, negatives=450)


@dataclass(frozen=True, slots=True)
class Study:
    """The hull and the answers to the three questions."""

    hull: RocHull
    sensitivity: Sensitivity
    safest: OperatingPoint
    limited: OperatingPoint
    staffed: OperatingPoint

    def document(self) -> dict[str, Any]:
        """Return everything for programs."""
        return {
            "data": "breast cancer (scikit-learn), positive = malignant",
            "hull": render.hull_json(self.hull),
            "rough_costs": render.best_json(self.hull, self.safest, self.sensitivity),
            "limit_on_false_alarms": render.best_json(self.hull, self.limited, None),
            "sixty_appointments": render.best_json(self.hull, self.staffed, None),
        }

    def write(self, folder: Path) -> list[Path]:
        """Write the result file, and the picture if matplotlib is installed."""
        result, picture = folder / "result.json", folder / "hull.png"
        text = json.dumps(render.plain(self.document()), indent=2, allow_nan=False)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"--output must be a folder that can be written; got {str(folder)!r}. "
                f"{error.strerror}."
            ) from None
        with writing(result) as temporary:  # which is there only if the picture is, too
            temporary.write_text(text + "\n", encoding="utf-8")
            title = "Which biopsies to call malignant"
            drawn: Any = {"conditions": COSTS, "points": [self.safest]}
            try:
                render.save_plot(self.hull, picture, title=title, **drawn)
            except MissingExtraError:
                return [result]
        return [result, picture]

    def show(self, files: list[Path]) -> None:
        """Print the questions and the answers."""
        console = render.console()
        console.print("[bold]Breast biopsies: which to call malignant?[/bold]")
        render.print_hull(self.hull)
        console.print(
            "\n[bold]1. 'One in ten patients is ill. A false alarm costs 1 to 2, "
            "a miss 10 to 40.'[/bold]"
        )
        console.print(str(self.sensitivity))
        console.print("\n[bold]2. 'At most 2 % of the healthy may be alarmed.'[/bold]")
        console.print(_sentence(self.limited))
        console.print(
            "\n[bold]3. 'We have 60 appointments for 500 patients; about 50 are ill.'[/bold]"
        )
        console.print(_sentence(self.staffed))
        console.print("\nWritten: " + escape(escape_line(", ".join(map(str, files)))))
        if len(files) == 1:
            console.print("Install the 'plot' extra for the picture: pip install 'rocch\\[plot]'")


def run() -> Study:
    """Train, judge, build the hull, and ask."""
    hull = RocHull.of(*_curves())
    return Study(
        hull,
        hull.sensitivity(COSTS),
        hull.best(MinimaxRegret(COSTS)),
        hull.best(LIMIT),
        hull.best(WORKFORCE),
    )


def _curves() -> list[Any]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

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


def _sentence(answer: OperatingPoint) -> str:
    rule = answer.rule()
    gain = answer.randomizing_gains
    mixing = f" Mixing two classifiers by a coin would gain {gain:.4f} TPR." if gain else ""
    return (
        f"{rule[0].upper()}{rule[1:]}: it finds {answer.tpr:.1%} of the ill and alarms "
        f"{answer.fpr:.1%} of the healthy.{mixing}"
    )
