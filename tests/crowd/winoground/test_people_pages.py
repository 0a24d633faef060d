"""The page on people: examples with gendered words, and whom the metadata of pictures name."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoground.admin import people_pages
from crowd.winoground.models import Example
from hits.identity.roles import AUTHOR, REVIEWER
from tests.crowd.winoground.making_examples import make_example, make_project
from tests.crowd.winoground.test_gendered_words import CAPTIONS, confirm, make_gendered
from tests.factories import NOW
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def test_check_lists_examples_with_gendered_words_those_to_confirm_first(client: Client) -> None:
    project = make_project()
    confirm(make_gendered(project=project))
    make_example(project, seed=1, caption_0="a cup on a hat", caption_1="a hat on a cup")
    # As an example of an earlier version, which was asked about before the words were looked for.
    old = make_example(project, seed=2)
    Example.objects.filter(pk=old.pk).update(caption_0="a boy sits", caption_1="sits a boy", state="asked")
    sign_in(client, REVIEWER, project.study)

    with CaptureQueriesContext(connection) as few:
        client.get(reverse("admin:winoground_people", args=[project.pk]))
    rows = client.get(reverse("admin:winoground_people_json", args=[project.pk, "gendered-captions"])).json()

    assert [(row["gendered_words"], row["to_be_confirmed"]) for row in rows] == [
        ("boy", "boy"), ("woman, him", "–"),
    ]  # fmt: skip
    assert rows[1]["why"] == "A chess piece."
    make_example(project, seed=4, ready=False, **CAPTIONS)
    with CaptureQueriesContext(connection) as more:
        client.get(reverse("admin:winoground_people", args=[project.pk]))
    assert len(more) == len(few)


def test_long_check_is_whole_in_its_files_alone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_pages, "MOST_SHOWN", 1)
    project = make_project()
    for seed, word in enumerate(("boy", "girl", "king")):
        captions: dict[str, Any] = {"caption_0": f"a {word} sits by", "caption_1": f"sits a {word} by"}
        make_example(project, seed=seed, ready=False, **captions)
    sign_in(client, REVIEWER, project.study)

    page = text_of(client.get(reverse("admin:winoground_people", args=[project.pk])))
    rows = client.get(reverse("admin:winoground_people_json", args=[project.pk, "gendered-captions"])).json()

    assert "a boy sits by" in page
    assert "a girl sits by" not in page
    assert "The files have 2 more." in page
    assert len(rows) == 3


def test_authors_see_only_their_own_examples_in_the_check(client: Client) -> None:
    example = make_gendered()
    sign_in(client, AUTHOR, example.project.study)

    page = text_of(client.get(reverse("admin:winoground_people", args=[example.project_id])))

    assert "Over the examples that you wrote." in page
    assert "No caption has a gendered word." in page


def test_estimate_counts_each_picture_once_by_what_its_metadata_say(client: Client) -> None:
    project = make_project()
    told = [("Girl and her dog", "Two men"), ("Mother and son", "A diver"), ("People at sea", "")]
    for seed, (first, second) in enumerate(told):
        caption = f"a red ball under box {seed}", f"a red box under ball {seed}"
        example = make_example(
            project,
            seed=seed,
            caption_0=caption[0],
            caption_1=caption[1],
            metadata_0=first,
            metadata_1=second,
        )
        state = "asked" if seed == 0 else "ready"
        Example.objects.filter(pk=example.pk).update(state=state)
    shown = example.image_0, example.image_1
    twin = make_example(project, seed=9, ready=False, metadata_0="A king")
    Example.objects.filter(pk=twin.pk).update(image_0=shown[0], image_1=shown[1])
    away = make_example(project, seed=11, ready=False, metadata_0="A man")
    Example.objects.filter(pk=away.pk).update(state="withdrawn")
    sign_in(client, REVIEWER, project.study)

    rows = client.get(reverse("admin:winoground_people_json", args=[project.pk, "people-in-pictures"])).json()
    page = text_of(client.get(reverse("admin:winoground_people", args=[project.pk])))

    assert [(row["asked_of_workers"], row["all_pictures"], row["in_the_paper"]) for row in rows] == [
        (1, 1, 152), (1, 1, 123), (0, 1, 22), (0, 1, 74), (2, 4, 371),
    ]  # fmt: skip
    assert rows[0]["share_of_all"] == 0.25
    assert "5 of 6 pictures have a title or a description." in page


def test_picture_that_a_draft_shows_first_counts_as_asked(client: Client) -> None:
    project = make_project()
    draft = make_example(project, seed=1, ready=False, metadata_0="A girl")
    asked = make_example(
        project,
        seed=2,
        caption_0="a red ball under box",
        caption_1="a red box under ball",
        metadata_0="A boy",
    )
    Example.objects.filter(pk=asked.pk).update(state="asked", image_0=draft.image_0)
    sign_in(client, REVIEWER, project.study)

    rows = client.get(reverse("admin:winoground_people_json", args=[project.pk, "people-in-pictures"])).json()

    assert [(row["asked_of_workers"], row["all_pictures"]) for row in rows] == [
        (0, 1), (1, 0), (0, 0), (0, 0), (1, 1),
    ]  # fmt: skip


def test_pictures_of_an_asked_example_are_described_on_its_page(client: Client) -> None:
    project = make_project()
    example = make_example(project, by=sign_in(client, AUTHOR, project.study))
    where = [example.project_id, example.public_id]
    page = reverse("admin:winoground_show_example", args=where)
    verb = reverse("admin:winoground_example_verb", args=[*where, "describe"])
    assert verb not in text_of(client.get(page))
    Example.objects.filter(pk=example.pk).update(state="asked", asked_at=NOW)
    seen = example.changed_at.isoformat()
    sent = {"metadata_0": " Girl with a dog ", "metadata_1": "", "seen": seen, "confirmed": "yes"}

    assert verb in text_of(client.get(page))
    assert f'name="seen" value="{seen}"' in text_of(client.get(verb))
    done = client.post(verb, sent, follow=True)
    stale = client.post(verb, {**sent, "metadata_0": "A king"})

    assert "what you wrote about its pictures is saved" in text_of(done)
    assert stale.status_code == 409
    assert "A king" in text_of(stale)
    kept = Example.objects.get()
    assert (kept.metadata_0, kept.state, kept.caption_0) == ("Girl with a dog", "asked", example.caption_0)
    line = LogEntry.objects.get(object_id=str(example.pk))
    assert "title and description of picture A: – → Girl with a dog" in str(line)
    sign_in(client, REVIEWER, project.study)
    assert client.post(verb, sent).status_code == 403


def test_empty_project_says_what_is_lacking(client: Client) -> None:
    project = make_project()
    sign_in(client, REVIEWER, project.study)

    page = text_of(client.get(reverse("admin:winoground_people", args=[project.pk])))

    assert "No caption has a gendered word." in page
    assert "No picture has a title or description yet." in page
