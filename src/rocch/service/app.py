"""The application: its operations, each with what it takes and gives, around one service."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack, asynccontextmanager, suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import rocch
from rocch.errors import InputError, RocchError, missing_extra

try:
    from fastapi import APIRouter, Depends, FastAPI, Query
    from prometheus_client import generate_latest
except ImportError:
    raise missing_extra("service", "Serving") from None
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from rocch.inputs import find_duplicates
from rocch.roc.question import Question
from rocch.roc.savings import parse_baseline
from rocch.service import responses
from rocch.service.audit import read_decisions, shipping
from rocch.service.errors import RETRY, ServiceError, json_response, shorten
from rocch.service.feedback import Feedback, record_feedback
from rocch.service.monitor import Status, best_document
from rocch.service.page import form_html, write_rates
from rocch.service.policy import Decision, Refresher, Service, Watcher, check_rows, decide
from rocch.service.schemas import (
    MOST_NAMES,
    AimBody,
    BestQuery,
    DecideBody,
    DecisionsQuery,
    FeedbackBody,
    HistoryQuery,
    StatusQuery,
    explain_misfit,
    parse_body,
)
from rocch.service.security import CLOSE, Guard, Require, Role, headers_for
from rocch.service.served import now
from rocch.service.store import ANY, Policy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from rocch.service.served import AimedRule
    from rocch.service.store import Replaces

DESCRIPTION = """Decides rows by the ROC convex hull of many classifiers, as conditions demand.

Every decision says which rule made it and which version of the model it came from. Intervals are
written `[low, high]` in bodies and `LOW..HIGH` in queries; infinite numbers are the text "inf".
A viewer reads, a caller decides and gives feedback, an operator may do everything.
A request has at most {max_rows} rows and {max_body} bytes."""
# Rows of scores that are decided in a few milliseconds; more would make others wait.
ROWS_AT_ONCE = 20_000
# Bytes of a body that are parsed within two milliseconds, whatever they are.
BYTES_AT_ONCE = 256 * 1024

CODES = {404: "not_found", 405: "not_allowed"}
MESSAGES = {
    404: "there is nothing at this path. See /openapi.json for what there is.",
    405: "the method must be one that this path knows; got another. See the Allow header.",
}
ENDING = "the service ends and takes no more work. Try another replica, or try again later."
UNEXPECTED = "the service failed; the request is not at fault. Try again, and inform its operator."
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
}
# Files that reports use as well.
SHARED_FILES = ("shell.js", "theme.css")


class BodyRequest(Request):
    """A request whose JSON has been read as the model of its route."""

    body_model: Any = None

    async def json(self) -> Any:
        """Return the model."""
        return self.body_model


class CheckedRoute(APIRoute):
    """A route that checks the token before it reads the body, and parses large bodies in a thread.

    FastAPI would read the body first, whoever sent it, and parse it in the event loop. It takes the
    model that is made here as it is.
    """

    def get_route_handler(self) -> Callable[[Request], Awaitable[Any]]:  # type: ignore[override]
        """Return what handles a request."""
        handle = super().get_route_handler()
        required = [
            part.call for part in self.dependant.dependencies if isinstance(part.call, Require)
        ]
        adapter: TypeAdapter[Any] | None = None
        if self.body_field is not None:
            hints = get_type_hints(self.endpoint, include_extras=True)
            adapter = TypeAdapter(hints[self.body_field.name])

        async def check_and_handle(request: Request) -> Any:
            for require in required:
                require.check(request)
            if adapter is not None:
                request = BodyRequest(request.scope, request.receive)
                request.body_model = await _read_body(request, adapter)
            return await handle(request)

        return check_and_handle


async def _read_body(request: Request, adapter: TypeAdapter[Any]) -> Any:
    """Return the body of a request as a model, or refuse it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = request.headers.get("content-encoding", "identity")
    if kind != "application/json" or coding != "identity":
        got = kind if coding == "identity" else f"{kind} in {coding}"
        raise ServiceError(
            415,
            "unsupported",
            f"the body must be application/json, not compressed; got {shorten(got) or 'none'}. "
            "Set the Content-Type.",
            headers=CLOSE,
        )
    content = await request.body()
    service: Service = request.app.state.service
    most = MOST_NAMES + service.served.columns
    if len(content) <= BYTES_AT_ONCE:
        return parse_body(content, adapter, most)
    return await service.in_thread(lambda: parse_body(content, adapter, most))


