"""dtypes, shapes, specs, and what becomes of Python values."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import fastpipe as fp
from fastpipe.spec import as_dtype, as_shape, as_tensor, dtype_name

NUMERIC = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64",
]  # fmt: skip


@pytest.mark.parametrize("name", NUMERIC)
def test_a_dtype_equals_its_name_and_numpys(name):
    dtype = as_dtype(name)
    assert dtype == name and dtype == np.dtype(name) and dtype == np.dtype(name).type
    assert np.dtype(dtype) == np.dtype(name)
    assert hash(dtype) == hash(as_dtype(np.dtype(name)))
    assert dtype.itemsize == np.dtype(name).itemsize
    assert pickle.loads(pickle.dumps(dtype)) == dtype


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (int, "int64"),
        (float, "float32"),
        (bool, "bool"),
        (str, "string"),
        (bytes, "string"),
        (object, "string"),
        ("float", "float32"),
        ("half", "float16"),
        ("double", "float64"),
        (np.float32, "float32"),
        (np.dtype("S5"), "string"),
        (fp.string, "string"),
    ],
)
def test_many_things_name_a_dtype(given, name):
    assert dtype_name(given) == name


@pytest.mark.parametrize("given", ["complex64", "int7", "", None, 3, np.complex128, object()])
def test_other_things_do_not(given):
    with pytest.raises(TypeError):
        dtype_name(given)


@pytest.mark.parametrize("name", ["int8", "uint16", "int64", "float32"])
def test_a_dtype_knows_its_limits(name):
    info = np.iinfo(name) if "int" in name else np.finfo(name)
    assert as_dtype(name).max == info.max and as_dtype(name).min == info.min


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        (None, None),
        ((), ()),
        (3, (3,)),
        ([2, None], (2, None)),
        ((-1, 4), (None, 4)),
        (np.array([2, 3]), (2, 3)),
    ],
)
def test_shapes(given, shape):
    assert as_shape(given) == shape
    assert fp.TensorSpec(given, "int32").rank == (None if shape is None else len(shape))


def test_specs_compare_and_print():
    spec = fp.TensorSpec((None, 3), "uint8")
    assert spec == fp.TensorSpec([None, 3], np.uint8) != fp.TensorSpec((None, 3), "int8")
    assert repr(spec) == "TensorSpec(shape=(None, 3), dtype=fp.uint8)"


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (-(2**31), "int32"),
        (2**31, "int64"),
        (1.0, "float32"),
        (True, "bool"),
        ([1, 2], "int32"),
        ([1, 2.0], "float32"),
        ([np.int64(1), np.int64(2)], "int64"),
        (np.arange(3), "int64"),
        (np.float64(1), "float64"),
        ([], "float32"),
    ],
)
def test_python_values_have_the_dtypes_of_tensorflow(value, dtype):
    assert as_tensor(value).dtype == dtype


@pytest.mark.parametrize(
    ("value", "text"),
    [("é", "é".encode()), (b"\xff", b"\xff"), (Path("a/b"), b"a/b"), (np.str_("x"), b"x")],
)
def test_texts_become_bytes(value, text):
    assert as_tensor(value) == text


def test_the_strings_of_a_list_become_bytes():
    assert as_tensor([["a", b"b"], ["", "é"]]).tolist() == [[b"a", b"b"], [b"", "é".encode()]]


@pytest.mark.parametrize("value", [None, object(), [None], {"a": 1}, lambda: 1])
def test_what_is_no_tensor_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        as_tensor(value)


@pytest.mark.parametrize(
    ("make", "spec"),
    [
        (lambda: fp.Dataset.range(3), fp.TensorSpec((), "int64")),
        (lambda: fp.Dataset.range(3).batch(2), fp.TensorSpec((None,), "int64")),
        (lambda: fp.Dataset.range(3).batch(2, True), fp.TensorSpec((2,), "int64")),
        (lambda: fp.TextLineDataset("x"), fp.TensorSpec((), "string")),
        (
            lambda: fp.Dataset.from_tensors({"a": np.zeros((2, 3)), "b": "t"}),
            {"a": fp.TensorSpec((2, 3), "float64"), "b": fp.TensorSpec((), "string")},
        ),
        (
            lambda: fp.Dataset.range(3).window(2),
            fp.DatasetSpec(fp.TensorSpec((), "int64")),
        ),
        (
            lambda: fp.Dataset.from_tensors("x").map(
                lambda p: fp.io.decode_jpeg(fp.io.read_file(p), channels=3)
            ),
            fp.TensorSpec((None, None, 3), "uint8"),
        ),
    ],
)
def test_the_spec_of_an_element_is_known_before_there_is_one(make, spec):
    assert make().element_spec == spec


def test_paths_are_strings_alone_and_in_lists():
    path = Path("a") / "b.txt"
    assert as_tensor(path) == b"a/b.txt"
    assert as_tensor([path, "c"]).tolist() == [b"a/b.txt", b"c"]


def test_shapes_tell_what_tensorflows_do():
    shape = fp.TensorSpec((None, 2, 3), "int32").shape
    assert (shape.rank, shape.ndims, shape.as_list()) == (3, 3, [None, 2, 3])
    assert shape[1:].is_fully_defined() and not shape.is_fully_defined()
    assert shape[1:].num_elements() == 6 and shape.num_elements() is None
    assert shape[:1] + (4,) == (None, 4) and shape.concatenate([5])[-1] == 5
    assert shape.is_compatible_with((7, 2, 3)) and not shape.is_compatible_with((7, 2))
    assert fp.Dataset.range(1).map(lambda x: fp.zeros([x.shape.rank + 2])).element_spec.shape == (
        2,
    )
