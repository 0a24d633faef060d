"""A study's own list of categories in place of the shared one, and the mark of whose each category is."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.whoops.design.pages.forms import ImageForm
from crowd.whoops.first_rows import mark_categories
from crowd.whoops.images.queries.categories import categories_of
from crowd.whoops.images.services.categories import merge_categories
from crowd.whoops.images.services.own_categories import read_categories, replace_list, share_list
from crowd.whoops.models import Category, Image, Project
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER, REVIEWER
from tests.crowd.whoops.making_images import make_designer, make_image, make_project
from tests.factories import NOW, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
LINES = "physics RULES: Nature says no.\n\nOur own idea\nSize: Too large."


def replace(project: Project, lines: str = LINES) -> None:
    replace_list(project=project, typed=read_categories(lines), by=make_user(), now=NOW)


def names(project: Project) -> list[tuple[str, str]]:
    return list(categories_of(project).values_list("name", "origin"))


def shared(name: str) -> Category:
    return Category.objects.get(name=name, project=None)


def test_each_category_of_a_new_database_is_marked() -> None:
    counts = [Category.objects.filter(origin=origin).count() for origin in ("paper", "ours", "added")]

    assert counts == [12, 14, 0]


def test_marks_are_set_only_where_the_list_was_not_rewritten() -> None:
    Category.objects.update(origin="added")
    Category.objects.filter(name="Size").update(about="Ruled by us.")

    mark_categories(Category, using="default")

    assert shared("Physics rules").origin == "paper"
    assert (shared("Color").origin, shared("Size").origin) == ("ours", "added")


def test_own_list_replaces_the_shared_one_for_its_study_alone() -> None:
    project, other = make_project(), make_project()

    replace(project)

    assert names(project) == [("Our own idea", "added"), ("Size", "ours"), ("physics RULES", "paper")]
    assert len(names(other)) == 26
    form = ImageForm(designer=make_designer(project))
    category: Any = form.fields["category"]
    assert category.queryset.count() == 3
    assert AuditEvent.objects.filter(kind="whoops.categories_replaced", study=project.study).exists()


def test_images_follow_by_name_and_others_keep_what_they_have() -> None:
    project, other = make_project(), make_project()
    physics, color = shared("Physics rules"), shared("Color")
    images = [make_image(project, category=physics), make_image(project, category=color)]
    foreign = make_image(other, category=physics)

    replace(project)

    for image in (*images, foreign):
        image.refresh_from_db()
    assert images[0].category == Category.objects.get(project=project, name="physics RULES")
    assert images[1].category == color
    assert foreign.category == physics


def test_own_category_that_an_image_has_is_not_lost() -> None:
    project = make_project()
    replace(project)
    own = Category.objects.get(project=project, name="Our own idea")
    make_image(project, category=own)

    with pytest.raises(RuleBroken) as refusal:
        replace(project, "Size\nColor")
    with pytest.raises(RuleBroken):
        share_list(project=project, by=make_user(), now=NOW)

    assert "“Our own idea”" in str(refusal.value)
    assert len(names(project)) == 3


def test_study_goes_back_to_the_shared_list() -> None:
    project = make_project()
    replace(project)
    image = make_image(project, category=Category.objects.get(project=project, name="Size"))

    share_list(project=project, by=make_user(), now=NOW)

    image.refresh_from_db()
    assert image.category == shared("Size")
    assert len(names(project)) == 26


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("One", "two categories at least"),
        ("One\none", "Line 2: “one” is there already."),
        (": x\nA\nB", "Line 1"),
    ],
)
def test_bad_lists_are_refused(lines: str, said: str) -> None:
    with pytest.raises(RuleBroken) as refusal:
        read_categories(lines)

    assert said in str(refusal.value)


def test_categories_of_two_lists_are_not_merged() -> None:
    project = make_project()
    replace(project)
    own = Category.objects.get(project=project, name="Size")

    with pytest.raises(RuleBroken):
        merge_categories(categories=[own, shared("Size")], into=own)

    assert shared("Size")


def test_researchers_replace_the_list_after_a_look(client: Client) -> None:
    project = make_project()
    make_image(project, category=shared("Color"))
    sign_in(client, RESEARCHER, project.study)
    page = reverse("admin:whoops_own_categories", args=[project.pk])
    verb = reverse("admin:whoops_own_categories_verb", args=[project.pk, "replace"])

    before = text_of(client.get(page))
    looked = text_of(client.get(verb, {"lines": LINES, "asked": "yes"}))
    done = text_of(client.post(verb, {"lines": LINES, "confirmed": "yes"}, follow=True))

    assert "Ours: the paper does not name it" in before
    assert "The new list lacks categories that images have: Color (1)." in looked
    assert "The study has 3 categories of its own." in done
    assert "This study has a list of its own." in done
    assert Image.objects.get().category == shared("Color")


def test_look_at_a_list_that_lacks_a_used_own_category_offers_no_button(client: Client) -> None:
    project = make_project()
    replace(project)
    make_image(project, category=Category.objects.get(project=project, name="Our own idea"))
    sign_in(client, RESEARCHER, project.study)
    verb = reverse("admin:whoops_own_categories_verb", args=[project.pk, "replace"])

    lacking = text_of(client.get(verb, {"lines": "Size\nColor", "asked": "yes"}))
    whole = text_of(client.get(verb, {"lines": LINES, "asked": "yes"}))

    assert "Add these own categories to the list, since images have them: “Our own idea”." in lacking
    assert "Replace the list</button>" not in lacking
    assert "Replace the list</button>" in whole


def test_reviewers_look_and_foreign_lists_are_not_shown(client: Client) -> None:
    project, other = make_project(), make_project()
    replace(other, "Secret\nSize")
    sign_in(client, REVIEWER, project.study)
    verb = reverse("admin:whoops_own_categories_verb", args=[project.pk, "replace"])

    assert client.get(reverse("admin:whoops_own_categories", args=[project.pk])).status_code == 200
    assert client.post(verb, {"lines": LINES, "confirmed": "yes"}).status_code == 403
    assert "Secret" not in text_of(client.get(reverse("admin:whoops_category_changelist")))
    assert not project.categories.exists()
