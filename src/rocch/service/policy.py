"""The service object: which policy is active, deciding rows, and taking over new versions."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np

from rocch.errors import InputError, RocchError, StorageError
from rocch.hybrid.coin import tosses
from rocch.hybrid.referral_rule import REFER, ReferralRule
from rocch.hybrid.rule import ColumnBatch
from rocch.roc.question import Question
from rocch.service.audit import AuditLag, AuditLog
from rocch.service.columns import as_keys
from rocch.service.errors import REQUEST, RETRY, ServiceError
from rocch.service.feedback import find_tuner, rule_at_knob, start_tuner, tuned_knob
from rocch.service.fleet import Fleet
from rocch.service.monitor import Metrics, Monitor
from rocch.service.served import ServedModel, now
from rocch.service.store import ANY, Policy, ServiceLock, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.database.places import Place
    from rocch.hybrid.expression import Batch
    from rocch.service.run import Settings
    from rocch.service.schemas import DecideBody, Rows
    from rocch.service.security import Tokens
    from rocch.service.served import AimedRule
    from rocch.service.sources import Source, Version
    from rocch.service.store import Replaces

Result = TypeVar("Result")

LOG = logging.getLogger("rocch.service")

# Threads in which models run; one that hangs keeps its thread.
WORKERS = 4
# Tasks beside all requests, each with a thread of its own, which no request keeps waiting.
TASKS = ("refresh", "watch", "fleet")
# A version that cannot be taken over is tried again after this many looks; sooner at first if the
# cause may pass.
LOOKS_BETWEEN_TRIALS = 120
# Seconds without news of the record after which its aim is unconfirmed; at least these refreshes.
OLDEST_NEWS, REFRESHES_MISSED = 1.0, 4


@dataclass(frozen=True, slots=True)
class ActivePolicy:
    """A rule that decides, and the policy that it comes from.

    The source is "operator", "command line", "default", "tuner", or "request" for a request's own
    question. Recorded policies have an id.
    """

    rule: AimedRule
    source: str
    policy_id: int | None
    words: str

    def to_dict(self, unconfirmed_since: str | None = None) -> dict[str, Any]:
        """Return where the rule comes from, and when that was last confirmed if it is not now."""
        known = {"source": self.source, "id": self.policy_id}
        return {**known, "unconfirmed_since": unconfirmed_since}

    def for_request(
        self, served: ServedModel, question: Question, randomize: bool | None = None
    ) -> ActivePolicy:
        """Return the policy for a request's own question; for an empty one, this one.

        `randomize` is whether the request allows a coin, or None if it does not say so. Alone it
        changes only that.
        """
        if question:
            rule = served.rule_for(question)
            return ActivePolicy(rule, "request", None, rule.question_words)
        if randomize is None or randomize == self.rule.question.randomize:
            return self
        rule = served.rule_for(self.rule.question, randomize=randomize)
        coin = "a coin may choose" if randomize else "no coin"
        words = f"{self.words}; by the request, {coin}"
        return ActivePolicy(rule, "request", self.policy_id, words)


def _activate(served: ServedModel, policy: Policy, store: Store) -> ActivePolicy:
    state = find_tuner(store, served, policy) if policy.tuning == "follow" else None
    knob = tuned_knob(served, policy, state)
    rule = rule_at_knob(served, policy, knob)
    if knob is None:
        return ActivePolicy(rule, policy.source, policy.id, policy.words)
    words = f"{policy.words}; feedback turned the knob to {knob.position:.6g}"
    return ActivePolicy(rule, "tuner", policy.id, words)


@dataclass(frozen=True, slots=True)
class Decision:
    """The decided rows of one request."""

    served: ServedModel
    policy: ActivePolicy
    batch: Batch
    alarms: BoolArray
    keys: list[str] | None
    referred: BoolArray | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.alarms.size

    @property
    def n_alarms(self) -> int:
        """The number of rows that alarm."""
        return int(np.count_nonzero(self.alarms))

    @property
    def n_referred(self) -> int:
        """The number of rows that a person is to decide."""
        return 0 if self.referred is None else int(np.count_nonzero(self.referred))

    @property
    def decisions(self) -> list[Any]:
        """The label of each row, or "refer"."""
        labels: list[Any] = self.served.hybrid.labels(self.alarms).tolist()
        if self.referred is None:
            return labels
        pairs = zip(labels, self.referred.tolist(), strict=True)
        return [REFER if referred else label for label, referred in pairs]

    def to_dict(self, unconfirmed_since: str | None = None) -> dict[str, Any]:
        """Return the response, with a new id and the time."""
        coin = None if self.keys is None else {"seed": self.served.seed, "row_keys": self.keys}
        return {
            "decisions": self.decisions,
            "rows": self.n_rows,
            "alarms": self.n_alarms,
            "referred": self.n_referred,
            "rule": self.policy.rule.document,
            "coin": coin,
            "model": self.served.identity,
            "aim": self.policy.to_dict(unconfirmed_since),
            "decision_id": uuid4().hex,
            "decided_at": now(),
        }

    def audit_record(self, response: Mapping[str, Any], role: str) -> dict[str, Any]:
        """Return the line of the audit log, which suffices to repeat the decision."""
        rule = self.policy.rule
        about = {"words": rule.words, "sha256": rule.digest, "document": rule.document}
        return {**response, "aim_words": self.policy.words, "role": role, "rule": about}

    def scores(self) -> Mapping[str, FloatArray]:
        """Return the columns of scores that cover all rows."""
        if isinstance(self.batch, ColumnBatch):
            return self.batch.columns
        first = self.policy.rule.rule.models[:1]  # only the first is sure to have scored all rows
        return {name: self.batch.scores(name) for name in first}


def decide(served: ServedModel, body: DecideBody, policy: ActivePolicy) -> Decision:
    """Decide the rows of a request.

    Raises
    ------
    InputError
        If columns are missing, unknown, of unequal length or no numbers, or keys are missing.
    """
    batch = served.batch(scores=body.scores, features=body.features)
    rule = policy.rule
    if isinstance(batch, ColumnBatch):
        batch.need(rule.rule.models)
    sent = body.row_keys
    if sent is None and served.key_column is not None:
        sent = (body.features or {}).get(served.key_column)
    keys = None if sent is None else as_keys(sent, len(batch))
    if isinstance(rule.rule, ReferralRule):
        codes = rule.rule.codes(batch)
        return Decision(served, policy, batch, codes == 2, None, codes == 1)
    if not rule.needs_coin:
        keys = None
    elif keys is None:
        raise InputError(
            "row_keys", "be sent", "none", "This rule tosses a coin for each row's key."
        )

    def toss(rows: IntArray) -> FloatArray:
        return tosses([(keys or [])[row] for row in rows.tolist()], served.seed)

    return Decision(served, policy, batch, served.hybrid.alarms(batch, rule.mix, toss), keys)


def check_rows(body: Rows, most: int) -> None:
    """Refuse more rows than one request may have."""
    if body.rows > most:
        argument = "features" if body.scores is None else "scores"
        hint = "Send fewer rows at a time."
        error = InputError(argument, f"have at most {most} rows", body.rows, hint)
        raise ServiceError.of(error, 413, "too_many_rows")


class PendingVersion(NamedTuple):
    """A newer version that cannot be taken over, and why."""

    name: str
    problem: str


class InForce(NamedTuple):
    """A version and a policy that it can meet."""

    served: ServedModel
    policy: Policy


class Service:
    """All parts of a running service; nothing is global.

    Parameters
    ----------
    served
        The model that decides at first.
    record
        The file of the service's own record, or its schema on a server; workers may share it.
    tokens
        The tokens of each role.
    settings
        Limits, seed and paths.
    source
        Where new versions come from; without one there are none.
    tokens_file
        The file of the tokens, if they are from one.
    lock
        Whether to claim the folder of the record.

    Attributes
    ----------
    in_force
        The version and the policy that decide here. They are replaced together; a request takes
        them once.
    store, monitor, metrics
        What it keeps, what it notices, and its numbers for Prometheus.
    audit, audit_lag
        Where decisions are recorded, if anywhere, and how far the record is behind.
    fleet
        This worker among the others that use the same record.
    default_policy
        The policy while no operator's is in force: the command line's, or none.
    pending, source_problem, aim_problem
        A newer version that cannot be taken over, why the source cannot be read, and why the newest
        policy is not in force here.
    is_ending
        Whether it takes no more work, because its process is to end.
    changing
        Held while the model or the policy in force changes, because they must fit together.
    """

    def __init__(
        self,
        served: ServedModel,
        record: Place,
        tokens: Tokens,
        settings: Settings,
        *,
        source: Source | None = None,
        tokens_file: Path | None = None,
        lock: bool = True,
    ) -> None:
        self.settings, self.tokens, self.tokens_file = settings, tokens, tokens_file
        self.source = source
        self.started_at = now()
        self.is_ending = False
        with ExitStack() as opened:
            self._lock = opened.enter_context(ExitStack())
            if lock and isinstance(record, Path):
                self._lock.callback(ServiceLock(record.parent).close)
            self.audit = None if settings.audit is None else AuditLog(settings.audit)
            if self.audit is not None:
                opened.callback(self.audit.close)
            self.store = Store(record)
            opened.callback(self.store.close)
            if source is not None:
                opened.callback(source.close)
            served = self._number(served)
            self._opened = opened.pop_all()
        self.monitor = Monitor()
        self.default_policy = Policy(source="default", at=self.started_at)
        if settings.question:
            self.default_policy = Policy(
                question=settings.question, source="command line", at=self.started_at
            )
        self.in_force = InForce(served, self.newest_policy)
        self.metrics = Metrics(self)
        self.fleet, self.audit_lag = Fleet(self), AuditLag(settings, self.store)
        self._last_active: tuple[Any, Any, Any, ActivePolicy] | None = None
        self.changing = Lock()
        self.pending: PendingVersion | None = None
        self.source_problem: str | None = None
        self.aim_problem: str | None = None
        self._unmet: InForce | None = None
        # Models that hang, and a record that does not answer, block no other work.
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="rocch")
        self._readers = ThreadPoolExecutor(WORKERS, thread_name_prefix="rocch-read")
        self._writers = ThreadPoolExecutor(WORKERS, thread_name_prefix="rocch-write")
        self._tasks = {
            task: ThreadPoolExecutor(1, thread_name_prefix=f"rocch-{task}") for task in TASKS
        }
        self._using_record = 0

    @property
    def served(self) -> ServedModel:
        """The version that decides here."""
        return self.in_force.served

    @property
    def is_shared(self) -> bool:
        """Whether other workers may use the same record."""
        return self.settings.workers > 1 or not isinstance(self.store.place, Path)

    @property
    def policy(self) -> Policy:
        """The policy in force here; the newest one, unless the model cannot meet that."""
        return self.in_force.policy

    @property
    def newest_policy(self) -> Policy:
        """The operator's newest policy as last read from the record, else the default one."""
        return self.store.operator_policy or self.default_policy

    def active_policy(self, served: ServedModel, policy: Policy | None = None) -> ActivePolicy:
        """Return what decides if a request has no question: a policy, or where it was tuned to.

        It is from memory.
        """
        policy, tuners = policy or self.policy, self.store.tuners
        last = self._last_active  # most requests need it
        if last and last[0] is served and last[1] is policy and last[2] is tuners:
            return last[3]
        active = _activate(served, policy, self.store)
        self._last_active = served, policy, tuners, active
        return active

    def put_policy(self, policy: Policy, replaces: Replaces = ANY) -> tuple[Policy, AimedRule]:
        """Put a policy in force, if the model can meet it; return it as recorded, and its rule."""
        served = self.served
        rule = served.rule_for(policy.question)
        if policy.tuning != "off":
            start_tuner(served, policy)  # refuses what a tuner cannot start from
        stored = self.store.put_policy(policy, replaces=replaces)
        self.adopt_policy()
        return stored, rule

    def reset_policy(self) -> None:
        """Return to the default policy until an operator puts another in force."""
        self.store.put_policy(self.default_policy)
        self.adopt_policy()

    def refresh(self, *, insist: bool = True) -> None:
        """Read what other processes changed, and adopt it; if that fails, all goes on as before."""
        with suppress(StorageError):  # which the store shows and logs
            self.store.refresh(insist=insist)
        self.adopt_policy()

    def adopt_policy(self) -> None:
        """Put the newest policy in force here, if the model can meet it."""
        with self.changing:
            wanted = InForce(self.served, self.newest_policy)
            if wanted.policy is self.policy:
                self.aim_problem = self._unmet = None
            elif wanted != self._unmet:  # trying again would fail again
                try:
                    self.active_policy(*wanted)
                except RocchError as error:
                    self._unmet, self.aim_problem = wanted, _describe_unmet(wanted.policy, error)
                    LOG.warning("%s", self.aim_problem)
                else:
                    self.in_force, self.aim_problem, self._unmet = wanted, None, None

    @property
    def audit_problem(self) -> str | None:
        """What is wrong with the audit log."""
        return None if self.audit is None else self.audit.problem

    def reopen_audit(self) -> None:
        """Open the audit log anew, if there is one, after it was moved."""
        if self.audit is not None:
            self.audit.reopen()

    @property
    def problems(self) -> list[str]:
        """What is wrong, though the service still decides."""
        pending = self.pending and f"{self.pending.name}: {self.pending.problem}"
        record = self.store.unreachable or self.store.problem
        found = (pending, self.aim_problem, self.source_problem, self.audit_problem, record)
        return [problem for problem in found if problem]

    def take_over(self, served: ServedModel) -> None:
        """Let another version decide from now on; if it cannot, raise and change nothing."""
        old = self.served.hybrid
        if (served.hybrid.positive, served.hybrid.negative) != (old.positive, old.negative):
            raise ServiceError(
                409,
                "conflict",
                f"its labels must be {old.negative!r} and {old.positive!r}, which callers know; "
                f"got {served.hybrid.negative!r} and {served.hybrid.positive!r}. "
                "Start the service anew to change them.",
            )
        with self.changing:
            policy = self.newest_policy
            self.active_policy(served, policy)  # raises if the model cannot meet it
            self.monitor.replace_model(self.served, served)
            self.in_force = InForce(served, policy)
            self.pending = self.aim_problem = self._unmet = None

    def serves(self, version: Version) -> bool:
        """Whether a version is the one that decides, and no other one that got its number."""
        has_number = version.number in (0, self.served.version)
        return has_number and version.sha256 == self.served.sha256

    def load(self, version: Version) -> ServedModel:
        """Load a version, and compute what requests would otherwise wait for."""
        settings = self.settings
        served = ServedModel.load(version, seed=settings.seed, trusted=settings.trusted)
        served = self._number(served)
        _ = served.hull_document, served.takes_features
        return served

    def _number(self, served: ServedModel) -> ServedModel:
        if served.version:
            return served
        return replace(served, version=self.store.number_version(served.sha256))

    async def in_thread(self, work: Callable[[], Result], seconds: float | None = None) -> Result:
        """Run work in a thread, so that other requests are answered meanwhile.

        With `seconds` it may hang, because it runs models: then it is waited for that long, and it
        gets one of a few threads of its own, so that it cannot block other work.
        """
        if seconds is None:
            return await asyncio.to_thread(work)
        return await self._in_pool(self._workers, work, seconds, "the models")

    async def in_task_thread(self, task: str, work: Callable[[], Result]) -> Result:
        """Run work of one of `TASKS` in its own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._tasks[task], work)

    async def in_record_thread(self, work: Callable[[], Result], *, write: bool = False) -> Result:
        """Run work that waits for the record, and perhaps for models, in a thread of its own kind.

        So decisions go on if the record does not answer, and those who wait for it are at most half
        of all requests.
        """
        if self._using_record >= max(1, self.settings.max_requests // 2):
            message = "too many requests wait for the service's record already. Try again."
            raise ServiceError(503, "unavailable", message, headers=RETRY)
        self._using_record += 1
        try:
            pool = self._writers if write else self._readers
            who = "the service's record"
            return await self._in_pool(pool, work, self.settings.decide_seconds, who)
        finally:
            self._using_record -= 1

    async def _in_pool(
        self, pool: ThreadPoolExecutor, work: Callable[[], Result], seconds: float, who: str
    ) -> Result:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                return await loop.run_in_executor(pool, work)
        except TimeoutError:
            raise ServiceError(
                503,
                "timeout",
                f"{who} must answer within {seconds:g} s; no answer came. "
                "Send fewer rows at a time, or try again.",
                headers=RETRY,
            ) from None

    def hand_over(self) -> ExitStack:
        """Close all but the lock, for workers who serve in its place; return what releases it."""
        lock = self._lock.pop_all()
        self.close()
        return lock

    def close(self) -> None:
        """Release files and threads."""
        for pool in (self._workers, self._readers, self._writers, *self._tasks.values()):
            pool.shutdown(wait=False, cancel_futures=True)
        self._opened.close()


class Refresher:
    """Reads the record again and again, so that what other processes change is in force here."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def run(self) -> None:
        """Refresh until canceled."""
        service, seconds = self.service, self.service.settings.refresh_seconds
        while True:
            try:
                await service.in_task_thread("refresh", service.refresh)
            except Exception:
                LOG.exception("the record cannot be refreshed")
            service.store.max_age = max(OLDEST_NEWS, REFRESHES_MISSED * seconds)
            await asyncio.sleep(seconds)


