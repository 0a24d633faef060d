"""A test with real transactions leaves nothing behind except the database's first rows, unchanged."""

from threading import Event, Thread

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, IntegrityError, OperationalError, connections, transaction

from crowd.marketplace.models.parties import Worker
from crowd.winoground.models import Tag
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import Study
from tests import emptying
from tests.conftest import DATABASES
from tests.emptying import LaidTables, empty_database, read_laid
from tests.factories import invite, make_study

pytestmark = pytest.mark.django_db(transaction=True)
Everything = dict[str, LaidTables]


@pytest.fixture
def laid() -> Everything:
    return read_all()


def read_all() -> Everything:
    return {alias: read_laid(alias) for alias in DATABASES}


def empty(laid: Everything) -> None:
    for alias in DATABASES:
        empty_database(alias, laid[alias])


def test_what_a_database_begins_with_is_laid_when_a_test_begins() -> None:
    assert {"hits_rolegrant", "auth_permission", "winoground_tag", "whoops_category"} <= set(
        read_laid("default")
    )
    assert read_laid("marketplace") == {}


def test_rows_of_both_databases_go_and_what_was_laid_stays(laid: Everything) -> None:
    make_study()
    invite()

    empty(laid)

    assert not Study.objects.exists()
    assert not Worker.objects.exists()
    assert read_all() == laid


def test_append_only_tables_are_emptied_and_refuse_again(laid: Everything) -> None:
    make_study()

    empty(laid)
    make_study()

    assert LedgerEntry.objects.count() == 1
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        LedgerEntry.objects.all().delete()


def test_foreign_keys_are_watched_again_afterwards(laid: Everything) -> None:
    make_study()

    empty(laid)

    with pytest.raises(IntegrityError):
        Group.permissions.through.objects.create(group_id=0, permission_id=0)


def test_laid_rows_that_a_test_changed_come_back_as_they_were(laid: Everything) -> None:
    Group.objects.first().delete()  # type: ignore[union-attr]
    Permission.objects.filter(codename="view_study").update(name="Changed")
    Tag.objects.all().delete()
    ContentType.objects.create(app_label="made", model="up")

    empty(laid)

    assert read_all() == laid


def test_content_type_that_a_test_made_is_forgotten(laid: Everything) -> None:
    ContentType.objects.create(app_label="made", model="up")
    made = ContentType.objects.get_by_natural_key("made", "up")

    empty(laid)

    with pytest.raises(ContentType.DoesNotExist):
        ContentType.objects.get_for_id(made.pk)


def test_what_a_late_request_writes_goes_too(laid: Everything) -> None:
    written, ends = Event(), Event()

    def late() -> None:
        with transaction.atomic():
            make_study()
            written.set()
            ends.wait(5)
        connections.close_all()

    def empty_elsewhere() -> None:
        empty(laid)
        connections.close_all()

    thread = Thread(target=late)
    thread.start()
    assert written.wait(5)
    connections["default"].close()
    emptied = Thread(target=empty_elsewhere)
    emptied.start()
    emptied.join(0.5)
    assert emptied.is_alive(), "it waits for the writer"
    ends.set()
    thread.join()
    emptied.join()

    assert not Study.objects.exists()


def test_it_is_tried_again_when_another_stands_in_the_way(
    laid: Everything, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = [OperationalError("deadlock detected"), OperationalError("database is locked")]
    real = emptying._empty

    def refuse_first(*arguments: object) -> None:
        if refusals:
            raise refusals.pop()
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(emptying, "_empty", refuse_first)
    monkeypatch.setattr(emptying, "sleep", lambda _: None)
    make_study()

    empty_database("default", laid["default"])

    assert not Study.objects.exists()


def test_database_that_is_not_for_tests_is_never_emptied(
    laid: Everything, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study()
    monkeypatch.setitem(connections["default"].settings_dict, "NAME", "/srv/tests/crowd.sqlite3")

    with pytest.raises(RuntimeError, match="not a database of tests"):
        empty_database("default", laid["default"])
    assert Study.objects.exists()
