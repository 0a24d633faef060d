"""Who may see a batch as a worker does, what the pages before the work are, and which tokens are refused."""

from dataclasses import replace
from datetime import timedelta
from string import ascii_lowercase
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from crowd.frame import visit_authentication
from crowd.frame.previews.preview_tokens import Preview, write_preview
from crowd.winogavil.domain import CREATE
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from qualifications.models import Consent, ConsentText
from tests.crowd.frame.previews.asking import ANSWERED, Looking
from tests.factories import (
    make_assignment,
    make_association,
    make_batch,
    make_consent_text,
    make_hit,
    make_picture,
    make_study,
)
from tests.pages import text_of
from tests.people import make_permitted, sign_in_with

pytestmark = pytest.mark.django_db
MAY = ("view_batch", "view_assignment")
NAME = "See it as a worker does"


@pytest.fixture
def batch() -> Batch:
    study = make_study()
    for cue in ("cold", "warm", "loud"):
        make_association(study=study, cue=cue, size=5, chosen=2)
    return make_batch(study=study)


@pytest.fixture
def researcher(client: Client, batch: Batch) -> User:
    return sign_in_with(client, *MAY, studies=[batch.study])


def desk(batch: Batch) -> str:
    return reverse("admin:frame_preview", args=[batch.pk])


def preview(batch: Batch, user: User, **changes: Any) -> Preview:
    values = {"key": uuid4(), "batch_id": batch.pk, "user_id": user.pk}
    values["expires_at"] = timezone.now() + timedelta(minutes=5)
    return Preview(**{**values, **changes})


def open_frame(token: str, key: object, **query: str) -> Any:
    return Client().get(reverse("frame_preview:question", args=[key]), {"token": token, **query})


def open_preview(one: Preview, **query: str) -> Any:
    return open_frame(write_preview(one), one.key, **query)


@pytest.mark.parametrize("lacks", MAY)
def test_without_the_permissions_the_page_is_refused(lacks: str, client: Client, batch: Batch) -> None:
    sign_in_with(client, *(set(MAY) - {lacks}), studies=[batch.study])

    assert client.get(desk(batch)).status_code == 403


def test_a_batch_of_another_study_is_not_found(client: Client, batch: Batch) -> None:
    sign_in_with(client, *MAY, studies=[make_study()])

    assert client.get(desk(batch)).status_code == 404


def test_nobody_sees_it_who_is_not_signed_in(batch: Batch) -> None:
    page = Client().get(desk(batch))

    assert (page.status_code, "/login/" in page["Location"]) == (302, True)


@pytest.mark.parametrize("step", ["what", "terms", "people"])
def test_steps_of_the_guide_have_the_button(step: str, client: Client, batch: Batch) -> None:
    sign_in_with(client, *MAY, "change_batch", studies=[batch.study])

    page = client.get(reverse("admin:hits_batch_step", args=[batch.pk, step]))

    assert f'href="{desk(batch)}">{NAME}</a>' in text_of(page)


def test_check_page_and_live_page_have_the_button(client: Client, researcher: User, batch: Batch) -> None:
    draft = client.get(reverse("admin:hits_batch_launch", args=[batch.pk]))
    Batch.objects.filter(pk=batch.pk).update(status="open", launched_at=timezone.now())
    live = client.get(reverse("admin:hits_batch_live", args=[batch.pk]))

    assert [f'href="{desk(batch)}">{NAME}</a>' in text_of(page) for page in (draft, live)] == [True, True]


def test_who_may_not_see_it_has_no_button(client: Client, batch: Batch) -> None:
    sign_in_with(client, "view_batch", studies=[batch.study])

    assert NAME not in text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))


def test_live_batch_shows_its_items_also_when_nothing_is_wanted_any_more(
    client: Client, researcher: User, batch: Batch
) -> None:
    Batch.objects.filter(pk=batch.pk).update(status="open", launched_at=timezone.now())
    Item.objects.update(wanted=0)

    look = Looking(client, batch)

    assert "cold" in text_of(look.page)
    assert look.answer_somehow().templates[0].name == ANSWERED


def test_next_items_are_shown_and_after_the_last_the_first_again(
    client: Client, researcher: User, batch: Batch
) -> None:
    Batch.objects.filter(pk=batch.pk).update(items_per_assignment=2)
    batch.refresh_from_db()

    first = Looking(client, batch)
    second = Looking(client, batch, skip="2")

    cues = [[one["cue"] for one in look.page.context["questions"]] for look in (first, second)]
    assert cues == [["cold", "warm"], ["loud"]]
    following = [look.desk.context["following"] for look in (first, second)]
    assert following == [f"{desk(batch)}?skip=2", desk(batch)]


def test_a_batch_without_items_says_so_and_where_to_add_some(client: Client) -> None:
    batch = make_batch()
    sign_in_with(client, *MAY, studies=[batch.study])

    page = text_of(client.get(desk(batch)))

    assert "There is nothing to ask yet" in page
    assert reverse("admin:hits_batch_step", args=[batch.pk, "what"]) in page
    assert "<iframe" not in page


