"""tf.io.gfile on local files."""

from __future__ import annotations

import builtins
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from fastpipe import errors
from fastpipe.tracing import call

_MODES = ("r", "w", "a", "r+", "w+", "a+")

_BY_ERRNO: dict[int, type[errors.FastpipeError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EISDIR: errors.IsADirectoryFailedPreconditionError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
}


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of the operating system in the classes that tf.data uses."""
    try:
        yield
    except errors.FastpipeError:
        raise
    except OSError as error:
        kind = _BY_ERRNO.get(error.errno or 0, errors.UnavailableError)
        raise kind(str(error)) from error


class Stat(NamedTuple):
    """What `stat` says of a path."""

    length: int
    mtime_nsec: int
    is_directory: bool


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
    """The names in a directory, sorted.

    Raises:
        NotFoundError: there is no such directory.
    """
    with _translated():
        if not os.path.isdir(path):
            raise errors.NotFoundError(f"there is no directory {os.fspath(path)!r}")
        return sorted(os.fsdecode(name) for name in os.listdir(path))


def glob(pattern: Any) -> list[str]:
    """The paths that match a pattern, or several, sorted."""
    return [os.fsdecode(path) for path in call("matching_files", [pattern]).tolist()]


def join(path: Any, *paths: Any) -> Any:
    """The parts of a path joined; text, or bytes if they are.

    >>> join("a", "b", "c.txt")
    'a/b/c.txt'
    """
    return os.path.join(os.fspath(path), *map(os.fspath, paths))


def mkdir(path: Any) -> None:
    """Makes a directory; no error if it exists.

    Raises:
        NotFoundError: the one above it does not exist.
    """
    with _translated():
        if not os.path.isdir(path):
            os.mkdir(path)


def makedirs(path: Any) -> None:
    """Makes a directory and those above it; no error if it exists.

    Raises:
        FailedPreconditionError: a file has that name.
    """
    with _translated():
        if os.path.exists(path) and not os.path.isdir(path):
            raise errors.FailedPreconditionError(f"{os.fspath(path)!r} is a file")
        os.makedirs(path, exist_ok=True)


def remove(path: Any) -> None:
    """Removes a file.

    Raises:
        NotFoundError: it does not exist.
        FailedPreconditionError: it is a directory.
    """
    with _translated():
        os.remove(path)


def rmtree(path: Any) -> None:
    """Removes a directory with all that is in it, or a file.

    Raises:
        NotFoundError: it does not exist.
    """
    with _translated():
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
        AlreadyExistsError: `dst` exists and `overwrite` is False.
        NotFoundError: `src` does not exist.
    """
    with _translated():
        os.stat(src)
        _require_free("copy", src, dst, overwrite)
        shutil.copyfile(src, dst)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or directory.

    Raises:
        AlreadyExistsError: `dst` exists and `overwrite` is False.
        NotFoundError: `src` does not exist.
    """
    with _translated():
        os.stat(src)
        _require_free("rename", src, dst, overwrite)
        os.replace(src, dst)


def _require_free(action: str, src: Any, dst: Any, overwrite: bool) -> None:
    if not overwrite and os.path.exists(dst):
        raise errors.AlreadyExistsError(
            f"cannot {action} {os.fspath(src)!r}: {os.fspath(dst)!r} exists"
        )


def stat(path: Any) -> Stat:
    """Length in bytes, time of the last change in nanoseconds, and whether it is a directory.

    Raises:
        NotFoundError: it does not exist.

    >>> stat("/").is_directory
    True
    """
    with _translated():
        found = os.stat(path)
        return Stat(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(directory, names of directories in it, names of files in it), sorted, for a whole tree."""
    for folder, folders, files in os.walk(os.fsdecode(top), topdown=topdown, onerror=onerror):
        folders.sort()
        yield folder, folders, sorted(files)


def get_registered_schemes() -> list[str]:
    """The kinds of file system there are: local files have no scheme."""
    return ["", "file"]


class GFile:
    """A local file: text as UTF-8, or bytes if the mode has a "b". Opened when it is first used.

    Positions and sizes are in bytes in both; line ends stay as they are.

    Args:
        name: the path.
        mode: "r", "w", "a", "r+", "w+" or "a+", with or without "b".

    Raises:
        InvalidArgumentError: there is no such mode.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with GFile(path, "w") as file:
    ...     file.write("one\\ntwo\\n")
    >>> list(GFile(path)), GFile(path).size()
    (['one\\n', 'two\\n'], 8)
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise errors.InvalidArgumentError(
                f"the mode must be one of {', '.join(_MODES)}, with or without b, got {mode!r}"
            )
        self.name = os.fspath(name)
        self.mode = mode
        self._plain = plain
        self._text = "b" not in mode
        self._file: Any = None

    def _open(self) -> Any:
        if self._file is None:
            with _translated():
                self._file = builtins.open(self.name, self._plain + "b")
        return self._file

    def _readable(self) -> Any:
        if self._plain in ("w", "a"):
            raise errors.PermissionDeniedError(f"{self.name!r} is not open for reading")
        return self._open()

    def _writable(self) -> Any:
        if self._plain == "r":
            raise errors.PermissionDeniedError(f"{self.name!r} is not open for writing")
        return self._open()

    def _out(self, data: bytes) -> Any:
        return data.decode() if self._text else data

    def read(self, n: int = -1) -> Any:
        """Up to `n` bytes; all that follow if -1."""
        with _translated():
            return self._out(self._readable().read(n))

    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        with _translated():
            return self._out(self._readable().readline())

    def readlines(self) -> list[Any]:
        """The lines that follow, with their ends."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        while line := self.readline():
            yield line

    def write(self, file_content: Any) -> None:
        """Appends text (as UTF-8) or bytes."""
        data = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        with _translated():
            self._writable().write(data)

    def seek(self, offset: int, whence: int = 0) -> None:
        """Goes to a byte: from the beginning (0), from here (1) or from the end (2)."""
        with _translated():
            self._open().seek(offset, whence)

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The byte that comes next."""
        return int(self._open().tell())

    def size(self) -> int:
        """Bytes in the file."""
        if self._file is not None and self._plain != "r":
            self._file.flush()
        return stat(self.name).length

    def flush(self) -> None:
        """Brings what was written into the file."""
        if self._file is not None:
            with _translated():
                self._file.flush()

    def close(self) -> None:
        """Closes the file; using it again opens it again."""
        if self._file is not None:
            file, self._file = self._file, None
            with _translated():
                file.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


Open = GFile
