"""The house rules of DESIGN section 2, executable.

A tree is a mapping from paths (from the root, with slashes) to texts. Each rule is a pure function
from a tree to the list of its violations, "path:line: what is wrong", so that test_source_rules.py
can show each rule a tree that breaks it.
"""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

Tree = Mapping[str, str]
Rule = Callable[[Tree], list[str]]

FOLDERS = ("csrc", "fastpipe", "tests", "benchmarks")
SUFFIXES = (".cc", ".c", ".h", ".py", ".pyi", ".pyx", ".pxd", ".pxi")
MAX_LINES = 500

# What the files of each folder of csrc may include, besides their own folder. "api" is csrc itself.
MAY_INCLUDE: Mapping[str, frozenset[str]] = {
    "core": frozenset(),
    "runtime": frozenset({"core"}),
    "autotune": frozenset({"runtime", "core"}),
    "io": frozenset({"codec", "runtime", "core"}),  # a stream may decompress, a call time out
    "codec": frozenset({"core"}),
    "sources": frozenset({"io", "codec", "runtime", "core"}),
    "ops": frozenset({"io", "runtime", "core"}),
    "kernels": frozenset({"io", "codec", "core"}),
    "api": frozenset({"autotune", "runtime", "sources", "ops", "kernels", "io", "codec", "core"}),
}


def read_tree(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in SUFFIXES
    }


# --- C++ ----------------------------------------------------------------------------------------

