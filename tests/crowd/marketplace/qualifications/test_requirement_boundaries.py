"""Built-in requirements at exactly 98 per cent and 5,000, one above, one below and in between."""

from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.qualifying.requirements import Standing, find_unmet
from crowd.marketplace.services.qualifying.system_qualifications import NUMBER_APPROVED, PERCENT_APPROVED
from crowd.marketplace.tools.conformance.browser import Browser
from crowd.marketplace.tools.conformance.worker import Worker as Site
from hits.core.domain.requirements import COMPARE, is_met
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, hit_input
from tests.factories import invite, make_requester


def need(type_id: str, comparator: str, value: int) -> dict[str, Any]:
    return {"QualificationTypeId": type_id, "Comparator": comparator, "IntegerValues": [value]}


def meets(record: dict[str, int], requirement: dict[str, Any]) -> bool:
    """Whether a worker with this record meets the requirement; granted qualifications are not needed here."""
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
    """The value is an integer, as in the API: rounded down, so 97.99 is not 98, and above 98 begins at 99."""
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
    """Waiting and rejected work is not counted."""
    record = {"submitted": approved + 200, "approved": approved, "rejected": 100}

    met = [
        meets(record, need(NUMBER_APPROVED, comparator, 5000))
        for comparator in ("GreaterThanOrEqualTo", "GreaterThan")
    ]

    assert met == [at_least, more_than]


@pytest.mark.pure
@pytest.mark.parametrize("type_id", [PERCENT_APPROVED, NUMBER_APPROVED])
@pytest.mark.parametrize(
    "comparator", [name for name in COMPARE if name not in ("DoesNotExist", "In", "NotIn")]
)
def test_both_sides_compare_alike_at_the_boundary(comparator: str, type_id: str) -> None:
    """The estimate on the researchers' side agrees with what the marketplace then admits."""
    bound = 98 if type_id == PERCENT_APPROVED else 5000
    asked = need(type_id, comparator, bound)
    records = {value: {"submitted": 10_000, "approved": value, "rejected": 0} for value in near(bound)}
    if type_id == PERCENT_APPROVED:
        records = {value: reviewed(100 * value, 10_000 - 100 * value) for value in near(bound)}

    let_in = [meets(record, asked) for record in records.values()]

    assert let_in == [is_met(asked, value) for value in records]


def near(bound: int) -> tuple[int, int, int]:
    return bound - 1, bound, bound + 1


@pytest.mark.pure
@pytest.mark.parametrize(("submitted", "share"), [(99, 100), (100, 0), (101, 0)])
def test_record_is_whole_from_its_hundredth_submission_on(submitted: int, share: int) -> None:
    """Below a hundred submissions even a worker who was always rejected counts as wholly approved."""
    record = {"submitted": submitted, "approved": 0, "rejected": submitted}

    assert meets(record, need(PERCENT_APPROVED, "EqualTo", share))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("comparator", "expected"),
    [
        ("GreaterThanOrEqualTo", [False, True, False, True, True, True]),
        ("GreaterThan", [False, False, False, False, False, True]),
    ],
)
def test_papers_requirements_let_in_at_the_worker_site_from_the_boundary_on(
    sites: Sites, comparator: str, expected: list[bool]
) -> None:
    """Both requirements together, as they are posted: by HTTP on both sides."""
    wanted = [need(PERCENT_APPROVED, comparator, 98), need(NUMBER_APPROVED, comparator, 5000)]
    client = client_of(sites, make_requester(now=timezone.now()))
    hit = client.create_hit(**hit_input(MaxAssignments=9, QualificationRequirements=wanted))["HIT"]
    let_in = {}
    for approved, rejected in ((5000, 103), (5000, 102), (4999, 0), (5000, 0), (5001, 102), (5001, 50)):
        worker, token = invite(now=timezone.now())
        Worker.objects.filter(pk=worker.pk).update(**reviewed(approved, rejected))
        site = Site(external_id=worker.external_id, site=sites.marketplace, browser=Browser())
        site.sign_in(f"{sites.marketplace}/invitation/{token}/")
        let_in[approved, rejected] = site.try_accept(hit) is not None

    assert list(let_in.values()) == expected
