import pytest
import reference
from laws import check_element_spec, check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_full_groups_are_reduced_and_the_others_at_the_end(size):
    check_transformation(
        lambda ds: ds.group_by_window(lambda x: x % 3, lambda key, group: group.batch(10), size),
        lambda values: reference.group_by_window(
            values, lambda x: x % 3, lambda key, group: reference.batch(group, 10), lambda key: size
        ),
    )


def test_the_size_may_follow_the_key():
    check_transformation(
        lambda ds: ds.group_by_window(
            lambda x: x % 2, lambda key, group: group.batch(10), window_size_func=lambda k: k + 1
        ),
        lambda values: reference.group_by_window(
            values, lambda x: x % 2, lambda key, group: reference.batch(group, 10), lambda k: k + 1
        ),
    )


def test_a_group_may_give_any_number_of_elements():
    check_transformation(
        lambda ds: ds.group_by_window(
            lambda x: x % 2,
            lambda key, group: group.filter(lambda x: x != 1).map(lambda x: x + key),
            3,
        ),
        lambda values: reference.group_by_window(
            values, lambda x: x % 2, lambda k, group: [x + k for x in group if x != 1], lambda k: 3
        ),
    )


def test_elements_with_structure_are_grouped():
    def make():
        ds = fp.Dataset.from_tensor_slices({"k": [0, 1, 0], "v": ["a", "b", "c"]})
        return ds.group_by_window(lambda e: e["k"], lambda key, group: group.batch(2), 2)

    check_op(make, [{"k": [0, 0], "v": [b"a", b"c"]}, {"k": [1], "v": [b"b"]}])


def test_sequences_of_like_length_are_batched_together():
    def make():
        ds = fp.Dataset.from_tensor_slices([1, 5, 2, 6, 1]).map(lambda x: fp.fill([x], x))
        return ds.bucket_by_sequence_length(lambda row: fp.size(row), [3], [2, 2])

    check_op(
        make,
        [[[1, 0], [2, 2]], [[5] * 5 + [0], [6] * 6], [[1]]],
    )


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one_is_refused(size):
    with pytest.raises(InvalidArgumentError):
        list(fp.Dataset.range(3).group_by_window(lambda x: x, lambda k, g: g, size))


def test_exactly_one_size_must_be_given():
    with pytest.raises(ValueError, match="window_size"):
        fp.Dataset.range(3).group_by_window(lambda x: x, lambda k, g: g)


def rows_up_to_three():
    return fp.Dataset.range(1, 6).map(lambda x: (x, fp.fill([x % 3 + 1], x)))


def test_a_bucket_may_be_padded_to_its_boundary():
    ds = rows_up_to_three().bucket_by_sequence_length(
        lambda x, row: fp.size(row), [3, 5], [2, 2, 2], pad_to_bucket_boundary=True
    )
    # Rows of 2, 3, 1, 2, 3 elements; the buckets are padded to 2 and to 4.
    assert sorted(rows.shape for _, rows in ds) == [(1, 2), (2, 2), (2, 4)]


def test_the_number_of_rows_of_a_bucket_is_not_known_beforehand():
    ds = rows_up_to_three().bucket_by_sequence_length(
        lambda x, row: fp.size(row), [2], [2, 1], drop_remainder=True
    )
    spec = fp.TensorSpec([None], "int64"), fp.TensorSpec([None, None], "int64")
    assert ds.element_spec == spec
    for element in ds:
        check_element_spec(spec, element)


def test_a_key_is_an_integer():
    with pytest.raises(TypeError, match="integer"):
        fp.Dataset.range(3).group_by_window(lambda x: "a", lambda k, g: g, 2)


def test_an_endless_input_gives_groups_for_ever():
    ds = fp.Dataset.range(3).repeat().group_by_window(lambda x: x, lambda k, g: g.batch(2), 2)
    assert ds.cardinality() == fp.INFINITE_CARDINALITY
    assert [x.tolist() for x in ds.take(2)] == [[0, 0], [1, 1]]
