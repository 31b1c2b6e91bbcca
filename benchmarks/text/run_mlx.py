"""mlx-data: a reader of lines, which a batch pads to the longest."""

import sys

import mlx.data

from benchmarks.serving import listed, serve_batches


def main() -> None:
    files = mlx.data.buffer_from_vector([{"file": path.encode()} for path in listed(sys.argv[1])])

    def batches():
        lines = files.to_stream().line_reader_from_key("file", "line")
        return (batch["line"] for batch in lines.batch(1024, pad={"line": 0}))

    serve_batches(batches)


if __name__ == "__main__":
    main()
