"""Two models side by side by category, and the share of categories that each wins."""

import csv
from dataclasses import replace
from io import StringIO

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.models import Category, Image, Project
from crowd.whoops.results.admin import category_pages
from crowd.whoops.results.admin.category_pages import by_category_tables
from crowd.whoops.results.domain.category_duels import CategoryDuel, Winner, count_wins
from tests.crowd.whoops.making_results import Crowd, Kind, ask, cast, make_results, visit
from tests.pages import text_of
from tests.people import sign_in_with

BIG, SMALL, THIRD = "Big model", "Small model", "A third"


def duel(first: tuple[int, int], second: tuple[int, int]) -> CategoryDuel:
    shares = [Share(right=right, of=of) for right, of in (first, second)]
    return CategoryDuel(category="Physics", origin="", images=1, first=shares[0], second=shares[1])


def test_categories_are_won_by_the_larger_share_and_compared_only_where_both_are_judged() -> None:
    duels = [duel((1, 2), (2, 5)), duel((1, 2), (2, 4)), duel((0, 3), (1, 9)), duel((2, 2), (0, 0))]

    assert [one.winner() for one in duels] == [Winner.FIRST, Winner.NEITHER, Winner.SECOND, None]
    assert count_wins(duels) == dict.fromkeys(Winner, Share(right=1, of=3))


def test_a_margin_says_up_to_which_difference_two_are_similar() -> None:
    duels = [duel((6, 10), (5, 10)), duel((5, 10), (6, 10)), duel((61, 100), (50, 100))]

    winners = {margin: [one.winner(margin=margin) for one in duels] for margin in (0, 9, 10, 11)}

    apart, alike = [Winner.FIRST, Winner.SECOND, Winner.FIRST], [Winner.NEITHER] * 3
    assert winners == {0: apart, 9: apart, 10: [*alike[:2], Winner.FIRST], 11: alike}
    assert count_wins(duels, margin=10)[Winner.NEITHER] == Share(right=2, of=3)


def test_images_without_a_category_win_none() -> None:
    without = replace(duel((2, 2), (1, 2)), is_category=False)

    assert without.winner() is None
    assert count_wins([without, duel((1, 2), (2, 2))])[Winner.SECOND] == Share(right=1, of=1)


def make_compared() -> Project:
    """Three categories: BIG wins the first, both are equal in the second, and the third has no SMALL."""
    project, images = make_results(images=4)
    names = ("Physics rules", "Physics rules", "Own idea", "Size")
    people = Crowd(project, people=3, right=1, seed=1).people
    yes, no = [True] * 3, [False, True, False]
    votes = [{BIG: yes, SMALL: no}, {BIG: yes, SMALL: yes, THIRD: no}, {BIG: no, SMALL: no}, {BIG: yes}]
    for image, name, said in zip(images, names, votes, strict=True):
        category, _ = Category.objects.get_or_create(name=name)
        Image.objects.filter(pk=image.pk).update(category=category)
        image.refresh_from_db()
        offers = ask(image, Kind.EXPLAIN, offers=[(source, None) for source in said])
        for option, each in zip(offers, said.values(), strict=True):
            cast(option, each, people)
    return project


def rows(client: Client, project: Project, name: str, **query: str) -> list[list[str]]:
    answer = client.get(reverse("admin:whoops_by_category_file", args=[project.pk, name]), query)
    return list(csv.reader(StringIO(b"".join(answer).decode("utf-8-sig"))))


@pytest.mark.django_db
def test_best_two_models_are_compared_with_counts(client: Client) -> None:
    project = make_compared()
    visit(client, project)

    compared = rows(client, project, "categories-compared")
    won = rows(client, project, "categories-won")

    assert compared == [
        ["category", "whose_it_is", "images", "Big model: acceptable", "Big model: judged",
         "Big model: share", "Small model: acceptable", "Small model: judged",
         "Small model: share", "better"],
        ["Physics rules", "Named in the paper", "2", "2", "2", "1.0", "1", "2", "0.5", "Big model"],
        ["Own idea", "Added by staff", "1", "0", "1", "0.0", "0", "1", "0.0", "Neither"],
        ["Size", "Ours: the paper does not name it", "1", "1", "1", "1.0", "0", "0", "", "–"],
    ]  # fmt: skip
    assert [row[:4] for row in won[1:]] == [
        ["Big model", "1", "2", "50.0 %"],
        ["Small model", "0", "2", "0.0 %"],
        ["Neither", "1", "2", "50.0 %"],
    ]


