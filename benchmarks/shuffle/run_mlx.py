"""mlx-data: the shuffle of a stream, repeat, batch."""

import sys

import mlx.data

from benchmarks.serving import serve_batches

if __name__ == "__main__":
    numbers = mlx.data.buffer_from_vector([{"x": number} for number in range(int(sys.argv[1]))])

    def batches():
        stream = numbers.to_stream().repeat(2).shuffle(10_000).batch(256)
        return (batch["x"] for batch in stream)

    serve_batches(batches)
