"""The pipeline of the task in a process of its own: it takes cores, but not the GIL."""

import sys
from pathlib import Path

from benchmarks.gil import photographs
from benchmarks.inputs import jpegs


def main() -> None:
    with photographs(jpegs(Path(sys.argv[1]))).iterator() as iterator:
        next(iterator)
        print("ready", flush=True)
        for _ in iterator:
            pass


if __name__ == "__main__":
    main()
