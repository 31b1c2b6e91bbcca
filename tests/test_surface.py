"""Every public name of tf.data is here, or docs/from-tf-data.md says why not."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import tf_functions
from process import ROOT

import fastpipe.compat.tf as tf
from fastpipe import experimental

DOCUMENT = (ROOT / "docs" / "from-tf-data.md").read_text()
# Where the names of a section of tf_data_names.txt are looked up.
OWNERS = {
    "tf.data": tf.data,
    "tf.data.Dataset": tf.data.Dataset,
    "tf.data.Iterator": tf.data.Iterator,
    "tf.data.NumpyIterator": tf.data.NumpyIterator,
    "tf.data.Options": tf.data.Options(),
    "tf.data.ThreadingOptions": tf.data.ThreadingOptions(),
    "tf.data.experimental": tf.data.experimental,
    "tf.data.experimental.AutotuneOptions": experimental.AutotuneOptions(),
    "tf.data.experimental.DistributeOptions": experimental.DistributeOptions(),
    "tf.data.experimental.OptimizationOptions": experimental.OptimizationOptions(),
    "tf.data.experimental.Optional": experimental.Optional,
    "tf.data.experimental.service": None,
}
# Where tf.data takes whatever comes, and we say what may.
OPEN = {"tf.data.Dataset.range"}
MISSING = object()


def read_names() -> list[tuple[str, str, str | None]]:
    """(owner, name, arguments or None) as TensorFlow 2.21 has them."""
    names = []
    owner = ""
    for line in (ROOT / "tests" / "tf_data_names.txt").read_text().splitlines():
        if line.startswith("["):
            owner = line.strip("[]")
        elif line:
            name, _, arguments = line.partition("(")
            names.append((owner, name, arguments[:-1] if "(" in line else None))
    return names


NAMES = read_names()


def section(title: str) -> str:
    return DOCUMENT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_column(text: str) -> list[str]:
    rows = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def places(title: str) -> set[str]:
    """The full names that a section of the document names, given below tf.data."""
    found = re.findall(r"`((?:Dataset|experimental)\.[\w.]+)`", section(title))
    return {f"tf.data.{name}" for name in found}


def bound(owner: str, name: str) -> Any:
    return getattr(OWNERS[owner], name, MISSING)


def described(function: Any) -> list[str]:
    """The arguments of a function of ours, as the list writes them; extra keyword-only ones are
    ours to have.
    """
    found = []
    keywords = False
    for parameter in inspect.signature(function).parameters.values():
        keywords = keywords or parameter.kind is parameter.VAR_POSITIONAL
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            continue
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        empty = parameter.default is parameter.empty
        default = "" if empty else f"={parameter.default!r}".replace("fp.", "tf.")
        found.append(f"{star}{parameter.name}{default}")
    return found


@pytest.mark.parametrize("owner, name", [name[:2] for name in NAMES])
def test_a_name_is_bound_or_the_document_says_why_not(owner, name):
    absent = bound(owner, name) is MISSING
    said = f"{owner}.{name}" in places("Not here")
    assert absent == said


@pytest.mark.parametrize("owner, name, arguments", [n for n in NAMES if n[2] is not None])
def test_arguments_have_the_names_order_and_defaults_of_tensorflow(owner, name, arguments):
    function = bound(owner, name)
    if function is MISSING or f"{owner}.{name}" in OPEN:
        return
    ours = described(function)
    if ours[-1:] == ["name=None"] and "name=None" not in arguments:
        ours.pop()
    assert ", ".join(ours) == arguments


@pytest.mark.parametrize("owner", ["tf.data", "tf.data.Dataset", "tf.data.experimental"])
def test_the_tables_name_what_is_here(owner):
    names = {name for place, name, _ in NAMES if place == owner}
    left_out = {full.removeprefix(f"{owner}.") for full in places("Not here")}
    assert sorted(names - left_out) == sorted(set(first_column(section(owner))) - left_out)


def test_the_table_of_options_names_them_all():
    said = set(first_column(section("Options")))
    for owner, name, _ in NAMES:
        if owner == "tf.data.Options" and name not in ("merge", "autotune", "threading"):
            assert name in said
        if owner == "tf.data.ThreadingOptions":
            assert f"threading.{name}" in said
        if owner == "tf.data.experimental.AutotuneOptions":
            assert f"autotune.{name}" in said


def test_options_can_be_set_under_every_name():
    options = tf.data.Options()
    for owner, name, _ in NAMES:
        if owner == "tf.data.Options" and name != "merge":
            setattr(options, name, getattr(options, name))


def test_the_page_of_functions_names_what_is_here():
    """After a new function, `python tests/tf_functions.py` writes the page again."""
    here = {name for name, _ in tf_functions.functions_in(tf, "tf")}
    said = re.findall(r"^\| `(tf\.[\w.]+)` \|", tf_functions.DOCUMENT.read_text(), re.MULTILINE)
    assert len(said) > 300 and set(said) <= here
