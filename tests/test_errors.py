"""The classes of errors: tf.data's names, that are Python's own too."""

import pytest

import fastpipe as fp
from fastpipe import errors

PAIRS = [
    ("InvalidArgumentError", ValueError),
    ("NotFoundError", FileNotFoundError),
    ("FailedPreconditionError", RuntimeError),
    ("DataLossError", ValueError),
    ("OutOfRangeError", IndexError),
    ("UnimplementedError", NotImplementedError),
    ("ResourceExhaustedError", MemoryError),
    ("PermissionDeniedError", PermissionError),
    ("UnavailableError", OSError),
    ("CancelledError", RuntimeError),
    ("InternalError", RuntimeError),
    ("UnknownError", RuntimeError),
    ("TracingError", TypeError),
]


@pytest.mark.parametrize(("name", "builtin"), PAIRS)
def test_a_class_is_also_pythons_own(name, builtin):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.FastpipeError) and issubclass(kind, builtin)
    with pytest.raises(builtin, match="what"):
        raise kind("what")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("NotFound", errors.NotFoundError),
        ("DataLoss", errors.DataLossError),
        ("no such code", errors.UnknownError),
    ],
)
def test_a_native_status_becomes_its_class(code, kind):
    error = errors.from_status(code, "message", "kernel\nop, element 3")
    assert type(error) is kind
    assert error.trail == ("kernel", "op, element 3")
    assert str(error) == "message\n  in kernel\n  in op, element 3"
    assert errors.from_status(code, "message", "").trail == ()


def test_a_directory_is_pythons_is_a_directory_error(tmp_path):
    with pytest.raises(IsADirectoryError, match=str(tmp_path)) as caught:
        fp.io.read_file(str(tmp_path))
    assert isinstance(caught.value, errors.FailedPreconditionError)


def test_a_file_that_may_not_be_read_is_a_permission_error(write):
    import os

    path = write("secret", b"x")
    os.chmod(path, 0)
    if os.access(path, os.R_OK):  # root may read everything
        assert fp.io.read_file(path) == b"x"
    else:
        with pytest.raises(PermissionError, match="secret"):
            fp.io.read_file(path)


def test_eager_kernels_raise_the_same_classes():
    with pytest.raises(errors.NotFoundError, match="/no/such"):
        fp.io.read_file("/no/such/file")
    with pytest.raises(errors.InvalidArgumentError):
        fp.io.decode_jpeg(b"no picture")
    with pytest.raises(errors.InvalidArgumentError):
        fp.strings.to_number("x")


def test_a_misspelt_dataset_method_is_an_attribute_error():
    with pytest.raises(AttributeError):
        fp.Dataset.range(3).prefetsh(1)


def test_datasets_are_made_by_their_methods():
    with pytest.raises(TypeError, match="range"):
        fp.Dataset()
