"""Provider ids of workers: shown to and found by permitted users only, and always on record."""

import pytest
from django.core.exceptions import PermissionDenied
from structlog.testing import capture_logs

from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Disclosure
from hits.people.services.disclosures import disclose, find_by_external_id
from tests.factories import NOW, make_account, make_assignment, make_worker
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
PLANTED = "APLANTEDWORKER01"


def test_disclosed_id_is_on_record_and_in_no_log() -> None:
    worker, user = make_worker(external_id=PLANTED), make_permitted("see_worker_id", "see_all_studies")

    with capture_logs() as logs:
        shown = disclose(worker=worker, user=user, reason=" A payment is disputed ", now=NOW)

    row = Disclosure.objects.get()
    assert shown == PLANTED
    assert (row.worker, row.user, row.reason, row.at) == (worker, user, "A payment is disputed", NOW)
    assert logs == [
        {
            "event": "worker.id_disclosed",
            "log_level": "info",
            "worker": str(worker.public_id),
            "by": str(user.public_id),
        }
    ]


def test_id_without_the_permission_is_not_disclosed() -> None:
    worker = make_worker(external_id=PLANTED)

    with pytest.raises(PermissionDenied):
        disclose(worker=worker, user=make_permitted("see_all_studies"), reason="Curious", now=NOW)

    assert not Disclosure.objects.exists()


def test_id_of_a_worker_of_other_studies_is_not_disclosed() -> None:
    worker = make_assignment().worker

    with pytest.raises(PermissionDenied):
        disclose(worker=worker, user=make_permitted("see_worker_id"), reason="Curious", now=NOW)

    assert not Disclosure.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "two\nlines", "nul\0"])
def test_id_without_a_reason_is_not_disclosed(reason: str) -> None:
    worker = make_worker()

    with pytest.raises(RuleBroken) as refused:
        disclose(
            worker=worker, user=make_permitted("see_worker_id", "see_all_studies"), reason=reason, now=NOW
        )

    assert refused.value.code == "reason_wanted"
    assert not Disclosure.objects.exists()


def find(user: User, external_id: str = PLANTED, **changes: object) -> list[Worker]:
    values: dict[str, object] = {"account": None, "reason": "A letter came", **changes}
    return find_by_external_id(external_id=external_id, user=user, now=NOW, **values)  # type: ignore[arg-type]


def test_search_by_id_finds_the_worker_on_every_account_and_is_on_record() -> None:
    workers = [make_worker(external_id=PLANTED) for _ in range(2)]
    make_worker()

    with capture_logs() as logs:
        found = find(make_permitted("see_worker_id", "see_all_studies"), f" {PLANTED} ")

    assert found == workers
    assert set(Disclosure.objects.values_list("worker", "reason")) == {
        (worker.pk, "Searched by id: A letter came") for worker in workers
    }
    assert PLANTED not in str(logs)
    assert logs[0]["found"] == 2


def test_search_by_id_on_one_account_leaves_the_others_alone() -> None:
    account = make_account()
    worker = make_worker(account=account, external_id=PLANTED)
    make_worker(external_id=PLANTED)

    assert find(make_permitted("see_worker_id", "see_all_studies"), account=account) == [worker]


def test_search_by_id_finds_nobody_of_other_studies() -> None:
    make_worker(external_id=PLANTED)

    assert find(make_permitted("see_worker_id")) == []
    assert not Disclosure.objects.exists()


def test_search_by_id_without_the_permission_is_refused() -> None:
    make_worker(external_id=PLANTED)

    with pytest.raises(PermissionDenied):
        find(make_permitted("see_all_studies"))

    assert not Disclosure.objects.exists()


@pytest.mark.parametrize("external_id", ["", " ", "A" * 129, "A\0"])
def test_search_for_no_id_is_refused(external_id: str) -> None:
    with pytest.raises(RuleBroken) as refused:
        find(make_permitted("see_worker_id", "see_all_studies"), external_id)

    assert refused.value.code == "id_wanted"
