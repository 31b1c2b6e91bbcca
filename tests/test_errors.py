"""The classes of errors: tf.data's names, that are Python's own too."""

import re

import pytest
import reference
from images import photograph

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
    ("DeadlineExceededError", TimeoutError),
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


def message_of(dataset):
    with pytest.raises(errors.FastpipeError) as caught:
        list(dataset)
    return str(caught.value)


BAD_IMAGE = b"\xff\xd8\xff is no picture"


@pytest.mark.parametrize("content", [BAD_IMAGE, b"\xff", b""])
@pytest.mark.parametrize("parallel", [None, 2])
def test_decoding_names_the_file_that_was_read(write, content, parallel):
    path = write("bad.jpg", content)
    names = fp.Dataset.from_tensor_slices([path])
    text = message_of(
        names.map(
            lambda name: fp.io.decode_jpeg(fp.io.read_file(name)), num_parallel_calls=parallel
        )
    )
    assert re.search(rf"in decode_jpeg \(test_errors.py:\d+\) of '{path}'\n", text)
    assert "in map (test_errors.py:" in text and "element 0" in text


@pytest.mark.parametrize("content", [BAD_IMAGE, b"\xff", b""])
def test_decoding_names_the_file_that_another_map_read(write, content):
    path = write("bad.jpg", content)
    read = fp.Dataset.from_tensor_slices([path]).map(lambda name: (fp.io.read_file(name), 7))
    shuffled = read.shuffle(3).prefetch(1)
    text = message_of(shuffled.map(lambda content, label: (fp.io.decode_jpeg(content), label)))
    assert f" of '{path}'\n" in text


def test_a_kernel_behind_the_decoder_and_a_fused_one_name_the_file(write):
    good = fp.io.encode_jpeg(photograph(10, 20))
    path = write("small.jpg", good)
    names = fp.Dataset.from_tensor_slices([path])

    def crop(name):
        image = fp.io.decode_jpeg(fp.io.read_file(name), channels=3)
        return fp.image.crop_to_bounding_box(image, 5, 5, 10, 10)

    assert f" of '{path}'\n" in message_of(names.map(crop))

    def resized(name):
        return fp.image.resize(fp.io.decode_jpeg(fp.io.read_file(name), channels=3), [4, 4])

    write("small.jpg", good[:-30])
    for fusion in (True, False):
        options = fp.Options(fusion=fusion)
        assert f" of '{path}'\n" in message_of(names.map(resized).with_options(options))


def test_a_branch_names_the_file_that_was_read_before_it(write):
    path = write("bad.jpg", BAD_IMAGE)

    def checked(name, wanted):
        content = fp.io.read_file(name)
        return fp.cond(
            wanted,
            lambda: fp.shape(fp.io.decode_jpeg(content, channels=3)),
            lambda: fp.shape(fp.io.decode_raw(content, fp.uint8)),
        )

    text = message_of(fp.Dataset.from_tensor_slices(([path], [True])).map(checked))
    assert re.search(rf"in decode_jpeg .* of '{path}'\n", text)


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_a_record_that_cannot_be_parsed_tells_its_file_and_offset(write, compression):
    import gzip

    records = [b"no example at all, number %d" % number for number in range(3)]
    content = reference.tf_record(records)
    path = write("records", gzip.compress(content) if compression else content)
    features = {"x": fp.io.FixedLenFeature([], fp.int64)}
    parsed = fp.TFRecordDataset(path, compression).map(
        lambda record: fp.io.parse_single_example(record, features)
    )
    iterator = iter(parsed)
    for record in records:
        with pytest.raises(errors.InvalidArgumentError) as caught:
            next(iterator)
        offset = content.index(record)
        assert f" of '{path}' (offset {offset})\n" in str(caught.value)


def test_a_line_that_is_no_number_tells_its_file_and_offset(write):
    lines = [b"1234567890123456789", b"no number in this line"]
    path = write("lines", b"\n".join(lines))
    numbers = fp.TextLineDataset(path).map(lambda line: fp.strings.to_number(line, fp.int64))
    assert f" of '{path}' (offset 20)\n" in message_of(numbers.skip(1))


def test_a_path_that_leads_nowhere_tells_the_list_that_it_stands_in(write):
    path = write("list", b"/no/such/file/anywhere\n")
    text = message_of(fp.TextLineDataset(path).map(fp.io.read_file))
    assert "/no/such/file/anywhere" in text and f" of '{path}' (offset 0)\n" in text


def test_values_that_come_from_no_file_name_none():
    content = fp.Dataset.from_tensor_slices([BAD_IMAGE])
    trail = message_of(content.map(fp.io.decode_jpeg)).split("\n")[1]
    assert re.fullmatch(r"  in decode_jpeg \(test_errors.py:\d+\)", trail)


def test_memory_that_is_used_again_forgets_the_file(write):
    path = write("large", b"x" * 100_000)
    for _ in range(4):
        assert len(fp.io.read_file(path)) == 100_000
    made = fp.Dataset.from_tensor_slices([b"y" * 100_000] * 4).map(
        lambda text: fp.io.decode_jpeg(text + b"z")
    )
    assert path not in message_of(made)
