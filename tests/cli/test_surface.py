"""`rocch surface`: the surface of a file's rows, and what is asked of it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch
from rocch.cli.main import cli
from rocch.multiclass import dominated_share

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    from tests.conftest import Answer, Refusal

    Table = dict[str, list[Any]]

NAMES = ("ant", "bee", "cow")
KEYS = {
    "rows",
    "classes",
    "features",
    "objectives",
    "generations",
    "stopped",
    "members",
    "members_by_model",
    "beyond_random",
    "dominated_share",
    "question",
    "chosen",
    "new_rows",
    "savings",
    "optimal_somewhere",
    "least_regret",
}
QUICK = ("--generations", "10", "--draws", "20")
COSTS = ("--costs", "ant>bee=5", "--default-cost", "1")
VEHICLE = Path(__file__).parents[3] / "shared" / "data" / "vehicle.csv"


@pytest.fixture
def table() -> Table:
    """Return 90 rows of three classes that overlap, the second feature a thousand times wider."""
    data = rocch.multiclass.three_class_data(90, seed=4)
    names = [NAMES[code] for code in np.unique(data.y, return_inverse=True)[1]]
    return {"x": data.X[:, 0].tolist(), "y": (1000 * data.X[:, 1]).tolist(), "kind": names}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Table], Path]:
    def written(table: Table) -> Path:
        file = tmp_path / "data.csv"
        lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values()))]  # noqa: B905
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    return written


@pytest.fixture
def file(write: Callable[[Table], Path], table: Table) -> Path:
    return write(table)


def arguments(file: Path, *options: object, model: str = "knn") -> list[str]:
    return ["surface", str(file), "--label", "kind", "--model", model, *QUICK, *map(str, options)]


def ran(*typed: str) -> Result:
    result = CliRunner().invoke(cli, typed, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result


def knn_surface(table: Table, objectives: Any = "rates") -> rocch.multiclass.RocSurface:
    features = np.array([table["x"], table["y"]]).T
    model = rocch.multiclass.KnnModel(features, table["kind"], scale=True)
    search = rocch.multiclass.SurfaceSearch(model, table["kind"], draws=20, objectives=objectives)
    return search.run(10)


@pytest.mark.parametrize("objectives", ["rates", "misses"])
def test_json_equals_the_python_api(
    answer: Answer, file: Path, table: Table, objectives: Any
) -> None:
    found = answer(*arguments(file, "--objectives", objectives))
    surface = knn_surface(table, objectives)
    assert set(found) == KEYS
    assert found["rows"] == 90
    assert found["classes"] == {name: table["kind"].count(name) for name in NAMES}
    assert found["features"] == ["x", "y"]
    assert (found["objectives"], found["generations"]) == (objectives, 10)
    assert found["stopped"] == "generations"
    assert found["members"] == len(surface) > 5
    assert found["members_by_model"] == {"knn": len(surface)}
    assert found["beyond_random"] == surface.beyond_random.sum()
    for name in ("fewest_errors", "knee", "farthest_from_random"):
        point, chosen = getattr(surface, name)(), found["chosen"][name]
        member = chosen["member"]
        assert member["place"] == point.member.place
        assert member["parameters"] == point.member.parameters
        assert member["confusion"]["miss_rates"] == point.confusion.miss_rates
        assert member["confusion"]["errors"] == point.confusion.errors
        assert chosen["equals"] == list(point.equals)
    assert found["question"] == {"costs": None, "priors": "observed", "limits": {}}


def test_the_dominated_share_is_that_of_the_members(
    answer: Answer, file: Path, table: Table
) -> None:
    surface = knn_surface(table)
    wrong = surface.counts[:, ~np.eye(3, dtype=bool)]
    share = dominated_share(wrong, np.repeat(surface.totals, 2))
    found = answer(*arguments(file))["dominated_share"]
    assert (found["value"], found["standard_error"]) == (share.value, share.standard_error)


def out_of_fold(model: Any, table: Table, *, seed: int = 0, folds: int = 5) -> Any:
    features = np.array([table["x"], table["y"]]).T
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    piped = make_pipeline(StandardScaler(), model)
    return cross_val_predict(piped, features, table["kind"], cv=splits, method="predict_proba")


def test_classifiers_are_judged_out_of_fold(answer: Answer, file: Path, table: Table) -> None:
    options = ("--model", "LogisticRegression", "--seed", "3", "--folds", "4")
    found = answer(*arguments(file, *options, *COSTS, model="GaussianNB"))
    judged = {
        "GaussianNB": out_of_fold(GaussianNB(), table, seed=3, folds=4),
        "LogisticRegression": out_of_fold(LogisticRegression(), table, seed=3, folds=4),
    }
    model = rocch.multiclass.KnownProbabilities(judged, NAMES)
    surface = rocch.multiclass.SurfaceSearch(model, table["kind"], draws=20, seed=3).run(10)
    assert found["members"] == len(surface)
    assert found["members_by_model"] == {name: surface.models.count(name) for name in judged}
    costs = rocch.CostMatrix({("ant", "bee"): 5}, classes=NAMES, default=1)
    implied = rocch.multiclass.best_classifier(table["kind"], judged, costs)
    least = found["chosen"]["least_cost"]
    assert least["member"]["parameters"] == {}
    assert least["expected_cost"] == min(
        surface.best(costs).expected_cost or 0, implied.expected_cost or 0
    )


@pytest.mark.parametrize("models", [("GaussianNB",), ("knn",), ("knn", "GaussianNB")])
def test_least_cost_says_what_it_saves_on_new_rows(
    answer: Answer, file: Path, table: Table, models: tuple[str, ...]
) -> None:
    typed = arguments(
        file, *(o for m in models[1:] for o in ("--model", m)), *COSTS, model=models[0]
    )
    found = answer(*typed)
    cost, savings = found["new_rows"], found["savings"]
    assert cost["apparent"] == found["chosen"]["least_cost"]["expected_cost"]
    low, high = cost["interval"]
    assert 0 < low < cost["expected"] < high
    known = {row["baseline"]: row for row in savings["baselines"]}
    costs = rocch.CostMatrix({("ant", "bee"): 5}, classes=NAMES, default=1)
    assert [name.split()[0] for name in known][-1] == "always"
    assert len(known) == 1 + ("GaussianNB" in models)
    if "GaussianNB" in models:
        likely = np.array(NAMES)[out_of_fold(GaussianNB(), table).argmax(axis=1)]
        paid = rocch.expected_cost(np.array(table["kind"]), likely, costs)
        assert known["the likeliest class by GaussianNB"]["cost"] == pytest.approx(paid)
    for row in known.values():
        assert row["saves"] == pytest.approx(row["cost"] - cost["expected"])
    out = ran(*typed).stdout
    assert "on new rows expect" in out
    assert savings["baselines"][0]["text"] in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "model", "why"),
    [
        (("--limit", "ant=0.9"), "GaussianNB", "only for choices without limits"),
        ((), "mlp(restarts=1)", "networks are evaluated on the rows that they are fitted to"),
    ],
)
def test_a_cost_that_is_not_estimated_says_why(
    file: Path, options: tuple[str, ...], model: str, why: str
) -> None:
    out = " ".join(ran(*arguments(file, *options, *COSTS, model=model)).stdout.split())
    assert why in out
    assert "It saves" not in out


@pytest.mark.parametrize("name", ["patient_id", "number"])
def test_ids_are_no_features(refusal: Refusal, write: Any, table: Table, name: str) -> None:
    order = np.random.default_rng(0).permutation(90).tolist()
    file = write({name: order, **table})
    why = f"got the column {name!r}, which looks like an id. For example: --features x,y"
    assert why in refusal(*arguments(file))
    assert ran(*arguments(file, "--features", f"x,y,{name}")).exit_code == 0


def test_a_rule_that_costs_imply_may_win(file: Path) -> None:
    few = ("--generations", "0", "--draws", "1")
    out = ran(*arguments(file, *COSTS, *few, model="GaussianNB")).stdout
    assert "the rule that the costs themselves imply" in out


def test_models_of_all_kinds_share_a_surface(answer: Answer, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "members.csv"
    several = ("--model", "mlp(hidden=1, restarts=1)", "--model", "GaussianNB", "-o", out)
    found = answer(*arguments(file, *several, "--seed", "1"))
    assert list(found["members_by_model"]) == ["knn", "mlp(hidden=1, restarts=1)", "GaussianNB"]
    assert sum(found["members_by_model"].values()) == found["members"]
    assert all(found["members_by_model"].values())
    with out.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == found["members"]
    for row in rows:
        assert bool(row["parameter k"]) == bool(row["parameter beta"]) == (row["model"] == "knn")
    nets = [row for row in rows if row["model"].startswith("mlp")]
    assert all(sum(bool(v) for n, v in row.items() if n.startswith("para")) == 9 for row in nets)


def test_all_members_are_written(file: Path, table: Table, tmp_path: Path) -> None:
    out = tmp_path / "members.csv"
    assert f"Written: {out}" in ran(*arguments(file, "-o", out)).stdout
    surface = knn_surface(table)
    with out.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(surface)
    for row, member in zip(rows, surface, strict=True):
        assert (int(row["member"]), row["model"]) == (member.place, "knn")
        assert int(row["errors"]) == member.confusion.errors
        assert float(row["distance_from_random"]) == surface.distances[member.place or 0]
        assert member.costs is not None
        for pair in surface.classes.pairs:
            assert int(row["count " + ">".join(pair)]) == member.confusion[pair]
            assert float(row["cost " + ">".join(pair)]) == member.costs[pair]
        assert float(row["parameter k"]) == member.parameters["k"]
        assert float(row["parameter beta"]) == member.parameters["beta"]


def test_exact_costs_choose_a_member(answer: Answer, file: Path, table: Table) -> None:
    shares = ("--priors", "ant=0.6,bee=0.2,cow=0.2")
    found = answer(*arguments(file, *COSTS, *shares))
    costs = rocch.CostMatrix({("ant", "bee"): 5}, classes=NAMES, default=1)
    point = knn_surface(table).best(costs, {"ant": 0.6, "bee": 0.2, "cow": 0.2})
    assert found["chosen"]["least_cost"]["member"]["place"] == point.member.place
    assert found["chosen"]["least_cost"]["expected_cost"] == point.expected_cost
    assert found["question"]["priors"] == {"ant": 0.6, "bee": 0.2, "cow": 0.2}
    stated = {(row["truth"], row["prediction"]): row["low"] for row in found["question"]["costs"]}
    assert (stated["ant", "bee"], stated["bee", "ant"], stated["ant", "ant"]) == (5, 1, 0)


def test_limits_hold(answer: Answer, file: Path, table: Table) -> None:
    limits = ("--limit", "ant=0.05", "--limit", "bee>cow=0.05")
    found = answer(*arguments(file, *limits, *COSTS))
    surface = knn_surface(table)
    stated: dict[Any, float] = {"ant": 0.05, ("bee", "cow"): 0.05}
    assert found["question"]["limits"] == {"ant": 0.05, "bee>cow": 0.05}
    assert found["chosen"]["knee"]["member"]["place"] == surface.knee(limits=stated).member.place
    for chosen in found["chosen"].values():
        confusion = chosen["member"]["confusion"]
        assert confusion["miss_rates"]["ant"] <= 0.05
        cells = {(c["truth"], c["prediction"]): c["rate"] for c in confusion["rows"]}
        assert cells["bee", "cow"] <= 0.05
    assert found["chosen"]["knee"] != answer(*arguments(file))["chosen"]["knee"]
    assert "within the limits ant 0.05, bee>cow 0.05" in ran(*arguments(file, *limits)).stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--costs", "ant>bee=2..8", "--default-cost", "1"),
        ("--default-cost", "1", "--priors", "ant=0.1..0.8,bee=0.1..0.8,cow=0.1"),
    ],
)
def test_intervals_say_who_can_be_optimal(
    answer: Answer, file: Path, table: Table, options: tuple[str, ...]
) -> None:
    found = answer(*arguments(file, *options))
    bounds: Any = {("ant", "bee"): (2, 8)} if "--costs" in options else {}
    costs = rocch.CostMatrix(bounds, classes=NAMES, default=1)
    priors: Any = {"ant": (0.1, 0.8), "bee": (0.1, 0.8), "cow": 0.1} if not bounds else "observed"
    surface = knn_surface(table)
    optimal = surface.optimal_within(costs, priors)
    places = [each["member"]["place"] for each in found["optimal_somewhere"]]
    assert places == list(optimal.places)
    assert len(optimal) > 1
    safest = surface.least_regret(costs, priors)
    assert found["least_regret"]["member"]["place"] == safest.member.place
    assert found["least_regret"]["regret"] == safest.regret > 0
    assert "least_cost" not in found["chosen"]
    for each in found["optimal_somewhere"]:
        shares = each["witness"]["priors"]
        assert shares == "observed" or sum(shares.values()) == pytest.approx(1)
    out = ran(*arguments(file, *options)).stdout
    assert f"Safest is member {safest.member.place}, knn (k " in out
    rows = [line.split() for line in out.splitlines()]
    shown = [int(row[0]) for row in rows if len(row) == 9 and row[1] == "knn"]
    assert set(shown) <= set(optimal.places)
    assert len(shown) == min(10, len(optimal))


def test_more_optimal_members_than_are_shown(
    file: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = ("--default-cost", "1..50", "--generations", "40")
    number = len(answer(*arguments(file, *wide))["optimal_somewhere"])
    assert number > 10
    out = ran(*arguments(file, *wide)).stdout
    assert f"... and {number - 10} more (all with --json)." in out
    monkeypatch.setattr("rocch.cli.surface.MOST_MEMBERS", number)
    assert "more (all with --json)" not in ran(*arguments(file, *wide)).stdout


def test_the_tables_tell_what_was_found(file: Path, table: Table) -> None:
    out = ran(*arguments(file, *COSTS)).stdout
    surface = knn_surface(table)
    costs = rocch.CostMatrix({("ant", "bee"): 5}, classes=NAMES, default=1)
    counted = ", ".join(f"{name} ({table['kind'].count(name)})" for name in NAMES)
    assert f"90 rows, 2 features, 3 classes: {counted}" in out
    assert f"Surface of {len(surface)} members by all error rates, after 10 generations" in out
    assert "Who holds the surface" not in out
    rows = [line.split() for line in out.splitlines()]
    best = surface.best(costs)
    assert best.expected_cost is not None
    told = best.member.parameters
    shown = ["least", "cost", "knn", "k", f"{told['k']:g},", "beta", f"{told['beta']:.4g}"]
    assert [*shown, str(best.confusion.errors), f"{best.expected_cost:.4f}"] in rows
    for name, counts in zip(NAMES, best.confusion.counts.tolist(), strict=True):
        rate = best.confusion.miss_rates[name]
        assert [name, *map(str, counts), f"{rate:.4f}"] in rows
    assert "on new rows expect worse" in out


def test_a_perfect_classifier_is_alone(write: Any) -> None:
    rows = range(30)
    file = write(
        {"x": [row + 100 * (row // 10) for row in rows], "kind": [NAMES[row // 10] for row in rows]}
    )
    deep = "DecisionTreeClassifier"
    out = ran(*arguments(file, "--default-cost", "1", model=deep)).stdout
    assert "30 rows, 1 feature, 3 classes" in out
    assert "Surface of 1 member by all error rates" in out
    assert ["least", "cost", deep, "0", "0"] in [line.split() for line in out.splitlines()]


def test_miss_rates_do_not_tell_errors_apart(file: Path) -> None:
    by_misses = ("--objectives", "misses")
    out = ran(*arguments(file, *by_misses, *COSTS)).stdout
    assert "--objectives rates may find cheaper ones" in out
    assert "by miss rates" in out
    out = ran(*arguments(file, *by_misses, "--default-cost", "1")).stdout
    assert "--objectives rates may find cheaper ones" not in out


def test_several_models_are_counted(file: Path) -> None:
    out = ran(*arguments(file, "--model", "GaussianNB", model="mlp(restarts=1)")).stdout
    assert "Who holds the surface" in out
    assert "mlp is evaluated on the rows that it was fitted to" in out
    assert "weights" in out


def test_a_search_may_stop_early(answer: Answer, file: Path) -> None:
    stop = ("--tolerance", "0.5", "--patience", "2")
    assert answer(*arguments(file, *stop))["stopped"] == "stagnation"
    assert answer(*arguments(file, *stop))["generations"] == 2
    assert "when G had stopped growing" in ran(*arguments(file, *stop)).stdout


def test_a_progress_bar_only_if_asked(file: Path) -> None:
    assert ran(*arguments(file)).stderr == ""
    assert "Searching with knn" in ran(*arguments(file, "--progress")).stderr


def test_the_seed_decides(answer: Answer, file: Path) -> None:
    one, same, other = (answer(*arguments(file, "--seed", seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_scaling_can_be_left_out(answer: Answer, file: Path) -> None:
    scaled, plain = (answer(*arguments(file, *given)) for given in ((), ("--no-scale",)))
    errors = [
        found["chosen"]["fewest_errors"]["member"]["confusion"]["errors"]
        for found in (scaled, plain)
    ]
    assert errors[0] < errors[1]
    forest = "DecisionTreeClassifier(max_depth=2)"
    same = [answer(*arguments(file, *g, model=forest)) for g in ((), ("--no-scale",))]
    assert same[0] == same[1]


def test_features_may_be_named(answer: Answer, write: Any, table: Table) -> None:
    file = write({"id": [f"r{row}" for row in range(90)], **table})
    found = answer(*arguments(file, "--features", "y, x"))
    assert found["features"] == ["y", "x"]


def test_parquet_and_numbers_as_classes(answer: Answer, table: Table, tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    codes = [float(NAMES.index(name)) for name in table["kind"]]
    parquet.write_table(pa.table({**table, "kind": codes}), file)
    found = answer(*arguments(file, "--costs", "0>1=5", "--default-cost", "1"))
    assert list(found["classes"]) == ["0", "1", "2"]
    assert found["chosen"]["least_cost"]["expected_cost"] > 0


def test_two_classes_will_do(answer: Answer, write: Any, table: Table) -> None:
    kinds = ["ant" if name == "ant" else "other" for name in table["kind"]]
    found = answer(*arguments(write({**table, "kind": kinds}), model="GaussianNB"))
    assert found["dominated_share"]["samples"] is None
    assert found["beyond_random"] == 0


def test_warnings_of_scikit_learn_are_passed_on(file: Path) -> None:
    result = ran(*arguments(file, "--folds", "2", model="MLPClassifier(max_iter=2)"))
    assert result.stderr.startswith("rocch: scikit-learn warns: Stochastic Optimizer: Maximum")
    assert result.stderr.count("\n") == 1


def test_markup_in_names_stays_text(write: Any, table: Table) -> None:
    kinds = ["[red]ant" if name == "ant" else name for name in table["kind"]]
    out = ran(*arguments(write({**table, "kind": kinds}))).stdout
    assert out.count("[red]ant") >= 3


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--label nothing", "--label must name a column"),
        ("--features x,z", "--features must name a column of the data; got 'z'"),
        ("--features x,kind", "--features must be columns besides the label"),
        ("--features x,x", "--features must have distinct columns"),
        (
            "--label x --features y",
            "classes must be at most 6 to search --objectives rates; got 90",
        ),
        ("--model knn", "--model must name each model once; got knn twice"),
        ("--model Foo", "--model must be knn, mlp or a scikit-learn classifier"),
        ("--model GaussianNB(var_smoothing=-1)", "--model GaussianNB(var_smoothing=-1) cannot be"),
        (
            "--model knn(most_neighbors=99)",
            "most_neighbors of --model knn must be a whole number from 1 to 88",
        ),
        ("--model GaussianNB --folds 80", "--folds must be at most the rows of the smallest"),
        ("--folds 1", "'--folds'"),
        ("--generations -1", "'--generations'"),
        ("--draws 0", "'--draws'"),
        ("--seed -1", "'--seed'"),
        ("--tolerance 2", "'--tolerance'"),
        ("--patience 0", "'--patience'"),
        ("--objectives all", "'--objectives'"),
        ("--costs ant>bee=1", "the costs must state what every error costs; got no cost for"),
        ("--costs ant>fox=1 --default-cost 1", "the costs must name one of the classes; got 'fox'"),
        ("--priors ant=1", "--priors has no effect"),
        ("--default-cost 1 --priors ant=1", "--priors must have exactly the classes"),
        ("--default-cost 1 --priors ant=1,bee=1,cow=1", "--priors must sum to 1"),
        ("--limit ant=2", "--limit must be"),
        ("--limit fox=0.1", "--limit must name one of the classes; got 'fox'"),
        ("--limit ant>ant=0.1", "--limit must be about errors"),
        ("--limit ant=0.1 --limit ant=0.2", "--limit names the same rate twice"),
        ("--output data.parquet", "--output must be a CSV file"),
    ],
)
def test_bad_options_get_one_line(refusal: Refusal, file: Path, options: str, why: str) -> None:
    assert why in refusal(*arguments(file, *options.split()))


def test_limits_that_no_member_keeps_have_a_status_of_their_own(
    refusal: Refusal, file: Path
) -> None:
    limits = ("--limit", "ant=0", "--limit", "bee=0", "--limit", "cow=0")
    line = refusal(*arguments(file, *limits), status=3)
    assert "no member of the surface satisfies all limits" in line


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (["red"] * 90, "column 'extra' must hold numbers; got 'red' in row 1. Encode texts"),
        ([1.0, ""] * 45, "column 'extra' must have no missing values; got one in row 2. Drop"),
        (["?"] * 90, "got one in row 1, written '?'"),
        ([1.0, float("inf")] * 45, "column 'extra' must hold finite numbers; got 'inf' in row 2"),
    ],
)
def test_bad_features_get_one_line(
    refusal: Refusal, write: Any, table: Table, column: list[Any], why: str
) -> None:
    assert why in refusal(*arguments(write({"extra": column, **table})))


def test_bad_targets_get_one_line(refusal: Refusal, write: Any, table: Table) -> None:
    empty = [*table["kind"][:-1], ""]
    why = "--label must have no missing values; got one in row 90"
    assert why in refusal(*arguments(write({**table, "kind": empty})))
    one = write({**table, "kind": ["ant"] * 90})
    assert "--label must name two or more distinct classes" in refusal(*arguments(one))
    assert "besides the label" in refusal(*arguments(write({"kind": table["kind"]})))
    single = write({"x#kind": ["1#ant"] * 9})
    assert "There is only one: say --delimiter" in refusal(*arguments(single))


def test_the_input_is_never_written(refusal: Refusal, file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    assert "not be a file that is read" in refusal(*arguments(file, "--output", file))
    assert file.read_text(encoding="utf-8") == before


@pytest.mark.skipif(not VEHICLE.exists(), reason="needs ../shared/data")
def test_vehicles(answer: Answer) -> None:
    options = ("--model", "LogisticRegression", "--model", "GaussianNB", "--objectives", "misses")
    found = answer("surface", VEHICLE, "--label", "target", *options, "--generations", "20")
    assert found["classes"] == {"bus": 218, "opel": 212, "saab": 217, "van": 199}
    assert 150 < found["chosen"]["fewest_errors"]["member"]["confusion"]["errors"] < 250
    assert 0.3 < found["dominated_share"]["value"] < 0.95


@pytest.mark.parametrize("objectives", ["rates", "misses"])
@pytest.mark.parametrize("classes", [2, 3, 4])
def test_a_picture_for_any_number_of_classes(
    write: Any, table: Table, tmp_path: Path, classes: int, objectives: str
) -> None:
    kinds = [f"k{place % classes}" for place in range(90)]
    file, picture = write({**table, "kind": kinds}), tmp_path / "surface.png"
    typed = arguments(file, "--objectives", objectives, "--plot", picture, *COSTS[2:])
    assert f"Written: {picture}" in ran(*typed).stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_limits_go_with_intervals(answer: Answer, file: Path) -> None:
    found = answer(*arguments(file, "--limit", "ant=0.2", "--default-cost", "1..2"))
    for each in (*found["optimal_somewhere"], found["least_regret"]):
        assert each["member"]["confusion"]["miss_rates"]["ant"] <= 0.2


@pytest.mark.parametrize("place", ["no/folder/x.png", "x.unknown", "x"])
def test_a_picture_that_cannot_be_written_is_refused_first(
    refusal: Refusal, file: Path, tmp_path: Path, place: str
) -> None:
    long = ("--generations", "100000000")
    assert "--plot must" in refusal(*arguments(file, *long, "--plot", tmp_path / place))
