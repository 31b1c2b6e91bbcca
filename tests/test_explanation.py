"""explain(): the tree of ops, before, during and after a run; and what stats() counts."""

import itertools
import re

import pytest

import fastpipe as fp
from fastpipe import explanation
from fastpipe.explanation import Op, Run, explain, size_text

FIGURES = re.compile(
    r"\d[\d,]* elements? made, [\d.,e+-]+/s; \d[\d,]* of them ready, \d[\d.]* k?M?G?B "
    r"\(limit \d[\d.]* [kMG]B\); its consumer waits \d+ %"
)
TIMES = re.compile(r"threads busy \d+ %(, waiting for (input|their turn at the input|room) \d+ %)?")


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    """No line is wrapped, unless a test is about that."""
    monkeypatch.setattr(explanation, "_COLUMNS", 10_000)


def lines_of(text):
    """The lines of `text` without the places that made the ops."""
    return re.sub(r" \([\w.]+:\d+\)", "", text).splitlines()


def tree_of(dataset):
    """The lines of its ops: all before the budgets."""
    lines = lines_of(dataset.explain())
    return lines[: next(i for i, line in enumerate(lines) if line.startswith("budgets"))]


def joined(text):
    """`text` as one line, without what draws the tree."""
    return " ".join(re.sub("[│├└─·]", " ", text).split())


def increment(x):
    return x + 1


def picky(x):
    if x > 2:
        return x
    return x + 1


# ---- a dataset ----


def test_consumers_stand_above_their_inputs_and_each_op_says_whose_thread_runs_it():
    ds = fp.Dataset.range(9).map(increment, num_parallel_calls=2).batch(4).prefetch(3).take(2)
    assert tree_of(ds) == [
        "take 2: on the consumer's thread",
        "└─ prefetch: 1 thread, elements ahead: 3",
        "   └─ batch 4: on a thread of prefetch",
        "      └─ map increment: 2 threads",
        "         └─ range start=0 stop=9 step=1: on a thread of map",
    ]


def test_a_line_names_the_place_that_made_the_op():
    assert re.match(r"take 2 \(test_explanation\.py:\d+\): ", fp.Dataset.range(3).take(2).explain())


def test_an_op_without_inputs_is_one_line():
    assert tree_of(fp.Dataset.range(0)) == ["range start=0 stop=0 step=1: on the consumer's thread"]


def test_the_inputs_of_a_zip_hang_below_it_side_by_side():
    left = fp.Dataset.range(3).map(increment, num_parallel_calls=1)
    assert tree_of(fp.Dataset.zip(left, fp.Dataset.range(4).skip(1))) == [
        "zip: on the consumer's thread",
        "├─ map increment: 1 thread",
        "│  └─ range start=0 stop=3 step=1: on a thread of map",
        "└─ skip 1: on the consumer's thread",
        "   └─ range start=0 stop=4 step=1: on the consumer's thread",
    ]


def test_an_input_that_is_used_twice_is_written_once():
    ds = fp.Dataset.range(3).take(2)
    for _ in range(40):
        ds = ds.concatenate(ds)
    lines = tree_of(ds)
    assert len(lines) == 40 + 2 + 40
    assert sum(line.endswith(": as above") for line in lines) == 40


def test_a_pipeline_may_be_deep():
    ds = fp.Dataset.range(3)
    for _ in range(2000):
        ds = ds.take(3)
    lines = tree_of(ds)
    assert len(lines) == 2001
    assert max(map(len, lines)) < 150


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda ds: ds.map(increment, num_parallel_calls=fp.AUTOTUNE), "threads: AUTOTUNE"),
        (lambda ds: ds.batch(2, num_parallel_calls=fp.AUTOTUNE), "threads: AUTOTUNE"),
        (lambda ds: ds.prefetch(fp.AUTOTUNE), "1 thread, elements ahead: AUTOTUNE"),
        (lambda ds: ds.prefetch(0), "on the consumer's thread"),
        (lambda ds: ds.map(increment), "on the consumer's thread"),
    ],
)
def test_an_op_says_what_was_asked_for(make, said):
    assert tree_of(make(fp.Dataset.range(3)))[0].endswith(f": {said}")


def test_autotune_that_is_off_says_so():
    options = fp.Options(autotune=fp.AutotuneOptions(enabled=False))
    ds = fp.Dataset.range(3).map(increment, num_parallel_calls=fp.AUTOTUNE).with_options(options)
    assert tree_of(ds)[0] == "map increment: threads: AUTOTUNE (off)"
    assert ds.explain().endswith("\noptions: autotune.enabled=False")