@pytest.mark.django_db
def test_researcher_picks_two_others_and_files_keep_the_choice(client: Client) -> None:
    project = make_compared()
    visit(client, project)
    address = reverse("admin:whoops_by_category", args=[project.pk])

    page = text_of(client.get(address, {"first": THIRD, "second": BIG}))
    twice = text_of(client.get(address, {"first": BIG, "second": BIG}))
    won = rows(client, project, "categories-won", first=THIRD, second=BIG)

    assert f"{address}categories-won.csv?first=A+third&amp;second=Big+model" in page
    assert [row[:3] for row in won[1:]] == [
        ["A third", "0", "1"],
        ["Big model", "1", "1"],
        ["Neither", "0", "1"],
    ]
    assert "Choose two different ones." in twice
    assert "Not compared, because one of the two has no judged explanation: 1." in twice


@pytest.mark.django_db
def test_images_without_a_category_are_shown_and_in_no_share_of_categories(client: Client) -> None:
    project = make_compared()
    visit(client, project)
    Image.objects.filter(category__name="Physics rules").update(category=None)

    compared = rows(client, project, "categories-compared")
    won = rows(client, project, "categories-won")
    page = text_of(client.get(reverse("admin:whoops_by_category", args=[project.pk])))

    assert [(row[0], row[1], row[-1]) for row in compared[1:3]] == [
        ("Without a category", "–", "–"),
        ("Own idea", "Added by staff", "Neither"),
    ]
    assert [row[:3] for row in won[1:]] == [
        ["Big model", "0", "1"],
        ["Small model", "0", "1"],
        ["Neither", "1", "1"],
    ]
    assert "Images without a category are in none of these." in page
    assert "no judged explanation: 1." in page


@pytest.mark.django_db
@pytest.mark.parametrize("margin", ["", "0", "20", "99", "x"])
def test_the_margin_is_chosen_on_the_page_and_is_0_unless_the_page_offers_it(
    client: Client, margin: str
) -> None:
    project = make_compared()
    visit(client, project)
    address = reverse("admin:whoops_by_category", args=[project.pk])

    page = text_of(client.get(address, {"margin": margin}))

    assert f"categories-won.csv?margin={margin}" in page
    words = "larger by more than 20 points of a hundred" if margin == "20" else "however small the difference"
    assert words in page
    assert "better in 46 % of the categories, worse in 23 %, and similarly in 31 %" in page


@pytest.mark.django_db
def test_a_chosen_margin_changes_who_wins_on_the_page_and_in_its_files(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(category_pages, "MARGINS", (0, 50))
    project = make_compared()
    visit(client, project)

    compared = rows(client, project, "categories-compared", margin="50")
    won = rows(client, project, "categories-won", margin="50")

    assert [(row[0], row[-1]) for row in compared[1:]] == [
        ("Physics rules", "Neither"), ("Own idea", "Neither"), ("Size", "–"),
    ]  # fmt: skip
    assert [row[:3] for row in won[1:]] == [
        ["Big model", "0", "2"],
        ["Small model", "0", "2"],
        ["Neither", "2", "2"],
    ]


@pytest.mark.django_db
def test_charts_have_a_bar_and_two_points_for_each_category(client: Client) -> None:
    project = make_compared()

    (_, compared) = by_category_tables(project)
    frequency, shares = compared.charts

    assert frequency.spec["data"]["values"][0] == {"category": "Physics rules", "images": 2}
    assert [(one["category"], one["who"], one["share"]) for one in shares.spec["data"]["values"]] == [
        ("Physics rules", BIG, 1.0), ("Physics rules", SMALL, 0.5), ("Own idea", BIG, 0.0),
        ("Own idea", SMALL, 0.0), ("Size", BIG, 1.0),
    ]  # fmt: skip


@pytest.mark.django_db
def test_page_without_two_judged_sources_says_what_to_do(client: Client) -> None:
    project, _ = make_results(images=1)
    visit(client, project)

    page = text_of(client.get(reverse("admin:whoops_by_category", args=[project.pk])))

    assert "There are no two sources to compare yet." in page


@pytest.mark.django_db
def test_queries_do_not_grow_and_strangers_see_nothing(client: Client) -> None:
    project = make_compared()
    visit(client, project)
    address = reverse("admin:whoops_by_category", args=[project.pk])

    with CaptureQueriesContext(connection) as queries:
        client.get(address)

    assert len(queries) < 20
    sign_in_with(client, "whoops.view_project")
    assert client.get(address).status_code == 404
