from laws import check_op, outcomes

import fastpipe as fp


def numbers(ds, count=50):
    return outcomes(iter(ds), count)


def test_it_is_endless_and_repeatable():
    check_op(
        lambda: fp.Dataset.random(seed=3),
        numbers(fp.Dataset.random(seed=3), 20),
        endless=True,
        cardinality=fp.INFINITE_CARDINALITY,
    )


def test_seeds_tell_sequences_apart():
    assert numbers(fp.Dataset.random(seed=1)) != numbers(fp.Dataset.random(seed=2))
    assert numbers(fp.Dataset.random()) != numbers(fp.Dataset.random())


def test_numbers_are_int64_and_spread_evenly():
    ds = fp.Dataset.random(seed=7)
    assert ds.element_spec == fp.TensorSpec((), "int64")
    values = numbers(ds, 4000)
    assert len(set(values)) > 3900
    top = max(values) + 1
    counts = [0] * 8
    for value in values:
        counts[value * 8 // top] += 1
    # 500 expected in each, standard deviation 21: six of them away.
    assert min(counts) > 370 and max(counts) < 630


def test_the_numbers_are_those_of_tensorflow():
    assert numbers(fp.Dataset.random(seed=4), 6) == [
        3128586565, 2023892699, 452966358, 4293674553, 1485036815, 119868753,
    ]  # fmt: skip
    assert numbers(fp.Dataset.random(seed=-5), 3) == [1891035782, 2212076750, 20768864]
    assert numbers(fp.Dataset.random(seed=2**40 + 3), 3) == [1516388359, 3772509455, 2392157836]


def test_passes_may_differ():
    ds = fp.Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)
    epochs = [1905554911, 4215726141, 1283758208, 1683472663, 2279948892, 2709632186]
    assert outcomes(iter(ds.repeat(2))) == epochs
    assert outcomes(iter(ds)) == epochs[:3] != outcomes(iter(ds))
