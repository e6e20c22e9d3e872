"""The description is complete, its examples are right, and no request breaks the service."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.core import NOT_SET
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from rocch.service.audit import shipping
from tests.support.serving import AS, Asking, asking

LIMIT = 1234
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    audit = tmp_path_factory.mktemp("openapi") / "audit.jsonl"
    kept: Any = {"audit": audit, "audit_to_record": True}
    with asking(max_rows=LIMIT, allowed_hosts=("localhost",), **kept) as running:
        yield running


@pytest.fixture(scope="module")
def described(ask: Asking) -> Any:
    return ask.get("/openapi.json", None).json()


def operations(described: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def check(value: Any, schema: Any, described: Any) -> None:
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    jsonschema.validate(value, {**whole, "components": described["components"]})


def test_every_operation_has_examples_of_all_its_answers(described: Any) -> None:
    for path, method, operation in operations(described):
        assert operation["summary"], path
        assert {"200", "400", "503"} <= set(operation["responses"])
        if path not in ("/v1/health", "/v1/ready"):
            assert operation["security"] == [{"token": []}]
            assert {"401", "403"} <= set(operation["responses"])
        if method in ("post", "put"):
            assert {"408", "413", "415", "422"} <= set(operation["responses"])
        for status, answer in operation["responses"].items():
            for kind, content in answer["content"].items():
                example = content.get("example", example_of(content["schema"], described))
                check(example, content["schema"], described)
                assert (kind == "text/plain") == ((path, status) == ("/metrics", "200"))


def example_of(schema: Any, described: Any) -> Any:
    """Return an example that is made of those of all fields; each must have one."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = described["components"]["schemas"][name]
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:  # of which the last is null
        return example_of(schema["anyOf"][0], described)
    if "properties" in schema:
        found = schema["properties"].items()
        return {field: example_of(about, described) for field, about in found}
    return [example_of(schema["items"], described)] if "items" in schema else None


def test_every_body_has_examples_that_fit(described: Any) -> None:
    schemas = described["components"]["schemas"]
    for name in ("DecideBody", "AimBody", "OutcomesBody", "LoadBody", "QueueBody"):
        assert schemas[name]["examples"]
        for example in schemas[name]["examples"]:
            check(example, schemas[name], described)


def test_the_description_states_the_limits_of_the_service(described: Any) -> None:
    assert f"at most {LIMIT} rows" in described["info"]["description"]
    assert described["info"]["title"] == "rocch"
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_answers_fit_their_description(ask: Asking, described: Any) -> None:
    ask.decide(scores={"rules": [0, 1]})
    with shipping(ask.service.settings, ask.service.store.place):
        pass
    for path, method, operation in operations(described):
        if method == "get" and path != "/metrics":
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            check(ask.get(path).json(), schema, described)


def test_examples_of_requests_are_answered(ask: Asking, described: Any) -> None:
    bodies = described["components"]["schemas"]
    for example in bodies["AimBody"]["examples"]:
        assert ask.put("/v1/conditions", example).status_code == 200
    for name in ("LoadBody", "QueueBody"):
        for example in bodies[name]["examples"]:
            assert ask.post("/v1/feedback", example).status_code == 200


bounded = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("role", ["operator", None])
def test_no_request_breaks_the_service(
    ask: Asking, described: Any, role: str | None, mode: GenerationMode
) -> None:
    schema: Any = openapi.from_dict(described)
    statuses = Counter[int]()
    for operation in (found.ok() for found in schema.get_all_operations()):
        if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query):
            continue  # nothing is sent that could be wrong

        def one(case: Any) -> None:
            headers = {**(case.headers or {}), **(AS[role] if role else {})}
            more: dict[str, Any] = {}
            if method_takes_body(case.method):
                headers["Content-Type"] = "application/json"
                more["content"] = written(case.body)
            answer = ask.send(
                case.method, case.formatted_path, None, params=case.query, headers=headers, **more
            )
            statuses[answer.status_code] += 1
            case.validate_response(answer, checks=CHECKS)

        bounded(given(case=operation.as_strategy(generation_mode=mode))(one))()
    assert statuses[401 if role is None else 422] > 20


def written(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return b"" if body is NOT_SET else json.dumps(body).encode()


def method_takes_body(method: str) -> bool:
    return method.upper() in ("POST", "PUT")


def test_ratios_may_be_open_above() -> None:
    from jsonschema import Draft202012Validator

    from rocch.service.schemas import AimBody

    validator = Draft202012Validator(AimBody.model_json_schema())
    for fine in (5, [5, 10], [5, "inf"]):
        assert validator.is_valid({"question": {"cost_ratio": fine}})
    for wrong in ("inf", ["inf", 5], [5, "infinity"], [5, "inf", 6]):
        assert not validator.is_valid({"question": {"cost_ratio": wrong}})
    assert not validator.is_valid({"question": {"false_positive": [5, "inf"]}})
