import pytest
import reference
from laws import check_op, check_transformation, plain

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError

CASES = [
    (1, None, 1),
    (2, None, 1),
    (3, 1, 1),
    (3, 2, 1),
    (2, 3, 1),
    (2, 1, 2),
    (3, 4, 2),
    (20, None, 1),
    (2, 20, 1),
]


@pytest.mark.parametrize(("size", "shift", "stride"), CASES)
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_windows_are_datasets_of_neighbours(size, shift, stride, drop_remainder):
    check_transformation(
        lambda ds: ds.window(size, shift, stride, drop_remainder),
        lambda values: reference.window(values, size, shift, stride, drop_remainder),
    )


def test_each_component_is_a_dataset_of_its_own():
    def make():
        return fp.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).window(2)

    check_op(
        make,
        [{"a": [1, 2], "b": [b"x", b"y"]}, {"a": [3], "b": [b"z"]}],
        cardinality=2,
    )


def test_a_window_can_be_iterated_again():
    window = next(iter(fp.Dataset.range(3).window(2)))
    assert plain(window) == plain(window) == [0, 1]
    assert window.cardinality() in (2, fp.UNKNOWN_CARDINALITY)


def test_windows_can_be_flattened():
    ds = fp.Dataset.range(5).window(3, shift=1, drop_remainder=True)
    check_op(lambda: ds.flat_map(lambda w: w.batch(3)), [[0, 1, 2], [1, 2, 3], [2, 3, 4]])


def test_components_can_be_zipped_back():
    ds = fp.Dataset.range(3).enumerate().window(2)
    ds = ds.flat_map(lambda i, x: fp.Dataset.zip(i.batch(2), x.batch(2)))
    check_op(lambda: ds, [([0, 1], [0, 1]), ([2], [2])])


def test_windows_of_windows():
    ds = fp.Dataset.range(5).window(2).window(2)
    check_op(lambda: ds, [[[0, 1], [2, 3]], [[4]]])


@pytest.mark.parametrize(("size", "shift", "stride"), [(0, None, 1), (2, 0, 1), (2, 1, 0)])
def test_numbers_below_one_are_refused(size, shift, stride):
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.range(3).window(size, shift, stride)
