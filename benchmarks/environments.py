"""Virtual environments of the rivals, made once under build/venvs; the project never needs them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Pinned, so that a report can be repeated. Pillow-SIMD and Pillow exclude each other.
REQUIREMENTS = {
    "dali": ["nvidia-dali-cuda120==2.4.0", "numpy"],
    "datago": ["datago==2026.10.1", "numpy", "pillow==13.0.0"],
    "grain": ["grain==0.2.18", "numpy", "pillow-simd==12.1.1.post0"],
    "matplotlib": ["matplotlib==3.11.2"],
    "mlx": ["mlx-data==0.1.0", "numpy"],
    "pillow": ["pillow==13.0.0", "numpy"],
    "spdl": ["spdl==0.8.0", "numpy"],
    "tensorflow": ["tensorflow-cpu==2.21.0"],
    "tfrecord": ["tfrecord==1.14.6"],
    "torch": ["torch==2.13.0", "numpy", "pillow-simd==12.1.1.post0"],
    "turboloader": ["turboloader==2.39.0", "numpy"],
    "webdataset": ["webdataset==1.0.2", "torch==2.13.0", "numpy", "pillow-simd==12.1.1.post0"],
}

# Programs that a rival needs, and the Debian package that has them.
PROGRAMS = {"spdl": ("ffmpeg", "ffmpeg")}


class Unavailable(Exception):
    """An environment that cannot be made; the text says why, in one line."""


def python_of(name: str) -> Path:
    """The interpreter of a rival's environment, which is installed if it is not there.

    Raises:
        Unavailable: pip cannot install it; it is not tried again before the next run.
    """
    if name in _failed:
        raise Unavailable(_failed[name])
    if name in PROGRAMS:
        _require_program(*PROGRAMS[name])
    requirements = REQUIREMENTS[name]
    digest = hashlib.sha256("\n".join([sys.version, *requirements]).encode()).hexdigest()[:8]
    folder = ROOT / "build" / "venvs" / f"{name}-{digest}"
    python = folder / "bin" / "python"
    done = folder / ".installed"
    if not done.exists():
        print(f"installing {', '.join(requirements)} in {folder}", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True, clear=True)
        install = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        command = [*map(str, install), *requirements]
        made = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if made.returncode != 0:
            _failed[name] = f"pip: {_last_error(made.stderr)}"
            raise Unavailable(_failed[name])
        done.touch()
    return python


_failed: dict[str, str] = {}


def _require_program(program: str, package: str) -> None:
    """Installs a Debian package if its program is missing and apt-get may be used."""
    if shutil.which(program) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing {package}", file=sys.stderr, flush=True)
        install = ["install", "--quiet", "--yes", "--no-install-recommends", package]
        for arguments in (["update", "--quiet"], install):
            subprocess.run(["apt-get", *arguments], stdout=subprocess.DEVNULL)
    if shutil.which(program) is None:
        raise Unavailable(f"it needs {program}; on Debian: apt-get install {package}")


def _last_error(text: str) -> str:
    """The last line that names an error, or else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it failed and said nothing"])[-1]


def versions_of(name: str) -> list[str]:
    """What an installed environment holds of its requirements: "torch 2.13.0"."""
    packages = [re.split("[=<>]", requirement)[0] for requirement in REQUIREMENTS[name]]
    program = (
        "import importlib.metadata, sys\n"
        "for name in sys.argv[1:]: print(name, importlib.metadata.version(name))"
    )
    command = [str(python_of(name)), "-c", program, *packages]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
