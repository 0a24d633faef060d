"""Questions for the solver's test from an association list, and the page that makes them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.pictures.models import Picture
from crowd.winogavil.domain import PAPER_ASKS, SOLVER_TEST
from crowd.winogavil.models import Association
from crowd.winogavil.services.test_generation import Order, add_questions, look_ahead
from hits.batches.services import drafting
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from qualifications.models import SwowList
from qualifications.queries.association_graph import has_edge
from tests.factories import NOW, make_batch, make_picture
from tests.pages import text_of
from tests.people import sign_in
from tests.qualifications.files import said, word
from tests.qualifications.lists import make_list

pytestmark = pytest.mark.django_db
CONCEPTS = [word(number) for number in range(0, 170, 17)]
CUES = [word(number) for number in range(5_000, 5_039, 13)]


@pytest.fixture
def pool() -> None:
    for concept in CONCEPTS:
        make_picture(concept=concept.upper())


@pytest.fixture
def swow() -> SwowList:
    """A list of three cues, the last with the weakest associations; a coarse cue has weaker ones still."""
    answers = [
        row
        for number, cue in enumerate(CUES)
        for row in said(
            cue, ("other", 90), *((concept, 9 - 3 * number) for concept in CONCEPTS[number : number + 2])
        )
    ]
    coarse = said("bastard", ("other", 90), (CONCEPTS[0], 2), (CONCEPTS[1], 2))
    known = [row for concept in CONCEPTS for row in said(concept, ("other", 1))]
    return make_list([*answers, *coarse, *known])


def make_order(study: Study, swow: SwowList, **changes: Any) -> Order:
    batch = changes.pop("batch", None) or make_batch(study=study, task=SOLVER_TEST)
    return Order(**{"batch": batch, "swow": swow, "size": 5, "count": 2, "seed": 7, **changes})


@pytest.mark.usefixtures("pool")
def test_weak_associations_come_first_and_distractors_have_no_edge(study: Study, swow: SwowList) -> None:
    order = make_order(study, swow)

    found = look_ahead(order)

    assert [question.cue for question in found] == [CUES[2], CUES[1]]
    for question in found:
        others = [picture.concept for picture, belongs in question.pictures if not belongs]
        assert len(others) == 3
        assert not any(has_edge(swow=swow, one=question.cue, other=concept) for concept in others)
    assert look_ahead(order) == found


@pytest.mark.usefixtures("pool")
def test_questions_become_the_drafts_own_and_the_next_go_on(study: Study, swow: SwowList) -> None:
    batch = make_batch(study=study, task=SOLVER_TEST)

    added = [
        add_questions(make_order(study, swow, batch=batch, count=count), seen=there, now=NOW)
        for count, there in ((2, 0), (1, 2))
    ]

    batch.refresh_from_db()
    assert added == [2, 1]
    assert [one.cue for one in Association.objects.order_by("pk")] == [CUES[2], CUES[1], CUES[0]]
    assert (batch.items_from, batch.items.filter(task=SOLVER_TEST, pulled_at=None).count()) == ("file", 3)


@pytest.mark.usefixtures("pool")
def test_asking_twice_at_once_adds_once(study: Study, swow: SwowList) -> None:
    order = make_order(study, swow)
    add_questions(order, seen=0, now=NOW)

    with pytest.raises(RuleBroken, match="by now"):
        add_questions(make_order(study, swow, batch=order.batch, count=1), seen=0, now=NOW)

    assert Item.objects.count() == 2


def test_a_pool_that_lacks_concepts_is_told_with_the_number(study: Study, swow: SwowList) -> None:
    for concept in CONCEPTS[:3]:
        make_picture(concept=concept)

    with pytest.raises(RuleBroken, match="Only 0 of 2 can be made: list and pool gave 0\\."):
        add_questions(make_order(study, swow), now=NOW)

    assert not Item.objects.exists()


def test_too_few_that_can_be_shown_are_told_with_the_number_asked_for_and_the_reason(
    study: Study, swow: SwowList
) -> None:
    """Every concept has the same picture: what a list gives cannot be shown."""
    for concept in CONCEPTS:
        make_picture(concept=concept)
    Picture.objects.update(perceptual_hash=0)

    with pytest.raises(RuleBroken) as refused:
        look_ahead(make_order(study, swow, count=2))

    assert str(refused.value) == (
        "Only 0 of 2 can be made: list and pool gave 4, 1 of them with coarse words, 3 of them with pictures "
        "that are nearly alike. Ask for fewer, use another seed, or add pictures of more concepts."
    )


@pytest.mark.usefixtures("pool")
def test_draft_that_has_some_already_is_told_how_many_more_there_are(study: Study, swow: SwowList) -> None:
    batch = make_batch(study=study, task=SOLVER_TEST)
    add_questions(make_order(study, swow, batch=batch), now=NOW)

    with pytest.raises(RuleBroken, match=r"Only 1 of 2 can be made: .* 2 of them asked already"):
        look_ahead(make_order(study, swow, batch=batch))


def test_other_batches_are_given_none(study: Study, swow: SwowList) -> None:
    with pytest.raises(RuleBroken, match="solver's test only"):
        look_ahead(make_order(study, swow, batch=make_batch(study=study)))


@pytest.mark.usefixtures("pool")
def test_page_shows_what_would_be_made_and_adds_it(client: Client, study: Study, swow: SwowList) -> None:
    draft = make_batch(study=study, task=SOLVER_TEST)
    theirs = make_batch(task=SOLVER_TEST)
    sign_in(client, RESEARCHER, study)
    address = reverse("admin:winogavil_make_test")
    form: dict[str, Any] = {
        "batch": draft.pk,
        "swow": swow.pk,
        "count": "2",
        "size": "5",
        "seed": "7",
        "there": "0",
    }

    looked = client.get(address, {**form, "asked": "yes"})
    before = Item.objects.count()
    client.post(address, {**form, "batch": theirs.pk, "confirmed": "yes"})
    answer = client.post(address, {**form, "confirmed": "yes"})

    assert looked.content.decode().count("✓ belongs") == 4
    assert before == 0
    assert answer["Location"] == reverse("admin:hits_batch_step", args=[draft.pk, "what"])
    assert (draft.items.count(), theirs.items.count()) == (2, 0)


def test_page_says_what_is_missing_and_is_for_researchers(client: Client, study: Study) -> None:
    address = reverse("admin:winogavil_make_test")
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(f"{address}?study={study.pk}"))
    leads = text_of(client.get(reverse("admin:winogavil_of_study", args=[study.pk])))
    sign_in(client, REVIEWER, study)
    refused = client.get(address)

    assert "There is no draft yet" in page
    assert "There is no association list yet" in page
    assert f"{address}?study={study.pk}" in leads
    assert refused.status_code == 403


def test_sets_for_the_test_are_drawn_beside_those_for_spymasters(client: Client, study: Study) -> None:
    for _ in range(6):
        make_picture()
    sign_in(client, RESEARCHER, study)
    form = {"size": "5", "count": "2", "seed": "7", "swow": "", "study": study.pk, "confirmed": "yes"}

    for task in ("winogavil.creator_test", ""):
        client.post(reverse("admin:winogavil_draw"), {**form, "task": task})
    page = client.get(reverse("admin:winogavil_pictureset_changelist")).content.decode()

    assert list(Item.objects.order_by("pk").values_list("task", "wanted")) == [
        ("winogavil.creator_test", 30_000),
        ("winogavil.creator_test", 30_000),
        ("winogavil.create", 3),
        ("winogavil.create", 3),
    ]
    numbers = [item.picture_set.recipe["number"] for item in Item.objects.order_by("pk")]
    assert numbers == [1, 2, 3, 4]
    assert page.count("any number</td>") == 2


def test_questions_of_a_test_are_no_associations_of_the_study(client: Client, study: Study) -> None:
    batch = make_batch(study=study, task=SOLVER_TEST, items_from="file")
    pictures = [make_picture(concept=concept) for concept in CONCEPTS[:5]]
    names = "|".join(picture.key for picture in pictures)
    chosen = "|".join(picture.key for picture in pictures[:2])
    drafting.add_items(batch=batch, content=f"cue,candidates,chosen\nsnowy,{names},{chosen}\n".encode())
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(reverse("admin:winogavil_association_changelist")))

    assert batch.items.get().association.cue == "snowy"
    assert "snowy" not in page


@pytest.mark.parametrize("guarded", ["Accept", "DiscoverPreviewAndAccept"])
def test_what_the_paper_asks_of_workers_is_taken_over_by_one_click(
    client: Client, study: Study, guarded: str
) -> None:
    batch = make_batch(study=study)
    sign_in(client, RESEARCHER, study)
    address = reverse("admin:hits_batch_step", args=[batch.pk, "people"])
    shown = text_of(client.get(address))
    form = {"guarded": guarded, "approved_percent": "90", "adult": "on", "preset": ""}

    answer = client.post(address, {**form, "seen": drafting.stamp(batch, "people")})

    saved = Batch.objects.get(pk=batch.pk).requirements
    guard = {} if guarded == "Accept" else {"ActionsGuarded": guarded}
    adult = {"QualificationTypeId": "00000000000000000060", "Comparator": "EqualTo", "IntegerValues": [1]}
    assert saved == [{**row, **guard} for row in (*PAPER_ASKS, adult)]
    assert "in per cent: more than 98" in shown
    assert answer["Location"] == address
    if guarded == "Accept":
        assert "Ask for that too" not in text_of(client.get(address))
