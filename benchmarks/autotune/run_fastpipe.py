"""fastpipe with AUTOTUNE wherever there is a knob."""

import fastpipe as fp
from benchmarks.autotune import inputs
from benchmarks.autotune.steady import BATCH, CYCLE, serve_rates


def make(work, paths):
    if work == "photographs":
        return inputs.batches_of_photographs(paths, fp.AUTOTUNE)
    lines = inputs.repeated(paths).interleave(
        fp.TextLineDataset, cycle_length=CYCLE, num_parallel_calls=fp.AUTOTUNE
    )
    return lines.batch(BATCH).prefetch(fp.AUTOTUNE)


if __name__ == "__main__":
    serve_rates(make)
