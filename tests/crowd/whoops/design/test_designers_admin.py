"""The researcher's pages of designers: the list, an invitation, the link, the pay."""

import csv
from io import StringIO

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from crowd.whoops.design.services import designer_pay, workspace_links
from crowd.whoops.design.services.invitations import places_of
from crowd.whoops.models import Designer, Image, Project
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.ledger.models.bonuses import Bonus
from tests.crowd.whoops.design.test_designer_pay import Paid, accept
from tests.crowd.whoops.making_designers import make_designer, make_project, send
from tests.factories import NOW, make_assignment, make_hit, make_user, make_worker
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def url_of(project: Project, name: str, *more: object) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk, *more])


def test_a_researcher_invites_a_designer_and_gets_a_link_that_opens_the_workspace(client: Client) -> None:
    project = make_project()
    user = sign_in(client, RESEARCHER, project.study)

    made = client.post(url_of(project, "invite"), {"name": "First", "days": 10}, follow=True)

    designer = project.designers.get()
    assert (designer.name, designer.invited_by, designer.is_paid) == ("First", user, False)
    address = workspace_links.address_of(designer)
    assert address in text_of(made)
    assert client.get(address).status_code == 200


def test_an_invitation_with_a_worker_is_found_by_pseudonym_among_those_one_may_see(client: Client) -> None:
    paid = Paid()
    stranger = make_worker()
    sign_in(client, RESEARCHER, paid.project.study)
    paid.designer.delete()
    form = {"name": "First", "days": 30, "is_paid": "on"}

    unseen = client.post(url_of(paid.project, "invite"), {**form, "worker": stranger.pseudonym})
    unpaid = client.post(
        url_of(paid.project, "invite"), {"name": "First", "days": 30, "worker": paid.worker.pseudonym}
    )
    found = client.post(url_of(paid.project, "invite"), {**form, "worker": str(paid.worker.public_id)})

    assert "You see no worker" in text_of(unseen)
    assert list(unpaid.context["form"].errors) == ["is_paid"]
    assert found.status_code == 302
    assert paid.project.designers.get().worker == paid.worker


def test_a_name_that_is_taken_is_refused_beside_its_field(client: Client) -> None:
    project = make_project()
    make_designer(project, name="First")
    sign_in(client, RESEARCHER, project.study)

    refused = client.post(url_of(project, "invite"), {"name": "First", "days": 30})

    assert refused.context["form"].errors == {"name": ["There is a designer of this name. Choose another."]}
    assert project.designers.count() == 1


def test_the_link_is_shown_again_prolonged_and_made_anew(client: Client) -> None:
    project = make_project()
    designer = make_designer(project)
    sign_in(client, RESEARCHER, project.study)
    url = url_of(project, "designer", designer.public_id)
    before = workspace_links.address_of(designer)
    assert before in text_of(client.get(url))

    client.post(url_of(project, "designer_link", designer.public_id), {"deed": "prolong", "days": 5})
    assert before in text_of(client.get(url))
    client.post(url_of(project, "designer_link", designer.public_id), {"deed": "new", "days": 5})
    client.post(url_of(project, "designer_link", designer.public_id), {"deed": "new", "days": 0})

    designer.refresh_from_db()
    assert (designer.link_number, (designer.link_until - timezone.now()).days) == (2, 4)  # type: ignore[operator]
    assert client.get(before).status_code == 410
    assert client.get(workspace_links.address_of(designer)).status_code == 200


def test_somebody_is_shut_out_after_a_question_and_let_in_again(client: Client) -> None:
    project = make_project()
    designer = make_designer(project, name="First")
    sign_in(client, RESEARCHER, project.study)
    url = url_of(project, "designer_active", designer.public_id)

    assert "Shut them out" in text_of(client.get(url))
    assert Designer.objects.filter(is_active=True).exists()
    client.post(url, {"deed": "out"})
    assert not Designer.objects.filter(is_active=True).exists()
    client.post(url, {"deed": "in"})
    assert Designer.objects.filter(is_active=True).get() == designer


def test_the_list_shows_figures_is_searched_and_sorted(client: Client) -> None:
    paid = Paid()
    Designer.objects.filter(pk=paid.designer.pk).update(name="Second")
    make_designer(paid.project, name="First")
    image = accept(send(paid.designer))
    designer_pay.owe_image(image=image, by=make_user(), now=NOW)
    sign_in(client, RESEARCHER, paid.project.study)
    url = url_of(paid.project, "designers")

    text = client.get(url).content.decode()

    assert "$6.00" in text
    assert text.index(">First<") < text.index(">Second<")
    by_sent = client.get(f"{url}?o=sent").content.decode()
    assert by_sent.index(">Second<") < by_sent.index(">First<")
    assert ">First<" not in text_of(client.get(f"{url}?q={paid.worker.pseudonym}"))
    assert ">Second<" not in text_of(client.get(f"{url}?which=volunteers"))
    assert "No designer fits the search." in text_of(client.get(f"{url}?q=zebra"))


def test_the_list_costs_the_same_however_many_designers_there_are(client: Client) -> None:
    paid = Paid()
    sign_in(client, RESEARCHER, paid.project.study)
    urls = [
        url_of(paid.project, "designers"),
        url_of(paid.project, "designer", paid.designer.public_id),
        reverse("admin:whoops_project_change", args=[paid.project.pk]),
    ]
    accept(send(paid.designer))

    def cost(url: str) -> int:
        client.get(url)
        with CaptureQueriesContext(connection) as caught:
            assert client.get(url).status_code == 200
        return len(caught)

    few = [cost(url) for url in urls]
    for _ in range(6):
        accept(send(make_designer(paid.project)))
        accept(send(paid.designer))

    assert [cost(url) for url in urls] == few


