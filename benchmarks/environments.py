"""Virtual environments of the rivals, made once under build/venvs; the project never needs them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.contenders import ROOT


def python_with(name: str, requirements: list[str]) -> Path:
    """The interpreter of an environment that has these packages."""
    digest = hashlib.sha256("\n".join([sys.version, *requirements]).encode()).hexdigest()[:8]
    folder = ROOT / "build" / "venvs" / f"{name}-{digest}"
    python = folder / "bin" / "python"
    done = folder / ".installed"
    if not done.exists():
        print(f"installing {', '.join(requirements)} in {folder}", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True, clear=True)
        install = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*map(str, install), *requirements], check=True)
        done.touch()
    return python
