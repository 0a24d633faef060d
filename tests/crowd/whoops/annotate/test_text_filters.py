"""Text filters: the word list, a second one beside it, and the provenance of their verdicts."""

from collections.abc import Sequence
from typing import ClassVar

import pytest
from django.test import Client
from django.urls import reverse

from crowd.whoops.annotate.domain.disguised_words import find_disguised
from crowd.whoops.annotate.services import text_filters
from crowd.whoops.annotate.services.text_filters import DisguisedWords, Finding, TextFilter, WordList
from crowd.whoops.models import Annotation, Project
from crowd.whoops.results.queries.composition import filter_verdicts
from hits.identity.roles import RESEARCHER, REVIEWER
from tests.crowd.whoops.making_annotations import COARSE, GOOD, Annotators
from tests.pages import text_of
from tests.people import sign_in

LISTED = frozenset({"shit", "asshole"})
DISGUISED = {**GOOD, "explanation": "Nobody drinks this sh1t at all, because it is sand."}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What sh1t, really", [("sh1t", "shit")]),
        ("S.H.I.T! and $h!ts", [("S.H.I.T", "shit"), ("$h!ts", "shit")]),
        ("so s h i t is that", [("s h i t", "shit")]),
        ("shiiiiit and sh*t", [("shiiiiit", "shit"), ("sh*t", "shit")]),
        ("ѕhіt in Cyrillic, shít with an accent", [("ѕhіt", "shit"), ("shít", "shit")]),
        ("a\u200bsshole", [("a\u200bsshole", "asshole")]),
        ("shit stands there openly", []),
        ("a shirt, a shift, Shiite, 5417 and *** or a b c", []),
        ("I am in Apt 4, on 7th", []),
    ],
)
def test_disguised_words_are_found_and_innocent_ones_are_not(
    text: str, found: Sequence[tuple[str, str]]
) -> None:
    assert list(find_disguised(text, LISTED)) == found


def test_each_filter_names_a_version_that_depends_on_its_list() -> None:
    words, disguised = WordList(), DisguisedWords()

    assert len(words.version) == 8
    assert disguised.version == f"1-{words.version}"


@pytest.mark.django_db
def test_word_list_alone_lets_a_disguised_word_through_and_says_that_it_read() -> None:
    annotators = Annotators()

    annotators.answer(DISGUISED)

    row = Annotation.objects.get()
    assert (row.state, row.flags) == ("counted", [])
    assert row.filtered_by == [
        {"filter": "words", "name": "Word list", "version": WordList().version, "found": []}
    ]


@pytest.mark.django_db
def test_second_filter_holds_back_what_it_finds_with_its_provenance() -> None:
    annotators = Annotators(second_filter="disguised")

    annotators.answer(DISGUISED)
    annotators.answer(COARSE)

    first, second = Annotation.objects.order_by("pk")
    assert (first.state, first.flags) == ("held", ["explanation: sh1t"])
    assert [verdict["filter"] for verdict in first.filtered_by] == ["words", "disguised"]
    assert first.filtered_by[1]["found"] == [{"text": "explanation", "written": "sh1t", "stands_for": "shit"}]
    assert second.flags == ["caption: shit"]
    counted = filter_verdicts(annotators.project)
    assert [(one.name, one.found.right, one.found.of, one.alone) for one in counted] == [
        ("Disguised words", 1, 2, 1), ("Word list", 1, 2, 1),
    ]  # fmt: skip


class NoSand(TextFilter):
    key: ClassVar[str] = "sand"
    name: ClassVar[str] = "No sand"
    about: ClassVar[str] = "Sand."
    version = "7"

    def find(self, text: str) -> Sequence[Finding]:
        return [Finding(written="sand", stands_for="sand")] if "sand" in text else []


@pytest.mark.django_db
def test_another_filter_is_plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_filters, "_second", {})
    text_filters.register(NoSand())
    annotators = Annotators(second_filter="sand")

    annotators.answer()

    row = Annotation.objects.get()
    assert row.flags == ["caption: sand", "explanation: sand"]
    assert row.filtered_by[1]["version"] == "7"


@pytest.mark.django_db
def test_filter_that_is_gone_stops_no_annotation_and_is_not_said_to_have_read() -> None:
    annotators = Annotators(second_filter="gone")

    annotators.answer()

    assert [one["filter"] for one in Annotation.objects.get().filtered_by] == ["words"]


@pytest.mark.django_db
def test_reviewers_see_what_a_word_stands_for_and_who_read_it(client: Client) -> None:
    annotators = Annotators(second_filter="disguised")
    annotators.answer(DISGUISED)
    sign_in(client, REVIEWER, annotators.project.study)
    row = Annotation.objects.get()

    held = text_of(client.get(reverse("admin:whoops_held", args=[annotators.project.pk])))
    own = text_of(client.get(reverse("admin:whoops_annotation_change", args=[row.pk])))

    for page in (held, own):
        assert "<mark>sh1t</mark> (disguised words: shit)" in page
        assert f"Disguised words {DisguisedWords().version}" in page


@pytest.mark.django_db
def test_researchers_choose_the_second_filter(client: Client) -> None:
    project = Annotators().project
    sign_in(client, RESEARCHER, project.study)
    settings = reverse("admin:whoops_settings", args=[project.pk])
    values = {
        "control_wanted": 3, "control_needed": 2, "reviews_wanted": 4, "annotations_wanted": 5,
        "judges_wanted": 3, "image_pay": "6.00", "negatives": 25,
    }  # fmt: skip
    assert "Disguised words" in text_of(client.get(settings))

    client.post(settings, {**values, "second_filter": "disguised"})
    refused = client.post(settings, {**values, "second_filter": "unknown"})

    assert Project.objects.get(pk=project.pk).second_filter == "disguised"
    assert "Select a valid choice" in refused.text
