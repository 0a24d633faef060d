"""Situations for the browser to walk into, made by the services that make them in earnest."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone
from playwright.sync_api import BrowserContext, FrameLocator, Locator, Page, Response

from crowd.marketplace import frames, queries
from crowd.marketplace.models import Assignment as TheirAssignment
from crowd.marketplace.models import Worker as TheirWorker
from crowd.marketplace.services import people
from crowd.marketplace.services.work import accept_hit
from crowd.marketplace.site.session import COOKIE
from crowd.winogavil.models import Association
from hits.models import Account, Assignment, Batch, Bonus, Study
from hits.services import bonuses, launching, reconciling, reviewing
from scoring import services as scoring
from tests.conftest import Sites
from tests.factories import invite, make_account, make_association, make_batch, make_requester, make_user


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A worker with an accepted HIT. `url` is the marketplace's page, `frame_url` the one that it frames."""

    worker: TheirWorker
    association: Association
    url: str
    frame_url: str

    @property
    def right(self) -> list[str]:
        return sorted(self.association.chosen_keys)

    @property
    def wrong(self) -> list[str]:
        places = self.association.places.filter(chosen=False)
        return [place.picture.key for place in places.select_related("picture")]


def open_desk(sites: Sites) -> Desk:
    study = make_association().item.study
    batch = launch(make_batch(study=study, account=open_account(sites)))
    worker, _ = invite(now=timezone.now())
    hit = queries.open_hits(worker=worker, now=timezone.now()).get()
    accepted = accept_hit(hit_id=hit.pk, worker=worker, now=timezone.now())
    return Desk(
        worker=worker,
        association=Association.objects.get(item__study=batch.study),
        url=f"{sites.marketplace}/work/{accepted.external_id}/",
        frame_url=frames.work_url(accepted),
    )


def open_account(sites: Sites) -> Account:
    made = make_requester(deposit=Decimal(10), now=timezone.now())
    return make_account(
        endpoint=sites.marketplace,
        worker_site=sites.marketplace,
        access_key_id=made.access_key_id,
        secret_access_key=made.secret_access_key,
        ticket_key=made.ticket_key,
    )


def launch(batch: Batch) -> Batch:
    launching.launch_batch(batch=batch, by=make_user(), now=timezone.now())
    launching.send_launching_batches(now=timezone.now())
    return batch


def run_background() -> None:
    """What the background does with work that was handed in, up to the bonuses owed."""
    reconciling.reconcile(now=timezone.now())
    scoring.judge_submitted(now=timezone.now())
    reviewing.approve_judged(now=timezone.now())
    bonuses.owe_bonuses(now=timezone.now())


def sign_in(context: BrowserContext, worker: TheirWorker, *, sites: Sites) -> None:
    token = people.sign_in(worker=worker, now=timezone.now())
    context.add_cookies([{"name": COOKIE, "value": token, "url": sites.marketplace}])
