import numpy as np
import open_shapes
import pytest

from fastpipe import linalg
from fastpipe.errors import InvalidArgumentError

DTYPES = ["int32", "int64", "float16", "float32", "float64"]


def values(shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(-5, 6, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
def test_products(dtype, ta, tb):
    a, b = values((2, 3, 4), dtype), values((2, 4, 5), dtype, 1)
    want = np.matmul(a, b)
    a = np.ascontiguousarray(a.swapaxes(-1, -2)) if ta else a
    b = np.ascontiguousarray(b.swapaxes(-1, -2)) if tb else b
    open_shapes.check(lambda x, y: linalg.matmul(x, y, ta, tb), [a, b], want)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 1, 2, 3), (4, 3, 2)), ((0, 2), (2, 3)), ((2, 0), (0, 3)), ((3, 2, 2), (2, 2))],
)
def test_batches_broadcast_and_may_be_empty(a, b):
    x, y = values(a, "float64"), values(b, "float64", 1)
    open_shapes.check(linalg.matmul, [x, y], np.matmul(x, y))


def test_integers_wrap():
    x = np.int32([[2**30, 2**30]])
    assert linalg.matmul(x, np.int32([[2], [2]])).tolist() == [[0]]


@pytest.mark.parametrize(
    "equation",
    ["ij,jk->ik", "ij,jk", "bij,bjk->bik", "i,j->ij", "ij,ij->", "ij->ji", "ij->", "bi,i->b",
     "ij,jk,kl->il", "ab,cb->ac", "i,i->i"],
)  # fmt: skip
def test_einsum(equation):
    sizes = dict(zip("abcijkl", (2, 3, 4, 2, 3, 4, 5)))
    terms = equation.partition("->")[0].split(",")
    inputs = [values([sizes[c] for c in term], "float64", i) for i, term in enumerate(terms)]
    want = np.asarray(np.einsum(equation, *inputs))[()]
    got = linalg.einsum(equation, *inputs)
    np.testing.assert_allclose(got, want)
    assert np.shape(got) == np.shape(want)


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3), (3, 4), 1),
        ((2, 3), (3, 2), [[0, 1], [1, 0]]),
        ((2,), (3,), 0),
        ((2,), (3, 2), [0, 1]),
    ],
)
def test_tensordot(a, b, axes):
    x, y = values(a, "int64"), values(b, "int64", 1)
    want = np.asarray(np.tensordot(x, y, axes))[()]
    np.testing.assert_array_equal(linalg.tensordot(x, y, axes), want)


def test_what_is_made_of_it():
    x = values((2, 3, 3), "float64")
    open_shapes.check(linalg.matvec, [x[0], x[1, 0]], x[0] @ x[1, 0])
    assert linalg.diag_part(x).tolist() == np.diagonal(x, axis1=1, axis2=2).tolist()
    assert linalg.trace(x).tolist() == np.trace(x, axis1=1, axis2=2).tolist()
    assert linalg.band_part(x, 0, 1).tolist() == (np.triu(x) - np.triu(x, 2)).tolist()
    assert linalg.diag(x[0]).tolist() == [np.diag(row).tolist() for row in x[0]]


def test_norms():
    x = values((2, 3), "float64")
    for ord_, numpy_ord in [("euclidean", 2), (1, 1), (3, 3), (np.inf, np.inf)]:
        want = np.linalg.norm(x, numpy_ord, axis=1)
        np.testing.assert_allclose(linalg.norm(x, ord_, axis=1), want)
    np.testing.assert_allclose(linalg.norm(x), np.linalg.norm(x))
    unit = linalg.l2_normalize(x + 9, axis=1)
    np.testing.assert_allclose((unit**2).sum(1), 1)
    clipped = linalg.clip_by_norm(x, 1.0)
    np.testing.assert_allclose(np.linalg.norm(clipped), min(np.linalg.norm(x), 1))


def test_errors():
    with pytest.raises(InvalidArgumentError, match="inner sizes must be equal, got 3 and 2"):
        linalg.matmul(np.zeros([2, 3]), np.zeros([2, 3]))
    with pytest.raises(InvalidArgumentError, match="two axes or more"):
        linalg.matmul(np.zeros([3]), np.zeros([3, 2]))
    with pytest.raises(InvalidArgumentError, match="got uint8"):
        linalg.matmul(np.uint8([[1]]), np.uint8([[1]]))
    with pytest.raises(ValueError, match="names 2 inputs, got 1"):
        linalg.einsum("ij,jk->ik", [[1]])
    with pytest.raises(NotImplementedError, match="stands twice"):
        linalg.einsum("ii->i", [[1]])
