"""What was in the pool before there was a check, and the groups that were there before."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from crowd.pictures.models import Picture
from hits.identity.roles import RESEARCHER

# Migrating back and forth through everything that leans on the pool takes a minute or two.
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
BEFORE = [("pictures", "0002_told_to_rivals")]


@pytest.fixture
def old() -> Iterator[Any]:
    executor = MigrationExecutor(connection)
    everything = executor.loader.graph.leaf_nodes()
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    executor = MigrationExecutor(connection)
    executor.migrate(everything)


def test_pictures_of_before_are_fit_and_new_ones_wait(old: Any) -> None:
    old.get_model("pictures", "Picture").objects.create(
        sha256="0" * 64, concept="owl", file="pictures/a.svg", media_type="image/svg+xml"
    )
    researchers, _ = Group.objects.get_or_create(name=RESEARCHER)
    researchers.permissions.clear()

    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())

    new = Picture.objects.create(sha256="1" * 64, concept="cat", file="b.svg", media_type="image/svg+xml")
    assert list(Picture.objects.playable().values_list("concept", flat=True)) == ["owl"]
    assert new.status == "waiting"
    assert researchers.permissions.filter(codename__in=["check_picture", "import_picture"]).count() == 2
