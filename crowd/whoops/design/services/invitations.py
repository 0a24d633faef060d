"""Designers join by an invitation or by taking the HIT. Lock order: the project, then its designer."""

from datetime import datetime

import structlog
from django.db import IntegrityError, transaction

from crowd.questions.domain import is_unfit, trim
from crowd.whoops import domain
from crowd.whoops.models import Designer, Project
from hits.core import held_links
from hits.core.errors import RuleBroken
from hits.core.signed_links import DAYS, link_end
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.answers_needed import make_item, want_answers
from hits.work.services.locking import lock_items

MOST_PLACES = 1_000
log = structlog.get_logger()


def invite_designer(
    *,
    project: Project,
    name: str,
    worker: Worker | None = None,
    is_paid: bool = False,
    days: int = DAYS,
    by: User,
    now: datetime,
) -> Designer:
    """Invite a designer, with a link valid for `days`. Raises RuleBroken, and then nobody is invited."""
    name = _check_name(name)
    link_until = link_end(days=days, now=now)
    try:
        with transaction.atomic():
            designer = Designer.objects.create(
                project=project,
                name=name,
                worker=worker,
                is_paid=is_paid,
                invited_by=by,
                invited_at=now,
                link_until=link_until,
            )
    except IntegrityError:
        raise _taken(project, name=name) from None
    log.info("whoops.designer_invited", designer=str(designer.public_id), by=str(by.public_id))
    return designer


def change_designer(*, designer: Designer, name: str, worker: Worker | None, is_paid: bool) -> None:
    """Change a designer. Raises RuleBroken, and then nothing is changed."""
    name = _check_name(name)
    try:
        with transaction.atomic():
            # A transaction about to owe for one of them waits, and then owes it to the worker kept here.
            list(designer.images.select_for_update(no_key=True).order_by("pk").values_list("pk"))
            if designer.worker_id and designer.worker_id != getattr(worker, "pk", None):
                _refuse_other_worker(designer)
            Designer.objects.filter(pk=designer.pk).update(name=name, worker=worker, is_paid=is_paid)
    except IntegrityError:
        raise _taken(designer.project, name=name) from None
    designer.refresh_from_db()


def renew_link(*, designer: Designer, days: int, now: datetime) -> None:
    """Make a new link, which ends every earlier one at once."""
    held_links.renew_link(designer, days=days, now=now)
    log.info("whoops.link_renewed", designer=str(designer.public_id), number=designer.link_number)


def set_active(*, designer: Designer, is_active: bool) -> None:
    """Let a designer send images, or no longer; an inactive one still sees their own."""
    Designer.objects.filter(pk=designer.pk).update(is_active=is_active)
    designer.is_active = is_active
    log.info("whoops.designer_set_active", designer=str(designer.public_id), is_active=is_active)


def join_by_work(*, assignment: Assignment, now: datetime) -> Designer | None:
    """Make the worker who took the HIT a paid designer of its study, once. None: there is no project."""
    project = Project.objects.filter(study=assignment.hit.batch.study_id).first()
    if project is None:
        return None
    until = link_end(days=DAYS, now=now)
    with transaction.atomic():
        # The project's row is locked: of two tabs, one makes the designer.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        known = Designer.objects.filter(project=project, worker=assignment.worker_id).first()
        if known is None:
            return Designer.objects.create(
                project=project,
                name=_free_name(project, assignment.worker),
                worker=assignment.worker,
                is_paid=True,
                invited_at=now,
                link_until=until,
            )
        # The page promises the pay; and the link must outlast the HIT, however soon it would have ended.
        known.is_paid = True
        known.link_until = max(known.link_until or until, until)
        known.save(update_fields=["is_paid", "link_until"])
    return known


def places_of(project: Project) -> tuple[int, int]:
    """The number of places that workers have taken, and the number still free."""
    item = _design_item(project)
    if item is None:
        return 0, 0
    taken = item.leases.exclude(status="released").count()
    return taken, item.wanted


def want_designers(*, project: Project, places: int) -> None:
    """Let so many workers become designers by the HIT, those who already did included. Raises RuleBroken."""
    if not 0 <= places <= MOST_PLACES:
        raise RuleBroken("bad_places", f"Choose a number from 0 to {MOST_PLACES:,}.")
    with transaction.atomic():
        locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        item = _design_item(locked)
        if item is None and places:
            item = make_item(study_id=locked.study_id, task=domain.DESIGN, answers_needed=0)
        if item is None:
            return
        lock_items([item.pk])
        want_answers({item.pk: places})
    log.info("whoops.designers_wanted", project=project.pk, places=places)


def _design_item(project: Project) -> Item | None:
    """The project's one design item: every worker who takes the HIT leases it, each once."""
    items = Item.objects.filter(study=project.study_id, task=domain.DESIGN, batch=None, pulled_at=None)
    return items.order_by("pk").first()


def _check_name(name: str) -> str:
    if is_unfit(name):
        raise RuleBroken("bad_name", "The name has a character that cannot be stored. Please type it again.")
    name = trim(name)
    if not 1 <= len(name) <= 80:
        raise RuleBroken("bad_name", "A name has 1 to 80 characters.")
    return name


def _taken(project: Project, *, name: str) -> RuleBroken:
    if Designer.objects.filter(project=project, name=name).exists():
        return RuleBroken("name_taken", "There is a designer of this name. Choose another.")
    return RuleBroken("worker_taken", "This worker is a designer here already. Look for them in the list.")


def _refuse_other_worker(designer: Designer) -> None:
    """Refuse another worker once a bonus exists: it was owed to the worker before."""
    if designer.images.filter(bonus__isnull=False).exists():
        raise RuleBroken(
            "paid_before",
            "Images of this designer were paid to this worker. Invite the other by another name.",
        )


def _free_name(project: Project, worker: Worker) -> str:
    name = f"Worker {worker.pseudonym}"
    taken = Designer.objects.filter(project=project, name=name).exists()
    return f"{name} ({worker.pk})" if taken else name
