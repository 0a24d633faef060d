"""The pages of what a row of the ledger names."""

from collections.abc import Iterable

from django.urls import reverse

from crowd.marketplace.models import HIT, Assignment, LedgerEntry


def with_pages(entries: Iterable[LedgerEntry]) -> list[tuple[LedgerEntry, str]]:
    """Return each with the address of the HIT or the work that it is about; empty for other subjects."""
    rows = list(entries)
    subjects = {row.subject for row in rows}
    pages = {
        external_id: reverse(page, args=[external_id])
        for page, model in (("desk:work", Assignment), ("desk:hit", HIT))
        for external_id in model.objects.filter(external_id__in=subjects).values_list(
            "external_id", flat=True
        )
    }
    return [(row, pages.get(row.subject, "")) for row in rows]
