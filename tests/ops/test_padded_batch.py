import numpy as np
import pytest
import reference
from laws import check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import DataLossError, InvalidArgumentError


def rows(ds):
    """n becomes [n] * n."""
    return ds.map(lambda x: fp.fill([x], x))


def rows_of(values):
    return [[value] * value for value in values]


@pytest.mark.parametrize("batch_size", [1, 2, 3])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_rows_are_padded_to_the_longest_of_the_batch(batch_size, drop_remainder):
    check_transformation(
        lambda ds: rows(ds).padded_batch(batch_size, drop_remainder=drop_remainder),
        lambda values: reference.padded_batch(
            rows_of(values), batch_size, drop_remainder=drop_remainder
        ),
    )


def test_rows_are_padded_to_a_given_length_with_a_given_value():
    check_transformation(
        lambda ds: rows(ds).padded_batch(3, padded_shapes=[10], padding_values=-1),
        lambda values: reference.padded_batch(rows_of(values), 3, length=10, value=-1),
    )


def test_strings_are_padded_with_nothing_or_a_given_text():
    ds = fp.Dataset.from_tensor_slices(["a b", "c"]).map(fp.strings.split)
    check_op(lambda: ds.padded_batch(2), [[[b"a", b"b"], [b"c", b""]]])
    check_op(lambda: ds.padded_batch(2, padding_values="-"), [[[b"a", b"b"], [b"c", b"-"]]])


def test_each_component_has_its_shape_and_value():
    def make():
        ds = fp.Dataset.range(1, 3).map(lambda x: {"n": x, "row": fp.fill([x], x)})
        return ds.padded_batch(
            2,
            padded_shapes={"n": [], "row": [3]},
            padding_values={"n": None, "row": np.int64(7)},
        )

    check_op(make, [{"n": [1, 2], "row": [[1, 7, 7], [2, 2, 7]]}], cardinality=1)


def test_scalars_need_no_padding():
    check_op(lambda: fp.Dataset.range(3).padded_batch(2), [[0, 1], [2]], cardinality=2)


def test_matrices_are_padded_on_every_axis():
    ds = fp.Dataset.range(1, 3).map(lambda x: fp.fill([x, 3 - x], x))
    check_op(lambda: ds.padded_batch(2), [[[[1, 1], [0, 0]], [[2, 0], [2, 0]]]])


def test_an_element_beyond_the_padded_shape_fails_and_the_next_batch_arrives():
    ds = rows(fp.Dataset.from_tensor_slices(np.array([1, 2, 5, 1, 2, 2]))).padded_batch(2, [3])
    it = iter(ds)
    assert next(it).tolist() == [[1, 0, 0], [2, 2, 0]]
    with pytest.raises((DataLossError, InvalidArgumentError), match="5"):
        next(it)
    assert next(it).tolist() == [[2, 2, 0], [2, 2, 0]]


def test_the_spec_has_the_padded_shape():
    ds = rows(fp.Dataset.range(3))
    assert ds.padded_batch(2, [4]).element_spec == fp.TensorSpec((None, 4), "int64")
    assert ds.padded_batch(2, [None], drop_remainder=True).element_spec == fp.TensorSpec(
        (2, None), "int64"
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"batch_size": 0}, InvalidArgumentError),
        ({"batch_size": 2, "padded_shapes": [1, 2]}, (ValueError, TypeError)),
        ({"batch_size": 2, "padding_values": "text"}, (ValueError, TypeError)),
        ({"batch_size": 2, "padding_values": np.float32(0)}, (ValueError, TypeError)),
    ],
)
def test_wrong_arguments_are_refused(arguments, error):
    with pytest.raises(error):
        rows(fp.Dataset.range(3)).padded_batch(**arguments)


def test_what_is_known_of_shapes_stays_known():
    ds = fp.Dataset.range(3).map(lambda x: fp.fill([x, 2], x)).padded_batch(2)
    assert ds.element_spec == fp.TensorSpec([None, None, 2], "int64")


def test_a_float_pads_no_integers():
    with pytest.raises(TypeError, match="1.5"):
        fp.Dataset.range(3).map(lambda x: fp.range(x)).padded_batch(2, padding_values=1.5)


def test_a_shape_is_a_list_of_sizes():
    with pytest.raises(ValueError, match="padded_shapes"):
        fp.Dataset.range(3).map(lambda x: fp.range(x)).padded_batch(2, ([4, 2],))
