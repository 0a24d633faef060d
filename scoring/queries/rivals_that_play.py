"""The rivals of a study for a page that only tells of them: nothing is registered by a look."""

from django.conf import settings

from hits.studies.models import Study
from scoring.models import RegisteredRival, StudyRival


def rivals_that_play(study: Study) -> tuple[str, RegisteredRival | None, list[RegisteredRival]]:
    """The name of the rival paid on, its row if it has one yet, and the rivals recorded beside it."""
    chosen = StudyRival.objects.filter(study=study).select_related("rival").order_by("pk")
    rows = {one.rival: one.is_paid for one in chosen}
    paid = next((rival for rival, is_paid in rows.items() if is_paid), None)
    if paid is None:
        paid = RegisteredRival.objects.filter(name=settings.RIVAL).first()
    return paid.name if paid else settings.RIVAL, paid, [rival for rival in rows if rival != paid]
