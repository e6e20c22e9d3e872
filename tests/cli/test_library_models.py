"""`rocch library add --model`: fitted models from skops files, evaluated on labeled rows."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from skops.io import dump

import rocch
from rocch.library import ClassifierLibrary
from tests.support.columns import ColumnScores

from .conftest import write_csv

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

RNG = np.random.default_rng(3)
Y = (np.arange(80) % 3 == 0).astype(int)
X = np.round(RNG.normal(size=(80, 2)) + Y[:, None], 3)
NEW_Y = (np.arange(60) % 4 == 0).astype(int)
NEW_X = np.round(RNG.normal(size=(60, 2)) + NEW_Y[:, None], 3)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "rows.csv", id=np.arange(60), a=NEW_X[:, 0], b=NEW_X[:, 1], y=NEW_Y)


def saved(model: Any, folder: Path, name: str = "nb.skops") -> Path:
    dump(model, folder / name)
    return folder / name


def kinds(positive: Any, other: Any, truth: Any = NEW_Y) -> Any:
    return np.where(truth == 1, positive, other)


def add(library: Path, rows: Path, model: Path, *options: str) -> tuple[object, ...]:
    return ("library", "add", library, rows, "--label", "y", "--model", model, *options)


def test_a_model_is_added_as_python_adds_it(
    library: Path, rows: Path, tmp_path: Path, answer: Answer
) -> None:
    model = GaussianNB().fit(X, Y)
    document = answer(*add(library, rows, saved(model, tmp_path), "--row", "id", "--tag", "t"))
    assert [(one["name"], one["outcome"]) for one in document["classifiers"]] == [("nb", "extends")]
    other = ClassifierLibrary.create(tmp_path / "other")
    other.add_model("nb", model, NEW_X, NEW_Y, row_ids=NEW_Y.size and np.arange(60))
    with ClassifierLibrary(library) as kept:
        assert kept.hull == other.hull
        assert kept["nb"].has_model
        assert kept["nb"].tags == ("t",)
        assert kept["nb"].fingerprint == other["nb"].fingerprint


def test_an_export_of_models_predicts(
    library: Path, rows: Path, tmp_path: Path, answer: Answer
) -> None:
    for name, model in (("nb", GaussianNB()), ("lr", LogisticRegression())):
        file = saved(model.fit(X, Y), tmp_path, f"{name}.skops")
        answer(*add(library, rows, file, "--features", "a,b", "--name", f"my {name}"))
    done = answer("library", "export", library, "-o", tmp_path / "hybrid.rocch")
    hybrid = rocch.load(tmp_path / "hybrid.rocch", digest=done["export"]["sha256"])
    assert isinstance(hybrid, rocch.RocchClassifier)
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=5)
    decided = hybrid.at(known).predict(NEW_X)
    with ClassifierLibrary(library) as kept:
        point = kept.best(known)
    assert np.mean(decided[NEW_Y == 1] == 1) == point.tpr
    assert np.mean(decided[NEW_Y == 0] == 1) == point.fpr


def test_columns_go_by_name_to_a_model_that_knows_them(
    library: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    colors = np.where(RNG.random(80) < 0.5, "red", "blue")
    frame = pd.DataFrame({"color": colors, "a": X[:, 0], "b": X[:, 1]})
    encode = make_column_transformer((OneHotEncoder(), ["color"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression()).fit(frame, Y)
    new = {"y": NEW_Y, "b": NEW_X[:, 1], "a": NEW_X[:, 0], "color": ["red", "blue"] * 30}
    rows = write_csv(tmp_path / "rows.csv", **new, other=NEW_Y)
    file = saved(model, tmp_path, "lr.skops")
    document = answer(*add(library, rows, file))
    scores = model.predict_proba(pd.DataFrame(new)[["color", "a", "b"]])[:, 1]
    assert document["auc"] == rocch.RocHull.from_scores(NEW_Y, {"lr": scores}).auc
    text = refusal(*add(library, rows, file, "--features", "a,b,other"))
    assert text.startswith("--features must be the model's: 'color', 'a', 'b'; got 'a', 'b', 'ot")
    document = answer(*add(library, rows, file, "--features", "a,b,color"))
    assert document["classifiers"][0]["outcome"] == "present"


def test_a_frame_needs_pandas(
    library: Path,
    rows: Path,
    tmp_path: Path,
    refusal: Refusal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = saved(GaussianNB().fit(pd.DataFrame(X, columns=["a", "b"]), Y), tmp_path)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert "needs pandas" in refusal(*add(library, rows, file))


def test_labels_are_matched_to_the_models_classes(
    library: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    kinds = np.array(["well", "ill"])
    file = saved(GaussianNB().fit(X, kinds[Y]), tmp_path)
    rows = write_csv(tmp_path / "rows.csv", a=NEW_X[:, 0], b=NEW_X[:, 1], y=kinds[NEW_Y])
    document = answer(*add(library, rows, file, "--positive", "ill"))
    assert document["auc"] > 0.7
    assert answer("library", "list", library)["labels"] == ["well", "ill"]
    odd = write_csv(tmp_path / "odd.csv", a=[1, 2], b=[1, 2], y=["ill", "dead"])
    text = refusal(*add(library, odd, file))
    assert text == (
        "--label must hold the classes of the model; got 'dead'. Its classes are: 'ill', 'well'."
    )
    text = refusal(*add(library, rows, file, "--positive", "dead"))
    assert text.startswith("--positive must be a class of the model; got 'dead'.")


def test_a_classifier_without_scores_is_a_point(
    library: Path, rows: Path, tmp_path: Path, answer: Answer
) -> None:
    class_only = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    file = saved(class_only, tmp_path, "tree.skops")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    document = answer(*add(library, rows, file, "--features", "a,b", "--digest", digest.upper()))
    assert document["classifiers"][0]["name"] == "tree"
    perceptron = saved(Perceptron().fit(X, Y), tmp_path, "p.skops")
    answer(*add(library, rows, perceptron, "--features", "a,b"))  # scores by its distance


def test_the_positive_class_is_not_guessed(
    library: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    named = write_csv(tmp_path / "n.csv", a=NEW_X[:, 0], b=NEW_X[:, 1], y=kinds("bad", "good"))
    file = saved(GaussianNB().fit(X, np.where(Y, "bad", "good")), tmp_path)
    text = refusal(*add(library, named, file))
    assert text == (
        "--positive must be given unless --label is boolean, 0/1, -1/1, true/false, t/f or yes/no; "
        "got labels 'bad', 'good'. Name the class whose detection counts as a hit; all others are "
        "negative."
    )
    assert answer(*add(library, named, file, "--positive", "bad"))["pos_label"] == "bad"
    with ClassifierLibrary(library) as kept, pytest.raises(rocch.InputError) as refused:
        kept.add_model("b", GaussianNB().fit(X, kinds("b", "g", Y)), NEW_X, kinds("b", "g"))
    assert str(refused.value).startswith("pos_label must be given unless classes_ is boolean")


@pytest.mark.parametrize(("positive", "other"), [("yes", "no"), (1, -1), (True, False)])
def test_a_class_that_is_evidently_positive(
    positive: Any, other: Any, library: Path, tmp_path: Path, answer: Answer
) -> None:
    labels = kinds(positive, other)
    rows = write_csv(tmp_path / "r.csv", a=NEW_X[:, 0], b=NEW_X[:, 1], y=labels)
    file = saved(GaussianNB().fit(X, kinds(positive, other, Y)), tmp_path)
    assert answer(*add(library, rows, file))["pos_label"] == positive


def test_columns_chosen_by_their_kind_need_no_trust(
    library: Path, rows: Path, tmp_path: Path, answer: Answer
) -> None:
    numbers = make_column_transformer((StandardScaler(), make_column_selector("^[ab]$")))
    model = make_pipeline(numbers, GaussianNB()).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    document = answer(*add(library, rows, saved(model, tmp_path)))
    assert document["classifiers"][0]["kept"]


def test_a_refusal_ends_with_options_to_paste(
    library: Path, rows: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    file = saved(ColumnScores(1).fit(X, Y), tmp_path)
    text = refusal(*add(library, rows, file, "--features", "a,b"))
    assert text.endswith("If you trust them, name them: --trust tests.support.columns.ColumnScores")
    assert text.count("ColumnScores") == 1
    pasted = text.partition("name them: ")[2].split()
    own = saved(ColumnScores(0).fit(X, Y), tmp_path)
    assert answer(*add(library, rows, own, "--features", "a,b", *pasted))


def test_boosters_need_a_digest_or_trust(
    library: Path, rows: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1)
    model.fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    file = saved(model, tmp_path, "boosted.skops")
    text = refusal(*add(library, rows, file))
    assert text == (
        "'boosted' holds memory of another library's trees, which a forged file could misuse. Give "
        "the digest that was recorded when it was saved (--digest); or, if you trust the file, "
        "name its types: --trust lightgbm.basic.Booster"
    )
    text = refusal(*add(library, rows, file, "--digest", "0" * 64))
    assert text.startswith("--digest must be the SHA-256 of ")
    document = answer(*add(library, rows, file, "--trust", "lightgbm.basic.Booster"))
    assert document["classifiers"][0]["kept"]


def test_trees_are_checked(
    library: Path, rows: Path, tmp_path: Path, answer: Answer, refusal: Refusal
) -> None:
    model = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    file = saved(model, tmp_path, "tree.skops")
    assert answer(*add(library, rows, file, "--features", "a,b"))["classifiers"][0]["kept"]
    model.tree_.children_left[0] = 10**6
    forged = saved(model, tmp_path, "forged.skops")
    text = refusal(*add(library, rows, forged, "--features", "a,b"))
    assert text.startswith("'forged' must be a model as it was saved; got damaged or forged data")
    assert "a tree cannot have been fitted like this" in text


def test_bad_models_get_one_line(
    library: Path, rows: Path, tmp_path: Path, refusal: Refusal
) -> None:
    good = saved(GaussianNB().fit(X, Y), tmp_path)
    unfitted = saved(GaussianNB(), tmp_path, "unfitted.skops")
    regressor = saved(LinearRegression().fit(X, Y), tmp_path, "regressor.skops")
    three = saved(GaussianNB().fit(X, np.arange(80) % 3), tmp_path, "three.skops")
    broken = tmp_path / "broken.skops"
    broken.write_bytes(good.read_bytes()[:200])
    for model, options, words in (
        (tmp_path / "none.skops", (), "--model must be a file that can be read; got"),
        (tmp_path, (), "--model must be a file that can be read; got"),
        (broken, (), "--model must be a whole file that skops wrote"),
        (unfitted, (), "--model must hold a fitted classifier; got GaussianNB."),
        (regressor, (), "--model must hold a fitted classifier; got LinearRegression."),
        (three, (), "--model must be fitted classifiers for two classes"),
        (good, (), "--features must be the 2 of the model, in its order; got 'id', 'a', 'b'."),
        (good, ("--features", "a,c"), "--features must name a column"),
        (good, ("--features", "a,a"), "--features must have distinct columns"),
        (good, ("--row", "c"), "--row must name a column"),
        (good, ("--scores", "a"), "--scores and --classifier do not go with --model."),
        (good, ("--name", "a", "--name", "b"), "--model is one classifier: give --name once."),
        (good, ("--row", "id", "--name", ""), "--name must be a text that is not empty"),
    ):
        features = ("--features", "a,b") if model not in (good, tmp_path) and not options else ()
        assert words in refusal(*add(library, rows, model, *features, *options)), model
    with ClassifierLibrary(library) as kept:
        assert kept.state.offered == 0


def test_a_hybrid_is_no_single_model(
    library: Path, rows: Path, tmp_path: Path, refusal: Refusal
) -> None:
    hybrid = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, Y)
    rocch.save(hybrid, tmp_path / "hybrid.rocch")
    assert "a hybrid of several" in refusal(*add(library, rows, tmp_path / "hybrid.rocch"))


def test_gaps_and_texts_in_features_are_refused(
    library: Path, tmp_path: Path, refusal: Refusal
) -> None:
    file = saved(GaussianNB().fit(X, Y), tmp_path)
    gap = write_csv(tmp_path / "gap.csv", a=["1", ""], b=[1, 2], y=[0, 1])
    assert "column 'a' must have no missing values" in refusal(*add(library, gap, file))
    text = write_csv(tmp_path / "text.csv", a=["1", "red"], b=[1, 2], y=[0, 1])
    assert "Encode it as numbers first" in refusal(*add(library, text, file))


def test_what_the_model_itself_refuses_is_shown(
    library: Path, tmp_path: Path, refusal: Refusal
) -> None:
    file = saved(GaussianNB().fit(X, Y), tmp_path)
    infinite = write_csv(tmp_path / "inf.csv", a=["1", "inf"], b=[1, 2], y=[0, 1])
    text = refusal(*add(library, infinite, file))
    assert text.startswith("FILE must be rows that 'nb' can score; got ValueError: Input X con")


def test_a_file_that_is_no_skops_file(
    library: Path, rows: Path, tmp_path: Path, refusal: Refusal
) -> None:
    pickled = tmp_path / "nb.pkl"
    pickled.write_bytes(b"\x80\x04no model")
    zipped = tmp_path / "other.zip"
    with ZipFile(zipped, "w") as archive:
        archive.writestr("readme", "nothing")
    for file in (pickled, zipped, rows):
        text = refusal(*add(library, rows, file))
        assert text.startswith(f"--model must be a whole file that skops wrote; got '{file}'.")
