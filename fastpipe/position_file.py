"""Positions of iterators in files, which are whole whatever happens while they are written."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from typing import Any

from fastpipe.errors import FastpipeError


def write(path: str | os.PathLike[str], state: bytes) -> None:
    """Puts `state` into the file `path`: all of it, or what was there before stays.

    A file of another name in the same folder is written, brought to the disk and renamed.
    """
    path = os.fspath(path)
    folder = os.path.dirname(path) or "."
    temporary = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        with open(temporary, "xb") as file:
            file.write(state)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):  # the path that was given, not one nobody has heard of
            raise OSError(error.errno, error.strerror, path) from error
        raise
    folder_handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder_handle)
    finally:
        os.close(folder_handle)


def restore(state: Any, restore_bytes: Callable[[bytes], None]) -> None:
    """Gives `restore_bytes` the state: bytes, or the path of a file that holds it."""
    if isinstance(state, bytes | bytearray | memoryview):
        restore_bytes(bytes(state))
        return
    if not isinstance(state, str | os.PathLike):
        raise TypeError(
            f"the state of an iterator must be bytes from save(), or the path of a file that "
            f"save_file() wrote, got {type(state).__name__}: {state!r:.80}"
        )
    path = os.fspath(state)
    with open(path, "rb") as file:
        saved = file.read()
    try:
        restore_bytes(saved)
    except FastpipeError as error:
        error.args = (f"{path!r}: {error}", *error.args[1:])
        raise
