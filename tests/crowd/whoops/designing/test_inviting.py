"""Designers and their links."""

from datetime import timedelta

import pytest
from django.core import signing

from crowd.whoops.services import inviting, links
from hits.core.errors import RuleBroken
from tests.crowd.whoops.making_designers import make_project
from tests.factories import NOW, make_user, make_worker

pytestmark = pytest.mark.django_db


def test_a_link_serves_for_its_days_and_then_is_over() -> None:
    designer = inviting.invite_designer(project=make_project(), name=" First  L ", by=make_user(), now=NOW)
    token = links.write_token(designer)

    assert (designer.name, designer.is_paid, designer.worker) == ("First L", False, None)
    assert designer.link_until == NOW + timedelta(days=30)
    assert links.read_token(token, now=NOW + timedelta(days=29)) == designer
    with pytest.raises(links.Over):
        links.read_token(token, now=NOW + timedelta(days=30))


def test_a_new_link_ends_every_link_before_it() -> None:
    designer = inviting.invite_designer(project=make_project(), name="First", by=make_user(), now=NOW)
    before = links.write_token(designer)

    inviting.renew_link(designer=designer, days=10, now=NOW)

    with pytest.raises(links.Over):
        links.read_token(before, now=NOW)
    assert links.read_token(links.write_token(designer), now=NOW) == designer
    assert designer.link_until == NOW + timedelta(days=10)


def test_a_prolonged_link_is_the_same_link() -> None:
    designer = inviting.invite_designer(project=make_project(), name="First", days=1, by=make_user(), now=NOW)
    token = links.write_token(designer)
    later = NOW + timedelta(days=5)

    inviting.prolong_link(designer=designer, days=30, now=later)

    assert links.write_token(designer) == token
    assert links.read_token(token, now=later) == designer


@pytest.mark.parametrize("spoilt", ["{token}x", "x{token}", "", "a:b", "{token}:{token}"])
def test_a_link_that_was_tampered_with_is_unknown(spoilt: str) -> None:
    designer = inviting.invite_designer(project=make_project(), name="First", by=make_user(), now=NOW)

    with pytest.raises(links.Unknown):
        links.read_token(spoilt.format(token=links.write_token(designer)), now=NOW)


def test_a_token_signed_for_something_else_opens_no_workspace() -> None:
    designer = inviting.invite_designer(project=make_project(), name="First", by=make_user(), now=NOW)
    payload = {"designer": str(designer.public_id), "link": designer.link_number}

    for salt in ("crowd.statement", "crowd.whoops.kept"):
        with pytest.raises(links.Unknown):
            links.read_token(signing.Signer(salt=salt).sign_object(payload), now=NOW)


def test_no_two_designers_of_a_project_have_one_name_or_are_one_worker() -> None:
    project, worker = make_project(), make_worker()
    user = make_user()
    inviting.invite_designer(project=project, name="First", worker=worker, is_paid=True, by=user, now=NOW)

    with pytest.raises(RuleBroken) as name:
        inviting.invite_designer(project=project, name="First", by=user, now=NOW)
    with pytest.raises(RuleBroken) as person:
        inviting.invite_designer(
            project=project, name="Second", worker=worker, is_paid=True, by=user, now=NOW
        )

    assert (name.value.code, person.value.code) == ("name_taken", "worker_taken")
    assert [row.name for row in project.designers.all()] == ["First"]
    inviting.invite_designer(project=make_project(), name="First", by=user, now=NOW)


@pytest.mark.parametrize(
    ("name", "days"), [("", 30), ("x" * 81, 30), ("A\x07", 30), ("First", 0), ("First", 366)]
)
def test_a_bad_name_or_a_bad_number_of_days_invites_nobody(name: str, days: int) -> None:
    project = make_project()

    with pytest.raises(RuleBroken):
        inviting.invite_designer(project=project, name=name, days=days, by=make_user(), now=NOW)

    assert not project.designers.exists()


def test_places_count_those_that_are_taken() -> None:
    project = make_project()

    inviting.want_designers(project=project, places=5)
    inviting.want_designers(project=project, places=3)

    assert inviting.places_of(project) == (0, 3)
    with pytest.raises(RuleBroken):
        inviting.want_designers(project=project, places=1001)
    assert inviting.places_of(project) == (0, 3)
