import pytest
from laws import check_op

import fastpipe as fp


def constant(value):
    return fp.Dataset.from_tensors(value).repeat()


def sample(**arguments):
    parts = [fp.Dataset.range(start, start + 5) for start in (0, 10, 20)]
    return fp.Dataset.sample_from_datasets(parts, **arguments)


def test_every_element_comes_once_and_each_dataset_in_its_order():
    check_op(lambda: sample(seed=3), [*range(5), *range(10, 15), *range(20, 25)], alike=False)
    got = [int(x) for x in sample(seed=3)]
    for start in (0, 10, 20):
        assert [x for x in got if start <= x < start + 10] == list(range(start, start + 5))


def test_it_stops_with_the_first_dataset_that_ends_if_asked():
    got = [int(x) for x in sample(seed=3, stop_on_empty_dataset=True)]
    assert any(last in got for last in (4, 14, 24))
    assert len(got) < 15


def test_weights_are_frequencies():
    ds = fp.Dataset.sample_from_datasets([constant(0), constant(1)], weights=[0.8, 0.2], seed=4)
    ones = sum(int(x) for x in ds.take(5000))
    # 1000 expected, standard deviation 28: six of them away.
    assert 830 < ones < 1170


def test_without_weights_all_are_equally_frequent():
    ds = fp.Dataset.sample_from_datasets([constant(0), constant(1)], seed=4)
    assert 2250 < sum(int(x) for x in ds.take(5000)) < 2750


def test_a_weight_of_zero_is_never_chosen():
    ds = fp.Dataset.sample_from_datasets([constant(0), constant(1)], weights=[1.0, 0.0], seed=4)
    assert sum(int(x) for x in ds.take(200)) == 0


def test_equal_seeds_give_equal_orders():
    def order(seed):
        return [int(x) for x in sample(seed=seed)]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0], []])
def test_impossible_weights_are_refused(weights):
    with pytest.raises((ValueError, TypeError)):
        sample(weights=weights)


def test_no_datasets_are_refused():
    with pytest.raises((ValueError, TypeError)):
        fp.Dataset.sample_from_datasets([])
