"""Pipelines inside the worker processes of PyTorch's DataLoader, however these are started.

An IterableDataset makes a fastpipe pipeline in each worker, for its shard, while pipelines of the
parent are at full load: every element must come once, and nothing may hang. The pipeline itself
travels to the workers of spawn and forkserver. The parts run in an environment that has PyTorch.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from verdict import Verdict, all_of

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 30
METHODS = ("fork", "spawn", "forkserver")
MOST_SECONDS = 120

_PROGRAM = """
import sys
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
import fastpipe as fp

SIZE = 400

class Shard(IterableDataset):
    def __init__(self):
        super().__init__()
        ds = fp.Dataset.range(SIZE).shuffle(50, seed=1).map(lambda x: x * 3, num_parallel_calls=2)
        self.dataset = ds

    def __iter__(self):
        worker = get_worker_info()
        shard = self.dataset.shard(worker.num_workers, worker.id)
        for batch in shard.batch(16, num_parallel_calls=2).prefetch(fp.AUTOTUNE):
            yield torch.from_numpy(batch)

def main(method):
    busy = fp.Dataset.range(10**12).map(lambda x: x * 2, num_parallel_calls=2)
    busy = iter(busy.shuffle(100).batch(10, num_parallel_calls=2).prefetch(2))
    next(busy)
    loader = DataLoader(
        Shard(), batch_size=None, num_workers=2, multiprocessing_context=method,
        persistent_workers=True,
    )
    for epoch in range(2):
        got = sorted(x for batch in loader for x in batch.tolist())
        assert got == [3 * x for x in range(SIZE)], f"epoch {epoch}: {got}"
        next(busy)
    print("right")

if __name__ == "__main__":
    main(sys.argv[1])
"""


def run(rounds: int) -> list[Verdict]:
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    program = folder / "torch_workers.py"  # a file: workers of spawn import it
    program.write_text(_PROGRAM)
    python = _python_with_torch()
    failures = []
    for number in range(rounds):
        method = METHODS[number % len(METHODS)]
        wrong = _run([python, str(program), method])
        if wrong:
            failures.append(f"{method}: {wrong}")
    return [all_of("DataLoader workers give each element once and end", rounds, failures)]


def _python_with_torch() -> str:
    """An interpreter that has PyTorch: this one, or that of the benchmarks' environment."""
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode == 0:
        return sys.executable
    sys.path.insert(0, str(ROOT))
    from benchmarks.environments import python_of

    return str(python_of("torch"))


def _run(command: list[str]) -> str | None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=MOST_SECONDS, env=environment
        )
    except subprocess.TimeoutExpired:
        return f"no end within {MOST_SECONDS} s"
    if done.returncode == 0 and done.stdout == "right\n":
        return None
    return f"ended with {done.returncode}: {done.stdout}{done.stderr}"
