"""How colleagues sign in, on their page: an operator takes a lost factor away, and ends sessions."""

import pytest
from django.test import Client

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import OPERATOR, RESEARCHER
from tests.factories import make_user
from tests.hits.identity.factors import set_up, sign_in_by_password, with_password
from tests.pages import text_of
from tests.people import client_of, make_member, sign_in

pytestmark = pytest.mark.django_db
PHONE = "Mozilla/5.0 (Linux; Android 15) Gecko/20100101 Firefox/140.0"


def is_in(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


def test_an_operator_ends_the_sessions_of_a_colleague(client: Client) -> None:
    operator = sign_in(client, OPERATOR)
    colleague = make_member(RESEARCHER)
    theirs, _ = sign_in_by_password(with_password(colleague), agent=PHONE)

    page = client.get(f"/admin/hits/user/{colleague.pk}/change/")
    address = f"/admin/hits/user/{colleague.pk}/sessions/"
    asked = client.get(address)
    assert is_in(theirs)
    done = client.post(address, {"confirmed": "yes"}, follow=True)

    assert "Firefox on Android" in text_of(page)
    assert "has to sign in again on each device" in text_of(asked)
    assert "is signed out everywhere" in text_of(done)
    assert not is_in(theirs)
    event = AuditEvent.objects.get(kind="session.ended")
    assert (event.by, event.words) == (operator, f"{operator} signed {colleague} out on 1 device.")


def test_an_operator_takes_a_lost_factor_away(client: Client) -> None:
    operator = sign_in(client, OPERATOR)
    colleague = make_member(RESEARCHER)
    set_up(colleague)

    page = client.get(f"/admin/hits/user/{colleague.pk}/change/")
    client.post(f"/admin/hits/user/{colleague.pk}/second-factor/", {"confirmed": "yes"})

    assert "Take it away…" in text_of(page)
    assert User.objects.get(pk=colleague.pk).second_factor is None
    assert AuditEvent.objects.get(kind="second_factor.taken_away").by == operator


@pytest.mark.parametrize("what", ["second-factor", "sessions"])
def test_nobody_does_it_to_themselves_to_superusers_or_without_the_right(client: Client, what: str) -> None:
    operator = sign_in(client, OPERATOR)
    root = make_user(is_superuser=True)
    set_up(root)
    researcher = client_of(make_member(RESEARCHER))

    statuses = [
        one.post(f"/admin/hits/user/{whom.pk}/{what}/", {"confirmed": "yes"}).status_code
        for one, whom in ((client, operator), (client, root), (researcher, operator))
    ]

    assert statuses == [403, 403, 403]
    assert User.objects.get(pk=root.pk).second_factor is not None
    assert is_in(client)
    assert not AuditEvent.objects.filter(kind__in=["session.ended", "second_factor.taken_away"]).exists()
