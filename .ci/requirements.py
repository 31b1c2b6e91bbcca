"""Prints what a development environment needs, a requirement a line, as pyproject.toml lists it.

With --check, says instead whether the environment is sound.

pillow-simd is the picture library that the tests and `fastpipe compare` measure against; it
builds on x86-64 alone, and Pillow stands in for it elsewhere. Both install the package PIL, each
over the other's files, so that only one of them may be there.
"""

import platform
import sys
from importlib.metadata import distributions
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib

PICTURES = {"pillow", "pillow-simd"}


def check() -> None:
    names = {distribution.metadata["Name"].lower() for distribution in distributions()}
    if PICTURES <= names:
        sys.exit(f"fastpipe: {sys.prefix} holds both pillow and pillow-simd: remove it, run again")


def show() -> None:
    pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    extras = pyproject["project"]["optional-dependencies"]
    on_x86 = platform.machine() in ("x86_64", "AMD64")
    requirements = {
        *pyproject["build-system"]["requires"],
        *pyproject["project"]["dependencies"],
        *extras["dev"],
        *extras["pillow-simd" if on_x86 else "pillow"],
    }
    print("\n".join(sorted(requirements)))


check() if sys.argv[1:] == ["--check"] else show()
