import pytest
from laws import check_op, outcomes

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


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0, 1.0], []])
def test_impossible_weights_are_refused(weights):
    with pytest.raises((ValueError, TypeError)):
        sample(weights=weights)


@pytest.mark.parametrize(
    "weights, expected",
    [
        ([0.3, 0.7], "100 101 0 102 103 104 105 106 107 108 109 1 2 3 4 5 6 7 8 9"),
        (None, "0 100 1 2 101 102 103 3 104 105 4 5 6 106 7 107 108 109 8 9"),
    ],
)
def test_the_draws_are_those_of_tensorflow(weights, expected):
    two = [fp.Dataset.range(10), fp.Dataset.range(100, 110)]
    check_op(
        lambda: fp.Dataset.sample_from_datasets(two, weights, seed=4),
        [int(x) for x in expected.split()],
    )


def test_what_is_hardly_ever_drawn_comes_when_nothing_else_is_left():
    two = [fp.Dataset.range(3), fp.Dataset.range(10, 13)]
    check_op(
        lambda: fp.Dataset.sample_from_datasets(two, [1.0, 1e-12], seed=1), [0, 1, 2, 10, 11, 12]
    )


def test_no_datasets_are_refused():
    with pytest.raises((ValueError, TypeError)):
        fp.Dataset.sample_from_datasets([])


def test_weights_of_nothing_give_nothing():
    assert outcomes(iter(sample(weights=[0.0, 0.0, 0.0]))) == []


def test_weights_may_change_from_draw_to_draw():
    ones, twos = (fp.Dataset.from_tensors(x).repeat() for x in (1, 2))
    weights = fp.Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 3.0], [0.0, 0.5], [2.0, 0.0]])
    ds = fp.Dataset.sample_from_datasets([ones, twos], weights.repeat(3), seed=1)
    assert outcomes(iter(ds)) == [1, 2, 2, 1] * 3
    even = fp.Dataset.from_tensors([1.0, 1.0]).repeat(2000)
    drawn = outcomes(iter(fp.Dataset.sample_from_datasets([ones, twos], even, seed=5)))
    # 1000 expected, standard deviation 22: six of them away.
    assert len(drawn) == 2000 and 866 < drawn.count(1) < 1134


def test_passes_may_have_draws_of_their_own():
    def passes(anew):
        ds = [fp.Dataset.range(100), fp.Dataset.range(100, 200)]
        ds = fp.Dataset.sample_from_datasets(ds, seed=3, rerandomize_each_iteration=anew)
        return [tuple(outcomes(iter(ds))) for _ in range(2)]

    assert len(set(passes(False))) == 1 and len(set(passes(True))) == 2


# ---- rejection_resample, which samples from a dataset and a part of it ----


def classes_of(ds):
    return [int(number) for number, _ in ds]


def unbalanced(count=3000):
    return fp.Dataset.range(count).map(lambda x: {"class": fp.cast(x % 10 == 0, fp.int32), "x": x})


@pytest.mark.parametrize("initial", [None, [0.9, 0.1]])
@pytest.mark.parametrize("target", [[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
def test_classes_come_as_the_target_says(initial, target):
    ds = unbalanced().rejection_resample(lambda x: x["class"], target, initial, seed=4)
    got = classes_of(ds)
    assert len(got) > 100
    # An estimate begins with the wrong idea that classes are equal.
    assert abs(sum(got) / len(got) - target[1]) < (0.1 if initial else 0.15)
    assert classes_of(ds) == got
    number, element = next(iter(ds))
    assert number == element["class"]


def test_nothing_is_left_out_of_what_is_right_already():
    ds = fp.Dataset.range(6).map(lambda x: (x, -x))
    same = ds.rejection_resample(lambda x, y: fp.cast(x % 2, fp.int32), [0.5, 0.5], [0.5, 0.5])
    assert outcomes(iter(same)) == [(x % 2, (x, -x)) for x in range(6)]
