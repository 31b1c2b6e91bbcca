"""Grain: a shuffle within windows, repeat, batch."""

import sys

import grain

from benchmarks.serving import serve_batches

if __name__ == "__main__":
    options = grain.ReadOptions(num_threads=0)
    numbers = grain.MapDataset.range(int(sys.argv[1])).to_iter_dataset(options)
    shuffled = grain.experimental.WindowShuffleIterDataset(numbers, window_size=10_000, seed=1)
    batches = grain.experimental.RepeatIterDataset(shuffled, 2).batch(256)
    serve_batches(lambda: batches)
