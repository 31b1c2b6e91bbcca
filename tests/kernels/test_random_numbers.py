"""The tables are what TensorFlow 2.21 computes on a CPU."""

import numpy as np
import open_shapes
import pytest

import fastpipe as fp
from fastpipe import random
from fastpipe.errors import InvalidArgumentError

SEED = [1, 2]
WIDE_SEED = [-5, 2**40]

UNIFORM = {
    "float16": [0.54296875, 0.2353515625, 0.060546875, 0.8935546875, 0.1435546875, 0.4423828125],
    "bfloat16": [0.34375, 0.8828125, 0.484375, 0.1484375, 0.1484375, 0.5390625],
    "float32": [
        0.8440604209899902, 0.19204533100128174, 0.9962232112884521, 0.16038739681243896,
        0.27199018001556396, 0.6493459939956665,
    ],
    "float64": [
        0.7524837538451801, 0.9697857725627486, 0.17592233912897481, 0.8555556648693279,
        0.514811871731222, 0.6077450497806227,
    ],
}  # fmt: skip
NORMAL = {
    "float16": [0.5439453125, 0.2073974609375, 0.07354736328125, 0.04644775390625, -1.3017578125],
    "bfloat16": [0.54296875, 0.20703125, 0.07373046875, 0.04638671875, -1.3046875],
    "float32": [
        0.544110119342804, 0.20738030970096588, 0.0735643208026886, 0.04643455147743225,
        -1.301589846611023,
    ],
    "float64": [
        -0.1423118100189212, 0.7406072461585091, -1.469047669443883, 1.147747453689489,
        -0.7218813856153005,
    ],
}  # fmt: skip
TRUNCATED_NORMAL = {
    "float16": [0.5439453125, 0.2073974609375, 0.07354736328125, 0.04644775390625, 0.168212890625],
    "bfloat16": [0.54296875, 0.20703125, 0.07373046875, 0.04638671875, 0.16796875],
    "float32": [
        0.544110119342804, 0.20738030970096588, 0.0735643208026886, 0.04643455147743225,
        0.16820591688156128,
    ],
    "float64": [
        -0.1423118100189212, 0.7406072461585091, -0.552387756244845, -0.734450092480207,
        -0.39842023956588357,
    ],
}  # fmt: skip
BITS = {
    "int32": [1105988140, 1738052849, -335576002, 370444179, 10670227],
    "uint32": [1105988140, 1738052849, 3959391294, 370444179, 10670227],
    "int64": [7464880146280614444, 1591045637757961278, -1057468755545501549],
    "uint64": [7464880146280614444, 1591045637757961278, 17389275318164050067],
}


def as_float64(draw):
    """The numbers of a function that draws some; NumPy itself may not have their dtype."""
    (numbers,) = fp.Dataset.from_tensors(0).map(lambda _: fp.cast(draw(), "float64"))
    return numbers


@pytest.mark.parametrize("dtype", UNIFORM)
def test_uniform_numbers_are_tensorflows(dtype):
    got = as_float64(lambda: random.stateless_uniform([2, 3], SEED, dtype=dtype))
    assert got.ravel().tolist() == UNIFORM[dtype]


