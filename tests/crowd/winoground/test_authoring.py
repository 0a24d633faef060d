"""Writing examples: drafts that lack anything, what makes one ready, and conflicts between two authors."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from crowd.pictures.models import Picture
from crowd.winoground.domain import ONBOARDING
from crowd.winoground.models import Example, FirstQuestion, Tag
from crowd.winoground.services.example_writing import (
    SourcedPicture,
    WrittenExample,
    change_example,
    mark_ready,
    reopen_example,
    restore_example,
    withdraw_example,
    write_example,
)
from crowd.winoground.services.posted_examples import ask_examples
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.crowd.pictures.images import make_raster
from tests.crowd.winoground.making_examples import (
    CAPTIONS,
    CREDITS,
    make_example,
    make_own_picture,
    make_project,
    written,
)
from tests.factories import NOW, make_assignment, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)
State = Example.State
DIFFERENT = (
    "The captions have different words (only in A: a; only in B: the). Use the same words in another order."
)


def fresh(example: Example) -> Example:
    return Example.objects.get(pk=example.pk)


def test_examples_are_numbered_in_their_project() -> None:
    first, second = make_project(), make_project()

    examples = [
        make_example(project, seed=seed, ready=False) for seed, project in enumerate((first, second, first))
    ]

    assert [example.number for example in examples] == [1, 1, 2]
    assert str(examples[2]) == "Example 2"


def test_empty_draft_is_kept_and_says_what_it_lacks() -> None:
    example = make_example(make_project(), words=WrittenExample(), ready=False)

    faults = mark_ready(example=example, now=LATER)

    assert list(faults) == ["caption_0", "caption_1", "image_0", "image_1", "swap", "tags", "predicates"]
    assert (fresh(example).state, fresh(example).changed_at) == (State.DRAFT, NOW)


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        (
            {"caption_1": "the blue box under a red ball"},
            {"caption_1": [DIFFERENT]},
        ),
        (
            {"caption_1": "A red ball under a blue box!"},
            {"caption_1": ["Both captions are the same, word for word. Change the order of the words."]},
        ),
        (
            {"caption_1": "A red ball under a blue box!", "has_altered_morpheme": True},
            {"caption_1": ["Both captions are the same, word for word. Change the order of the words."]},
        ),
        ({"caption_1": "balls of red under boxes", "has_altered_morpheme": True}, {}),
        ({"tags": []}, {"tags": ["Choose at least one tag."]}),
        ({"swap": ""}, {"swap": ["Say what is swapped."]}),
    ],
    ids=["different", "same", "same-altered", "altered", "tags", "swap"],
)
def test_ready_needs_the_same_words_and_all_labels(
    changes: dict[str, Any], faults: dict[str, list[str]]
) -> None:
    example = make_example(make_project(), ready=False, **changes)

    assert mark_ready(example=example, now=LATER) == faults
    assert fresh(example).state == (State.DRAFT if faults else State.READY)


def test_ready_needs_what_is_said_of_the_pictures_and_that_they_are_shown() -> None:
    pictures = [make_own_picture(seed=seed) for seed in (1, 2)]
    shown = (
        SourcedPicture(picture=pictures[0], **{**CREDITS, "licence": ""}),
        SourcedPicture(picture=pictures[1], **CREDITS),
    )
    example = make_example(make_project(), words=written(shown=shown), ready=False)
    Picture.objects.filter(pk=pictures[1].pk).update(
        status="removed", former_status="fit", removed_at=NOW, removal_reason="No."
    )

    assert mark_ready(example=example, now=LATER) == {
        "licence_0": ["Say under which licence the picture may be shown."],
        "image_1": ["This picture is not shown to anybody any more. Choose another one."],
    }


def test_second_example_with_the_same_captions_is_not_ready() -> None:
    project = make_project()
    make_example(project, seed=0)
    twin = make_example(project, seed=1, ready=False, caption_0=CAPTIONS[0].upper())

    assert mark_ready(example=twin, now=LATER) == {"caption_1": ["Example 1 has the same two captions."]}
    assert mark_ready(example=make_example(make_project(), seed=2, ready=False), now=LATER) == {}


def test_one_picture_on_both_sides_is_refused() -> None:
    shown = SourcedPicture(picture=make_own_picture(seed=1), **CREDITS)

    with pytest.raises(RuleBroken, match="picture A once more"):
        make_example(make_project(), words=written(shown=(shown, shown)), ready=False)

    assert not Example.objects.exists()


def test_key_sent_twice_makes_one_example() -> None:
    project, by, key, words = make_project(), make_user(), uuid4(), written()
    once = write_example(project=project, by=by, key=key, written=words, wants_ready=True, now=NOW)

    again = write_example(project=project, by=by, key=key, written=words, wants_ready=True, now=LATER)

    assert (once.is_new, again.is_new, again.changes) == (True, False, [])
    assert Example.objects.get().changed_at == NOW
    with pytest.raises(RuleBroken, match="A colleague has changed"):
        write_example(
            project=project,
            by=by,
            key=key,
            written=written(seed=1, note="Other"),
            wants_ready=True,
            now=LATER,
        )
    assert Example.objects.get().note == ""


def test_change_is_told_in_words_and_takes_a_ready_one_back_to_a_draft() -> None:
    words = written()
    example = make_example(make_project(), words=words)
    other, _ = Tag.objects.get_or_create(name="Scope")
    new = written(shown=words.shown, swap="both", tags=[*words.tags, other.pk], new_tags=["Of ours"])

    kept = change_example(example=example, by=make_user(), written=new, seen=NOW, now=LATER)

    assert kept.changes == [
        "what is swapped: Object → Both",
        "tags: Noun Phrase → Noun Phrase; Of ours; Scope",
        "state: Ready → Draft",
    ]
    now = fresh(example)
    assert (now.state, now.swap, now.changed_at) == (State.DRAFT, "both", LATER)
    assert [tag.name for tag in now.tags.all()] == ["Noun Phrase", "Of ours", "Scope"]


def test_stale_change_is_refused_and_changes_nothing() -> None:
    words = written()
    example = make_example(make_project(), words=words)
    by = make_user()
    mine = written(shown=words.shown, note="Mine")
    change_example(example=example, by=by, written=mine, seen=NOW, wants_ready=True, now=NOW)

    theirs = written(shown=words.shown, note="Theirs", new_tags=["Never kept"])

    with pytest.raises(RuleBroken) as refused:
        change_example(example=example, by=by, written=theirs, seen=NOW, wants_ready=True, now=LATER)

    assert refused.value.code == "stale"
    # The mark moves on even within one moment of the clock.
    assert fresh(example).changed_at == NOW + timedelta(microseconds=1)
    assert (fresh(example).note, fresh(example).state) == ("Mine", State.READY)
    assert not Tag.objects.filter(name="Never kept").exists()
    assert (
        change_example(example=example, by=by, written=mine, seen=NOW, wants_ready=True, now=LATER).changes
        == []
    )


def test_credit_is_changed_with_the_example() -> None:
    words = written()
    example = make_example(make_project(), words=words)
    picture = words.shown[0].picture
    assert picture
    shown = (SourcedPicture(picture=picture, source="web", credit="The lab", licence="CC0"), words.shown[1])

    kept = change_example(
        example=example, by=make_user(), written=written(shown=shown), seen=NOW, wants_ready=True, now=LATER
    )

    picture.refresh_from_db()
    assert (picture.source, picture.credit, picture.licence) == ("web", "The lab", "CC0")
    assert kept.changes == [
        "source of picture A: own photo → web",
        "licence of picture A: CC BY 4.0 → CC0",
    ]


def test_words_of_a_picture_that_others_show_stay_and_empty_ones_are_filled_in() -> None:
    pooled = make_raster(seed=9, concept="ball", source="archive")
    shown = (
        SourcedPicture(picture=pooled, **CREDITS),
        SourcedPicture(picture=make_own_picture(seed=2), **CREDITS),
    )

    kept = write_example(
        project=make_project(),
        by=make_user(),
        key=uuid4(),
        written=written(shown=shown),
        wants_ready=True,
        now=NOW,
    )

    pooled.refresh_from_db()
    assert (pooled.source, pooled.credit, pooled.licence) == ("archive", "The lab", "CC BY 4.0")
    assert [note.partition(":")[0] for note in kept.notes] == ["Picture A is shown elsewhere, too"]
    assert kept.example.state == State.READY


def test_withdrawn_example_comes_back_as_it_was() -> None:
    example = make_example(make_project())

    assert withdraw_example(example=example, now=LATER)
    assert not withdraw_example(example=example, now=LATER)
    assert fresh(example).state == State.WITHDRAWN
    with pytest.raises(RuleBroken, match="withdrawn meanwhile"):
        change_example(example=example, by=make_user(), written=written(seed=4), seen=LATER, now=LATER)
    with pytest.raises(RuleBroken, match="Restore it instead"):
        reopen_example(example=example, now=LATER)
    assert restore_example(example=example, now=LATER)
    assert not restore_example(example=example, now=LATER)
    assert mark_ready(example=example, now=LATER) == {}
    assert mark_ready(example=example, now=LATER) == {}
    assert reopen_example(example=example, now=LATER)
    assert fresh(example).caption_0 == CAPTIONS[0]


def test_asked_example_stays_and_withdrawing_it_asks_nobody_new() -> None:
    project, words = make_project(), written()
    example = make_example(project, words=words)
    ask_examples(project=project, examples=[example.pk], now=LATER)

    for move in (reopen_example, restore_example):
        with pytest.raises(RuleBroken):
            move(example=example, now=LATER)
    with pytest.raises(RuleBroken) as refused:
        change_example(
            example=example, by=make_user(), written=written(shown=words.shown, note="x"), seen=NOW, now=LATER
        )
    assert refused.value.code == "not_writable"
    assert Item.objects.filter(pulled_at=None).count() == 4

    withdraw_example(example=example, now=LATER)

    assert Item.objects.filter(pulled_at=LATER).count() == 4


def test_captions_and_pictures_stay_once_workers_were_asked_and_labels_may_be_mended() -> None:
    project, words, by = make_project(), written(), make_user()
    example = make_example(project, words=words)
    ask_examples(project=project, examples=[example.pk], now=LATER)
    withdraw_example(example=example, now=LATER)
    restore_example(example=example, now=LATER)
    seen = fresh(example).changed_at

    other = written(shown=words.shown, caption_0=CAPTIONS[1], caption_1=CAPTIONS[0])

    with pytest.raises(RuleBroken) as refused:
        change_example(example=example, by=by, written=other, seen=seen, now=LATER)
    mended = written(shown=words.shown, is_symbolic=True)
    change_example(example=example, by=by, written=mended, seen=seen, wants_ready=True, now=LATER)

    assert refused.value.code == "fixed"
    assert (fresh(example).caption_0, fresh(example).is_symbolic) == (CAPTIONS[0], True)
    assert fresh(example).state == State.READY
    ask_examples(project=project, examples=[example.pk], now=LATER)
    assert Item.objects.filter(pulled_at=None).count() == 4


@pytest.mark.parametrize(
    ("was_asked", "is_away", "is_ready"),
    [(False, False, False), (True, True, False), (False, True, True)],
)
def test_picture_of_the_first_questions_is_in_no_example(
    was_asked: bool, is_away: bool, is_ready: bool
) -> None:
    example = make_example(make_project(), ready=False)
    project, picture = example.project, example.image_1
    assert picture is not None
    item = Item.objects.create(
        study=project.study, task=ONBOARDING, wanted=1, pulled_at=NOW if is_away else None
    )
    FirstQuestion.objects.create(item=item, picture=picture, caption="a ball", is_match=True)
    if was_asked:
        work = make_assignment()
        Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=NOW)

    faults = mark_ready(example=example, now=NOW)

    words = "This picture is in the first questions. Choose another one."
    assert faults == ({} if is_ready else {"image_1": [words]})
    assert fresh(example).state == (State.READY if is_ready else State.DRAFT)


def test_picture_of_another_studys_first_questions_may_be_shown() -> None:
    example = make_example(make_project(), ready=False)
    assert example.image_1 is not None
    item = Item.objects.create(study=make_project().study, task=ONBOARDING, wanted=1)
    FirstQuestion.objects.create(item=item, picture=example.image_1, caption="a ball", is_match=True)

    assert mark_ready(example=example, now=NOW) == {}
