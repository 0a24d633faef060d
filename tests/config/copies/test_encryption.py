"""Encryption of copies: in flat memory, for public recipients, refused where a bit is not as written."""

import os
import stat
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pyrage
import pytest
from django.conf import LazySettings
from django.core.management import CommandError

from config.copies.encryption import (
    decrypt,
    encrypting,
    is_encrypted,
    make_key_file,
    read_key_file,
    read_recipients,
)

PIECE = 64 * 1024 + 16
CONTENT = os.urandom(5 * 64 * 1024)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.txt"
    make_key_file(path)
    return path


def encrypted(folder: Path, key: Path, content: bytes = CONTENT) -> Path:
    path = folder / "copy.age"
    public = [identity.to_public() for identity in read_key_file(key)]
    with path.open("wb") as target, encrypting(target, public) as plain:
        plain.write(content)
    return path


def test_what_is_encrypted_for_a_public_key_is_read_with_the_private_one(tmp_path: Path, key: Path) -> None:
    path = encrypted(tmp_path, key)

    plain = decrypt(path, tmp_path / "plain", read_key_file(key))

    assert is_encrypted(path)
    assert not is_encrypted(plain)
    assert CONTENT[:64] not in path.read_bytes()
    assert plain.read_bytes() == CONTENT
    assert [stat.S_IMODE(file.stat().st_mode) for file in (plain, key)] == [0o600, 0o600]


def first_piece(path: Path) -> int:
    """Where the first piece begins: behind the header and a random number of 16 bytes."""
    return path.stat().st_size - 5 * PIECE


def cut(path: Path) -> bytes:
    """Leave whole pieces alone: an end that nobody marked is no end."""
    return path.read_bytes()[:-PIECE]


def cut_within(path: Path) -> bytes:
    return path.read_bytes()[:-100]


def reordered(path: Path) -> bytes:
    content, start = path.read_bytes(), first_piece(path)
    pieces = [content[at : at + PIECE] for at in range(start, len(content), PIECE)]
    return content[:start] + b"".join([pieces[1], pieces[0], *pieces[2:]])


def bent(path: Path) -> bytes:
    content = bytearray(path.read_bytes())
    content[first_piece(path) + PIECE // 2] ^= 1
    return bytes(content)


@pytest.mark.parametrize("spoil", [cut, cut_within, reordered, bent])
def test_what_is_not_as_it_was_written_is_refused(
    tmp_path: Path, key: Path, spoil: Callable[[Path], bytes]
) -> None:
    path = encrypted(tmp_path, key)
    path.write_bytes(spoil(path))

    with pytest.raises(CommandError, match="was cut or changed"):
        decrypt(path, tmp_path / "plain", read_key_file(key))

    assert not (tmp_path / "plain").exists()


def test_another_key_or_none_is_refused_with_what_to_do(tmp_path: Path, key: Path) -> None:
    path = encrypted(tmp_path, key)
    make_key_file(tmp_path / "other.txt")

    with pytest.raises(CommandError, match="Name another key file"):
        decrypt(path, tmp_path / "plain", read_key_file(tmp_path / "other.txt"))
    with pytest.raises(CommandError, match="--key-file FILE"):
        decrypt(path, tmp_path / "plain", [])


def test_what_is_broken_off_does_not_look_whole(tmp_path: Path, key: Path) -> None:
    target = BytesIO()
    public = [identity.to_public() for identity in read_key_file(key)]

    def break_off() -> None:
        with encrypting(target, public) as plain:
            plain.write(CONTENT)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        break_off()
    path = tmp_path / "copy.age"
    path.write_bytes(target.getvalue())

    with pytest.raises(CommandError, match="was cut or changed"):
        decrypt(path, tmp_path / "plain", read_key_file(key))


def test_a_target_that_takes_no_more_fails_and_keeps_no_writer_waiting(key: Path) -> None:
    class Full(BytesIO):
        def write(self, _: Any) -> int:
            raise OSError("No space left on device")

    def fill() -> None:
        with encrypting(Full(), [identity.to_public() for identity in read_key_file(key)]) as plain:
            plain.write(CONTENT * 10)

    with pytest.raises(CommandError, match="No space left"):
        fill()


def test_recipients_are_those_of_the_settings_or_the_given_ones(key: Path, settings: LazySettings) -> None:
    one, other = (str(pyrage.x25519.Identity.generate().to_public()) for _ in range(2))
    settings.BACKUP_RECIPIENTS = [one]

    assert [str(found) for found in read_recipients([])] == [one]
    assert [str(found) for found in read_recipients([other])] == [other]
    with pytest.raises(CommandError, match="a public key such as age1"):
        read_recipients(["age1nonsense"])


@pytest.mark.parametrize(
    ("content", "words"),
    [("nonsense", "is no key file"), ("# nothing\n", "holds no key"), (None, "cannot be read")],
)
def test_a_key_file_that_is_none_is_named(
    tmp_path: Path, settings: LazySettings, content: str | None, words: str
) -> None:
    settings.BACKUP_KEY_FILE = str(tmp_path / "key")
    if content is not None:
        (tmp_path / "key").write_text(content)

    with pytest.raises(CommandError, match=words):
        read_key_file(None)


def test_a_key_never_replaces_another_one(key: Path) -> None:
    before = key.read_text()

    with pytest.raises(CommandError, match="Name a new file"):
        make_key_file(key)

    assert key.read_text() == before
