"""The page of statistics, its files, its card, and who may see them."""

import csv
from io import StringIO

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.models import Annotation, Category, Image, MatchingScores, Project, Revision
from crowd.whoops.models.control_and_review import Review
from crowd.whoops.results.admin.statistics import results_card
from crowd.whoops.results.queries.composition import (
    annotations_each,
    counts_by,
    filtered_texts,
    paid_by_task,
    text_lengths,
    way_of,
)
from hits.admin.projects.project_cards import shown_to
from hits.work.models.assignments import Assignment
from tests.crowd.whoops.making_results import (
    Crowd,
    Kind,
    Variant,
    annotate,
    ask,
    cast,
    look,
    make_results,
    partner,
    visit,
)
from tests.factories import NOW, make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db
LOOK = "whoops.view_project"


def address(project: Project, name: str = "statistics", *more: object) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk, *more])


def table(client: Client, project: Project, name: str) -> list[list[str]]:
    answer = client.get(address(project, "statistics_file", name))
    assert answer.status_code == 200
    text = b"".join(answer).decode("utf-8-sig")
    return list(csv.reader(StringIO(text)))


def test_empty_project_says_of_each_table_what_is_lacking(client: Client) -> None:
    project, _ = make_results(images=0)
    visit(client, project)

    page = client.get(address(project)).text

    assert page.count("No question has all its judges yet.") == 5
    assert "No image was sent yet." in page
    assert "No model has scores yet. Upload a file of them." in page


def test_tables_of_judgements_show_exact_figures(client: Client) -> None:
    project, images = make_results(images=4)
    people = Crowd(project, people=3, right=1, seed=1).people
    said = [[True] * 3, [True, True, False], [False] * 3, [True, False, False]]
    for image, votes, label in zip(images, said, (True, True, False, False), strict=True):
        variant = Variant.WEIRD if label else Variant.NORMAL
        cast(ask(image, Kind.IDENTIFY, offers=(("", label),), variant=variant)[0], votes, people)
    ask(images[0], Kind.IDENTIFY, offers=(("", True),))
    visit(client, project)

    rows = table(client, project, "identification")

    assert rows[0] == ["Of", "Majority is right", "Judged", "Share", "95 % interval", "All agree", "Share",
                       "Splits"]  # fmt: skip
    assert rows[1:] == [
        ["All images", "4", "4", "100.0 %", "51.0 to 100.0", "2", "50.0 %", "0"],
        ["Weird images", "2", "2", "100.0 %", "34.2 to 100.0", "1", "50.0 %", "0"],
        ["Normal partners", "2", "2", "100.0 %", "34.2 to 100.0", "1", "50.0 %", "0"],
    ]
    page = text_of(client.get(address(project)))
    assert "Open, because judges are missing: 1." in page
    assert 'id="chart-identification"' in page


def test_explanations_are_shown_by_source_and_by_category(client: Client) -> None:
    project, (first, second) = make_results(images=2)
    physics = Category.objects.get_or_create(name="Physics")[0]
    Image.objects.filter(pk=first.pk).update(category=physics)
    people = Crowd(project, people=3, right=1, seed=1).people
    offers = (("people", None), ("machine", None))
    for image, verdicts in ((first, (True, False)), (second, (True, True))):
        for option, verdict in zip(ask(image, Kind.EXPLAIN, offers=offers), verdicts, strict=True):
            cast(option, [verdict] * 3, people)
    visit(client, project)

    assert table(client, project, "explanations")[1:] == [
        ["Annotators", "2", "2", "100.0 %", "34.2 to 100.0"],
        ["machine", "1", "2", "50.0 %", "9.5 to 90.5"],
    ]
    assert table(client, project, "explanations-by-category") == [
        ["Category", "Annotators", "machine"],
        ["Physics", "100.0 % of 1", "0.0 % of 1"],
        ["Without a category", "100.0 % of 1", "100.0 % of 1"],
    ]


def test_caption_errors_are_listed_by_type(client: Client) -> None:
    project, (image,) = make_results(images=1)
    people = Crowd(project, people=3, right=1, seed=1).people
    for variant, is_right in zip(Variant, (False, True, True), strict=True):
        (option,) = ask(image, Kind.RATE, offers=(("machine", None),), variant=variant)
        cast(option, [is_right] * 3, people)
    visit(client, project)

    rows = table(client, project, "caption-errors")

    assert rows[2] == [
        "machine",
        "Wrong for the weird image only: an error of common sense",
        "wrong",
        "right",
        "right",
        "1",
        "100.0 %",
    ]
    assert [row[5] for row in rows[1:]] == ["0", "1", "0", "0", "0", "0", "0", "0"]
    assert table(client, project, "captions")[1][:4] == ["machine", "Weird", "0", "1"]


