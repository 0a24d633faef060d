"""Several replays of one recording at once store each association once, in one study and with its people."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from crowd.winogavil.models import Association, Solution
from crowd.winogavil.replaying.replay import WinogavilReplay
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.replaying.recordings import write_many
from tests.factories import NOW

pytestmark = pytest.mark.django_db(transaction=True)
ASSOCIATIONS = 600
AT_ONCE = 3


def test_replays_at_one_instant_record_each_association_once(tmp_path: Path) -> None:
    folder = write_many(tmp_path / "recording", associations=ASSOCIATIONS, seed=5)

    def replay(_: int) -> dict[str, Any]:
        try:
            return WinogavilReplay().replay(folder=folder, study="race", tell=lambda *_: None, now=NOW)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        first, *others = pool.map(replay, range(AT_ONCE))

    assert others == [first] * (AT_ONCE - 1)
    assert [model.objects.count() for model in (Item, Association, Solution)] == [600, 600, 1800]
    assert (Study.objects.count(), Account.objects.count()) == (1, 1)
    assert Worker.objects.count() == 50 + 100
