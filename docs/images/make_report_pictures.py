"""Draw the pictures of reports: pages opened in headless Chromium.

Run: python docs/images/make_report_pictures.py
"""

from __future__ import annotations

import shutil
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent


def two_classes() -> bytes:
    """Show the report of three classifiers on the breast cancer data, three features of it."""
    data = load_breast_cancer()
    features, y = data.data[:, [4, 8, 9]], data.target == 0  # malignant
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(random_state=0),
        "naive bayes": GaussianNB(),
    }
    scores = {
        name: cross_val_predict(model, features, y, cv=5, method="predict_proba")[:, 1]
        for name, model in models.items()
    }
    hull = rocch.RocHull.from_scores(y, scores)
    known = rocch.Question(
        prevalence=0.05, false_positive=80, false_negative=900, currency="EUR", cases_per_month=3000
    )
    summary = rocch.report.summarize(
        hull, known, title="Which model for screening?", labels=("benign", "malignant")
    )
    return shot(summary)


def many_classes() -> bytes:
    """Show the report of one model on three kinds of wine."""
    wine = load_wine()
    names = wine.target_names[wine.target]
    posteriors = cross_val_predict(
        GaussianNB(), wine.data[:, [1, 2, 9]], names, method="predict_proba"
    )
    return shot(
        rocch.report.summarize_probabilities(
            names, {"naive bayes": posteriors}, title="Three kinds of wine"
        )
    )


def shot(summary: rocch.report.Summary) -> bytes:
    """Return a picture of the top of a report."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder, "report.html")
        rocch.write_report(summary, file)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-background-networking"],
        )
        page = browser.new_page(viewport={"width": 1240, "height": 860})
        page.goto(file.as_uri())
        page.wait_for_selector(".js-plotly-plot")
        page.wait_for_timeout(1500)
        return page.screenshot()


PICTURES: dict[str, Callable[[], bytes]] = {
    "report": two_classes,
    "report-many-classes": many_classes,
}


def main() -> None:
    """Draw all; 256 colors are enough if they cover all, so that small patches keep theirs."""
    for name, draw in PICTURES.items():
        page = Image.open(BytesIO(draw())).convert("RGB")
        method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
        picture = page.quantize(256, method=method, kmeans=4, dither=dither)
        picture.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