def test_composition_counts_categories_tools_annotations_and_words() -> None:
    project, (first, second, third) = make_results()
    physics = Category.objects.get_or_create(name="Physics")[0]
    Image.objects.filter(pk__in=[first.pk, second.pk]).update(category=physics)
    annotate(first, 1)
    annotate(first, 2, flags=["caption: coarse"], state=Annotation.State.HELD)
    annotate(second, 3, caption="A fish.")
    Image.objects.filter(pk=third.pk).update(state=Image.State.REFUSED)

    assert counts_by(project.images.all(), "category__name") == [("Physics", 2), ("", 1)]
    assert annotations_each(project) == {1: 2}
    lengths = text_lengths(project)["Captions"]
    assert (lengths.texts, lengths.shortest, lengths.longest, lengths.vocabulary) == (2, 2, 5, 5)
    assert filtered_texts(project)["Captions"] == Share(right=1, of=3)
    assert filtered_texts(project)["Explanations"] == Share(right=0, of=3)


def test_way_counts_groups_returns_and_objections() -> None:
    project, (first, second, third) = make_results(control_wanted=3, control_needed=2)
    for image, verdicts in ((first, (True, True)), (second, (True, False, False)), (third, (True, None))):
        for seen in verdicts:
            look(image, seen)
    Revision.objects.filter(image=second).update(outcome="returned")
    Revision.objects.filter(image=first).update(outcome="accepted")
    for harmful in (True, False):
        Review.objects.create(
            image=first, revision=1, by=make_user(), is_harmful=harmful, note="A weapon.", at=NOW
        )

    found = way_of(project)

    assert found.returned == Share(right=1, of=2)
    assert found.objections == Share(right=1, of=2)
    assert found.objected == Share(right=1, of=1)
    assert found.seen == Share(right=4, of=6)
    assert found.passed == Share(right=1, of=2)


def test_hour_of_a_task_is_paid_by_all_its_approved_work() -> None:
    project, _ = make_results(images=0)
    crowd = Crowd(project, people=3, right=1, seed=1)
    first, second, _ = crowd.people
    first.hit.batch.task = Kind.IDENTIFY
    first.hit.batch.save()
    for work, seconds in ((first, 6), (second, 12)):
        Assignment.objects.filter(pk=work.pk).update(status="approved", worked_s=seconds)

    (found,) = paid_by_task(project)

    # Two rewards of three cents were earned in 18 seconds.
    assert (found.task, found.approved, str(found.hourly)) == (Kind.IDENTIFY, 2, "12.00")


def test_card_counts_what_is_in_the_data_and_leads_on() -> None:
    project, (first, *_) = make_results()
    annotate(first)
    MatchingScores.objects.create(project=project, name="model", added_at=NOW)
    boss = make_user(is_superuser=True)

    card = results_card(project, boss)

    assert [metric.count for metric in card.metrics] == [3, 1, 1]
    for user, links in ((boss, 6), (make_user(), 2)):
        (shown,) = shown_to(user, [card])
        assert len(shown.links) == links


def test_page_shows_the_card_last(client: Client) -> None:
    project, _ = make_results()
    visit(client, project)

    page = client.get(reverse("admin:whoops_project_change", args=[project.pk])).text

    assert page.index("Captions") < page.index("Images in the data")


@pytest.mark.parametrize(
    ("name", "more"), [("statistics", ()), ("statistics_file", ("images",)), ("matching_template", ())]
)
def test_study_of_others_is_not_found_and_permission_is_asked(
    client: Client, name: str, more: tuple[str, ...]
) -> None:
    project, _ = make_results()
    other, _ = make_results()
    user = visit(client, project)

    assert client.get(address(other, name, *more)).status_code == 404
    user.user_permissions.clear()
    assert client.get(address(project, name, *more)).status_code == 403


def test_table_that_is_not_there_is_not_found(client: Client) -> None:
    project, _ = make_results()
    visit(client, project)

    assert client.get(address(project, "statistics_file", "nothing")).status_code == 404


def _fill(project: Project, images: list[Image], crowd: Crowd) -> None:
    for image in images:
        annotate(image)
        partner(image, "normal")
        for kind in Kind:
            for option in ask(image, kind, offers=(("people", True), ("machine", False))):
                cast(option, [True] * 3, crowd.people)


def test_page_asks_as_little_of_much_data(client: Client) -> None:
    project, images = make_results(images=12)
    crowd = Crowd(project, people=3, right=1, seed=1)
    visit(client, project)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address(project)).status_code == 200
        return len(queries)

    _fill(project, images[:2], crowd)
    few = count()
    _fill(project, images[2:], crowd)

    assert count() == few <= 40
