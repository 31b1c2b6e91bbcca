"""Every example in a docstring of fastpipe runs and shows what it says."""

import doctest
import importlib
import pkgutil

import pytest

import fastpipe

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = ["fastpipe"] + [
    module.name
    for module in pkgutil.walk_packages(fastpipe.__path__, "fastpipe.")
    if not module.name.endswith(("_core", "__main__"))
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=OPTIONS)
    assert results.failed == 0


def test_the_public_methods_of_dataset_are_explained():
    for name in dir(fastpipe.Dataset):
        if not name.startswith("_"):
            assert getattr(fastpipe.Dataset, name).__doc__, name
