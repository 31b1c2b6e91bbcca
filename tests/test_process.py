"""What the tests of whole programs are run with."""

import process
import pytest


def test_a_program_past_its_deadline_ends_with_the_children_that_it_forked(monkeypatch):
    monkeypatch.setattr(process, "CHILD_SECONDS", 3.0)
    with pytest.raises(AssertionError, match="did not end in 3.0 s: 12"):
        process.run(
            """
            import os, signal
            os.write(1, b"1")
            if os.fork() == 0:
                os.write(1, b"2")
            signal.pause()
            """,
            header="",
        )
