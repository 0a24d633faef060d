"""Copies that are encrypted, or kept in a bucket, as an operator makes and restores them: real commands."""

from pathlib import Path

import pytest

from tests.config.copies.test_copies import CHANGE, PUT_BACK, SILENT, look, refused
from tests.config.copies.test_copy_places import CREDENTIALS
from tests.config.processes import manage, scratch_environ
from tests.crowd.releases.loopback_bucket import LoopbackBucket

pytestmark = pytest.mark.pure


def test_an_encrypted_copy_is_restored_with_the_private_key_alone(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (safe := tmp_path / "safe").mkdir()
    there = scratch_environ(tmp_path / "there", **SILENT)

    manage("backup", str(safe), environ=environ)
    (copy,) = safe.iterdir()
    without = refused("restore", str(copy), environ=there)
    manage("make_backup_key", str(tmp_path / "other.txt"), environ=there)
    wrong = refused("restore", str(copy), "--key-file", str(tmp_path / "other.txt"), environ=there)
    missing = refused("restore", str(copy), "--key-file", str(tmp_path / "gone.txt"), environ=there)
    manage("restore", str(copy), "--key-file", str(tmp_path / "key.txt"), environ=there)

    assert copy.name.endswith(".tar.age")
    assert b"SQLite format" not in copy.read_bytes()
    assert "Name its key: --key-file FILE" in without
    assert "None of the keys opens" in wrong
    assert "gone.txt cannot be read" in missing
    assert look(there) == PUT_BACK
    assert [path.name for path in (tmp_path / "there").glob(".*")] == []


def test_an_encrypted_copy_that_was_cut_changes_nothing(environ: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy.tar.age"
    manage("backup", str(copy), environ=environ)
    manage("shell", "--command", CHANGE, environ=environ)
    copy.write_bytes(copy.read_bytes()[:-70_000])
    key = str(tmp_path / "key.txt")

    said = refused("restore", str(copy), "--replace", "--key-file", key, environ=environ)

    assert "is no whole copy: it was cut or changed" in said
    assert look(environ)["name"] == "Since"


def test_a_copy_in_a_bucket_is_checked_and_restored(
    environ: dict[str, str], tmp_path: Path, safe_bucket: LoopbackBucket
) -> None:
    place, key = "s3://safe/lab", {"CROWD_BACKUP_KEY_FILE": str(tmp_path / "key.txt")}
    there = scratch_environ(tmp_path / "there", **SILENT, **CREDENTIALS, **key)
    there["CROWD_BACKUP_ENDPOINT_URL"] = safe_bucket.url

    manage("backup", place, environ=environ)
    (name,) = safe_bucket.objects
    checked = manage("restore", f"s3://safe/{name}", "--check", environ=there)
    said = manage("restore", place, environ=there)  # the newest one there

    assert name.startswith("lab/crowd-")
    assert f"Whole: s3://safe/{name}: default of" in checked
    assert f"The copy is s3://safe/{name}." in said
    assert look(there) == PUT_BACK
    assert safe_bucket.uploads == {}


def test_a_bucket_that_breaks_off_keeps_nothing(environ: dict[str, str], safe_bucket: LoopbackBucket) -> None:
    safe_bucket.patience = 1

    said = refused("backup", "s3://safe/lab", environ=environ)

    assert "The bucket safe refused" in said
    assert safe_bucket.objects == {}
