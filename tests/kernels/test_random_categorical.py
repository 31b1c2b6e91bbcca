import numpy as np
import open_shapes
import pytest

from fastpipe import random
from fastpipe.errors import InvalidArgumentError

LOGITS = np.log(np.random.default_rng(0).random((3, 5))).astype(np.float32)
# What TensorFlow 2.21 draws for them.
CLASSES = [
    [4, 4, 0, 4, 2, 4, 4, 0, 4, 4, 4],
    [1, 0, 1, 3, 1, 4, 2, 4, 2, 1, 1],
    [2, 2, 0, 4, 2, 2, 4, 4, 3, 2, 2],
]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_the_classes_are_tensorflows(dtype):
    got = random.stateless_categorical(LOGITS, 11, [1, 2], dtype)
    assert got.dtype == dtype and got.tolist() == CLASSES


def test_shapes_may_be_known_only_when_it_runs():
    inputs = [LOGITS, np.int32(11), np.array([1, 2])]
    open_shapes.check(random.stateless_categorical, inputs, np.array(CLASSES))


def test_impossible_classes_are_never_drawn():
    logits = np.array([[-np.inf, 0.0, np.nan, 0.0]])
    got = random.stateless_categorical(logits, 1000, [3, 4])
    assert set(got.ravel().tolist()) == {1, 3}


def test_classes_come_by_their_probabilities():
    logits = np.log(np.float64([[0.1, 0.2, 0.7]]))
    got = random.stateless_categorical(logits, 20_000, [5, 6]).ravel()
    assert abs(np.bincount(got) / len(got) - [0.1, 0.2, 0.7]).max() < 0.01


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0, 1.0], 1), r"logits must be \[batch, classes\]"),
        ((np.zeros((2, 0)), 1), "at least one class"),
        (([[1, 2]], 1), "input 0 must be"),
        (([[1.0]], -1), "num_samples must be one integer >= 0"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(InvalidArgumentError, match=message):
        random.stateless_categorical(*arguments, [1, 2])


def test_no_samples_and_no_rows():
    assert random.stateless_categorical(LOGITS, 0, [1, 2]).shape == (3, 0)
    assert random.stateless_categorical(LOGITS[:0], 4, [1, 2]).shape == (0, 4)
