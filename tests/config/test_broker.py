import errno
from pathlib import Path
from queue import Empty
from shutil import rmtree
from typing import Any

import pytest
from kombu import Connection, Exchange, Producer, Queue

from config import broker

broker.register()


def channel_in(folder: Path) -> Any:
    for name in ("messages", "control"):
        (folder / name).mkdir(exist_ok=True)
    options = {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }
    return Connection(f"{broker.SCHEME}://", transport_options=options).default_channel


def test_messages_come_in_their_order(tmp_path: Path) -> None:
    channel = channel_in(tmp_path)
    for number in range(3):
        channel._put("default", {"number": number})

    assert [channel._get("default")["number"] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(Empty):
        channel._get("default")


def test_torn_message_is_passed_over(tmp_path: Path) -> None:
    channel = channel_in(tmp_path)
    (tmp_path / "messages" / "0_torn.default.msg").write_text('{"number"')
    channel._put("default", {"number": 1})

    assert channel._get("default") == {"number": 1}


def test_message_half_written_is_nobodys(tmp_path: Path) -> None:
    """A process that is killed before the file is in its place leaves such a file."""
    channel = channel_in(tmp_path)
    (tmp_path / "messages" / "half.part").write_text('{"number"')

    with pytest.raises(Empty):
        channel._get("default")


def test_folders_that_are_removed_are_made_again(tmp_path: Path) -> None:
    channel = channel_in(tmp_path)
    rmtree(tmp_path / "messages")
    rmtree(tmp_path / "control")

    with pytest.raises(Empty):
        channel._get("default")
    rmtree(tmp_path / "messages")
    channel._put("default", {"number": 1})

    assert channel._get("default") == {"number": 1}


def test_message_finds_its_queue_whatever_became_of_the_folders(tmp_path: Path) -> None:
    channel = channel_in(tmp_path)
    queue = Queue("money", Exchange("money"), routing_key="money")
    queue(channel).declare()
    rmtree(tmp_path / "control")

    Producer(channel).publish({"number": 1}, exchange="money", routing_key="money")

    message = queue(channel).get()
    assert message
    assert message.payload == {"number": 1}


def test_message_that_finds_no_room_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = channel_in(tmp_path)

    def fill(path: Path, content: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(OSError, match="No space"):
        channel._put("default", {"number": 1})

    assert list((tmp_path / "messages").iterdir()) == []