def test_a_function_without_a_name_shows_what_it_computes():
    ds = fp.Dataset.from_tensors("a")
    assert tree_of(ds.map(fp.io.read_file))[0] == "map read_file: on the consumer's thread"
    ds = ds.map(lambda x: fp.strings.upper(fp.strings.strip(x)))
    assert tree_of(ds)[0].startswith("map string_strip → string_upper: ")
    assert tree_of(ds.map(lambda x: x))[0].startswith("map lambda: ")


def test_budgets_and_options_are_said_as_they_were_set():
    options = fp.Options(threading=fp.ThreadingOptions(private_threadpool_size=3))
    options.autotune.cpu_budget = 1
    options.autotune.ram_budget = 7_200_000
    lines = fp.Dataset.range(3).with_options(options).explain().splitlines()
    assert lines[1] == "budgets of all stages together: 1 core, 7.2 MB"
    assert lines[2].startswith("options: autotune.cpu_budget=1, autotune.ram_budget=7200000, ")
    assert lines[2].endswith("threading.private_threadpool_size=3")


# ---- functions that run as Python, datasets inside functions ----


def test_a_function_that_could_not_be_traced_is_named_with_the_line_and_the_reason():
    with pytest.warns(fp.errors.PythonFallbackWarning):
        ds = fp.Dataset.range(5).map(picky, num_parallel_calls=2)
    text = joined(ds.explain())
    assert re.search(
        r"map picky \(.*?\): 2 threads runs picky \(test_explanation\.py:\d+\) as Python, one "
        r"thread at a time under the GIL: tracing stopped at \S+test_explanation\.py:\d+ \(a ",
        text,
    )


def test_a_function_that_is_python_on_purpose_says_whose_purpose():
    asked = fp.Dataset.range(2).map(lambda x: fp.py_function(increment, [x], fp.int64))
    signed = fp.Dataset.range(2).map(increment, output_signature=fp.TensorSpec((), fp.int64))
    for ds, reason in [(asked, "py_function asks for it"), (signed, "it was given an output_")]:
        assert re.search(rf"runs increment \(\S+\) as Python.*GIL: {reason}", joined(ds.explain()))


def test_a_generator_is_python():
    ds = fp.Dataset.from_generator(lambda: range(3), output_signature=fp.TensorSpec((), fp.int64))
    assert "as Python, one thread at a time under the GIL: it is a generator" in joined(
        ds.explain()
    )


def test_ops_of_datasets_that_a_function_makes_stand_below_it():
    def inner(x):
        twice = fp.Dataset.range(x).map(increment, num_parallel_calls=2)
        return twice.map(lambda y: fp.py_function(increment, [y], fp.int64))

    lines = tree_of(fp.Dataset.range(3).interleave(inner, cycle_length=2))
    assert lines[:2] == [
        "interleave inner cycle_length=2: on the consumer's thread",
        "│   inside, for each element:",
    ]
    assert lines[2].startswith("│    · map py_call")
    assert lines[3].startswith("│       runs increment")
    assert "│    · map increment: 2 threads" in lines
    assert "│    · range start=0 step=1" in lines
    assert lines[-1] == "└─ range start=0 stop=3 step=1: on the consumer's thread"


def test_a_dataset_that_a_function_holds_is_inside_it_too():
    held = fp.Dataset.range(4).map(increment, num_parallel_calls=2)
    lines = tree_of(fp.Dataset.range(3).flat_map(lambda x: held.skip(x)))
    assert [line.partition("· ")[2] for line in lines if "·" in line] == [
        "skip",
        "map increment: 2 threads",
        "range start=0 stop=4 step=1",
    ]


def test_a_dataset_inside_a_traced_function_explains_itself():
    said = []

    def inner(x):
        ds = fp.Dataset.range(x).map(increment, num_parallel_calls=2).take(x)
        said.append(tree_of(ds))
        return ds

    assert [int(x) for x in fp.Dataset.range(3).flat_map(inner)] == [1, 1, 2]
    assert said == [
        [
            "take: on the consumer's thread",
            "└─ map increment: 2 threads",
            "   └─ range start=0 step=1: on a thread of map",
        ]
    ]