def test_pages_before_the_work_are_shown_in_the_order_of_a_worker(
    client: Client, researcher: User, batch: Batch
) -> None:
    make_consent_text(study=batch.study, title="About this study", asks_demographics=True)
    Batch.objects.filter(pk=batch.pk).update(english_speakers=True)

    parts = ("listing", "consent", "person", "english", "work")
    looks = {part: Looking(client, batch, part=part) for part in parts}

    tabs = [tab.name for tab in looks["work"].desk.context["tabs"]]
    assert tabs == ["Before accepting", "Consent", "About the person", "English", "The work"]
    shown = [look.page.templates[0].name for look in looks.values()]
    assert shown[1:4] == ["frame/consent.html", "frame/person.html", "frame/english.html"]
    assert "Before your first task you are asked to read" in text_of(looks["listing"].page)
    assert all("Answers are thrown away." in text_of(look.page) for look in looks.values())


def test_agreeing_is_recorded_nowhere_and_leads_on(client: Client, researcher: User, batch: Batch) -> None:
    text = make_consent_text(study=batch.study)
    page = Looking(client, batch, part="consent").page

    sent = {"token": page.context["consent_token"], "text": text.public_id, "agreed": "yes"}
    after = Client().post(page.context["action"], sent)

    assert "Nothing was recorded." in text_of(after)
    assert "cold" in text_of(Client().get(after.context["on"]))
    assert (Consent.objects.exists(), ConsentText.objects.count()) == (False, 1)


def test_a_part_that_this_batch_does_not_have_shows_the_work(
    client: Client, researcher: User, batch: Batch
) -> None:
    look = Looking(client, batch, part="consent")

    assert (look.desk.context["is_work"], "cold" in text_of(look.page)) == (True, True)
    assert "cold" in text_of(open_preview(preview(batch, researcher), part="consent"))


def test_an_incomplete_answer_is_refused_in_the_words_for_a_worker(
    client: Client, researcher: User, batch: Batch
) -> None:
    page = Looking(client, batch).answer(ticks=1)

    assert page.status_code == 400
    assert "“cold” needs exactly 2 pictures; 1 were picked." in text_of(page)


def test_a_word_is_checked_and_told_why_no_model_is_asked(client: Client) -> None:
    study = make_study()
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(5)])
    batch = make_batch(study=study, task=CREATE)
    sign_in_with(client, *MAY, studies=[study])
    look = Looking(client, batch)

    refused = look.send("ask", cue="two words")
    said = look.send("ask", cue="winter").json()
    again = look.send("ask", cue="other", token=said["token"]).json()

    assert refused.status_code == 400
    assert (said["state"], said["text"], again["text"]) == ("unasked", "winter", "winter")
    assert "In a preview the model is not asked." in text_of(look.page)


def test_a_token_that_has_ended_is_refused(researcher: User, batch: Batch) -> None:
    page = open_preview(preview(batch, researcher, expires_at=timezone.now()))

    assert (page.status_code, "This preview has ended" in text_of(page)) == (410, True)


def test_a_token_of_another_preview_is_refused(researcher: User, batch: Batch) -> None:
    page = open_frame(write_preview(preview(batch, researcher)), uuid4())

    assert (page.status_code, "cold" in text_of(page)) == (403, False)


@pytest.mark.parametrize("token", ["", "no token"])
def test_what_is_no_token_is_refused(token: str) -> None:
    assert open_frame(token, uuid4()).status_code == 400


def test_a_token_of_work_opens_no_preview(batch: Batch) -> None:
    assignment = make_assignment(hit=make_hit(batch=batch))
    token = visit_authentication.write_token(assignment=assignment, submit_to="")

    assert open_frame(token, assignment.hit.public_id).status_code == 403


def test_a_token_of_a_preview_is_no_token_of_work(researcher: User, batch: Batch) -> None:
    hit = make_hit(batch=batch)
    token = write_preview(preview(batch, researcher))
    same = write_preview(preview(batch, researcher, key=hit.public_id))

    sent = [
        Client().post(reverse("frame:answer", args=[hit.public_id]), {"token": one}) for one in (token, same)
    ]

    assert [page.status_code for page in sent] == [403, 403]
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("change", ["left", "inactive", "no permission"])
def test_whoever_may_look_no_longer_is_refused_at_once(change: str, batch: Batch) -> None:
    user = make_permitted(*MAY, studies=[batch.study])
    one = preview(batch, user)
    assert open_preview(one).status_code == 200

    if change == "left":
        user.studies.clear()
    elif change == "inactive":
        User.objects.filter(pk=user.pk).update(is_active=False)
    else:
        user.user_permissions.clear()

    assert open_preview(one).status_code == 403


def test_only_our_own_pages_frame_it(researcher: User, batch: Batch) -> None:
    page = open_preview(preview(batch, researcher))

    assert page["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]


def test_queries_do_not_grow_with_items(client: Client, researcher: User, batch: Batch) -> None:
    one = preview(batch, researcher)

    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as of_desk:
            client.get(desk(batch))
        with CaptureQueriesContext(connection) as of_frame:
            open_preview(replace(one, key=uuid4()))
        counts.append((len(of_desk), len(of_frame)))
        for letter in ascii_lowercase[:20]:
            make_association(study=batch.study, cue=f"more{letter}")

    assert counts[0] == counts[1]
    assert counts[0] <= (25, 40)
