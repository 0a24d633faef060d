"""The controlled list of tags: names are corrected, duplicates merged, and only unused tags deleted."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from crowd.winoground.first_rows import lay_tags
from crowd.winoground.models import Example, Tag
from crowd.winoground.services.tag_list import add_tags, drop_tags, merge_tags, rename_tag
from hits.core.errors import RuleBroken
from hits.identity.roles import AUTHOR, RESEARCHER
from tests.crowd.winoground.making_examples import make_example, make_project
from tests.factories import make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
LIST = "/admin/winoground/tag/"
MERGE = "/admin/winoground/tag/merge/"


def names() -> list[str]:
    return list(Tag.objects.values_list("name", flat=True))


def test_seed_brings_the_papers_seventy_once() -> None:
    Tag.objects.all().delete()
    Tag.objects.create(name="Noun Phrase")

    for _ in range(2):
        lay_tags(Tag, using="default")

    assert Tag.objects.filter(is_first=True).count() == Tag.objects.count() == 70
    assert {"Noun Phrase", "Altered POS", "Adjective-Color (3-way swap)"} <= set(names())


def test_added_tag_is_the_one_there_is_in_any_case() -> None:
    Tag.objects.all().delete()
    by = make_user()
    (scope,) = add_tags(["Scope"], by=by)

    found = add_tags([" scope ", "Noun  Phrase", "noun phrase"], by=make_user())

    assert found[0] == scope
    assert sorted(names()) == ["Scope", "noun phrase"]
    assert Tag.objects.get(name="Scope").added_by == by


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\0b"])
def test_bad_name_adds_none_of_them(name: str) -> None:
    before = names()

    with pytest.raises(RuleBroken, match="at most 80 letters"):
        add_tags(["Fine and new", name], by=None)

    assert names() == before


def test_rename_refuses_the_name_of_another_tag() -> None:
    one, other = add_tags(["One of ours", "Other of ours"], by=None)

    with pytest.raises(RuleBroken, match="Merge the two instead"):
        rename_tag(one, name="other of OURS")
    rename_tag(one, name="ONE of ours")

    one.refresh_from_db()
    other.refresh_from_db()
    assert (one.name, other.name) == ("ONE of ours", "Other of ours")


def test_merged_tags_leave_one_on_every_example() -> None:
    project = make_project()
    kept, gone, also = add_tags(["Kept", "Gone", "Also gone"], by=None)
    tags = ([kept], [kept, gone], [gone, also], [also])
    examples = [
        make_example(project, seed=seed, ready=False, tags=[tag.pk for tag in some])
        for seed, some in enumerate(tags)
    ]

    count = merge_tags([kept, gone, also], into=kept)

    assert count == 2
    assert [list(example.tags.all()) for example in examples] == [[kept]] * 4
    assert not {"Gone", "Also gone"} & set(names())
    with pytest.raises(RuleBroken, match="not there any more"):
        merge_tags([kept], into=gone)


def test_used_tag_is_not_dropped_nor_is_another_with_it() -> None:
    used, unused = add_tags(["Used", "Unused"], by=None)
    make_example(make_project(), tags=[used.pk])

    with pytest.raises(RuleBroken, match="“Used”"):
        drop_tags([used, unused])

    assert {"Used", "Unused"} <= set(names())
    assert drop_tags([unused]) == 1
    assert "Unused" not in names()


def test_list_says_how_many_examples_have_each_and_finds_by_name(client: Client) -> None:
    project = make_project()
    sign_in(client, RESEARCHER, project.study)
    used, _ = add_tags(["Quux used", "Quux unused"], by=None)
    make_example(project, tags=[used.pk])

    page = text_of(client.get(f"{LIST}?q=quux"))

    assert "2 tags" in page
    assert (
        f'<a href="/admin/winoground/example/?tag={used.pk}" aria-label="Examples with Quux used: 1">1</a>'
        in page
    )


def test_tag_is_added_renamed_merged_and_deleted_on_its_pages(client: Client) -> None:
    project = make_project()
    sign_in(client, RESEARCHER, project.study)
    client.post(f"{LIST}add/", {"name": "Ours"})
    ours = Tag.objects.get(name="Ours")
    (other,) = add_tags(["Other"], by=None)
    example = make_example(project, tags=[ours.pk])

    assert "Merge the two instead." in text_of(client.post(f"{LIST}{other.pk}/change/", {"name": "ours"}))
    client.post(f"{LIST}{ours.pk}/change/", {"name": "Ours, mended"})
    refused = client.post(f"{LIST}{ours.pk}/delete/", {"post": "yes"})

    assert refused.status_code == 403
    assert "Ours, mended" in names()
    both = {"action": "delete_selected", "_selected_action": [ours.pk, other.pk], "post": "yes"}
    assert "“Ours, mended” is on examples: 1" in text_of(client.post(LIST, both))
    action = client.post(LIST, {"action": "merge", "_selected_action": [ours.pk, other.pk]}, follow=True)
    assert "These 2 tags become one." in text_of(action)
    carried = f"{ours.pk},{other.pk}"
    client.post(MERGE, {"tags": carried, "into": other.pk})
    assert list(Example.objects.get(pk=example.pk).tags.all()) == [other]
    assert LogEntry.objects.filter(object_id=str(other.pk), change_message__contains="Merged").exists()
    assert "Choose two tags or more" in text_of(
        client.post(MERGE, {"tags": carried, "into": other.pk}, follow=True)
    )
    (unused,) = add_tags(["Unused"], by=None)
    client.post(f"{LIST}{unused.pk}/delete/", {"post": "yes"})
    assert "Unused" not in names()


def test_author_adds_tags_and_keeps_nothing_of_the_list(client: Client) -> None:
    project = make_project()
    sign_in(client, AUTHOR, project.study)
    (tag,) = add_tags(["Ours"], by=None)

    assert client.get(LIST).status_code == 200
    assert client.post(f"{LIST}{tag.pk}/change/", {"name": "Mine"}).status_code == 403
    assert client.post(f"{LIST}{tag.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get(f"{MERGE}?tags={tag.pk}").status_code == 403
    assert client.post(reverse("admin:winoground_tag_add"), {"name": "Mine"}).status_code == 302
    assert {"Ours", "Mine"} <= set(names())


def test_tag_whose_case_the_database_does_not_know_is_still_one() -> None:
    Tag.objects.all().delete()
    (scope,) = add_tags(["Élan"], by=None)

    assert add_tags(["Élan"], by=make_user()) == [scope]
    assert names() == ["Élan"]


def test_tag_that_somebody_adds_at_the_same_moment_is_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    Tag.objects.all().delete()
    (theirs,) = add_tags(["Scope"], by=None)
    monkeypatch.setattr("crowd.winoground.services.tag_list._find", lambda _: None)

    assert add_tags(["Scope"], by=make_user()) == [theirs]
