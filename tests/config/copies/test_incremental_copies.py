"""Pictures in a store beside the copies: real commands."""

from pathlib import Path

import pytest

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
