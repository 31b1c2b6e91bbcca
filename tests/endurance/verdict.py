"""One thing that was needed, and whether it was seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """What was seen, in words with its numbers.

    Attributes:
        met: whether that is what was needed.
        examples: of what went wrong, to look at.
    """

    text: str
    met: bool
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.text}: {'yes' if self.met else 'NO'}"]
        return "\n    ".join([*lines, *self.examples[:5]])


def all_of(what: str, rounds: int, failures: list[str]) -> Verdict:
    """`what` was needed in each of `rounds` rounds, and missed as `failures` say."""
    return Verdict(f"{what} in {rounds - len(failures)} of {rounds}", not failures, tuple(failures))