@pytest.mark.parametrize(
    ("draw", "table"),
    [(random.stateless_normal, NORMAL), (random.stateless_truncated_normal, TRUNCATED_NORMAL)],
)
@pytest.mark.parametrize("dtype", NORMAL)
def test_normal_numbers_are_tensorflows(draw, table, dtype):
    got = as_float64(lambda: draw([5], SEED, dtype=dtype))
    tolerance = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(got, table[dtype], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", BITS)
def test_integers_of_all_values_are_tensorflows(dtype):
    want = np.array(BITS[dtype], dtype)
    got = random.stateless_uniform([len(want)], SEED, None, None, dtype)
    assert got.dtype == dtype and got.tolist() == want.tolist()


def test_integers_between_bounds_are_tensorflows():
    draw = random.stateless_uniform
    assert draw([7], SEED, -10, 1000, "int32").tolist() == [760, 399, 394, 409, 577, 465, 391]
    assert draw([7], SEED, -10, 1000, "int64").tolist() == [494, 808, 557, 43, 843, 794, 57]
    whole = np.iinfo(np.int32)
    got = draw([3], SEED, whole.min, whole.max, "int32")
    assert got.tolist() == [-1041495508, -409430799, 1811907646]


def test_all_of_a_seed_counts():
    got = random.stateless_uniform([3], np.array(WIDE_SEED))
    assert got.tolist() == [0.9402140378952026, 0.5625103712081909, 0.019165396690368652]
    got = random.stateless_truncated_normal([6], np.array(WIDE_SEED))
    want = [-0.13439448, -0.32439727, -1.2159101, -0.84518075, -1.28965652, 0.95947063]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_bounds_mean_and_deviation_are_applied_in_the_dtype():
    got = random.stateless_uniform([2], SEED, 2, [4, 6])
    np.testing.assert_array_equal(
        got, np.float32([2, 2]) + np.float32([2, 4]) * UNIFORM["float32"][:2]
    )
    got = random.stateless_normal([2], SEED, mean=[3.0, 4.0], stddev=2)
    want = np.float32(NORMAL["float32"][:2]) * 2 + np.float32([3, 4])
    np.testing.assert_allclose(got, want, rtol=1e-6)
    small = as_float64(lambda: random.stateless_uniform([50], SEED, -1, 1, "bfloat16"))
    assert (abs(small) <= 1).all() and small.min() < 0


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_a_longer_result_begins_with_the_shorter_one(name):
    for draw in (random.stateless_uniform, random.stateless_normal):
        long = draw([101], SEED, dtype=name)
        for count in (0, 1, 3, 4, 5, 100):
            assert draw([count], SEED, dtype=name).tolist() == long[:count].tolist()


def test_shapes_and_seeds_may_be_known_only_when_it_runs():
    want = random.stateless_uniform([2, 3], SEED)
    seed, shape = np.array(SEED), np.array([2, 3])
    open_shapes.check(random.stateless_uniform, [shape, seed], want)
    open_shapes.check(
        lambda rows, seed: random.stateless_uniform([rows, 3], seed), [np.int64(2), seed], want
    )
    shape_of = open_shapes.spec_of
    assert shape_of(lambda s: random.stateless_normal([4, 5], s), ((2,), "int64")) == (4, 5)
    assert shape_of(lambda n: random.stateless_normal([4, n], SEED), ((), "int32")) == (4, None)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: random.stateless_uniform([2], [1, 2, 3]), "seed must be"),
        (lambda: random.stateless_uniform([2], [1.0, 2.0]), "seed must be int32"),
        (lambda: random.stateless_uniform([-1], SEED), "-1"),
        (lambda: random.stateless_uniform(3, SEED), "shape must be a list"),
        (lambda: random.stateless_uniform([2], SEED, 5, 5, "int32"), "minval must be < maxval"),
        (lambda: random.stateless_uniform([2], SEED, dtype="int32"), "both or neither"),
        (lambda: random.stateless_uniform([2], SEED, 0, 3, "uint32"), "uint32 has no minval"),
        (lambda: random.stateless_uniform([2], SEED, dtype="int8"), "dtype must be one of"),
        (lambda: random.stateless_uniform([2], SEED, None), "minval must be a number"),
        (lambda: random.stateless_uniform([2], SEED, 0, [1, 2], "int32"), "must be scalars"),
        (lambda: random.stateless_normal([2], SEED, dtype="int32"), "dtype must be one of"),
        (lambda: random.stateless_normal([2], SEED, alg="threefry"), "alg must be"),
        (lambda: random.uniform([2], dtype="int32"), "maxval must be given"),
    ],
)
def test_wrong_arguments_are_named(draw, message):
    with pytest.raises(InvalidArgumentError, match=message):
        draw()


def test_numbers_are_spread_as_they_should_be():
    """Of a fixed seed, so that nothing here is a matter of luck."""
    count = 100_000
    uniform = random.stateless_uniform([count], [3, 4], dtype="float64")
    assert abs(uniform.mean() - 0.5) < 0.005 and abs(uniform.var() - 1 / 12) < 0.002
    tenths = np.bincount((uniform * 10).astype(int), minlength=10)
    assert abs(tenths - count / 10).max() < count / 200
    normal = random.stateless_normal([count], [3, 4])
    assert abs(normal.mean()) < 0.01 and abs(normal.std() - 1) < 0.01
    assert abs((abs(normal) < 1).mean() - 0.6827) < 0.01
    truncated = random.stateless_truncated_normal([count], [3, 4], 5, 2)
    assert abs(truncated - 5).max() <= 4 and abs(truncated.mean() - 5) < 0.02
    assert abs(truncated.std() - 2 * 0.8796) < 0.02
    dice = random.stateless_uniform([count], [3, 4], 1, 7, "int32")
    assert abs(np.bincount(dice)[1:] - count / 6).max() < count / 100


def test_seeds_can_be_split_and_joined_with_numbers():
    assert random.split(SEED, 2).tolist() == [[1105988140, 1738052849], [-335576002, 370444179]]
    assert random.fold_in(SEED, np.int32(7)).tolist() == [1105988140, 7]
    wide = random.split(np.array(SEED), num=2)
    assert wide.dtype == np.int64
    assert wide.tolist() == [
        [7464880146280614444, 1591045637757961278],
        [-1057468755545501549, 2524363516007002203],
    ]
