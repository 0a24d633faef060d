"""Pages of the desk make a few queries, however much there is to show."""

from decimal import Decimal

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.marketplace.database import ALIAS
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import AuditEntry, Block, Requester, Worker
from crowd.marketplace.services import payouts, requesters
from crowd.marketplace.services.oversight import complaints
from tests.crowd.marketplace.desk import Desk, open_desk
from tests.crowd.marketplace.rows import hand_in
from tests.crowd.marketplace.site import open_hit
from tests.factories import make_requester

pytestmark = pytest.mark.django_db
MOST = 20
FIRST = "requesters/{requester}/"
PAGES = [
    "",
    "books/",
    "log/",
    "blocks/",
    "hits/?q=e",
    "hits/{hit}/",
    "work/{work}/",
    "complaints/?q=e",
    "complaints/{complaint}/",
    "requesters/?q=e",
    FIRST,
    f"{FIRST}ledger/",
    f"{FIRST}ledger.csv",
    "workers/?q=w",
    "workers/{worker}/",
    "workers/{worker}/work/",
    "workers/{worker}/erase/",
    "payouts/",
    "payouts/history/",
    "payouts/history.csv",
]


def grow(desk: Desk) -> None:
    """Add one more of everything that the pages list."""
    now = timezone.now()
    first_requester, first_worker = Requester.objects.order_by("pk")[0], Worker.objects.order_by("pk")[0]
    assignment = hand_in(open_hit(requester=first_requester), now=now)
    make_requester(now=now)
    complaints.report(worker=assignment.worker, hit=assignment.hit, kind="other", text="No.", now=now)
    requesters.add_key(requester_id=first_requester.pk, now=now)
    number = AuditEntry.objects.count()
    requesters.save_layout(
        requester_id=first_requester.pk, name=f"Layout {number}", html="<p>", frame_height=0, now=now
    )
    for requester, worker in (
        (make_requester(now=now).requester, first_worker),
        (first_requester, assignment.worker),
    ):
        Block.objects.create(requester=requester, worker=worker, created_at=now)
    Worker.objects.filter(pk__in=(first_worker.pk, assignment.worker_id)).update(owed=Decimal(1))
    payment = payouts.Payment(worker=Worker.objects.get(pk=first_worker.pk), amount=Decimal("0.10"))
    payouts.pay(payments=[payment], reference="", paid_by="me", now=now)
    desk.post(f"requesters/{first_requester.external_id}/deposit/", amount="1")
    desk.post(f"workers/{first_worker.external_id}/facts/", is_adult="on")


def queries_for(desk: Desk, path: str) -> int:
    with CaptureQueriesContext(connections[ALIAS]) as captured:
        answer = desk.get(path)
        if answer.streaming:
            list(answer.streaming_content)
    assert answer.status_code == 200
    return len(captured)


def test_no_page_asks_more_often_when_there_is_more() -> None:
    desk = open_desk()
    hand_in(open_hit(), now=timezone.now())
    ids = {
        "hit": HIT.objects.get().external_id,
        "complaint": complaints.report(
            worker=Worker.objects.get(), hit=HIT.objects.get(), kind="other", text="No.", now=timezone.now()
        ).pk,
        "work": Assignment.objects.get().external_id,
        "requester": Requester.objects.get().external_id,
        "worker": Worker.objects.get().external_id,
    }
    paths = [path.format(**ids) for path in PAGES]
    grow(desk)
    few = {path: queries_for(desk, path) for path in paths}

    for _ in range(6):
        grow(desk)
    many = {path: queries_for(desk, path) for path in paths}

    assert many == few
    assert max(few.values()) <= MOST
