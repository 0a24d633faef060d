"""Qualifications: names, answer keys, and who may do a HIT."""

import secrets
from typing import Any

from crowd.marketplace.tools.conformance.bench import Bench
from crowd.marketplace.tools.conformance.outcomes import same
from crowd.marketplace.tools.conformance.questions import answer_key as answer_key_of
from crowd.marketplace.tools.conformance.questions import selection_test
from crowd.marketplace.tools.conformance.registry import check
from crowd.marketplace.tools.conformance.requester import Requester
from crowd.marketplace.tools.conformance.worker import Worker

LOCALE = "00000000000000000071"
PERCENT_APPROVED = "000000000000000000L0"


@check(54, "duplicate QualificationType name -> AlreadyExists")
def duplicate_name(bench: Bench) -> None:
    requester = bench.any_requester()
    name = f"Conformance {secrets.token_hex(6)}"
    terms = {"Name": name, "Description": "Once.", "QualificationTypeStatus": "Active"}
    requester.api.create_qualification_type(**terms)
    requester.refused("create_qualification_type", **terms, code="QualificationTypeAlreadyExists")
    mine = requester.api.list_qualification_types(
        Query=name, MustBeRequestable=False, MustBeOwnedByCaller=True
    )
    same("types of this name", [one["Name"] for one in mine["QualificationTypes"]], [name])


@check(55, "AnswerKey percentage 10/15 -> 67; an extra selection -> DefaultScore")
def answer_key(bench: Bench) -> None:
    """Test a key with ten points for a and b, five for c; other selections of the first question score 4."""
    requester = bench.requester()
    type_id = requester.api.create_qualification_type(
        Name=f"Conformance {secrets.token_hex(6)}",
        Description="A test.",
        QualificationTypeStatus="Active",
        Test=selection_test({"letters": "abc", "more": "cd"}),
        AnswerKey=answer_key_of({"letters": ({"a", "b"}, 10, 4), "more": ({"c"}, 5, 0)}, maximum=15),
        TestDurationInSeconds=600,
    )["QualificationType"]["QualificationTypeId"]
    for ticked, value in (
        ({0: [0, 1], 1: [1]}, 67),
        ({0: [0, 1], 1: [0]}, 100),
        ({0: [0, 1, 2], 1: [0]}, 60),
    ):
        worker = bench.worker()
        worker.take_test(type_id, ticked)
        scored = requester.api.get_qualification_score(
            QualificationTypeId=type_id, WorkerId=worker.external_id
        )["Qualification"]
        same(f"value for {ticked}", (scored["IntegerValue"], scored["Status"]), (value, "Granted"))


@check(56, "locale US-PA against US-NY; In [US, CA]")
def locales(bench: Bench) -> None:
    requester = bench.requester()
    pennsylvania = {"Country": "US", "Subdivision": "PA"}
    in_pennsylvania = _post(requester, LOCALE, "EqualTo", LocaleValues=[pennsylvania])
    in_either = _post(requester, LOCALE, "In", LocaleValues=[{"Country": "US"}, {"Country": "CA"}])
    people = {
        "US-PA": bench.worker(country="US", subdivision="PA"),
        "US-NY": bench.worker(country="US", subdivision="NY"),
        "CA": bench.worker(country="CA"),
        "DE": bench.worker(country="DE"),
    }
    same("admitted by EqualTo US-PA", _admitted(people, in_pennsylvania), ["US-PA"])
    same("admitted by In [US, CA]", _admitted(people, in_either), ["US-PA", "US-NY", "CA"])


@check(57, "99 submitted, many rejected -> percent 100")
def percent_of_few(bench: Bench) -> None:
    requester = bench.requester()
    hit = _post(requester, PERCENT_APPROVED, "GreaterThanOrEqualTo", IntegerValues=[100])
    people = {
        "99": bench.worker(submitted=99, approved=19, rejected=80),
        "100": bench.worker(submitted=100, approved=20, rejected=80),
    }
    same("admitted with that many submitted", _admitted(people, hit), ["99"])


@check(58, "guarded actions: hidden / listed without preview / preview only")
def guarded_actions(bench: Bench) -> None:
    requester, worker, friend = bench.requester(), bench.worker(), bench.worker()
    type_id = requester.api.create_qualification_type(
        Name=f"Conformance {secrets.token_hex(6)}", Description="Guards.", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    requester.api.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=friend.external_id, IntegerValue=1
    )
    expected = {
        "DiscoverPreviewAndAccept": (False, False, False),
        "PreviewAndAccept": (True, False, False),
        "Accept": (True, True, False),
    }
    for guarded, seen in expected.items():
        hit = _post(requester, type_id, "Exists", guarded=guarded)
        same(f"{guarded}: listed, preview, accepted", _sees(worker, hit), seen)
        same(f"{guarded}, qualified", _sees(friend, hit), (True, True, True))


def _sees(worker: Worker, hit: dict[str, Any]) -> tuple[bool, bool, bool]:
    is_listed = worker.lists(hit)
    has_preview = bool(worker.preview(hit).document.frames)
    return is_listed, has_preview, worker.try_accept(hit) is not None


def _admitted(people: dict[str, Worker], hit: dict[str, Any]) -> list[str]:
    return [name for name, worker in people.items() if worker.try_accept(hit)]


def _post(
    requester: Requester, type_id: str, comparator: str, *, guarded: str = "Accept", **values: object
) -> dict[str, Any]:
    requirement = {
        "QualificationTypeId": type_id,
        "Comparator": comparator,
        "ActionsGuarded": guarded,
        **values,
    }
    return requester.post(
        Title=f"Guarded {secrets.token_hex(6)}",
        MaxAssignments=9,
        QualificationRequirements=[requirement],
    )
