"""The disk of the data folder, before anything was written there."""

import shutil
from pathlib import Path

import pytest
from django.conf import LazySettings

from config.table_sizes import check_disk, data_disk


@pytest.mark.django_db
def test_a_folder_that_is_not_there_yet_has_the_disk_above_it(tmp_path: Path, settings: LazySettings) -> None:
    settings.DATA_DIR = tmp_path / "not" / "yet"

    assert data_disk().total == shutil.disk_usage(tmp_path).total
    assert "free beside" in check_disk().saw
