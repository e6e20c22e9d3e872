"""Processes that store feedback until they are killed, and what must hold afterwards.

They are forked from a server that has everything loaded, so that many are cheap.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import random
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch.hybrid import KnobTuner
from rocch.library.library import as_place
from rocch.service.store import FeedbackEvent, Store, TunerState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HULL = rocch.RocHull.from_scores(
    [0] * 40 + [1] * 40, {"nb": [*range(40), *range(20, 60)], "gbm": [*range(80)][::2] * 2}
)


class Hybrid:
    hull_ = HULL

    def at(self, point: Any) -> Any:
        return point


def events(seed: int) -> Iterator[tuple[FeedbackEvent, float]]:
    """Yield events without end, some of them again: each with the alarms that it reports."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    sent: list[tuple[FeedbackEvent, float]] = []
    while True:
        if sent and rng.random() < 0.2:
            yield rng.choice(sent)
            continue
        alarms = float(rng.randint(60, 140))
        event_id = f"{seed}-{len(sent)}"
        at = "2026-03-02T09:00:00.000Z"
        event = FeedbackEvent(
            event_id=event_id, kind="load", digest=digest(event_id), at=at, library_version=1
        )
        sent.append((event, alarms))
        yield sent[-1]


def digest(event_id: str) -> str:
    """Return the digest of an event's content, which here follows from its id."""
    return hashlib.sha256(event_id.encode()).hexdigest()


def weigh(before: TunerState | None, event: FeedbackEvent, alarms: float) -> FeedbackEvent:
    """Let a tuner react to a load."""
    tuner = (
        KnobTuner(Hybrid(), start=0.5)
        if before is None
        else KnobTuner.from_dict(Hybrid(), before.state)
    )
    reaction = tuner.load(alarms=alarms, capacity=100)
    after = TunerState(about="", start=0.5, state={**tuner.to_dict(), "history": []})
    words = {"words": str(reaction), "moved": reaction.moved, "alarms": alarms}
    return replace(event, reaction=words, tuner=after)


def add_for_ever(place: Path | str, seed: int, said: Any) -> None:
    """Store events and say the id of each one that was acknowledged, until the end."""
    records = Store(as_place(place, "place"))
    for event, alarms in events(seed):
        react = partial(weigh, event=event, alarms=alarms)
        records.add_feedback(event.event_id, event.digest, react)
        os.write(said.fileno(), f"{event.event_id}\n".encode())


def killed_together(place: Path | str, first: int, after: list[int]) -> set[str]:
    """Let several add to one record at once, and kill each after so many acknowledgements.

    Return all that were made.
    """
    with ThreadPoolExecutor(len(after)) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        seeds = range(first, first + len(after))
        return set().union(*pool.map(partial(_killed, place), seeds, after))


def _killed(place: Path | str, seed: int, after: int) -> set[str]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    heard, said = context.Pipe(duplex=False)
    child = context.Process(target=add_for_ever, args=(place, seed, said))
    child.start()
    said.close()
    with os.fdopen(os.dup(heard.fileno())) as lines:
        acknowledged = {lines.readline().strip() for _ in range(after)}
        child.kill()
        rest = lines.read().split("\n")[:-1]  # one without its end was not yet acknowledged
    heard.close()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    return acknowledged | set(rest)


def check(place: Path | str, acknowledged: set[str], kills: int) -> None:
    """Hold a record against what was acknowledged, and its tuner against a replay."""
    records = Store(as_place(place, "place"))
    found = records.recent_feedback(10**6)[::-1]
    ids = [row["event_id"] for row in found]
    assert len(ids) == len(set(ids))
    assert acknowledged <= set(ids)
    # an event may be stored without its sender knowing it: at most one for each kill
    assert len(set(ids) - acknowledged) <= kills
    replayed: TunerState | None = None
    for row in found:
        answer = records.receipt(row["event_id"], digest(row["event_id"]))
        assert answer is not None
        assert answer.reaction is not None
        event = FeedbackEvent(event_id="", kind="load", digest="", at="", library_version=1)
        replay = weigh(replayed, event, answer.reaction["alarms"])
        assert replay.reaction == answer.reaction
        replayed = replay.tuner
    assert (records.tuner and asdict(records.tuner)) == (replayed and asdict(replayed))
    records.close()