def test_what_is_outstanding_is_owed_by_a_click_and_the_rest_says_why(client: Client) -> None:
    paid = Paid()
    idle = make_designer(paid.project, is_paid=True, worker=make_worker(account=paid.account))
    elsewhere = make_designer(paid.project, is_paid=True)
    for designer in (paid.designer, idle, elsewhere):
        accept(send(designer))
    sign_in(client, RESEARCHER, paid.project.study)

    done = client.post(url_of(paid.project, "owe_images"), follow=True).content.decode()

    assert "1 image is owed now." in done
    assert done.count(designer_pay.NO_WORK) == 2
    assert "1 image is not owed yet." in done
    assert Bonus.objects.count() == 1
    assert client.get(url_of(paid.project, "owe_images")).status_code == 405


def test_accepted_images_are_downloaded_and_nothing_in_the_file_runs(client: Client) -> None:
    paid = Paid()
    Designer.objects.filter(pk=paid.designer.pk).update(name="=cmd()")
    image = accept(send(paid.designer))
    send(paid.designer)
    designer_pay.owe_image(image=image, by=make_user(), now=NOW)
    volunteer = accept(send(make_designer(paid.project, name="First")))
    sign_in(client, RESEARCHER, paid.project.study)

    response = client.get(url_of(paid.project, "accepted_csv"))

    text = b"".join(response.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    first, second = csv.DictReader(StringIO(text))
    assert (first["designer"], first["image"], first["amount"], first["state"]) == (
        "'=cmd()",
        "1",
        "6.00",
        "Owed",
    )
    assert (second["designer"], second["image_id"], second["amount"], second["state"]) == (
        "First",
        str(volunteer.public_id),
        "",
        "Volunteer",
    )


def test_places_are_offered_and_lead_to_a_draft(client: Client) -> None:
    project = make_project()
    sign_in(client, RESEARCHER, project.study)

    client.post(url_of(project, "places"), {"places": 3})
    client.post(url_of(project, "places"), {"places": -1})

    assert places_of(project) == (0, 3)
    card = text_of(client.get(reverse("admin:whoops_project_change", args=[project.pk])))
    assert "1 item waits for workers." in card
    assert client.get(url_of(project, "draft", "whoops.design")).status_code == 200


def test_strangers_find_nothing_and_reviewers_change_nothing(client: Client) -> None:
    project = make_project()
    designer = make_designer(project)
    image = send(designer)
    sign_in(client, RESEARCHER)
    names = ("designers", "invite", "accepted_csv")
    assert {client.get(url_of(project, name)).status_code for name in names} == {404}
    assert client.get(url_of(project, "designer", designer.public_id)).status_code == 404

    sign_in(client, REVIEWER, project.study)
    seen = client.get(url_of(project, "designer", designer.public_id))
    assert seen.status_code == 200
    assert workspace_links.write_token(designer) not in text_of(seen)
    forbidden = [
        client.get(url_of(project, "invite")),
        client.get(url_of(project, "accepted_csv")),
        client.post(url_of(project, "places"), {"places": 3}),
        client.post(url_of(project, "owe_images")),
        client.post(url_of(project, "designer_link", designer.public_id), {"deed": "new", "days": 5}),
        client.post(url_of(project, "designer_active", designer.public_id), {"deed": "out"}),
    ]
    assert {response.status_code for response in forbidden} == {403}
    designer.refresh_from_db()
    assert (designer.link_number, designer.is_active, Image.objects.get()) == (1, True, image)


def test_a_designer_of_another_study_is_not_found_under_ones_own(client: Client) -> None:
    project, other = make_project(), make_designer()
    sign_in(client, RESEARCHER, project.study)

    assert client.get(url_of(project, "designer", other.public_id)).status_code == 404
    deed = {"deed": "new", "days": 5}
    assert client.post(url_of(project, "designer_link", other.public_id), deed).status_code == 404


def test_a_changed_designer_keeps_the_worker_that_was_paid(client: Client) -> None:
    paid = Paid()
    other = make_worker(account=paid.account)
    make_assignment(hit=make_hit(batch=paid.batch), worker=other)
    image = accept(send(paid.designer))
    designer_pay.owe_image(image=image, by=make_user(), now=NOW)
    sign_in(client, RESEARCHER, paid.project.study)
    url = url_of(paid.project, "change_designer", paid.designer.public_id)

    refused = client.post(url, {"name": "First", "is_paid": "on", "worker": other.pseudonym})
    kept = client.post(url, {"name": "First", "is_paid": "on", "worker": paid.worker.pseudonym})

    assert list(refused.context["form"].errors) == ["worker"]
    assert kept.status_code == 302
    paid.designer.refresh_from_db()
    assert (paid.designer.name, paid.designer.worker) == ("First", paid.worker)


def test_whoever_names_a_worker_late_is_told_of_the_images_that_become_outstanding(client: Client) -> None:
    designer = make_designer(is_paid=True)
    sign_in(client, RESEARCHER, designer.project.study)
    url = url_of(designer.project, "change_designer", designer.public_id)
    assert "outstanding from then on" not in text_of(client.get(url))

    Image.objects.filter(pk=send(designer).pk).update(state=Image.State.ACCEPTED, accepted_at=NOW)

    assert "Images accepted before are outstanding from then on, too: 1." in text_of(client.get(url))
