"""The staff's pages of images: who sees what, what the queues do, and what each page costs."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.whoops.models import Image, Project
from crowd.whoops.models.control_and_review import ControlAnswer, Review
from hits.identity.roles import AUTHOR, RESEARCHER, REVIEWER
from tests.crowd.whoops.making_images import (
    SAW_NOTHING,
    TEXTS,
    ControlGroup,
    make_image,
    make_project,
    make_revision,
    state,
)
from tests.factories import NOW, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def group(client: Client) -> ControlGroup:
    """A control group in a study of the researcher who is signed in."""
    made = ControlGroup()
    sign_in(client, RESEARCHER, made.project.study)
    return made


def at(name: str, project: Project) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk])


def page_of(image: Image) -> str:
    return reverse("admin:whoops_image_change", args=[image.pk])


def do(image: Image, slug: str) -> str:
    return reverse("admin:whoops_image_do", args=[image.pk, slug])


LIST = reverse("admin:whoops_image_changelist")


def test_answers_are_compared_one_after_the_other_and_undone(client: Client, group: ControlGroup) -> None:
    image = group.post()
    group.look({"text": "A fish rides.", "nothing": ""})
    group.look({"text": "The wheel is square.", "nothing": ""})
    url = at("compare", group.project)

    first = text_of(client.get(url))
    rows = list(ControlAnswer.objects.order_by("pk"))
    client.post(at("compare_decide", group.project), {"control_answer": rows[0].pk, "verdict": "seen"})
    second = text_of(client.get(url))
    decided = {"control_answer": rows[1].pk, "verdict": "seen"}
    last = text_of(client.post(at("compare_decide", group.project), decided, follow=True))
    passed = state(image)
    undone = text_of(client.post(at("compare_undo", group.project), follow=True))

    assert "2 answers</strong> to compare" in first
    assert "A fish rides." in first
    assert TEXTS["explanation"] in first
    assert "1 answer</strong> to compare" in second
    assert "The wheel is square." in second
    assert "Image 1: the control group has seen it. It goes to the reviewers." in last
    assert "All compared" in last
    assert (passed, state(image)) == ("review", "control")
    assert "The wheel is square." in undone


@pytest.mark.parametrize("verdict", ["", "both", "left"])
def test_comparison_without_a_verdict_decides_nothing(
    client: Client, group: ControlGroup, verdict: str
) -> None:
    group.post()
    group.look()
    control_answer = ControlAnswer.objects.get()

    answer = client.post(
        at("compare_decide", group.project),
        {"control_answer": control_answer.pk, "verdict": verdict},
        follow=True,
    )

    assert "Say whether it is the same." in text_of(answer)
    assert ControlAnswer.objects.get().seen is None


def test_reviewers_do_not_see_the_others_words_before_their_own(client: Client, group: ControlGroup) -> None:
    image = make_image(group.project, state="review")
    other = make_user(username="colleague-77")
    Review.objects.create(image=image, revision=1, by=other, is_harmful=False, at=NOW)

    queue, before = text_of(client.get(at("review", group.project))), text_of(client.get(page_of(image)))
    given = {"image": image.pk, "revision": 1, "verdict": "harmful", "note": "It mocks."}
    client.post(at("review_give", group.project), given)
    after = text_of(client.get(page_of(image)))

    assert "colleague-77" not in queue
    assert "colleague-77" not in before
    assert "1 of 4 are there" in before
    assert "colleague-77" in after
    assert "It mocks." in after


def test_review_without_words_keeps_its_place(client: Client, group: ControlGroup) -> None:
    image = make_image(group.project, state="review")
    make_image(group.project, state="review")

    given = {"image": image.pk, "revision": 1, "verdict": "harmful", "note": " "}
    answer = client.post(at("review_give", group.project), given)

    assert answer.status_code == 409
    assert "Say in some words whom it could hurt, and why." in text_of(answer)
    assert "Image 1: could it hurt somebody?" in text_of(answer)
    assert not Review.objects.exists()


def test_cards_say_what_is_next(client: Client, group: ControlGroup) -> None:
    group.post()
    group.look()
    make_image(group.project, state="review")
    objected = make_image(group.project, state="review")
    Review.objects.create(image=objected, revision=1, by=make_user(), is_harmful=True, note="Cruel.", at=NOW)

    home = text_of(client.get(reverse("admin:whoops_project_change", args=[group.project.pk])))

    assert '#control">Control group</a>.</strong> Compare 1 answer with' in home
    assert "Each image needs 4 reviewers, and 1 person of this study has the permission." in home
    assert "Images that wait for a decision</a> <b>1</b>" in home
    assert "Images that wait for your review</span> <b>2</b>" in home


def test_image_is_decided_on_with_a_reason_after_a_look(client: Client, group: ControlGroup) -> None:
    image = group.post()

    asked = client.get(do(image, "return"))
    empty = client.post(do(image, "return"), {"reason": " "})
    done = client.post(do(image, "return"), {"reason": "Too dark."}, follow=True)
    again = client.post(do(image, "return"), {"reason": "Too dark."}, follow=True)

    assert "Its designer reads it. Say what to change" in text_of(asked)
    assert "This field is required." in text_of(empty)
    assert "Image 1 is back with its designer." in text_of(done)
    assert "Returned, by" in text_of(done)
    assert "Image 1 is not where it was" in text_of(again)
    assert state(image) == "returned"


def test_verbs_that_fit_are_offered(client: Client, group: ControlGroup) -> None:
    offered, edits = {}, ["explanation", "category"]
    for name in ("control", "returned", "review", "accepted", "refused", "withdrawn"):
        shown = client.get(page_of(make_image(group.project, state=name)))
        offered[name] = [one.key for one in shown.context["offered"]]

    assert offered == {
        "control": ["return", "refuse", *edits],
        "returned": ["reword", *edits],
        "review": ["accept", "return", "refuse", *edits],
        "accepted": ["refuse", *edits],
        "refused": ["reconsider", *edits],
        "withdrawn": [],
    }


def test_image_page_shows_all_that_became_of_it(client: Client, group: ControlGroup) -> None:
    image = group.post()
    group.look(SAW_NOTHING)
    group.look(SAW_NOTHING)

    shown = text_of(client.get(page_of(image)))

    assert "Back with its designer" in shown
    assert "a fish with a bicycle" in shown
    assert shown.count("Nothing weird") == 2
    assert "Returned, by the control group: Of 2 people who looked, 0 saw what is weird" in shown


def test_others_images_are_not_found(client: Client, group: ControlGroup) -> None:
    other = make_image(make_project(), state="review")

    addresses = [at("compare", other.project), at("review", other.project), do(other, "accept")]
    assert [client.get(url).status_code for url in addresses] == [404, 404, 404]
    assert client.post(do(other, "accept"), {"reason": "Mine."}).status_code == 404
    assert client.get(page_of(other)).status_code == 302
    assert "a fish with" not in text_of(client.get(LIST))
    foreign = {"image": other.pk, "revision": 1, "verdict": "harmless"}
    assert client.post(at("review_give", group.project), foreign).status_code == 404
    assert state(other) == "review"


def test_who_may_not_decide_is_refused(client: Client) -> None:
    project = make_project()
    image = make_image(project, state="review")
    sign_in(client, REVIEWER, project.study)
    seen = [
        client.get(url).status_code for url in (page_of(image), at("review", project), do(image, "accept"))
    ]
    sign_in(client, AUTHOR, project.study)
    unseen = [client.get(url).status_code for url in (page_of(image), at("review", project), LIST)]

    assert seen == [200, 200, 403]
    assert unseen == [403, 403, 403]


def test_list_is_searched_filtered_and_empty_with_a_word(client: Client, group: ControlGroup) -> None:
    empty = text_of(client.get(LIST))
    make_image(group.project, weird_element="a snowman", state="review")
    objected = make_image(group.project, state="review")
    Review.objects.create(image=objected, revision=1, by=make_user(), is_harmful=True, note="Cruel.", at=NOW)

    def found(query: str) -> list[int]:
        return sorted(image.number for image in client.get(f"{LIST}?{query}").context["cl"].result_list)

    assert "No image was sent yet." in empty
    assert found("q=snowman") == [1]
    assert found("q=2") == [2]
    assert found("waits=decision") == [2]
    assert found("waits=partner") == [1, 2]
    assert found("state__exact=accepted") == []
    assert "Nothing fits what you chose." in text_of(client.get(f"{LIST}?q=zebra"))
    assert "1 of 4, 1 objects" in text_of(client.get(f"{LIST}?waits=decision"))


def test_the_button_to_decide_leads_to_the_oldest_image_where_one_decides(
    client: Client, group: ControlGroup
) -> None:
    image = make_image(group.project, state="review")
    researcher = sign_in(client, RESEARCHER, group.project.study)
    Review.objects.create(image=image, revision=1, by=researcher, is_harmful=True, note="Cruel.", at=NOW)

    pages = [client.get(reverse("admin:hits_study_change", args=[group.project.study_id]))]
    pages.append(client.get(reverse("admin:whoops_project_change", args=[group.project.pk])))

    for page in pages:
        assert f'href="{page_of(image)}">Decide…</a>' in text_of(page)
    assert "Refuse the image…" in text_of(client.get(page_of(image)))


def test_reviewers_learn_of_no_objection_before_their_own_word(client: Client) -> None:
    project = make_project()
    image = make_image(project, state="review")
    Review.objects.create(image=image, revision=1, by=make_user(), is_harmful=True, note="Cruel.", at=NOW)
    sign_in(client, REVIEWER, project.study)

    shown, asked_for = client.get(LIST), client.get(f"{LIST}?waits=decision")
    home = client.get(reverse("admin:whoops_project_change", args=[project.pk]))

    assert "1 of 4" in text_of(shown)
    told = ("objects", "wait for a decision", "researcher&#x27;s decision")
    assert [word for page in (shown, asked_for, home) for word in told if word in text_of(page)] == []


@pytest.mark.parametrize("page", ["list", "home", "image", "review", "compare"])
def test_pages_ask_no_more_for_more_rows(client: Client, group: ControlGroup, page: str) -> None:
    counts = []
    for _ in range(2):
        for _ in range(4):
            image = make_image(group.project, state="review")
            Review.objects.create(image=image, revision=1, by=make_user(), is_harmful=False, at=NOW)
            group.post()
            group.look()
        first = Image.objects.order_by("pk")[0]
        Review.objects.create(image=first, revision=1, by=make_user(), is_harmful=False, at=NOW)
        make_revision(first, number=first.revisions.count() + 1)
        urls = {
            "list": LIST,
            "home": reverse("admin:whoops_project_change", args=[group.project.pk]),
            "image": page_of(first),
            "review": at("review", group.project),
            "compare": at("compare", group.project),
        }
        client.get(urls[page])
        with CaptureQueriesContext(connection) as queries:
            assert client.get(urls[page]).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]


@pytest.mark.parametrize("name", ["compare_decide", "compare_undo", "review_give", "review_undo"])
def test_what_changes_something_is_never_done_by_a_look(
    client: Client, group: ControlGroup, name: str
) -> None:
    assert client.get(at(name, group.project)).status_code == 405


@pytest.mark.parametrize("number", ["", "x", "9" * 30, "-1"])
def test_rubbish_instead_of_a_number_is_not_found(client: Client, group: ControlGroup, number: str) -> None:
    control_answer = {"control_answer": number, "verdict": "seen"}
    image = {"image": number, "revision": number, "verdict": "harmless"}

    assert client.post(at("compare_decide", group.project), control_answer).status_code == 404
    assert client.post(at("review_give", group.project), image).status_code == 404
    assert client.get(f"{at('review', group.project)}?image={number}").status_code == 200
