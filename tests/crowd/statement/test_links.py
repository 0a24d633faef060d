"""Links to the statement: where a worker gets one, and which ones are believed."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import LazySettings
from django.core import signing
from django.test import Client
from django.utils import timezone

from crowd.statement import statement_links
from hits.core import crypto
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.crowd.frame.test_question import CLAIMS, SITE, right, send, ticket, token_of
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
)
from tests.pages import text_of

pytestmark = pytest.mark.django_db
WORDS = "Your work and your pay"


def open_hit(**changes: Any) -> HIT:
    study = make_study()
    make_association(study=study, cue="cold", size=5, chosen=2)
    account = make_account(worker_site=SITE, **changes)
    return make_hit(batch=make_batch(study=study, account=account, status="open"), external_id="HIT1")


def visit(client: Client, hit: HIT, **changes: str) -> Any:
    signed = {"ticket": ticket()} if hit.batch.account.ticket_key else {}
    return client.get(f"/q/{hit.public_id}/?{urlencode({**CLAIMS, **signed, **changes})}")


def offers_link(page: Any) -> bool:
    return 'href="/statement/' in text_of(page)


def link_in(page: Any) -> str:
    return str(page.content.decode().partition('href="/statement/')[2].partition("/")[0])


def test_frame_with_a_ticket_offers_the_link_in_every_state(client: Client) -> None:
    hit, accepted = open_hit(), ticket()

    work = visit(client, hit, ticket=accepted)
    saved = send(client, hit, token_of(work), right())
    finishing = visit(client, hit, ticket=accepted)
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    over = visit(client, hit, ticket=accepted)

    assert [offers_link(page) for page in (work, saved, finishing, over)] == [True] * 4
    worker = Assignment.objects.get().worker
    assert statement_links.read_token(link_in(over), now=timezone.now()).worker == worker
    assert 'target="_blank" rel="noopener noreferrer"' in text_of(over)


def test_frame_without_items_left_offers_the_link(client: Client) -> None:
    hit = open_hit()
    hit.batch.study.items.update(wanted=0)

    page = visit(client, hit)

    assert "Nothing left for you here" in text_of(page)
    assert offers_link(page)


def test_frame_without_tickets_offers_the_link_only_once_the_provider_has_the_work(client: Client) -> None:
    hit = open_hit(ticket_key="")

    work = visit(client, hit)
    saved = send(client, hit, token_of(work), right())
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    over = visit(client, hit)

    assert [offers_link(page) for page in (work, saved, over)] == [False, False, True]


@pytest.mark.parametrize("changes", [{"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}, {"ticket": "forged"}])
def test_frame_of_nobody_offers_no_link(client: Client, changes: dict[str, str]) -> None:
    page = visit(client, open_hit(), **changes)

    assert not offers_link(page)


def test_link_serves_for_twelve_hours() -> None:
    token = statement_links.write_token(assignment=make_assignment(), now=NOW)

    statement_links.read_token(token, now=NOW + timedelta(hours=12, seconds=-1))
    with pytest.raises(statement_links.LinkExpired):
        statement_links.read_token(token, now=NOW + timedelta(hours=12))


def test_link_names_its_worker_and_study() -> None:
    work = make_assignment()

    link = statement_links.read_token(statement_links.write_token(assignment=work, now=NOW), now=NOW)

    assert (link.worker, link.study) == (work.worker, work.hit.batch.study)


@pytest.mark.parametrize("spoiled", ["x{}", "{}x", "", "a:b:c", "é{}"])
def test_link_that_nobody_signed_is_unknown(spoiled: str) -> None:
    token = statement_links.write_token(assignment=make_assignment(), now=NOW)

    with pytest.raises(statement_links.Unknown):
        statement_links.read_token(spoiled.format(token), now=NOW)


def test_token_of_a_framed_page_opens_no_statement() -> None:
    work = make_assignment()
    payload = {
        "worker": str(work.worker.public_id),
        "study": str(work.hit.batch.study.public_id),
        "expires": 9e9,
    }

    with pytest.raises(statement_links.Unknown):
        statement_links.read_token(crypto.sign_page(payload), now=NOW)


def test_link_outlives_the_change_of_keys(settings: LazySettings) -> None:
    work = make_assignment()
    token = statement_links.write_token(assignment=work, now=NOW)

    settings.TOKEN_KEYS = ["a newer key", *settings.TOKEN_KEYS]

    assert statement_links.read_token(token, now=NOW).worker == work.worker


def test_link_says_nothing_of_the_provider(settings: LazySettings) -> None:
    work = make_assignment()

    token = statement_links.write_token(assignment=work, now=NOW)

    told = signing.loads(token, key=settings.TOKEN_KEYS[0], salt=statement_links.SALT)
    assert set(told) == {"worker", "study", "expires"}
    assert told["worker"] == str(work.worker.public_id)
