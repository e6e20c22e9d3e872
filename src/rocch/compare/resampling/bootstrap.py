"""The bootstrap of curves and hulls: what else the sample might have shown."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.compare.resampling.bootstrapped import Bootstrap
from rocch.compare.resampling.draws import Draws
from rocch.compare.resampling.hull_record import HullRecord
from rocch.compare.resampling.replicate import Judgement, Replicate
from rocch.compare.sample import Sample
from rocch.errors import bad_input
from rocch.inputs import as_array, as_progress, as_rate, as_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray, IntArray

EVEN_FPRS = 101
"""So many FPRs from 0 to 1 are read where none are named."""

THREADS_FROM = 30_000
"""With fewer rows threads wait for the interpreter more than they gain."""

CHUNK = 50
"""So many replicates a thread takes at a time."""


def bootstrap(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    seed: int = 0,
    fprs: Any = None,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Bootstrap:
    """Draw the rows again and again, and judge all models on each draw.

    Rows are drawn with replacement within each class, so that class totals stay; with `groups`
    whole clusters are drawn, and totals vary. All models are judged on the same draws (paired).
    Replicate number r depends on the seed and r alone, not on threads or on how many there are.

    Parameters
    ----------
    y_true, pos_label
        Labels, as for `RocCurve.from_scores`.
    scores
        Names of models to their scores on these rows; Boolean alarms for a model that only labels.
    groups
        The cluster (patient, document) that each row belongs to, where rows come in clusters.
        A replicate that lacks a class is drawn again.
    replicates
        How often to draw.
    seed
        A whole number that the draws follow from.
    fprs
        Where to read the curves: rising FPRs from 0 to 1; by default 101 even ones.
    workers
        How many threads to use; by default one for each processor where there are many rows. The
        answer is the same.
    progress
        Is called now and then with how many replicates are done, and how many there will be.

    Returns
    -------
    Bootstrap

    Raises
    ------
    InputError
        If there are fewer than two rows of a class, or fewer than two clusters that hold one.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(400) < 0.3
    >>> drawn = rocch.bootstrap(y, {"a": rng.normal(size=400) + y, "b": rng.normal(size=400)})
    >>> low, high = drawn.auc_interval("a")
    >>> low < drawn.curve("a").auc < high
    True
    >>> equal = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
    >>> drawn.wins(equal)["a"] > 0.99
    True
    """
    sample = Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
    return resampled(
        sample, replicates=replicates, seed=seed, fprs=fprs, workers=workers, progress=progress
    )


def resampled(
    sample: Sample,
    *,
    replicates: int,
    seed: int,
    fprs: Any = None,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Bootstrap:
    """Draw the rows of a sample again and again; see `bootstrap`."""
    many = as_whole(replicates, "replicates", least=2, do="2000 serve intervals and bands well.")
    stream = as_whole(seed, "seed", least=0, do="Any whole number will do.")
    grid = as_fprs(fprs)
    threads = (os.cpu_count() or 1) if len(sample) >= THREADS_FROM else 1
    if workers is not None:
        threads = as_whole(workers, "workers", least=1, do="Leave it out to let rocch choose.")
    walked = len(sample) * len(sample.models) * many
    draws = Draws(sample.positive, sample.groups, stream, walked)
    tell = as_progress(progress)
    return _gather(Judgement.of(sample), draws, many, grid, threads, tell)


class _Row(NamedTuple):
    """What is kept of one replicate."""

    totals: tuple[int, int]
    aucs: list[float]
    tprs: list[FloatArray]
    hulls: list[tuple[IntArray, IntArray]]
    joint: tuple[IntArray, IntArray]
    holders: BoolArray


def _gather(
    judgement: Judgement,
    draws: Draws,
    replicates: int,
    fprs: FloatArray,
    threads: int,
    tell: Callable[[int, int], object],
) -> Bootstrap:
    judge = partial(_judge, judgement, draws, fprs)
    chunks = [range(s, min(s + CHUNK, replicates)) for s in range(0, replicates, CHUNK)]
    rows: list[_Row] = []
    with ThreadPoolExecutor(min(threads, len(chunks))) as pool:
        for part in pool.map(lambda chunk: list(map(judge, chunk)), chunks):
            rows += part
            tell(len(rows), replicates)
    totals, aucs, tprs, hulls, joint, holders = zip(*rows, strict=True)
    sizes = np.array(totals)
    own = zip(judgement.curves, zip(*hulls, strict=True), strict=True)
    return Bootstrap(
        sample=judgement.sample,
        seed=draws.seed,
        fprs=fprs,
        totals=sizes,
        aucs=np.array(aucs),
        tprs=np.stack([np.array(column) for column in zip(*tprs, strict=True)]),
        hulls={model: HullRecord.of(column, sizes) for model, column in own},
        joint=HullRecord.of(joint, sizes),
        holders=np.array(holders),
        _judgement=judgement,
        _draws=draws,
    )


def _judge(judgement: Judgement, draws: Draws, fprs: FloatArray, number: int) -> _Row:
    replicate = Replicate(number, draws.multiplicities(number), judgement, draws)
    models = list(judgement.paths)
    joint, holders = replicate.joint
    return _Row(
        replicate.totals,
        [replicate.auc(model) for model in models],
        [replicate.tpr_at(model, fprs) for model in models],
        [replicate.hull(model) for model in models],
        joint,
        holders,
    )


def as_fprs(fprs: Any) -> FloatArray:
    """Return the FPRs at which to read curves: rising, from 0 to 1."""
    if fprs is None:
        return np.linspace(0, 1, EVEN_FPRS)
    rates = [as_rate(rate, "fprs") for rate in as_array(fprs, "fprs").tolist()]
    grid = np.array(rates)
    if (np.diff(grid) <= 0).any():
        raise bad_input("fprs", "rise", "some that do not", "Sort them and name each once.")
    return grid