def test_a_dataset_that_came_as_an_element_explains_itself():
    window = next(iter(fp.Dataset.range(4).window(2)))
    assert tree_of(window.take(1)) == [
        "take 1: on the consumer's thread",
        "└─ an element of another pipeline: on the consumer's thread",
    ]


# ---- a run ----


def test_before_the_first_next_there_are_no_figures():
    ds = fp.Dataset.range(9).map(increment, num_parallel_calls=2)
    text = ds.iterator().explain()
    assert lines_of(text)[:2] == tree_of(ds)
    assert "no stage runs now" in text and not FIGURES.search(text)


def test_a_running_stage_says_what_it_did_and_where_its_threads_spent_their_time():
    with fp.Dataset.range(10**6).map(increment, num_parallel_calls=2).batch(4).iterator() as it:
        for _ in range(50):
            next(it)
        lines = lines_of(it.explain())
    assert lines[0] == "batch 4: on the consumer's thread"
    assert re.fullmatch(r"└─ map increment: 2 threads, \d+ chunks ahead", lines[1])
    assert FIGURES.fullmatch(lines[2].lstrip(" │"))
    assert TIMES.match(lines[3].lstrip(" │"))
    assert lines[4].lstrip(" └─") == "range start=0 stop=1000000 step=1: on a thread of map"
    assert lines[5].startswith("bottleneck: ")
    assert lines[6].startswith("budgets of all stages together: ")


def test_every_stage_of_a_pipeline_has_its_figures():
    ds = fp.Dataset.range(10**6).map(increment, num_parallel_calls=1)
    ds = ds.batch(2, num_parallel_calls=fp.AUTOTUNE).prefetch(fp.AUTOTUNE)
    with ds.iterator() as it:
        next(it)
        text = it.explain()
    assert len(FIGURES.findall(joined(text))) == 3
    assert re.search(r"prefetch \(.*?\): 1 thread \(AUTOTUNE\), \d+ chunks? ahead", text)
    assert re.search(r"batch 2 \(.*?\): \d+ threads? \(AUTOTUNE\), ", text)
    assert re.search(r"map increment \(.*?\): 1 thread, \d+ chunks? ahead", text)


def test_both_inputs_of_a_zip_have_figures_of_their_own():
    slow = fp.Dataset.range(10**6).map(increment, num_parallel_calls=1)
    fast = fp.Dataset.range(10**6).map(increment, num_parallel_calls=3)
    with fp.Dataset.zip(slow, fast).iterator() as it:
        next(it)
        lines = lines_of(it.explain())
    assert lines[1].startswith("├─ map increment: 1 thread,")
    assert any(line.startswith("└─ map increment: 3 threads,") for line in lines)


def test_an_input_that_runs_twice_is_counted_together():
    ds = fp.Dataset.range(10**6).map(increment, num_parallel_calls=2)
    with fp.Dataset.zip(ds, ds).iterator() as it:
        next(it)
        text = it.explain()
    assert re.search(r"├─ map increment \(.*?\): 4 threads, 2 stages, ", text)
    assert len(FIGURES.findall(joined(text))) == 1


def test_a_stage_that_has_not_begun_says_so():
    first = fp.Dataset.range(10**6).map(increment, num_parallel_calls=2)
    second = fp.Dataset.range(10**6).map(increment, num_parallel_calls=3)
    with first.concatenate(second).iterator() as it:
        next(it)
        lines = lines_of(it.explain())
    assert "└─ map increment: 3 threads (not running)" in lines


def test_stages_inside_an_interleave_are_summed_below_it():
    def inner(x):
        return fp.Dataset.range(10**6).map(lambda y: y + x, num_parallel_calls=2)

    with fp.Dataset.range(4).interleave(inner, cycle_length=4).iterator() as it:
        for _ in range(8):
            next(it)
        text = it.explain()
    assert re.search(r"│    · map add \(.*?\): 8 threads, 4 stages, \d+ chunks ahead", text)
    assert len(FIGURES.findall(joined(text))) == 1
    assert "elsewhere" not in text


def test_a_parallel_interleave_says_how_many_datasets_it_opens_ahead():
    ds = fp.Dataset.range(50).interleave(
        lambda x: fp.Dataset.range(100), cycle_length=2, num_parallel_calls=2
    )
    with ds.iterator() as it:
        next(it)
        assert re.search(r"interleave .*?: 2 threads, opens \d+ datasets? ahead", it.explain())


