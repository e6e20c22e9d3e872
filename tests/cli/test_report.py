"""`rocch report`, in all its formats and from all that it can be made of."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.cli.main import cli
from tests.support.columns import ColumnScores

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Refusal

COSTS = ("--prevalence", "0.1", "--false-positive", "1", "--false-negative", "3..9")


def run(*arguments: object, **more: Any) -> Result:
    typed = ["report", *map(str, arguments)]
    return CliRunner().invoke(cli, typed, catch_exceptions=False, **more)


@pytest.fixture(scope="module")
def table() -> list[list[str]]:
    rng = np.random.default_rng(3)
    y = np.arange(240) % 4 == 0
    header = ["state", "gbm", "rules", "fold"]
    gbm, rules = rng.normal(size=240) + 1.5 * y, np.round(rng.normal(size=240) + y, 1)
    fold = np.arange(240) % 3
    columns = (["ill" if each else "well" for each in y], gbm, rules, fold)
    return [header, *([str(cell) for cell in row] for row in zip(*columns, strict=True))]


@pytest.fixture
def scores(table: list[list[str]], tmp_path: Path) -> Path:
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(",".join(row) for row in table), encoding="utf-8")
    return file


def ask(scores: Path, *more: object) -> Result:
    named = ("--label", "state", "--positive", "ill", "--scores", "gbm,rules")
    return run(scores, *named, "--resamples", 0, *more)


def summary_of(scores: Path, *more: object) -> dict[str, Any]:
    result = ask(scores, "--json", *more)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    Draft202012Validator(rocch.report.summary_schema()).validate(found)
    return found


def test_html_says_the_sentence_and_where_it_was_written(scores: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = ask(scores, *COSTS, "-o", page, "--title", "Ward 7")
    assert result.exit_code == 0
    assert "Use gbm at" in result.output
    assert "Written:" in result.output
    text = page.read_text(encoding="utf-8")
    assert "<title>Ward 7</title>" in text
    assert summary_of(scores, *COSTS)["sentence"] in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "start"),
    [(("--format", "md"), "# "), (("--format", "json"), "{"), ((), "Use gbm at")],
)
def test_other_formats_go_to_the_terminal(
    scores: Path, options: tuple[str, ...], start: str
) -> None:
    result = ask(scores, *COSTS, *options)
    assert result.exit_code == 0
    assert result.stdout.startswith(start)


@pytest.mark.parametrize("named", [(), ("--format", "text")])
def test_text_goes_to_its_file(scores: Path, tmp_path: Path, named: tuple[str, ...]) -> None:
    target = tmp_path / "report.txt"
    result = ask(scores, *COSTS, "-o", target, *named)
    assert result.exit_code == 0, result.output
    assert result.output.endswith(f"Written: {target}\n")
    assert target.read_text(encoding="utf-8") == ask(scores, *COSTS).stdout


def test_all_formats_say_the_same(scores: Path, tmp_path: Path) -> None:
    sentence = summary_of(scores, *COSTS)["sentence"]
    for name in ("a.md", "a.json", "a.html"):
        assert ask(scores, *COSTS, "-o", tmp_path / name).exit_code == 0
        assert sentence in (tmp_path / name).read_text(encoding="utf-8").replace("\\", "")


def test_labels_of_the_file_are_those_of_the_rule(scores: Path) -> None:
    data = summary_of(scores)["binary"]["data"]
    assert (data["label"], data["positive"], data["negative"]) == ("state", "ill", "well")
    assert data["rows"] == 240


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--cost-ratio", "2..9"), {"cost_ratio": [2, 9], "prevalence": 0.25}),
        (("--max-fpr", "0.1"), {"max_fpr": 0.1}),
        (
            ("--capacity", "10", "--population", "200", *COSTS[:2]),
            {"capacity": 10, "population": 200, "prevalence": 0.1},
        ),
        (
            ("--randomize", *COSTS),
            {"prevalence": 0.1, "false_positive": 1, "false_negative": [3, 9], "randomize": True},
        ),
        (
            ("--negatives-per-positive", "4"),
            {"negatives_per_positive": 4, "false_positive": 1, "false_negative": 1},
        ),
        ((), {"prevalence": 0.25, "false_positive": 1, "false_negative": 1}),
    ],
)
def test_the_page_starts_at_the_question(
    scores: Path, options: tuple[str, ...], asked: dict[str, Any]
) -> None:
    assert summary_of(scores, *options)["question"] == asked


def test_folds_are_no_scores_and_are_looked_at(table: list[list[str]], tmp_path: Path) -> None:
    rows = [[r[0], str(float(r[1]) + 3 * int(r[3])), r[3]] for r in table[1:]]
    file = tmp_path / "folds.csv"
    file.write_text("\n".join(",".join(row) for row in [["y", "gbm", "fold"], *rows]))
    result = run(file, "--label", "y", "--positive", "ill", "--fold", "fold", "--json")
    found = json.loads(result.stdout)
    assert [each["name"] for each in found["binary"]["classifiers"]] == ["gbm"]
    assert any("between its 3 folds" in warning for warning in found["warnings"])


def test_a_long_file_from_standard_input(table: list[list[str]]) -> None:
    lines = ["model,id,state,score"]
    for place, name in ((1, "gbm"), (2, "rules")):
        lines += [f"{name},{i},{row[0]},{row[place]}" for i, row in enumerate(table[1:])]
    named = ("--label", "state", "--positive", "ill", "--classifier", "model")
    columns = ("--row", "id", "--score", "score")
    result = run("-", *named, *columns, "--json", "--resamples", 0, input="\n".join(lines))
    found = json.loads(result.stdout)
    assert {each["name"] for each in found["binary"]["classifiers"]} == {"gbm", "rules"}
    assert found["binary"]["data"]["negative"] == "well"


def test_a_saved_hybrid_needs_no_label(tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X[:, :4], y)
    rocch.save(model, tmp_path / "model.rocch")
    result = run(tmp_path / "model.rocch", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["binary"]
    assert found["certainty"] is None  # the rows are not in the file
    assert found["hull_auc"] == model.hull_.auc
    refused = run(tmp_path / "model.rocch", "--costs", "0>1=3")
    assert refused.exit_code == 2
    assert "--costs" in refused.output


def test_a_saved_hybrid_is_known_by_its_content(tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X[:, :4], y)
    rocch.save(model, tmp_path / "model.rocch")
    renamed = (tmp_path / "model.rocch").rename(tmp_path / "model.bin")
    result = run(renamed, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["binary"]["hull_auc"] == model.hull_.auc
    with zipfile.ZipFile(tmp_path / "other.bin", "w") as container:
        container.writestr("something.json", "{}")
    other = run(tmp_path / "other.bin")
    assert other.exit_code == 2
    assert "--label is missing" in other.output  # it is taken for a table


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = load_iris()
    names = data.target_names[data.target]
    P = cross_val_predict(GaussianNB(), data.data[:, :2], names, method="predict_proba")
    file = tmp_path_factory.mktemp("many") / "posteriors.csv"
    rows = [[name, *map(str, row)] for name, row in zip(names, P.tolist(), strict=True)]
    lines = [["kind", "setosa", "versicolor", "virginica"], *rows]
    file.write_text("\n".join(",".join(line) for line in lines), encoding="utf-8")
    return file


def test_many_classes(iris: Path, tmp_path: Path) -> None:
    costs = ("--costs", "virginica>setosa=10", "--default-cost", "1")
    result = run(iris, "--label", "kind", *costs, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    Draft202012Validator(rocch.report.summary_schema()).validate(found)
    assert found["question"]["costs"] == [["virginica", "setosa", 10]]
    assert found["question"]["default_cost"] == 1
    assert found["multiclass"]["costs"][2] == [10, 1, 0]
    page = tmp_path / "many.html"
    shares = "setosa=0.2,versicolor=0.2,virginica=0.6"
    written = run(iris, "--label", "kind", "--priors", shares, "-o", page)
    assert written.exit_code == 0
    assert "Use the model" in written.output
    assert "virginica" in page.read_text(encoding="utf-8")


BAD = [
    (("--label", "nothing"), "nothing"),
    (("--label", "state"), "--positive"),
    ((), "--label"),
    (("--label", "state", "--positive", "dead"), "dead"),
    (("--label", "state", "--positive", "ill", "--scores", "gbm,gbm"), "gbm"),
    (("--label", "state", "--positive", "ill", "--scores", "state,gbm"), "label"),
    (("--label", "state", "--positive", "ill", "--fold", "nofold"), "nofold"),
    (("--label", "state", "--positive", "ill", "--false-positive", "1"), "--false-negative"),
    (("--label", "state", "--positive", "ill", "--likely", "4"), "--cost-ratio"),
    (("--label", "state", "--positive", "ill", "--max-fpr", "2"), "--max-fpr"),
    (("--label", "state", "--positive", "ill", "--capacity", "9"), "--population"),
    (("--label", "state", "--positive", "ill", "--prevalence", "1.5"), "prevalence"),
    (("--label", "state", "--positive", "ill", "--costs", "ill>well=3"), "--costs"),
    (("--label", "state", "--positive", "ill", "--json", "--format", "md"), "--format"),
    (("--label", "state", "--positive", "ill", "--resamples", "-1"), "--resamples"),
]


@pytest.mark.parametrize(("options", "named"), BAD)
def test_bad_input_is_one_line_and_writes_nothing(
    scores: Path, tmp_path: Path, options: tuple[str, ...], named: str
) -> None:
    page = tmp_path / "never.html"
    result = run(scores, *options, "-o", page)
    assert result.exit_code == 2
    assert named in result.output
    assert "Traceback" not in result.output
    assert sorted(file.name for file in tmp_path.iterdir()) == ["scores.csv"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "header"),
        ("y,s\n", "row"),
        ("y,s\n1,0.5\n1,0.7\n", "both classes"),
        ("y,s\n1,0.5\n0,oops\n", "row 2"),
        ("y,s\n1,0.5\n0,\n", "row 2"),
        ("y,s,s\n1,0.5,1\n0,0.2,1\n", "'s'"),
        ("y,s\na,0.5\nb,0.2\nc,0.1\n", "probabilities"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text, encoding="utf-8")
    result = run(file, "--label", "y", "--scores", "s", "-o", tmp_path / "never.html")
    assert result.exit_code == 2
    assert named in result.output
    assert [f.name for f in tmp_path.iterdir()] == ["bad.csv"]


def test_a_file_that_is_read_is_not_written_over(scores: Path, tmp_path: Path) -> None:
    before = scores.read_text(encoding="utf-8")
    (tmp_path / "link.html").symlink_to(scores)
    for target in (scores, tmp_path / "link.html"):
        result = ask(scores, "--format", "html", "-o", target)
        assert result.exit_code == 2
        assert "not be a file that is read" in result.output
    assert scores.read_text(encoding="utf-8") == before


def test_an_aimed_model_is_reported_where_it_aims(tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X[:, :4], y)
    costs = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=20)
    rocch.save(model.at(costs), tmp_path / "aimed.rocch")
    found = json.loads(run(tmp_path / "aimed.rocch", "--json").stdout)
    assert found["question"]["false_negative"] == 20
    assert found["binary"]["answer"]["fpr"] == model.hull_.best(costs).fpr
    for criterion, question in (
        (rocch.NeymanPearson(0.1), {"max_fpr": 0.1}),
        (rocch.MinimumTpr(0.9), {"min_tpr": 0.9}),
    ):
        assert rocch.report.summarize(model.at(criterion)).question == question


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_a_model_that_guesses_the_positive_class_is_refused() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    names = np.where(y, "benign", "malignant")
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X[:, :4], names)
    with pytest.raises(rocch.InputError, match="pos_label"):
        rocch.report.summarize(model)


def test_a_name_that_says_another_format_is_refused(scores: Path, tmp_path: Path) -> None:
    for options in (("--json",), ("--format", "md")):
        result = ask(scores, *options, "-o", tmp_path / "page.html")
        assert result.exit_code == 2
        assert "is named as html" in result.output


def test_options_of_tables_have_no_effect_on_a_saved_model(tmp_path: Path) -> None:
    (tmp_path / "model.rocch").write_bytes(b"damaged")
    result = run(tmp_path / "model.rocch", "--scores", "nb")
    assert result.exit_code == 2
    assert "--scores has no effect" in result.output
    damaged = run(tmp_path / "model.rocch")
    assert damaged.exit_code == 2
    assert "--label" not in damaged.output


def test_a_saved_model_with_types_of_ones_own_is_trusted(scores: Path, tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    mine = FrozenEstimator(ColumnScores(0).fit(-X, y))
    hybrid = rocch.RocchClassifier([("by radius", mine)]).fit(-X, y)
    own, file = "tests.support.columns.ColumnScores", tmp_path / "model.rocch"
    digest = rocch.save(hybrid, file, trusted=[own])
    quick = ("--resamples", 0, "--json")
    refused = run(file, *quick)
    assert refused.exit_code == 2
    assert refused.output.strip().endswith(
        "'by radius' holds types that are not on the allow-list. If you trust them, name them: "
        f"--trust {own}"
    )
    told = run(file, *quick, "--trust", own, "--digest", digest)
    assert told.exit_code == 0, told.output
    assert "another file than the one whose" in run(file, "--digest", "0" * 64).output
    for option in ("--trust", "--digest"):
        needless = ask(scores, option, "x")
        assert needless.exit_code == 2
        assert f"{option} has no effect here; it goes with a saved model" in needless.output


def test_a_saved_surface_takes_costs_of_classes_that_are_numbers(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], generations=20).fit(X[:, :2], y)
    rocch.save(model, tmp_path / "surface.rocch")
    costs = ("--costs", "2>0=9", "--default-cost", "1", "--priors", "0=0.2,1=0.2,2=0.6")
    result = run(tmp_path / "surface.rocch", *costs, "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)["multiclass"]
    assert (data["costs"][2][0], data["costs"][0][1]) == (9, 1)
    assert data["shares"] == pytest.approx([0.2, 0.2, 0.6])


@pytest.mark.parametrize("target", ["nowhere/report.html", "report.docx", "."])
def test_places_that_cannot_be_written(scores: Path, target: str) -> None:
    before = sorted(scores.parent.iterdir())
    result = ask(scores, "-o", scores.parent / target)
    assert result.exit_code == 2
    assert "--output" in result.output
    assert sorted(scores.parent.iterdir()) == before


def test_a_damaged_model_is_told_by_the_word_of_the_command(
    tmp_path: Path, refusal: Refusal
) -> None:
    (tmp_path / "model.rocch").write_bytes(b"nothing")
    said = refusal("report", tmp_path / "model.rocch")
    assert said.startswith("FILE must name a file as rocch.save wrote it;")


def test_todays_rule_is_read_as_by_rocch_best(table: list[list[str]], tmp_path: Path) -> None:
    """A threshold, a rule, or a column of predicted labels; a model has the threshold 0.5."""
    file, header = tmp_path / "today.csv", [*table[0], "today"]
    rows = [[*row, "ill" if float(row[1]) >= 0.7 else "well"] for row in table[1:]]
    file.write_text("\n".join(map(",".join, [header, *rows])), encoding="utf-8")
    costs = ("--false-positive", "1", "--false-negative", "5")

    def first(rule: str) -> dict[str, Any]:
        saving: dict[str, Any] = summary_of(file, *costs, "--baseline", rule)["binary"]["answer"][
            "savings"
        ][0]
        return saving

    labels, rule = first("today"), first("gbm >= 0.7")
    assert labels["baseline"] == "today's rule"
    assert labels["saves"] == rule["saves"]
    probable = tmp_path / "probable.csv"
    lines = [[row[0], str(1 / (1 + np.exp(-float(row[1]))))] for row in table[1:]]
    probable.write_text("\n".join(map(",".join, [["state", "nb"], *lines])), encoding="utf-8")
    asked = ("--label", "state", "--positive", "ill", "--resamples", 0, "--baseline", "nb")
    assert "against nb at threshold 0.5" in run(probable, *asked, *costs).output.replace("\n", " ")
