"""fastpipe: TFRecordDataset."""

import sys

from benchmarks.serving import serve_batches
from fastpipe import TFRecordDataset

if __name__ == "__main__":
    batches = TFRecordDataset(sys.argv[1]).batch(1024)
    serve_batches(lambda: batches, passes=5)
