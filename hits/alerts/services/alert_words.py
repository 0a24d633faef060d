"""Alerts in words, with whole addresses: what e-mails and posts say, and where their links lead."""

from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from hits.alerts.domain.digest import News
from hits.alerts.models import Kind, Occurrence

LISTS = {
    Kind.RUN: "admin:hits_run_changelist",
    Kind.DECIDED: "admin:hits_run_changelist",
    Kind.APPEAL: "admin:hits_appeal_changelist",
}


def path_of(occurrence: Occurrence) -> str:
    """Return the page on which somebody can do something about it."""
    if occurrence.run_id:
        return reverse("admin:hits_run_change", args=[occurrence.run_id])
    if occurrence.appeal_id:
        return reverse("admin:hits_appeal_change", args=[occurrence.appeal_id])
    if occurrence.batch_id:
        return reverse("admin:hits_batch_live", args=[occurrence.batch_id])
    return reverse("admin:hits_alerts")


def address_of_page(occurrence: Occurrence) -> str:
    return settings.PUBLIC_URL + path_of(occurrence)


def news_of(occurrence: Occurrence) -> News:
    study = f" ({occurrence.study})" if occurrence.study else ""
    return News(
        words=occurrence.words,
        url=address_of_page(occurrence),
        group=(occurrence.kind, occurrence.study_id),
        group_words=f"{occurrence.get_kind_display()}{study}.",
        group_url=settings.PUBLIC_URL + _list_of(occurrence),
    )


def _list_of(occurrence: Occurrence) -> str:
    """Return the list that has all of this kind, of the study if there is one."""
    address = reverse(LISTS.get(Kind(occurrence.kind), "admin:hits_batch_changelist"))
    if occurrence.kind in LISTS or not occurrence.study_id:
        return address
    return f"{address}?{urlencode({'study__id__exact': occurrence.study_id})}"
