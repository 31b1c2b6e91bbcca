"""The rate of a contender after its warm-up; imports nothing that a rival has not got."""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.serving import serve

BATCH = 64
CYCLE = 64
_WARM_UP, _SECONDS = 3.0, 2.0  # a tuner starts anew in each pass


def serve_rates(make: Any) -> None:
    """Answers each "go" with elements a second of a new pass over `make(work, paths)`."""
    paths = Path(sys.argv[2]).read_text().splitlines()
    batches = make(sys.argv[1], paths)
    serve(lambda: _rate(batches))


def _rate(batches: Iterable[Any]) -> int:
    start, first, count = time.perf_counter(), 0.0, 0
    for _ in batches:
        now = time.perf_counter()
        if first:
            count += BATCH
            if now - first >= _SECONDS:
                return round(count / (now - first))
        elif now - start >= _WARM_UP:
            first = now
    raise RuntimeError("the batches ended before they were measured")