async def get_service(request: Request) -> Service:
    """Return the service of the application."""
    service: Service = request.app.state.service
    return service


async def refuse_repeated(request: Request) -> None:
    """Refuse a query that has a name twice."""
    twice = find_duplicates(name for name, _ in request.query_params.multi_items())
    if twice:
        raise InputError(twice[0][:80], "be given once", "several", "Leave one out.")


UsedService = Annotated[Service, Depends(get_service)]
Anyone = Annotated[Role, Depends(Require("viewer", "caller", "operator"))]
Reader = Annotated[Role, Depends(Require("viewer", "operator"))]
Caller = Annotated[Role, Depends(Require("caller", "operator"))]
Operator = Annotated[Role, Depends(Require("operator"))]
ONCE = [Depends(refuse_repeated)]

router = APIRouter(route_class=CheckedRoute)


@router.post(
    "/v1/decide",
    response_model=responses.Decided,
    responses=responses.BODY_REFUSALS,
)
async def decide_rows(body: DecideBody, service: UsedService, role: Caller) -> Response:
    """Decide rows; the response says which rule decided, and which version of the model."""
    check_rows(body, service.settings.max_rows)
    begun = time.perf_counter()
    decision = await _decide(service, body)
    document = decision.to_dict(service.store.unconfirmed_since)
    if service.audit is not None:
        worker = {"worker": service.fleet.name}
        service.audit.write(decision.audit_record(document, role) | worker)
    service.monitor.add(
        decision.n_rows,
        decision.n_alarms,
        decision.scores(),
        referred=decision.n_referred,
        version=decision.served.version,
    )
    service.metrics.count(decision, time.perf_counter() - begun)
    return json_response(document)


async def _decide(service: Service, body: DecideBody) -> Decision:
    served, stated = service.in_force  # once: they fit together, and decide the whole request
    policy, fields = service.active_policy(served, stated), body.fields
    if fields:
        question = Question.from_dict(fields)
        policy = policy.for_request(served, question, fields.get("randomize"))
    if body.features is None and body.rows <= ROWS_AT_ONCE:
        return decide(served, body, policy)
    return await service.in_thread(
        lambda: decide(served, body, policy), service.settings.decide_seconds
    )


@router.get(
    "/v1/best",
    response_model=responses.Best,
    responses=responses.QUERY_REFUSALS,
    dependencies=ONCE,
)
async def show_best(
    query: Annotated[BestQuery, Query()], service: UsedService, _role: Anyone
) -> Response:
    """Return the best operating point for a question, typed field by field.

    Without fields it is the point in force. The response also holds what would change if the
    question were put in force.
    """
    texts = query.model_dump(exclude_unset=True)
    typed = texts.pop("baseline", None)
    baseline = None if typed is None else parse_baseline(typed)
    question = Question.from_strings(texts)
    coin = question.randomize if "randomize" in texts else None

    def find() -> Any:
        return best_document(service, question, coin, baseline)

    return json_response(await service.in_thread(find))


@router.get(
    "/v1/hull",
    response_model=responses.Hull,
    responses=responses.PLAIN_REFUSALS,
)
async def show_hull(service: UsedService, _role: Reader) -> Response:
    """Return the hull that decisions come from."""
    return json_response(service.served.hull_document)


@router.get(
    "/v1/conditions",
    response_model=responses.ConditionsDocument,
    responses=responses.QUERY_REFUSALS,
    dependencies=ONCE,
)
async def show_conditions(
    query: Annotated[HistoryQuery, Query()], service: UsedService, _role: Operator
) -> Response:
    """Return what the service aims at, and what it aimed at before, the newest first."""
    return json_response(await service.in_record_thread(lambda: _describe_history(service, query)))


def _describe_history(service: Service, query: HistoryQuery) -> dict[str, Any]:
    service.store.refresh(insist=False)  # refuses to respond without the record
    service.adopt_policy()
    history = service.store.history(query.limit, before=query.before)
    return {
        "current": service.policy.to_dict(),
        "history": [policy.to_dict() for policy in history],
        "total": service.store.count_policies(),
    }


