"""TensorFlow's `name=` is taken wherever TensorFlow takes it, and means nothing."""

import inspect

import pytest

from fastpipe import arithmetic, array, linalg, logic, math, nn, reductions, scatter, strings


@pytest.mark.parametrize(
    "module", [arithmetic, array, linalg, logic, math, nn, reductions, scatter, strings]
)
def test_functions_take_a_name(module):
    without = {"Constant", "TopK", "broadcast_static_shape", "constant", "index"}
    for name in module.__all__:
        if name in without:
            continue
        function = getattr(module, name)
        assert "name" in inspect.signature(function).parameters, f"{module.__name__}.{name}"


def test_it_changes_nothing():
    assert math.add(1, 2, name="sum") == 3
    assert strings.lower("A", name="small") == b"a"
    assert reductions.reduce_sum([1, 2], name="total") == 3
