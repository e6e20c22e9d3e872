"""Two processes score rows of their own, and gather what they know of the ROC curve.

Run it with `python examples/distributed.py`. It needs PyTorch.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from datetime import timedelta

import numpy as np

import rocch

PROCESSES, BATCHES, ROWS = 2, 50, 2000
SECONDS = 120


def batches(rank: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the labels and scores that one process sees."""
    rng = np.random.default_rng(rank)
    for _ in range(BATCHES):
        y = rng.random(ROWS) < 0.1
        yield y, rng.normal(size=ROWS) + 1.5 * y


def every_batch() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of all processes again."""
    for rank in range(PROCESSES):
        yield from batches(rank)


def work(rank: int, port: int) -> None:
    """Accumulate the rows of one process; the first one prints what all know."""
    import torch
    from torch import distributed

    limit = timedelta(seconds=SECONDS)
    store = distributed.TCPStore("127.0.0.1", port, is_master=False, timeout=limit)
    distributed.init_process_group(
        "gloo", store=store, rank=rank, world_size=PROCESSES, timeout=limit
    )
    accumulator = rocch.scale.RocAccumulator(cells=4096)
    for y, scores in batches(rank):
        accumulator.update(torch.from_numpy(y), torch.from_numpy(scores))
    gathered: list[rocch.scale.RocAccumulator] = [accumulator] * PROCESSES
    distributed.all_gather_object(gathered, accumulator)
    if rank == 0:
        merged = sum(gathered)
        print(merged)
        print("known:", merged.compute().auc("classifier"))
        exact = merged.refine(every_batch)
        print("exact:", exact.auc("classifier"))
        print("exact:", exact.hull())
    distributed.destroy_process_group()


def main() -> None:
    """Start the processes, and wait for them."""
    try:
        from torch import distributed, multiprocessing
    except ImportError:
        sys.exit("This example needs PyTorch, which is not installed.")
    # the processes talk over the loopback interface
    loopback = next((name for _, name in socket.if_nameindex() if name.startswith("lo")), "lo")
    os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback)
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    running = multiprocessing.spawn(work, (store.port,), nprocs=PROCESSES, join=False)
    end = time.monotonic() + SECONDS
    while not running.join(timeout=1):
        if time.monotonic() > end:
            for process in running.processes:
                process.kill()
            sys.exit(f"The processes have not ended in {SECONDS} seconds.")


if __name__ == "__main__":
    main()
