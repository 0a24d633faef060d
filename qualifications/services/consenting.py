"""A study's consent texts, and workers who agree to them and withdraw.

Lock order: worker, study. A sweep takes withdrawn work out of the data: the state of the rows is the queue.
"""

from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from hits import families
from hits.core import crypto
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from hits.work.services import leasing
from qualifications.models import Consent, ConsentText
from qualifications.queries.consents import published_text

LONGEST = 20_000
# Withdrawals read in one run, and assignments taken out for each.
SLICE, PIECES = 50, 200
Status = Assignment.Status
log = structlog.get_logger()


def write_draft(
    *, study: Study, title: str, text: str, asks_demographics: bool, by: User, now: datetime
) -> ConsentText:
    """Create or change the study's one draft; no worker is asked to agree to it before it is published.

    Raises RuleBroken if the title is missing or the text is empty or too long.
    """
    title, text = title.strip(), text.replace("\r\n", "\n").strip()
    if not title or not 0 < len(text) <= LONGEST:
        raise RuleBroken("bad_text", f"A consent text has a title and 1 to {LONGEST} characters.")
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        latest = ConsentText.objects.filter(study=study).order_by("-version").first()
        draft = latest if latest and latest.published_at is None else None
        if draft is None:
            draft = ConsentText(study=study, version=latest.version + 1 if latest else 1, created_by=by)
        draft.title, draft.text, draft.asks_demographics = title, text, asks_demographics
        draft.save()
    return draft


def publish_text(*, text: ConsentText, seen: str, by: User, now: datetime) -> None:
    """Publish a draft: from now on every worker is asked to agree to it.

    `seen` is the digest of what was read. Raises RuleBroken if the draft was changed since or is published
    already.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=text.study_id)
        held = ConsentText.objects.get(pk=text.pk)
        if held.published_at is not None:
            raise RuleBroken("published", f"Version {held.version} is published already. Nothing changed.")
        if digest_of(held) != seen:
            raise RuleBroken("other_text", "The draft was changed meanwhile. Read it once more.")
        held.published_at = text.published_at = now
        held.save(update_fields=["published_at"])
        words = f"Published version {held.version} of what workers of “{study}” are asked to agree to."
        note("consent.published", words, by=by, now=now, study=study)


def digest_of(text: ConsentText) -> str:
    """Digest of the text on the page, to know which text was confirmed."""
    return crypto.blind_index("consent", text.title, text.text, str(text.asks_demographics))


def give_consent(*, worker: Worker, text: ConsentText, now: datetime) -> Consent:
    """Record the worker's consent. Idempotent. Raises RuleBroken if another version is in force meanwhile."""
    with transaction.atomic():
        _lock(worker)
        known = Consent.objects.filter(worker=worker, text=text, withdrawn_at=None).first()
        if known:
            return known
        current = published_text(text.study)
        if current is None or current.pk != text.pk:
            raise RuleBroken("other_text", _("The text has changed meanwhile. Please read it once more."))
        given = Consent.objects.create(worker=worker, text=text, given_at=now)
    log.info("consent.given", worker=worker.pseudonym, version=text.version)
    return given


def withdraw(*, worker: Worker, study: Study, takes_work_out: bool, now: datetime) -> int:
    """Withdraw the consent to every version of the study; return how many. New work asks for consent again.

    A second call that asks for the work to be taken out also covers what was withdrawn before.
    """
    with transaction.atomic():
        _lock(worker)
        own = Consent.objects.filter(worker=worker, text__study=study)
        ended = own.filter(withdrawn_at=None).update(withdrawn_at=now)
        if takes_work_out:
            latest = own.filter(withdrawn_at__isnull=False).order_by("-withdrawn_at", "-pk").first()
            if latest and not latest.takes_work_out:
                Consent.objects.filter(pk=latest.pk).update(takes_work_out=True, taken_out_at=None)
    if ended:
        log.info("consent.withdrawn", worker=worker.pseudonym, takes_work_out=takes_work_out)
    return ended


def annul(*, worker: Worker, study: Study, now: datetime) -> None:
    """End the consents of somebody who could not give any.

    One under which nothing was begun is removed: nobody took it back. The others are withdrawn.
    """
    with transaction.atomic():
        _lock(worker)
        begun = Lease.objects.filter(
            worker=worker, assignment__hit__batch__study=study, leased_at__gte=OuterRef("given_at")
        )
        given = Consent.objects.filter(worker=worker, text__study=study, withdrawn_at=None)
        removed, _ = given.filter(~Exists(begun)).delete()
        withdraw(worker=worker, study=study, takes_work_out=False, now=now)
    if removed:
        log.info("consent.annulled", worker=worker.pseudonym)


def take_work_out(*, now: datetime) -> int:
    """Take withdrawn work out of the data once each assignment is decided: no worker loses money by it."""
    waiting = Consent.objects.filter(takes_work_out=True, taken_out_at=None)
    # A withdrawal that waits for a decision does not hold up others.
    due = waiting.filter(Exists(_ready(_left_of_row())) | ~Exists(_left_of_row()))
    taken = 0
    for consent in due.select_related("text").order_by("pk")[:SLICE]:
        pieces = list(_ready(_left(consent)).select_related("hit").order_by("pk")[:PIECES])
        taken += sum(leasing.keep_out(piece, now=now) for piece in pieces)
        if not _left(consent).exists():
            Consent.objects.filter(pk=consent.pk).update(taken_out_at=now)
    return taken


def _left(consent: Consent) -> QuerySet[Assignment]:
    """Assignments begun before the withdrawal and still in the data; work leased since had a new consent."""
    later = Lease.objects.filter(assignment=OuterRef("pk"), leased_at__gt=consent.withdrawn_at)
    own = Assignment.objects.filter(worker=consent.worker_id, hit__batch__study=consent.text.study_id)
    return own.filter(~Exists(later), kept_out=False, opened_at__lte=consent.withdrawn_at)


def _left_of_row() -> QuerySet[Assignment]:
    """Subquery like `_left`, for each row of a query of consents."""
    later = Lease.objects.filter(assignment=OuterRef("pk"), leased_at__gt=OuterRef(OuterRef("withdrawn_at")))
    own = Assignment.objects.filter(worker=OuterRef("worker"), hit__batch__study=OuterRef("text__study"))
    return own.filter(~Exists(later), kept_out=False, opened_at__lte=OuterRef("withdrawn_at"))


def _ready(pieces: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments that are decided and whose bonuses are recorded.

    Work that other people judge is not waited for.
    """
    later = families.judged_later()
    settled = Q(owed_at__isnull=False) | Q(judged_at=None, hit__batch__task__in=later)
    decided = Q(status__in=(Status.REJECTED, Status.GONE)) | Q(settled, status=Status.APPROVED)
    return pieces.filter(decided)


def _lock(worker: Worker) -> None:
    Worker.objects.select_for_update(no_key=True).only("pk").get(pk=worker.pk)
