"""A world in which every table of both databases has the rows that pages need."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar

from django.utils import timezone

from crowd.boards.models import Invitation
from crowd.marketplace import models as marketplace
from crowd.marketplace.database import atomic
from crowd.marketplace.services import money, reviewing
from crowd.marketplace.services.oversight import complaints
from crowd.marketplace.services.qualifying import qualification_requests, qualifications
from crowd.whoops.models import Designer
from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.play.models import Player
from crowd.winoventi import domain
from hits import families
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests import admin_pages
from tests.attacks.rows import fill_empty_tables
from tests.attacks.tables import fill_tables
from tests.crowd.marketplace.desk import make_operator
from tests.crowd.marketplace.qualifying import make_test, make_type
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.crowd.winogavil.annotation.annotators import annotate, draw, make_selected, open_batch
from tests.crowd.winogavil.play.table import make_game, make_player, play
from tests.crowd.winogavil.releases.data import make_final
from tests.crowd.winoventi.question_pages import asked
from tests.factories import invite, make_assignment, make_batch, make_hit, make_requester

# Tasks of the exception procedure, whose items are several steps away from its rows.
ASKED = (domain.EXCEPTIONS, domain.PREMISES, domain.VALIDATE, domain.CHOOSE)


Linked = TypeVar("Linked", Designer, Invitation)


@dataclass(frozen=True, kw_only=True)
class World:
    """Users of each site, and the rows of theirs that can be read there."""

    # The researchers' side, as far as its rows are known by name.
    addresses: list[str]
    work: list[Assignment]
    designer: Designer
    invitation: Invitation
    player: Player
    worker: marketplace.Worker
    # Labels of tables for which no row could be made.
    empty: list[str]


def make_world() -> World:
    now = timezone.now()
    admin_pages.fill(hits=8, batches=2, now=now)
    study = Study.objects.order_by("pk")[0]
    known = [address for _, address in admin_pages.pages()]
    known += fill_tables()
    _fill_data(study)
    player = _fill_play()
    worker = _fill_marketplace()
    empty = fill_empty_tables()
    return World(
        addresses=known,
        work=list(_open_work(study)),
        designer=_letting_in(Designer.objects.order_by("pk")[0]),
        invitation=_letting_in(Invitation.objects.order_by("pk")[0]),
        player=player,
        worker=worker,
        empty=empty,
    )


def _fill_data(study: Study) -> None:
    make_final(study, cue="winter", source="worker", author=Worker.objects.order_by("pk")[0])
    make_selected(study)
    draw(study, Kind.TYPES)
    annotate(open_batch(study, Kind.TYPES), *[["visually_salient"]] * 3)
    finalize_annotations(now=timezone.now())


def _fill_play() -> Player:
    game = make_game(picture_sets=2)
    player = make_player(game, name="Owl")
    play(player, now=timezone.now())
    return player


def _letting_in(row: Linked) -> Linked:
    """Return the row, whose link is valid for a day."""
    type(row)._default_manager.filter(pk=row.pk).update(link_until=timezone.now() + timedelta(days=1))
    row.refresh_from_db()
    return row


def _open_work(study: Study) -> Iterator[Assignment]:
    """Create one begun assignment of every task, with an item of that task if there is one."""
    now = timezone.now()
    for task in families.registered():
        item = asked.ask(asked.make_project(), task) if task in ASKED else _newest_item(task)
        batch = make_batch(study=item.study if item else study, task=task, status="open", review_by="hand")
        work = make_assignment(
            hit=make_hit(batch=batch), accepted_at=now, opened_at=now, deadline_at=now + timedelta(hours=1)
        )
        if item:
            Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=now)
        yield work


def _newest_item(task: str) -> Item | None:
    return Item.objects.filter(task=task).order_by("-pk").first()


def _fill_marketplace() -> marketplace.Worker:
    """Create a worker with work in all states, a test begun, a qualification, and money earned and paid."""
    now = timezone.now()
    requester = make_requester(now=now).requester
    worker, _ = invite(now=now)
    hits = [post_hit(requester=requester, title=f"Task {n}", now=now) for n in range(4)]
    accept(hits[0], worker=worker, now=now)
    done = hand_in(hits[1], worker=worker, now=now)
    reviewing.approve_assignment(assignment=done, feedback="Well done.", override=False, now=now)
    marketplace.Worker.objects.filter(pk=worker.pk).update(owed=Decimal(3))
    with atomic():
        money.pay_out(worker_id=worker.pk, amount=Decimal(1), reference="Bank", paid_by="desk", now=now)
    plain = make_type(requester=requester, name="Plain", now=now)
    qualifications.grant(type_=plain, worker=worker, value=1, now=now)
    tested = make_type(requester=requester, test=make_test(), now=now)
    qualification_requests.begin_test(type_=tested, worker=worker, now=now)
    complaints.report(worker=worker, hit=hits[1], kind="unfair", text="Unfair.", now=now)
    make_operator("desk")
    return worker
