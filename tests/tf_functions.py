"""Writes docs/tf-functions.md: every function of fastpipe.compat.tf, its name here, what it does.

python tests/tf_functions.py
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "tf-functions.md"

# Tables of their own in from-tf-data.md, or no functions.
_LEFT_OUT = {"data", "errors", "dtypes", "experimental"}
_HEAD = """# Functions

Every function of `fastpipe.compat.tf`: what it is called here, and what it does. Arguments,
defaults and results are TensorFlow's; [from-tf-data.md](from-tf-data.md) says what differs, and the
docstring of each function has dtypes, shapes and errors. In a traced function they are native; on
values they run at once. `python tests/tf_functions.py` writes this page.
"""


def functions_in(space: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """(full name, function) of what a namespace and those in it hold."""
    for name in sorted(vars(space)):
        value = getattr(space, name)
        if name.startswith("_") or name == "as_shape" or (prefix == "tf" and name in _LEFT_OUT):
            continue
        if isinstance(value, SimpleNamespace) or _is_space(space, name, value):
            yield from functions_in(value, f"{prefix}.{name}")
        elif inspect.isfunction(value) and value.__module__.startswith("fastpipe."):
            exported = getattr(space, "__all__", None)
            own = value.__module__ == getattr(space, "__name__", None)
            if prefix == "tf" or exported is None or name in exported or own:
                yield f"{prefix}.{name}", value


def _is_space(owner: Any, name: str, value: Any) -> bool:
    """A module that stands for a namespace of TensorFlow, not one imported for its own use."""
    if not isinstance(value, ModuleType) or not value.__name__.startswith("fastpipe."):
        return False
    return name in getattr(owner, "__all__", ()) or isinstance(owner, SimpleNamespace)


def value_is_of(value: Any, module: Any) -> bool:
    """Whether a module exports a function, its own or another's."""
    exported = name_of(value) in getattr(module, "__all__", ())
    return exported or getattr(value, "__module__", "") == module.__name__


def name_of(value: Any) -> str:
    return getattr(value, "__name__", "")


def _own_names() -> dict[int, str]:
    import fastpipe as fp

    names: dict[int, str] = {}
    for space in ("", "io", "image", "strings", "math", "sparse"):
        owner = getattr(fp, space) if space else fp
        for name, value in vars(owner).items():
            public = not space or value_is_of(value, owner)
            if inspect.isfunction(value) and not name.startswith("_") and public:
                names.setdefault(id(value), f"fp.{space}.{name}" if space else f"fp.{name}")
    return names


def text() -> str:
    import fastpipe.compat.tf as tf

    own = _own_names()
    lines = [_HEAD, "| TensorFlow | fastpipe | |", "|---|---|---|"]
    for name, function in functions_in(tf, "tf"):
        where = own.get(id(function), f"{function.__module__}.{function.__name__}")
        summary = (function.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
        summary = " ".join(summary.split()).replace("|", "\\|")
        lines.append(f"| `{name}` | `{where}` | {summary} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    DOCUMENT.write_text(text())