class Watcher:
    """Looks at a source again and again, and takes over its new versions."""

    def __init__(self, service: Service, source: Source) -> None:
        self.service, self.source = service, source
        self._failed: tuple[Any, ...] | None = None
        self._pause = self._looks_left = 0  # until it is tried again

    async def run(self) -> None:
        """Look until canceled."""
        while True:
            await asyncio.sleep(self.service.settings.watch_seconds)
            await self.look()

    async def look(self) -> None:
        """Look once; whatever goes wrong, the present version goes on deciding."""
        service = self.service
        try:
            version = await service.in_task_thread("watch", self.source.newest)
            service.source_problem = None
        except Exception as error:
            reason = _describe_error(error)
            service.source_problem = f"{self.source.noun} cannot be read: {reason}"
            return
        if version is None or service.serves(version):
            service.pending = self._failed = None
            return
        trial = (version.number, version.sha256, service.newest_policy.id)
        if trial != self._failed:
            self._failed, self._pause, self._looks_left = trial, 0, 0
        if self._looks_left:
            self._looks_left -= 1
        else:
            await self._try_to_take_over(version)

    async def _try_to_take_over(self, version: Version) -> None:
        service = self.service
        try:
            served = await service.in_task_thread("watch", lambda: service.load(version))
            await service.in_task_thread("watch", lambda: service.take_over(served))
        except Exception as error:
            problem = _describe_error(error)
            service.pending = PendingVersion(version.name, problem)
            LOG.warning("%s is not taken over: %s", version.name, problem)
            longer = max(1, 2 * self._pause) if isinstance(error, OSError) else LOOKS_BETWEEN_TRIALS
            self._pause = min(longer, LOOKS_BETWEEN_TRIALS)
            self._looks_left = self._pause - 1
            return
        self._failed = None
        service.metrics.swaps.inc()
        LOG.info("version %s decides from now on", served.version)


def _describe_unmet(policy: Policy, error: RocchError) -> str:
    """Return why a policy is not in force, in words."""
    name = "the aim of the command line" if policy.id is None else f"aim {policy.id}"
    return (
        f"the newest aim is not in force here: this model cannot meet {name} ({policy.words}), so "
        f"the one before goes on deciding. {error.to_text(REQUEST)}"
    )


def _describe_error(error: Exception) -> str:
    """Return an error in words; those of other packages with their type."""
    if isinstance(error, RocchError):
        return error.to_text(REQUEST)
    if isinstance(error, ServiceError | OSError):
        return str(error)
    return f"{type(error).__name__}: {error}"[:300]
