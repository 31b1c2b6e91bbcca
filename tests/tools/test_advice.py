"""From tables to advice: each case is a table and what must come out."""

import pytest

from fastpipe.node import AUTOTUNE
from fastpipe.tools.advice import DISK, SLOW, Row, advise, cost_of_python
from fastpipe.tools.work import Variant

SEQUENTIAL = Variant("sequential")
MAP, MAP_AUTO = Variant("map", 2), Variant("map", AUTOTUNE)
LANES, INTERLEAVE = Variant("interleave"), Variant("interleave", 2)
INTERLEAVE_AUTO = Variant("interleave", AUTOTUNE)
PYTHON = Variant("python map", 2)
ALL = (SEQUENTIAL, MAP, MAP_AUTO, LANES, INTERLEAVE, INTERLEAVE_AUTO)


def table(storage, *rates, cpu_ms=1.0, noise=0.0):
    return [
        Row(storage, variant, rate, cpu_ms, 1 if variant.threads is None else 16, noise)
        for variant, rate in zip(ALL, rates)
    ]


@pytest.mark.parametrize(
    "rates, expected",
    [
        ((100, 190, 200, 100, 180, 170), MAP_AUTO),
        ((100, 100, 100, 100, 100, 100), SEQUENTIAL),
        ((96, 100, 90, 80, 70, 60), SEQUENTIAL),
        ((94, 100, 90, 80, 70, 60), MAP),
        ((100, 120, 120, 100, 400, 1100), INTERLEAVE_AUTO),
        ((100, 120, 1060, 100, 400, 1100), MAP_AUTO),
        ((100, 120, 1000, 100, 400, 1100), INTERLEAVE_AUTO),
        ((100, 90, 90, 200, 150, 150), LANES),
        ((100, 300, 200, 100, 310, 100), MAP),
        ((100, 280, 200, 100, 310, 100), INTERLEAVE),
    ],
)
def test_best_or_the_simplest_of_equals(rates, expected):
    rows = table(DISK, *rates)
    advice = advise(rows)
    assert advice.variants == {DISK: expected}
    assert advice.text.startswith("Use ") and advice.text.endswith(".")


def test_one_variant_for_both_storages_if_it_is_good_on_both():
    # On the disk map with 2 threads is a little better, on slow storage AUTOTUNE much.
    rows = table(DISK, 100, 200, 195, 100, 180, 180) + table(SLOW, 10, 20, 110, 10, 20, 60)
    advice = advise(rows)
    assert advice.variants == {DISK: MAP_AUTO, SLOW: MAP_AUTO}
    assert "map(..., num_parallel_calls=AUTOTUNE)" in advice.text
    assert "on this disk it is 1.9x sequential" in advice.text
    assert "on slow storage it is 11.0x sequential" in advice.text
    assert "interleave reaches 0.55 of that at best" in advice.text


def test_says_when_the_storages_differ():
    rows = table(DISK, 1000, 500, 500, 1000, 400, 400) + table(SLOW, 10, 10, 10, 10, 20, 110)
    advice = advise(rows)
    assert advice.variants == {DISK: SEQUENTIAL, SLOW: INTERLEAVE_AUTO}
    assert "On this disk use a plain map without threads" in advice.text
    assert "On slow storage use interleave(..., num_parallel_calls=AUTOTUNE)" in advice.text
    assert "If you do not know" in advice.text
    assert "0.40 of the best on this disk, 1.00 of the best on slow storage" in advice.text


def test_reason_follows_where_sequential_spent_its_time():
    waiting = table(SLOW, 10, 20, 110, 10, 20, 60, cpu_ms=2.0)
    assert "sequential waits for files 98% of the time" in advise(waiting).text
    computing = table(DISK, 100, 195, 200, 100, 180, 170, cpu_ms=9.9)
    text = advise(computing).text
    assert "the work is CPU time, and 16 threads keep 2.0 cores busy" in text
    # Other processes had the cores: that is not waiting for files.
    busy = [
        Row(row.storage, row.variant, row.rate, row.cpu_ms, row.threads, queued=0.5)
        for row in table(DISK, 100, 195, 200, 100, 180, 170, cpu_ms=5.0)
    ]
    assert "waits for files" not in advise(busy).text


def test_noise_widens_what_counts_as_equal_but_not_without_end():
    rates = (90, 100, 80, 80, 80, 80)
    assert advise(table(DISK, *rates)).variants == {DISK: MAP}
    assert advise(table(DISK, *rates, noise=0.12)).variants == {DISK: SEQUENTIAL}
    assert advise(table(DISK, 80, 100, 70, 70, 70, 70, noise=0.9)).variants == {DISK: MAP}


def test_cost_of_python():
    rows = table(DISK, 100, 200, 200, 100, 180, 170) + [Row(DISK, PYTHON, 80, 1.5, 2)]
    assert "0.40 times the speed at 1.5 times the CPU time" in cost_of_python(rows)
    assert cost_of_python(table(DISK, 1, 1, 1, 1, 1, 1)) == ""
    assert advise(rows).variants == {DISK: MAP_AUTO}


def test_python_is_advised_if_it_wins():
    rows = table(DISK, 100, 200, 200, 100, 180, 170) + [Row(DISK, PYTHON, 300, 1.5, 2)]
    advice = advise(rows)
    assert advice.variants == {DISK: PYTHON}
    assert "of the Python function" in advice.text
