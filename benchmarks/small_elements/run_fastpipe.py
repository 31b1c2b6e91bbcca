"""fastpipe: range(count).map(lambda x: x + 1)."""

import sys

from benchmarks.serving import serve_batches, serve_elements
from fastpipe import Dataset


def main() -> None:
    batch, count, threads = map(int, sys.argv[1:])
    numbers = Dataset.range(count).map(lambda x: x + 1, num_parallel_calls=threads or None)
    if batch == 1:
        serve_elements(lambda: numbers)
    else:
        batches = numbers.batch(batch)
        serve_batches(lambda: batches, passes=10)


if __name__ == "__main__":
    main()