def test_a_pipeline_without_threads_says_so():
    it = iter(fp.Dataset.range(3).batch(2))
    next(it)
    assert "\nno op has threads of its own: next() computes everything\n" in it.explain()


@pytest.mark.parametrize("size", [0, 1])
def test_the_shortest_passes_have_figures_at_their_end(size):
    it = iter(fp.Dataset.range(size).map(increment, num_parallel_calls=2))
    assert len(list(it)) == size
    text = it.explain()
    assert f"{size} element{'s' * (size != 1)} made" in text
    assert re.search(r"\): (threads have ended|[12] threads?), \d+ chunks ahead", text)


def test_after_the_end_the_rate_stays_what_it_was():
    it = iter(fp.Dataset.range(1000).map(increment, num_parallel_calls=2))
    assert len(list(it)) == 1000
    (before,), (after,) = it.stats(), it.stats()
    assert before["age_ns"] == after["age_ns"]
    assert "1,000 elements made" in it.explain()


def test_after_close_the_tree_is_left():
    ds = fp.Dataset.range(10**6).map(increment, num_parallel_calls=2)
    with ds.iterator() as it:
        next(it)
    text = it.explain()
    assert lines_of(text)[:2] == tree_of(ds)
    assert "no stage runs now" in text and not FIGURES.search(text)


def test_an_error_of_an_element_changes_nothing():
    words = fp.Dataset.from_tensor_slices(["1", "x", "3"])
    it = iter(words.map(lambda w: fp.strings.to_number(w, fp.int32), num_parallel_calls=1))
    assert next(it) == 1
    with pytest.raises(fp.errors.InvalidArgumentError):
        next(it)
    assert FIGURES.search(joined(it.explain()))
    assert next(it) == 3


def test_budgets_of_a_run_are_those_it_started_with():
    options = fp.Options(autotune=fp.AutotuneOptions(cpu_budget=1, ram_budget=10**6))
    it = iter(fp.Dataset.range(9).map(increment, num_parallel_calls=1).with_options(options))
    next(it)
    assert "\nbudgets of all stages together: 1 core, 1.0 MB\n" in it.explain()
    assert it.stats()[0]["byte_limit"] <= 10**6


def test_a_pipeline_may_explain_itself_while_it_computes():
    said = []

    def look(x):
        said.append(it.explain())
        return x

    it = iter(fp.Dataset.range(2).map(lambda x: fp.py_function(look, [x], fp.int64)).prefetch(1))
    assert [int(x) for x in it] == [0, 1]
    assert len(said) == 2 and all("runs look" in joined(text) for text in said)


# ---- the text ----


def report(label, op, **changes):
    zeros = itertools.repeat(0)
    names = ["elements", "delivered", "buffered", "buffered_bytes", "busy_ns", "cpu_ns", "age_ns"]
    names += ["core_wait_ns", "input_wait_ns", "lock_wait_ns", "full_wait_ns", "empty_wait_ns"]
    knobs = {"threads": 2, "window": 8, "autotuned": True, "direct": False, "byte_limit": 2**63 - 1}
    knobs |= {"feeds_program": True}
    return dict(zip(names, zeros, strict=False)) | knobs | {"label": label, "op": op} | changes


def run_of(*reports, log=()):
    return Run(list(reports), list(log), "the consumer", (2, 10**9))


def test_figures_are_rates_and_shares_of_the_time_of_the_threads():
    stage = report(
        "map (t.py:1)",
        7,
        elements=3000,
        buffered=12,
        buffered_bytes=7_200_000,
        byte_limit=1_100_000_000,
        busy_ns=1_500_000_000,
        cpu_ns=1_000_000_000,
        core_wait_ns=200_000_000,
        input_wait_ns=400_000_000,
        full_wait_ns=100_000_000,
        empty_wait_ns=250_000_000,
        age_ns=1_000_000_000,
    )
    text = explain([Op("map load (t.py:1)", "map (t.py:1)", op_id=7)], [], run_of(stage))
    assert text.splitlines() == [
        "map load (t.py:1): 2 threads (AUTOTUNE), 8 chunks ahead",
        "    3,000 elements made, 3,000/s; 12 of them ready, 7.2 MB (limit 1.1 GB); its consumer "
        "waits 25 %",
        "    threads busy 75 %, waiting for input 20 %, room 5 %; on a core 50 %, ready without "
        "one 10 %",
        "bottleneck: the consumer",
    ]


