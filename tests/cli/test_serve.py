"""`rocch serve`, as a process of its own, and what it refuses before it listens."""

import json
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import rocch
from tests.conftest import Refusal
from tests.support.columns import ColumnScores
from tests.support.real_service import make_library
from tests.support.serving import judged

NO_COSTS = (
    "rocch: nobody has stated costs, so the model decides as it was saved, for the fewest errors. "
    "State them as options, or let an operator aim on the page.\n"
)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    make_library(tmp_path / "models").close()
    return tmp_path / "models"


def test_what_is_refused_before_it_listens(models: Path, tmp_path: Path, refusal: Refusal) -> None:
    assert "serve" not in refusal("serve", tmp_path / "none")
    rocch.library.ClassifierLibrary.create(tmp_path / "empty").close()
    assert "rocch library export" in refusal("serve", tmp_path / "empty")
    assert "cannot be read" in refusal("serve", models, "--tokens", tmp_path / "none.json")
    assert "to have an effect" in refusal("serve", models, "--prevalence", "0.1")
    assert "--max-fpr must" in refusal("serve", models, "--max-fpr", "2")
    assert "--randomize goes with" in refusal("serve", models, "--randomize")
    assert "cannot be opened" in refusal("serve", models, "--audit", tmp_path)
    assert "place to listen" in refusal("serve", models, "--host", "no.such.host.invalid")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "in use" in refusal("serve", models, "--port", port)
    limits = ("--max-fpr", "0.001", "--min-tpr", "0.999")
    assert refusal("serve", models, *limits, status=3)


