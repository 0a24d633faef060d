"""Messages between processes of one machine. A message that is lost or torn makes all sweeps run, no more."""

import os
from pathlib import Path
from shutil import rmtree

import pytest

from hits.common.channels import EVERYTHING, Pipes, deliver, done, written
from hits.common.sweeps import SweepReport

pytestmark = pytest.mark.pure


class Noted:
    def __init__(self) -> None:
        self.heard: list[object] = []

    def hear_written(self, tables: set[str]) -> None:
        self.heard.append(tables)

    def hear_done(self, what: SweepReport) -> None:
        self.heard.append(what)

    def wake_all(self) -> None:
        self.heard.append("all")


def heard(message: str) -> object:
    noted = Noted()
    deliver(message, noted)  # type: ignore[arg-type]
    (one,) = noted.heard
    return one


def test_messages_are_heard_as_they_were_meant() -> None:
    what = SweepReport(name="judge", tables=frozenset({"work", "study"}), due_in=12.5)

    assert heard(written({"work", "bonus"})) == {"work", "bonus"}
    assert heard(done(what)) == what
    assert heard(EVERYTHING) == "all"


def test_a_torn_message_counts_as_all() -> None:
    assert heard(written({"work"})[:-3]) == "all"


def test_every_listener_hears_each_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = Pipes(tmp_path)
    first = channel.listen()
    monkeypatch.setattr(os, "getpid", lambda: 1)
    second = channel.listen()

    channel.send("one")
    channel.send("two")

    assert [*first.wait(1)] == [*second.wait(1)] == ["one", "two"]
    assert [*first.wait(0)] == []


def test_sending_to_nobody_is_no_mistake(tmp_path: Path) -> None:
    Pipes(tmp_path / "not there").send("one")


def test_a_pipe_of_somebody_who_has_died_goes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.pipe")

    Pipes(tmp_path).send("one")

    assert list(tmp_path.iterdir()) == []


def test_whose_pipe_was_removed_has_everything_looked_at_and_hears_again(tmp_path: Path) -> None:
    channel = Pipes(tmp_path / "sweeps")
    listener = channel.listen()
    rmtree(tmp_path / "sweeps")

    missed = [*listener.wait(1)]
    channel.send("one")

    assert missed == [EVERYTHING]
    assert [*listener.wait(1)] == ["one"]


def test_who_found_no_room_has_everything_looked_at(tmp_path: Path) -> None:
    channel = Pipes(tmp_path)
    listener = channel.listen()
    for _ in range(5000):
        channel.send("x" * 100)

    came = [*listener.wait(1)]

    assert len(came) < 5000
    assert came[-1] == EVERYTHING
