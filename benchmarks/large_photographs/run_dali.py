"""DALI without a GPU: as in `photographs`, in batches of 16."""

from functools import partial

from benchmarks.photographs.run_dali import make
from benchmarks.serving import serve_images

if __name__ == "__main__":
    serve_images(partial(make, batch=16))
