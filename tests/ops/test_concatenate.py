import numpy as np
import pytest
from laws import check_op, check_transformation

import fastpipe as fp


def test_one_dataset_follows_the_other():
    check_transformation(
        lambda ds: ds.concatenate(fp.Dataset.range(10, 12)), lambda values: [*values, 10, 11]
    )
    check_transformation(
        lambda ds: fp.Dataset.range(10, 12).concatenate(ds), lambda values: [10, 11, *values]
    )


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 3), (3, 0), (3, 3)])
def test_either_may_be_empty(first, second):
    check_op(
        lambda: fp.Dataset.range(first).concatenate(fp.Dataset.range(second)),
        [*range(first), *range(second)],
        cardinality=first + second,
    )


def test_shapes_that_differ_become_unknown():
    a, b = (fp.Dataset.from_tensors(np.zeros(n, np.int64)) for n in (2, 3))
    assert a.concatenate(b).element_spec == fp.TensorSpec((None,), "int64")
    check_op(lambda: a.concatenate(b), [[0, 0], [0, 0, 0]], cardinality=2)


def test_an_endless_part_makes_the_whole_endless():
    ds = fp.Dataset.range(1).concatenate(fp.Dataset.range(5).repeat())
    check_op(lambda: ds, [0, 0, 1, 2], endless=True, cardinality=fp.INFINITE_CARDINALITY)


@pytest.mark.parametrize(
    "other",
    [
        lambda: fp.Dataset.from_tensors(np.float32(1)),
        lambda: fp.Dataset.from_tensors(np.int32(1)),
        lambda: fp.Dataset.from_tensors((np.int64(1),)),
        lambda: fp.Dataset.from_tensors({"a": np.int64(1)}),
        lambda: fp.Dataset.from_tensors("text"),
    ],
)
def test_elements_must_be_alike(other):
    with pytest.raises(TypeError, match="concatenate"):
        fp.Dataset.range(1).concatenate(other())
