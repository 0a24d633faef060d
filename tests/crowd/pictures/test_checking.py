from datetime import datetime, timedelta
from typing import Any

import pytest

from crowd.pictures import removal
from crowd.pictures.models import Picture
from crowd.pictures.services import manual_check
from crowd.pictures.services.manual_check import (
    LEASE,
    UNDO_FOR,
    claim_picture,
    pass_picture,
    refuse_picture,
    skip_picture,
    undo_check,
    waiting_pictures,
)
from hits.core.errors import RuleBroken
from tests.crowd.pictures.images import make_waiting
from tests.factories import NOW, make_picture, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)


def facts(picture: Picture) -> tuple[Any, ...]:
    picture.refresh_from_db()
    return picture.status, picture.unfit_reason, picture.checked_by, picture.checked_at


def test_two_checkers_never_get_the_same_picture() -> None:
    pictures = make_waiting(3)
    ann, bob = make_user(), make_user()

    claimed = [claim_picture(by=user, now=NOW) for user in (ann, bob, ann, bob)]

    assert claimed == [pictures[0], pictures[1], pictures[0], pictures[1]]
    assert list(waiting_pictures(now=NOW)) == [pictures[2]]


def test_lost_race_for_a_picture_gives_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = make_waiting(2)
    ann, bob = make_user(), make_user()
    claim = manual_check._claim

    def rob(picture: Picture, **kwargs: Any) -> bool:
        monkeypatch.setattr(manual_check, "_claim", claim)
        assert claim_picture(by=bob, now=NOW) == pictures[0]
        return claim(picture, **kwargs)

    monkeypatch.setattr(manual_check, "_claim", rob)

    assert claim_picture(by=ann, now=NOW) == pictures[1]


def test_picture_that_is_left_lying_is_free_again_after_a_while() -> None:
    (picture,) = make_waiting(1)
    ann, bob = make_user(), make_user()
    claim_picture(by=ann, now=NOW)

    just_before = claim_picture(by=bob, now=NOW + LEASE - timedelta(seconds=1))
    after = claim_picture(by=bob, now=NOW + LEASE)

    assert (just_before, after) == (None, picture)


def test_verdicts_are_written_with_who_and_when() -> None:
    first, second = make_waiting(2)
    ann = make_user()

    pass_picture(picture=first, by=ann, now=NOW)
    refuse_picture(picture=second, reason="words", by=ann, now=LATER)

    assert facts(first) == ("fit", "", ann, NOW)
    assert facts(second) == ("unfit", "words", ann, LATER)
    assert list(Picture.objects.playable()) == [first]


def test_unfit_needs_a_reason_of_the_list() -> None:
    (picture,) = make_waiting(1)

    with pytest.raises(RuleBroken) as refused:
        refuse_picture(picture=picture, reason="ugly", by=make_user(), now=NOW)

    assert refused.value.code == "no_reason"
    assert facts(picture) == ("waiting", "", None, None)


def test_second_verdict_changes_nothing() -> None:
    (picture,) = make_waiting(1)
    stale = Picture.objects.get()
    ann, bob = make_user(), make_user()
    pass_picture(picture=picture, by=ann, now=NOW)

    with pytest.raises(RuleBroken) as refused:
        refuse_picture(picture=stale, reason="words", by=bob, now=LATER)

    assert refused.value.code == "checked_already"
    assert facts(picture) == ("fit", "", ann, NOW)


def test_picture_before_somebody_else_is_not_decided_on() -> None:
    (picture,) = make_waiting(1)
    ann, bob = make_user(), make_user()
    claim_picture(by=ann, now=NOW)
    picture.refresh_from_db()

    with pytest.raises(RuleBroken) as refused:
        pass_picture(picture=picture, by=bob, now=LATER)

    assert refused.value.code == "claimed"
    assert facts(picture) == ("waiting", "", None, None)


def test_skipped_pictures_come_again_at_the_end() -> None:
    pictures = make_waiting(3)
    ann = make_user()

    seen = []
    for _ in range(4):
        picture = claim_picture(by=ann, now=NOW)
        assert picture is not None
        seen.append(picture)
        skip_picture(picture=picture, by=ann, now=NOW)

    assert seen == [*pictures, pictures[0]]


def test_skip_leaves_a_colleagues_picture_alone() -> None:
    (picture,) = make_waiting(1)
    ann, bob = make_user(), make_user()
    claim_picture(by=ann, now=NOW)

    skip_picture(picture=picture, by=bob, now=NOW)

    picture.refresh_from_db()
    assert (picture.claimed_by, picture.skipped) == (ann, 0)


def test_undo_lays_the_last_one_before_the_same_person_again() -> None:
    first, second, third = make_waiting(3)
    ann, bob = make_user(), make_user()
    for number, picture in enumerate((first, second)):
        claim_picture(by=ann, now=NOW)
        pass_picture(picture=picture, by=ann, now=NOW + timedelta(seconds=number))
    assert claim_picture(by=ann, now=NOW + timedelta(seconds=2)) == third

    undone = undo_check(by=ann, now=LATER)

    assert undone == second
    assert facts(second) == ("waiting", "", None, None)
    assert claim_picture(by=bob, now=LATER) is None
    assert claim_picture(by=ann, now=LATER) == second
    pass_picture(picture=Picture.objects.get(pk=second.pk), by=ann, now=LATER)
    assert claim_picture(by=ann, now=LATER) == third


def test_undo_goes_back_step_by_step_for_a_while_and_only_over_ones_own() -> None:
    first, second, third = make_waiting(3)
    ann, bob = make_user(), make_user()
    pass_picture(picture=first, by=ann, now=NOW)
    refuse_picture(picture=second, reason="quality", by=ann, now=LATER)
    pass_picture(picture=third, by=bob, now=LATER)

    assert undo_check(by=ann, now=LATER) == second
    with pytest.raises(RuleBroken) as refused:
        undo_check(by=ann, now=NOW + UNDO_FOR)

    assert refused.value.code == "nothing_to_undo"
    assert (facts(first)[0], facts(second)[0], facts(third)[0]) == ("fit", "waiting", "fit")


def test_families_hear_what_begins_and_ceases_to_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_waiting(2)
    ann = make_user()
    heard: list[tuple[list[int], bool, datetime]] = []
    monkeypatch.setattr(removal, "_listeners", [])
    removal.on_change(lambda *, picture_ids, shown, now: heard.append((list(picture_ids), shown, now)))

    pass_picture(picture=first, by=ann, now=NOW)
    refuse_picture(picture=second, reason="words", by=ann, now=NOW)
    undo_check(by=ann, now=NOW)
    undo_check(by=ann, now=LATER)

    assert heard == [([first.pk], True, NOW), ([first.pk], False, LATER)]


def test_listener_that_fails_undoes_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    (picture,) = make_waiting(1)
    make_picture()

    def fail(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(removal, "_listeners", [fail])

    with pytest.raises(RuntimeError):
        pass_picture(picture=picture, by=make_user(), now=NOW)

    assert facts(picture) == ("waiting", "", None, None)


def test_the_same_listener_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "_listeners", [])

    def listener(**_: object) -> None: ...

    removal.on_change(listener)
    removal.on_change(listener)

    assert removal._listeners == [listener]
