"""The deployment of the documentation runs: its commands, and an upgrade that nobody notices."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocch.library import ClassifierLibrary
from tests.support.deployment import TOKENS, Balancer, Load, Replica, ask, need_nginx
from tests.support.loads import body_of, library_of_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.postgres import PostgresServer

PAGE = (Path(__file__).parents[3] / "docs/how-to/deployment.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The commands of the page without containers: a service starts, and ends once it is announced.
FUNCTIONS = """
set -eu
rocch() {
  if [ "$1" = serve ]; then serve_once "$@"; else "$PYTHON" -m rocch "$@"; fi
}
serve_once() {
  coproc SERVICE { exec "$PYTHON" -m rocch "$@" --host 127.0.0.1 --port 0 --json; }
  local service=$SERVICE_PID line
  while read -r line <&"${SERVICE[0]}"; do if [ "$line" = "}" ]; then break; fi; done
  kill -TERM "$service"
  wait "$service"
}
docker() {
  [ "$1" = compose ]
  case "$2" in
    run) while [ "$1" != rocch ]; do shift; done; "$@" ;;
    build | up) ;;
    *) return 1 ;;
  esac
}
aws() {
  [ "$1 $2 $5" = "s3 sync --exclude" ]
  "$PYTHON" -c "$SYNC" "$3" "$4" "$6"
}
"""
# `aws s3 sync`, which is not among what the tests install.
SYNC = """
import sys, fsspec
store, source = fsspec.url_to_fs(sys.argv[1])
target = fsspec.url_to_fs(sys.argv[2])[1]
store.copy(source + "/", target + "/", recursive=True)
store.rm_file(target + "/" + sys.argv[3])
"""


@pytest.fixture
def databases(postgres: PostgresServer) -> Iterator[PostgresServer]:
    """Return a server on which the page's databases may be made."""
    postgres.start()
    names = ("risk", "spare")
    postgres.execute(f"CREATE DATABASE spare OWNER {postgres.user}", database="postgres")
    yield postgres
    for name in names:
        postgres.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", database="postgres")


@pytest.mark.timeout(600)
def test_commands_of_the_page_run(
    databases: PostgresServer, s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bash = shutil.which("bash")
    if bash is None or not all(map(shutil.which, ("pg_dump", "psql", "openssl"))):
        pytest.skip("needs bash, pg_dump, psql and openssl")
    monkeypatch.setenv("PGPASSWORD", databases.password)
    library_of_columns(tmp_path / "churn").close()
    (tmp_path / "scores.csv").write_text("y,gbm\n0,0.1\n1,0.4\n0,0.3\n1,0.8\n")
    address = f"127.0.0.1:{databases.port}"
    replaced = {
        "db.example": address,
        "@postgres/rocch": f"@{address}/rocch?schema=deployment",
        "s3://models": s3,
        "/srv/objects": str(tmp_path / "objects"),
        " /scores.csv": " scores.csv",
    }
    environment = {
        **os.environ,
        **{f"ROCCH_{role.upper()}_TOKEN": token for role, token in TOKENS.items()},
        "PYTHON": sys.executable,
        "SYNC": SYNC,
    }
    kinds = []
    for kind, text in BLOCK.findall(PAGE):
        for old, new in replaced.items():
            text = text.replace(old, new)
        kinds.append(kind)
        if kind == "sql":
            role, password, database = text.splitlines()
            assert role == f"CREATE ROLE {databases.user} LOGIN;"  # as the server's is
            assert password == rf"\password {databases.user}"
            databases.execute(database, database="postgres")
        if kind == "bash":
            done = subprocess.run(  # noqa: S603 - commands of our own page
                [bash, "-c", FUNCTIONS + text],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    assert kinds.count("bash") == 6
    assert oct((tmp_path / ".env").stat().st_mode & 0o777) == "0o600"
    assert len((tmp_path / ".env").read_text().split()) == 4
    url = f"postgresql://rocch@{address}/risk?schema="
    copies = [f"{url}churn", f"{url}restored", url.replace("risk", "spare") + "churn"]
    for place in [str(tmp_path / "backup"), *copies]:
        with ClassifierLibrary(place) as library:
            assert library.verify().sound
            assert [export.note for export in library.exports()] == ["", "for all machines"]


@pytest.mark.timeout(600)
def test_no_decision_fails_while_replicas_are_upgraded(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    need_nginx()
    url = postgres.new_schema(create=False)
    with ExitStack() as opened:
        library = library_of_columns(tmp_path / "folder").copy(url, objects=tmp_path / "objects")
        opened.callback(library.close)
        replicas = []
        for name in ("rocch-1", "rocch-2"):
            replicas.append(Replica(tmp_path / name, url))
            opened.callback(replicas[-1].close)
        balancer = Balancer(replicas)
        opened.callback(balancer.close)
        with Load(balancer.url, body_of(2), clients=2) as load:
            load.wait_for(50)
            for replica in replicas:
                assert replica.stop() == 0
                load.wait_for(50)
                replica.start()
                load.wait_for(50)
        assert set(load.results) == {200}, load.results
        decided = ask(balancer.url, "GET", "/v1/decisions?limit=1")["decisions"]
        assert len(decided) == 1
