"""Verdicts about many pictures at once, and what they leave as it is."""

from datetime import timedelta

import pytest

from crowd.pictures import removal
from crowd.pictures.models import Picture
from crowd.pictures.services import bulk_check, manual_check
from crowd.pictures.services.bulk_check import LeftOut, count_left_out, mark_fit, mark_unfit, undo_marks
from crowd.pictures.services.flagged_pictures import drop_flagged
from crowd.pictures.services.removing_pictures import remove_pictures
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from tests.crowd.pictures.images import make_waiting
from tests.crowd.pictures.test_flagged import Heard, make_written
from tests.factories import NOW, make_picture, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_check, "installed_reader", lambda: None)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    told: Heard = []
    monkeypatch.setattr(removal, "_listeners", [])
    removal.on_change(lambda *, picture_ids, shown, now: told.append((list(picture_ids), shown, now)))
    return told


def statuses() -> list[str]:
    return list(Picture.objects.order_by("pk").values_list("status", flat=True))


def test_many_are_marked_as_fit_in_slices_and_undone_together(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_check, "AT_ONCE", 2)
    pictures, by = make_waiting(3), make_user()
    keys = [one.pk for one in pictures]

    assert mark_fit(pictures=pictures, by=by, now=NOW) == 3
    assert statuses() == ["fit", "fit", "fit"]
    assert set(Picture.objects.values_list("checked_by", "checked_at")) == {(by.pk, NOW)}
    assert bulk_check.last_marked(by=by, now=LATER) == bulk_check.LastMarked(
        status="fit", checked_at=NOW, count=3
    )
    assert undo_marks(by=by, now=LATER) == 3
    assert statuses() == ["waiting", "waiting", "waiting"]
    assert not Picture.objects.exclude(checked_by=None, checked_at=None).exists()
    assert heard == [
        (keys[:2], True, NOW),
        (keys[2:], True, NOW),
        (keys[:2], False, LATER),
        (keys[2:], False, LATER),
    ]
    assert list(AuditEvent.objects.order_by("pk").values_list("kind", "words")) == [
        ("picture.marked_fit", "Marked as fit: 3 pictures."),
        ("picture.verdict_undone", "Sent back to the check: 3 pictures."),
    ]


def test_unfit_needs_a_reason_and_takes_in_what_was_fit(heard: Heard) -> None:
    waiting, fit, by = make_waiting(1)[0], make_picture(), make_user()

    with pytest.raises(RuleBroken, match="Say why"):
        mark_unfit(pictures=[waiting, fit], reason="", by=by, now=NOW)
    assert statuses() == ["waiting", "fit"]

    assert mark_unfit(pictures=[waiting, fit], reason="quality", by=by, now=NOW) == 2
    assert set(Picture.objects.values_list("status", "unfit_reason")) == {("unfit", "quality")}
    assert heard == [([fit.pk], False, NOW)]


def test_what_is_not_the_verdicts_to_change_is_left_and_counted() -> None:
    """Letters, colleagues and earlier verdicts stand against a verdict about many."""
    by, colleague = make_user(), make_user()
    fit, of_item, removed, refused = (make_picture() for _ in range(4))
    Picture.objects.filter(pk=of_item.pk).update(in_pool=False, status="waiting")
    remove_pictures(pictures=[removed], reason="Asked to.", by=colleague, now=NOW)
    Picture.objects.filter(pk=refused.pk).update(status="unfit", unfit_reason="mismatch")
    undecided = make_written("Library", seed=5, is_checked=False)
    drop_flagged(now=NOW)
    waits_with_letters = make_written("open daily", seed=6, is_checked=False)
    Picture.objects.filter(pk=waits_with_letters.pk).update(flagged_at=NOW)
    held = make_waiting(1)[0]
    Picture.objects.filter(pk=held.pk).update(claimed_by=colleague, claimed_until=LATER)
    pictures = list(Picture.objects.order_by("pk"))
    before = statuses()

    left = count_left_out(pictures, "fit", by=by, now=NOW)

    assert left == {
        LeftOut.REMOVED: 1,
        LeftOut.OF_ITEM: 1,
        LeftOut.SAME: 1,
        LeftOut.UNFIT: 1,
        LeftOut.HELD: 1,
        LeftOut.LETTERS: 2,
    }
    assert mark_fit(pictures=pictures, by=by, now=NOW) == 0
    assert statuses() == before
    assert undecided.status == "waiting"  # as it was made, before its letters decided
    assert fit.status == "fit"
    assert not AuditEvent.objects.filter(kind="picture.marked_fit").exists()


def test_pictures_whose_letters_nobody_has_read_wait_where_a_reader_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_check, "installed_reader", object)
    pictures, by = make_waiting(2), make_user()
    Picture.objects.filter(pk=pictures[0].pk).update(read_by="fake 1")

    assert mark_fit(pictures=pictures, by=by, now=NOW) == 1
    assert statuses() == ["fit", "waiting"]
    # A picture that is bad for another reason need not be read first.
    assert mark_unfit(pictures=pictures[1:], reason="quality", by=by, now=NOW) == 1


def test_undo_ends_after_a_while_and_touches_no_verdict_of_others() -> None:
    pictures, by, colleague = make_waiting(2), make_user(), make_user()
    mark_fit(pictures=pictures[:1], by=by, now=NOW)
    mark_fit(pictures=pictures[1:], by=colleague, now=NOW)

    with pytest.raises(RuleBroken, match="nothing to undo"):
        undo_marks(by=by, now=NOW + manual_check.UNDO_FOR)
    assert undo_marks(by=by, now=LATER) == 1
    assert statuses() == ["waiting", "fit"]