_CPP_TEXT = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')""",
    re.DOTALL | re.VERBOSE,
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def _without_comments(text: str) -> str:
    """`text` with its comments blanked; positions of lines stay."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match["string"] else "\n" * match[0].count("\n")

    return _CPP_TEXT.sub(blank, text)


def _code_only(text: str) -> str:
    """`text` without comments, the contents of literals and include lines."""
    text = _INCLUDE.sub("", text)
    return _CPP_TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)


def _native(tree: Tree) -> Iterator[tuple[str, str]]:
    for path, text in tree.items():
        if path.startswith("csrc/"):
            yield path, text


def _place(path: str, text: str, position: int) -> str:
    return f"{path}:{text.count(chr(10), 0, position) + 1}"


class Include(NamedTuple):
    place: str
    path: str  # of the including file
    header: str
    quoted: bool


def _includes(tree: Tree) -> Iterator[Include]:
    for path, text in _native(tree):
        text = _without_comments(text)
        for match in _INCLUDE.finditer(text):
            yield Include(_place(path, text, match.start()), path, match[2], match[1] == '"')


def _folder(path: str) -> str:
    """The folder of csrc that a path lies in; "api" for csrc itself."""
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 else "api"


def include_graph(tree: Tree) -> dict[str, set[str]]:
    """Which folders of csrc the files of each folder include."""
    graph: dict[str, set[str]] = {}
    for include in _includes(tree):
        if include.quoted:
            edges = graph.setdefault(_folder(include.path), set())
            edges.add(_folder(f"csrc/{include.header}"))
    return graph


def includes_go_down(tree: Tree) -> list[str]:
    violations = []
    for include in _includes(tree):
        if not include.quoted:
            continue
        source, target = _folder(include.path), _folder(f"csrc/{include.header}")
        if f"csrc/{include.header}" not in tree:
            violations.append(f"{include.place}: there is no csrc/{include.header}")
        elif source not in MAY_INCLUDE:
            violations.append(f"{include.place}: csrc/{source} is not in the design")
        elif target != source and target not in MAY_INCLUDE[source]:
            violations.append(f"{include.place}: {source} may not include {target}")
    return violations


def no_python_in_csrc(tree: Tree) -> list[str]:
    return [
        f"{include.place}: csrc knows nothing of Python"
        for include in _includes(tree)
        if re.match(r"(.*/)?(Python|pybind11|numpy)\b", include.header)
    ]


def library_headers_only_in_codec(tree: Tree) -> list[str]:
    library = (
        r"(jpeglib|jerror|jpegint|turbojpeg|png|pngconf|gif_lib|webp/.*"
        r"|zlib|libdeflate|zstd\w*|lz4\w*|openssl/.*)(\.h)?$"
    )
    return [
        f"{include.place}: <{include.header}> belongs behind a header of csrc/codec"
        for include in _includes(tree)
        if re.match(library, include.header) and _folder(include.path) != "codec"
    ]


def _forbid(tree: Tree, pattern: str, why: str, *, but: str = "$^") -> list[str]:
    """Uses of `pattern` in the code of csrc, outside the files whose paths match `but`."""
    violations = []
    for path, text in _native(tree):
        if re.match(but, path):
            continue
        code = _code_only(text)
        for match in re.finditer(pattern, code):
            violations.append(f"{_place(path, code, match.start())}: '{match[0].strip()}': {why}")
    return violations


def threads_only_in_runtime(tree: Tree) -> list[str]:
    pattern = r"\bstd\s*::\s*(thread|jthread|async)\b|\bpthread_create\b"
    return _forbid(tree, pattern, "use runtime/threads.h", but=r"csrc/runtime/threads\.")


def no_detached_threads(tree: Tree) -> list[str]:
    return _forbid(tree, r"\bdetach\s*\(", "every thread is joined")


def no_raw_memory(tree: Tree) -> list[str]:
    # `= delete` is no expression; the buffer pool is the one place that makes memory, and
    # fault points are where it lacks.
    pattern = r"\bnew\b|(?<!=)(?<!= )\bdelete\b"
    return _forbid(tree, pattern, "own it by a type", but=r"csrc/core/(buffer|fault_points)\.cc$")


def no_output(tree: Tree) -> list[str]:
    pattern = r"\bstd\s*::\s*(cout|cerr|clog)\b|\b(printf|puts)\s*\("
    return _forbid(tree, pattern, "a library does not print")


def no_abort(tree: Tree) -> list[str]:
    return _forbid(tree, r"\babort\s*\(", "return a Status")


def no_sleeping(tree: Tree) -> list[str]:
    pattern = r"\b(sleep_for|sleep_until|usleep|nanosleep)\b"
    return _forbid(tree, pattern, "wait on a CondVar", but=r"csrc/(runtime/|io/faulty)")


def headers_state_contract_and_thread_rule(tree: Tree) -> list[str]:
    violations = []
    for path, text in _native(tree):
        if path.endswith(".h") and _folder(path) in ("core", "runtime"):
            opening = re.match(r"(//[^\n]*\n)*", text)
            comment = opening[0] if opening else ""
            if comment.count("\n") < 3 or "thread" not in comment.lower():
                violations.append(f"{path}:1: must open with its contract and its thread rule")
    return violations


# --- Ops and kernels -----------------------------------------------------------------------------


class Registration(NamedTuple):
    place: str
    path: str
    name: str


def _registrations(tree: Tree, macro: str, folders: tuple[str, ...]) -> list[Registration]:
    found = []
    for path, text in _native(tree):
        if _folder(path) in folders:
            text = _without_comments(text)
            for match in re.finditer(rf'\b{macro}\s*\(\s*"([^"]+)"', text):
                found.append(Registration(_place(path, text, match.start()), path, match[1]))
    return found


def registered_ops(tree: Tree) -> list[Registration]:
    return _registrations(tree, "FASTPIPE_OP", ("ops", "sources"))


def registered_kernels(tree: Tree) -> list[Registration]:
    return _registrations(tree, "FASTPIPE_KERNEL", ("kernels",))


def registered_names_have_tests(tree: Tree) -> list[str]:
    """csrc/ops/x.cc, or an op x in it, has tests/ops/test_x.py; sources and kernels alike."""
    violations = []
    for place, path, name in registered_ops(tree) + registered_kernels(tree):
        folder, stem = _folder(path), PurePosixPath(path).stem
        wanted = [f"tests/{folder}/test_{each}.py" for each in dict.fromkeys((stem, name))]
        if not any(file in tree for file in wanted):
            violations.append(f"{place}: {name} has no {' or '.join(wanted)}")
    return violations


def tests_have_sources(tree: Tree) -> list[str]:
    known = {("", "")}
    for _, path, name in registered_ops(tree) + registered_kernels(tree):
        known |= {(_folder(path), PurePosixPath(path).stem), (_folder(path), name)}
    violations = []
    for path in tree:
        match = re.fullmatch(r"tests/(ops|sources|kernels)/test_(\w+)\.py", path)
        if match and (match[1], match[2]) not in known:
            violations.append(f"{path}:1: csrc/{match[1]} registers no {match[2]}")
    return violations


# --- Python --------------------------------------------------------------------------------------


class Import(NamedTuple):
    place: str
    target: str
    when: str  # "imported", "called" or "checked": what makes Python execute it


def _modules(tree: Tree) -> dict[str, str]:
    """Module name -> path, for the package fastpipe."""
    modules = {}
    for path in tree:
        match = re.fullmatch(r"(fastpipe(?:/\w+)*)\.(py|pyx)", path)
        if match:
            modules[match[1].replace("/", ".").removesuffix(".__init__")] = path
    return modules


def _imports(tree: Tree, module: str, path: str) -> Iterator[Import]:
    modules = _modules(tree)
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]

    def targets(node: ast.stmt) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = parents[: len(parents) - node.level + 1] if node.level else []
            whole = ".".join(base + ([node.module] if node.module else []))
            for alias in node.names:
                yield f"{whole}.{alias.name}" if f"{whole}.{alias.name}" in modules else whole

    def visit(node: ast.AST, when: str) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                for target in targets(child):
                    yield Import(f"{path}:{child.lineno}", target, when)
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from visit(child, "called")
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                yield from visit(child, "checked")
            else:
                yield from visit(child, when)

    yield from visit(ast.parse(tree[path]), "imported")


def _all_imports(tree: Tree) -> Iterator[tuple[str, Import]]:
    for module, path in _modules(tree).items():
        if path.endswith(".py"):
            for found in _imports(tree, module, path):
                yield module, found


def import_graph(tree: Tree) -> dict[str, dict[str, str]]:
    """module -> imported module of fastpipe -> when; an import at import time hides later ones."""
    graph: dict[str, dict[str, str]] = {module: {} for module in _modules(tree)}
    for module, found in _all_imports(tree):
        if found.target.split(".")[0] == "fastpipe":
            if graph[module].get(found.target) != "imported":
                graph[module][found.target] = found.when
    return graph


def imports_have_no_cycle(tree: Tree) -> list[str]:
    """Counts what importing executes: an import inside a function may go back up."""
    graph = {
        module: {target for target, when in targets.items() if when == "imported"}
        for module, targets in import_graph(tree).items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        path = _modules(tree)[error.args[1][0]]
        return [f"{path}:1: import cycle: {' <- '.join(error.args[1])}"]
    return []


def nothing_native_but_core(tree: Tree) -> list[str]:
    """NumPy and the standard library at import time; optional packages inside functions only."""
    violations = []
    for _, (place, target, when) in _all_imports(tree):
        top = target.split(".")[0]
        if top in ("ctypes", "cffi", "_cffi_backend"):
            violations.append(f"{place}: {target}: native code is reached through _core alone")
        elif target.startswith("fastpipe.") and re.search(r"\._(?!core$)\w*native", target):
            violations.append(f"{place}: {target}: native code is reached through _core alone")
        elif when == "imported" and top not in {*sys.stdlib_module_names, "numpy", "fastpipe"}:
            violations.append(f"{place}: {target} is not a dependency: import it where it is used")
    return violations


# What takes the name of an op or a kernel first: these, and each function of the front end whose
# first parameter is called `op` or `kernel`.
_DESCRIBE = {
    "dataset": "op",
    "build_dataset": "op",
    "kernel": "kernel",
    "run_kernel": "kernel",
}


class Described(NamedTuple):
    place: str
    kind: str  # "op" or "kernel"
    name: str


def _python(tree: Tree) -> Iterator[tuple[str, ast.Module]]:
    for path, text in tree.items():
        if path.startswith("fastpipe/") and path.endswith(".py"):
            yield path, ast.parse(text)


def _describing(tree: Tree) -> dict[str, str]:
    """Name of a function -> "op" or "kernel", what its first argument names."""
    found = dict(_DESCRIBE)
    for _, parsed in _python(tree):
        for node in ast.walk(parsed):
            if isinstance(node, ast.FunctionDef):
                names = [each.arg for each in node.args.args if each.arg not in ("self", "cls")]
                if names and names[0] in ("op", "kernel"):
                    found[node.name] = names[0]
    return found


def described(tree: Tree) -> list[Described]:
    """The ops and kernels that fastpipe/ asks for by a literal name."""
    kinds = _describing(tree)
    found = []
    for path, parsed in _python(tree):
        for node in ast.walk(parsed):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            kind = kinds.get(ast.unparse(node.func).rpartition(".")[2])
            first = node.args[0]
            choices = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            for choice in choices:
                if kind and isinstance(choice, ast.Constant) and isinstance(choice.value, str):
                    found.append(Described(f"{path}:{node.lineno}", kind, choice.value))
    return found


def python_asks_for_registered_names(tree: Tree) -> list[str]:
    known = {("op", op.name) for op in registered_ops(tree)}
    known |= {("kernel", kernel.name) for kernel in registered_kernels(tree)}
    return [
        f"{place}: csrc registers no {kind} {name!r}"
        for place, kind, name in described(tree)
        if (kind, name) not in known
    ]


def registered_names_have_python_names(tree: Tree) -> list[str]:
    """A kernel may also be named in a table, such as that of the operators of a symbol."""
    ops = {name for _, kind, name in described(tree) if kind == "op"}
    literals = set()
    for _, parsed in _python(tree):
        exported = [
            node.value
            for node in ast.walk(parsed)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ]
        skipped = {id(item) for value in exported for item in ast.walk(value)}
        for node in ast.walk(parsed):
            if isinstance(node, ast.Constant) and id(node) not in skipped:
                literals.add(node.value)
    return [
        f"{place}: fastpipe/ has no name for the {kind} {name!r}"
        for kind, registrations, names in (
            ("op", registered_ops(tree), ops),
            ("kernel", registered_kernels(tree), literals),
        )
        for place, _, name in registrations
        if name not in names
    ]


# --- Everything ----------------------------------------------------------------------------------


def files_are_short(tree: Tree) -> list[str]:
    return [
        f"{path}:{MAX_LINES + 1}: {len(text.splitlines())} lines, more than {MAX_LINES}"
        for path, text in tree.items()
        if len(text.splitlines()) > MAX_LINES
    ]


def names_say_something(tree: Tree) -> list[str]:
    empty = re.compile(r"(utils?|helpers?|misc|common)")
    return [
        f"{path}:1: name it after what it holds"
        for path in tree
        if any(empty.fullmatch(part.split(".")[0]) for part in PurePosixPath(path).parts)
    ]
