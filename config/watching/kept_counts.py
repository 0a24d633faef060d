"""Counts of all processes that share a data folder, in files that each process writes for itself.

A number that a process keeps in its memory is right for nobody: the next request for it reaches another
process. So each process maps files of its own into its memory (prometheus_client's form for several
processes), and whoever is asked adds all of them up. The files of a process that has ended are folded into
one, so that no count goes back and their number does not grow.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import TYPE_CHECKING, Any

from hits.common.watching.timings import Timing, keep_by

if TYPE_CHECKING:
    from prometheus_client import Metric

ENDED = "ended"
Observe = Callable[[float, Sequence[str]], None]


class KeptCounts:
    """Where the processes of one data folder keep what they timing. The library loads at the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._metrics: dict[str, Any] = {}
        self._values: Any = None
        self._pid = 0
        self._name = ""
        self._sign: Any = None

    def keep(self, timing: Timing, seconds: float, values: Sequence[str]) -> None:
        metric = self._metrics.get(timing.name) or self._make(timing)
        (metric.labels(*values) if values else metric).observe(seconds)

    def collect(self) -> "list[Metric]":
        """Return the sums over all processes, those that have ended too."""
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415 - slow to load

        with self._alone():
            self._fold_ended()
            files = sorted(map(str, self._folder.glob("*.db")))
            return list(MultiProcessCollector.merge(files))

    def close(self) -> None:
        """Close the files of this process, whose counts stay: for whoever keeps them no longer."""
        if self._values is not None:
            self._values.close_all_files()
            self._sign.close()

    def _make(self, timing: Timing) -> Any:
        from prometheus_client import Histogram, Summary, values  # noqa: PLC0415 - as above

        with self._lock:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(self._folder)
            if self._values is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._values = values.MultiProcessValue(self._name_of_process)
            values.ValueClass = self._values
            if timing.name not in self._metrics:
                about = (timing.name, timing.words, timing.labels)
                self._metrics[timing.name] = (
                    Histogram(*about, buckets=timing.buckets, registry=None)
                    if timing.buckets
                    else Summary(*about, registry=None)
                )
        return self._metrics[timing.name]

    def _name_of_process(self) -> str:
        """Name this process's files, after a fork anew. A lock is the sign that it still runs.

        Numbers of processes are given again, and two containers have the same: so part of it is random.
        """
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._name = f"{self._pid}-{token_hex(4)}"
            self._sign = (self._folder / f"{self._name}.alive").open("w")
            fcntl.flock(self._sign, fcntl.LOCK_EX)
        return self._name

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the folder, so that no other process reads in the middle of a fold."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "folding").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def _fold_ended(self) -> None:
        for sign in self._folder.glob("*.alive"):
            if has_ended(sign):
                for path in self._folder.glob(f"*_{sign.stem}.db"):
                    fold(path, into=path.with_name(f"{path.name.partition('_')[0]}_{ENDED}.db"))
                sign.unlink()


def has_ended(sign: Path) -> bool:
    with sign.open("r") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def fold(path: Path, *, into: Path) -> None:
    from prometheus_client.mmap_dict import MmapedDict  # noqa: PLC0415 - as above

    sums = MmapedDict(str(into))
    try:
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path)):
            sums.write_value(key, sums.read_value(key)[0] + value, 0.0)
    finally:
        sums.close()
    path.unlink()


_counts: KeptCounts | None = None


def connect(folder: Path) -> None:
    """Keep the timings of this process in the folder from now on."""
    global _counts  # noqa: PLW0603 - one for the whole process
    _counts = KeptCounts(folder)
    keep_by(_counts.keep)


def disconnect() -> None:
    keep_by(None)
    if _counts:
        _counts.close()


def counted() -> "list[Metric]":
    """Return what all processes of the data folder have measured."""
    return _counts.collect() if _counts else []
