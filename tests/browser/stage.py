"""Situations for the browser, made by the services that make them in production."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, expect

from crowd.marketplace import frames, queries
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import worker_sign_in
from crowd.marketplace.services.work import accept_hit
from crowd.marketplace.site.session import COOKIE
from crowd.pictures.models import Picture
from crowd.winogavil.demo.workers import SimulatedWorker
from crowd.winogavil.models import Association
from hits.batches.services import launching, sending_hits
from hits.payments.services import accrual
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.services import push_decisions, reconciling
from scoring.services import score_recording as scoring
from tests.conftest import Sites
from tests.factories import invite, make_account, make_association, make_batch, make_requester, make_user


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A worker with an accepted HIT. `url` is the marketplace's page, `frame_url` the one that it frames."""

    worker: Worker
    association: Association
    url: str
    frame_url: str

    @property
    def right(self) -> list[str]:
        return sorted(self.association.chosen_keys)

    @property
    def wrong(self) -> list[str]:
        keys = {place.picture.key for place in self.association.places.all() if place.picture}
        return sorted(keys - self.association.chosen_keys)


def open_desk(sites: Sites, *, size: int = 5) -> Desk:
    """Create a worker who accepted a HIT in which three of the pictures are to be picked."""
    association = make_association(size=size, chosen=3)
    launch(make_batch(study=association.item.study, account=open_account(sites)))
    now = timezone.now()
    worker, _ = invite(now=now)
    accepted = accept_hit(hit_id=queries.open_hits(worker=worker, now=now).get().pk, worker=worker, now=now)
    return Desk(
        worker=worker,
        association=association,
        url=f"{sites.marketplace}/work/{accepted.external_id}/",
        frame_url=frames.work_url(accepted),
    )


def take_turns(invitation: str, *, turns: int) -> None:
    """Let a worker sign in and do so many HITs, all of them right, without a browser."""
    associations = Association.objects.prefetch_related("places__picture")
    worker = SimulatedWorker(
        number=0,
        seed=0,
        invitation=invitation,
        concepts=dict(Picture.objects.values_list("sha256", "concept")),
        answers={row.cue: _concepts_chosen(row) for row in associations},
        diligence=1,
    )
    worker.sign_in()
    for _ in range(turns):
        worker.take_turn()


def launch(batch: Batch) -> None:
    launching.launch_batch(batch=batch, by=make_user(), now=timezone.now())
    sending_hits.send_launching_batches(now=timezone.now())


def work_through() -> None:
    """Do the background's work on submitted assignments, up to the bonuses owed."""
    reconciling.reconcile_everything(now=timezone.now())
    scoring.judge_submitted(now=timezone.now())
    push_decisions.approve_judged(now=timezone.now())
    accrual.owe_bonuses(now=timezone.now())


def sign_in(context: BrowserContext, worker: Worker, *, sites: Sites) -> None:
    """Sign in a worker, as if through the invitation before."""
    token = worker_sign_in.sign_in(worker=worker, now=timezone.now())
    context.add_cookies([{"name": COOKIE, "value": token, "url": sites.marketplace}])


def pick(box: Locator) -> None:
    """Pick as a visitor does, on the picture around the box, once it is still and nothing covers it."""
    if not box.is_checked():
        box.locator("xpath=ancestor::label").click()
    expect(box).to_be_checked()


def _concepts_chosen(association: Association) -> frozenset[str]:
    return frozenset(place.label for place in association.places.all() if place.chosen)


def open_account(sites: Sites) -> Account:
    made = make_requester(deposit=Decimal(10), now=timezone.now())
    return make_account(
        endpoint=sites.marketplace,
        worker_site=sites.marketplace,
        access_key_id=made.access_key_id,
        secret_access_key=made.secret_access_key,
        ticket_key=made.ticket_key,
    )
