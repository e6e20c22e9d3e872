"""The other commands of `rocch library`, each against what Python answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import rocch
from rocch import RocCurve
from rocch.cli.main import cli
from rocch.library import ClassifierLibrary

from .conftest import write_csv

if TYPE_CHECKING:
    from tests.conftest import Answer, Refusal

    from .conftest import Shown

    Judged = dict[str, list[float]]

BOUNDS = ("--prevalence", "0.1..0.2", "--false-positive", "1", "--false-negative", "5..50")
COSTS = ("--prevalence", "0.1", "--false-positive", "1", "--false-negative", "5")


def files_of(folder: Path) -> list[Path]:
    return [file for file in (folder / "objects").rglob("*/*") if file.is_file()]


# init


def test_init_makes_an_empty_library(tmp_path: Path, shown: Shown) -> None:
    folder = tmp_path / "new" / "lib"
    assert shown("init", folder) == f"Made: {folder}\n"
    with ClassifierLibrary(folder) as made:
        assert len(made) == 0
        assert made.state.bounds is None


def test_init_takes_bounds(tmp_path: Path, shown: Shown, answer: Answer) -> None:
    text = shown("init", tmp_path / "a", *BOUNDS)
    assert "which allow slopes from 0.08 to 1.8 (a miss is 5 to 50 times as bad)." in text
    document = answer(
        "library", "init", tmp_path / "b", *BOUNDS, "--true-positive", "1", "--true-negative", "0.5"
    )
    expected = rocch.Conditions(
        prevalence=(0.1, 0.2),
        false_positive=1,
        false_negative=(5, 50),
        true_positive=1,
        true_negative=0.5,
    )
    assert document["slope_bounds"] == list(expected.slope_range)
    assert document["cost_ratios"] == list(expected.cost_ratio_range)
    assert document["bounds"] == str(expected)
    with ClassifierLibrary(tmp_path / "b") as made:
        assert made.state.bounds == expected
    document = answer(
        *("library", "init", tmp_path / "c", "--negatives-per-positive", "5"),
        *("--false-positive", "1", "--false-negative", "10"),
    )
    assert document["slope_bounds"] == pytest.approx([0.5, 0.5])


# Lines on what to expect, which need the rows.
EXPECTED = re.compile("[Oo]n new rows|This is the best choice on the evaluation rows")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--prevalence", "0.1"), "bounds need both costs"),
        (("--true-positive", "1"), "bounds need both costs"),
        (("--false-positive", "1"), "--false-negative must be given with"),
        (("--false-positive", "1", "--false-negative", "2"), "in numbers (--prevalence)"),
        (("--prevalence", "observed", *BOUNDS[2:]), "in numbers (--prevalence)"),
        (("--prevalence", "2", *BOUNDS[2:]), "--prevalence must"),
        (("--negatives-per-positive", "5", *BOUNDS), "got both"),
        (("--false-positive", "2..1"), "--false-positive must run from low to high"),
    ],
)
def test_init_refuses_bad_bounds(
    options: tuple[str, ...], words: str, tmp_path: Path, refusal: Refusal
) -> None:
    assert words in refusal("library", "init", tmp_path / "lib", *options)
    assert not (tmp_path / "lib").exists()


def test_init_refuses_a_folder_in_use(filled: Path, scores_csv: Path, refusal: Refusal) -> None:
    text = refusal("library", "init", filled)
    assert text.startswith("DIR must be an empty folder, or a new one; got ")
    assert "DIR must be an empty folder" in refusal("library", "init", scores_csv)


# list and show


def test_list_shows_where_each_is_best(filled: Path, shown: Shown, answer: Answer) -> None:
    text = shown("list", filled)
    assert text.startswith(
        "2 classifier(s) offered, 0 discarded at once; evaluated on 120 rows, 40"
    )
    with ClassifierLibrary(filled) as kept:
        classifiers, standing = kept.classifiers, kept.state
    document = answer("library", "list", filled)
    assert [one["name"] for one in document["classifiers"]] == ["gbm", "nb"]
    for one, expected in zip(document["classifiers"], classifiers, strict=True):
        low, high = expected.slopes or (0, 0)
        assert one["slopes"] == [low, "inf" if high == np.inf else high]
        assert len(one["vertices"]) == len(expected.vertices)
        assert (one["added_by"], one["state"], one["left_at"]) == ("ada", "kept", None)
        assert expected.name in text
    assert document["offered"] == 2
    assert (document["positives"], document["negatives"]) == (40, 80)
    assert document["created_at"] == standing.created_at
    assert document["fingerprint"] == classifiers[0].fingerprint
    assert document["bounds"] is None


def test_list_filters_by_tags_and_shows_those_that_left(
    filled: Path, tmp_path: Path, judged: Judged, shown: Shown, answer: Answer
) -> None:
    file = write_csv(tmp_path / "s.csv", y=judged["y"], perfect=judged["y"])
    document = answer("library", "add", filled, file, "--label", "y", "--tag", "a", "--tag", "b")
    assert document["driven_out"] == ["gbm", "nb"]

    def names(*options: str) -> list[str]:
        return [one["name"] for one in answer("library", "list", filled, *options)["classifiers"]]

    assert names() == ["perfect"]
    assert names("--all") == ["gbm", "nb", "perfect"]
    assert names("--all", "--tag", "a", "--tag", "b") == ["perfect"]
    assert names("--tag", "a", "--tag", "c") == []
    assert "No classifier." in shown("list", filled, "--tag", "c")
    assert "driven out" in shown("list", filled, "--all")
    assert "driven out" not in shown("list", filled)


def test_list_of_an_empty_library(
    library: Path, tmp_path: Path, shown: Shown, answer: Answer
) -> None:
    assert shown("list", library) == "Nothing was added yet.\nNo classifier.\n"
    document = answer("library", "list", library)
    assert document["classifiers"] == []
    assert document["positives"] is None
    shown("init", tmp_path / "bounded", *BOUNDS)
    assert "Bounds: prevalence 0.1..0.2, false positive 1" in shown("list", tmp_path / "bounded")


def test_show_has_everything(library: Path, scores_csv: Path, shown: Shown, answer: Answer) -> None:
    shown(
        *("add", library, scores_csv, "--label", "y", "--by", "ada", "--tag", "spring"),
        *("--parameter", "depth=3", "--note", "first try"),
    )
    text = shown("show", library, "nb")
    for words in ("nb", "kept", "ada", "spring", "depth=3", "first try", "scores", "Vertices"):
        assert words in text
    document = answer("library", "show", library, "nb")
    shown_one = document["classifier"]
    with ClassifierLibrary(library) as kept:
        one = kept["nb"]
    assert document["pos_label"] == 1
    assert shown_one["parameters"] == {"depth": 3}
    assert shown_one["fingerprint"] == one.fingerprint
    assert [v["fpr"] for v in shown_one["vertices"]] == [v.fpr for v in one.vertices]
    assert (shown_one["has_model"], shown_one["scoring"]) == (False, True)


def test_a_shared_vertex_has_each_ones_own_threshold(
    filled: Path, tmp_path: Path, judged: Judged, shown: Shown, answer: Answer
) -> None:
    file = write_csv(tmp_path / "s.csv", y=judged["y"], a_twin=1000 + np.array(judged["nb"]))
    added = answer("library", "add", filled, file, "--label", "y")
    assert added["classifiers"][0]["outcome"] == "ties"
    details = {name: answer("library", "show", filled, name) for name in ("a_twin", "nb")}
    document = {name: each["classifier"]["vertices"] for name, each in details.items()}
    for twin, nb in zip(document["a_twin"], document["nb"], strict=True):
        assert (twin["classifier"], nb["classifier"]) == ("a_twin", "nb")
        assert twin["lowest_score"] == pytest.approx(1000 + nb["lowest_score"])
        assert twin["threshold"] == pytest.approx(1000 + nb["threshold"])
    text = shown("show", filled, "a_twin")
    assert f"{document['a_twin'][0]['threshold']:.6g}" in text
    assert f" {document['nb'][0]['threshold']:.6g} " not in text
    shared = [line.split()[-1] for line in text.split("shared with")[1].splitlines() if "." in line]
    assert shared
    assert set(shared) == {"nb"}


def test_all_stretches_of_slopes_are_listed(library: Path, shown: Shown, answer: Answer) -> None:
    # "ends" is best at both ends, "middle" in between
    ends = RocCurve.from_counts([0, 6], [4, 10], negatives=10, positives=10, name="ends")
    middle = RocCurve.from_counts([2], [8], negatives=10, positives=10, name="middle")
    with ClassifierLibrary(library) as kept:
        kept.add([ends, middle])
        hull = kept.hull
    assert hull.slopes.tolist() == [np.inf, 2, 0.5, 0]
    document = {one["name"]: one for one in answer("library", "list", library)["classifiers"]}
    assert document["ends"]["stretches"] == [[0, 0.5], [2, "inf"]]
    assert document["middle"]["stretches"] == [[0.5, 2]]
    text = shown("list", library)
    assert "0..0.5, 2..inf" in text
    assert "0.5..2 " in text
    assert "0..0.5, 2..inf" in shown("show", library, "ends")


def test_slopes_come_with_ratios_of_costs(
    filled: Path, tmp_path: Path, shown: Shown, answer: Answer
) -> None:
    text = shown("list", filled)
    assert "goes with the class balance of the evaluation rows." in text
    for one in answer("library", "list", filled)["classifiers"]:
        ((low, high),) = one["stretches"]
        # 40 positives and 80 negatives: at slope m a miss is 2 / m times as bad
        least, most = (2 / each if each else np.inf for each in (float(high), float(low)))
        expected = [pytest.approx(least), "inf" if most == np.inf else pytest.approx(most)]
        assert one["cost_ratios"] == [expected]
        assert f"{least:.3g} to {most:.3g}" in text
        assert f"{least:.3g} to {most:.3g}" in shown("show", filled, one["name"])
    shown("prune", filled, *BOUNDS)
    kept = answer("library", "list", filled)["classifiers"]
    ratios = [ratio for one in kept for each in one["cost_ratios"] for ratio in each]
    assert (min(ratios), max(ratios)) == (5, 50)
    assert "goes with the bounds." in shown("list", filled)
    other = write_csv(tmp_path / "other.csv", y=[0, 1, 0, 1], perfect=[1, 2, 1, 2])
    ClassifierLibrary.create(tmp_path / "free").close()
    shown("add", tmp_path / "free", other, "--label", "y")
    odd = write_csv(tmp_path / "odd.csv", y=[0, 1, 1], odd=[1, 2, 2])
    added = shown("add", tmp_path / "free", odd, "--label", "y", "--allow-different-rows")
    assert "goes with" not in added
    text = shown("list", tmp_path / "free")
    assert "and others on different rows" in text
    assert "goes with" not in text


def test_facts_stay_whole_on_a_narrow_terminal(
    library: Path, tmp_path: Path, judged: Judged, shown: Shown, answer: Answer
) -> None:
    long = "a-name-of-thirty-letters-or-so"
    columns = {"id": np.arange(120), "y": judged["y"], long: judged["nb"], "gbm": judged["gbm"]}
    file = write_csv(tmp_path / "s.csv", **columns)
    note = ("--note", "a note that is rather long", "--tag", "one", "--tag", "two")
    added = shown("add", library, file, "--label", "y", "--row", "id", *note, columns=80)
    shown("prune", library, "gbm")
    document = answer("library", "show", library, long)["classifier"]
    for text in (added, shown("show", library, long, columns=80)):
        for vertex in map(dict, document["vertices"]):
            assert f"{vertex['fpr']:.4f}   {vertex['tpr']:.4f}" in text
        assert "…" not in text
    print_folded = shown("show", library, long, columns=80).replace(" ", "").replace("\n", "")
    assert document["fingerprint"] in print_folded
    assert long in shown("show", library, long, columns=80)
    for command in (("list", library), ("list", library, "--all"), ("log", library)):
        text = shown(*command, columns=80)
        assert document["added_at"][:16].replace("T", " ") in text
        assert "…" not in text
        assert max(len(line) for line in text.splitlines() if line.startswith(" ")) <= 80


def test_show_knows_those_that_left(filled: Path, shown: Shown, answer: Answer) -> None:
    shown("prune", filled, "nb")
    text = shown("show", filled, "nb")
    assert "pruned at 20" in text
    assert "Vertices" not in text
    assert answer("library", "show", filled, "nb")["classifier"]["slopes"] is None


def test_show_refuses_an_unknown_name(filled: Path, refusal: Refusal) -> None:
    text = refusal("library", "show", filled, "svm")
    assert text.startswith("NAME must name one of the classifiers of the library")
    assert text.endswith("of the library are: 'gbm', 'nb'.")


# best and hull


@pytest.mark.parametrize(
    "question",
    [
        COSTS,
        (
            "--negatives-per-positive",
            "5",
            "--false-positive",
            "10..20",
            "--false-negative",
            "200..250",
        ),
        ("--max-fpr", "0.1"),
        ("--max-fpr", "0.11", "--randomize"),
        (
            "--prevalence",
            "observed",
            "--cost-ratio",
            "5..10",
            "--likely",
            "9",
            "--false-positive",
            "20",
        ),
        ("--capacity", "20", "--positives", "10", "--negatives", "90"),
        ("--maximize", "f1"),
        (*COSTS, "--min-tpr", "0.9"),
    ],
)
def test_best_and_hull_answer_as_for_the_file(
    question: tuple[str, ...],
    filled: Path,
    scores_csv: Path,
    shown: Shown,
    answer: Answer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_file = answer("best", scores_csv, "--label", "y", *question)
    of_library = answer("library", "best", filled, *question)
    for each in (of_file, of_library):  # the library keeps no rows to expect anything from
        del each["new_rows"], each["savings"]
        each["classifiers"].sort()  # the library has them by name, the file by its columns
    assert of_library == of_file
    typed = ["best", str(scores_csv), "--label", "y", *question]
    monkeypatch.setattr("rocch.cli.binary.savings_parts", lambda _: iter(()))  # they need rows
    words = CliRunner().invoke(cli, typed, env={"COLUMNS": "200"}).stdout.splitlines()
    # the library names its classifiers by name, the file in the order of its columns
    found = shown("best", filled, *question).splitlines()
    both = [
        [line for place, line in enumerate(lines) if place != 1 and not EXPECTED.search(line)]
        for lines in (found, words)
    ]
    assert both[0] == both[1] != []


def test_hull_answers_as_for_the_file(
    filled: Path, scores_csv: Path, tmp_path: Path, shown: Shown, answer: Answer
) -> None:
    document, of_file = (
        answer("library", "hull", filled),
        answer("hull", scores_csv, "--label", "y"),
    )
    assert document.pop("classifiers") == sorted(of_file.pop("classifiers"))
    assert document == of_file
    text = shown("hull", filled, "--plot", tmp_path / "hull.png")
    assert "Who wins where" in text
    assert f"Written: {tmp_path / 'hull.png'}" in text
    assert (tmp_path / "hull.png").stat().st_size > 0


def test_best_of_a_stack_is_what_an_export_decides(
    tmp_path: Path, answer: Answer, shown: Shown
) -> None:
    rng = np.random.default_rng(5)
    y = rng.random(600) < 0.3
    scores = {name: 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5))) for name in ("a", "b")}
    with ClassifierLibrary.create(tmp_path / "lib") as library:
        library.add_scores(y, scores, stack=True)
        model: Any = rocch.load(library.export().path)
    view = model.at(rocch.Question(prevalence=0.1, false_positive=1, false_negative=5))
    money = ("--currency", "EUR", "--cases-per-month", "2000")
    found = answer("library", "best", tmp_path / "lib", *COSTS, *money)
    _, point = found["choice"]["mix"][0]
    assert (point["classifier"], point["threshold"]) == ("stack", view.point.threshold)
    assert found["new_rows"]["expected"] == view.on_new_rows.expected
    wanted = view.savings().per(2000, "month", currency="EUR")
    assert found["savings"] == wanted.to_dict()
    words = " ".join(shown("best", tmp_path / "lib", *COSTS, *money).split())
    assert "This is the choice for new rows, as rocch serve makes it; on new rows" in words
    assert f"It {wanted}." in words
    # limits are for the hull
    with ClassifierLibrary(tmp_path / "lib") as library:
        limit = rocch.NeymanPearson(0.1)
        assert library.best(limit).describe() == library.hull.best(limit).describe()


def test_best_states_the_cost_in_money_where_no_saving_is_known(
    filled: Path, shown: Shown, answer: Answer
) -> None:
    money = ("--currency", "EUR", "--cases-per-month", "2000")
    cost = 2000 * answer("library", "best", filled, *COSTS)["choice"]["expected_cost"]
    words = " ".join(shown("best", filled, *COSTS, *money).split())
    assert f"On the evaluation rows it costs {cost:.3g} EUR per month." in words
    vague = (*COSTS[:-1], "5..9", "--currency", "EUR")
    assert " EUR per case." in " ".join(shown("best", filled, *vague).split())


def test_best_draws_a_picture(filled: Path, tmp_path: Path, shown: Shown) -> None:
    picture = tmp_path / "best.svg"
    assert f"Written: {picture}" in shown("best", filled, *COSTS, "--plot", picture)
    assert picture.stat().st_size > 0


def test_best_and_hull_refuse(filled: Path, tmp_path: Path, refusal: Refusal) -> None:
    ClassifierLibrary.create(tmp_path / "empty").close()
    for command in (("hull",), ("best", "--max-fpr", "0.1")):
        text = refusal("library", command[0], tmp_path / "empty", *command[1:])
        assert text == "the library must hold at least one classifier; got none. Add one first."
    assert "the question must state what is known" in refusal("library", "best", filled)
    assert "--plot must be a file" in refusal("library", "hull", filled, "--plot", tmp_path)
    text = refusal("library", "best", filled, *COSTS, "--plot", tmp_path / "x.bmp2")
    assert text.startswith("--plot must be one of")
    assert refusal("library", "best", filled, "--min-tpr", "1", "--max-fpr", "0", status=3)


def test_best_outside_the_bounds_is_refused(
    tmp_path: Path, scores_csv: Path, shown: Shown, refusal: Refusal
) -> None:
    folder = tmp_path / "bounded"
    shown("init", folder, *BOUNDS)
    shown("add", folder, scores_csv, "--label", "y")
    shown("best", folder, *COSTS)
    far = ("--prevalence", "0.001", "--false-positive", "1", "--false-negative", "1")
    assert "slope" in refusal("library", "best", folder, *far)


# prune


def test_prune_by_name(filled: Path, shown: Shown, answer: Answer) -> None:
    assert shown("prune", filled, "nb", "--by", "bob") == "Left: nb; 1 kept.\n"
    assert answer("library", "prune", filled, "--ties") == {"left": [], "kept": 1}
    assert shown("prune", filled, "--ties") == "Left: nobody; 1 kept.\n"
    entry = answer("library", "log", filled)["log"][-1]
    assert (entry["kind"], entry["by"], entry["left"]) == ("pruned", "bob", ["nb"])


def test_prune_ties(filled: Path, scores_csv: Path, shown: Shown, answer: Answer) -> None:
    add = ("add", filled, scores_csv, "--label", "y", "--scores", "nb", "--name", "nb=twin")
    assert shown(*add).startswith("twin ties")
    document = answer("library", "prune", filled, "--ties")
    assert document["kept"] == 2
    assert document["left"] in (["nb"], ["twin"])


def test_best_by_a_belief_within_the_bounds(filled: Path, shown: Shown, answer: Answer) -> None:
    bounds = ("--prevalence", "5..50%", "--false-positive", 1, "--false-negative", "1..40")
    shown("prune", filled, *bounds)
    within = ("--prevalence", "20%", "--cost-ratio", "5..10")
    assert "best choice on the evaluation rows" in shown("best", filled, *within)
    assert answer("library", "best", filled, *within)["question"]["cost_ratio"] == [5, 10]


def test_prune_to_bounds(filled: Path, shown: Shown, answer: Answer, refusal: Refusal) -> None:
    narrow = ("--prevalence", "0.01", "--false-positive", "1", "--false-negative", "1..2")
    with ClassifierLibrary(filled) as kept:
        low, _ = rocch.Conditions(
            prevalence=0.01, false_positive=1, false_negative=(1, 2)
        ).slope_range
        expected = [one.name for one in kept.classifiers if (one.slopes or (0, 0))[1] < low]
    assert expected
    document = answer("library", "prune", filled, *narrow)
    assert document["left"] == expected
    assert "within prevalence 0.01" in shown("log", filled)
    assert "cannot be widened" in refusal("library", "prune", filled, *COSTS)


def test_prune_refuses(filled: Path, refusal: Refusal) -> None:
    assert refusal("library", "prune", filled).startswith("say what to remove: NAMEs, bounds")
    text = refusal("library", "prune", filled, "svm")
    assert text.startswith("the names must name one of the classifiers that are kept; got 'svm'.")


# export


def test_export_of_scores_is_loaded_and_decides(
    filled: Path, tmp_path: Path, judged: Judged, shown: Shown, answer: Answer
) -> None:
    file = tmp_path / "hybrid.rocch"
    written = answer("library", "export", filled, "-o", file, "--note", "spring", "--by", "ada")
    document = written["export"]
    assert (document["version"], document["note"], document["by"]) == (1, "spring", "ada")
    assert document["classifiers"] == ["gbm", "nb"]
    assert written["output"] == str(file)
    assert Path(document["path"]).read_bytes() == file.read_bytes()
    hybrid = rocch.load(file, digest=document["sha256"])
    assert isinstance(hybrid, rocch.RocchClassifier)
    known = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=5)
    y = np.array(judged.pop("y"))
    decided = hybrid.at(known).predict(pd.DataFrame(judged)[["gbm", "nb"]])
    point = answer("library", "best", filled, *COSTS)["choice"]
    assert np.mean(decided[y == 1] == 1) == point["tpr"]
    assert np.mean(decided[y == 0] == 1) == point["fpr"]
    text = shown("export", filled, "--scores")
    assert text.startswith("Export 2 of gbm, nb\nSHA-256: ")
    assert "Written" not in text


def test_export_refuses(filled: Path, tmp_path: Path, refusal: Refusal) -> None:
    ClassifierLibrary.create(tmp_path / "empty").close()
    assert "must hold at least one classifier" in refusal("library", "export", tmp_path / "empty")
    assert "--output" in refusal("library", "export", filled, "-o", tmp_path / "no" / "x.rocch")
    assert "--output must be a file" in refusal("library", "export", filled, "-o", "-")
    with ClassifierLibrary(filled) as kept:
        assert kept.exports() == []


# upkeep


def test_verify_compact_and_copy(
    filled: Path, tmp_path: Path, shown: Shown, answer: Answer
) -> None:
    assert shown("verify", filled) == "all is well\n"
    stray = filled / "objects" / "00" / ("0" * 62)  # named as the library names its files
    stray.parent.mkdir()
    stray.write_text("left behind")
    assert answer("library", "verify", filled) == {
        "sound": True,
        "problems": [],
        "cleaned": [f"00/{stray.name}"],
    }
    for _ in range(2):
        shown("export", filled)
    document = answer("library", "compact", filled)
    assert document["exports_dropped"] <= 1  # the same hybrid twice may be one file
    assert document["after"] <= document["before"]
    assert "0 old export(s) dropped." in shown("compact", filled)
    assert shown("copy", filled, tmp_path / "copy") == f"Written: {tmp_path / 'copy'}\n"
    assert answer("library", "copy", filled, tmp_path / "copy2") == {
        "library": str(filled),
        "target": str(tmp_path / "copy2"),
    }
    for copy in ("copy", "copy2"):
        assert answer("library", "hull", tmp_path / copy) == answer("library", "hull", filled)
        assert shown("verify", tmp_path / copy) == "all is well\n"


def test_verify_ends_with_status_1_if_something_is_damaged(filled: Path, shown: Shown) -> None:
    for file in files_of(filled):
        file.write_bytes(b"other")
    text = shown("verify", filled, status=1)
    assert text.count("is damaged. Restore it from a backup.") == 2
    result = CliRunner().invoke(cli, ["library", "verify", str(filled), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["sound"] is False


def test_copy_brings_the_services_record(filled: Path, tmp_path: Path, shown: Shown) -> None:
    from rocch.service.store import Policy, Store

    records = Store(filled / "service.sqlite")
    put = records.put_policy(Policy(question=rocch.Question(max_fpr=0.3)))
    shown("copy", filled, tmp_path / "copy")
    copied = Store(tmp_path / "copy" / "service.sqlite")
    assert copied.operator_policy == put
    for store in (records, copied):
        store.close()


def test_a_library_is_not_copied_without_its_services_record(
    filled: Path, tmp_path: Path, refusal: Refusal
) -> None:
    (filled / "service.sqlite").write_bytes(b"no record at all" * 100)
    before = set(tmp_path.iterdir())
    text = refusal("library", "copy", filled, tmp_path / "copy")
    assert "service.sqlite: it is damaged, or no record of rocch's." in text
    assert set(tmp_path.iterdir()) == before


def test_copy_refuses_a_folder_in_use(filled: Path, tmp_path: Path, refusal: Refusal) -> None:
    text = refusal("library", "copy", filled, tmp_path)
    assert text.startswith("TARGET must be an empty folder, or a new one; got ")


def test_copy_names_the_place_whose_url_is_wrong(filled: Path, refusal: Refusal) -> None:
    text = refusal("library", "copy", filled, "postgresql:/ada@db.example/risk")
    assert text.startswith("TARGET must be the URL of a PostgreSQL database")


def test_a_damaged_record_gets_one_line(filled: Path, refusal: Refusal) -> None:
    for journal in filled.glob("library.sqlite-*"):
        journal.unlink()
    (filled / "library.sqlite").write_bytes(b"no record at all" * 100)
    for command in ("list", "log", "verify", "compact", "hull"):
        assert "Restore the last backup." in refusal("library", command, filled)


# log


def test_log_is_the_history(
    filled: Path, tmp_path: Path, judged: Judged, shown: Shown, answer: Answer
) -> None:
    file = write_csv(tmp_path / "s.csv", y=judged["y"], perfect=judged["y"], coin=[0.5] * 120)
    shown("add", filled, file, "--label", "y", "--by", "bob")
    shown("export", filled, "--by", "cy", "--note", "for spring")
    entries: list[Any] = answer("library", "log", filled)["log"]
    with ClassifierLibrary(filled) as kept:
        history = kept.log()
    assert [(e["at"], e["by"], e["kind"]) for e in entries] == [
        (e.at, e.by, e.kind) for e in history
    ]
    assert [e["joined"] for e in entries] == [["nb", "gbm"], ["perfect"], []]
    assert entries[1]["left"] == ["gbm", "nb"]
    text = shown("log", filled)
    assert "details" in text
    assert "joined perfect; left gbm, nb" in text
    assert "version 1 of perfect; note for spring" in text
    assert f"{entries[1]['detail']['saves']['perfect']:.3%}" in text


def test_log_of_nothing(library: Path, shown: Shown, answer: Answer) -> None:
    assert shown("log", library) == "Nothing happened yet.\n"
    assert answer("library", "log", library) == {"log": []}


# words that suit the command line


def test_bounds_are_not_spoken_of_as_in_python(
    tmp_path: Path, scores_csv: Path, shown: Shown, refusal: Refusal
) -> None:
    shown("init", tmp_path / "b", *BOUNDS)
    shown("add", tmp_path / "b", scores_csv, "--label", "y")
    for question in (("--max-fpr", "0.1"), ("--prevalence", "0.9", *COSTS[2:])):
        text = refusal("library", "best", tmp_path / "b", *question)
        assert text.endswith("so for more begin a new library without them.")
        assert "within`" not in text


def test_a_damaged_export_can_be_made_again(filled: Path, shown: Shown) -> None:
    shown("export", filled)
    with ClassifierLibrary(filled) as kept:
        export = kept.current_export
    assert export is not None
    Path(export.path).write_bytes(b"")
    assert "is damaged. Export again, or restore it from a backup." in shown(
        "verify", filled, status=1
    )


def test_an_empty_library_has_no_names(library: Path, refusal: Refusal) -> None:
    assert refusal("library", "show", library, "nb").endswith(
        "There are no classifiers of the library."
    )


def test_an_empty_tag_is_refused(library: Path, scores_csv: Path, refusal: Refusal) -> None:
    for tag in ("", " "):
        text = refusal("library", "add", library, scores_csv, "--label", "y", "--tag", tag)
        assert text.startswith("--tag must be a text that is not empty")


@pytest.mark.parametrize(
    ("typed", "meant"), [(("libary",), "library"), (("library", "expotr", "x"), "export")]
)
def test_the_command_that_was_probably_meant_is_named(
    typed: tuple[str, ...], meant: str, refusal: Refusal
) -> None:
    assert f"Did you mean {meant!r}?" in refusal(*typed)
    assert "Did you mean" not in refusal("quux")


def test_the_help_of_the_group_is_about_one_library(shown: Shown) -> None:
    assert "fraud" not in shown("--help")


# the group


def test_the_group_alone_shows_its_help(shown: Shown) -> None:
    assert shown() == shown("--help")
    assert "verify" in shown()


def test_an_unknown_command_of_the_group(refusal: Refusal) -> None:
    assert refusal("library", "guess") == "No such command 'guess'."


@pytest.mark.parametrize("command", ["list", "hull", "log", "verify", "compact", "export"])
def test_no_library_gets_one_line(command: str, tmp_path: Path, refusal: Refusal) -> None:
    assert refusal("library", command, tmp_path).startswith("DIR must be the folder of a library")


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--scores", "--note", "n\udcff"),
        ("export", "--scores", "--by", "n\udcff"),
        ("prune", "--ties", "--by", "n\udcff"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, refusal: Refusal, words: tuple[str, ...]
) -> None:
    with rocch.library.ClassifierLibrary.create(tmp_path / "lib") as library:
        library.add_scores([0, 1, 0, 1], {"a": [1, 2, 3, 4]})
    text = refusal("library", words[0], tmp_path / "lib", *words[1:])
    assert " must be a text that UTF-8 can encode, without null characters; got " in text
