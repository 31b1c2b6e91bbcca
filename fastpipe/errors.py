"""Exceptions, in the classes that tf.data uses and that are also Python's own.

Every message names what was given, what was expected, and where: file, offset, element, op.
"""

from __future__ import annotations


class FastpipeError(Exception):
    """Base of all errors that come out of a pipeline.

    Attributes:
        trail: where it happened, innermost first: kernel and the file of its input, op, the user's
            line, element index.
    """

    trail: tuple[str, ...] = ()


class InvalidArgumentError(FastpipeError, ValueError):
    """A value the caller gave is wrong."""


class InvalidTypeError(InvalidArgumentError, TypeError):
    """A value the caller gave is of a type that cannot be used there."""


class NotFoundError(FastpipeError, FileNotFoundError):
    """No such file."""


class AlreadyExistsError(FastpipeError, FileExistsError):
    """There is something of that name already."""


class FailedPreconditionError(FastpipeError, RuntimeError):
    """The operation is not possible in this state, or on this kind of file."""


class IsADirectoryFailedPreconditionError(FailedPreconditionError, IsADirectoryError):
    """A directory was given where a file was expected."""


class DataLossError(FastpipeError, ValueError):
    """Data is corrupt or truncated."""


class OutOfRangeError(FastpipeError, IndexError):
    """An index or a position lies outside what exists."""


class UnimplementedError(FastpipeError, NotImplementedError):
    """Not possible for this op or these arguments."""


class ResourceExhaustedError(FastpipeError, MemoryError):
    """A limit was reached: descriptors, memory, pixels."""


class PermissionDeniedError(FastpipeError, PermissionError):
    """The file may not be read."""


class UnavailableError(FastpipeError, OSError):
    """Reading failed for another reason of the operating system."""


class DeadlineExceededError(FastpipeError, TimeoutError):
    """Storage did not answer within Options.read_timeout."""


class CancelledError(FastpipeError, RuntimeError):
    """The iterator was closed."""


class InternalError(FastpipeError, RuntimeError):
    """A bug in fastpipe: please report it."""


class UnknownError(FastpipeError, RuntimeError):
    """An error without a class of its own."""


class TracingError(FastpipeError, TypeError):
    """A function did something with a symbolic tensor that only works on a value."""


class PythonFallbackWarning(UserWarning):
    """A function could not be traced and will run as Python, under the GIL."""


_TRAIL = "  in "

_BY_CODE: dict[str, type[FastpipeError]] = {
    "Cancelled": CancelledError,
    "InvalidArgument": InvalidArgumentError,
    "NotFound": NotFoundError,
    "FailedPrecondition": FailedPreconditionError,
    "DataLoss": DataLossError,
    "OutOfRange": OutOfRangeError,
    "Unimplemented": UnimplementedError,
    "ResourceExhausted": ResourceExhaustedError,
    "PermissionDenied": PermissionDeniedError,
    "Unavailable": UnavailableError,
    "DeadlineExceeded": DeadlineExceededError,
    "Internal": InternalError,
}


def from_status(code: str, message: str, trail: str) -> FastpipeError:
    """The exception for a native status; `trail` has one place a line."""
    kind = _BY_CODE.get(code, UnknownError)
    if kind is FailedPreconditionError and "directory" in message:
        kind = IsADirectoryFailedPreconditionError
    places = tuple(trail.split("\n")) if trail else ()
    error = kind("\n  in ".join((message, *places)))
    error.trail = places
    return error


def with_trail(error: BaseException, trail: str) -> BaseException:
    """The exception of a Python callable, with a note that says where it was called."""
    if isinstance(error, StopIteration):  # out of next() it would end the loop in silence
        stop, error = error, RuntimeError("a Python function of the pipeline raised StopIteration")
        error.__cause__ = stop
    if trail and hasattr(error, "add_note"):
        # A function may raise the same object for many elements: the note is on the latest.
        notes = getattr(error, "__notes__", [])
        notes[:] = [note for note in notes if not note.startswith(_TRAIL)]
        error.add_note(_TRAIL + "\n  in ".join(trail.split("\n")))
    return error
