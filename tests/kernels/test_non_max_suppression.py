"""non_max_suppression: against the greedy algorithm as papers state it."""

from __future__ import annotations

import math

import numpy as np
import open_shapes
import pytest

from fastpipe import image
from fastpipe.dataset import Dataset
from fastpipe.errors import InvalidArgumentError

Box = list[float]


def overlap(a: Box, b: Box) -> float:
    corners = [[sorted((box[axis], box[axis + 2])) for axis in (0, 1)] for box in (a, b)]
    areas = [math.prod(high - low for low, high in box) for box in corners]
    if min(areas) <= 0:
        return 0.0
    shared = [max(0.0, min(x[1], y[1]) - max(x[0], y[0])) for x, y in zip(corners[0], corners[1])]
    return math.prod(shared) / (sum(areas) - math.prod(shared))


def kept(
    boxes: list[Box], scores: list[float], count: int, threshold: float, least: float, sigma: float
) -> list[tuple[int, float]]:
    left = {i: score for i, score in enumerate(scores) if score > least}
    result: list[tuple[int, float]] = []
    while left and len(result) < count:
        best = max(left, key=lambda i: (left[i], -i))
        result.append((best, left.pop(best)))
        for i in list(left):
            part = overlap(boxes[i], boxes[best])
            if sigma > 0:
                left[i] *= math.exp(-(part**2) / (2 * sigma))
            if left[i] <= least or (sigma == 0 and part > threshold):
                del left[i]
    return result


def random_boxes(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 12, (count, 4)).astype(np.float32)
    return corners, rng.permutation(count).astype(np.float32) / count


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("least", [-math.inf, 0.31])
def test_hard(seed: int, threshold: float, least: float) -> None:
    boxes, scores = random_boxes(seed, 40)
    for count in (0, 3, 100):
        expected = kept(boxes.tolist(), scores.tolist(), count, threshold, least, 0)
        indices = np.array([i for i, _ in expected], np.int32)
        open_shapes.check(
            lambda b, s, n: image.non_max_suppression(b, s, n, threshold, least),
            [boxes, scores, np.int32(count)],
            indices,
        )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sigma", [0.1, 0.5])
def test_soft(seed: int, sigma: float) -> None:
    boxes, scores = random_boxes(seed, 30)
    expected = kept(boxes.tolist(), scores.tolist(), 20, 0.5, 0.05, sigma)
    indices, lowered = image.non_max_suppression_with_scores(
        boxes, scores, 20, 0.5, 0.05, soft_nms_sigma=sigma
    )
    assert indices.tolist() == [i for i, _ in expected]
    np.testing.assert_allclose(lowered, [score for _, score in expected], rtol=1e-5)


def test_of_equal_scores_the_first_is_kept() -> None:
    same = [[0, 0, 1, 1]] * 3
    assert image.non_max_suppression(same, [0.5, 0.5, 0.5], 3).tolist() == [0]


def test_boxes_without_area_overlap_nothing() -> None:
    assert image.non_max_suppression([[0, 0, 1, 0]] * 3, [1, 3, 2], 9).tolist() == [1, 2, 0]


def test_a_score_that_is_no_number_does_not_count() -> None:
    assert image.non_max_suppression([[0, 0, 1, 1]] * 2, [np.nan, 0.1], 9).tolist() == [1]


def test_no_boxes() -> None:
    assert image.non_max_suppression(np.zeros((0, 4)), np.zeros(0), 5).shape == (0,)


def test_a_count_known_when_the_function_runs() -> None:
    boxes, scores = random_boxes(0, 10)
    counts = Dataset.from_tensor_slices(np.array([1, 2, -1]))
    indices = iter(counts.map(lambda n: image.non_max_suppression(boxes, scores, n)))
    assert [len(next(indices)) for _ in range(2)] == [1, 2]
    with pytest.raises(InvalidArgumentError, match="max_output_size must be"):
        next(indices)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 0, 1]], [1], 1), r"takes boxes \[count, 4\] and a score for each, got float32"),
        (([[0, 0, 1, 1]], [1, 2], 1), r"\[1, 4\] and float32 \[2\]"),
        (([0, 0, 1, 1], [1], 1), r"got float32 \[4\]"),
        (([[0, 0, 1, 1]], 1.0, 1), r"and float32 \[\]"),
        (([[0, 0, 1, 1]], [1], -1), "max_output_size must be a scalar of at least 0"),
        (([[0, 0, 1, 1]], [1], 1.5), "max_output_size must be an integer, got float32"),
        (([[0, 0, 1, 1]], [1], 1, 1.5), "iou_threshold must be from 0 to 1, got 1.5"),
        (([[0, 0, 1, 1]], [1], 1, [0.5]), "iou_threshold must be a float32 scalar"),
    ],
)
def test_wrong_arguments(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        image.non_max_suppression(*arguments)