@router.get(
    "/v1/decisions",
    response_model=responses.DecisionsDocument,
    responses=responses.QUERY_REFUSALS | responses.describe_refusals(404),
    dependencies=ONCE,
)
async def show_decisions(
    query: Annotated[DecisionsQuery, Query()], service: UsedService, _role: Operator
) -> Response:
    """Return decisions that are in the service's record, the newest first."""
    if not service.settings.audit_to_record:
        hint = "Start it with --audit FILE --audit-to-record."
        message = f"this service keeps no decisions in its record. {hint}"
        raise ServiceError(404, "not_found", message, parts={"hint": hint})

    def find() -> Any:
        return read_decisions(service.store, query.limit, before=query.before)

    return json_response(await service.in_record_thread(find))


@router.put(
    "/v1/conditions",
    response_model=responses.AimedDocument,
    responses=responses.CHANGE_REFUSALS,
)
async def put_conditions(body: AimBody, service: UsedService, _role: Operator) -> Response:
    """Aim anew, for all decisions from now on; it is recorded, and outlives the service."""
    policy, rule = await service.in_record_thread(lambda: put_policy(service, body), write=True)
    point = rule.point_document
    message = f"Put in force: {policy.words}. {write_rates(point)}."
    return json_response({"current": policy.to_dict(), "point": point, "message": message})


def put_policy(service: Service, body: AimBody) -> tuple[Policy, AimedRule]:
    """Put the policy of a body in force."""
    question = Question.from_dict(body.fields)
    if not question:
        raise InputError(
            "question",
            "state what to aim at",
            question.describe() or "nothing",
            "For example: {example}.",
            example='{"prevalence": 0.1, "false_positive": 1, "false_negative": 25}',
        )
    policy = Policy(question=question, tuning=body.tuning, note=body.note, by=body.by, at=now())
    replaces: Replaces = body.replaces if "replaces" in body.model_fields_set else ANY
    return service.put_policy(policy, replaces)


@router.post(
    "/v1/feedback",
    response_model=responses.FeedbackDocument,
    responses=responses.CHANGE_REFUSALS,
)
async def post_feedback(body: FeedbackBody, service: UsedService, _role: Caller) -> Response:
    """Record feedback; it is on the disk before the response, and counts once if sent again."""
    if body.kind == "outcomes":
        check_rows(body, service.settings.max_rows)
    feedback = Feedback(**{name: value for name, value in body if value is not None})

    def record() -> Any:
        served, policy = service.in_force
        return record_feedback(service.store, served, policy, feedback)

    return json_response(await service.in_record_thread(record, write=True))


@router.get(
    "/v1/status",
    response_model=responses.StatusDocument,
    responses=responses.QUERY_REFUSALS,
    dependencies=ONCE,
)
async def show_status(
    query: Annotated[StatusQuery, Query()], service: UsedService, role: Reader
) -> Response:
    """Return what the service does, what it noticed, and what calls for attention."""

    def find() -> Any:
        service.refresh(insist=False)
        return Status(service).document(role, now(), with_page=query.page)

    return json_response(await service.in_record_thread(find))


@router.get(
    "/v1/health",
    response_model=responses.Health,
    responses=responses.describe_refusals(400, 503),
)
async def show_health(service: UsedService) -> Response:
    """Return whether the service decides as it should; it needs no token."""
    problems = service.problems
    document = {
        "status": "degraded" if problems else "ok",
        "model_version": service.served.version,
        # without a token only that something is wrong is shown, not what
        "problems": [problem.partition(":")[0] for problem in problems],
    }
    return json_response(document)


@router.get(
    "/v1/ready",
    response_model=responses.Ready,
    responses=responses.describe_refusals(400, 503),
)
async def show_ready(service: UsedService) -> Response:
    """Return whether to send requests here, which ends before the service does; without a token."""
    if service.is_ending:
        raise ServiceError(503, "unavailable", ENDING, headers=RETRY)
    return json_response({"ready": True, "model_version": service.served.version})


