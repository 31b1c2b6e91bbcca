"""The contender's side of the talk; imports nothing that a rival has not got.

A contender says "ready" when it has started. Then it reads lines: "go" asks for one epoch and is
answered by the number of elements delivered, "images PATH" for its pictures of the first 16
photographs, as an array in a file.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

COMPARED = 16  # photographs whose pixels are compared


def serve(epoch: Callable[[], int], images: Callable[[], Any] | None = None) -> None:
    # Libraries print to stdout too: that goes to stderr, and only answers to the runner.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        command, _, path = line.strip().partition(" ")
        if command == "images":
            import numpy

            assert images is not None
            numpy.save(path, images())
            print(COMPARED, file=answers, flush=True)
        else:
            print(epoch(), file=answers, flush=True)


Batches = Callable[[], Iterable[Any]]  # one epoch of arrays [batch, ...]


def serve_images(make: Callable[[list[str], int], Batches]) -> None:
    """Serves epochs of batches of images. Arguments of the program: a list of paths, and threads.

    `make(paths, threads)` returns what makes one epoch.
    """
    paths, threads = listed(sys.argv[1]), int(sys.argv[2])
    batches = make(paths, threads)

    def epoch() -> int:
        count = 0
        for batch in batches():
            batch[:, 0, 0].sum()  # a lazy view cannot pass as work done
            count += len(batch)
        return count

    # One thread keeps the order also where a library does not promise it.
    serve(epoch, lambda: first_images(make(paths[:COMPARED], 1)))


def first_images(batches: Batches) -> Any:
    import numpy

    return numpy.concatenate([numpy.array(batch) for batch in batches()])[:COMPARED]


def serve_batches(batches: Batches, passes: int = 1) -> None:
    """Serves epochs of what has a length; of several passes if one is too short to time."""
    serve(lambda: sum(sum(map(len, batches())) for _ in range(passes)))


def serve_elements(elements: Callable[[], Iterable[Any]]) -> None:
    """Serves epochs of single elements, which a loop takes one by one."""

    def epoch() -> int:
        count = 0
        for _ in elements():
            count += 1
        return count

    serve(epoch)


def listed(path: str) -> list[str]:
    """The lines of a file."""
    return Path(path).read_text().splitlines()


def in_groups(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of `size` items, the last one shorter: for libraries that have no batch."""
    group = []
    for item in items:
        group.append(item)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