@pytest.mark.parametrize("package", ["fastapi", "prometheus_client", "uvicorn"])
def test_the_extra_is_named(
    package: str, models: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for module in ("rocch.service.app", "rocch.service.run"):  # to be imported anew
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert "pip install 'rocch[service]'" in refusal("serve", models)


def served_in_process(models: Path, monkeypatch: pytest.MonkeyPatch, *options: Any) -> Any:
    """Run the command up to where it would serve; return what it printed."""
    from click.testing import CliRunner

    from rocch.cli.main import cli

    def announce_only(service: Any, bound: Any, listening: Any, **_: Any) -> None:
        assert service.serves(service.source.newest())
        bound.close()
        listening()

    monkeypatch.setattr("rocch.service.run.run", announce_only)
    result = CliRunner().invoke(cli, ["serve", str(models), *map(str, options)])
    assert result.exit_code == 0, result.stderr
    return result


def test_it_announces_where_it_listens_and_warns(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = served_in_process(models, monkeypatch, "--port", 0)
    assert output.stdout.startswith(f"Serving {models}, version 1, at http://127.0.0.1:")
    assert str(models / "tokens.json") in output.stdout
    assert output.stderr == NO_COSTS
    output = served_in_process(models, monkeypatch, "--port", 0, "--max-fpr", 0.1)
    assert output.stderr == ""
    output = served_in_process(models, monkeypatch, "--port", 0, "--max-fpr", 0.1, "--randomize")
    assert "callers must send row_keys" in output.stderr
    (models / "tokens.json").chmod(0o644)
    output = served_in_process(models, monkeypatch, "--port", 0, "--host", "0.0.0.0")  # noqa: S104
    assert "Put a proxy with TLS before it" in output.stderr
    assert "chmod 600" in output.stderr
    for role in ("VIEWER", "CALLER", "OPERATOR"):
        monkeypatch.setenv(f"ROCCH_{role}_TOKEN", f"{role}-0123456789abcdef")
    output = served_in_process(models, monkeypatch, "--port", 0, "--json")
    assert json.loads(output.stdout)["tokens_file"] is None
    output = served_in_process(models, monkeypatch, "--port", 0)
    assert "Tokens are from the environment" in output.stdout


def test_several_workers_serve_under_the_lock_of_the_command(
    models: Path, monkeypatch: pytest.MonkeyPatch, refusal: Refusal
) -> None:
    supervised: list[Any] = []

    def announce_only(start: Any, bound: Any, listening: Any) -> None:
        supervised.append(start)
        with pytest.raises(rocch.InputError, match="no other service uses"):
            rocch.service.open_service(models)
        bound.close()
        listening()

    monkeypatch.setattr("rocch.service.workers.supervise", announce_only)
    options = ("--port", 0, "--workers", 3, "--max-fpr", 0.1)
    output = served_in_process(models, monkeypatch, *options, "--json")
    assert json.loads(output.stdout)["workers"] == 3
    output = served_in_process(models, monkeypatch, *options, "--reset-conditions")
    assert output.stdout.startswith(f"Serving {models}, version 1, with 3 workers, at http://")
    assert supervised[0] == supervised[1]  # what resets is done once, by the command
    assert (supervised[0].path, supervised[0].settings.workers) == (models, 3)
    assert supervised[0].settings.question == rocch.Question(max_fpr=0.1)
    rocch.service.open_service(models).close()
    for wrong in (0, 257):
        assert "is not in the range 1<=x<=256" in refusal("serve", models, "--workers", wrong)


@pytest.mark.parametrize("value", ["nan", "inf", "1e-9", "1e308"])
def test_a_body_limit_that_is_none(models: Path, refusal: Refusal, value: str) -> None:
    text = refusal("serve", models, "--max-body-mb", value)
    expected = "--max-body-mb must be a finite number; got nan"
    assert text.startswith(expected if value == "nan" else "Invalid value for '--max-body-mb': ")


@pytest.mark.parametrize("value", ["nan", "inf", "1e300"])
def test_a_timeout_that_is_none(models: Path, refusal: Refusal, value: str) -> None:
    text = refusal("serve", models, "--timeout", value)
    expected = "--timeout must be a finite number, not negative; got nan"
    assert text.startswith(expected if value == "nan" else "Invalid value for '--timeout': ")


def test_an_operators_aim_in_force_is_warned_of(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocch.service.store import Policy, Store

    records = Store(models / "service.sqlite")
    records.put_policy(Policy(question=rocch.Question(max_fpr=0.3)))
    records.close()
    output = served_in_process(models, monkeypatch, "--port", 0, "--max-fpr", "0.2")
    assert output.stderr == (
        "rocch: the operator's aim is in force (a false positive rate of at most 30%, counted on "
        "the evaluation rows), not the command line's (a false positive rate of at most 20%, "
        "counted on the evaluation rows). Start with --reset-conditions to "
        "change that.\n"
    )
    assert served_in_process(models, monkeypatch, "--port", 0).stderr == ""
    assert served_in_process(models, monkeypatch, "--port", 0, "--max-fpr", "0.3").stderr == ""
    reset = ("--max-fpr", "0.2", "--reset-conditions")
    assert served_in_process(models, monkeypatch, "--port", 0, *reset).stderr == ""


def test_a_model_that_was_saved_with_an_aim_is_not_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, y = judged()
    model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(scores, y)
    costs = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=2)
    views = (model.at(costs), model.at(rocch.NeymanPearson(0.1)), model.refer(costs, cost=0.1))
    for number, view in enumerate(views):
        path = tmp_path / f"{number}.rocch"
        rocch.save(view, path)
        assert served_in_process(path, monkeypatch, "--port", 0).stderr == ""
    rocch.save(model, tmp_path / "plain.rocch")
    plain = served_in_process(tmp_path / "plain.rocch", monkeypatch, "--port", 0)
    assert plain.stderr == NO_COSTS


@pytest.mark.parametrize("name", ["http://x/y", "x/y", "*.example", "", "::1", "ä.example", "a b"])
def test_a_host_that_no_request_can_name(models: Path, refusal: Refusal, name: str) -> None:
    text = refusal("serve", models, "--allowed-host", "rocch.example", "--allowed-host", name)
    assert text == (
        f"--allowed-host must be the name of a host, with or without a port; got {name!r}. "
        "For example: rocch.example"
    )


def test_types_of_ones_own_are_named_again(
    tmp_path: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, y = judged()
    folder, mine = tmp_path / "own", ("tests.support.columns.ColumnScores",)
    with rocch.library.ClassifierLibrary.create(folder) as library:
        features = scores[["gbm"]].to_numpy()
        library.add_model("mine", ColumnScores(0).fit(features, y), features, y, trusted=mine)
        library.export(trusted=mine)
    assert refusal("serve", folder).endswith(
        "name them: --trust tests.support.columns.ColumnScores"
    )
    output = served_in_process(folder, monkeypatch, "--port", 0, "--trust", *mine)
    assert ", version 1, at http" in output.stdout


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    scores, y = judged()
    features = scores.rename(columns={"gbm": "age", "nb": "income", "rules": "flag"})
    rocch.save(rocch.RocchClassifier([("nb", GaussianNB())]).fit(features, y), tmp_path / "m.rocch")
    return tmp_path / "m.rocch"


def test_a_saved_model_is_served_and_the_next_step_is_printed(
    saved: Path, monkeypatch: pytest.MonkeyPatch, refusal: Refusal
) -> None:
    lines = served_in_process(saved, monkeypatch, "--port", 0).stdout.splitlines()
    url = lines[0].split(" at ")[1].split(" ")[0]
    state = saved.with_name("m.rocch.service")
    assert lines == [
        f"Serving {saved}, version 1, at {url} (Ctrl-C ends it).",
        "Try it in another terminal:",
        f"  TOKEN=$(rocch serve {saved} --show-token caller)",
        f"  curl {url}/v1/decide --oauth2-bearer $TOKEN "
        """--json '{"features": {"age": [0], "income": [0], "flag": [0]}}'""",
        f"The page at {url} asks for the operator's token. Tokens are in {state / 'tokens.json'}.",
    ]
    moved = ("--state", saved.parent / "it's here", "--port", 0)
    output = served_in_process(saved, monkeypatch, *moved).stdout
    assert f"""--state '{saved.parent / "it"}'"'"'s here' --show-token caller""" in output
    for role in ("VIEWER", "CALLER", "OPERATOR"):
        monkeypatch.setenv(f"ROCCH_{role}_TOKEN", f"{role}-0123456789abcdef")
    output = served_in_process(saved, monkeypatch, "--port", 0).stdout
    assert "--oauth2-bearer $ROCCH_CALLER_TOKEN" in output
    assert "TOKEN=$(" not in output
    assert "to have an effect" in refusal("serve", saved, "--prevalence", "0.1")


def test_the_example_has_what_the_rule_needs(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coin = ("--max-fpr", 0.1, "--randomize", "--port", 0)
    output = served_in_process(models, monkeypatch, *coin).stdout
    assert """--json '{"scores": {"gbm": [0]}, "row_keys": ["row 1"]}'""" in output
    words = pd.DataFrame({"color": ["red", "blue"] * 50, "size": np.arange(100.0)})
    y = (np.arange(100) // 3) % 2
    encode = make_column_transformer((OneHotEncoder(), ["color"]), remainder="passthrough")
    texts = rocch.RocchClassifier([("nb", make_pipeline(encode, GaussianNB()))]).fit(words, y)
    rocch.save(texts, tmp_path / "texts.rocch")
    output = served_in_process(tmp_path / "texts.rocch", monkeypatch, "--port", 0).stdout
    assert "/v1/best --oauth2-bearer $TOKEN\n" in output  # zero is no color


def test_tokens_are_shown_on_demand(saved: Path, tmp_path: Path, refusal: Refusal) -> None:
    from click.testing import CliRunner

    from rocch.cli.main import cli

    def shown(*options: Any) -> str:
        typed = ["serve", str(saved), *map(str, options)]
        result = CliRunner().invoke(cli, typed)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    tokens = {role: shown("--show-token", role).strip() for role in ("viewer", "caller")}
    kept = json.loads((tmp_path / "m.rocch.service" / "tokens.json").read_text())
    assert tokens == {role: kept[role] for role in tokens}
    assert json.loads(shown("--show-token", "caller", "--json")) == {"token": kept["caller"]}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({role: f"{role}-0123456789abcdef" for role in kept}))
    assert shown("--show-token", "viewer", "--tokens", file) == "viewer-0123456789abcdef\n"
    assert "which does not exist" in refusal("serve", tmp_path / "none", "--show-token", "caller")


def test_what_people_type_instead_of_a_saved_model(
    saved: Path, tmp_path: Path, refusal: Refusal
) -> None:
    assert refusal("serve", tmp_path / "none.rocch") == (
        f"PATH must be a file that rocch.save wrote, or the folder of a library; got "
        f"{str(tmp_path / 'none.rocch')!r}, which does not exist. Save a fitted model there: "
        f"rocch.save(model, {str(tmp_path / 'none.rocch')!r})."
    )
    assert "a folder without a library" in refusal("serve", tmp_path)
    (tmp_path / "scores.csv").write_text("y,nb\n0,0.1\n")
    assert "rocch library add DIR" in refusal("serve", tmp_path / "scores.csv")
    saved.write_bytes(saved.read_bytes()[:-10])
    assert refusal("serve", saved).startswith(f"{saved} cannot be served: ")


def test_types_of_ones_own_in_a_saved_model_are_named(
    tmp_path: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, y = judged()
    own = "tests.support.columns.ColumnScores"
    model = rocch.RocchClassifier([("mine", ColumnScores(0))]).fit(scores, y)
    rocch.save(model, tmp_path / "m.rocch", trusted=[own])
    text = refusal("serve", tmp_path / "m.rocch")
    assert text.endswith(f"If you trust them, name them: --trust {own}")
    output = served_in_process(tmp_path / "m.rocch", monkeypatch, "--port", 0, "--trust", own)
    assert "version 1" in output.stdout


def test_a_damaged_export_is_to_be_made_again(models: Path, refusal: Refusal) -> None:
    with rocch.library.ClassifierLibrary(models) as library:
        export = library.current_export
    assert export is not None
    for damage in (lambda: Path(export.path).write_bytes(b"no zip"), Path(export.path).unlink):
        damage()
        text = refusal("serve", models)
        assert text.startswith("version 1 cannot be served: ")
        assert text.endswith(f"Make another with: rocch library export {models}")
        assert "Save the model again" not in text
