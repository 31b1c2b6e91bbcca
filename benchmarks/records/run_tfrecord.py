"""The package tfrecord: a reader in Python, for PyTorch."""

import sys

from tfrecord.reader import tfrecord_iterator

from benchmarks.serving import in_groups, serve_batches


def records(path):
    for record in tfrecord_iterator(path):
        yield bytes(record)  # a view of a buffer that the next one overwrites


if __name__ == "__main__":
    serve_batches(lambda: in_groups(records(sys.argv[1]), 1024))
