import pytest

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from qualifications.models import SwowEdge, SwowList, SwowWord
from qualifications.queries.association_graph import ready_list
from qualifications.services import removing_lists
from qualifications.services.removing_lists import remove_leaving, remove_list
from qualifications.tasks import remove_lists
from tests.factories import NOW, make_user
from tests.qualifications.files import make_rows
from tests.qualifications.lists import edges_of, make_list

pytestmark = pytest.mark.django_db


def test_a_removed_list_is_out_of_sight_at_once_and_its_name_is_free() -> None:
    swow = make_list(make_rows(50, seed=1), name="swow-en")
    user = make_user()

    remove_list(swow=swow, by=user, now=NOW)

    assert ready_list("swow-en") is None
    assert make_list(name="swow-en").pk != swow.pk
    assert AuditEvent.objects.values_list("kind", "by", "words").get() == (
        "swow.removed",
        user.pk,
        f"Association list swow-en, SHA-256 {swow.sha256}",
    )


def test_a_list_is_removed_once() -> None:
    swow = make_list()
    remove_list(swow=swow, by=make_user(), now=NOW)

    with pytest.raises(RuleBroken) as refused:
        remove_list(swow=SwowList.objects.get(), by=make_user(), now=NOW)

    assert refused.value.code == "swow.leaving"
    assert AuditEvent.objects.count() == 1


def test_the_sweep_takes_all_of_it_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removing_lists, "AT_ONCE", 30)
    rows = list(make_rows(200, seed=1))
    kept = make_list(rows)
    gone = make_list(rows)
    remove_list(swow=gone, by=make_user(), now=NOW)

    remove_lists()

    assert list(SwowList.objects.all()) == [kept]
    assert edges_of(kept) == {(cue, response): people for cue, response, people, _ in rows}
    assert SwowEdge.objects.count() == len(rows)
    assert SwowWord.objects.exclude(list=kept).count() == 0


def test_a_sweep_that_was_killed_is_finished_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removing_lists, "AT_ONCE", 30)
    swow = make_list(make_rows(200, seed=1))
    remove_list(swow=swow, by=make_user(), now=NOW)
    some = SwowWord.objects.filter(list=swow).order_by("pk")[:40]
    SwowWord.objects.filter(pk__in=[word.pk for word in some]).delete()

    assert remove_leaving() == 1
    assert not SwowList.objects.exists()
    assert not SwowWord.objects.exists()
    assert remove_leaving() == 0
