"""Builds fastpipe._core from fastpipe/_core.pyx and every source under csrc/.

A new source file needs no entry anywhere. build_native.py describes the environment variables.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # a PEP 517 build does not

from build_native import Builder, BuildError, extension_unit, units_under, variant  # noqa: E402


class BuildNative(build_ext):
    """Compiles file by file instead of all sources of the extension in a row."""

    def build_extension(self, ext: Extension) -> None:
        try:
            builder = Builder(variant())
            with builder.lock():
                objects = builder.compile([extension_unit(), *units_under("csrc")])
                builder.link(objects, Path(self.get_ext_fullpath(ext.name)), shared=True)
        except BuildError as error:
            sys.exit(str(error))


setup(
    ext_modules=[Extension("fastpipe._core", ["fastpipe/_core.pyx"], language="c++")],
    cmdclass={"build_ext": BuildNative},
)
