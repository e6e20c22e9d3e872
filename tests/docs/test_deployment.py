"""The files of `examples/deployment/` fit each other, the command and the page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rocch.cli.serve import serve
from rocch.service import audit, run, workers
from rocch.service.app import router
from rocch.service.security import ROLES
from tests.support.deployment import FILES, read_compose, serve_command

PAGE = (Path(__file__).parents[2] / "docs/how-to/deployment.md").read_text(encoding="utf-8")
REPLICAS = ("rocch-1", "rocch-2")


def options_of(words: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("--")}


def commands_of(text: str, start: str) -> list[list[str]]:
    """Return the words of the commands that begin like this, also over several lines."""
    whole = re.sub(r"\\\n\s*", "", text)
    return [shlex.split(line) for line in re.findall(rf"(?m)^{start}.*$", whole)]


def unit_command() -> list[str]:
    unit = (FILES / "rocch.service").read_text(encoding="utf-8")
    return commands_of(unit, "ExecStart=")[0]


def test_replicas_are_alike_but_for_what_is_their_own() -> None:
    services = read_compose()["services"]
    first, second = ({**services[name]} for name in REPLICAS)
    for name, service in zip(REPLICAS, (first, second), strict=True):
        assert service.pop("hostname") == name
        service.pop("networks")
        objects, own = service.pop("volumes")
        assert objects == "objects:/srv/objects"
        assert own == f"audit-{name[-1]}:/var/lib/rocch"
    assert first == second


def test_compose_refers_only_to_what_it_has() -> None:
    compose = read_compose()
    for service in compose["services"].values():
        assert set(service.get("depends_on", ())) <= set(compose["services"])
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in compose["volumes"] or (FILES / source).is_file()
        for network in service.get("networks", ()):
            assert network in compose["networks"]
    addresses = [
        compose["services"][name]["networks"]["default"]["ipv4_address"] for name in REPLICAS
    ]
    assert len(set(addresses)) == len(REPLICAS)


@pytest.mark.parametrize("words", [serve_command(), unit_command()], ids=["compose", "systemd"])
def test_options_are_those_of_the_command_and_of_the_page(words: list[str]) -> None:
    known = {name for option in serve.params for name in option.opts}
    assert options_of(words) <= known
    shown = next(each for each in commands_of(PAGE, "rocch serve") if "--host" in each)
    assert options_of(words) == options_of(shown)


def test_replicas_may_finish_what_is_under_way() -> None:
    needed = run.SECONDS_TO_END + workers.SECONDS_MORE + audit.SECONDS_TO_END
    grace = read_compose()["services"]["rocch-1"]["stop_grace_period"]
    unit = (FILES / "rocch.service").read_text(encoding="utf-8")
    for seconds in (
        int(grace.removesuffix("s")),
        int(re.findall(r"TimeoutStopSec=(\d+)", unit)[0]),
    ):
        assert seconds > needed


def test_nginx_knows_each_replica_and_repeats_only_what_may_be() -> None:
    text = (FILES / "nginx.conf").read_text(encoding="utf-8")
    for block in re.findall(r"(?s)upstream \w+ \{.*?\n\}", text):
        for kind in ("fail_timeout=2s", "backup"):
            found = tuple(re.findall(rf"server (\S+):8000 .*{kind};", block))
            assert found == REPLICAS or (kind, found) == ("backup", ())
    places = dict(re.findall(r"(?s)location (?:= |~ )?(\S+) \{\n(.*?)\n    \}", text))
    (repeated,) = [place for place, block in places.items() if "non_idempotent" in block]
    posts = {
        route.path  # type: ignore[attr-defined]
        for route in router.routes
        if "POST" in route.methods  # type: ignore[attr-defined]
    }
    assert {path for path in posts if re.match(repeated, path)} == posts
    changes = {
        route.path  # type: ignore[attr-defined]
        for route in router.routes
        if route.methods & {"PUT", "DELETE", "PATCH"}  # type: ignore[attr-defined]
    }
    assert changes == {
        place for place, block in places.items() if "proxy_next_upstream off" in block
    }


def test_the_image_has_a_user_a_check_and_no_secrets() -> None:
    text = (FILES / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"(?m)^USER (?!root)", text)
    asked = re.search(r"(?s)^HEALTHCHECK.*http://127\.0\.0\.1:8000(/v1/\w+)", text, re.MULTILINE)
    assert asked
    assert asked[1] in {route.path for route in router.routes}  # type: ignore[attr-defined]
    assert "127.0.0.1" in serve_command()  # the host that the check names
    assert not re.search("(?i)password|token", text)
    assert "COPY" not in text


def test_the_page_writes_all_secrets_and_names_only_services_that_exist() -> None:
    compose = read_compose()
    tokens = [f"ROCCH_{role.upper()}_TOKEN" for role in ROLES]
    assert f"for name in PGPASSWORD {' '.join(tokens)}\n" in PAGE
    assert "${PGPASSWORD:?" in compose["services"]["postgres"]["environment"]["POSTGRES_PASSWORD"]
    assert compose["services"]["rocch-1"]["env_file"] == ".env"
    url, place = serve_command()[1], compose["services"]["rocch"]["volumes"][0].partition(":")[2]
    for words in commands_of(PAGE, "docker compose run"):
        assert words[words.index("rocch") + 1] == "library"
        assert url in words
    assert f"library init {url} --objects {place}" in PAGE
    replaced = [
        words[-1] for words in commands_of(PAGE, "docker compose up") if "--no-deps" in words
    ]
    assert tuple(replaced) == REPLICAS
