"""The authors' pages of examples: what is typed is never lost, and authors see only their own."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.pictures.models import Original, Picture
from crowd.winoground.models import Example, Project, Tag
from crowd.winoground.services.posted_examples import ask_examples
from hits.identity.roles import AUTHOR, RESEARCHER, REVIEWER
from hits.work.models.items import Item
from tests.crowd.winoground.making_examples import (
    CAPTIONS,
    form_data,
    make_example,
    make_project,
    upload,
    written,
)
from tests.factories import NOW, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
LIST = "/admin/winoground/example/"


@pytest.fixture
def project(client: Client) -> Project:
    """A project in a study of the researcher who is signed in."""
    made = make_project()
    sign_in(client, RESEARCHER, made.study)
    return made


def at(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:winoground_{name}", args=[project.pk, *more])


def page_of(example: Example, *more: Any) -> str:
    name = "example_verb" if more else "show_example"
    return at(name, example.project, example.public_id, *more)


def value_of(name: str, answer: Any) -> str:
    field = re.search(rf'<input[^>]*name="{name}"[^>]*>', answer.content.decode())
    assert field, name
    found = re.search('value="([^"]*)"', field[0])
    return found[1] if found else ""


def sent_again(answer: Any, **changes: Any) -> dict[str, Any]:
    """Form data as the page shows them, without files, which a browser does not send again."""
    kept = {f"kept_{place}": value_of(f"kept_{place}", answer) for place in (0, 1)}
    return {
        **form_data(key=None, image_0=None, image_1=None),
        **kept,
        "seen": value_of("seen", answer),
        **changes,
    }


def test_whole_example_is_written_and_ready_with_its_originals(client: Client, project: Project) -> None:
    answer = client.post(
        at("write_example", project), form_data(new_tags="Of ours\n\n  our scope "), follow=True
    )

    example = Example.objects.get()
    assert (example.state, example.number, example.caption_0) == ("ready", 1, CAPTIONS[0])
    assert "Example 1 is saved. It is ready." in text_of(answer)
    assert [tag.name for tag in example.tags.all()] == ["Noun Phrase", "Of ours", "our scope"]
    assert example.image_0 is not None
    assert (example.image_0.in_pool, example.image_0.credit, example.image_0.licence) == (
        False, "The lab", "CC BY 4.0",
    )  # fmt: skip
    assert Original.objects.filter(picture=example.image_0, sent_by=example.author).count() == 1
    assert LogEntry.objects.filter(object_id=str(example.pk), action_flag=1).count() == 1


def test_draft_may_lack_everything_and_ready_says_what(client: Client, project: Project) -> None:
    empty = dict.fromkeys(("caption_0", "caption_1", "swap", "predicates", "tags", "image_0", "image_1"))

    answer = client.post(at("write_example", project), form_data(**empty), follow=True)

    assert Example.objects.get().state == "draft"
    page = text_of(answer)
    assert "Example 1 is saved as a draft. Correct what is named below to make it ready." in page
    for words in (
        "Write the caption.",
        "Choose a picture.",
        "Say what is swapped.",
        "Choose at least one tag.",
    ):
        assert words in page


def test_double_click_makes_one_example(client: Client, project: Project) -> None:
    data = form_data()
    client.post(at("write_example", project), data)

    again = client.post(
        at("write_example", project), {**data, "image_0": upload(seed=1), "image_1": upload(seed=2)}
    )

    example = Example.objects.get()
    assert again["Location"] == page_of(example)
    assert Picture.objects.count() == 2


def test_form_sent_again_with_other_words_becomes_a_change_of_what_is_there(
    client: Client, project: Project
) -> None:
    data = form_data()
    client.post(at("write_example", project), data)
    pictures = {"image_0": upload(seed=1), "image_1": upload(seed=2)}

    answer = client.post(at("write_example", project), {**data, **pictures, "note": "Mine"})

    assert "A colleague has changed this example since you opened it" in text_of(answer)
    assert Example.objects.get().note == ""
    client.post(page_of(Example.objects.get()), sent_again(answer, note="Mine"))
    assert Example.objects.get().note == "Mine"


def test_form_shows_all_that_is_kept(client: Client, project: Project) -> None:
    example = make_example(project, predicates=2, is_series=True, has_altered_morpheme=True, note="Mine")
    (tag,) = example.tags.all()
    Tag.objects.create(name="Another")

    page = client.get(page_of(example)).content.decode()

    chosen = {
        re.sub(r".*name=\"(\w+)\".*", r"\1", field) for field in re.findall("<input[^>]*checked[^>]*>", page)
    }
    assert chosen == {"swap", "predicates", "tags", "is_series", "has_altered_morpheme"}
    for value in ('value="object"', 'value="2"', f'value="{tag.pk}"'):
        assert re.search(f"<input[^>]*{value}[^>]*checked", page)
    assert page.count("checked") == 5
    for words in (*CAPTIONS, "own photo", "The lab", "CC BY 4.0", "Mine"):
        assert words in page


def test_stale_form_keeps_what_was_typed_and_can_be_kept_again(client: Client, project: Project) -> None:
    words = written()
    example = make_example(project, words=words)
    opened = client.get(page_of(example))
    data = form_data(key=None, image_0=None, image_1=None, seen=value_of("seen", opened))
    client.post(page_of(example), {**data, "note": "First"})

    stale = client.post(page_of(example), {**data, "note": "Second", "image_0": upload(seed=7)})

    assert "A colleague has changed this example since you opened it" in text_of(stale)
    assert "Second</textarea>" in text_of(stale)
    example.refresh_from_db()
    assert (example.note, example.image_0) == ("First", words.shown[0].picture)
    client.post(page_of(example), sent_again(stale, note="Second"))
    example.refresh_from_db()
    assert example.note == "Second"
    assert example.image_0 is not None
    assert example.image_0.original_sha256 == Original.objects.get(name="a.png").sha256


def test_hostile_picture_is_refused_at_its_field_and_the_other_one_is_kept(
    client: Client, project: Project
) -> None:
    bad = SimpleUploadedFile("a.png", b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')

    answer = client.post(at("write_example", project), form_data(image_0=bad))

    assert "This was not saved." in text_of(answer)
    assert not Example.objects.exists()
    assert Picture.objects.count() == 1
    again = sent_again(answer, key=form_data()["key"], image_0=upload(seed=1))
    client.post(at("write_example", project), again)
    assert Example.objects.get().state == "ready"


@pytest.mark.parametrize("token", ["", "nonsense", "of somebody else"])
def test_picture_cannot_be_claimed_without_our_signature_for_this_person(
    client: Client, project: Project, token: str
) -> None:
    if token == "of somebody else":
        other = Client()
        sign_in(other, RESEARCHER, project.study)
        token = value_of("kept_0", other.post(at("write_example", project), form_data(caption_0="x" * 301)))

    client.post(at("write_example", project), form_data(kept_0=token, image_0=None, image_1=None))

    assert Example.objects.get().image_0 is None


def test_form_refuses_what_cannot_be_kept(client: Client, project: Project) -> None:
    page = text_of(
        client.post(at("write_example", project), form_data(caption_0="x" * 301, credit_0="y" * 501))
    )

    assert "at most 300 characters" in page
    assert "at most 500 characters" in page
    assert not Example.objects.exists()


def test_words_are_checked_by_the_same_rule_while_they_are_typed(client: Client, project: Project) -> None:
    def check(first: str, second: str, **more: str) -> str:
        return text_of(client.post(at("words", project), {"caption_0": first, "caption_1": second, **more}))

    assert "Same words, another order." in check("a cup in a hat", "A hat, in a cup")
    assert "[cup]<sub>1</sub>" in check("a cup in a hat", "A hat, in a cup")
    assert "Only in A: a. Only in B: the." in check("a cup in a hat", "the hat in a cup").replace(" .", ".")
    assert "the same, word for word" in check("a cup", "A cup.")
    assert "Words that change their form." in check("I walk", "walking I", has_altered_morpheme="on")
    assert "not needed here" in check("a b", "b a", has_altered_morpheme="on")
    assert "Write both captions" in check("", "a")
    assert "&lt;b&gt;" in check("<b> x", "x <b>")
    assert client.get(at("words", project)).status_code == 405


def test_author_sees_and_changes_own_examples_only(client: Client) -> None:
    project = make_project()
    others = make_example(project)
    author = sign_in(client, AUTHOR, project.study)
    own = make_example(project, by=author, seed=1, ready=False)

    assert client.get(page_of(own)).status_code == 200
    assert client.get(page_of(others)).status_code == 404
    for verb in ("ready", "withdraw"):
        assert client.post(page_of(others, verb)).status_code == 404
    assert "1 example" in text_of(client.get(LIST))
    page = text_of(client.get(at("project_change", project)))
    assert "You see and change your own." in page
    assert at("write_example", project) in page
    others.refresh_from_db()
    assert others.state == "ready"


def test_reviewer_looks_and_changes_nothing(client: Client) -> None:
    project = make_project()
    example = make_example(project)
    sign_in(client, REVIEWER, project.study)

    page = client.get(page_of(example))

    assert CAPTIONS[0] in text_of(page)
    assert 'name="caption_0"' not in text_of(page)
    assert client.post(page_of(example), form_data(key=None)).status_code == 403
    assert client.post(page_of(example, "withdraw")).status_code == 403
    assert client.get(at("write_example", project)).status_code == 403
    assert client.post(at("words", project), {}).status_code == 403
    example.refresh_from_db()
    assert example.state == "ready"


def test_examples_of_another_study_are_not_there(client: Client, project: Project) -> None:
    other = make_example(make_project())

    for name in ("show_example", "preview_example", "example_history"):
        assert client.get(at(name, other.project, other.public_id)).status_code == 404
        assert client.get(at(name, project, other.public_id)).status_code == 404
    assert client.get(at("write_example", other.project)).status_code == 404
    assert client.post(page_of(other, "withdraw")).status_code == 404
    assert "0 examples" in text_of(client.get(LIST)) or "There is no example yet." in text_of(
        client.get(LIST)
    )
    row = client.get(f"{LIST}{other.pk}/change/", follow=True)
    assert "There is no example" in text_of(row)


def test_verbs_move_the_example_with_a_question_before_withdrawing(client: Client, project: Project) -> None:
    example = make_example(project)
    ask_examples(project=project, examples=[example.pk], now=NOW)
    assert 'name="caption_0"' not in text_of(client.get(page_of(example)))

    asked = text_of(client.get(page_of(example, "withdraw")))

    assert "Workers have been asked about it." in asked
    assert Item.objects.filter(pulled_at=None).count() == 4
    client.post(page_of(example, "withdraw"))
    assert not Item.objects.filter(pulled_at=None).exists()
    assert "It is withdrawn: nobody is asked about it." in text_of(client.get(page_of(example)))
    client.post(page_of(example, "restore"))
    page = text_of(client.get(page_of(example)))
    assert "captions and pictures stay as they were" in page
    answer = client.post(page_of(example, "ready"), follow=True)
    assert "marked as ready" in text_of(answer)
    assert client.get(page_of(example, "explode")).status_code == 404
    history = text_of(client.get(at("example_history", project, example.public_id)))
    assert all(words in history for words in ("withdrawn.", "restored as a draft.", "marked as ready."))


def test_ready_by_a_click_shows_what_is_lacking(client: Client, project: Project) -> None:
    example = make_example(project, ready=False, tags=[])

    answer = client.post(page_of(example, "ready"), follow=True)

    assert "Choose at least one tag." in text_of(answer)
    assert "It is not ready yet." in text_of(answer)


def test_preview_shows_the_four_questions(client: Client, project: Project) -> None:
    example = make_example(project)

    page = text_of(client.get(at("preview_example", project, example.public_id)))

    assert page.count("Does the caption match the image?") == 4
    assert (page.count("should be yes"), page.count("should be no")) == (2, 2)
    assert client.get(at("preview_example", project, make_example(project, ready=False, seed=5).public_id))


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 3), ("state__exact=ready", 1), ("swap__exact=both", 1), ("q=zebra", 1), ("q=Scope", 1),
        ("q=2", 1), ("tag=999999", 0), ("tag=rubbish", 0), ("author=rubbish", 0),
    ],
)  # fmt: skip
def test_list_is_searched_and_filtered(client: Client, project: Project, query: str, count: int) -> None:
    make_example(project)
    make_example(project, seed=1, ready=False, caption_0="zebra", tag="Scope")
    make_example(project, seed=2, ready=False, swap="both")

    page = text_of(client.get(f"{LIST}?{query}"))

    assert f"{count} example" in page if count else "Nothing fits what you chose." in page


def test_list_filters_by_tag_and_author_with_counts(client: Client, project: Project) -> None:
    author = make_user(username="writer")
    make_example(project, by=author)
    make_example(project, seed=1, ready=False)
    tag = Tag.objects.get(name="Noun Phrase")

    page = text_of(client.get(LIST))

    assert "Noun Phrase (2)" in page
    assert "writer (1)" in page
    assert "Ready (1)" in page
    assert "1 example" in text_of(client.get(f"{LIST}?author={author.pk}"))
    assert "2 examples" in text_of(client.get(f"{LIST}?tag={tag.pk}"))
    assert "Scope" not in page


def test_pages_take_as_many_queries_whatever_there_is(client: Client, project: Project) -> None:
    example = make_example(project)
    pages = [
        LIST, at("project_change", project), page_of(example),
        at("example_history", project, example.public_id),
        at("preview_example", project, example.public_id), reverse("admin:winoground_tag_changelist"),
    ]  # fmt: skip

    def count() -> list[int]:
        found = []
        for page in pages:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page).status_code == 200
            found.append(len(queries))
        return found

    count()
    few = count()
    for seed in range(1, 6):
        make_example(project, seed=seed, ready=False, tag=f"Tag {seed}")

    assert count() == few


def test_empty_list_leads_to_the_first_example(client: Client, project: Project) -> None:
    assert at("write_example", project) in text_of(client.get(LIST))
    assert "There is no example yet." in text_of(client.get(LIST))
    other = make_project()
    other.study.members.add(*project.study.members.all())
    both = text_of(client.get(LIST))
    assert "There is no example yet." in both
    assert "examples/write/" not in both
    assert at("write_example", other) in text_of(
        client.get(f"{LIST}?project__study__id__exact={other.study_id}")
    )
