"""fastpipe: range(1_000_000).map(lambda x: x + 1)."""

import sys

from benchmarks.contenders import serve
from fastpipe import Dataset


def main() -> None:
    threads, batch = int(sys.argv[1]), int(sys.argv[2])
    numbers = Dataset.range(1_000_000).map(lambda x: x + 1, num_parallel_calls=threads or None)

    def one_by_one() -> int:
        count = 0
        for _ in numbers:
            count += 1
        return count

    def batched() -> int:
        count = 0
        for values in numbers.batch(batch):
            count += len(values)
        return count

    serve(one_by_one if batch == 1 else batched)


if __name__ == "__main__":
    main()
