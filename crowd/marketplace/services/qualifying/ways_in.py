"""Ways to a qualification through work: HITs that only workers without it may do, such as a test."""

from collections.abc import Collection, Mapping

from django.db.models import F

from crowd.marketplace.models import HITType

# The most HIT types that are looked at for all qualifications of a page.
MOST = 200


def work_that_gives(type_ids: Collection[str]) -> Mapping[str, list[HITType]]:
    """Return the HIT types by which a requester's own qualification is got, by its id, listed ones first.

    The API does not say how a type is got. But a requester who posts work for those without it, and asks for
    it elsewhere, gives it to those who have done that work, and to nobody who only asks. One query, or none.
    """
    found: dict[str, list[HITType]] = {}
    if not type_ids:
        return found
    rows = HITType.objects.filter(required__external_id__in=type_ids, required__requester=F("requester"))
    for row in rows.distinct().order_by("-is_listed", "-pk")[:MOST]:
        for requirement in row.requirements:
            type_id = requirement["QualificationTypeId"]
            if requirement["Comparator"] == "DoesNotExist" and type_id in type_ids:
                found.setdefault(type_id, []).append(row)
    return found
