import pytest
from laws import FAILED, check_op, check_transformation, numbers, outcomes

import fastpipe as fp


def test_elements_come_side_by_side_up_to_the_shortest():
    check_transformation(
        lambda ds: fp.Dataset.zip(ds, fp.Dataset.range(5)),
        lambda values: zip(values, range(5)),
        failing=False,
    )


def test_an_error_takes_its_partner_along_so_that_pairs_stay_together():
    for pair in (
        fp.Dataset.zip(numbers([10, 12], failing=1), fp.Dataset.range(3)),
        fp.Dataset.zip(fp.Dataset.range(3), numbers([10, 12], failing=1)).map(lambda a, b: (b, a)),
    ):
        assert outcomes(iter(pair)) == [(10, 0), FAILED, (12, 2)]


def test_structures_are_nested():
    def make():
        a, b, c = (fp.Dataset.range(n, n + 2) for n in (0, 10, 20))
        return fp.Dataset.zip({"x": a, "yz": (b, c)})

    check_op(make, [{"x": n, "yz": (10 + n, 20 + n)} for n in (0, 1)], cardinality=2)


def test_one_dataset_may_be_zipped_in_a_tuple():
    check_op(lambda: fp.Dataset.zip((fp.Dataset.range(2),)), [(0,), (1,)], cardinality=2)


def test_elements_with_structure_keep_it():
    ds = fp.Dataset.range(2).enumerate()
    check_op(lambda: fp.Dataset.zip(ds, ds), [((0, 0), (0, 0)), ((1, 1), (1, 1))], cardinality=2)


@pytest.mark.parametrize(
    ("sizes", "cardinality"), [((3, 5), 3), ((3, -1), 3), ((-1, -1), -1), ((3, -2), -2)]
)
def test_the_cardinality_is_that_of_the_shortest(sizes, cardinality):
    def dataset(size):
        if size == fp.INFINITE_CARDINALITY:
            return fp.Dataset.counter()
        if size == fp.UNKNOWN_CARDINALITY:
            return fp.Dataset.range(9).filter(lambda x: x > 0)
        return fp.Dataset.range(size)

    assert fp.Dataset.zip(*map(dataset, sizes)).cardinality() == cardinality


@pytest.mark.parametrize("wrong", [[], 3, "text"])
def test_only_datasets_can_be_zipped(wrong):
    with pytest.raises((TypeError, ValueError)):
        fp.Dataset.zip(fp.Dataset.range(2), wrong)


def test_the_same_dataset_may_come_twice():
    ds = fp.Dataset.range(20).shuffle(20, seed=1)
    pairs = [(int(a), int(b)) for a, b in fp.Dataset.zip(ds, ds)]
    assert sorted(a for a, _ in pairs) == sorted(b for _, b in pairs) == list(range(20))
