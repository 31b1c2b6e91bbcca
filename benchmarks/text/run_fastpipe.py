"""fastpipe: an interleave of text files."""

import sys

import fastpipe as fp
from benchmarks.serving import listed, serve_batches


def main() -> None:
    paths, threads = listed(sys.argv[1]), int(sys.argv[2])
    lines = fp.Dataset.from_tensor_slices(paths).interleave(
        fp.TextLineDataset,
        cycle_length=4,
        block_length=16,
        num_parallel_calls=threads if sys.argv[3] == "parallel" else None,
    )
    batches = lines.batch(1024)
    serve_batches(lambda: batches)


if __name__ == "__main__":
    main()
