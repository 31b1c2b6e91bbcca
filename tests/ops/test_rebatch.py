import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import check_op, check_transformation

import fastpipe as fp
from fastpipe.errors import InvalidArgumentError


@pytest.mark.parametrize("sizes", [1, 2, 4, 9, [1, 2], [3, 1, 2]])
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_rows_are_cut_anew(sizes, drop_remainder):
    check_transformation(
        lambda ds: ds.batch(3).rebatch(sizes, drop_remainder),
        lambda values: reference.rebatch(
            reference.batch(values, 3),
            sizes if isinstance(sizes, list) else [sizes],
            drop_remainder,
        ),
    )


@settings(max_examples=60)
@given(st.lists(st.integers(0, 4), max_size=8), st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_batches_of_any_sizes_are_cut_anew(lengths, sizes):
    ds = fp.Dataset.from_tensor_slices(np.array(lengths, np.int64)).map(lambda n: fp.fill([n], n))
    got = [batch.tolist() for batch in ds.rebatch(sizes)]
    assert got == list(reference.rebatch([[n] * n for n in lengths], sizes))


def test_every_component_is_cut():
    def make():
        ds = fp.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
        return ds.batch(2).rebatch(3)

    check_op(make, [([1, 2, 3], [b"a", b"b", b"c"])])


@pytest.mark.parametrize("sizes", [0, -1, [2, 0], []])
def test_sizes_below_one_are_refused(sizes):
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.range(4).batch(2).rebatch(sizes)


def test_scalars_have_no_rows():
    with pytest.raises(InvalidArgumentError):
        fp.Dataset.range(4).rebatch(2)


@pytest.mark.parametrize(
    "size, drop, rows", [(2, False, 2), (3, False, None), (3, True, 3), ([1, 2], True, None)]
)
def test_the_number_of_rows_is_known_where_all_batches_are_full(size, drop, rows):
    ds = fp.Dataset.range(8).batch(4, drop_remainder=True).rebatch(size, drop)
    assert ds.element_spec == fp.TensorSpec([rows], "int64")
