"""`python -m fastpipe`: the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fastpipe.tools import compare


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fastpipe")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    command = commands.add_parser(
        "compare",
        help="map or interleave? Measured on your files",
        description="Runs the same work on the same files sequentially, with parallel map and with "
        "interleave, on the disk as it is and on simulated slow storage, and says which to use.",
    )
    compare.add_arguments(command)
    command.set_defaults(run=compare.run)
    parsed = parser.parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 1


if __name__ == "__main__":
    sys.exit(main())
