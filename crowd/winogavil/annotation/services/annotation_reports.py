"""Reports from annotators' pages: a cue or a picture found unfit is away everywhere, not only from there."""

from collections.abc import Sequence
from datetime import datetime

from django.http import QueryDict

from crowd.winogavil.annotation.models import Annotation
from crowd.winogavil.services import reports
from hits.identity.models.workers import Worker
from hits.work.models.items import Item


def take_report(*, form: QueryDict, items: Sequence[Item], worker: Worker, now: datetime) -> None:
    """Take a report by the page's own items; what is reported is the association they ask about."""
    asked = Annotation.objects.filter(item__in=items).select_related("item", "association__item")
    names = {
        f"{reports.CUE}:{one.item.public_id}": f"{reports.CUE}:{one.association.item.public_id}"
        for one in asked
    }
    about = form.get("about", "")
    said = {**form.dict(), "about": names.get(str(about), about)}
    associations = [one.association.item_id for one in asked]
    reports.take_report(form=said, items=associations, worker=worker, now=now)
