"""The house rules hold, and each rule is seen to fail on a tree that breaks it.

Run as a program, it prints the include graph of csrc and the import graph of fastpipe.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import source_rules as rules
from source_rules import Rule, Tree

ROOT = Path(__file__).resolve().parents[1]

HEADER = "// Token: what it means.\n//\n// Thread rule: any thread.\n#pragma once\n"
OP = 'FASTPIPE_OP("take", MakeTake);\n'
KERNEL = 'FASTPIPE_KERNEL("add", PlanAdd);\n'
MAKE = "class Dataset:\n    def _make(cls, op, args, inputs): ...\n"
CALL = "def call(kernel, inputs): ...\n"

# For every rule, small trees that break it in one way each.
BROKEN: dict[Rule, list[Tree]] = {
    rules.includes_go_down: [
        {"csrc/core/a.h": '#include "runtime/b.h"\n', "csrc/runtime/b.h": HEADER},
        {"csrc/codec/a.cc": '  #  include "io/b.h"\n', "csrc/io/b.h": HEADER},
        {"csrc/kernels/a.cc": '#include "ops/b.h"\n', "csrc/ops/b.h": HEADER},
        {"csrc/ops/a.cc": '#include "api.h"\n', "csrc/api.h": HEADER},
        {"csrc/core/a.h": '#include "core/gone.h"\n'},
        {"csrc/extra/a.h": '#include "core/b.h"\n', "csrc/core/b.h": HEADER},
    ],
    rules.no_python_in_csrc: [
        {"csrc/api.h": "#include <Python.h>\n"},
        {"csrc/core/a.h": '#include "Python.h"\n'},
        {"csrc/core/a.h": "#include <numpy/arrayobject.h>\n"},
    ],
    rules.library_headers_only_in_codec: [
        {"csrc/kernels/a.cc": "#include <jpeglib.h>\n"},
        {"csrc/io/a.cc": '#include "zlib.h"\n'},
        {"csrc/api.cc": "#include <webp/decode.h>\n"},
    ],
    rules.threads_only_in_runtime: [
        {"csrc/ops/a.cc": "std::thread worker([] {});\n"},
        {"csrc/runtime/window.cc": "std::jthread worker;\n"},
        {"csrc/io/a.cc": "auto future = std::async(Read);\n"},
        {"csrc/codec/a.c": "pthread_create(&thread, 0, run, 0);\n"},
    ],
    rules.no_detached_threads: [{"csrc/runtime/threads.cc": "worker.detach();\n"}],
    rules.no_raw_memory: [
        {"csrc/core/a.cc": "int* a = new int[3];\n"},
        {"csrc/core/a.cc": "delete a;\n"},
        {"csrc/core/a.cc": "delete[] a;\n"},
        {"csrc/core/tensor.cc": "void* a = ::operator new(3);\n"},
    ],
    rules.no_output: [
        {"csrc/ops/a.cc": "std::cout << 1;\n"},
        {"csrc/ops/a.cc": "std::cerr << 1;\n"},
        {"csrc/codec/a.c": 'printf("%d", 1);\n'},
    ],
    rules.no_abort: [
        {"csrc/core/a.cc": "std::abort();\n"},
        {"csrc/codec/a.c": "if (bad) abort ();\n"},
    ],
    rules.no_sleeping: [
        {"csrc/ops/a.cc": "std::this_thread::sleep_for(1ms);\n"},
        {"csrc/io/posix.cc": "usleep(1);\n"},
    ],
    rules.headers_state_contract_and_thread_rule: [
        {"csrc/core/a.h": "#pragma once\n"},
        {"csrc/runtime/a.h": "// A: what it means.\n// More.\n// Yet more.\n#pragma once\n"},
        {"csrc/core/a.h": "// A: any thread.\n#pragma once\n"},
    ],
    rules.registered_names_have_tests: [
        {"csrc/ops/take.cc": OP},
        {"csrc/ops/take.cc": OP, "tests/kernels/test_take.py": ""},
        {"csrc/sources/take.cc": OP, "tests/ops/test_take.py": ""},
        {"csrc/kernels/arithmetic.cc": KERNEL},
    ],
    rules.tests_have_sources: [
        {"tests/ops/test_take.py": ""},
        {"csrc/ops/take.cc": "// " + OP, "tests/ops/test_take.py": ""},
        {"csrc/kernels/add.cc": OP, "tests/kernels/test_add.py": ""},
    ],
    rules.registered_names_have_python_names: [
        {"csrc/ops/take.cc": OP, "fastpipe/dataset.py": ""},
        {"csrc/ops/take.cc": OP, "fastpipe/dataset.py": CALL + 'call("take", [x])\n'},
        {"csrc/ops/take.cc": OP, "fastpipe/dataset.py": '"take"\n'},
        {"csrc/kernels/arithmetic.cc": KERNEL, "fastpipe/math.py": '__all__ = ["add"]\n'},
    ],
    rules.python_asks_for_registered_names: [
        {"fastpipe/dataset.py": MAKE + 'Dataset._make("take", {}, ())\n'},
        {"csrc/kernels/add.cc": KERNEL, "fastpipe/math.py": CALL + 'call("sub", [x])\n'},
        {"csrc/kernels/add.cc": KERNEL, "fastpipe/a.py": CALL + 'call("sub" if x else "add")\n'},
        {"csrc/ops/take.cc": OP, "fastpipe/math.py": 'tracer.kernel("take", {})\n'},
        {"csrc/kernels/add.cc": KERNEL, "fastpipe/math.py": '_core.build_dataset("add", {})\n'},
    ],
    rules.imports_have_no_cycle: [
        {
            "fastpipe/__init__.py": "",
            "fastpipe/node.py": "from fastpipe import spec\n",
            "fastpipe/spec.py": "from .node import Node\n",
        },
        {
            "fastpipe/__init__.py": "from fastpipe.tools.compare import main\n",
            "fastpipe/tools/compare.py": "import fastpipe\n",
        },
    ],
    rules.nothing_native_but_core: [
        {"fastpipe/io.py": "import PIL\n"},
        {"fastpipe/io.py": "try:\n    import torch.utils\nexcept ImportError:\n    pass\n"},
        {"fastpipe/io.py": "def load():\n    from ctypes import CDLL\n"},
        {"fastpipe/io.py": "from . import _native\n", "fastpipe/_native.pyx": ""},
    ],
    rules.files_are_short: [
        {"csrc/core/a.cc": "\n" * 501},
        {"tests/test_a.py": "pass\n" * 501},
    ],
    rules.names_say_something: [
        {"csrc/core/utils.h": HEADER},
        {"fastpipe/common/spec.py": ""},
        {"tests/helpers.py": ""},
    ],
}

# What looks like a breach and is none.
SOUND: Tree = {
    "csrc/api.h": HEADER,
    "csrc/api.cc": '#include "api.h"\n#include "ops/a.h"\n#include "autotune/tuner.h"\n',
    "csrc/autotune/tuner.h": '#include "runtime/threads.h"\n',
    "csrc/ops/a.h": '// #include "api.h"\n#include "core/cancel.h"\n#include <thread>\n',
    "csrc/ops/take.cc": OP + "/* std::thread\n new */\n",
    "csrc/kernels/arithmetic.cc": KERNEL + 'FASTPIPE_KERNEL("subtract", PlanSubtract);\n',
    "csrc/core/cancel.h": HEADER + "A(const A&) = delete;\nint new_size = 1'000;\n",
    "csrc/core/cancel.cc": 'char quote = \'"\';\nText("new abort( std::cout");\n',
    "csrc/core/buffer.cc": "void* block = ::operator new(8);\n::operator delete(block);\n",
    "csrc/codec/jpeg.c": "#include <jpeglib.h>\nsnprintf(text, 3, format);\njpeg_abort(info);\n",
    "csrc/runtime/threads.h": HEADER + "std::thread thread;\n",
    "csrc/runtime/clock.h": HEADER + "std::this_thread::sleep_for(duration);\n",
    "csrc/io/faulty.cc": "std::this_thread::sleep_for(delay);\n",
    "fastpipe/__init__.py": "from fastpipe.node import Node\nfrom . import spec\n",
    "fastpipe/_core.pyx": "cimport numpy\n",
    "fastpipe/dataset.py": MAKE + 'Dataset._make("take", {}, ())\ncall(kernel, [x])\n',
    "fastpipe/math.py": CALL + 'call("add", [x])\nfor kernel in ("subtract",):\n    call(kernel)\n',
    "fastpipe/node.py": "import numpy as np\nfrom ._core import build\n",
    "fastpipe/spec.py": (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from fastpipe import Node\n"
        "def show():\n    import PIL.Image\n    from fastpipe import node\n"
    ),
    "tests/ops/test_take.py": "",
    "tests/kernels/test_arithmetic.py": "",
}


@pytest.fixture(scope="module")
def tree() -> Tree:
    return rules.read_tree(ROOT)


def test_the_rules_see_the_tree(tree: Tree) -> None:
    """A rule that finds nothing to look at would hold for ever."""
    assert {"csrc", "fastpipe", "tests"} <= {path.split("/")[0] for path in tree}
    assert rules.registered_ops(tree) and rules.registered_kernels(tree)
    assert {found.kind for found in rules.described(tree)} == {"op", "kernel"}
    assert rules.include_graph(tree)["ops"] and rules.import_graph(tree)["fastpipe.dataset"]


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_rule_holds(rule: Rule, tree: Tree) -> None:
    violations = rule(tree)
    if violations:
        pytest.fail("\n".join(violations), pytrace=False)


@pytest.mark.parametrize(
    ("rule", "broken"),
    [(rule, broken) for rule, trees in BROKEN.items() for broken in trees],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_rule_is_seen_to_fail(rule: Rule, broken: Tree) -> None:
    (violation,) = rule(broken)
    path, _, _ = violation.partition(":")
    assert path in broken, "a violation starts with the path of the file"


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_rule_lets_a_sound_tree_pass(rule: Rule) -> None:
    assert rule(SOUND) == []


def test_graphs() -> None:
    assert rules.include_graph(SOUND)["autotune"] == {"runtime"}
    assert rules.import_graph(SOUND)["fastpipe.spec"] == {
        "fastpipe": "checked",
        "fastpipe.node": "called",
    }


def test_registered_at_run_time(tree: Tree) -> None:
    """The macros that the rules read are all there are."""
    from fastpipe import _core

    assert sorted(_core.registered_ops()) == sorted(op.name for op in rules.registered_ops(tree))
    kernels = sorted(kernel.name for kernel in rules.registered_kernels(tree))
    assert sorted(_core.registered_kernels()) == kernels


def main() -> None:
    tree = rules.read_tree(ROOT)
    print("csrc includes:")
    for folder, targets in sorted(rules.include_graph(tree).items()):
        print(f"  {folder} -> {', '.join(sorted(targets - {folder}))}")
    print("fastpipe imports:")
    for module, targets in sorted(rules.import_graph(tree).items()):
        shown = (t if when == "imported" else f"{t} (when {when})" for t, when in targets.items())
        print(f"  {module} -> {', '.join(sorted(shown))}")


if __name__ == "__main__":
    main()
