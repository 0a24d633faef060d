import pytest
from django.utils import timezone

from crowd.marketplace import frames, queries
from crowd.marketplace.models import HIT, HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.work import accept_hit
from crowd.winogavil.demo.seeding import Seeded
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.paying import pay_bonuses
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.browser.stage import launch, sign_in, take_turns, work_through
from tests.conftest import Sites
from tests.factories import approve, invite

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def worked(seeded: Seeded) -> Batch:
    """A launched batch: the first worker was all right twice, and one of the two bonuses is paid."""
    launch(seeded.batch)
    take_turns(seeded.invitations[0], turns=2)
    work_through()
    now = timezone.now()
    approve([Bonus.objects.order_by("pk")[0]], now=now)
    pay_bonuses(now=now)
    return seeded.batch


def test_worker_pages_without_work_look_right(visitor: Visitor, sites: Sites) -> None:
    worker, token = invite(now=timezone.now())

    visitor.visit("sign-in", sites.marketplace)
    visitor.visit("invitation", f"{sites.marketplace}/invitation/{token}/")
    visitor.visit("invitation-over", f"{sites.marketplace}/invitation/wrong/", status=404)
    sign_in(visitor.page.context, worker, sites=sites)
    visitor.visit("list-empty", sites.marketplace)
    visitor.visit("queue-empty", f"{sites.marketplace}/work/")
    visitor.visit("history-empty", f"{sites.marketplace}/history/")

    assert visitor.problems == {}


def test_worker_pages_with_work_look_right(visitor: Visitor, worked: Batch, sites: Sites) -> None:
    now = timezone.now()
    worker = Worker.objects.order_by("pk")[0]
    group = HITType.objects.get()
    hit = queries.open_hits(worker=worker, now=now)[0]
    accepted = accept_hit(hit_id=hit.pk, worker=worker, now=now)
    done = queries.history(worker=worker)[0]
    sign_in(visitor.page.context, worker, sites=sites)

    visitor.visit("list", sites.marketplace)
    visitor.visit("preview", f"{sites.marketplace}/groups/{group.external_id}/")
    visitor.visit("work", f"{sites.marketplace}/work/{accepted.external_id}/")
    visitor.visit("question", frames.work_url(accepted))
    visitor.visit("queue", f"{sites.marketplace}/work/")
    visitor.visit("handed-in", f"{sites.marketplace}/work/{done.external_id}/")
    visitor.visit("history", f"{sites.marketplace}/history/")
    visitor.visit("question-refused", frames.work_url(accepted).partition("&ticket")[0], status=403)
    HIT.objects.update(closed_at=now)
    visitor.visit("none-left", f"{sites.marketplace}/groups/{group.external_id}/")

    assert visitor.problems == {}


def test_staff_pages_look_right(visitor: Visitor, seeded: Seeded, worked: Batch, sites: Sites) -> None:
    admin = f"{sites.public}/admin"
    draft = Batch.objects.create(**terms_of(worked))
    # The page of a batch that runs asks for news; leaving it in the middle would look like a failed request.
    Batch.objects.filter(pk=worked.pk).update(status=Batch.Status.COMPLETE)
    done = Assignment.objects.order_by("pk")[0]

    visitor.visit("admin-login", f"{admin}/login/")
    log_in(visitor.page, seeded.researcher, sites=sites)
    visitor.visit("admin-index", f"{admin}/")
    visitor.visit("admin-batches", f"{admin}/hits/batch/")
    visitor.visit("admin-batch-add", f"{admin}/hits/batch/add/")
    visitor.visit("admin-launch", f"{admin}/hits/batch/{draft.pk}/launch/")
    visitor.visit("admin-progress", f"{admin}/hits/batch/{worked.pk}/launch/")
    visitor.visit("admin-assignments", f"{admin}/hits/assignment/")
    visitor.visit("admin-work", f"{admin}/hits/assignment/{done.pk}/work/")
    visitor.page.context.clear_cookies()
    log_in(visitor.page, seeded.preparer, sites=sites)
    visitor.visit("admin-bonuses", f"{admin}/hits/bonus/")

    assert visitor.problems == {}


def terms_of(batch: Batch) -> dict[str, object]:
    shared = ("study", "account", "task", "title", "description", "reward", "hits_wanted")
    return {name: getattr(batch, name) for name in shared}
