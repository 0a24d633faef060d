"""The researchers' pages for judging: cards, making, importing, the list, and one question."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.whoops import domain
from crowd.whoops.judge.services.posting_questions import withdraw_question
from crowd.whoops.judge.services.weird_normal_pairs import make_pairs
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits import families
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.work.models.items import Item
from tests.crowd.whoops.making_questions import (
    ANSWERS,
    CAPTIONS,
    EXPLANATIONS,
    Judges,
    bring_in,
    make_accepted,
    make_annotation,
    make_data,
    questions,
)
from tests.factories import NOW
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
FILES = {"answers": ANSWERS, "captions": CAPTIONS, "explanations": EXPLANATIONS}
PAIRS = {"wanted": "2", "seed": "7"}


@pytest.fixture
def project(client: Client) -> Project:
    """A project with three accepted images, in a study of the researcher who is signed in."""
    made = make_data(annotations_wanted=1)
    sign_in(client, RESEARCHER, made.study)
    return made


def at(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk, *more])


def next_of(answer: Any, kind: str) -> str:
    """Next step that the card of this task names."""
    return next(str(one.next) for one in answer.context["cards"] if list(one.card.tasks) == [kind])


def upload(content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("rows.csv", content.encode())


def test_pairs_are_counted_and_then_drawn(client: Client, project: Project) -> None:
    make_accepted(project, partner=False)
    home = client.get(at("project_change", project))
    assert next_of(home, domain.IDENTIFY) == "Draw images: this many have a normal partner: 3."

    counted = text_of(client.get(at("pairs", project), {**PAIRS, "asked": "yes"}))
    assert "2 weird images, and 2 normal." in counted
    assert "1 more could be drawn." in counted
    assert "1 accepted image lacks a normal partner" in counted
    assert not Question.objects.exists()
    answer = client.post(at("pairs", project), {**PAIRS, "confirmed": "yes"}, follow=True)

    assert "Pairs that wait for workers now: 2." in text_of(answer)
    todo = f"Launch a batch of “{families.get(domain.IDENTIFY).name}”: 4 questions wait for workers."
    assert next_of(answer, domain.IDENTIFY) == todo
    assert Question.objects.filter(kind=domain.IDENTIFY).count() == 4
    twice = client.post(at("pairs", project), {**PAIRS, "confirmed": "yes"})
    assert "all you want are there" in text_of(twice)
    assert Question.objects.count() == 4


@pytest.mark.parametrize("sent", [{"wanted": "0", "seed": "1"}, {"wanted": "x", "seed": ""}, {"wanted": "9"}])
def test_bad_number_draws_nothing(client: Client, project: Project, sent: dict[str, str]) -> None:
    assert "errorlist" in text_of(client.post(at("pairs", project), sent))
    assert not Question.objects.exists()


def test_lists_are_counted_and_then_made(client: Client, project: Project) -> None:
    make_annotation(project.images.get(number=1), "Reason.")
    Image.objects.filter(number=1).update(annotated=1)
    home = client.get(at("project_change", project))
    assert next_of(home, domain.EXPLAIN) == "Make lists: this many images have all their annotations: 1."

    assert "1 list with 2 explanations." in text_of(client.get(at("lists", project)))
    everything = text_of(client.get(at("lists", project), {"asked": "yes", "incomplete": "on"}))
    assert "1 list with 2 explanations." in everything
    assert not Question.objects.exists()
    answer = client.post(at("lists", project), {"confirmed": "yes"}, follow=True)

    assert "Lists that wait for workers now: 1." in text_of(answer)
    assert [one.key for one in questions(project, domain.EXPLAIN)] == ["1-1"]
    assert "There is nothing new to ask." in text_of(client.get(at("lists", project)))


@pytest.mark.parametrize("name", FILES)
def test_file_is_shown_first_and_imported_by_a_second_click(
    client: Client, project: Project, name: str
) -> None:
    sent = {"file": upload(FILES[name]), "seed": "1"}
    shown = client.post(at("import", project, name), sent)
    preview = shown.context["preview"]
    assert f"{preview.new} new {shown.context['sort'].what}" in text_of(shown)
    assert not Question.objects.exists()

    again = {"content": shown.context["content"].replace("\n", "\r\n"), "seed": "1"}
    done = client.post(at("import", project, name), again, follow=True)

    assert str(preview.new) in text_of(done)
    assert Option.objects.count() == preview.new + preview.negatives
    once_more = client.post(at("import", project, name), again, follow=True)
    assert "Everything in this file was there already." in text_of(once_more)
    assert Option.objects.count() == preview.new + preview.negatives


@pytest.mark.parametrize("sends", ["file", "content"])
def test_bad_lines_are_named_on_the_page(client: Client, project: Project, sends: str) -> None:
    bad = "image,caption,source\n77,<b>A cat.</b>,m\n"
    sent = {"file": upload(bad)} if sends == "file" else {"content": bad}

    page = text_of(client.post(at("import", project, "captions"), sent))

    assert "Nothing was stored." in page
    assert "Line 2: there is no image “77”. Give its number or its id." in page
    assert not Question.objects.exists()


def test_file_that_is_no_text_or_too_large_is_refused(client: Client, project: Project) -> None:
    picture = SimpleUploadedFile("rows.csv", b"\x89PNG\xff\xfe")
    assert "Line 1 is not UTF-8 text." in text_of(
        client.post(at("import", project, "captions"), {"file": picture})
    )
    large = upload("x" * 2_000_001)
    assert "at most 2 MB" in text_of(client.post(at("import", project, "captions"), {"file": large}))
    assert "This field is required." in text_of(client.post(at("import", project, "captions"), {}))
    assert client.get(at("import", project, "identify")).status_code == 404


@pytest.mark.parametrize("name", FILES)
def test_template_has_a_line_for_each_accepted_image(client: Client, project: Project, name: str) -> None:
    answer = client.get(at("import_template", project, name))

    lines = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()  # type: ignore[attr-defined]
    assert [line.split(",")[0] for line in lines] == ["image", "1", "2", "3"]
    assert lines[0].split(",")[1] in FILES[name].splitlines()[0]


def test_question_page_shows_votes_and_withdraws(client: Client, project: Project) -> None:
    bring_in(project, domain.RATE, "image,caption,source\n1,A <b>candle</b>.,machine\n")
    question = questions(project, domain.RATE)[0]
    crowd = Judges(project, domain.RATE)
    for pick in ("yes", "no", "yes"):
        crowd.answer({"pick": pick})
    page = reverse("admin:whoops_question_change", args=[question.pk])
    shown = text_of(client.get(page))
    assert "A &lt;b&gt;candle&lt;/b&gt;." in shown
    assert "<td>2 of 3</td>" in shown
    assert "All judges are there." in shown

    done = client.post(reverse("admin:whoops_question_withdraw", args=[question.pk]), follow=True)
    assert "The question is withdrawn." in text_of(done)
    assert "Bring the question back" in text_of(done)
    back = client.post(reverse("admin:whoops_question_bring-back", args=[question.pk]), follow=True)

    assert "The question is back." in text_of(back)
    assert Item.objects.get(task=domain.RATE).pulled_at is None
    assert client.get(reverse("admin:whoops_question_withdraw", args=[question.pk])).status_code == 405


def test_list_is_searched_and_filtered_by_state(client: Client, project: Project) -> None:
    bring_in(project, domain.RATE, CAPTIONS)
    bring_in(project, domain.EXPLAIN, EXPLANATIONS)
    first = questions(project, domain.RATE)[0]
    withdraw_question(question=first, now=NOW)
    address = reverse("admin:whoops_question_changelist")

    def keys(**query: str) -> list[str]:
        return sorted(row.key for row in client.get(address, query).context["cl"].result_list)

    everything = [one.key for kind in (domain.RATE, domain.EXPLAIN) for one in questions(project, kind)]
    assert keys() == sorted(everything)
    assert keys(standing="withdrawn") == [first.key]
    assert keys(standing="waiting") == ["1-1", "2-1"]
    assert len(keys(standing="asked")) == 2
    assert keys(standing="judged") == keys(q="nobody said this") == []
    assert keys(q="whales") == ["2-1"]
    assert len(keys(kind__exact=domain.RATE)) == 3
    assert "Nothing fits what you chose." in text_of(client.get(address, {"q": "zebra"}))


def test_empty_list_says_where_questions_are_made(client: Client, project: Project) -> None:
    assert "There are no questions yet." in text_of(client.get(reverse("admin:whoops_question_changelist")))


def test_pages_cost_the_same_for_few_rows_and_for_many(client: Client, project: Project) -> None:
    addresses = (at("project_change", project), reverse("admin:whoops_question_changelist"))

    def queries() -> list[int]:
        counts = []
        for address in addresses:
            with CaptureQueriesContext(connection) as caught:
                assert client.get(address).status_code == 200
            counts.append(len(caught))
        return counts

    bring_in(project, domain.RATE, CAPTIONS)
    bring_in(project, domain.VERIFY, ANSWERS)
    make_pairs(project=project, wanted=1, seed=1, now=NOW)
    queries()
    before = queries()
    for _ in range(6):
        make_annotation(make_accepted(project), "Reason.")
    more = "".join(f"{number},A thing of {number}.,m\n" for number in range(1, 10))
    bring_in(project, domain.RATE, f"image,caption,source\n{more}")
    bring_in(project, domain.EXPLAIN, f"image,explanation,source\n{more}")
    make_pairs(project=project, wanted=9, seed=1, now=NOW)

    assert queries() == before


@pytest.mark.parametrize("page", ["pairs", "lists", "import", "import_template"])
def test_pages_are_for_those_who_may(client: Client, page: str) -> None:
    project = make_data(images=1)
    more = ["captions"] if page.startswith("import") else []
    sign_in(client, RESEARCHER)
    assert client.get(at(page, project, *more)).status_code == 404
    sign_in(client, REVIEWER, project.study)
    assert client.get(at(page, project, *more)).status_code == 403
    assert client.post(at(page, project, *more), {"wanted": "1", "seed": "1"}).status_code == 403
    assert not Question.objects.exists()


def test_questions_of_other_studies_are_not_seen(client: Client, project: Project) -> None:
    other = make_data(images=1)
    make_pairs(project=other, wanted=1, seed=1, now=NOW)
    foreign = questions(other, domain.IDENTIFY)[0]
    page = reverse("admin:whoops_question_change", args=[foreign.pk])

    assert client.get(page).status_code == 302
    assert client.post(reverse("admin:whoops_question_withdraw", args=[foreign.pk])).status_code == 404
    assert not client.get(reverse("admin:whoops_question_changelist")).context["cl"].result_list
    sign_in(client, REVIEWER, other.study)
    assert "Withdraw" not in text_of(client.get(page))
    assert client.post(reverse("admin:whoops_question_withdraw", args=[foreign.pk])).status_code == 403


def test_changed_number_of_judges_counts_at_once(client: Client, project: Project) -> None:
    bring_in(project, domain.RATE, CAPTIONS)
    page = client.get(at("settings", project))
    values = {
        name: value for name, value in page.context["forms"][0].initial.items() if value not in (None, False)
    }

    answer = client.post(at("settings", project), {**values, "judges_wanted": "5"})

    assert answer.status_code == 302
    assert set(Item.objects.filter(task=domain.RATE).values_list("wanted", flat=True)) == {5}
