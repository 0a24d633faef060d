"""Workers' reports to those who run the marketplace: sent for a HIT, and answered once."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError
from django.utils import translation
from django.utils.translation import gettext as _

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import HIT, Assignment, Complaint
from crowd.marketplace.models.parties import Operator, Worker
from crowd.marketplace.services import messages
from crowd.marketplace.services.email_addresses import find_address


class StillOpen(RuleBroken):
    """The worker has reported this HIT, and that is not answered yet."""


def report(*, worker: Worker, hit: HIT, kind: str, text: str, now: datetime) -> Complaint:
    """Report a HIT, with the worker's own latest work on it. Raises StillOpen."""
    mine = Assignment.objects.filter(hit=hit, worker=worker).order_by("-pk").first()
    try:
        with atomic():
            return Complaint.objects.create(
                worker=worker, hit=hit, assignment=mine, kind=kind, text=text, sent_at=now
            )
    except IntegrityError:
        raise StillOpen(_("You have reported this HIT already.")) from None


def answer_complaint(*, complaint: Complaint, answer: str, operator: Operator, now: datetime) -> None:
    """Answer a complaint, and send the answer to its worker. Raises RuleBroken if it is answered."""
    worker, title = complaint.worker, complaint.hit.hit_type.title
    mine = find_address(worker)
    with atomic():
        still_open = Complaint.objects.filter(pk=complaint.pk, answered_at=None)
        if not still_open.update(answer=answer, answered_at=now, answered_by=operator):
            raise RuleBroken("This complaint is answered already. Open it again to see the answer.")
        with translation.override((mine and mine.language) or settings.LANGUAGE_CODE):
            subject = _("The problem that you reported: %(title)s") % {"title": title}
        messages.write_from_the_desk(workers=[worker], subject=subject, text=answer, now=now)
