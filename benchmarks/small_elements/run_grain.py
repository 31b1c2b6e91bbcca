"""Grain: a MapDataset without threads, which only cost here."""

import sys

import grain

from benchmarks.serving import serve_batches, serve_elements


def main() -> None:
    batch, count = map(int, sys.argv[1:])
    options = grain.ReadOptions(num_threads=0)
    numbers = grain.MapDataset.range(count).map(lambda x: x + 1).to_iter_dataset(options)
    if batch == 1:
        serve_elements(lambda: numbers)
    else:
        batches = numbers.batch(batch)
        serve_batches(lambda: batches)


if __name__ == "__main__":
    main()
