"""Benchmarks: one folder a task, one file a contender. `python -m benchmarks run TASK...`."""
