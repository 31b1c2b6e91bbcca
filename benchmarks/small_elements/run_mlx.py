"""mlx-data: a buffer of dicts, and the function in Python: it has no arithmetic of its own."""

import sys

import mlx.data

from benchmarks.serving import serve_batches, serve_elements


def main() -> None:
    batch, count = map(int, sys.argv[1:])
    numbers = mlx.data.buffer_from_vector([{"x": number} for number in range(count)])

    def mapped():
        return numbers.to_stream().key_transform("x", lambda x: x + 1)

    if batch == 1:
        serve_elements(mapped)
    else:
        serve_batches(lambda: (each["x"] for each in mapped().batch(batch)))


if __name__ == "__main__":
    main()
