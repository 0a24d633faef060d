"""The shared list of categories: seeded, counted, renamed, merged, and deleted only while unused."""

import pytest
from django.test import Client
from django.urls import reverse

from crowd.whoops.images.services.categories import delete_categories, merge_categories
from crowd.whoops.models import Category
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER, REVIEWER
from tests.crowd.whoops.making_designers import make_category, make_designer, send
from tests.crowd.whoops.making_images import make_project
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
LIST = "admin:whoops_category_changelist"


def test_the_list_has_as_many_as_the_paper_and_says_whose_they_are() -> None:
    abouts = list(Category.objects.values_list("about", flat=True))

    assert len(abouts) == 26
    assert sum(about.startswith("Named in the paper.") for about in abouts) == 12
    assert sum(about.startswith("Ours.") for about in abouts) == 14


def test_merged_categories_give_their_images_to_the_one_that_stays() -> None:
    designer = make_designer()
    kept, first, second = (make_category(name) for name in ("Kept", "First", "Second"))
    images = [send(designer, category=category) for category in (kept, first, second)]

    assert merge_categories(categories=[kept, first, second], into=kept) == 2

    assert {image.category_id for image in designer.images.all()} == {kept.pk}
    assert not Category.objects.filter(pk__in=[first.pk, second.pk]).exists()
    assert images[1].revisions.get().texts["category"] == "First"
    with pytest.raises(RuleBroken):
        merge_categories(categories=[first, kept], into=kept)


def test_a_category_that_an_image_has_is_not_deleted() -> None:
    used, unused = make_category("Used"), make_category("Unused")
    send(make_designer(), category=used)

    with pytest.raises(RuleBroken):
        delete_categories(categories=[unused, used])
    assert Category.objects.filter(pk__in=[used.pk, unused.pk]).count() == 2

    delete_categories(categories=[unused])
    assert not Category.objects.filter(pk=unused.pk).exists()


def test_researchers_add_rename_merge_and_delete(client: Client) -> None:
    sign_in(client, RESEARCHER)
    used, other = make_category("Used"), make_category("Another one")
    send(make_designer(), category=used)

    client.post(reverse("admin:whoops_category_add"), {"name": "  New   one ", "about": ""})
    twice = client.post(reverse("admin:whoops_category_add"), {"name": "new ONE", "about": ""})
    client.post(reverse("admin:whoops_category_change", args=[used.pk]), {"name": "Much used", "about": "x"})
    away = client.post(reverse("admin:whoops_category_delete", args=[used.pk]), {"post": "yes"})

    assert Category.objects.filter(name="New one").count() == 1
    assert "There is a category “New one”" in text_of(twice)
    used.refresh_from_db()
    assert used.name == "Much used"
    assert away.status_code == 403
    chosen = {"action": "merge", "_selected_action": [used.pk, other.pk]}
    asked = client.post(reverse(LIST), chosen, follow=True)
    assert "Much used (1 image)" in text_of(asked)
    merged = {"categories": f"{used.pk},{other.pk}", "into": other.pk}
    done = client.post(reverse("admin:whoops_merge_categories"), merged, follow=True)
    assert "became “Another one”" in text_of(done)
    assert other.images.count() == 1
    blocked = client.post(
        reverse(LIST),
        {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"},
        follow=True,
    )
    assert "“Another one”: 1 image" in text_of(blocked)
    assert Category.objects.filter(pk=other.pk).exists()


def test_another_name_takes_the_mark_of_the_old_one_away(client: Client) -> None:
    project = make_project()
    sign_in(client, RESEARCHER, project.study)
    physics = Category.objects.get(name="Physics rules", project=None)
    own = Category.objects.create(name="Our own idea", origin="added", project=project)
    marks = []
    for category, name in (
        (physics, "PHYSICS rules"), (physics, "Our physics"), (own, "color"), (own, "Not theirs"),
    ):  # fmt: skip
        client.post(reverse("admin:whoops_category_change", args=[category.pk]), {"name": name, "about": ""})
        category.refresh_from_db()
        marks.append((category.name, category.origin))

    assert marks == [
        ("PHYSICS rules", "paper"), ("Our physics", "added"), ("color", "ours"), ("Not theirs", "added"),
    ]  # fmt: skip


def test_reviewers_look_and_change_nothing(client: Client) -> None:
    sign_in(client, REVIEWER)
    category = make_category()

    assert client.get(reverse(LIST)).status_code == 200
    merge = reverse("admin:whoops_merge_categories")
    assert client.get(f"{merge}?categories={category.pk}").status_code == 403
    assert client.get(reverse("admin:whoops_category_add")).status_code == 403
    change = reverse("admin:whoops_category_change", args=[category.pk])
    client.post(change, {"name": "Other", "about": ""})
    category.refresh_from_db()
    assert category.name == "Physics"
