"""The researchers' pages of annotations: the queue of held ones, dropping and restoring, and permissions."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from crowd.whoops.annotate.admin.annotations import annotation_card
from crowd.whoops.annotate.services.annotation_decisions import (
    REASONS,
    count_annotation,
    drop_annotation,
    undo_decision,
)
from crowd.whoops.models import Annotation, Image
from crowd.whoops.models.annotations import TAKEN_OUT
from hits.core.errors import RuleBroken
from hits.work.services.leasing import keep_out
from tests.crowd.whoops.making_annotations import COARSE, Annotators, make_image
from tests.factories import NOW
from tests.pages import text_of
from tests.people import make_permitted, sign_in_with

pytestmark = pytest.mark.django_db
LOOK = ("whoops.view_project", "whoops.view_annotation", "pictures.view_picture")
MAY = (*LOOK, "whoops.decide_annotation")


@pytest.fixture
def crowd() -> Annotators:
    return Annotators()


def url(crowd: Annotators, name: str, *more: object) -> str:
    return reverse(f"admin:whoops_{name}", args=[crowd.project.pk, *more])


def decide(client: Client, crowd: Annotators, row: Annotation, **sent: str) -> list[str]:
    """Send a decision and return the messages that the page shows afterwards."""
    sent = {"seen": row.state, "back": "held", **sent}
    response = client.post(url(crowd, "annotation_decide", row.pk), sent, follow=True)
    row.refresh_from_db()
    return [str(message) for message in response.context["messages"]]


def test_what_is_held_back_comes_one_after_another_with_its_coarse_words(
    crowd: Annotators, client: Client
) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    crowd.answer(COARSE)
    crowd.answer(COARSE)
    first, second = Annotation.objects.order_by("pk")

    page = text_of(client.get(url(crowd, "held")))
    put_off = client.get(url(crowd, "held"), {"after": first.pk})
    round_again = client.get(url(crowd, "held"), {"after": second.pk})

    assert "<strong>2</strong> annotations are held back" in page
    assert "<mark>shit</mark>" in page
    assert COARSE["caption"] in page
    assert [put_off.context["row"], round_again.context["row"]] == [second, first]


def test_an_empty_queue_says_so(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])

    assert "Nothing is held back" in text_of(client.get(url(crowd, "held")))


def test_what_counts_fills_its_place_and_what_is_dropped_is_asked_of_somebody_else(
    crowd: Annotators, client: Client
) -> None:
    user = sign_in_with(client, *MAY, studies=[crowd.project.study])
    crowd.answer(COARSE)
    crowd.answer(COARSE)
    first, second = Annotation.objects.order_by("pk")

    assert decide(client, crowd, first, verdict="count") == ["Image 1. It counts."]
    assert decide(client, crowd, second, verdict="drop", why=f"  {REASONS[4]} ") == [
        "Image 1. Dropped: another worker is asked."
    ]

    assert (first.state, first.decided_by) == ("counted", user)
    assert (second.state, second.why, second.decided_by) == ("dropped", "It insults people.", user)
    assert (crowd.image.annotated, crowd.wanted) == (1, 4)
    assert LogEntry.objects.filter(user=user).count() == 2
    assert crowd.sweep() == 0


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"verdict": "drop"}, "Say why it is dropped. Nothing was changed."),
        ({"verdict": "drop", "why": "x" * 301}, "Say it in at most 300 characters. Nothing was changed."),
        (
            {"verdict": "drop", "why": TAKEN_OUT},
            "Say in words of your own why it is dropped. Nothing was changed.",
        ),
        (
            {"verdict": "count", "seen": "dropped"},
            "Somebody has decided about this already. Nothing was changed.",
        ),
        ({"verdict": "count", "seen": ""}, "Somebody has decided about this already. Nothing was changed."),
    ],
)
def test_a_refused_decision_changes_nothing(
    crowd: Annotators, client: Client, sent: dict[str, str], said: str
) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    crowd.answer(COARSE)
    row = Annotation.objects.get()

    assert decide(client, crowd, row, **sent) == [said]

    assert (row.state, row.why, row.decided_by, crowd.wanted) == ("held", "", None, 4)


def test_reason_of_a_refused_decision_stays_in_its_field(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    crowd.answer(COARSE)
    address = reverse("admin:whoops_annotation_decide", args=[crowd.project.pk, Annotation.objects.get().pk])

    refused = {"verdict": "drop", "why": "y" * 301, "seen": "held"}

    queue, own = client.post(address, {**refused, "back": "held"}), client.post(address, refused)

    assert all(f'name="why" value="{"y" * 301}"' in text_of(page) for page in (queue, own))
    assert all("Say it in at most 300 characters." in text_of(page) for page in (queue, own))
    assert '<details data-key="d" open>' in text_of(queue)


def test_a_second_person_is_told_that_the_first_has_decided(crowd: Annotators) -> None:
    crowd.answer(COARSE)
    row, same = Annotation.objects.get(), Annotation.objects.get()
    first, second = (make_permitted(studies=[crowd.project.study]) for _ in range(2))
    count_annotation(annotation=row, seen="held", by=first, now=NOW)

    with pytest.raises(RuleBroken, match="Somebody has decided about this already"):
        drop_annotation(annotation=same, seen="held", why="No.", by=second, now=NOW)

    row.refresh_from_db()
    assert (row.state, row.decided_by) == ("counted", first)


def test_the_last_decision_is_undone_for_fifteen_minutes(crowd: Annotators) -> None:
    user = make_permitted(studies=[crowd.project.study])
    crowd.answer(COARSE)
    row = Annotation.objects.get()
    drop_annotation(annotation=row, seen="held", why="No.", by=user, now=NOW)
    assert crowd.wanted == 5

    undo_decision(project=crowd.project, by=user, now=NOW + timedelta(minutes=14))

    row.refresh_from_db()
    assert (row.state, row.why, row.decided_by, row.decided_at) == ("held", "", None, None)
    assert (crowd.image.annotated, crowd.wanted) == (1, 4)
    count_annotation(annotation=row, seen="held", by=user, now=NOW)
    with pytest.raises(RuleBroken, match="nothing to undo"):
        undo_decision(project=crowd.project, by=user, now=NOW + timedelta(minutes=15))


def test_nobody_undoes_what_somebody_else_has_decided(crowd: Annotators) -> None:
    crowd.answer(COARSE)
    first, second = (make_permitted(studies=[crowd.project.study]) for _ in range(2))
    count_annotation(annotation=Annotation.objects.get(), seen="held", by=first, now=NOW)

    with pytest.raises(RuleBroken, match="nothing to undo"):
        undo_decision(project=crowd.project, by=second, now=NOW)


def test_undo_lays_it_before_its_person_again(crowd: Annotators, client: Client) -> None:
    user = sign_in_with(client, *MAY, studies=[crowd.project.study])
    crowd.answer(COARSE)
    row = Annotation.objects.get()
    count_annotation(annotation=row, seen="held", by=user, now=timezone.now())

    response = client.post(url(crowd, "held_undo"), follow=True)

    assert response.context["row"] == row
    assert [str(message) for message in response.context["messages"]] == [
        "Undone: the annotation of Image 1 is before you again."
    ]


def test_a_counted_annotation_is_dropped_and_taken_back_on_its_own_page(
    crowd: Annotators, client: Client
) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    crowd.answer()
    row = Annotation.objects.get()
    own = reverse("admin:whoops_annotation_change", args=[row.pk])
    assert "Drop the annotation" in text_of(client.get(own))

    decide(client, crowd, row, verdict="drop", why="Not about it.", back="")
    page = text_of(client.get(own))
    assert "Not about it." in page
    assert "Count the annotation again" in page
    assert crowd.wanted == 5

    decide(client, crowd, row, verdict="count", back="")
    assert (row.state, row.why, crowd.wanted) == ("counted", "", 4)


def test_what_its_work_took_along_is_not_taken_back_by_hand(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    keep_out(crowd.answer(), now=NOW)
    crowd.sweep()
    row = Annotation.objects.get()

    page = text_of(client.get(reverse("admin:whoops_annotation_change", args=[row.pk])))
    said = decide(client, crowd, row, verdict="count")

    assert "This annotation cannot be counted here" in page
    assert said == ["The work that this came with is not part of the data. Nothing was changed."]
    assert row.state == "dropped"


def test_annotations_are_searched_by_text_pseudonym_and_image_and_filtered(
    crowd: Annotators, client: Client
) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    worker = crowd.worker()
    crowd.answer(COARSE, worker=worker)
    crowd.answer()
    listed = reverse("admin:whoops_annotation_changelist")

    def found(**asked: str) -> int:
        return int(client.get(listed, asked).context["cl"].result_count)

    assert found() == 2
    assert found(q="SHIT") == 1
    assert found(q=worker.pseudonym) == 1
    assert found(q="1") == 2
    assert found(q="2") == 0
    assert found(state__exact="held") == 1
    assert found(coarse="yes") == 1
    assert found(coarse="no") == 1
    assert found(image__project__id__exact=str(crowd.project.pk)) == 2
    assert found(image__project__id__exact=str(crowd.project.pk + 1)) == 0


def test_images_are_shown_with_how_many_annotations_are_there(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *LOOK, studies=[crowd.project.study])
    full = make_image(crowd.project)
    crowd.answer()
    Image.objects.filter(pk=full.pk).update(annotated=5)
    listed = url(crowd, "annotated")

    def shown(**asked: str) -> list[Image]:
        return list(client.get(listed, asked).context["page"])

    assert shown() == [crowd.image, full]
    assert shown(show="lacking") == [crowd.image]
    assert shown(show="complete") == [full]
    assert shown(number="2") == [full]
    assert "1 of 5" in text_of(client.get(listed))
    assert "No such image" in text_of(client.get(listed, {"number": "77"}))
    assert client.get(url(crowd, "annotated_image", 1)).context["rows"][0]["row"] == Annotation.objects.get()
    assert client.get(url(crowd, "annotated_image", 77)).status_code == 404


def test_a_project_without_accepted_images_says_what_to_wait_for(client: Client) -> None:
    crowd = Annotators(images=0)
    sign_in_with(client, *LOOK, studies=[crowd.project.study])

    assert "Nothing to annotate yet" in text_of(client.get(url(crowd, "annotated")))


def test_listing_pages_ask_the_database_no_more_for_more_rows(client: Client) -> None:
    counts = []
    for images in (1, 6):
        crowd = Annotators(images=images)
        sign_in_with(client, *MAY, studies=[crowd.project.study])
        for _ in range(2):
            crowd.hand_in(crowd.open(items_per_assignment=images), COARSE)
        crowd.sweep()
        pages = [
            url(crowd, "annotated"),
            url(crowd, "annotated_image", 1),
            url(crowd, "held"),
            reverse("admin:whoops_annotation_changelist"),
            reverse("admin:whoops_project_change", args=[crowd.project.pk]),
        ]
        asked = []
        for page in pages:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page).status_code == 200
            asked.append(len(queries))
        counts.append(asked)

    assert counts[0] == counts[1]


@pytest.mark.parametrize("name", ["annotated", "held"])
def test_people_of_other_studies_see_none_of_it(crowd: Annotators, client: Client, name: str) -> None:
    crowd.answer(COARSE)
    row = Annotation.objects.get()
    sign_in_with(client, *MAY, studies=[Annotators().project.study])

    assert client.get(url(crowd, name)).status_code == 404
    assert client.post(url(crowd, "annotation_decide", row.pk), {"verdict": "count"}).status_code == 404
    assert client.get(reverse("admin:whoops_annotation_changelist")).context["cl"].result_count == 0
    own = client.get(reverse("admin:whoops_annotation_change", args=[row.pk]), follow=True)
    assert f"There is no annotation {row.pk} here" in str(*own.context["messages"])


def test_whoever_may_only_look_decides_nothing(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *LOOK, studies=[crowd.project.study])
    crowd.answer(COARSE)
    row = Annotation.objects.get()

    assert client.get(url(crowd, "held")).status_code == 403
    assert client.post(url(crowd, "annotation_decide", row.pk), {"verdict": "count"}).status_code == 403
    assert client.post(url(crowd, "held_undo")).status_code == 403
    assert "Count the annotation" not in text_of(
        client.get(reverse("admin:whoops_annotation_change", args=[row.pk]))
    )
    row.refresh_from_db()
    assert row.state == "held"


def test_a_decision_of_another_project_or_by_a_link_is_none(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    other = Annotators()
    other.answer(COARSE)
    row = Annotation.objects.get()

    assert client.post(url(crowd, "annotation_decide", row.pk), {"verdict": "count"}).status_code == 404
    crowd.answer(COARSE)
    own = Annotation.objects.get(image=crowd.image)
    assert client.get(url(crowd, "annotation_decide", own.pk)).status_code == 405
    assert client.post(url(crowd, "annotation_decide", own.pk), {"verdict": "x"}).status_code == 404


def test_the_card_counts_and_says_what_is_next(crowd: Annotators) -> None:
    crowd.answer(COARSE)
    crowd.answer()
    user = make_permitted(*MAY, studies=[crowd.project.study])

    card = annotation_card(crowd.project, user)

    assert [(metric.name, metric.count, metric.of) for metric in card.metrics] == [
        ("Images with all their annotations", 0, 1),
        ("Annotations that count", 1, 5),
        ("Held back", 1, None),
        ("Dropped", 0, None),
    ]
    assert card.next == "1 annotation is held back: read it."
    assert [(link.name, link.is_first) for link in card.links] == [
        ("Held back", True),
        ("By image", False),
        ("All annotations", False),
    ]
    assert annotation_card(crowd.project, make_permitted(studies=[crowd.project.study])).next == ""
