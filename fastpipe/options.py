"""Options of a dataset: what changes how it runs, and where its data seems to lie."""

from __future__ import annotations

import copy
import enum
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, TypeAlias, get_args, get_type_hints


class AutotuneAlgorithm(enum.Enum):
    """tf.data's tuning algorithms. There is one here, whichever is named."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class AutoShardPolicy(enum.IntEnum):
    """How tf.distribute shards a dataset. Shard explicitly here: `ds.shard(workers, index)`."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What tf.data does with state that it cannot save. Here saving it is an error: FAIL."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


# What _core takes: flags and numbers of AUTOTUNE and threads, and of LimitOptions.
RunOptions: TypeAlias = tuple[
    bool, bool, int, int, int, int, int, int, bool, tuple[int, int, int, int], int
]

_MANY = 1_000_000  # threads or cores; more is a mistake
_LONGEST_DELAY = 1e6  # seconds


@cache
def _kinds(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _kind_text(kind: Any) -> str:
    """ "a float, an int or None" """
    names = [getattr(each, "__name__", str(each)) for each in get_args(kind) or (kind,)]
    texts = ["None" if name == "NoneType" else _with_article(name) for name in names]
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def _with_article(name: str) -> str:
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


class OptionSet:
    """Attributes of fixed names and types; None leaves one as it is by default."""

    _aliases: ClassVar[dict[str, str]] = {}
    # Numbers are from 0, which leaves one as it is by default, to this.
    _most: ClassVar[dict[str, int]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        owner = type(self)
        name = owner._aliases.get(name, name)
        known = [item.name for item in fields(owner)]  # type: ignore[arg-type]
        if name not in known:
            raise AttributeError(
                f"{owner.__name__} has no {name!r}; it has {', '.join(sorted(known))}"
            )
        kind = _kinds(owner)[name]  # type: ignore[arg-type]
        flag_for_number = name in owner._most and isinstance(value, bool)
        if not isinstance(value, kind) or flag_for_number:
            raise TypeError(
                f"{owner.__name__}.{name} must be {_kind_text(kind)}, got "
                f"{type(value).__name__}: {value!r}"
            )
        most = owner._most.get(name)
        if most is not None and value is not None and not 0 <= value <= most:
            raise ValueError(f"{owner.__name__}.{name} must be from 0 to {most:,}, got {value:,}")
        if self.__dict__.get("_fixed"):
            raise ValueError(
                f"setting {name} of the options of a dataset has no effect on it: make Options() "
                f"and give them to with_options"
            )
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        alias = type(self)._aliases.get(name)
        if alias is None:
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        return getattr(self, alias)

    def fix(self) -> None:
        """From now on setting an attribute is an error."""
        self.__dict__["_fixed"] = True
        for value in list(vars(self).values()):
            if isinstance(value, OptionSet):
                value.fix()


@dataclass
class AutotuneOptions(OptionSet):
    """What AUTOTUNE may do.

    Attributes:
        enabled: False leaves every AUTOTUNE knob where it starts. Default True.
        cpu_budget: cores that all pipelines of the process may use together; default: what
            affinity and cgroup quota give.
        ram_budget: bytes that the buffers of all stages may hold together; default: a quarter of
            what is available.
        initial_parallelism: threads that a stage starts with; default: the cores, shared with
            other pipelines that run.
        min_parallelism: threads that a stage keeps; default 1.
        max_parallelism: threads that a stage never goes beyond; default: 256 for a map, 16 for a
            batch, cycle_length for an interleave.
        autotune_algorithm: accepted, without effect.
    """

    enabled: bool | None = None
    cpu_budget: int | None = None
    ram_budget: int | None = None
    initial_parallelism: int | None = None
    min_parallelism: int | None = None
    max_parallelism: int | None = None
    autotune_algorithm: AutotuneAlgorithm | None = None

    _most = {
        "cpu_budget": _MANY,
        "ram_budget": 2**62,
        "initial_parallelism": _MANY,
        "min_parallelism": _MANY,
        "max_parallelism": _MANY,
    }

    def check(self) -> None:
        """ValueError if what is set contradicts itself."""
        least, most = self.min_parallelism or 0, self.max_parallelism or 0
        if most and least > most:
            raise ValueError(
                f"AutotuneOptions.min_parallelism = {least} is more than max_parallelism = {most}"
            )


@dataclass
class LimitOptions(OptionSet):
    """How much one image, record or compressed file may ask for; more costs it an error.

    What untrusted bytes announce is checked before memory is allocated for it.

    Attributes:
        image_pixels: of an image, or of all frames of an animation unless its file is long;
            default 178,956,970, beyond which Pillow takes an image for an attack.
        image_scans: of a progressive JPEG, each of which costs a pass over the image; default 100.
        record_bytes: of a TFRecord, a line or a CSV record; default 1 GiB.
        decompression_ratio: bytes that may come out for each compressed byte, once 16 MiB have come
            out; pixels of an image, once it has 16 Mi; default 1,000. Files of little but zeros may
            need more: up to 1,032 with GZIP and ZLIB, many times that with ZSTD.

    >>> import fastpipe as fp
    >>> png = fp.io.encode_png(fp.zeros([20, 20, 3], fp.uint8))
    >>> ds = fp.Dataset.from_tensors(png).map(fp.io.decode_png)
    >>> options = Options(limits=LimitOptions(image_pixels=300))
    >>> list(ds.with_options(options))
    Traceback (most recent call last):
    ...
    fastpipe.errors.InvalidArgumentError: ...20 x 20 pixels are more than the limit of 300...
    """

    image_pixels: int | None = None
    image_scans: int | None = None
    record_bytes: int | None = None
    decompression_ratio: int | None = None

    _most = {
        "image_pixels": 2**62,
        "image_scans": _MANY,
        "record_bytes": 2**62,
        "decompression_ratio": 2**62,
    }

    def native(self) -> tuple[int, int, int, int]:
        """As _core takes it: 0 is the default."""
        return (
            self.image_pixels or 0,
            self.image_scans or 0,
            self.record_bytes or 0,
            self.decompression_ratio or 0,
        )


@dataclass
class ThreadingOptions(OptionSet):
    """How many threads stages may have.

    Attributes:
        private_threadpool_size: the most threads of any one stage; 0 or None for no limit.
        max_intra_op_parallelism: accepted, without effect: a kernel runs on one thread.
    """

    max_intra_op_parallelism: int | None = None
    private_threadpool_size: int | None = None

    _most = {"private_threadpool_size": _MANY}


@dataclass
class OptimizationOptions(OptionSet):
    """tf.data's graph rewrites. Accepted, without effect: no rewrite changes what comes out."""

    apply_default_optimizations: bool | None = None
    filter_fusion: bool | None = None
    filter_parallelization: bool | None = None
    inject_prefetch: bool | None = None
    map_and_batch_fusion: bool | None = None
    map_and_filter_fusion: bool | None = None
    map_fusion: bool | None = None
    map_parallelization: bool | None = None
    noop_elimination: bool | None = None
    parallel_batch: bool | None = None
    seq_interleave_prefetch: bool | None = None
    shuffle_and_repeat_fusion: bool | None = None


@dataclass
class DistributeOptions(OptionSet):
    """What tf.distribute does with a dataset. Accepted, without effect."""

    auto_shard_policy: AutoShardPolicy = AutoShardPolicy.AUTO
    num_devices: int | None = None


@dataclass
class ServiceOptions(OptionSet):
    """What the tf.data service does with a dataset. Accepted, without effect."""

    pinned: bool | None = None


@dataclass
class SimulatedStorage:
    """Slow storage, simulated natively: for benchmarks and tests.

    Attributes:
        open_delay: seconds that opening a file takes.
        read_delay: seconds that each read takes.
        bytes_per_second: bandwidth, which all files share; 0 for no limit.
        max_read: the most bytes one read returns; 0 for no limit.
        fail_open: the number (from 1) of the open that fails; 0 for none.
        fail_read: the number (from 1) of the read that fails; 0 for none.
        stall_open: the number (from 1) of the open that hangs, whatever closes or interrupts it,
            until Iterator.set_storage says otherwise; 0 for none.
        stall_read: the same of reads.
    """

    open_delay: float = 0.0
    read_delay: float = 0.0
    bytes_per_second: int = 0
    max_read: int = 0
    fail_open: int = 0
    fail_read: int = 0
    stall_open: int = 0
    stall_read: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            delay = name.endswith("_delay")
            if isinstance(value, bool) or not isinstance(value, int | float if delay else int):
                kind = "a number" if delay else "an int"
                raise TypeError(f"SimulatedStorage.{name} must be {kind}, got {value!r}")
            most = _LONGEST_DELAY if delay else 2**62
            if not 0 <= value <= most:
                raise ValueError(
                    f"SimulatedStorage.{name} must be from 0 to {most:,.0f}, got {value}"
                )

    def native(self) -> tuple[int, int, int, int, int, int, int, int]:
        """As _core takes it: delays in nanoseconds."""
        return (
            int(self.open_delay * 1e9),
            int(self.read_delay * 1e9),
            self.bytes_per_second,
            self.max_read,
            self.fail_open,
            self.fail_read,
            self.stall_open,
            self.stall_read,
        )


@dataclass
class Options(OptionSet):
    """Set attributes, then `ds.with_options(options)`; unset ones keep what the input had.

    Attributes:
        deterministic: order of stages that do not say themselves; None means True.
        autotune: see AutotuneOptions.
        threading: see ThreadingOptions.
        dataset_name: for the reader of the options.
        fusion: False computes every op and every kernel by itself, as written; by default those
            that explain() names are computed as one, and small elements pass many at once, with
            the same results.
        limits: see LimitOptions.
        native_only: True makes a function that cannot be traced an error instead of a
            PythonFallbackWarning.
        read_timeout: seconds after which an open, a read or a listing that storage has not
            answered is a DeadlineExceededError, which names the file, and the pipeline goes on with
            what follows; None for no limit. Each read then is one more copy, on a thread of its
            own, and Ctrl+C ends the wait for one that hangs.
        storage: reads through a SimulatedStorage.
        experimental_symbolic_checkpoint: accepted, without effect: positions always are symbolic.
        experimental_distribute, experimental_external_state_policy, experimental_optimization,
            experimental_service, experimental_slack, experimental_warm_start, framework_type:
            accepted, without effect.
        experimental_deterministic, experimental_threading: older names of the above.

    >>> options = Options()
    >>> options.deterministic = False
    >>> options.autotune.cpu_budget = 1
    """

    deterministic: bool | None = None
    autotune: AutotuneOptions = field(default_factory=AutotuneOptions)
    fusion: bool | None = None
    limits: LimitOptions = field(default_factory=LimitOptions)
    native_only: bool | None = None
    read_timeout: float | int | None = None
    storage: SimulatedStorage | None = None
    threading: ThreadingOptions = field(default_factory=ThreadingOptions)
    dataset_name: str | None = None
    experimental_distribute: DistributeOptions = field(default_factory=DistributeOptions)
    experimental_external_state_policy: ExternalStatePolicy | None = None
    experimental_optimization: OptimizationOptions = field(default_factory=OptimizationOptions)
    experimental_service: ServiceOptions = field(default_factory=ServiceOptions)
    experimental_slack: bool | None = None
    experimental_symbolic_checkpoint: bool | None = None
    experimental_warm_start: bool | None = None
    framework_type: list | None = None  # type: ignore[type-arg]

    _aliases = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }
    _most = {"read_timeout": int(_LONGEST_DELAY)}

    def merge(self, options: Options) -> Options:
        """These options, with what `options` sets on top.

        Raises:
            ValueError: together they ask for more threads than they allow.
        """
        merged: Options = _merge(self, options)
        merged.autotune.check()
        return merged

    def native(self) -> RunOptions:
        """As _core takes it."""
        return (
            self.deterministic is not False,
            self.autotune.enabled is not False,
            self.autotune.cpu_budget or 0,
            self.autotune.ram_budget or 0,
            self.autotune.initial_parallelism or 0,
            self.autotune.min_parallelism or 0,
            self.autotune.max_parallelism or 0,
            self.threading.private_threadpool_size or 0,
            self.fusion is not False,
            self.limits.native(),
            int((self.read_timeout or 0) * 1e9),
        )


def _merge(base: Any, over: Any) -> Any:
    merged = type(base)()
    unset = type(base)()
    for item in fields(over):
        below, above = getattr(base, item.name), getattr(over, item.name)
        if isinstance(above, OptionSet):
            value = _merge(below, above)
        else:
            value = copy.deepcopy(below if above == getattr(unset, item.name) else above)
        setattr(merged, item.name, value)
    return merged
