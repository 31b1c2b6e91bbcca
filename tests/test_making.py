"""Tensors made of little, and functions made of several kernels."""

import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe import linalg, nn
from fastpipe.array import slice_, unravel_index
from fastpipe.errors import InvalidArgumentError
from fastpipe.scatter import dynamic_partition, dynamic_stitch
from fastpipe.shapes import broadcast_dynamic_shape, broadcast_static_shape


@pytest.mark.parametrize(("start", "stop"), [(0.0, 1.0), (-2.0, 3.0), (5.0, 5.0)])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_linspace(start, stop, count):
    want = np.linspace(start, stop, count, dtype=np.float32)
    np.testing.assert_allclose(fp.linspace(start, stop, count), want, 1e-6)


def test_linspace_of_vectors_and_integers():
    got = fp.linspace(np.float32([0, 1]), np.float32([1, 3]), 3, axis=-1)
    assert got.tolist() == [[0, 0.5, 1], [1, 2, 3]]
    assert fp.linspace(0, 4, 3).dtype == np.float64
    (traced,) = list(open_shapes.traced(lambda n: fp.linspace(0.0, 1.0, n), [np.int32(3)], [()]))
    assert traced.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_eye(rows):
    assert fp.eye(rows).tolist() == np.eye(rows).tolist()
    assert fp.eye(rows, 2, [2], "bool").tolist() == [np.eye(rows, 2).astype(bool).tolist()] * 2


def test_sequence_mask():
    x = np.int64([[1], [3]])
    want = np.arange(4) < x[..., None]
    open_shapes.check(lambda t: fp.sequence_mask(t, 4), [x], want)
    open_shapes.check(fp.sequence_mask, [x], want[..., :3])
    assert fp.sequence_mask([1], 2, "float32").tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing):
    vectors = [np.int32([1, 2, 3]), np.int32([4, 5]), np.int32([6])]
    want = np.meshgrid(*vectors, indexing=indexing)
    got = fp.meshgrid(*vectors, indexing=indexing)
    assert [each.tolist() for each in got] == [each.tolist() for each in want]


@pytest.mark.parametrize(("shift", "axis"), [(1, 0), (-7, 1), ([1, -2], [0, 1]), (0, -1)])
def test_roll(shift, axis):
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    open_shapes.check(lambda t: fp.roll(t, shift, axis), [x], np.roll(x, shift, axis))


def test_ranges_of_constants_have_a_known_size():
    assert open_shapes.spec_of(lambda x: fp.range(0, 10, 3), ((), "int32")) == (4,)
    assert open_shapes.spec_of(lambda x: fp.repeat(x, 3), ((2,), "int32")) == (6,)
    assert open_shapes.spec_of(lambda x: fp.repeat(x, [1, 3], 1), ((5, 2), "int32")) == (5, 4)
    assert open_shapes.spec_of(lambda x: fp.repeat(x, [1, 3], 0), ((2,), "int32")) == (None,)
    assert open_shapes.spec_of(lambda x: fp.repeat(x, 0), ((None,), "int32")) == (0,)


def test_slices_stay_inside():
    with pytest.raises(InvalidArgumentError, match="begin 3 and size 0 for axis 0 of size 2"):
        slice_(np.zeros([2]), [3], [0])


def test_softmax():
    x = np.float64([[1, 2, 800], [0, 0, 0]])
    want = np.exp(x - x.max(1, keepdims=True))
    want /= want.sum(1, keepdims=True)
    open_shapes.check(nn.softmax, [x], want, 1e-12)
    np.testing.assert_allclose(np.exp(nn.log_softmax(x)), want)


def test_activations():
    x = np.float32([-2, 0, 8])
    assert nn.relu6(x).tolist() == [0, 0, 6]
    np.testing.assert_allclose(nn.leaky_relu(x), [-0.4, 0, 8], rtol=1e-6)
    np.testing.assert_allclose(nn.elu(x), [np.expm1(-2), 0, 8], rtol=1e-6)
    np.testing.assert_allclose(nn.silu(x), x / (1 + np.exp(-x)), rtol=1e-6)


def test_moments():
    x = np.float64([[1, 2], [3, 6]])
    mean, variance = nn.moments(x, [0])
    assert mean.tolist() == [2, 4] and variance.tolist() == [1, 4]


def test_blocks_of_pixels():
    x = np.arange(32, dtype=np.int32).reshape(1, 4, 4, 2)
    blocks = x.reshape(1, 2, 2, 2, 2, 2).transpose(0, 1, 3, 2, 4, 5).reshape(1, 2, 2, 8)
    open_sizes = [(None, None, None, 2)]
    (got,) = list(open_shapes.traced(lambda t: nn.space_to_depth(t, 2), [x], open_sizes))
    assert got.tolist() == blocks.tolist()
    assert nn.depth_to_space(blocks, 2).tolist() == x.tolist()


def test_clipping_by_the_norm_of_all():
    clipped, norm = linalg.clip_by_global_norm([np.float32([3]), np.float32([4])], 1.0)
    assert norm == 5 and np.allclose([each[0] for each in clipped], [0.6, 0.8])


def test_partitions_and_back():
    x, parts = np.int32([[1, 2], [3, 4], [5, 6]]), np.int32([1, 0, 1])
    want = [x[1:2], x[[0, 2]]]
    open_shapes.check(lambda t, p: dynamic_partition(t, p, 2), [x, parts], want)
    assert dynamic_stitch([[1], [0, 2]], want).tolist() == x.tolist()
    with pytest.raises(InvalidArgumentError, match="partitions must be between 0 and 1, got"):
        dynamic_partition([1], [2], 2)


def test_coordinates():
    got = np.unravel_index([5, 11, 0], [3, 4])
    assert unravel_index(np.int64([5, 11, 0]), [3, 4]).tolist() == np.array(got).tolist()


def test_shapes_that_broadcast():
    assert broadcast_static_shape((2, 1), (None, 3)) == (2, 3)
    assert broadcast_dynamic_shape([2, 1], [1, 3]).tolist() == [2, 3]
    with pytest.raises(ValueError, match="do not broadcast"):
        broadcast_static_shape((2,), (3,))


def test_matrices_with_another_diagonal():
    x = np.zeros([2, 2, 3], np.float32)
    got = linalg.set_diag(x, np.float32([[1, 2], [3, 4]]))
    assert got[1].tolist() == [[3, 0, 0], [0, 4, 0]]
