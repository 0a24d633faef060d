"""The platform's own requirements at exactly 98 per cent and 5,000, one above, one below and in between."""

from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.conformance.browser import Browser
from crowd.marketplace.conformance.worker import Worker as Site
from crowd.marketplace.models import Worker
from crowd.marketplace.services.requirements import Standing, find_unmet
from crowd.marketplace.services.system_qualifications import NUMBER_APPROVED, PERCENT_APPROVED
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, hit_input
from tests.factories import invite, make_requester


def need(type_id: str, comparator: str, value: int) -> dict[str, Any]:
    return {"QualificationTypeId": type_id, "Comparator": comparator, "IntegerValues": [value]}


def meets(record: dict[str, int], requirement: dict[str, Any]) -> bool:
    """What is held does not count for these, so no database is asked."""
    return not find_unmet([requirement], standing=Standing(worker=Worker(**record), held={}), names={})


def reviewed(approved: int, rejected: int) -> dict[str, int]:
    return {"submitted": approved + rejected, "approved": approved, "rejected": rejected}


SHARES = {
    "97 of 100, one below": (97, 3, False, False),
    "97.98: 4899 of 5000": (4899, 101, False, False),
    "97.9999: 979999 of 1000000": (979_999, 20_001, False, False),
    "98 of 100, exactly": (98, 2, True, False),
    "98: 4900 of 5000, exactly": (4900, 100, True, False),
    "98.02: 4901 of 5000": (4901, 99, True, False),
    "98.9999: 989999 of 1000000": (989_999, 10_001, True, False),
    "99 of 100, one above": (99, 1, True, True),
    "100 of 100": (100, 0, True, True),
}


@pytest.mark.pure
@pytest.mark.parametrize(
    ("approved", "rejected", "at_least", "more_than"), list(SHARES.values()), ids=list(SHARES)
)
def test_share_of_98_per_cent_is_compared_as_the_whole_per_cent_below_it(
    approved: int, rejected: int, *, at_least: bool, more_than: bool
) -> None:
    """An integer, as in the API: rounded down, so 97.99 is not 98, and above 98 begins at 99."""
    record = reviewed(approved, rejected)

    met = [
        meets(record, need(PERCENT_APPROVED, comparator, 98))
        for comparator in ("GreaterThanOrEqualTo", "GreaterThan")
    ]

    assert met == [at_least, more_than]


@pytest.mark.pure
@pytest.mark.parametrize(
    ("approved", "at_least", "more_than"),
    [(4999, False, False), (5000, True, False), (5001, True, True)],
)
def test_number_of_5000_is_counted_exactly(approved: int, *, at_least: bool, more_than: bool) -> None:
    """Waiting and rejected work is not among it."""
    record = {"submitted": approved + 200, "approved": approved, "rejected": 100}

    met = [
        meets(record, need(NUMBER_APPROVED, comparator, 5000))
        for comparator in ("GreaterThanOrEqualTo", "GreaterThan")
    ]

    assert met == [at_least, more_than]


@pytest.mark.django_db(transaction=True)
def test_papers_requirements_let_in_at_the_worker_site_from_the_boundary_on(sites: Sites) -> None:
    """98 per cent and 5,000 together, as they are posted: by HTTP on both sides."""
    wanted = [
        need(PERCENT_APPROVED, "GreaterThanOrEqualTo", 98),
        need(NUMBER_APPROVED, "GreaterThanOrEqualTo", 5000),
    ]
    client = client_of(sites, make_requester(now=timezone.now()))
    hit = client.create_hit(**hit_input(MaxAssignments=9, QualificationRequirements=wanted))["HIT"]
    let_in = {}
    for approved, rejected in ((5000, 103), (5000, 102), (4999, 0), (5001, 0)):
        worker, token = invite(now=timezone.now())
        Worker.objects.filter(pk=worker.pk).update(**reviewed(approved, rejected))
        site = Site(external_id=worker.external_id, site=sites.marketplace, browser=Browser())
        site.sign_in(f"{sites.marketplace}/invitation/{token}/")
        let_in[approved, rejected] = site.try_accept(hit) is not None

    assert let_in == {(5000, 103): False, (5000, 102): True, (4999, 0): False, (5001, 0): True}
