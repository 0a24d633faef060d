"""Letters on a picture make it unfit until a person says otherwise."""

from datetime import datetime, timedelta

import pytest

from crowd.pictures import removal
from crowd.pictures.models import Picture
from crowd.pictures.services import manual_check
from crowd.pictures.services.flagged_pictures import allow_flagged, disallow_flagged, drop_flagged
from crowd.pictures.services.picture_entry import describe_picture
from crowd.pictures.services.preparation import read_pictures
from crowd.pictures.services.removing_pictures import (
    recheck_pictures,
    remove_pictures,
    restore_pictures,
)
from crowd.pictures.tasks import next_tending
from hits.core.models.audit_events import AuditEvent
from tests.crowd.pictures.images import make_raster
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)
Heard = list[tuple[list[int], bool, datetime]]


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    """What the families hear: which pictures, and whether they are shown now."""
    told: Heard = []
    monkeypatch.setattr(removal, "_listeners", [])
    removal.on_change(lambda *, picture_ids, shown, now: told.append((list(picture_ids), shown, now)))
    return told


def make_written(words: str, *, seed: int = 0, concept: str = "library", is_checked: bool = True) -> Picture:
    """A picture of the pool on which these words were read."""
    picture = make_raster(seed=seed, concept=concept, is_checked=is_checked)

    class Reader:
        name = "fake 1"

        def read(self, content: bytes) -> str:
            return words

    read_pictures(reader=Reader())
    picture.refresh_from_db()
    return picture


def state(picture: Picture) -> tuple[str, str]:
    picture.refresh_from_db()
    return picture.status, picture.unfit_reason


@pytest.mark.parametrize("is_checked", [True, False], ids=["marked-as-checked", "waiting"])
@pytest.mark.parametrize(
    ("words", "reason"), [("brary", "concept"), ("open daily", "words"), ("Library", "concept")]
)
def test_letters_make_a_picture_unfit(heard: Heard, words: str, reason: str, is_checked: bool) -> None:
    picture = make_written(words, is_checked=is_checked)

    counts = [drop_flagged(now=NOW), drop_flagged(now=LATER)]

    assert counts == [1, 0]
    assert state(picture) == ("unfit", reason)
    assert (picture.flagged_at, picture.checked_at) == (NOW, None)
    assert not Picture.objects.playable().exists()
    assert heard == ([([picture.pk], False, NOW)] if is_checked else [])


def test_a_picture_without_letters_or_outside_the_pool_stays(heard: Heard) -> None:
    make_written("")
    of_item = make_written("STOP", seed=1)
    Picture.objects.filter(pk=of_item.pk).update(in_pool=False)

    assert drop_flagged(now=NOW) == 0
    assert set(Picture.objects.values_list("status", flat=True)) == {"fit"}
    assert heard == []


def test_a_persons_verdict_stands_against_letters_that_are_read_later() -> None:
    picture = make_raster(concept="library", is_checked=False)
    manual_check.pass_picture(picture=picture, by=make_user(), now=NOW)
    Picture.objects.update(shows_words=True, ocr_text="STOP")

    assert drop_flagged(now=LATER) == 0
    assert state(picture) == ("fit", "")


def test_a_picture_that_somebody_is_checking_is_theirs_to_decide() -> None:
    picture = make_written("STOP", is_checked=False)
    manual_check.claim_picture(by=make_user(), now=NOW)

    during = drop_flagged(now=LATER)
    after = drop_flagged(now=NOW + manual_check.LEASE)

    assert (during, after) == (0, 1)
    assert state(picture) == ("unfit", "words")


def test_the_sweep_wakes_when_nobody_holds_a_picture_with_letters_any_more() -> None:
    make_written("STOP", is_checked=False)
    make_raster(seed=1, is_checked=False)
    before = next_tending(now=NOW)
    for _ in range(2):
        manual_check.claim_picture(by=make_user(), now=NOW)
    held = next_tending(now=LATER)
    drop_flagged(now=NOW + manual_check.LEASE)

    assert (before, held) == (None, NOW + manual_check.LEASE)
    assert next_tending(now=NOW + manual_check.LEASE) is None


def test_a_person_says_otherwise_and_takes_it_back_for_the_record(heard: Heard) -> None:
    pictures = [make_written("STOP", seed=seed) for seed in range(2)]
    drop_flagged(now=NOW)
    heard.clear()
    ann = make_user()

    allowed = allow_flagged(pictures=pictures, by=ann, now=LATER)
    again = drop_flagged(now=LATER)
    fit = list(Picture.objects.playable().order_by("pk"))
    taken_back = disallow_flagged(pictures=pictures[:1], by=ann, now=LATER)

    assert (allowed, again, fit, taken_back) == (2, 0, pictures, 1)
    assert [state(one) for one in pictures] == [("unfit", "words"), ("fit", "")]
    assert [one.checked_by for one in pictures] == [None, ann]
    assert [one.is_undecided for one in pictures] == [True, False]
    keys = [one.pk for one in pictures]
    assert heard == [(keys, True, LATER), (keys[:1], False, LATER)]
    notes = AuditEvent.objects.order_by("pk").values_list("kind", "by")
    assert list(notes) == [("picture.flag_overruled", ann.pk)] * 2 + [("picture.flag_restored", ann.pk)]


