"""Invitations of designers, and the links that open their workspace."""

from datetime import timedelta

import pytest
from django.core import signing

from crowd.whoops.design.services import invitations, workspace_links
from hits.core import held_links
from hits.core.errors import RuleBroken
from hits.core.signed_links import UnknownLink
from tests.crowd.whoops.making_designers import make_project
from tests.factories import NOW, make_user, make_worker

pytestmark = pytest.mark.django_db


def test_a_link_serves_for_its_days_and_then_is_over() -> None:
    designer = invitations.invite_designer(project=make_project(), name=" First  L ", by=make_user(), now=NOW)
    token = workspace_links.write_token(designer)

    assert (designer.name, designer.is_paid, designer.worker) == ("First L", False, None)
    assert designer.link_until == NOW + timedelta(days=30)
    assert workspace_links.read_token(token, now=NOW + timedelta(days=29)) == designer
    with pytest.raises(workspace_links.LinkExpired):
        workspace_links.read_token(token, now=NOW + timedelta(days=30))


def test_a_new_link_ends_every_link_before_it() -> None:
    designer = invitations.invite_designer(project=make_project(), name="First", by=make_user(), now=NOW)
    before = workspace_links.write_token(designer)

    invitations.renew_link(designer=designer, days=10, now=NOW)

    with pytest.raises(workspace_links.LinkExpired):
        workspace_links.read_token(before, now=NOW)
    assert workspace_links.read_token(workspace_links.write_token(designer), now=NOW) == designer
    assert designer.link_until == NOW + timedelta(days=10)


def test_a_prolonged_link_is_the_same_link() -> None:
    designer = invitations.invite_designer(
        project=make_project(), name="First", days=1, by=make_user(), now=NOW
    )
    token = workspace_links.write_token(designer)
    later = NOW + timedelta(days=5)

    held_links.prolong_link(designer, days=30, now=later)

    assert workspace_links.write_token(designer) == token
    assert workspace_links.read_token(token, now=later) == designer


@pytest.mark.parametrize("spoilt", ["{token}x", "x{token}", "", "a:b", "{token}:{token}"])
def test_a_link_that_was_tampered_with_is_unknown(spoilt: str) -> None:
    designer = invitations.invite_designer(project=make_project(), name="First", by=make_user(), now=NOW)

    with pytest.raises(UnknownLink):
        workspace_links.read_token(spoilt.format(token=workspace_links.write_token(designer)), now=NOW)


def test_a_token_signed_for_something_else_opens_no_workspace() -> None:
    designer = invitations.invite_designer(project=make_project(), name="First", by=make_user(), now=NOW)
    payload = {"designer": str(designer.public_id), "link": designer.link_number}

    for salt in ("crowd.statement", "crowd.whoops.kept"):
        with pytest.raises(UnknownLink):
            workspace_links.read_token(signing.Signer(salt=salt).sign_object(payload), now=NOW)


def test_no_two_designers_of_a_project_have_one_name_or_are_one_worker() -> None:
    project, worker = make_project(), make_worker()
    user = make_user()
    invitations.invite_designer(project=project, name="First", worker=worker, is_paid=True, by=user, now=NOW)

    with pytest.raises(RuleBroken) as name:
        invitations.invite_designer(project=project, name="First", by=user, now=NOW)
    with pytest.raises(RuleBroken) as person:
        invitations.invite_designer(
            project=project, name="Second", worker=worker, is_paid=True, by=user, now=NOW
        )

    assert (name.value.code, person.value.code) == ("name_taken", "worker_taken")
    assert [row.name for row in project.designers.all()] == ["First"]
    invitations.invite_designer(project=make_project(), name="First", by=user, now=NOW)


@pytest.mark.parametrize(
    ("name", "days"), [("", 30), ("x" * 81, 30), ("A\x07", 30), ("First", 0), ("First", 366)]
)
def test_a_bad_name_or_a_bad_number_of_days_invites_nobody(name: str, days: int) -> None:
    project = make_project()

    with pytest.raises(RuleBroken):
        invitations.invite_designer(project=project, name=name, days=days, by=make_user(), now=NOW)

    assert not project.designers.exists()


def test_places_count_those_that_are_taken() -> None:
    project = make_project()

    invitations.want_designers(project=project, places=5)
    invitations.want_designers(project=project, places=3)

    assert invitations.places_of(project) == (0, 3)
    with pytest.raises(RuleBroken):
        invitations.want_designers(project=project, places=1001)
    assert invitations.places_of(project) == (0, 3)