@router.get(
    "/metrics",
    response_class=Response,  # of no media type, so that refusals are described as JSON
    responses={200: responses.METRICS, **responses.PLAIN_REFUSALS},
)
async def show_metrics(service: UsedService, _role: Reader) -> Response:
    """Return counters and gauges as text."""
    content = await service.in_record_thread(lambda: generate_latest(service.metrics.registry))
    return Response(content, headers={"Content-Type": METRICS_TYPE})


class PageFile(NamedTuple):
    """A file of the page."""

    content: bytes
    media_type: str


def page_files() -> dict[str, PageFile]:
    """Return the files of the page by name, with the form in its HTML.

    They are read once: what is not among them is not there, whatever its path.
    """
    shared = files("rocch.report") / "page"
    own = (files("rocch.service") / "page").iterdir()
    texts = {
        file.name: file.read_text(encoding="utf-8")
        for file in [*own, *(shared / name for name in SHARED_FILES)]
    }
    for place, html in form_html().items():
        texts["index.html"] = texts["index.html"].replace(f"<!--{place}-->", html)
    return {
        name: PageFile(text.encode(), MEDIA_TYPES[name.rpartition(".")[2]])
        for name, text in texts.items()
    }


@router.get("/", include_in_schema=False)
async def show_page(request: Request) -> Response:
    """Return the page."""
    return await show_page_file(request, "index.html")


@router.get("/page/{name}", include_in_schema=False)
async def show_page_file(request: Request, name: str) -> Response:
    """Return a file of the page."""
    file = request.app.state.page.get(name)
    if file is None:
        raise ServiceError(404, "not_found", "there is no such page. See /.")
    return Response(file.content, media_type=file.media_type)


async def _respond_refused(_request: Request, error: ServiceError | RocchError) -> Response:
    refused = ServiceError.of(error) if isinstance(error, RocchError) else error
    return refused.to_response()


async def _respond_misfit(request: Request, error: RequestValidationError) -> Response:
    misfit = error.errors()[0]
    route = request.scope["route"]
    field = route.body_field or route.dependant.query_params[0]
    known = getattr(field.field_info.annotation, "model_fields", ())
    return explain_misfit(misfit, known).to_response()


async def _respond_http(_request: Request, error: HTTPException) -> Response:
    message = MESSAGES.get(error.status_code, str(error.detail))
    code = CODES.get(error.status_code, "bad_input")
    return ServiceError(error.status_code, code, message, headers=error.headers).to_response()


async def _respond_gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _respond_unexpected(request: Request, _error: Exception) -> Response:
    # this one comes from outside the layer that adds headers; what went wrong is in the log
    headers = headers_for(request.url.path)
    return ServiceError(500, "unexpected", UNEXPECTED, headers=headers).to_response()


HANDLERS: dict[int | type[Exception], Any] = {
    ServiceError: _respond_refused,
    RocchError: _respond_refused,
    RequestValidationError: _respond_misfit,
    HTTPException: _respond_http,
    ClientDisconnect: _respond_gone,
    Exception: _respond_unexpected,
}


def create_app(service: Service) -> FastAPI:
    """Return the ASGI application of a service.

    Parameters
    ----------
    service
        What decides, as `open_service` returns it; it is `app.state.service`.
    """

    @asynccontextmanager
    async def watch(_app: FastAPI) -> AsyncIterator[None]:
        tasks = [Refresher(service).run()]
        if service.source is not None:
            tasks.append(Watcher(service, service.source).run())
        if service.is_shared:
            tasks.append(service.fleet.run())
        running = [asyncio.create_task(task) for task in tasks]
        opened = ExitStack()
        if settings.workers == 1:  # of several workers' lines, their parent takes care
            opened.enter_context(shipping(service.settings, service.store.place))
        try:
            yield
        finally:
            for task in running:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await service.in_thread(opened.close)

    settings = service.settings
    app = FastAPI(
        title="rocch",
        version=rocch.__version__,
        description=DESCRIPTION.format(max_rows=settings.max_rows, max_body=settings.max_body),
        docs_url=None,
        redoc_url=None,
        lifespan=watch,
        exception_handlers=HANDLERS,
    )
    app.state.service = service
    app.state.page = page_files()
    app.include_router(router)
    app.add_middleware(Guard, settings=settings, responses=service.metrics.requests)
    return app