def test_only_what_letters_decided_is_allowed(heard: Heard) -> None:
    person, plain, gone = (make_written("STOP", seed=seed, is_checked=False) for seed in range(3))
    manual_check.refuse_picture(picture=person, reason="words", by=make_user(), now=NOW)
    manual_check.refuse_picture(picture=plain, reason="inappropriate", by=make_user(), now=NOW)
    drop_flagged(now=NOW)
    remove_pictures(pictures=[gone], reason="Rude.", by=make_user(), now=NOW)
    before = [state(one) for one in (person, plain, gone)]

    count = allow_flagged(pictures=[person, plain, gone], by=make_user(), now=LATER)

    assert count == 0
    assert [state(one) for one in (person, plain, gone)] == before
    assert heard == []
    assert not AuditEvent.objects.filter(kind__startswith="picture.flag").exists()


def test_taking_back_leaves_pictures_without_letters_alone() -> None:
    picture = make_written("")

    assert disallow_flagged(pictures=[picture], by=make_user(), now=NOW) == 0
    assert state(picture) == ("fit", "")


def test_a_removed_picture_with_letters_comes_back_as_unfit() -> None:
    picture = make_written("STOP")
    remove_pictures(pictures=[picture], reason="Rude.", by=make_user(), now=NOW)

    drop_flagged(now=NOW)
    removed = state(picture)
    restore_pictures(pictures=[picture], reason="It is not.", by=make_user(), now=LATER)

    assert removed[0] == "removed"
    assert state(picture) == ("unfit", "words")
    assert picture.is_undecided


def test_what_is_sent_back_to_the_check_waits_for_a_colleague() -> None:
    picture = make_written("STOP")
    drop_flagged(now=NOW)

    recheck_pictures(pictures=[picture], by=make_user(), now=LATER)

    assert drop_flagged(now=LATER) == 0
    assert list(manual_check.waiting_pictures(now=LATER)) == [picture]


def test_a_corrected_concept_that_the_letters_show_makes_it_unfit_again(heard: Heard) -> None:
    picture = make_written("brary", concept="building")
    drop_flagged(now=NOW)
    allow_flagged(pictures=[picture], by=make_user(), now=NOW)
    picture.refresh_from_db()
    heard.clear()

    picture.concept = "old building"
    describe_picture(picture)
    same_letters = state(picture)
    picture.concept = "library"
    describe_picture(picture)

    assert same_letters == ("fit", "")
    assert state(picture) == ("unfit", "concept")
    assert (picture.checked_by, picture.is_undecided) == (None, True)
    assert [(keys, shown) for keys, shown, _ in heard] == [([picture.pk], False)]


@pytest.mark.parametrize("is_removed", [False, True], ids=["in-the-pool", "removed"])
@pytest.mark.parametrize(
    ("words", "before", "concept", "found"),
    [
        ("library", "library", "building", ("unfit", "words")),
        ("library", "building", "library", ("unfit", "concept")),
        ("X", "X", "letter", ("waiting", "")),
    ],
)
def test_where_letters_alone_decided_they_decide_again_about_a_corrected_concept(
    words: str, before: str, concept: str, found: tuple[str, str], is_removed: bool
) -> None:
    picture = make_written(words, concept=before)
    drop_flagged(now=NOW)
    if is_removed:
        remove_pictures(pictures=[picture], reason="Rude.", by=make_user(), now=NOW)
    picture.refresh_from_db()

    picture.concept = concept
    describe_picture(picture)
    if is_removed:
        restore_pictures(pictures=[picture], reason="It is not.", by=make_user(), now=LATER)

    assert state(picture) == found


def test_a_concept_corrected_into_another_that_the_letters_show_makes_it_unfit_again() -> None:
    picture = make_written("library tower", concept="library")
    drop_flagged(now=NOW)
    allow_flagged(pictures=[picture], by=make_user(), now=NOW)
    picture.refresh_from_db()
    picture.caption = "A house of books"
    describe_picture(picture)
    same_concept = state(picture)

    picture.concept = "tower"
    describe_picture(picture)

    assert (same_concept, state(picture)) == (("fit", ""), ("unfit", "concept"))


def test_many_flagged_pictures_are_dropped_in_several_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crowd.pictures.services.flagged_pictures.AT_ONCE", 2)
    for seed in range(5):
        make_written("STOP", seed=seed)

    assert drop_flagged(now=NOW) == 5
    assert Picture.objects.undecided().count() == 5
