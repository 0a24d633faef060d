"""Answers reach the requester's program as the worker entered them in the form."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from defusedxml.ElementTree import fromstring
from django.test import Client
from django.utils import timezone

from crowd.marketplace import frames
from crowd.marketplace.questions import ANSWERS
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of
from tests.crowd.marketplace.rows import accept, post_hit
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


def fetched(sites: Sites, fields: dict[str, Any]) -> list[tuple[str, str]]:
    """Submit the fields at the frame's address, and read the answer back through boto3."""
    credentials = make_requester(now=timezone.now())
    hit = post_hit(requester=credentials.requester, now=timezone.now())
    assignment = accept(hit, now=timezone.now())
    address = urlsplit(f"{frames.submit_to(assignment)}/mturk/externalSubmit")
    form = {"assignmentId": assignment.external_id, **fields}
    assert Client(HTTP_HOST=address.netloc).post(address.path, form).status_code == 200

    client = client_of(sites, credentials)
    shown = client.get_assignment(AssignmentId=assignment.external_id)["Assignment"]
    [listed] = client.list_assignments_for_hit(HITId=hit.external_id)["Assignments"]
    assert listed["Answer"] == shown["Answer"]
    return read(shown["Answer"])


def read(answer: str) -> list[tuple[str, str]]:
    space = f"{{{ANSWERS}}}"
    return [
        (field.findtext(f"{space}QuestionIdentifier", ""), field.findtext(f"{space}FreeText", ""))
        for field in fromstring(answer)
    ]


def test_answers_with_markup_unicode_and_nothing_arrive_as_entered(sites: Sites) -> None:
    fields = {
        'a & <b> "c"': "fish & <chips> \"quoted\" 'too' ]]> <!-- -->",
        "empty": "",
        "spaces": "  two  ",
        "unicode": "ä ש 漢 😀 \u2028 e\u0301",
        "lines": "first\nsecond\tthird",
    }

    assert fetched(sites, fields) == list(fields.items())


def test_answers_with_several_values_arrive_as_one_in_order(sites: Sites) -> None:
    assert fetched(sites, {"chosen": ["b", "a", "b"]}) == [("chosen", "b|a|b")]


def test_answers_lose_only_the_control_characters_that_xml_forbids(sites: Sites) -> None:
    fields = {"text": "a\0b\x01c\x0bd\x1fe\x7ff\x85g\ufffeh"}

    assert fetched(sites, fields) == [("text", "abcde\x7ff\x85gh")]


def test_answers_of_a_text_area_keep_their_line_ends(sites: Sites) -> None:
    assert fetched(sites, {"text": "first\r\nsecond"}) == [("text", "first\r\nsecond")]
