"""Each site of the product with a user who may read all of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core import signing
from django.test import Client
from django.utils import timezone

from crowd.boards.models import Board
from crowd.boards.services import board_links as boards
from crowd.marketplace.desk import session as desk
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import operators, worker_sign_in
from crowd.marketplace.site import session as site
from crowd.statement import statement_links as statement
from crowd.whoops.design.services import workspace_links as workspace
from crowd.winogavil.play.services import accounts
from crowd.winogavil.play.site import session as play
from hits.core import crypto
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from tests.attacks.addresses import addresses
from tests.attacks.crawling import Reading, read_site
from tests.attacks.world import World
from tests.factories import make_user

ADMIN, MARKETPLACE, PLAY = "config.urls", "crowd.marketplace.urls", "crowd.winogavil.play.urls"


@dataclass(frozen=True, kw_only=True)
class Site:
    urlconf: str
    client: Client
    starts: list[str]

    def read(self) -> Reading:
        return read_site(self.client, urlconf=self.urlconf, starts=self.starts)


def open_admin(world: World) -> Site:
    client = Client(raise_request_exception=False)
    client.force_login(make_user(is_superuser=True))
    starts = [*world.addresses, *addresses(ADMIN, under=("admin", "health", "api"))]
    return Site(urlconf=ADMIN, client=client, starts=starts)


def open_worker_site(world: World) -> Site:
    client = browser(settings.MARKETPLACE_URL)
    client.cookies[site.COOKIE] = worker_sign_in.sign_in(worker=world.worker, now=timezone.now())
    starts = [start for start in addresses(MARKETPLACE) if not start.startswith(("/desk/", "/control/"))]
    return Site(urlconf=MARKETPLACE, client=client, starts=starts)


def open_desk(world: World) -> Site:
    client = browser(settings.MARKETPLACE_URL)
    operator = Operator.objects.filter(disabled_at=None).order_by("-pk")[0]
    client.cookies[desk.COOKIE] = operators.open_session(operator, now=timezone.now())
    return Site(urlconf=MARKETPLACE, client=client, starts=list(addresses(MARKETPLACE, under=("desk",))))


def open_play(world: World) -> Site:
    client = browser(settings.PLAY_URL)
    client.cookies[play.COOKIE] = accounts.sign_in(player=world.player, now=timezone.now())
    return Site(urlconf=PLAY, client=client, starts=list(addresses(PLAY)))


def open_statement(world: World) -> Site:
    """The statement site, with statements of every worker at work and of workers who have a bonus."""
    paid = Assignment.objects.filter(bonuses__isnull=False).order_by("pk")[:2]
    works = [*world.work, *paid]
    tokens = [statement.write_token(assignment=work, now=timezone.now()) for work in works]
    return Site(urlconf=ADMIN, client=browser(), starts=[f"/statement/{token}/" for token in tokens])


def open_workspace(world: World) -> Site:
    return Site(urlconf=ADMIN, client=browser(), starts=[workspace.path_of(world.designer)])


def open_data(world: World) -> Site:
    """The public page of a release, and the desk of somebody who may submit to it."""
    Board.objects.filter(pk=world.invitation.board_id).update(
        is_open=True, opened_at=timezone.now(), takes_submissions=True
    )
    release = world.invitation.board.release
    starts = ["/data/", f"/data/{release.public_id}/", boards.address_of(world.invitation)]
    return Site(urlconf=ADMIN, client=browser(), starts=[urlsplit(start).path for start in starts])


def open_frames(world: World) -> Site:
    """The question pages of each task, as its worker sees them at work and as a preview."""
    works = [give_ids(work) for work in world.work]
    starts = [frame(work) for work in works]
    starts += [f"/q/{work.hit.public_id}/" for work in works]
    return Site(urlconf=ADMIN, client=browser(), starts=starts)


SITES: Mapping[str, Callable[[World], Site]] = {
    "admin": open_admin,
    "worker site": open_worker_site,
    "desk": open_desk,
    "play": open_play,
    "statement": open_statement,
    "workspace": open_workspace,
    "data": open_data,
    "frames": open_frames,
}


def browser(url: str = "", **options: Any) -> Client:
    if url:
        options["HTTP_HOST"] = urlsplit(url).netloc
    return Client(raise_request_exception=False, **options)


def give_ids(work: Assignment) -> Assignment:
    """Set the ids that a provider would have given: the ticket is made for these."""
    for row, sign in ((work, "A"), (work.hit, "H"), (work.worker, "W")):
        row.external_id = f"{sign}{row.pk}"
        row.save(update_fields=["external_id"])
    Worker.objects.filter(pk=work.worker_id).update(
        external_id_index=crypto.blind_index(str(work.account.public_id), work.worker.external_id)
    )
    return work


def frame(work: Assignment) -> str:
    """The address that the provider frames, with its ticket."""
    account = work.hit.batch.account
    ids = {"assignmentId": work.external_id, "hitId": work.hit.external_id}
    claims = {**ids, "workerId": work.worker.external_id, "turkSubmitTo": account.worker_site}
    assert work.accepted_at
    payload = {
        "assignment": work.external_id,
        "hit": work.hit.external_id,
        "worker": work.worker.external_id,
        "attempt": 1,
        "accepted": work.accepted_at.timestamp(),
        "expires": work.deadline_at.timestamp(),
    }
    ticket = signing.dumps(payload, key=account.ticket_key, salt="marketplace.ticket")
    return f"/q/{work.hit.public_id}/?{urlencode({**claims, 'ticket': ticket})}"
