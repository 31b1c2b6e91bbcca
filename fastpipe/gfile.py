"""tf.io.gfile on local files."""

from __future__ import annotations

import os
import shutil
from typing import Any

from fastpipe.tracing import call


def exists(path: Any) -> bool:
    """True if there is a file or directory of that name.

    >>> exists("/")
    True
    """
    return os.path.exists(path)


def isdir(path: Any) -> bool:
    """True if `path` is a directory."""
    return os.path.isdir(path)


def listdir(path: Any) -> list[str]:
    """The names in a directory, sorted."""
    return sorted(os.listdir(path))


def glob(pattern: Any) -> list[str]:
    """The paths that match a pattern, or several, sorted."""
    return [os.fsdecode(path) for path in call("matching_files", [pattern]).tolist()]


def makedirs(path: Any) -> None:
    """Makes a directory and those above it; no error if it exists."""
    os.makedirs(path, exist_ok=True)


def remove(path: Any) -> None:
    """Removes a file."""
    os.remove(path)


def rmtree(path: Any) -> None:
    """Removes a directory with all that is in it."""
    shutil.rmtree(path)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
        FileExistsError: `dst` exists and `overwrite` is False.
    """
    if not overwrite and os.path.exists(dst):
        raise FileExistsError(f"cannot copy {src!r}: {dst!r} exists")
    shutil.copyfile(src, dst)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or directory.

    Raises:
        FileExistsError: `dst` exists and `overwrite` is False.
    """
    if not overwrite and os.path.exists(dst):
        raise FileExistsError(f"cannot rename {src!r}: {dst!r} exists")
    os.replace(src, dst)


GFile = open
