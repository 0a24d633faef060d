"""Pictures in a store beside the copies, and the removal of old copies: real commands."""

from pathlib import Path

import pytest

from config.copies.copy_places import FolderPlace
from config.copies.old_copies import remove_old
from tests.config.copies.test_copies import CHANGE, SILENT, look, refused
from tests.config.copies.test_copy_places import CREDENTIALS
from tests.config.processes import manage, scratch_environ
from tests.crowd.releases.loopback_bucket import LoopbackBucket

pytestmark = pytest.mark.pure


MORE = """
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
default_storage.save("pictures/two.webp", ContentFile(b"another picture"))
"""
ONE_GOES = """
from django.core.files.storage import default_storage
default_storage.delete("pictures/one.webp")
"""


def test_incremental_copies_send_each_picture_once_and_are_restored_whole(
    environ: dict[str, str], tmp_path: Path, safe_bucket: LoopbackBucket
) -> None:
    key = {"CROWD_BACKUP_KEY_FILE": str(tmp_path / "key.txt"), "CROWD_BACKUP_ENDPOINT_URL": safe_bucket.url}
    there = scratch_environ(tmp_path / "there", **SILENT, **CREDENTIALS, **key)

    manage("backup", "s3://safe/lab", "--incremental", environ=environ)
    manage("shell", "--command", MORE, environ=environ)
    manage("backup", "s3://safe/lab", "--incremental", environ=environ)
    checked = manage("restore", "s3://safe/lab", "--check", environ=there)
    manage("restore", "s3://safe/lab", environ=there)

    assert len([name for name in safe_bucket.sent() if len(name) == len(".12345678.age") + 64]) == 2
    assert not any(b"picture" in content for content, _ in safe_bucket.objects.values())
    assert "2 pictures" in checked
    found = look(there)
    assert (found["name"], sorted(found["pictures"])) == ("Then", ["one.webp", "two.webp"])
    assert (tmp_path / "there/media/pictures/two.webp").read_bytes() == b"another picture"


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_copy_whose_stored_picture_is_gone_or_bent_changes_nothing(
    environ: dict[str, str], tmp_path: Path, is_gone: bool
) -> None:
    (safe := tmp_path / "safe").mkdir()
    plain = {name: value for name, value in environ.items() if name != "CROWD_BACKUP_RECIPIENTS"}
    manage("backup", str(safe), "--incremental", environ=plain)
    manage("shell", "--command", CHANGE, environ=plain)
    (stored,) = (path for path in (safe / "pictures").rglob("*") if path.is_file())
    stored.unlink() if is_gone else stored.write_bytes(b"b picture")

    said = refused("restore", str(safe), "--replace", environ=plain)

    assert ("There is no file" if is_gone else "is not what was copied") in said
    assert look(plain)["name"] == "Since"


def test_keep_removes_old_copies_and_pictures_that_none_names(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (safe := tmp_path / "safe").mkdir()
    (safe / "monday.tar").write_bytes(b"Named by a person.")
    backup = ("backup", str(safe), "--incremental", "--keep")
    manage(*backup, "2", environ=environ)
    manage("shell", "--command", MORE + ONE_GOES, environ=environ)
    manage(*backup, "2", environ=environ)
    (first, second) = sorted(path.name for path in safe.glob("crowd-*.age"))
    kept_by_both = len(stored_in(safe))

    said = manage(*backup, "2", environ=environ)

    names = {path.name for path in safe.iterdir() if path.is_file()}
    assert f"Removed {safe / first}." in said
    assert "Removed 1 pictures that no copy names any more." in said
    assert names & {first, f"{first}.pictures", second, "monday.tar"} == {second, "monday.tar"}
    assert (kept_by_both, len(stored_in(safe))) == (2, 1)
    assert "2 pictures" not in manage(
        "restore", str(safe), "--check", "--key-file", str(tmp_path / "key.txt"), environ=environ
    )


def test_keep_removes_no_picture_while_a_list_is_missing(tmp_path: Path) -> None:
    for name in ("crowd-20260101-000000-incremental.tar", "crowd-20260102-000000.tar", "pictures/ab/ab"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    said: list[str] = []

    remove_old(FolderPlace(tmp_path), keep=2, say=said.append)

    assert (tmp_path / "pictures/ab/ab").exists()
    assert said == [
        f"No picture was removed: {tmp_path}/crowd-20260101-000000-incremental.tar.pictures is missing."
    ]


def test_what_a_copy_that_is_being_made_names_stays(tmp_path: Path) -> None:
    (tmp_path / "pictures/ab").mkdir(parents=True)
    (tmp_path / "pictures/ab/abc").touch()
    (tmp_path / "crowd-20260102-000000.tar").touch()
    (tmp_path / "crowd-20260103-000000-incremental.tar.pictures").write_text("ab/abc\n")

    remove_old(FolderPlace(tmp_path), keep=1, say=print)

    assert (tmp_path / "pictures/ab/abc").exists()


@pytest.mark.parametrize("arguments", [("--keep", "0"), ("--keep", "2"), ("--incremental",)])
def test_what_cannot_be_kept_or_stored_is_refused_first(
    environ: dict[str, str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    said = refused("backup", str(tmp_path / "a.tar"), *arguments, environ=environ)

    assert "--keep is the number" in said or "name a folder or s3://" in said
    assert not (tmp_path / "a.tar").exists()


def stored_in(safe: Path) -> list[str]:
    return [path.name for path in (safe / "pictures").rglob("*") if path.is_file()]