def test_a_stage_whose_consumer_computes_says_so_and_so_does_what_is_below_it():
    ops = [
        Op("batch 2", "batch"),
        Op("map f", "map", "threads: AUTOTUNE", op_id=7, depth=1),
        Op("range", "range", stage_above=1, depth=2),
    ]
    lines = {
        direct: explain(ops, [], run_of(report("map", 7, direct=direct))).splitlines()
        for direct in (False, True)
    }
    assert lines[False][1] == "└─ map f: 2 threads (AUTOTUNE), 8 chunks ahead"
    assert lines[False][3] == "   └─ range: on a thread of map"
    assert lines[True][1] == "└─ map f: 2 threads (AUTOTUNE), at rest: its consumer computes"
    assert lines[True][3] == "   └─ range: on the consumer's thread"


def test_the_last_decision_about_a_stage_stands_beside_it_and_the_latest_below():
    log = [f"0.{i}00 s map (t.py:1): because {i}; threads {i} -> {i + 1}" for i in range(1, 6)]
    log.append("0.700 s prefetch (t.py:2): bursts; window 4 -> 8")
    text = explain([Op("map f (t.py:1)", "map (t.py:1)", "threads: AUTOTUNE")], [], run_of(log=log))
    assert text.splitlines() == [
        "map f (t.py:1): threads: AUTOTUNE",
        "    AUTOTUNE at 0.500 s: because 5; threads 5 -> 6",
        "no stage runs now: they start at the first next and stop when the iterator is closed",
        "AUTOTUNE: 6 decisions, the last:",
        "    0.400 s map (t.py:1): because 4; threads 4 -> 5",
        "    0.500 s map (t.py:1): because 5; threads 5 -> 6",
        "    0.700 s prefetch (t.py:2): bursts; window 4 -> 8",
    ]


def test_a_decision_about_one_of_two_ops_of_a_label_stands_beside_neither():
    ops = [
        Op("map f (t.py:1)", "map (t.py:1)", "2 threads", has_inputs=True),
        Op("map g (t.py:1)", "map (t.py:1)", "2 threads", depth=1),
    ]
    text = explain(ops, [], run_of(log=["0.100 s map (t.py:1): why; threads 1 -> 2"]))
    assert "AUTOTUNE at" not in text and "0.100 s map (t.py:1): why; threads 1 -> 2" in text


def test_a_stage_that_belongs_nowhere_is_shown_all_the_same():
    text = explain([Op("take (t.py:1)", "take (t.py:1)")], [], run_of(report("map (u.py:3)", 9)))
    assert "\nelsewhere: map (u.py:3): 2 threads (AUTOTUNE), 8 chunks ahead\n" in text


def test_lines_keep_to_100_columns(monkeypatch):
    names = [f"map {'decode_and_crop_' * 3}{i} (train_imagenet.py:{i})" for i in range(12)]
    ops = [
        Op(n, f"map {i}", "2 threads", op_id=i, depth=i, has_inputs=True)
        for i, n in enumerate(names)
    ]
    reports = [report(f"map {i}", i, busy_ns=5, input_wait_ns=5, age_ns=5) for i in range(12)]
    everything = ops, ["options: " + ", ".join(names)], run_of(*reports)
    wide = explain(*everything)
    monkeypatch.setattr(explanation, "_COLUMNS", 100)
    narrow = explain(*everything)
    assert max(map(len, wide.splitlines())) > 100 >= max(map(len, narrow.splitlines()))
    assert joined(narrow) == joined(wide)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (7_200_000, "7.2 MB"), (64 * 10**9, "64 GB")]
    + [(5 * 10**12, "5000 GB")],
)
def test_sizes_have_two_or_more_digits(size, text):
    assert size_text(size) == text


# ---- stats ----


def test_the_docstring_of_stats_names_every_key():
    it = iter(fp.Dataset.range(3).prefetch(1))
    next(it)
    said = re.findall(r"(\w+): ", fp.Iterator.stats.__doc__)
    assert set(it.stats()[0]) <= set(said)


def test_a_stage_below_repeat_is_a_new_one_in_each_epoch():
    it = iter(fp.Dataset.range(5).map(increment, num_parallel_calls=1).repeat(3))
    for _ in range(11):
        next(it)
    (stage,) = it.stats()
    assert stage["elements"] <= 5
    assert 0 < stage["age_ns"]
