"""fastpipe: shuffle, repeat, batch."""

import sys

from benchmarks.serving import serve_batches
from fastpipe import Dataset

if __name__ == "__main__":
    batches = Dataset.range(int(sys.argv[1])).shuffle(10_000).repeat(2).batch(256)
    serve_batches(lambda: batches)
