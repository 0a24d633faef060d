"""Natural partners are found in the pool by a model, and picked by a person."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.pictures.models import Picture
from crowd.whoops.models import Designer, Image, Partner, PartnerProposal, PartnerSearch, Project
from crowd.whoops.review.services import natural_partners
from crowd.whoops.review.services.natural_partners import (
    go_on,
    next_search,
    pick_partner,
    proposals_for,
    search_partners,
)
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER, REVIEWER
from scoring.models import RegisteredRival
from scoring.services.nearest_pictures import nearest_in_pool
from tests.crowd.whoops.making_questions import make_data, make_partner, take_away
from tests.factories import NOW, make_picture, make_user
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in
from tests.scoring.fakes import FakeRival, make_rival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def rival(fake: type[FakeRival]) -> RegisteredRival:
    """A model that has seen nothing of the pool yet, which has twelve pictures."""
    for number in range(12):
        make_picture(concept=f"thing {number}")
    return make_rival()


def search(project: Project, rival: RegisteredRival) -> PartnerSearch:
    made = search_partners(project=project, rival=rival, by=make_user(), now=NOW)
    go_on()
    made.refresh_from_db()
    return made


def first(project: Project) -> Image:
    return project.images.order_by("number")[0]


def test_the_nearest_pictures_of_the_pool_are_proposed(rival: RegisteredRival) -> None:
    project = make_data(images=3)
    has_one = project.images.get(number=2)
    make_partner(has_one, kind="natural")

    made = search(project, rival)

    assert (made.status, made.problem) == ("done", "")
    assert {one.image.number for one in PartnerProposal.objects.all()} == {1, 3}
    image = first(project)
    things = set(Picture.objects.filter(concept__startswith="thing").values_list("sha256", flat=True))
    near = nearest_in_pool(rival, [image.picture.sha256], k=30)[image.picture.sha256]
    expected = [one for one in near if one.sha256 in things][:8]
    proposed = list(proposals_for(image))
    assert [one.picture.sha256 for one in proposed] == [one.sha256 for one in expected]
    assert [one.cosine for one in proposed] == pytest.approx([one.cosine for one in expected])
    assert [one.place for one in proposals_for(image)] == list(range(1, 9))


def test_weird_images_and_unfit_pictures_are_not_proposed(rival: RegisteredRival) -> None:
    project = make_data(images=1)
    pool = list(Picture.objects.filter(concept__startswith="thing"))
    # One of the pool's pictures is a weird image of this study, and one was taken away.
    Image.objects.filter(pk=first(project).pk).update(picture=pool[0])
    take_away(pool[1])

    search(project, rival)

    proposed = {one.picture for one in proposals_for(first(project))}
    assert proposed
    assert not proposed & set(pool[:2])


def test_a_picked_picture_is_the_natural_partner_and_who_picked_it_is_kept(rival: RegisteredRival) -> None:
    project, person = make_data(images=1), make_user()
    Designer.objects.update(is_active=False)
    search(project, rival)
    image = first(project)
    proposal = proposals_for(image)[2]

    pick_partner(image=image, proposal=proposal, by=person, now=NOW)

    assert Partner.objects.get(kind="natural").picture == proposal.picture
    proposal.refresh_from_db()
    assert (proposal.picked_by, proposal.picked_at) == (person, NOW)
    assert PartnerProposal.objects.filter(picked_by=None).count() == 7
    with pytest.raises(RuleBroken, match="part of the data now"):
        pick_partner(image=image, proposal=proposals_for(image)[0], by=person, now=NOW)
    assert Partner.objects.get(kind="natural").picture == proposal.picture


def test_a_proposal_for_another_image_is_refused(rival: RegisteredRival) -> None:
    project = make_data(images=2)
    search(project, rival)
    one, other = project.images.order_by("number")

    with pytest.raises(RuleBroken, match="proposed for another image"):
        pick_partner(image=one, proposal=proposals_for(other)[0], by=make_user(), now=NOW)

    assert not Partner.objects.filter(kind="natural").exists()


def test_a_model_that_is_away_is_told_and_asked_again(rival: RegisteredRival, fake: type[FakeRival]) -> None:
    project = make_data(images=1)
    fake.down = True
    made = search(project, rival)
    assert (made.status, made.problem) == ("open", "The weights are gone.")
    assert next_search(now=NOW) == NOW + timedelta(minutes=1)
    with pytest.raises(RuleBroken, match="being searched already"):
        search(project, rival)

    fake.down = False
    go_on()

    made.refresh_from_db()
    assert (made.status, made.problem, next_search(now=NOW)) == ("done", "", None)


def test_a_large_pool_is_looked_at_in_turns(rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_data(images=1)
    monkeypatch.setattr(natural_partners, "LONGEST_S", 0)

    made = search(project, rival)

    assert (made.status, made.problem, next_search(now=NOW)) == ("open", "", NOW)
    assert not PartnerProposal.objects.exists()
    monkeypatch.setattr(natural_partners, "LONGEST_S", 60)
    go_on()
    assert PartnerProposal.objects.count() == 8


def test_a_later_search_takes_the_place_of_an_earlier_one(rival: RegisteredRival) -> None:
    project = make_data(images=1)
    search(project, rival)
    search(project, rival)

    assert len(proposals_for(first(project))) == 8
    assert PartnerProposal.objects.count() == 16


def test_a_person_picks_on_the_page_of_the_image(client: Client, rival: RegisteredRival) -> None:
    project = make_data(images=2)
    sign_in(client, RESEARCHER, project.study)
    page = reverse("admin:whoops_find_partners", args=[project.pk])
    assert "<strong>2 images</strong> without a natural partner" in text_of(client.get(page))
    client.post(page, {"model": rival.name, "confirmed": "yes"})
    go_on()

    listed = client.get(reverse("admin:whoops_image_changelist"), {"waits": "natural"})
    assert listed.context["cl"].result_count == 2
    image = first(project)
    pick = reverse("admin:whoops_image_do", args=[image.pk, "partner"])
    assert pick in client.get(reverse("admin:whoops_image_change", args=[image.pk])).content.decode()
    with CaptureQueriesContext(connection) as queries:
        shown = client.get(pick).content.decode()
    assert shown.count('type="radio"') == 8
    assert len([one for one in queries if "partnerproposal" in one["sql"].lower()]) <= 4
    proposal = proposals_for(image)[1]
    client.post(pick, {"proposal": proposal.pk, "confirmed": "yes"})

    assert image.partners.get(kind="natural").picture == proposal.picture


def test_partners_are_found_and_picked_by_the_api(rival: RegisteredRival) -> None:
    project = make_data(images=1)
    held = Notebook(make_member(RESEARCHER, project.study))
    found = held.post(f"whoops/projects/{project.pk}/find-partners/", {"model": rival.name})
    go_on()
    image = first(project)
    here = f"whoops/images/{image.public_id}/"

    told = held.get(here).json()["proposals"]
    picked = held.post(f"{here}partner/", {"proposal": told[0]["number"]})
    blind = Notebook(make_member(REVIEWER, project.study)).post(
        f"{here}partner/", {"proposal": told[1]["number"]}
    )

    assert (found.status_code, picked.status_code, blind.status_code) == (200, 200, 403)
    assert image.partners.get(kind="natural").picture.sha256 == told[0]["picture_sha256"]
