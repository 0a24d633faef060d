"""Gauges of the installation itself: its sweeps, the disk and the last backup."""

import time
from collections.abc import Iterator
from datetime import datetime

from config.copies.copy_records import last_copy
from config.table_sizes import data_disk
from hits.common import wake
from hits.common.pulses import read_pulse
from hits.common.watching.row_gauges import Gauge, Reading, reads_gauges

PULSE = Gauge(
    name="crowd_dispatcher_silent_seconds",
    words="Time since the process that has sweeps run wrote down what it knows. Missing: it never did.",
)
DONE = Gauge(
    name="crowd_sweeps_idle_seconds",
    words="Time since any sweep reported that it was run. Missing: none did.",
)
UNANSWERED = Gauge(
    name="crowd_sweep_unanswered_seconds",
    words="Time since the first start of a sweep that has not reported since: its worker is away, or busy.",
    labels=("sweep",),
)
FAILING = Gauge(
    name="crowd_sweep_failing_seconds",
    words="Time since the first of a sweep's runs that failed, with none since that went well.",
    labels=("sweep",),
)
DISK_FREE = Gauge(name="crowd_disk_free_bytes", words="Room left on the disk of the data folder.")
DISK = Gauge(name="crowd_disk_bytes", words="Size of the disk of the data folder.")
BACKUP = Gauge(
    name="crowd_backup_age_seconds",
    words="Age of the last copy by manage.py backup. Missing: none was made.",
)


@reads_gauges("pulse")
def read_pulse_of_dispatcher(now: datetime) -> Iterator[Reading]:
    channel, at = wake.channel(), time.time()
    pulse = read_pulse(channel.kept()) if channel else None
    if pulse is None:
        return
    yield PULSE.at(max(0.0, at - pulse.at))
    if pulse.done_at:
        yield DONE.at(max(0.0, at - pulse.done_at))
    for gauge, known in ((UNANSWERED, pulse.unanswered), (FAILING, pulse.failing)):
        for sweep, since in known.items():
            yield gauge.at(max(0.0, at - since), sweep)


@reads_gauges("disk")
def read_disk(now: datetime) -> Iterator[Reading]:
    disk = data_disk()
    yield DISK.at(disk.total)
    yield DISK_FREE.at(disk.free)


@reads_gauges("backup")
def read_backup(now: datetime) -> Iterator[Reading]:
    if made_at := last_copy():
        yield BACKUP.at(max(0.0, (now - made_at).total_seconds()))
