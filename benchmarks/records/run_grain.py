"""Grain: its TFRecordIterDataset, in lists."""

import sys

import grain

from benchmarks.serving import serve_batches

if __name__ == "__main__":
    records = grain.experimental.TFRecordIterDataset(sys.argv[1])
    batches = records.batch(1024, batch_fn=list)
    serve_batches(lambda: batches)
