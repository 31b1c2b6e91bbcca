import numpy as np
import open_shapes
import pytest

from fastpipe import image
from fastpipe.errors import InvalidArgumentError

IMAGES = np.random.default_rng(1).integers(0, 255, (4, 13, 17, 3)).astype(np.uint8)


@pytest.mark.parametrize(("seed", "place"), [([1, 2], (1, 2, 8)), ([-5, 2**40], (0, 4, 3))])
def test_the_place_is_tensorflows(seed, place):
    n, y, x = place
    want = IMAGES[n : n + 2, y : y + 5, x : x + 9]
    got = image.stateless_random_crop(IMAGES, [2, 5, 9, 3], np.array(seed))
    np.testing.assert_array_equal(got, want)


def test_any_dtype_and_rank():
    words = np.array([b"a", b"b", b"c", b"d"], object)
    got = image.stateless_random_crop(words, [2], [1, 2]).tolist()
    assert got in [[b"a", b"b"], [b"b", b"c"], [b"c", b"d"]]
    assert int(image.stateless_random_crop(np.int32(3), [], [1, 2])) == 3


def test_all_and_nothing_of_a_value():
    assert np.array_equal(image.stateless_random_crop(IMAGES, IMAGES.shape, [1, 2]), IMAGES)
    assert image.stateless_random_crop(IMAGES, [0, 5, 9, 3], [1, 2]).shape == (0, 5, 9, 3)


def test_every_place_is_taken():
    starts = [int(image.stateless_random_crop(np.arange(5), [3], [7, n])[0]) for n in range(60)]
    assert set(starts) == {0, 1, 2}


def test_shapes_may_be_known_only_when_it_runs():
    inputs = [IMAGES, np.array([2, 5, 9, 3]), np.array([1, 2])]
    open_shapes.check(image.stateless_random_crop, inputs, IMAGES[1:3, 2:7, 8:17])
    crop = lambda x: image.random_crop(x, [24, 24, 3], seed=1)  # noqa: E731
    assert open_shapes.spec_of(crop, ((None, None, 3), "uint8")) == (24, 24, 3)


@pytest.mark.parametrize("size", [[4, 4, 1], [2, 2], [-1, 2, 1]])
def test_what_does_not_fit_is_named_while_tracing(size):
    with pytest.raises(InvalidArgumentError, match="size must fit|-1"):
        open_shapes.spec_of(lambda x: image.random_crop(x, size), ((3, 3, 1), "uint8"))


def test_what_does_not_fit_is_named_when_it_runs():
    with pytest.raises(InvalidArgumentError, match=r"got size \[4\] and a value of shape \[3\]"):
        list(open_shapes.traced(lambda x: image.random_crop(x, [4]), [np.zeros(3)], [(None,)]))
